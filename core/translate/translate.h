/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Command lines in the manner of other tools, translated into bperf's own, for hints. */
#ifndef TRANSLATE_TRANSLATE_H
#define TRANSLATE_TRANSLATE_H

#include "base/str.h"
#include "opt/opt.h"

/* `words`: those after "bperf", up to NULL.  If perf, strace, ltrace or bpftrace has such a
 * command, add the line of bperf that does the same, with the person's own words.  `is_command`
 * tells which names bperf has itself. */
void translate_line(char *const *words, bool (*is_command)(const char *name), struct str *line);

/* After an error `ret` of a command line that may end in "-- PROGRAM": if one of the words is a
 * program without its two dashes, as perf and strace take it, the hint becomes the command line
 * that runs it.  `probe`: the words that stand for a probe if the program is the first word. */
void translate_program(const char *command, const char *probe, const struct opt_rest *rest,
		       int argc, char **argv, int ret, struct err *err);

#endif
