/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Language runtimes that name their code only when asked to.  Recognised by what they have
 * mapped; knows which switch each needs.
 */
#ifndef SYM_RUNTIME_H
#define SYM_RUNTIME_H

#include "sym/internal.h"

/* say() the line that helps for each runtime whose code stayed without names; for each runtime
 * a few processes at most, and each once. */
void runtime_hints(struct symbolizer *s, void (*say)(const char *code, const char *text));

/* The runtime whose library or program this is: index into the table, or -1. */
int runtime_of(const char *path);

#endif
