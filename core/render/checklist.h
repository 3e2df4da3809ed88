/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints the result of `doctor`: a list of questions with verdicts, as text or as one JSON object.
 * Must not know how a verdict was found. */
#ifndef RENDER_CHECKLIST_H
#define RENDER_CHECKLIST_H

#include <stdio.h>

#include "base/mem.h"
#include "base/types.h"

enum checklist_verdict {
	CHECKLIST_OK,
	CHECKLIST_WARN,
	CHECKLIST_NO,
	CHECKLIST_UNKNOWN,
};

struct checklist_names {
	VEC(const char *) v; /* borrowed */
};

/* All text is borrowed. */
struct checklist_row {
	const char *key, *title;
	enum checklist_verdict verdict;
	const char *detail;
	const char *loss, *next; /* NULL: none */
	struct checklist_names needed_by;
};

struct checklist {
	const char *version, *arch, *kernel, *host;
	VEC(struct checklist_row) rows;
	struct checklist_names works, fails;
};

void checklist_text(const struct checklist *list, FILE *f);
void checklist_json(const struct checklist *list, FILE *f);
void checklist_release(struct checklist *list);

#endif
