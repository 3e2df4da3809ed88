// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Other code at addresses that were located: noticed if /proc was read in between, whatever it
 * showed then.  A stack is sent only once, so a change that is missed here leaves the old names for
 * good.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "sym/symbolizer.h"
#include "test.h"

#define PID  10
#define CODE 0x400000
#define LATE 0x405000 /* in the same mapping */

static char proc[64];

static void put(const char *name, const char *text)
{
	char *path = mem_printf("%s/%d/%s", proc, PID, name);
	FILE *f = fopen(path, "w");

	CHECK(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static void end(struct symbolizer *s)
{
	char command[128];

	symbolizer_free(s);
	snprintf(command, sizeof(command), "rm -rf %s", proc);
	CHECK(!system(command)); /* NOLINT: a test's own directory */
}

static void map(struct symbolizer *s, const char *path, u64 ino, u64 pgoff)
{
	const struct sym_mmap m = { .tgid = PID,
				    .start = CODE,
				    .len = 0x10000,
				    .pgoff = pgoff,
				    .maj = ino ? 8 : 0,
				    .ino = ino,
				    .path = path };

	symbolizer_on_mmap(s, &m);
}

#define LINE_ONE  "00400000-00410000 r-xp 00001000 08:00 1 /lib/one.so\n"
#define LINE_TWO  "00400000-00410000 r-xp 00001000 08:00 2 /lib/two.so\n"
#define LINE_ELSE "00700000-00710000 r-xp 00001000 08:00 3 /lib/else.so\n"

static void map_one(struct symbolizer *s)
{
	map(s, "/lib/one.so", 1, 0x1000);
}

static void map_two(struct symbolizer *s)
{
	map(s, "/lib/two.so", 2, 0x1000);
}

/* A process with one.so, of which a sample was located. */
static struct symbolizer *begin(void)
{
	struct symbolizer_opts o = { .proc_root = proc };
	struct symbolizer *s;
	struct err err = { 0 };
	char *dir;

	strcpy(proc, "/tmp/bperf-proc-XXXXXX");
	CHECK(mkdtemp(proc));
	dir = mem_printf("%s/%d", proc, PID);
	CHECK(!mkdir(dir, 0755));
	free(dir);
	put("stat", "10 (late) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0\n");
	CHECK(!symbolizer_new(&s, &o, &err));
	symbolizer_on_exec(s, PID);
	map_one(s);
	symbolizer_user(s, PID, CODE + 0x10, false);
	CHECK(!symbolizer_is_code_replaced(s));
	return s;
}

/* A caller in no mapping makes the symbolizer read /proc. */
static void read_maps(struct symbolizer *s, const char *text)
{
	put("maps", text);
	symbolizer_user(s, PID, 0x10, true);
}

static const char *module_at(struct symbolizer *s, u64 addr)
{
	u32 id = symbolizer_user(s, PID, addr, false);
	size_t n;

	return symbolizer_frames(s, &n)[id].module;
}

TEST(other_code_is_noticed_once)
{
	struct symbolizer *s = begin();

	map_two(s);
	CHECK(symbolizer_is_code_replaced(s));
	CHECK(!symbolizer_is_code_replaced(s));
	map_one(s); /* no address was located in two.so */
	CHECK(!symbolizer_is_code_replaced(s));
	end(s);
}

TEST(other_code_is_noticed_after_proc_was_read)
{
	struct symbolizer *s = begin();

	read_maps(s, LINE_ONE LINE_ELSE);
	CHECK(!symbolizer_is_code_replaced(s));
	map_two(s);
	CHECK(symbolizer_is_code_replaced(s));
	CHECK_STR(module_at(s, LATE), "/lib/two.so");
	end(s);
}

TEST(other_code_is_noticed_when_proc_shows_it_before_the_event)
{
	struct symbolizer *s = begin();

	read_maps(s, LINE_TWO);
	map_two(s);
	CHECK(symbolizer_is_code_replaced(s));
	CHECK_STR(module_at(s, LATE), "/lib/two.so");
	end(s);
}

TEST(other_code_is_noticed_when_proc_was_read_between_the_two)
{
	struct symbolizer *s = begin();

	read_maps(s, LINE_ELSE);
	CHECK_STR(module_at(s, LATE), "/lib/one.so"); /* a sample that comes late */
	CHECK_STR(module_at(s, 0x700010), "/lib/else.so");
	CHECK(!symbolizer_is_code_replaced(s));
	map_two(s);
	CHECK(symbolizer_is_code_replaced(s));
	CHECK_STR(module_at(s, LATE), "/lib/two.so");
	end(s);
}

TEST(another_part_of_the_same_file_is_other_code)
{
	struct symbolizer *s = begin();

	map(s, "/lib/one.so", 1, 0x2000);
	CHECK(symbolizer_is_code_replaced(s));
	end(s);
}

TEST(changed_protections_are_no_other_code)
{
	struct symbolizer *s = begin();
	const struct sym_mmap part = { .tgid = PID,
				       .start = CODE,
				       .len = 0x1000,
				       .pgoff = 0x1000,
				       .maj = 8,
				       .ino = 1,
				       .path = "/lib/one.so" };

	symbolizer_on_mmap(s, &part);
	read_maps(s, LINE_ONE);
	map_one(s);
	CHECK(!symbolizer_is_code_replaced(s));
	map_two(s);
	CHECK(symbolizer_is_code_replaced(s));
	end(s);
}

/* As of the layers of a stacked file system. */
TEST(another_inode_in_proc_is_no_other_code_and_hides_none)
{
	struct symbolizer *s = begin();

	read_maps(s, "00400000-00410000 r-xp 00001000 00:55 77 /lib/one.so\n");
	map_one(s);
	CHECK(!symbolizer_is_code_replaced(s));
	map(s, "/lib/one.so", 2, 0x1000);
	CHECK(symbolizer_is_code_replaced(s));
	end(s);
}

/* Events and /proc have different names for it, and only its map identifies its code. */
TEST(anonymous_code_is_the_same_by_any_name)
{
	struct symbolizer *s = begin();

	map(s, "//anon", 0, CODE);
	CHECK(symbolizer_is_code_replaced(s));
	symbolizer_user(s, PID, CODE + 0x10, false);
	read_maps(s, "00400000-00410000 rwxp 00000000 00:00 0\n");
	map(s, "//anon", 0, CODE);
	CHECK(!symbolizer_is_code_replaced(s));
	map_two(s);
	CHECK(symbolizer_is_code_replaced(s));
	end(s);
}
