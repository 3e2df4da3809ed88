/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters of bpf/stack.bpf.h: a table, and what each CPU keeps beside it. */
#ifndef RUN_COUNTS_H
#define RUN_COUNTS_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "bpf/stack.h"

struct counted {
	struct stack_id id;
	struct stack_count n;
};

/* A stack may be in it several times, once for each CPU: the sum counts. */
struct counts {
	VEC(struct counted) v;
};

/* All counters that are not 0, none of them twice or left out because it moved meanwhile. */
int counts_read(const struct bpf_object *obj, struct counts *out, struct err *err);
void counts_release(struct counts *c);

/* Occurrences taken by now, over all CPUs. */
u64 counts_taken(const struct bpf_object *obj);

#endif
