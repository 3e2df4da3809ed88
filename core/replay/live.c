// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Saved reports, or the JSON of a run that arrives on standard input, on the screen of --live. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "live/live.h"
#include "replay/replay_int.h"

#define BOOT_ID_BYTES 64

/* True if the input is a pipe, in which a run may still be going on; files are read first. */
bool replay_is_input(const struct replay_conf *conf)
{
	return conf->n_paths == 1 && !strcmp(conf->paths[0], "-");
}

/* On another host, or after another boot, a PID means another process. */
static bool is_of_this_boot(const struct saved *saved)
{
	_cleanup_(str_release) struct str text = { 0 };
	const char *id = saved->run.boot_id;

	return saved->files.n == 1 && id && id[0] &&
	       !file_read("/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES, &text) &&
	       view_starts(str_view(&text), id);
}

static int show_saved(const struct saved *saved, struct report *total, bool delimited,
		      struct err *err)
{
	const struct live_opts opts = {
		.has_commands = is_of_this_boot(saved),
		.delimited = delimited,
	};
	struct live_source source;
	int status, ret;

	source_init_files(&source, saved, total);
	ret = live_run(&source, 1, &opts, &status, err);
	source_release(&source);
	return ret;
}

static int show_input(bool delimited, struct err *err)
{
	const struct live_opts opts = { .delimited = delimited };
	struct live_source source;
	int status, ret, fd;

	if (isatty(STDIN_FILENO)) {
		err_set(err, ERR_USAGE,
			"--live -: standard input is a terminal, and carries no run");
		return err_hint(err, "bperf profile -qj 1 60 | bperf report --live -");
	}
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return err_errno(err, errno, "cannot read standard input");
	source_init(&source, "standard input", 0, fd, -1);
	ret = live_run(&source, 1, &opts, &status, err);
	source_release(&source);
	return ret;
}

int replay_show_live(struct replay *r, struct err *err)
{
	const struct saved_opts opts = { .format = (enum saved_format)r->conf->from,
					 .value = r->conf->value,
					 .label_files = r->conf->by == SAVED_BY_FILE };
	int ret;

	if (replay_is_input(r->conf))
		return show_input(r->conf->delimited, err);
	ret = saved_read(&r->saved, r->conf->paths, r->conf->n_paths, &opts, err)
		      ?: replay_change(r, err) ?: saved_total(&r->saved, &r->total, err);
	if (ret)
		return ret;
	if (replay_has_events(r))
		return err_set(err, ERR_FAIL, "--live: the file has events, and no reports");
	replay_shape(r->conf, &r->total);
	return show_saved(&r->saved, &r->total, r->conf->delimited, err);
}
