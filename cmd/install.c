// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `bperf install DIR`: creates a link for each command.  Files that are not ours are never
 * replaced. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/command.h"
#include "cmd/toolbox.h"

struct install_conf {
	const char *dir;
	bool bare, tools;
};

static int install_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct install_conf *conf = p;

	if (rest->n_args != 1 || rest->program)
		return err_set(err, ERR_USAGE, "install: one directory is needed");
	conf->dir = rest->args[0];
	return 0;
}

/* The path of this file; in the link's own directory its name is enough, and stays valid if the
 * directory is moved.  The caller frees it; NULL: error. */
static char *find_target(const char *dir, struct err *err)
{
	char self[PATH_MAX], real_dir[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0) {
		err_errno(err, errno, "cannot read /proc/self/exe");
		return NULL;
	}
	self[n] = '\0';
	if (!realpath(dir, real_dir)) {
		err_errno(err, errno, "cannot link into '%s'", dir);
		return NULL;
	}
	slash = strrchr(self, '/');
	*slash = '\0';
	if (!strcmp(self, real_dir))
		return mem_strdup(slash + 1);
	*slash = '/';
	return mem_strdup(self);
}

enum place {
	PLACE_FREE,
	PLACE_OURS,
	PLACE_FOREIGN
};

static enum place look_at(const char *path)
{
	struct stat there, self;

	if (lstat(path, &there))
		return errno == ENOENT ? PLACE_FREE : PLACE_FOREIGN;
	if (!S_ISLNK(there.st_mode) || stat(path, &there) || stat("/proc/self/exe", &self))
		return PLACE_FOREIGN;
	return there.st_dev == self.st_dev && there.st_ino == self.st_ino ? PLACE_OURS
									  : PLACE_FOREIGN;
}

static int link_one(const char *dir, const char *prefix, const char *name, const char *target,
		    bool look_only, struct err *err)
{
	_cleanup_(free_p) char *path = mem_printf("%s/%s%s", dir, prefix, name);
	enum place place = look_at(path);

	if (place == PLACE_FOREIGN) {
		err_set(err, ERR_FAIL, "cannot link '%s': another file has that name", path);
		return err_hint(err, "nothing was changed; remove it or choose another directory");
	}
	if (look_only || place == PLACE_OURS)
		return 0;
	if (symlink(target, path))
		return err_errno(err, errno, "cannot link '%s'", path);
	printf("%s -> %s\n", path, target);
	return 0;
}

static int link_all(const struct install_conf *conf, const char *target, bool look_only,
		    struct err *err)
{
	const char *prefix = conf->bare ? "" : "bperf-";
	int ret = 0;

	for (size_t i = 0; i < n_commands && !ret; i++) {
		const struct command *c = commands[i];

		if (c->is_helper)
			continue;
		ret = link_one(conf->dir, prefix, c->name, target, look_only, err);
		if (!ret && conf->bare && c->old_name)
			ret = link_one(conf->dir, "", c->old_name, target, look_only, err);
	}
	for (size_t i = 0; conf->tools && i < toolbox_size() && !ret; i++)
		ret = link_one(conf->dir, prefix, toolbox_name(i), target, look_only, err);
	return ret;
}

static int install_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	const struct install_conf *conf = p;
	_cleanup_(free_p) char *target = find_target(conf->dir, err);
	int ret;

	(void)argc, (void)argv, (void)status;
	if (!target)
		return -err->code;
	ret = link_all(conf, target, true, err);
	return ret ? ret : link_all(conf, target, false, err);
}

static void install_complete(const char *word, FILE *f)
{
	(void)word;
	fputs(":dir\n", f);
}

static const struct opt install_opts[] = {
	OPT_HEADING("Links"),
	OPT_FLAG(0, "bare", struct install_conf, bare,
		 "link names without bperf- (profile), and also bcc's names (offcputime)"),
	OPT_FLAG(0, "tools", struct install_conf, tools,
		 "for each tool too (bperf-opensnoop; with --bare opensnoop)"),
	OPT_END,
};

const struct command install_command = {
	.name = "install",
	.is_helper = true,
	.summary = "link the commands into a directory",
	.usage = "[--bare] [--tools] DIR",
	.about = "Makes a symbolic link bperf-COMMAND to this file in DIR for each command.  If an "
		 "existing file has such a name but is not such a link, that is an error, and "
		 "nothing is linked.",
	.examples = { { "install /usr/local/bin", "bperf-profile and so on in everyone's PATH" },
		      { "install --tools --bare /opt/bperf/bin",
			"opensnoop, execsnoop and so on, in a folder of their own" } },
	.opts = install_opts,
	.conf_size = sizeof(struct install_conf),
	.check = install_check,
	.run = install_run,
	.complete = install_complete,
};
