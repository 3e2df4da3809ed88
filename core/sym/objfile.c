// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/objfile.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "sym/debugfile.h"
#include "sym/elfsyms.h"

static void build_id_text(const struct elf *e, char *out)
{
	for (u32 i = 0; i < e->n_build_id; i++)
		snprintf(out + 2 * i, 3, "%02x", e->build_id[i]);
}

static void to_vaddrs(const struct elf *e, struct wants *w)
{
	struct sym_query *want;

	if (w->is_data)
		return; /* data has addresses already */
	vec_for_each(want, &w->list) {
		u64 vaddr;

		want->at = elf_vaddr(e, want->at, &vaddr) ? vaddr : UINT64_MAX;
	}
	wants_sort(w);
}

int objfile_name(struct objfile *o, struct wants *w)
{
	_cleanup_(elf_release) struct elf e;
	int ret = elf_init(&e, &o->src);

	if (ret)
		return ret;
	build_id_text(&e, o->build_id);
	to_vaddrs(&e, w);
	elfsyms_name(&e, w, true);
	if (wants_left(w) && !w->is_data)
		elfplt_name(&e, w);
	if (wants_left(w) && !w->is_data)
		debugdata_name(&e, w);
	if (wants_left(w))
		debugfile_name(o, &e, w);
	return 0;
}
