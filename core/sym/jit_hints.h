/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Language runtimes that write the names of their code only on request.  They are recognized by the
 * files that they have mapped; a table lists the option that each one needs.
 */
#ifndef SYM_JIT_HINTS_H
#define SYM_JIT_HINTS_H

#include "base/arena.h"
#include "sym/symbolizer_int.h"

/* Call say() with one line of advice for each runtime with code that has no names: for a few
 * processes per runtime at most, and once for each. */
void runtime_hints(struct symbolizer *s, void (*say)(const char *code, const char *text));

/*
 * Have JVMs write the maps of code that has no names yet, within the limits of `how`.  Calls say()
 * for those JVMs that do not write one.
 */
void runtime_request_maps(struct symbolizer *s, const struct sym_request *how,
			  void (*say)(const char *code, const char *text));

/* The runtime of this library or program: an index into the table, or -1. */
int runtime_of(const char *path);

/* The same for the file that a process executes: "java" is a small program that loads libjvm.so. */
int runtime_of_program(const char *path);

const char *runtime_name(int runtime); /* "java" */
/* false: it is an interpreter, and all addresses are those of its own functions. */
bool runtime_compiles(int runtime);

/* The advice, allocated in the arena: "java 4711: run 'jcmd 4711 Compiler.perfmap'...". */
const char *runtime_advice(struct arena *a, int runtime, u32 tgid);

#endif
