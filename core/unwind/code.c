// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/code.h"

void unwind_code_init(struct unwind_code *out, const struct elf *e)
{
	const struct elf_segment *s;

	vec_for_each(s, &e->loads)
		if (s->is_exec)
			vec_push(&out->segments, *s);
}

void unwind_code_release(struct unwind_code *code)
{
	vec_release(&code->segments);
}

static u64 overlap(const struct elf_segment *s, const struct sym_mapping *m)
{
	u64 start = s->off > m->off ? s->off : m->off;
	u64 end = m->off + (m->end - m->start);

	if (end > s->off + s->file_size)
		end = s->off + s->file_size;
	return end > start ? end - start : 0;
}

/* A mapping begins at the page in which its segment begins, and may contain the edge of another
 * segment. */
bool unwind_code_bias(const struct unwind_code *code, const struct sym_mapping *m, u64 *bias)
{
	const struct elf_segment *s;
	u64 best = 0;

	vec_for_each(s, &code->segments) {
		u64 n = overlap(s, m);

		if (n <= best)
			continue;
		best = n;
		*bias = m->start - (s->vaddr + (m->off - s->off));
	}
	return best;
}
