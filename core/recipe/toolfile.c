// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "recipe/toolfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/source.h"
#include "base/str.h"

#define SUFFIX ".bperf"

void tool_file_release(struct tool_file *f)
{
	free(f->name);
	free(f->command);
	free(f->file);
	free(f->text);
	*f = (struct tool_file){ 0 };
}

/* Under sudo, the files of the user who called it are trusted like root's. */
static bool is_trusted(uid_t uid)
{
	const char *sudo = getenv("SUDO_UID");
	u64 caller;

	if (uid == 0 || uid == geteuid())
		return true;
	return sudo && geteuid() == 0 && num_parse_dec(view_of(sudo), &caller) && uid == caller;
}

/* If others could write to the file, bperf would run their commands. */
static int check_owner(const char *path, const struct stat *st, bool sticky_is_fine,
		       struct err *err)
{
	bool is_sticky = sticky_is_fine && S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

	if (!is_trusted(st->st_uid)) {
		err_set(err, ERR_PERM, "'%s' belongs to another user (%u): not run", path,
			st->st_uid);
		return err_hint(err, "copy it to a folder of your own");
	}
	if (st->st_mode & (S_IWGRP | S_IWOTH) && !is_sticky) {
		err_set(err, ERR_PERM, "others can write '%s': not run", path);
		return err_hint(err, "chmod go-w %s", path);
	}
	return 0;
}

static int check_folder(const char *dir, bool sticky_is_fine, struct err *err)
{
	struct stat st;

	if (stat(dir, &st))
		return err_errno(err, errno, "cannot look at the folder '%s'", dir);
	return check_owner(dir, &st, sticky_is_fine, err);
}

static int check_file(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_errno(err, errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "'%s' is not a regular file, as a recipe must be",
			       path);
	return check_owner(path, &st, false, err);
}

static int read_recipe(int fd, const char *path, struct str *text, struct err *err)
{
	int ret = file_read_fd(fd, TEXT_MAX, text);

	if (ret == -E2BIG)
		return err_set(err, ERR_USAGE,
			       "'%s' is longer than %d bytes, the limit of a recipe", path,
			       TEXT_MAX);
	if (ret)
		return err_errno(err, -ret, "cannot read '%s'", path);
	if (memchr(str_text(text), '\0', text->n))
		return err_set(err, ERR_USAGE, "'%s' is not a text file", path);
	return 0;
}

/* "dir/mytool.bperf" is mytool. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name), end = strlen(SUFFIX);

	if (n > end && !strcmp(name + n - end, SUFFIX))
		n -= end;
	return mem_strndup(name, n);
}

static int load(const char *path, bool by_path, struct tool_file *file, struct err *err)
{
	_cleanup_(str_release) struct str text = { 0 };
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char real[PATH_MAX];
	int ret;

	if (fd < 0)
		return err_errno(err, errno, "cannot open '%s'", path);
	ret = check_file(fd, path, err);
	if (ret)
		return ret;
	if (!realpath(path, real))
		return err_errno(err, errno, "cannot find '%s'", path);
	ret = check_folder(dirname(real), by_path, err) ?: read_recipe(fd, path, &text, err);
	if (ret)
		return ret;
	*file = (struct tool_file){
		.name = name_of(path),
		.command = by_path ? mem_strdup(path) : name_of(path),
		.file = mem_strdup(path),
		.text = mem_strdup(str_text(&text)),
	};
	return 0;
}

int tool_file_load(const char *path, struct tool_file *file, struct err *err)
{
	return load(path, true, file, err);
}

char *tool_file_path(const char *dir, const char *name)
{
	return mem_printf("%s/%s" SUFFIX, dir, name);
}

int tool_file_find(const char *dir, const char *name, struct tool_file *file, struct err *err)
{
	_cleanup_(free_p) char *path = tool_file_path(dir, name);

	if (file_is_missing(path))
		return 0;
	return check_folder(dir, false, err) ?: load(path, false, file, err);
}

static int is_tool(const struct dirent *e)
{
	size_t n = strlen(e->d_name), end = strlen(SUFFIX);

	return n > end && !strcmp(e->d_name + n - end, SUFFIX) && e->d_name[0] != '-' &&
	       strspn(e->d_name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "+-._") == n;
}

int tool_file_names(const char *dir, void (*take)(void *ctx, const char *name), void *ctx)
{
	struct dirent **entries = NULL;
	int n = dir ? scandir(dir, &entries, is_tool, alphasort) : 0;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		_cleanup_(free_p) char *name = name_of(entries[i]->d_name);

		take(ctx, name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

bool tool_file_is_path(const char *word)
{
	size_t n = strlen(word), end = strlen(SUFFIX);

	return strchr(word, '/') || (n > end && !strcmp(word + n - end, SUFFIX));
}
