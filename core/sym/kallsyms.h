/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads kernel names from the text of /proc/kallsyms, and module ranges from /proc/modules.  The
 * text is streamed: 122,000 symbols cost 40 ms and no memory.  Knows these two formats; must not
 * know ELF or processes.
 */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include "base/lines.h"
#include "sym/kfunctions.h"

/* The largest function of a distribution's kernel has 60 KB.  What is farther away from the symbol
 * before it is memory after the last function, which was freed. */
#define KALLSYMS_MAX_FUNCTION_BYTES (1 << 20)

/* Is it a mark of the linker, such as __sched_text_start?  It may share its address with a
 * function. */
bool kallsyms_is_mark(struct view name);

/* Modules that are loaded. */
struct modules;

/* Read the text of /proc/modules; NULL: there is none. */
struct modules *modules_read(struct lines *text);
/* A hash of their names and addresses. */
u64 modules_hash(const struct modules *m);
void modules_free(struct modules *m);

/*
 * Name wanted kernel addresses by the text.  Sets want->module too, also for an address without a
 * name in a module.  `known`: collects the symbols, if it wants them.  Returns false if the kernel
 * hides its addresses (all of them 0, or the text is empty).
 */
bool kallsyms_name(struct wants *w, struct lines *symbols, const struct modules *modules,
		   struct kfunctions *known);

/* Name them by the symbols that were collected: those of the kernel and of its modules, not those
 * of BPF, ftrace and kprobes, whose code comes and goes. */
void kallsyms_name_known(struct wants *w, const struct modules *modules,
			 const struct kfunctions *known);

#endif
