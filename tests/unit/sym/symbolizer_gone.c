// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names remain when their source is gone: processes that end, files that are deleted or replaced,
 * mounts of another namespace, code made at run time.
 */
#include "landmark.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/lines.h"

/* ---- exited, deleted, replaced ---- */

/* The owner of the child's landmark, whose name is known although the child has exited. */
static u32 outlived(struct symbolizer *s, struct child *c)
{
	u32 id = locate(s, c);

	child_end(c);
	settle(s);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	return id;
}

TEST(a_process_that_exits_keeps_its_names)
{
	struct child c = child_start("/proc/self/exe", NULL);
	struct symbolizer *s = sym_new();
	u32 id = locate(s, &c);

	child_end(&c);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	symbolizer_free(s);
}

TEST(a_deleted_program_keeps_its_names)
{
	struct symbolizer *s;
	struct child c;
	u32 id;

	if (getuid())
		SKIP("map_files needs root");
	s = sym_new();
	c = child_start(program_make(), NULL);
	CHECK(!unlink(program));
	id = outlived(s, &c);
	CHECK_STR(frame_of(s, id)->module, program);
	symbolizer_free(s);
}

/* The mmap event of a program whose first segment is its code tells the length of all of them. */
TEST(a_deleted_program_of_unsure_length_keeps_its_names)
{
	struct child c = child_start(program_make(), NULL);
	struct symbolizer *s = sym_new();
	struct sym_mmap m = { .tgid = (u32)c.pid, .path = program };
	struct lines text;
	struct map_line l;
	struct view line;
	char path[64];
	int fd;

	if (getuid())
		SKIP("map_files needs root");
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)c.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	lines_init(&text, fd, 1 << 20);
	while (lines_next(&text, &line))
		if (map_line_parse(line, &l) && l.start <= c.addr && c.addr < l.end) {
			m.start = l.start;
			m.len = l.end - l.start + 0x10000;
			m.pgoff = l.off;
			m.maj = l.maj;
			m.min = l.min;
			m.ino = l.ino;
		}
	lines_release(&text);
	close(fd);
	CHECK(m.start);
	symbolizer_on_exec(s, m.tgid);
	symbolizer_on_mmap(s, &m);
	CHECK(!unlink(program));
	outlived(s, &c);
	symbolizer_free(s);
}

TEST(a_program_deleted_after_its_sample_keeps_its_names)
{
	struct child c = child_start(program_make(), NULL);
	struct symbolizer *s = sym_new();
	u32 id = locate(s, &c);

	child_end(&c);
	CHECK(!unlink(program));
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	symbolizer_free(s);
}

TEST(a_program_replaced_on_disk_is_not_mixed_up)
{
	struct child c = child_start(program_make(), NULL);
	struct symbolizer *s = sym_new();
	char command[256];
	u32 id;

	snprintf(command, sizeof(command), "cp /bin/sh %s.new && mv %s.new %s", program, program,
		 program);
	CHECK(!system(command)); /* NOLINT: a test's own path */
	id = locate(s, &c);
	settle(s);
	symbolizer_resolve(s, NULL);
	child_end(&c);
	unlink(program);
	if (name_of(s, id)) /* NULL without the right to map_files */
		CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	CHECK(getuid() || name_of(s, id));
	symbolizer_free(s);
}

TEST(a_program_rewritten_in_place_gives_no_wrong_names)
{
	struct child c = child_start(program_make(), NULL);
	struct symbolizer *s = sym_new();
	u32 id = locate(s, &c);
	char command[256];

	child_end(&c);
	snprintf(command, sizeof(command), "sleep 0.01; cat /bin/sh > %s", program);
	CHECK(!system(command)); /* NOLINT: a test's own path */
	symbolizer_resolve(s, NULL);
	CHECK(!name_of(s, id));
	CHECK_STR(frame_of(s, id)->module, program);
	unlink(program);
	symbolizer_free(s);
}

TEST(a_program_in_a_memfd_is_named)
{
	int fd = (int)syscall(SYS_memfd_create, "prog", 0);
	struct symbolizer *s = sym_new();
	struct child c;
	char path[64];
	u32 id;

	if (getuid())
		SKIP("map_files needs root");
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	copy_self(path);
	c = child_start(path, NULL);
	id = outlived(s, &c);
	CHECK(strstr(frame_of(s, id)->module, "memfd:prog"));
	symbolizer_free(s);
}

TEST(files_that_may_vanish_are_closed_within_a_second)
{
	struct child c = child_start(program_make(), NULL);
	struct symbolizer *s = sym_new();
	size_t before;
	u32 id;

	/* With the first file our mountinfo is opened, for good. */
	symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)qsort, false);
	settle(s);
	before = open_fds();
	id = locate(s, &c);
	CHECK(open_fds() <= before + 1);
	settle(s);
	/* A file whose names take longer than SYM_SETTLE_NS stays open until the end of the run. */
	if (!name_of(s, id))
		SKIP("this machine is too slow to name a program during a run");
	CHECK_U64(open_fds(), before);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	child_end(&c);
	unlink(program);
	symbolizer_free(s);
}

/* ---- namespaces ---- */

/* Not without the privilege, nor below a chroot whose root is no mount. */
static bool may_own_mounts(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	return waitpid(pid, &status, 0) == pid && !status;
}

static void own_mounts(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/tmp", "tmpfs", 0, NULL))
		_exit(3);
	copy_self("/tmp/prog");
}

TEST(files_of_another_mount_namespace_are_named)
{
	struct symbolizer *s = sym_new();
	const char *module;
	struct child c;
	u32 id;

	if (!may_own_mounts())
		SKIP("no mount namespaces");
	c = child_start("/tmp/prog", own_mounts);
	CHECK(access("/tmp/prog", F_OK));
	id = outlived(s, &c);
	/* Below a chroot the kernel tells a path of another namespace from the host's root. */
	module = frame_of(s, id)->module;
	CHECK(strlen(module) >= strlen("/tmp/prog"));
	CHECK_STR(module + strlen(module) - strlen("/tmp/prog"), "/tmp/prog");
	symbolizer_free(s);
}

static void other_root(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mkdir("/tmp/bperf-unit-root", 0755) ||
	    mount("/", "/tmp/bperf-unit-root", NULL, MS_BIND | MS_REC, NULL) ||
	    chroot("/tmp/bperf-unit-root") || chdir("/"))
		_exit(3);
}

TEST(files_below_another_root_are_named)
{
	struct symbolizer *s = sym_new();
	struct child c;
	u32 id;

	if (!may_own_mounts())
		SKIP("no mount namespaces");
	program_make();
	rmdir("/tmp/bperf-unit-root");
	c = child_start(program, other_root);
	id = locate(s, &c);
	settle(s);
	symbolizer_resolve(s, NULL);
	child_end(&c);
	unlink(program);
	rmdir("/tmp/bperf-unit-root");
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	symbolizer_free(s);
}

/* ---- JIT ---- */

/* A page of "code", and a perf map that names it; its address is sent as the child's. */
static void jit_speak(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 addr = (u64)(uintptr_t)page + 0x18;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		_exit(2);
	fprintf(f, "%llx 10 Other\n%llx 20 LFoo;::bar (x)\n", addr - 0x18, addr - 8);
	fclose(f);
	child_speak(child_out, addr);
}

static void jit_in_own_tmp(void)
{
	own_mounts();
	jit_speak();
}

static void check_jit(void (*speak)(void))
{
	struct symbolizer *s = sym_new();
	struct child c = child_start(NULL, speak);
	char path[64];
	u32 id = locate(s, &c), other = symbolizer_user(s, (u32)c.pid, c.addr + 0x100, false);
	struct symbol_stats stats;

	settle(s);
	child_end(&c);
	symbolizer_on_exit(s, (u32)c.pid);
	symbolizer_resolve(s, NULL);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)c.pid);
	unlink(path);
	CHECK_STR(name_of(s, id), "LFoo;::bar (x)");
	CHECK_U64(frame_of(s, id)->off, 8);
	CHECK(frame_of(s, id)->kind == FRAME_JIT);
	CHECK_STR(frame_of(s, id)->module, "[jit]");
	CHECK(!name_of(s, other));
	symbolizer_stats(s, &stats);
	CHECK_U64(stats.jit_no_map, 1);
	CHECK_U64(stats.symbolized, 1);
	CHECK_U64(stats.frames, 2);
	symbolizer_free(s);
}

TEST(jit_code_is_named_from_its_perf_map)
{
	check_jit(jit_speak);
}

TEST(jit_code_of_another_mount_namespace_is_named)
{
	if (!may_own_mounts())
		SKIP("no mount namespaces");
	check_jit(jit_in_own_tmp);
}
