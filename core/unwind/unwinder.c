// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/unwinder.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"

/* Slots of the table of mappings are allocated in blocks: few processes have more than 32
 * mappings. */
#define BLOCK_MAPPINGS 16
#define N_BLOCKS       (CFI_MAPPINGS_MAX / BLOCK_MAPPINGS)
/* A walk in progress may still use slots that were freed. */
#define REUSE_NS       (20 * NS_PER_MS)
/* When the tables are full, all of them are dropped, at most this often. */
#define RESET_NS       (10 * NS_PER_SEC)

struct known_process {
	u32 tgid, exec_id;
	u64 start_time;
	/* Versions of its mappings and of the tables when it was written. */
	u64 version, tables_version;
	u32 block, n_blocks;
	bool is_put_off; /* a table of one of its files is put off until the next tick */
};

struct freed {
	u32 block, n_blocks;
	u64 at_ns;
};

struct unwinder {
	struct symbolizer *sym; /* borrowed */
	struct unwind_tables tables;
	struct upload upload;
	VEC(struct known_process) processes;
	struct index by_tgid;  /* rebuilt when processes are removed */
	bool blocks[N_BLOCKS]; /* in use */
	VEC(struct freed) freed;
	struct sym_mappings scratch;
	u64 reset_ns;
	u64 n_copies;
};

struct unwinder *unwinder_new(struct symbolizer *sym, const struct unwind_maps *maps,
			      const struct unwind_patience *patience, u64 max_bytes)
{
	struct unwinder *u = mem_alloc(1, sizeof(*u));

	u->sym = sym;
	unwind_tables_init(&u->tables, sym, patience, max_bytes);
	upload_init(&u->upload, maps, max_bytes);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	unwind_tables_release(&u->tables);
	upload_release(&u->upload);
	vec_release(&u->processes);
	index_release(&u->by_tgid);
	vec_release(&u->freed);
	vec_release(&u->scratch.list);
	free(u);
}

/* ---- blocks of mappings ------------------------------------------------------------------ */

static void reuse_freed(struct unwinder *u, u64 now)
{
	u32 n = 0;
	const struct freed *f;

	vec_for_each(f, &u->freed) {
		if (now - f->at_ns < REUSE_NS)
			u->freed.items[n++] = *f;
		else
			memset(u->blocks + f->block, 0, f->n_blocks);
	}
	u->freed.n = n;
}

static bool find_blocks(struct unwinder *u, u32 n, u32 *out)
{
	u32 run = 0;

	for (u32 i = 0; i < N_BLOCKS; i++) {
		run = u->blocks[i] ? 0 : run + 1;
		if (run < n)
			continue;
		*out = i + 1 - n;
		memset(u->blocks + *out, 1, n);
		return true;
	}
	return false;
}

static void free_blocks(struct unwinder *u, const struct known_process *p)
{
	if (p->n_blocks)
		vec_push(&u->freed, (struct freed){ p->block, p->n_blocks, now_ns() });
}

/* ---- processes that the kernel side knows ------------------------------------------------ */

static struct known_process *find_process(struct unwinder *u, u32 tgid)
{
	size_t at = 0;
	u32 i;

	while (index_next(&u->by_tgid, hash_u64(tgid), &at, &i))
		if (u->processes.items[i].tgid == tgid)
			return &u->processes.items[i];
	return NULL;
}

static struct known_process *add_process(struct unwinder *u, u32 tgid)
{
	index_add(&u->by_tgid, hash_u64(tgid), (u32)u->processes.n);
	vec_push(&u->processes, (struct known_process){ .tgid = tgid });
	return &u->processes.items[u->processes.n - 1];
}

static void remove_process(struct unwinder *u, const struct known_process *p)
{
	upload_forget_process(&u->upload, p->tgid);
	free_blocks(u, p);
}

/* Drop all tables: those that are still needed are built again. */
static void reset(struct unwinder *u)
{
	u64 max_bytes = u->upload.max_bytes;
	struct unwind_patience patience = u->tables.patience;
	struct known_process *p;

	vec_for_each(p, &u->processes)
		remove_process(u, p);
	u->processes.n = 0;
	index_release(&u->by_tgid);
	upload_reset(&u->upload);
	unwind_tables_release(&u->tables);
	unwind_tables_init(&u->tables, u->sym, &patience, max_bytes);
	u->reset_ns = now_ns();
}

/* ---- mappings for the kernel ------------------------------------------------------------- */

static bool load_file(struct unwinder *u, struct unwind_file *f)
{
	int ret;

	if (f->is_loaded)
		return true;
	ret = upload_table(&u->upload, &f->table, &u->tables.rules, &f->first_page);
	f->is_loaded = !ret;
	return f->is_loaded;
}

/* The file of a mapping, if its table is known. */
static struct unwind_file *file_of(struct unwinder *u, u32 tgid, struct sym_mapping *m)
{
	if (!m->is_seen) {
		/* The file with this number may have been overwritten in the meantime. */
		if (!unwind_tables_find(&u->tables, m->file) ||
		    !symbolizer_mapping_at(u->sym, tgid, m->start, m))
			return NULL;
	}
	return unwind_tables_find(&u->tables, m->file);
}

static struct cfi_mapping mapping_for(struct unwinder *u, const struct known_process *p,
				      struct sym_mapping m)
{
	struct cfi_mapping out = { .start = m.start, .end = m.end };
	struct unwind_file *f;
	u64 bias;

	if (!m.is_file)
		return out;
	f = file_of(u, p->tgid, &m);
	if (!f || f->state == UNWIND_FILE_LATE) {
		out.n_pages = f && p->is_put_off ? CFI_PUT_OFF : CFI_PENDING;
		return out;
	}
	out.first_page = CFI_IN_FILE;
	if (f->state == UNWIND_FILE_NONE || !unwind_code_bias(&f->code, &m, &bias) ||
	    !load_file(u, f))
		return out;
	out.bias = bias + (f->table.first_page << CFI_PAGE_BITS);
	out.first_page = f->first_page;
	out.n_pages = (u32)f->table.pages.n;
	return out;
}

static bool put_mappings(struct unwinder *u, struct known_process *p, u32 first)
{
	_cleanup_(free_p) struct cfi_mapping *out = NULL;
	u32 n = 0;
	const struct sym_mapping *m;

	out = mem_alloc(u->scratch.list.n, sizeof(*out));
	vec_for_each(m, &u->scratch.list)
		out[n++] = mapping_for(u, p, *m);
	return !upload_write(u->upload.maps.mappings, first, out, n, sizeof(*out));
}

/* Write a process with its current mappings.  If they do not fit, it is written without mappings:
 * the kernel side then walks its stacks by frame pointers, and does not ask again. */
static void put_process(struct unwinder *u, struct known_process *p)
{
	struct cfi_process out = { .start_time = p->start_time, .exec_id = p->exec_id };
	struct known_process old = *p;
	u32 block, n;

	p->version = symbolizer_mappings_version(u->sym, p->tgid);
	p->tables_version = u->tables.version;
	u->scratch.list.n = 0;
	symbolizer_mappings(u->sym, p->tgid, &u->scratch);
	n = (u32)u->scratch.list.n;
	p->n_blocks = 0;
	reuse_freed(u, now_ns());
	if (n && find_blocks(u, (n + BLOCK_MAPPINGS - 1) / BLOCK_MAPPINGS, &block)) {
		p->block = block;
		p->n_blocks = (n + BLOCK_MAPPINGS - 1) / BLOCK_MAPPINGS;
		out.first = block * BLOCK_MAPPINGS;
		if (put_mappings(u, p, out.first))
			out.n = n;
	}
	upload_process(&u->upload, p->tgid, &out);
	free_blocks(u, &old);
}

void unwinder_prepare(struct unwinder *u, u32 tgid)
{
	struct unwind_file *f;
	struct sym_mapping m;

	/* Nothing is mapped there: the search makes the symbolizer read the mappings. */
	symbolizer_mapping_at(u->sym, tgid, 0, &m);
	u->scratch.list.n = 0;
	symbolizer_mappings(u->sym, tgid, &u->scratch);
	for (size_t i = 0; i < u->scratch.list.n; i++) {
		if (!symbolizer_mapping_at(u->sym, tgid, u->scratch.list.items[i].start, &m) ||
		    !m.is_file)
			continue;
		f = unwind_tables_file(&u->tables, &m);
		if (f->state == UNWIND_FILE_BUILT)
			load_file(u, f);
	}
}

/* ---- walking in user space --------------------------------------------------------------- */

struct walking {
	struct unwinder *u;
	u32 tgid;
	struct sym_mapping m; /* the mapping that contained the last address; m.end 0: none */
	/* The memory of a copy. */
	u64 start;
	const u8 *bytes;
	size_t n;
	/* The memory of another process. */
	bool (*read)(void *ctx, u64 addr, void *out, size_t n);
	void *ctx;
};

/* Find the mapping that contains an address. */
static enum unwind_found find_mapping(struct walking *w, u64 pc)
{
	if ((pc < w->m.start || pc >= w->m.end) &&
	    !symbolizer_mapping_at(w->u->sym, w->tgid, pc, &w->m)) {
		w->m = (struct sym_mapping){ 0 };
		return UNWIND_NOTHING;
	}
	return w->m.is_file ? UNWIND_RULE : UNWIND_NO_FILE;
}

static enum unwind_found rule_in_table(const struct walking *w, u64 pc, struct cfi_rule *out)
{
	struct unwind_file *f = unwind_tables_file(&w->u->tables, &w->m);
	u64 bias;
	u16 id;

	if (f->state == UNWIND_FILE_LATE)
		return UNWIND_LATE;
	if (f->state == UNWIND_FILE_NONE || !unwind_code_bias(&f->code, &w->m, &bias))
		return UNWIND_NO_RULE;
	id = unwind_table_find(&f->table, pc - bias);
	if (!id)
		return UNWIND_NO_RULE;
	*out = w->u->tables.rules.list.items[id];
	return UNWIND_RULE;
}

static enum unwind_found rule_by_table(void *ctx, u64 pc, struct cfi_rule *out)
{
	enum unwind_found found = find_mapping(ctx, pc);

	return found == UNWIND_RULE ? rule_in_table(ctx, pc, out) : found;
}

/* For a single walk, a search is cheaper than a table. */
static enum unwind_found rule_by_search(void *ctx, u64 pc, struct cfi_rule *out)
{
	struct walking *w = ctx;
	enum unwind_found found = find_mapping(w, pc);

	if (found != UNWIND_RULE)
		return found;
	if (unwind_tables_search(&w->u->tables, &w->m, pc, out))
		return out->cfa == CFI_NONE ? UNWIND_NO_RULE : UNWIND_RULE;
	return rule_in_table(w, pc, out);
}

static bool read_copy(void *ctx, u64 addr, void *out, size_t n)
{
	const struct walking *w = ctx;

	if (addr < w->start || addr - w->start > w->n || w->n - (addr - w->start) < n)
		return false;
	memcpy(out, w->bytes + (addr - w->start), n);
	return true;
}

static bool read_process(void *ctx, u64 addr, void *out, size_t n)
{
	const struct walking *w = ctx;

	return w->read(w->ctx, addr, out, n);
}

/* Copies come in groups: all but the first one of a group bring nothing new. */
static bool is_written(const struct known_process *p, const struct known_process *now)
{
	return p->exec_id == now->exec_id && p->start_time == now->start_time &&
	       p->version == now->version && p->tables_version == now->tables_version &&
	       p->is_put_off == now->is_put_off;
}

u32 unwinder_take(struct unwinder *u, const struct unwind_copy *copy, u64 *frames, u32 max,
		  enum stack_end *end)
{
	struct walking w = { .u = u,
			     .tgid = copy->tgid,
			     .start = copy->regs.at.sp,
			     .bytes = copy->bytes,
			     .n = copy->n };
	const struct unwind_source src = { .rule = rule_by_table, .read = read_copy, .ctx = &w };
	u32 n = unwind_walk(&src, &copy->regs.at, frames, max, end);
	const struct known_process now = {
		.tgid = copy->tgid,
		.exec_id = copy->exec_id,
		.start_time = copy->regs.process_start,
		.version = symbolizer_mappings_version(u->sym, copy->tgid),
		.tables_version = u->tables.version,
		.is_put_off = *end == STACK_END_LATE,
	};
	struct known_process *p = find_process(u, copy->tgid);

	u->n_copies++;
	if (!now.version)
		return n; /* it has ended */
	if (!p)
		p = add_process(u, copy->tgid);
	if (is_written(p, &now))
		return n;
	p->exec_id = now.exec_id;
	p->start_time = now.start_time;
	p->is_put_off = now.is_put_off;
	put_process(u, p);
	return n;
}

u32 unwinder_walk(struct unwinder *u, u32 tgid, const struct cfi_registers *start,
		  bool (*read)(void *ctx, u64 addr, void *out, size_t n), void *ctx, u64 *frames,
		  u32 max, enum stack_end *end)
{
	struct walking w = { .u = u, .tgid = tgid, .read = read, .ctx = ctx };
	const struct unwind_source src = { .rule = rule_by_search,
					   .read = read_process,
					   .ctx = &w };

	return unwind_walk(&src, start, frames, max, end);
}

/* ---- the tick ---------------------------------------------------------------------------- */

static void index_processes(struct unwinder *u)
{
	index_release(&u->by_tgid);
	for (u32 i = 0; i < u->processes.n; i++)
		index_add(&u->by_tgid, hash_u64(u->processes.items[i].tgid), i);
}

void unwinder_tick(struct unwinder *u)
{
	u64 now = now_ns();
	u32 n = 0, had = (u32)u->processes.n;

	unwind_tables_tick(&u->tables);
	for (u32 i = 0; i < had; i++) {
		struct known_process p = u->processes.items[i];
		u64 version = symbolizer_mappings_version(u->sym, p.tgid);

		if (!version) {
			remove_process(u, &p);
			continue;
		}
		if (version != p.version || p.is_put_off) {
			p.is_put_off = false;
			put_process(u, &p);
		}
		u->processes.items[n++] = p;
	}
	u->processes.n = n;
	if (n != had)
		index_processes(u);
	if ((u->upload.is_full || unwind_tables_are_full(&u->tables)) &&
	    now - u->reset_ns >= RESET_NS)
		reset(u);
}

void unwinder_stats(const struct unwinder *u, struct unwinder_stats *out)
{
	const struct unwind_file *f;

	*out = (struct unwinder_stats){
		.table_bytes = u->upload.bytes,
		.n_processes = u->processes.n,
		.n_copies = u->n_copies,
	};
	vec_for_each(f, &u->tables.files)
		out->n_files_late += f->state == UNWIND_FILE_LATE;
}
