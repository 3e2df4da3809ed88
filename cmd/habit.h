/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Command lines of other tools. */
#ifndef CMD_HABIT_H
#define CMD_HABIT_H

#include "base/str.h"

/* `words`: those after "bperf", up to NULL.  If perf, strace, ltrace or bpftrace has such a
 * command, add the line of bperf that does the same, with the person's own words. */
void habit_line(char *const *words, struct str *line);

/* The words after "bpftrace": add the line, without "bperf". */
void habit_bpftrace(char *const *words, struct str *line);

#endif
