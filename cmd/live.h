/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands that keys of all live views run for the selected process; ends with a key of 0. */
#ifndef CMD_LIVE_H
#define CMD_LIVE_H

#include "live/live.h"

extern const struct live_command live_commands[];

struct command;

/* Add to the error of a command line with --live, of `c` or of a tool that becomes `c`, why it has
 * no such option. */
void live_explain(const struct command *c, int argc, char **argv, struct err *err);

/* `report --live`: show the sum of saved files, which it takes over; or a run whose JSON arrives on
 * standard input, such as that of another host.  `delimited`: as for render_opts. */
int live_show_saved(const struct saved *saved, struct report *total, bool delimited,
		    struct err *err);
int live_show_input(bool delimited, struct err *err);

#endif
