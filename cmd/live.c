// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --live: one process measures, its parent shows (core/live). */
#include "live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memlimit.h"
#include "cmd/command.h"
#include "cmd/live.h"
#include "live/launch.h"
#include "wait/wait.h"

#define BOOT_ID_BYTES 64

static const char *const chain_words[] = { "chain", "--live", "-p", "PID", NULL };
static const char *const offcpu_words[] = { "offcpu", "--live", "-p", "PID", NULL };
static const char *const dump_words[] = { "dump", "-p", "PID", NULL };
static const char *const profile_words[] = { "profile", "--live", "-p", "PID", NULL };

const struct live_command live_commands[] = {
	{ 'f', "its flame graph of CPU time, in a view of its own", profile_words, false },
	{ 'o', "its flame graph of waits, in a view of its own", offcpu_words, false },
	{ 'c', "the chains of wakers that its threads wait for", chain_words, false },
	{ 'd', "its threads now: their stacks, and what they wait for", dump_words, true },
	{ 0 },
};

struct live_part live_of_stacks(struct collect_conf *c)
{
	return (struct live_part){ &c->output, &c->interval_ns, &c->count, &c->target,
				   c->delimited };
}

struct live_part wait_live(void *conf)
{
	return live_of_stacks(&((struct wait_conf *)conf)->collect);
}

/* A duration becomes windows of at most a second, which together are as long.  Without one, the run
 * goes on until the person leaves. */
static void set_windows(const struct live_part *p)
{
	if (!*p->interval_ns) {
		*p->interval_ns = NS_PER_SEC;
		*p->count = 0;
	} else if (*p->count == 1 && *p->interval_ns > NS_PER_SEC) {
		*p->count = (*p->interval_ns + NS_PER_SEC - 1) / NS_PER_SEC;
		*p->interval_ns /= *p->count;
	}
}

/* The parent, which shows, is no more of a target than this process. */
static void leave_out_parent(struct target *t)
{
	if (!t->include_self && !t->pids.v.n && !t->tids.v.n && !t->program)
		vec_push(&t->not_pids.v, (u32)getppid());
}

void live_explain(const struct command *c, int argc, char **argv, struct err *err)
{
	bool measures = c->run && c->needs;

	for (int i = 1; i < argc && !c->live && measures; i++)
		if (!strcmp(argv[i], "--live")) {
			err->hint[0] = '\0'; /* a similar option is not meant */
			err_hint(err, "its output cannot be added up: --live is for what counts");
			return;
		}
}

/* A number of a process is that of another one on another host, and after a boot. */
static bool is_of_this_boot(const struct saved *saved)
{
	_cleanup_(str_release) struct str text = { 0 };
	const char *id = saved->run.boot_id;

	return saved->files.n == 1 && id && id[0] &&
	       !file_read("/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES, &text) &&
	       view_starts(str_view(&text), id);
}

int live_show_saved(const struct saved *saved, struct report *total, bool delimited,
		    struct err *err)
{
	const struct live_opts opts = {
		.commands = is_of_this_boot(saved) ? live_commands : NULL,
		.delimited = delimited,
	};
	struct live_source source;
	int status, ret;

	source_init_files(&source, saved, total);
	ret = live_run(&source, 1, &opts, &status, err);
	source_release(&source);
	return ret;
}

int live_show_input(bool delimited, struct err *err)
{
	const struct live_opts opts = { .delimited = delimited };
	struct live_source source;
	int status, ret, fd;

	if (isatty(STDIN_FILENO)) {
		err_set(err, ERR_USAGE, "--live -: standard input is a terminal, and no run");
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

int command_run_live(const struct command *c, void *conf, int argc, char **argv, int *status,
		     struct err *err)
{
	const struct live_part part = c->live(conf);
	const struct live_opts opts = { .title = c->name,
					.commands = live_commands,
					.delimited = part.delimited };
	struct launched launched;
	struct live_source source;
	int ret = live_check(err);

	if (ret || !part.interval_ns)
		return ret ?: c->run(conf, argc, argv, status, err);
	set_windows(&part);
	part.output->json = true;
	ret = launch(&launched, err);
	if (!ret && !launched.pid)
		leave_out_parent(part.target);
	if (ret || !launched.pid)
		return ret ?: c->run(conf, argc, argv, status, err);
	source_init(&source, c->name, launched.pid, launched.fd, launched.messages_fd);
	ret = mem_limit_begin(err) ?: live_run(&source, 1, &opts, status, err);
	source_release(&source);
	return ret;
}
