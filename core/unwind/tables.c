// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memlimit.h"

#define LARGE_BYTES	(8 << 20)
/* Programs that a build creates and runs once count too. */
#define MAX_FILES	16384
/* Small and large files may each use this much time at once, which is enough for a thousand small
 * files or for seven libLLVM, and from then on a tenth of the time. */
#define ALLOWANCE_NS	((s64)(1000 * NS_PER_MS))
#define ALLOWANCE_SHARE 10
/* The longest time for which stacks wait for a large file's table, if the caller has the patience.
 * It takes a twentieth of that, unless other programs leave its thread little CPU time. */
#define WAIT_NS		(2 * NS_PER_SEC)

void unwind_tables_init(struct unwind_tables *t, struct symbolizer *sym,
			const struct unwind_patience *patience, u64 max_bytes)
{
	const struct unwind_allowance whole = { ALLOWANCE_NS, now_ns() };

	*t = (struct unwind_tables){
		.sym = sym,
		.patience = *patience,
		.max_rows = max_bytes / sizeof(struct cfi_row),
		.large_bytes = LARGE_BYTES,
		.small = whole,
		.large = whole,
	};
	unwind_rules_init(&t->rules);
}

void unwind_tables_release(struct unwind_tables *t)
{
	struct unwind_file *f;

	if (t->job)
		unwind_job_release(t->job);
	free(t->job);
	t->job = NULL;
	vec_for_each(f, &t->files) {
		unwind_table_release(&f->table);
		unwind_code_release(&f->code);
		unwind_search_free(f->search);
	}
	vec_release(&t->files);
	index_release(&t->index);
	unwind_rules_release(&t->rules);
}

bool unwind_tables_are_full(const struct unwind_tables *t)
{
	return t->is_refused || t->files.n >= MAX_FILES;
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

/* ---- building ---- */

static bool has_time(struct unwind_allowance *a)
{
	u64 now = now_ns();

	if (now > a->given_ns)
		a->left_ns += (s64)((now - a->given_ns) / ALLOWANCE_SHARE);
	if (a->left_ns > ALLOWANCE_NS)
		a->left_ns = ALLOWANCE_NS;
	a->given_ns = now;
	return a->left_ns > 0;
}

static void spend(struct unwind_allowance *a, u64 ns)
{
	a->left_ns -= (s64)ns;
}

/* Take over a table that was built, and renumber its rules to those shared by all files. */
static void adopt_table(struct unwind_tables *t, struct unwind_file *f, struct unwind_job *j)
{
	_cleanup_(free_p) u16 *ids = mem_alloc(j->rules.list.n + 1, sizeof(*ids));
	struct cfi_row *row;

	f->state = UNWIND_FILE_NONE;
	t->version++;
	t->is_refused |= j->is_refused;
	if (!j->is_built)
		return;
	for (size_t i = 1; i < j->rules.list.n; i++)
		ids[i] = unwind_rules_id(&t->rules, &j->rules.list.items[i]);
	vec_for_each(row, &j->table.rows)
		row->rule = ids[row->rule];
	f->state = UNWIND_FILE_BUILT;
	f->table = j->table;
	j->table = (struct unwind_table){ 0 };
	t->n_rows += f->table.rows.n;
	f->code = j->code;
	j->code = (struct unwind_code){ 0 };
	unwind_search_free(f->search);
	f->search = NULL;
}

static struct unwind_allowance *allowance_of(struct unwind_tables *t, const struct sym_file_id *id)
{
	return id->size >= t->large_bytes ? &t->large : &t->small;
}

static void end_job(struct unwind_tables *t, struct unwind_job *j)
{
	struct unwind_file *f = find(t, &j->id);

	spend(allowance_of(t, &j->id), j->cpu_ns);
	if (f)
		adopt_table(t, f, j);
	unwind_job_release(j);
	free(j);
}

static struct unwind_job *new_job(struct unwind_tables *t, struct unwind_file *f,
				  const struct elf_src *src)
{
	struct unwind_job *j = mem_alloc(1, sizeof(*j));
	u64 left = t->max_rows > t->n_rows ? t->max_rows - t->n_rows : 0;

	j->id = f->id;
	j->src = *src;
	j->max_rows = left < UINT32_MAX ? (u32)left : UINT32_MAX;
	return j;
}

/* A large file is left to a thread, one at a time. */
static void build(struct unwind_tables *t, struct unwind_file *f, u32 file)
{
	bool is_large = f->id.size >= t->large_bytes;
	struct unwind_job *j;
	struct elf_src src;

	if (mem_is_over() || (is_large && t->job) || !has_time(allowance_of(t, &f->id)))
		return;
	if (symbolizer_file_open(t->sym, file, &src)) {
		f->state = UNWIND_FILE_NONE;
		t->version++;
		return;
	}
	j = new_job(t, f, &src);
	if (is_large && unwind_job_begin(j)) {
		t->job = j;
		return;
	}
	unwind_job_run(j);
	end_job(t, j);
}

void unwind_tables_tick(struct unwind_tables *t)
{
	struct unwind_job *j = t->job;

	if (!j || !unwind_job_is_done(j))
		return;
	t->job = NULL;
	end_job(t, j);
}

static void await_job(struct unwind_tables *t)
{
	const struct timespec pause = { .tv_nsec = NS_PER_MS };
	const struct unwind_patience *p = &t->patience;
	u64 start = now_ns(), waited = 0;

	if (!p->can_wait)
		return;
	while (!unwind_job_is_done(t->job) && t->job->waited_ns + waited < WAIT_NS &&
	       p->can_wait(p->ctx)) {
		nanosleep(&pause, NULL);
		waited = now_ns() - start;
	}
	t->job->waited_ns += waited;
	unwind_tables_tick(t);
}

struct unwind_file *unwind_tables_find(struct unwind_tables *t, u32 file)
{
	struct sym_file_id id = symbolizer_file_id(t->sym, file);

	return find(t, &id);
}

static struct unwind_file *find_or_add(struct unwind_tables *t, u32 file)
{
	struct sym_file_id id = symbolizer_file_id(t->sym, file);
	struct unwind_file *f = find(t, &id);

	if (!f) {
		index_add(&t->index, hash_of(&id), (u32)t->files.n);
		vec_push(&t->files, (struct unwind_file){ .id = id });
		f = &t->files.items[t->files.n - 1];
	}
	return f;
}

struct unwind_file *unwind_tables_file(struct unwind_tables *t, const struct sym_mapping *m)
{
	struct unwind_file *f = find_or_add(t, m->file);

	/* The second attempt is needed if another large file was being built at the first one. */
	for (u32 i = 0; f->state == UNWIND_FILE_LATE && i < 2; i++) {
		build(t, f, m->file);
		if (!t->job)
			break;
		await_job(t);
	}
	return f;
}

/* ---- searching ---- */

static void open_search(struct unwind_tables *t, struct unwind_file *f, u32 file)
{
	struct unwind_allowance *allowance = allowance_of(t, &f->id);
	u64 began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct elf_src src;

	if (mem_is_over() || !has_time(allowance))
		return;
	f->is_searched = true;
	/* A vdso's table contains rules that its FDEs lack. */
	if (f->id.is_vdso || symbolizer_file_open(t->sym, file, &src))
		return;
	f->search = unwind_search_new(&src);
	close_p(&src.fd);
	spend(allowance, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began);
}

bool unwind_tables_search(struct unwind_tables *t, const struct sym_mapping *m, u64 addr,
			  struct cfi_rule *rule)
{
	struct unwind_file *f = find_or_add(t, m->file);
	u64 bias;

	if (f->state != UNWIND_FILE_LATE)
		return false;
	if (!f->is_searched)
		open_search(t, f, m->file);
	return f->search && unwind_code_bias(unwind_search_code(f->search), m, &bias) &&
	       unwind_search_rule(f->search, addr - bias, rule);
}
