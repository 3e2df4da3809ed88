// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/forgotten.h"

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/no_preempt.h"

void forgotten_add(void *forgotten, const u64 id[2])
{
	struct forgotten *f = forgotten;

	vec_push(&f->v, (struct forgotten_id){ { id[0], id[1] } });
}

void forgotten_delete(const struct forgotten *f, int map_fd)
{
	_cleanup_(no_preempt_series_end) struct no_preempt_series calls = { 0 };
	const struct forgotten_id *one;

	vec_for_each(one, &f->v) {
		no_preempt_call(&calls);
		bpf_map_delete_elem(map_fd, one->id);
	}
}

void forgotten_release(struct forgotten *f)
{
	vec_release(&f->v);
}
