// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Mappings learned from events alone: forks, execs, ends of processes, ids that are reused. */
#include "landmark.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* A /proc without processes. */
static struct symbolizer *sym_without_proc(void)
{
	struct symbolizer_opts o = { .proc_root = "/nonexistent" };
	struct symbolizer *s;
	struct err err = { 0 };

	CHECK(!symbolizer_new(&s, &o, &err));
	return s;
}

static void map_file(struct symbolizer *s, u32 tgid, u64 start, const char *path)
{
	struct sym_mmap m = { .tgid = tgid, .start = start, .len = 0x10000, .path = path };
	struct stat st = { 0 };

	if (!stat(path, &st)) {
		m.maj = major(st.st_dev);
		m.min = minor(st.st_dev);
		m.ino = st.st_ino;
	}
	symbolizer_on_mmap(s, &m);
}

TEST(a_forked_child_has_its_parents_mappings)
{
	struct symbolizer *s = sym_without_proc();

	symbolizer_on_exec(s, 10);
	map_file(s, 10, 0x400000, "/bin/a");
	symbolizer_on_fork(s, 11, 10);
	symbolizer_on_exit(s, 10);
	map_file(s, 11, 0x500000, "/bin/lib");
	CHECK_STR(module_at(s, 11, 0x400010), "/bin/a");
	CHECK_STR(module_at(s, 11, 0x500010), "/bin/lib");
	CHECK(!module_at(s, 10, 0x500010));
	symbolizer_free(s);
}

TEST(exec_drops_mappings_but_late_samples_are_still_located)
{
	struct symbolizer *s = sym_without_proc();

	symbolizer_on_exec(s, 10);
	map_file(s, 10, 0x400000, "/bin/a");
	map_file(s, 10, 0x700000, "/bin/lib");
	symbolizer_on_exec(s, 10);
	map_file(s, 10, 0x400000, "/bin/b");
	CHECK_STR(module_at(s, 10, 0x400010), "/bin/b");
	CHECK_STR(module_at(s, 10, 0x700010), "/bin/lib");
	symbolizer_on_exec(s, 10);
	CHECK(!module_at(s, 10, 0x700010));
	symbolizer_free(s);
}

TEST(an_id_used_again_is_another_life)
{
	struct symbolizer *s = sym_without_proc();

	symbolizer_on_exec(s, 10);
	map_file(s, 10, 0x400000, "/bin/a");
	symbolizer_on_exit(s, 10);
	CHECK_STR(module_at(s, 10, 0x400010), "/bin/a"); /* a sample that comes late */
	symbolizer_on_exec(s, 5);
	map_file(s, 5, 0x800000, "/bin/shell");
	symbolizer_on_fork(s, 10, 5);
	CHECK(!module_at(s, 10, 0x400010));
	CHECK_STR(module_at(s, 10, 0x800010), "/bin/shell");
	symbolizer_free(s);
}

TEST(code_of_an_earlier_life_with_the_same_address_is_another_location)
{
	struct symbolizer *s = sym_without_proc();
	u32 first;

	symbolizer_on_exec(s, 10);
	map_file(s, 10, 0x400000, "//anon");
	first = symbolizer_user(s, 10, 0x400010, false);
	symbolizer_on_exit(s, 10);
	symbolizer_on_fork(s, 10, 5);
	map_file(s, 10, 0x400000, "//anon");
	CHECK(symbolizer_user(s, 10, 0x400010, false) != first);
	symbolizer_free(s);
}

TEST(processes_gone_before_they_were_read_are_counted)
{
	struct symbolizer *s = sym_without_proc();
	struct symbol_stats stats;

	symbolizer_user(s, 10, 0x400010, false);
	symbolizer_resolve(s, NULL);
	symbolizer_stats(s, &stats);
	CHECK_U64(stats.exited, 1);
	symbolizer_free(s);
}

TEST(events_alone_give_names_in_our_own_files)
{
	struct symbolizer *s = sym_without_proc();
	char self[4096] = { 0 };
	u64 addr = (u64)(uintptr_t)symbolizer_test_landmark, start = 0, end, off = 0;
	u32 id;

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	CHECK(own_text(&start, &end, &off));
	{
		struct stat st;
		struct sym_mmap m = {
			.tgid = 10, .start = start, .len = end - start, .pgoff = off, .path = self
		};

		CHECK(!stat(self, &st));
		m.maj = major(st.st_dev);
		m.min = minor(st.st_dev);
		m.ino = st.st_ino;
		symbolizer_on_exec(s, 10);
		symbolizer_on_mmap(s, &m);
	}
	symbolizer_on_exit(s, 10);
	id = symbolizer_user(s, 10, addr, false);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	symbolizer_free(s);
}

TEST(lives_that_ended_long_ago_are_forgotten)
{
	struct symbolizer *s;
	struct rusage before, after;

#ifdef __SANITIZE_ADDRESS__
	SKIP("the sanitizer keeps what is freed");
#endif
	s = sym_without_proc();
	symbolizer_on_exec(s, 1);
	map_file(s, 1, 0x400000, "/bin/a");
	getrusage(RUSAGE_SELF, &before);
	for (u32 i = 0; i < 300000; i++) {
		symbolizer_on_fork(s, 1000 + i % 100, 1);
		symbolizer_on_exit(s, 1000 + i % 100);
		if (i % 10000 == 0)
			symbolizer_settle(s, now_ns() + 60 * NS_PER_SEC);
	}
	getrusage(RUSAGE_SELF, &after);
	CHECK(after.ru_maxrss - before.ru_maxrss < 8 << 10); /* KB */
	symbolizer_free(s);
}

TEST(a_swarm_of_short_processes_keeps_its_names)
{
	enum {
		SWARM = 100
	};
	struct symbolizer *s = sym_new();
	u32 ids[2 * SWARM], n_named = 0;
	u32 me = (u32)getpid();

	symbolizer_user(s, me, (u64)(uintptr_t)symbolizer_test_landmark, false);
	for (int i = 0; i < SWARM; i++) {
		/* Fork only: an event announces it, and it is sampled when it has ended. */
		symbolizer_on_fork(s, 3000000u + (u32)i, me);
		symbolizer_on_exit(s, 3000000u + (u32)i);
		ids[2 * i] = symbolizer_user(s, 3000000u + (u32)i,
					     (u64)(uintptr_t)symbolizer_test_landmark, false);
		/* Fork and exec: sampled while it lives. */
		struct child c = child_start("/proc/self/exe", NULL);

		ids[2 * i + 1] = locate(s, &c);
		child_end(&c);
		symbolizer_on_exit(s, (u32)c.pid);
	}
	symbolizer_resolve(s, NULL);
	for (int i = 0; i < 2 * SWARM; i++)
		n_named += name_of(s, ids[i]) &&
			   !strcmp(name_of(s, ids[i]), "symbolizer_test_landmark");
	CHECK(n_named >= 2 * SWARM * 98 / 100);
	symbolizer_free(s);
}
