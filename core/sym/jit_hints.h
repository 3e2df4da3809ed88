/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Language runtimes that name their code only when asked to.  Recognised by what they have
 * mapped; knows which switch each needs.
 */
#ifndef SYM_JIT_HINTS_H
#define SYM_JIT_HINTS_H

#include "base/arena.h"
#include "sym/symbolizer_int.h"

/* say() the line that helps for each runtime whose code stayed without names; for each runtime
 * a few processes at most, and each once. */
void runtime_hints(struct symbolizer *s, void (*say)(const char *code, const char *text));

/* The runtime whose library or program this is: index into the table, or -1. */
int runtime_of(const char *path);

/* The same of the file that a process runs, of runtimes that make code: "java" is a small program
 * that has libjvm.so loaded. */
int runtime_of_program(const char *path);

/* "java 4711: run 'jcmd 4711 Compiler.perfmap'...", in the arena. */
const char *runtime_advice(struct arena *a, int runtime, u32 tgid);

#endif
