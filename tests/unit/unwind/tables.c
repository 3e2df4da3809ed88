// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of files that this process has mapped. */
#include "unwind/tables.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

#include "test.h"

struct world {
	struct symbolizer *sym;
	struct unwind_tables tables;
};

static void world_init(struct world *w)
{
	const struct symbolizer_opts opts = { .keep_addresses = true };
	struct err err = { 0 };

	CHECK(!symbolizer_new(&w->sym, &opts, &err));
	unwind_tables_init(&w->tables, w->sym, 64 << 20);
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

TEST(one_large_file_is_built_at_each_tick)
{
	struct world w;

	world_init(&w);
	w.tables.large_bytes = 0;
	w.tables.is_turn_of_large = false;
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_LATE);
	unwind_tables_tick(&w.tables);
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_BUILT);
	CHECK(!w.tables.is_turn_of_large);
	world_release(&w);
}

TEST(small_files_do_not_wait_for_large_ones)
{
	struct world w;

	world_init(&w);
	w.tables.is_turn_of_large = false;
	w.tables.large = (struct unwind_allowance){ 0, UINT64_MAX };
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_BUILT);
	world_release(&w);
}

TEST(without_time_a_table_is_late)
{
	struct world w;

	world_init(&w);
	w.tables.small = (struct unwind_allowance){ 0, now_ns() + NS_PER_SEC };
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_LATE);
	w.tables.small.left_ns = NS_PER_SEC;
	CHECK_U64(state_at(&w, world_init), UNWIND_FILE_BUILT);
	world_release(&w);
}

TEST_MAIN()
