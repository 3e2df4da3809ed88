/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asks the kernel for single symbols, by two small BPF programs (bpf/ksyms.bpf.c) that run only
 * when they are called.  On one host a name takes 1 us, loading the programs 3 ms, and reading
 * /proc/kallsyms 40 to 70 ms.
 */
#ifndef RUN_KSYMS_H
#define RUN_KSYMS_H

#include "sym/ksyms.h"

struct ksyms_bpf; /* the skeleton */

struct ksyms {
	struct ksym_source source;
	struct ksyms_bpf *skel;
	bool is_tried; /* loading them was tried */
};

/* Nothing is loaded until the first question.  p->source is valid until ksyms_release(). */
void ksyms_init(struct ksyms *p);

/*
 * Can symbols be found by their names too?  The kernel must be able to do so without expanding all
 * names before it, which takes some 5 ms (6.2; commit 60443c88f3a8 "kallsyms: Improve the
 * performance of kallsyms_lookup_name()"), and must show its addresses to this process.  The types
 * of `btf_path` (--btf, or NULL) tell the first, as they tell all else about the kernel.
 */
bool ksyms_can_find(struct ksyms *p, const char *btf_path);

void ksyms_release(struct ksyms *p);

#endif
