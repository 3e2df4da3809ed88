/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --live for the commands that measure. */
#ifndef CMD_LIVE_H
#define CMD_LIVE_H

#include "cmd/command.h"

/* The part of a command with stacks that --live needs; `live` of the commands that wait
 * (wait/wait.h). */
struct collect_conf;
struct live_part live_of_stacks(struct collect_conf *c);
struct live_part wait_live(void *conf);

/* Run a command that measures in a second process, and show it until the person leaves.  Arguments
 * as of run(). */
int command_run_live(const struct command *c, void *conf, int argc, char **argv, int *status,
		     struct err *err);

/* Add to the error of a command line with --live, of `c` or of a tool that becomes `c`, why it has
 * no such option. */
void live_explain(const struct command *c, int argc, char **argv, struct err *err);

#endif
