/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints samples by process (or by what --by requests) in text. */
#ifndef RENDER_TASKTABLE_H
#define RENDER_TASKTABLE_H

#include "render/renderer.h"

/* The samples of all tasks that look the same. */
struct task_sum {
	u32 task; /* the first task that looks like this */
	u32 rank; /* in the order of the names */
	u64 value;
};

/* Sum by task, largest first; returns the number of sums.  The caller frees them. */
size_t tasks_sum(const struct report *r, struct task_sum **out);

/* Add the table above the stacks or functions of a report of samples; nothing if all samples are of
 * one task. */
void tasks_text(struct render *out, const struct report *r);

#endif
