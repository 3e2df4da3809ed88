// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/tables.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memlimit.h"

/* The largest libraries of a compiler or browser take 60 ms, 150 ms on a busy machine. */
#define FILE_CPU_NS	(200 * NS_PER_MS)
#define FILE_BYTES	(256 << 20)
#define LARGE_BYTES	(8 << 20)
/* Programs that a build makes and runs once are files too. */
#define MAX_FILES	16384
/* Small and large files each may use this at once, and from then on a tenth of the time. */
#define ALLOWANCE_NS	(250 * NS_PER_MS)
#define ALLOWANCE_SHARE 10

void unwind_tables_init(struct unwind_tables *t, struct symbolizer *sym, u64 max_bytes)
{
	const struct unwind_allowance whole = { ALLOWANCE_NS, now_ns() };

	*t = (struct unwind_tables){
		.sym = sym,
		.max_rows = max_bytes / sizeof(struct cfi_row),
		.large_bytes = LARGE_BYTES,
		.is_turn_of_large = true,
		.small = whole,
		.large = whole,
	};
	unwind_rules_init(&t->rules);
}

void unwind_tables_release(struct unwind_tables *t)
{
	struct unwind_file *f;

	vec_for_each(f, &t->files) {
		unwind_table_release(&f->table);
		vec_release(&f->code);
	}
	vec_release(&t->files);
	index_release(&t->index);
	unwind_rules_release(&t->rules);
}

bool unwind_tables_are_full(const struct unwind_tables *t)
{
	return t->is_refused || t->files.n >= MAX_FILES;
}

/* ---- building ---- */

static bool has_time(struct unwind_allowance *a)
{
	u64 now = now_ns();

	if (now > a->given_ns)
		a->left_ns += (now - a->given_ns) / ALLOWANCE_SHARE;
	if (a->left_ns > ALLOWANCE_NS)
		a->left_ns = ALLOWANCE_NS;
	a->given_ns = now;
	return a->left_ns > 0;
}

static void spend(struct unwind_allowance *a, u64 ns)
{
	a->left_ns -= ns < a->left_ns ? ns : a->left_ns;
}

static void keep_code(struct unwind_file *f, const struct elf *e)
{
	const struct elf_segment *s;

	vec_for_each(s, &e->loads)
		if (s->is_exec)
			vec_push(&f->code, *s);
}

static void build_from(struct unwind_tables *t, struct unwind_file *f, const struct elf_src *file)
{
	struct meter meter = { .max_cpu_ns = FILE_CPU_NS, .max_bytes = FILE_BYTES };
	struct elf_src src = *file;
	u64 left = t->max_rows > t->n_rows ? t->max_rows - t->n_rows : 0;
	struct elf e;
	int ret;

	meter_begin(&meter);
	src.meter = &meter;
	f->state = UNWIND_FILE_NONE;
	if (elf_init(&e, &src))
		return;
	ret = unwind_table_build(&f->table, &e, &t->rules,
				 left < UINT32_MAX ? (u32)left : UINT32_MAX);
	t->is_refused |= ret == -E2BIG;
	if (!ret && meter.over == METER_GOES_ON) {
		f->state = UNWIND_FILE_BUILT;
		t->n_rows += f->table.rows.n;
		keep_code(f, &e);
	} else {
		unwind_table_release(&f->table);
	}
	elf_release(&e);
}

static void build(struct unwind_tables *t, struct unwind_file *f, u32 file)
{
	u64 began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool is_large = f->id.size >= t->large_bytes;
	struct unwind_allowance *allowance = is_large ? &t->large : &t->small;
	struct elf_src src;

	if (mem_is_over() || (is_large && !t->is_turn_of_large) || !has_time(allowance))
		return;
	t->is_turn_of_large &= !is_large;
	f->state = UNWIND_FILE_NONE;
	if (!symbolizer_file_open(t->sym, file, &src)) {
		build_from(t, f, &src);
		if (src.fd >= 0)
			close(src.fd);
	}
	spend(allowance, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began);
}

void unwind_tables_tick(struct unwind_tables *t)
{
	t->is_turn_of_large = true;
}

/* ---- finding ---- */

static u64 hash_of(const struct sym_file_id *id)
{
	return hash_mix(hash_mix(id->dev, id->ino), id->mtime_ns ^ id->size ^ id->is_vdso);
}

static bool is_same(const struct sym_file_id *a, const struct sym_file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->mtime_ns == b->mtime_ns &&
	       a->size == b->size && a->is_vdso == b->is_vdso;
}

static struct unwind_file *find(struct unwind_tables *t, const struct sym_file_id *id)
{
	size_t at = 0;
	u32 i;

	while (index_next(&t->index, hash_of(id), &at, &i))
		if (is_same(&t->files.items[i].id, id))
			return &t->files.items[i];
	return NULL;
}

struct unwind_file *unwind_tables_find(struct unwind_tables *t, u32 file)
{
	struct sym_file_id id = symbolizer_file_id(t->sym, file);

	return find(t, &id);
}

struct unwind_file *unwind_tables_file(struct unwind_tables *t, const struct sym_mapping *m)
{
	struct sym_file_id id = symbolizer_file_id(t->sym, m->file);
	struct unwind_file *f = find(t, &id);

	if (!f) {
		index_add(&t->index, hash_of(&id), (u32)t->files.n);
		vec_push(&t->files, (struct unwind_file){ .id = id });
		f = &t->files.items[t->files.n - 1];
	}
	if (f->state == UNWIND_FILE_LATE)
		build(t, f, m->file);
	return f;
}

static u64 overlap(const struct elf_segment *s, const struct sym_mapping *m)
{
	u64 start = s->off > m->off ? s->off : m->off;
	u64 end = m->off + (m->end - m->start);

	if (end > s->off + s->file_size)
		end = s->off + s->file_size;
	return end > start ? end - start : 0;
}

/* A mapping begins at the page in which its segment does, and may show the edge of another one. */
bool unwind_file_bias(const struct unwind_file *f, const struct sym_mapping *m, u64 *bias)
{
	const struct elf_segment *s;
	u64 best = 0;

	vec_for_each(s, &f->code) {
		u64 n = overlap(s, m);

		if (n <= best)
			continue;
		best = n;
		*bias = m->start - (s->vaddr + (m->off - s->off));
	}
	return best;
}
