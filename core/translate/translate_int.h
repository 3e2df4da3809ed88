/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TRANSLATE_TRANSLATE_INT_H
#define TRANSLATE_TRANSLATE_INT_H

#include "base/mem.h"
#include "translate/translate.h"

/* The parts of the other tool's command line. */
struct foreign {
	struct str filters; /* options that are the same here, with a blank before each */
	VEC(const char *) events;
	const char *output, *frequency, *probe; /* NULL: none */
	struct str lost;			/* letters without a counterpart: " -y" */
	bool all, has_task, counts, follows; /* -a or another filter; -p or -t; strace -c and -f */
	char *const *program;		     /* NULL: none */
};

struct letter {
	char letter;
	const char *here; /* the option of bperf; NULL: left out */
};

/* A command of another tool. */
struct foreign_command {
	const char *name;
	const char *takes; /* letters with an argument */
	struct letter same[6];
	void (*put)(const struct foreign *f, struct str *line);
};

/* ---- options.c ---- */

/* Sort the words after the command's name, up to NULL. */
void foreign_read(const struct foreign_command *c, struct foreign *f, char *const *words);
void foreign_release(struct foreign *f);

/* ---- bpftrace.c ---- */

/* The words after "bpftrace": add the line, without "bperf". */
void translate_bpftrace(char *const *words, struct str *line);

#endif
