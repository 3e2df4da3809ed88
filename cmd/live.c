// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --live: what it needs of a command, and a run with it. */
#include "cmd/live.h"

#include <string.h>

#include "live/live.h"
#include "wait/wait.h"

struct live_part live_of_stacks(struct collect_conf *c)
{
	return (struct live_part){ &c->output, &c->interval_ns, &c->count, &c->target,
				   c->delimited };
}

struct live_part wait_live(void *conf)
{
	return live_of_stacks(&((struct wait_conf *)conf)->collect);
}

void live_explain(const struct command *c, int argc, char **argv, struct err *err)
{
	bool measures = c->run && c->needs;

	for (int i = 1; i < argc && !c->live && measures; i++)
		if (!strcmp(argv[i], "--live")) {
			err->hint[0] = '\0'; /* a similar option is not meant */
			err_hint(
				err,
				"--live cannot add up the output of this command: it shows only commands that count");
			return;
		}
}

int command_run_live(const struct command *c, void *conf, int argc, char **argv, int *status,
		     struct err *err)
{
	const struct live_part part = c->live(conf);
	bool has_shown = false;
	int ret = live_check(err);

	if (!ret && part.interval_ns)
		ret = live_measure(c->name, &part, &has_shown, status, err);
	return ret || has_shown ? ret : c->run(conf, argc, argv, status, err);
}
