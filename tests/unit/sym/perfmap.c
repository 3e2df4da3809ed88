// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static char name_buf[256];

static const char *name_at(const char *map, u64 addr)
{
	struct wants w = { 0 };
	struct lines text;
	const char *name = NULL;

	wants_add(&w, 0, addr);
	wants_sort(&w);
	lines_init_text(&text, view_of(map));
	perfmap_name(&w, &text);
	if (w.list.items[0].is_named)
		name = strncpy(name_buf, str_text(&w.list.items[0].found), sizeof(name_buf) - 1);
	wants_release(&w);
	return name;
}

TEST(numbers_come_with_and_without_0x)
{
	CHECK_STR(name_at("1000 10 a\n0x2000 0x10 b\n", 0x100f), "a");
	CHECK_STR(name_at("1000 10 a\n0x2000 0x10 b\n", 0x200f), "b");
	CHECK(!name_at("1000 10 a\n0x2000 0x10 b\n", 0x1010));
}

TEST(names_keep_blanks_and_semicolons)
{
	CHECK_STR(name_at("1000 10 Ljava/lang/Object;::wait (native) x\n", 0x1000),
		  "Ljava/lang/Object;::wait (native) x");
}

TEST(the_last_of_overlapping_entries_wins)
{
	CHECK_STR(name_at("1000 100 old\n1040 10 new\n", 0x1048), "new");
	CHECK_STR(name_at("1040 10 old\n1000 100 new\n", 0x1048), "new");
}

TEST(garbage_lines_are_passed_over)
{
	static const char map[] = "\n \n1000\n1000 10\n1000 10 \nzz 10 x\n1000 zz y\n"
				  "11111111111111111 10 z\n1000 0 empty\n1000 10 good";

	CHECK_STR(name_at(map, 0x1000), "good");
}

TEST(a_line_without_end_ends_the_map)
{
	static char path[] = "/tmp/bperf-map-XXXXXX", blank[70000];
	int fd = mkstemp(path);
	struct meter meter = { 0 };
	struct wants w = { .meter = &meter };
	struct lines text;

	CHECK(fd >= 0);
	unlink(path);
	memset(blank, 'x', sizeof(blank));
	CHECK(write(fd, "1000 10 first\n2000 10 ", 22) == 22);
	CHECK(write(fd, blank, sizeof(blank)) == sizeof(blank));
	CHECK(write(fd, "\n3000 10 last\n", 14) == 14 && !lseek(fd, 0, SEEK_SET));
	wants_add(&w, 0, 0x1000);
	wants_add(&w, 1, 0x3000);
	meter_begin(&meter);
	lines_init(&text, fd, 1 << 20);
	perfmap_name(&w, &text);
	CHECK_STR(str_text(&w.list.items[0].found), "first");
	CHECK(!w.list.items[1].is_named && meter.is_refused);
	lines_release(&text);
	wants_release(&w);
	close(fd);
}

TEST(an_entry_that_ends_beyond_the_address_space_is_no_overflow)
{
	CHECK_STR(name_at("fffffffffffffff0 ffffffffffffffff x\n", UINT64_MAX), "x");
	CHECK(!name_at("fffffffffffffff0 ffffffffffffffff x\n", 0x10));
}

/* ---- opening ---- */

static char path[64];

static const char *fresh_path(void)
{
	snprintf(path, sizeof(path), "/tmp/perf-unit-%d.map", (int)getpid());
	unlink(path);
	return path;
}

static void write_map(const char *at)
{
	FILE *f = fopen(at, "w");

	CHECK(f);
	fputs("1000 10 x\n", f);
	fclose(f);
}

static int open_map(u64 started_ns, uid_t uid)
{
	struct perfmap_owner owner = { .uid = uid, .started_ns = started_ns };
	int fd = perfmap_open(-1, path, &owner);

	if (fd >= 0)
		close(fd);
	unlink(path);
	return fd;
}

TEST(links_in_a_root_of_others_are_for_the_helper_only)
{
	char root[] = "/tmp/bperf-root-XXXXXX", command[256];
	struct perfmap_owner owner = { .uid = getuid() };
	int root_fd, fd;

	CHECK(mkdtemp(root));
	snprintf(command, sizeof(command),
		 "mkdir %s/real && ln -s real %s/tmp && echo 1 1 a >%s/tmp/x", root, root, root);
	CHECK(!system(command));
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CHECK(perfmap_open(root_fd, "/tmp/x", &owner) == -ELOOP);
	owner.may_follow = true;
	fd = perfmap_open(root_fd, "/tmp/x", &owner);
	snprintf(command, sizeof(command), "rm -r %s", root);
	CHECK(!system(command));
	CHECK(fd >= 0);
	close(fd);
	close(root_fd);
}

TEST(a_map_of_the_processes_own_user_is_opened)
{
	write_map(fresh_path());
	CHECK(open_map(0, getuid()) >= 0);
}

TEST(a_fifo_planted_as_a_map_is_not_opened)
{
	CHECK(!mkfifo(fresh_path(), 0600));
	CHECK(open_map(0, getuid()) == -EINVAL);
}

TEST(a_link_planted_as_a_map_is_not_followed)
{
	CHECK(!symlink("/etc/passwd", fresh_path()));
	CHECK(open_map(0, getuid()) < 0);
}

TEST(a_directory_is_no_map)
{
	CHECK(!mkdir(fresh_path(), 0700));
	CHECK(open_map(0, getuid()) == -EINVAL);
	rmdir(path);
}

TEST(another_users_map_is_not_used)
{
	if (getuid())
		SKIP("needs root");
	write_map(fresh_path());
	CHECK(!chown(path, 12345, 12345));
	CHECK(open_map(0, 54321) == -EPERM);
	write_map(fresh_path());
	CHECK(!chown(path, 12345, 12345));
	CHECK(open_map(0, 12345) >= 0);
	write_map(fresh_path());
	CHECK(open_map(0, 12345) >= 0); /* root's */
}

TEST(a_map_older_than_its_process_is_stale)
{
	struct timespec old[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };

	write_map(fresh_path());
	CHECK(!utimensat(AT_FDCWD, path, old, 0));
	CHECK(open_map((u64)time(NULL) * NS_PER_SEC, getuid()) == -ESTALE);
}

/* A long-lived node writes such maps: lines are no calls of the kernel. */
TEST(a_map_of_two_million_lines_is_within_what_one_may_cost)
{
	struct meter report = { 0 }, owner = { .up = &report, .max_reads = 1 << 20 };
	struct wants w = { .meter = &owner };
	struct str all = { 0 };
	struct lines text;

	meter_begin(&report);
	meter_begin(&owner);
	for (u32 i = 0; i < 2000000; i++)
		str_addf(&all, "%x 10 f%u\n", 0x1000 + i * 16, i);
	lines_init_text(&text, str_view(&all));
	wants_add(&w, 1, 0x1000 + 1999999 * 16 + 3);
	wants_sort(&w);
	perfmap_name(&w, &text);
	CHECK_STR(str_text(&w.list.items[0].found), "f1999999");
	str_release(&all);
	wants_release(&w);
}
