// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The whole room against real processes: their mappings, and the names in them. */
#include "landmark.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

TEST(a_function_of_this_process_has_its_name_module_and_offset)
{
	struct symbolizer *s = sym_new();
	u64 addr = (u64)(uintptr_t)symbolizer_test_landmark;
	u32 id = symbolizer_user(s, (u32)getpid(), addr, false);
	char self[4096] = { 0 };
	const struct frame *f;

	symbolizer_resolve(s, NULL);
	f = frame_of(s, id);
	CHECK_STR(f->name, "symbolizer_test_landmark");
	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	CHECK_STR(f->module, self);
	CHECK_U64(f->off, 0);
	CHECK_U64(f->addr, 0);
	CHECK(!f->linkage && f->kind == FRAME_USER);
	CHECK(symbolizer_user(s, (u32)getpid(), addr, false) == id);
	symbolizer_free(s);
}

TEST(a_return_address_belongs_to_the_call_before_it)
{
	struct symbolizer *s = sym_new();
	u64 addr = (u64)(uintptr_t)symbolizer_test_landmark;
	u32 at = symbolizer_user(s, (u32)getpid(), addr, true);

	symbolizer_resolve(s, NULL);
	CHECK(!name_of(s, at) || strcmp(name_of(s, at), "symbolizer_test_landmark") != 0);
	symbolizer_free(s);
}

TEST(addresses_are_kept_apart_only_when_asked)
{
	struct symbolizer_opts o = { .keep_addresses = true };
	struct child c = child_start("/proc/self/exe", NULL);
	struct symbolizer *s = sym_new(), *apart;
	struct err err = { 0 };
	u64 mine = (u64)(uintptr_t)symbolizer_test_landmark;

	CHECK(locate(s, &c) == symbolizer_user(s, (u32)getpid(), mine, false));
	CHECK(!symbolizer_new(&apart, &o, &err));
	if (mine != c.addr)
		CHECK(locate(apart, &c) != symbolizer_user(apart, (u32)getpid(), mine, false));
	CHECK_U64(frame_of(apart, locate(apart, &c))->addr, c.addr);
	child_end(&c);
	symbolizer_free(s);
	symbolizer_free(apart);
}

static u64 written[4] = { 1 }, zeroed[4];

/* `zeroed` has no bytes in the file. */
TEST(data_is_named_and_processes_share_it)
{
	struct symbolizer *s = sym_new();
	struct child c = child_start("/proc/self/exe", NULL);
	u64 away = c.addr - (u64)(uintptr_t)symbolizer_test_landmark;
	u32 a, b, theirs, none;

	CHECK(symbolizer_data(s, (u32)getpid(), (u64)(uintptr_t)&written[1], &a));
	CHECK(symbolizer_data(s, (u32)getpid(), (u64)(uintptr_t)&zeroed[3], &b));
	CHECK(symbolizer_data(s, (u32)c.pid, (u64)(uintptr_t)&zeroed[3] + away, &theirs));
	CHECK(theirs == b);
	CHECK(!symbolizer_data(s, (u32)getpid(), (u64)(uintptr_t)s, &none));
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, a), "written");
	CHECK_U64(frame_of(s, a)->off, 8);
	CHECK_STR(name_of(s, b), "zeroed");
	CHECK_U64(frame_of(s, b)->off, 24);
	child_end(&c);
	symbolizer_free(s);
}

TEST(a_futex_is_noted_by_symbol_file_and_else_by_address)
{
	struct symbolizer *s = sym_new();
	u32 lock = symbolizer_futex(s, (u32)getpid(), (u64)(uintptr_t)&zeroed[1]);
	u32 heap = symbolizer_futex(s, (u32)getpid(), (u64)(uintptr_t)s);
	char want[64];

	CHECK(!strncmp(name_of(s, lock), "[futex 0x", 9));
	symbolizer_resolve(s, NULL);
	CHECK(frame_of(s, lock)->kind == FRAME_NOTE);
	snprintf(want, sizeof(want), "[futex zeroed+0x8 in %s]", program_invocation_short_name);
	CHECK_STR(name_of(s, lock), want);
	snprintf(want, sizeof(want), "[futex 0x%llx]", (u64)(uintptr_t)s);
	CHECK_STR(name_of(s, heap), want);
	symbolizer_free(s);
}

TEST(library_functions_are_named)
{
	struct symbolizer *s = sym_new();
	u32 id = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)qsort + 1, false);

	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "qsort");
	CHECK_U64(frame_of(s, id)->off, 1);
	symbolizer_free(s);
}

TEST(a_file_mapped_after_the_first_sample_is_found)
{
	struct symbolizer *s = sym_new();
	u64 landmark = (u64)(uintptr_t)symbolizer_test_landmark, start, end, off;
	int fd;
	char *again;
	u32 id;

	CHECK(own_text(&start, &end, &off));
	fd = open(program_make(), O_RDONLY);
	symbolizer_user(s, (u32)getpid(), landmark, false);
	again = mmap(NULL, end - start, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)off);
	CHECK(again != MAP_FAILED);
	id = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)again + landmark - start, false);
	symbolizer_resolve(s, NULL);
	unlink(program);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	CHECK_STR(frame_of(s, id)->module, program);
	symbolizer_free(s);
}

TEST(the_vdso_is_named)
{
	struct symbolizer *s = sym_new();
	u64 base = getauxval(AT_SYSINFO_EHDR);
	bool has_named = false;
	u32 ids[256];

	if (!base)
		SKIP("no vdso");
	for (u64 i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = symbolizer_user(s, (u32)getpid(), base + i * 16, false);
	symbolizer_resolve(s, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		CHECK_STR(frame_of(s, ids[i])->module, "[vdso]");
		CHECK(frame_of(s, ids[i])->kind == FRAME_VDSO);
		has_named |= name_of(s, ids[i]) && strstr(name_of(s, ids[i]), "clock_gettime");
	}
	CHECK(has_named);
	symbolizer_free(s);
}

TEST(an_address_in_no_mapping_is_unknown_and_stays_apart)
{
	struct symbolizer *s = sym_new();
	u32 id = symbolizer_user(s, (u32)getpid(), 0x10, false);

	symbolizer_resolve(s, NULL);
	CHECK(!name_of(s, id) && !frame_of(s, id)->module);
	CHECK(frame_of(s, id)->kind == FRAME_UNKNOWN);
	CHECK_U64(frame_of(s, id)->addr, 0x10);
	symbolizer_free(s);
}

TEST(callers_in_no_mapping_are_one_location)
{
	struct symbolizer *s = sym_new();
	u32 id = symbolizer_user(s, (u32)getpid(), 0x10, true);

	CHECK(symbolizer_user(s, (u32)getpid(), 0x20, true) == id);
	CHECK(symbolizer_user(s, (u32)getpid(), 0x20, false) != id);
	symbolizer_free(s);
}

TEST(notes_are_one_per_text)
{
	struct symbolizer *s = sym_new();
	u32 id = symbolizer_note(s, "[truncated]");

	CHECK(symbolizer_note(s, "[truncated]") == id);
	CHECK(symbolizer_note(s, "[Missed User Stack]") != id);
	CHECK_STR(name_of(s, id), "[truncated]");
	CHECK(frame_of(s, id)->kind == FRAME_NOTE);
	symbolizer_free(s);
}

/* ---- patience ---- */

TEST(an_impatient_user_gets_addresses_at_once)
{
	struct symbolizer *s = sym_new();
	volatile bool stop = true;
	const struct sym_budget budget = { .stop = &stop };
	u32 id = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)symbolizer_test_landmark, false);

	symbolizer_resolve(s, &budget);
	CHECK(!name_of(s, id) && frame_of(s, id)->module);
	stop = false;
	symbolizer_resolve(s, &budget);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	symbolizer_free(s);
}

TEST(names_that_a_spent_budget_leaves_are_found_by_the_next_call)
{
	struct symbolizer *s = sym_new();
	const struct sym_budget late = { .deadline_ns = 1 }, poor = { .cpu_ns = 1 };
	struct symbol_stats stats;
	u32 id = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)symbolizer_test_landmark, false);

	symbolizer_resolve(s, &late);
	CHECK(!name_of(s, id) && frame_of(s, id)->module);
	symbolizer_resolve(s, &poor);
	CHECK(!name_of(s, id));
	symbolizer_stats(s, &stats);
	CHECK_U64(stats.costly, 1);
	CHECK_U64(stats.stripped, 0);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	symbolizer_stats(s, &stats);
	CHECK_U64(stats.costly, 0);
	symbolizer_free(s);
}

/* A perf map of names of 4,000 bytes, one for each page of `code`. */
static void long_names_write(const char *path, const char *code, u32 n)
{
	static char long_name[4001];
	FILE *f = fopen(path, "w");

	CHECK(f);
	memset(long_name, 'x', sizeof(long_name) - 1);
	for (u32 i = 0; i < n; i++)
		fprintf(f, "%lx 1000 js:%u%s\n", (unsigned long)(code + i * 4096UL), i, long_name);
	fclose(f);
}

TEST(names_have_a_bound_in_memory_and_what_is_over_it_is_counted)
{
	const u32 n = 4000;
	char *code =
		mmap(NULL, n * 4096UL, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct symbolizer *s = sym_new();
	struct symbol_stats stats;
	char path[64];

	CHECK(code != MAP_FAILED);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	long_names_write(path, code, n);
	for (u32 i = 0; i < n; i++)
		symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)code + i * 4096UL, false);
	symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)symbolizer_test_landmark, false);
	symbolizer_resolve(s, NULL);
	unlink(path);
	symbolizer_stats(s, &stats);
	CHECK(stats.symbolized > 2000 && stats.symbolized < 2200);
	CHECK_U64(stats.symbolized + stats.costly, n + 1);
	CHECK(symbolizer_size(s) > 40000);
	symbolizer_free(s);
	munmap(code, n * 4096UL);
}
