/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids that the store has forgotten and that must still be deleted from the kernel side's maps. */
#ifndef RUN_FORGOTTEN_H
#define RUN_FORGOTTEN_H

#include "base/mem.h"

struct forgotten_id {
	u64 id[2];
};

/* Zero-initialize. */
struct forgotten {
	VEC(struct forgotten_id) v;
};

/* For store_forget(): `forgotten` is its ctx. */
void forgotten_add(void *forgotten, const u64 id[2]);

/* Delete them from a map whose keys they are, without preemption (base/no_preempt.h). */
void forgotten_delete(const struct forgotten *f, int map_fd);

void forgotten_release(struct forgotten *f);

#endif
