/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters of bpf/stack.bpf.h: a table, and what each CPU keeps beside it. */
#ifndef STACK_COUNTS_H
#define STACK_COUNTS_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "bpf/abi/stack.h"

/* Who is given the counters. */
struct counts_taker {
	/* All of them follow, from the first: what was given before is void. */
	void (*restart)(void *ctx);
	/* A stack may be given several times, once for each CPU: the sum counts. */
	void (*take)(void *ctx, const struct stack_id *id, const struct stack_count *n);
	void *ctx;
};

/* Give all counters that are not 0, none of them twice or left out because it moved meanwhile. */
int counts_read(const struct bpf_object *obj, const struct counts_taker *to, struct err *err);

/* The stacks whose counters some CPU keeps for itself: these cannot be forgotten. */
void counts_each_held(const struct bpf_object *obj, void (*take)(void *ctx, const u64 id[2]),
		      void *ctx);
/* Nobody will count that stack any more, and nobody wants to know its number. */
void counts_forget(const struct bpf_object *obj, const u64 id[2]);

/* Occurrences taken by now, over all CPUs. */
u64 counts_taken(const struct bpf_object *obj);

#endif
