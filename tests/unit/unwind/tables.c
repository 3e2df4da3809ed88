// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of files that this process has mapped. */
#include "unwind/tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#include "test.h"

struct world {
	struct symbolizer *sym;
	struct unwind_tables tables;
};

static const struct unwind_patience no_patience;

static void world_init(struct world *w)
{
	const struct symbolizer_opts opts = { .keep_addresses = true };
	struct err err = { 0 };

	CHECK(!symbolizer_new(&w->sym, &opts, &err));
	unwind_tables_init(&w->tables, w->sym, &no_patience, 64 << 20);
}

static void world_release(struct world *w)
{
	unwind_tables_release(&w->tables);
	symbolizer_free(w->sym);
}

static enum unwind_file_state state_at(struct world *w, const void *code)
{
	struct sym_mapping m = { 0 };

	CHECK(symbolizer_mapping_at(w->sym, (u32)getpid(), (u64)(uintptr_t)code, &m));
	return unwind_tables_file(&w->tables, &m)->state;
}

TEST(a_file_is_built_when_it_is_first_asked_for)
{
	struct world w;

	world_init(&w);
	CHECK_U64(w.tables.files.n, 0);
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_BUILT);
	CHECK_U64(state_at(&w, world_release), UNWIND_FILE_BUILT);
	CHECK_U64(w.tables.files.n, 1);
	CHECK(w.tables.n_rows > 0);
	world_release(&w);
}

static void wait_for_job(struct world *w)
{
	for (int i = 0; w->tables.job && i < 10000; i++) {
		usleep(1000);
		unwind_tables_tick(&w->tables);
	}
}

TEST(a_large_file_is_built_on_a_thread)
{
	struct world small, large;

	world_init(&small);
	CHECK_U64(state_at(&small, world_init), UNWIND_FILE_BUILT);
	world_init(&large);
	large.tables.large_bytes = 0;
	CHECK_U64(state_at(&large, world_init), UNWIND_FILE_LATE);
	CHECK(large.tables.job);
	wait_for_job(&large);
	CHECK(!large.tables.job);
	CHECK_U64(state_at(&large, world_init), UNWIND_FILE_BUILT);
	CHECK_U64(large.tables.n_rows, small.tables.n_rows);
	/* The rules have other numbers only if other files had some before. */
	CHECK(!memcmp(large.tables.files.items[0].table.rows.items,
		      small.tables.files.items[0].table.rows.items,
		      small.tables.n_rows * sizeof(struct cfi_row)));
	CHECK_U64(large.tables.rules.list.n, small.tables.rules.list.n);
	world_release(&large);
	world_release(&small);
}

static bool wait_in_full(void *ctx)
{
	struct unwind_tables *t = ctx;

	for (int i = 0; !unwind_job_is_done(t->job) && i < 10000; i++)
		usleep(1000);
	return true;
}

TEST(a_stack_waits_for_a_large_file)
{
	struct world w;

	world_init(&w);
	w.tables.large_bytes = 0;
	w.tables.patience = (struct unwind_patience){ wait_in_full, &w.tables };
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_BUILT);
	CHECK(!w.tables.job);
	world_release(&w);
}

TEST(a_run_may_end_while_a_large_file_is_built)
{
	struct world w;

	world_init(&w);
	w.tables.large_bytes = 0;
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_LATE);
	world_release(&w);
}

TEST(small_files_do_not_wait_for_large_ones)
{
	struct world w;

	world_init(&w);
	w.tables.large = (struct unwind_allowance){ 0, UINT64_MAX };
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_BUILT);
	world_release(&w);
}

TEST(without_time_a_table_is_late)
{
	struct world w;

	world_init(&w);
	w.tables.large_bytes = UINT64_MAX;
	w.tables.small = (struct unwind_allowance){ 0, now_ns() + NS_PER_SEC };
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_LATE);
	w.tables.small.left_ns = 1;
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_BUILT);
	/* It took more than the nanosecond that was left. */
	CHECK(w.tables.small.left_ns < 0);
	world_release(&w);
}

TEST(while_there_is_no_table_a_search_finds_its_rules)
{
	u64 addr = (u64)(uintptr_t)world_init;
	struct cfi_rule found, want;
	struct sym_mapping m = { 0 };
	struct unwind_file *f;
	struct world w;
	u64 bias;

	world_init(&w);
	CHECK(symbolizer_mapping_at(w.sym, (u32)getpid(), addr, &m));
	CHECK(unwind_tables_search(&w.tables, &m, addr, &found));
	CHECK_U64(w.tables.n_rows, 0);
	f = unwind_tables_file(&w.tables, &m);
	CHECK_U64(f->state, UNWIND_FILE_BUILT);
	CHECK(unwind_code_bias(&f->code, &m, &bias));
	want = w.tables.rules.list.items[unwind_table_find(&f->table, addr - bias)];
	CHECK(want.cfa == CFI_SP && !memcmp(&found, &want, sizeof(want)));
	CHECK(!unwind_tables_search(&w.tables, &m, addr, &found));
	world_release(&w);
}

static bool is_found(struct world *w)
{
	u64 addr = (u64)(uintptr_t)world_init;
	struct sym_mapping m = { 0 };
	struct cfi_rule rule;

	CHECK(symbolizer_mapping_at(w->sym, (u32)getpid(), addr, &m));
	return unwind_tables_search(&w->tables, &m, addr, &rule);
}

TEST(a_search_does_not_wait_for_a_large_file)
{
	struct world w;

	world_init(&w);
	w.tables.large_bytes = 0;
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_LATE);
	CHECK(w.tables.job);
	CHECK(is_found(&w));
	world_release(&w);
}

TEST(without_time_a_search_is_late)
{
	struct world w;

	world_init(&w);
	w.tables.large_bytes = UINT64_MAX;
	w.tables.small = (struct unwind_allowance){ 0, now_ns() + NS_PER_SEC };
	CHECK(!is_found(&w));
	w.tables.small.left_ns = 1;
	CHECK(is_found(&w));
	CHECK(w.tables.small.left_ns < 0);
	world_release(&w);
}
