/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the counters of bpf/stack_count.bpf.h: a table, and a few stacks per CPU. */
#ifndef STACK_COUNTS_H
#define STACK_COUNTS_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "bpf/abi/stack.h"
#include "run/forgotten.h"

/* Receives the counters. */
struct counts_taker {
	/* Reading starts again: forget the counters received so far. */
	void (*restart)(void *ctx);
	/* May be called several times for a stack, once per CPU: add them up. */
	void (*take)(void *ctx, const struct stack_id *id, const struct stack_count *n);
	void *ctx;
};

/* Read all counters that are not 0.  If counters move from slots to the table during the reading,
 * all are read again (a few times), so that none is read twice or missed. */
int counts_read(const struct bpf_object *obj, const struct counts_taker *to, struct err *err);

/* The stacks whose counters are in a CPU's own slots: these must not be forgotten. */
void counts_each_held(const struct bpf_object *obj, void (*take)(void *ctx, const u64 id[2]),
		      void *ctx);
/* Delete the counters of stacks that are no longer used. */
void counts_forget(const struct bpf_object *obj, const struct forgotten *f);

/* Occurrences counted so far, over all CPUs. */
u64 counts_taken(const struct bpf_object *obj);

#endif
