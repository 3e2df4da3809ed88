// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The whole room against real processes: this program runs itself as the child to be named. */
#include "sym/symbolizer.h"
#include "sym/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lines.h"
#include "base/mem.h"
#include "test.h"

void symbolizer_test_landmark(void);

__attribute__((noinline, used)) void symbolizer_test_landmark(void)
{
	__asm__ volatile("");
}

/* ---- children ---- */

/* Tell where the landmark is, then wait to be killed. */
static void child_speak(int out)
{
	u64 addr = (u64)(uintptr_t)symbolizer_test_landmark;

	if (write(out, &addr, sizeof(addr)) != sizeof(addr))
		_exit(1);
	for (;;)
		pause();
}

__attribute__((constructor)) static void child_main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--child"))
		child_speak(1);
}

struct child {
	pid_t pid;
	u64 addr;
};

static void child_end(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}

/* Fork; `before_exec` prepares the child; path NULL: fork only. */
static struct child child_start(const char *path, void (*before_exec)(void))
{
	struct child c = { 0 };
	int ends[2];

	CHECK(!pipe(ends));
	c.pid = fork();
	if (!c.pid) {
		/* A test that fails or skips leaves nobody behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (before_exec)
			before_exec();
		if (!path)
			child_speak(ends[1]);
		dup2(ends[1], 1);
		execl(path, path, "--child", NULL);
		_exit(127);
	}
	close(ends[1]);
	CHECK(read(ends[0], &c.addr, sizeof(c.addr)) == sizeof(c.addr));
	close(ends[0]);
	return c;
}

static void copy_self(const char *to)
{
	char command[256];

	snprintf(command, sizeof(command), "cp -f /proc/%d/exe %s", (int)getpid(), to);
	CHECK(!system(command)); /* NOLINT: a test's own path */
}

static char program[64];

static const char *program_make(void)
{
	snprintf(program, sizeof(program), "/tmp/bperf-unit-prog-%d", (int)getpid());
	copy_self(program);
	return program;
}

/* ---- asking ---- */

static struct symbolizer *sym_new(void)
{
	struct symbolizer_opts o = { 0 };
	struct symbolizer *s;
	struct err err = { 0 };

	CHECK(!symbolizer_new(&s, &o, &err));
	return s;
}

static const struct frame *frame_of(struct symbolizer *s, u32 id)
{
	size_t n;
	const struct frame *frames = symbolizer_frames(s, &n);

	CHECK(id < n);
	return &frames[id];
}

static const char *name_of(struct symbolizer *s, u32 id)
{
	return frame_of(s, id)->name;
}

static u32 locate(struct symbolizer *s, const struct child *c)
{
	return symbolizer_user(s, (u32)c->pid, c->addr, false);
}

/* Time passes for what may be held open for a second. */
static void settle(struct symbolizer *s)
{
	symbolizer_settle(s, now_ns() + NS_PER_SEC);
}

static size_t open_fds(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- files ---- */

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

TEST(library_functions_are_named)
{
	struct symbolizer *s = sym_new();
	u32 id = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)qsort + 1, false);

	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "qsort");
	CHECK_U64(frame_of(s, id)->off, 1);
	symbolizer_free(s);
}

/* Where this program's code begins: its mapping and what it is of the file. */
static bool own_text(u64 *start, u64 *end, u64 *off)
{
	u64 addr = (u64)(uintptr_t)symbolizer_test_landmark;
	FILE *f = fopen("/proc/self/maps", "r");
	struct map_line parsed;
	bool found = false;
	char line[4096];

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!map_line_parse(view_of(line), &parsed) || addr < parsed.start ||
		    addr >= parsed.end)
			continue;
		*start = parsed.start;
		*end = parsed.end;
		*off = parsed.off;
		found = true;
	}
	if (f)
		fclose(f);
	return found;
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

TEST(callers_in_no_mapping_are_one_place)
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

/* ---- exited, deleted, replaced ---- */

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
	id = locate(s, &c);
	child_end(&c);
	settle(s);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
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
	u32 id;

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
	id = locate(s, &c);
	child_end(&c);
	settle(s);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
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
	id = locate(s, &c);
	child_end(&c);
	settle(s);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	CHECK(strstr(frame_of(s, id)->module, "memfd:prog"));
	symbolizer_free(s);
}

TEST(files_that_may_vanish_are_closed_within_a_second)
{
	struct child c = child_start(program_make(), NULL);
	struct symbolizer *s = sym_new();
	size_t before = open_fds();
	u32 id = locate(s, &c);

	CHECK(open_fds() <= before + 1);
	settle(s);
	CHECK_U64(open_fds(), before);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	child_end(&c);
	unlink(program);
	symbolizer_free(s);
}

/* ---- namespaces ---- */

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
	struct child c;
	u32 id;

	if (getuid())
		SKIP("needs root");
	c = child_start("/tmp/prog", own_mounts);
	CHECK(access("/tmp/prog", F_OK));
	id = locate(s, &c);
	child_end(&c);
	settle(s);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	CHECK_STR(frame_of(s, id)->module, "/tmp/prog");
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

	if (getuid())
		SKIP("needs root");
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

/* A page of "code", and a perf map that names it; told as the child's address. */
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
	/* The pipe is the newest descriptor but the file's, now closed: found by its end. */
	for (int fd = 3; fd < 64; fd++)
		if (write(fd, &addr, sizeof(addr)) == sizeof(addr))
			break;
	for (;;)
		pause();
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
	if (getuid())
		SKIP("needs root");
	check_jit(jit_in_own_tmp);
}

/* ---- events ---- */

/* A /proc in which nobody is. */
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

static const char *module_at(struct symbolizer *s, u32 tgid, u64 addr)
{
	return frame_of(s, symbolizer_user(s, tgid, addr, false))->module;
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

TEST(code_of_an_earlier_life_with_the_same_address_is_another_place)
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
		/* Fork only: told of, sampled when it is gone. */
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

/* ---- fixtures: kernel, hints, remote mounts ---- */

static char fixture[64];

static void fixture_make(void)
{
	strcpy(fixture, "/tmp/bperf-proc-XXXXXX");
	CHECK(mkdtemp(fixture));
}

static void fixture_put(const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", fixture, name), *slash = strrchr(path, '/');
	FILE *f;

	*slash = '\0';
	mkdir(path, 0755);
	*slash = '/';
	f = fopen(path, "w");
	CHECK(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static void fixture_link(const char *name, const char *to)
{
	char *path = mem_printf("%s/%s", fixture, name);

	CHECK(!symlink(to, path));
	free(path);
}

static void fixture_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", fixture);
	CHECK(!system(command)); /* NOLINT: a test's own directory */
}

static struct symbolizer *sym_with_fixture(const char *const *debug_dirs)
{
	struct symbolizer_opts o = { .proc_root = fixture, .debug_dirs = debug_dirs };
	struct symbolizer *s;
	struct err err = { 0 };

	CHECK(!symbolizer_new(&s, &o, &err));
	return s;
}

TEST(kernel_modules_and_bpf_programs_have_their_kind)
{
	struct symbolizer *s;
	u32 core, module, bpf, gone, freed;

	fixture_make();
	fixture_put("kallsyms", "ffffffff81000000 T do_idle\nffffffff81001000 T _etext\n"
				"ffffffffc0101000 t ext4_read.isra.0\t[ext4]\n"
				"ffffffffc0300000 t bpf_prog_0123_x\t[bpf]\n");
	fixture_put("modules", "ext4 12288 1 - Live 0xffffffffc0100000\n");
	s = sym_with_fixture(NULL);
	core = symbolizer_kernel(s, 0xffffffff81000010, true);
	module = symbolizer_kernel(s, 0xffffffffc0101010, false);
	bpf = symbolizer_kernel(s, 0xffffffffc0300010, false);
	gone = symbolizer_kernel(s, 0xffffffffc0700010, false);
	freed = symbolizer_kernel(s, 0xffffffffc0800010, false);
	symbolizer_on_ksymbol(s, 0xffffffffc0800000, 0x20, "bpf_prog_freed");
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, core), "do_idle");
	CHECK_STR(frame_of(s, core)->module, "[kernel]");
	CHECK_U64(frame_of(s, core)->off, 0xf);
	CHECK_STR(name_of(s, module), "ext4_read");
	CHECK_STR(frame_of(s, module)->linkage, "ext4_read.isra.0");
	CHECK_STR(frame_of(s, module)->module, "ext4");
	CHECK(frame_of(s, module)->kind == FRAME_MODULE);
	CHECK_STR(name_of(s, bpf), "bpf_prog_0123_x");
	CHECK(frame_of(s, bpf)->kind == FRAME_BPF);
	CHECK(!name_of(s, gone));
	CHECK_STR(name_of(s, freed), "bpf_prog_freed");
	CHECK(frame_of(s, freed)->kind == FRAME_BPF);
	CHECK(symbolizer_has_kernel_names(s));
	symbolizer_free(s);
	fixture_remove();
}

TEST(a_kernel_that_hides_its_addresses_is_noticed)
{
	struct symbolizer *s;
	u32 id;

	fixture_make();
	fixture_put("kallsyms", "0000000000000000 T do_idle\n");
	s = sym_with_fixture(NULL);
	id = symbolizer_kernel(s, 0xffffffff81000010, false);
	CHECK(symbolizer_has_kernel_names(s));
	symbolizer_resolve(s, NULL);
	CHECK(!symbolizer_has_kernel_names(s));
	CHECK(!name_of(s, id));
	symbolizer_free(s);
	fixture_remove();
}

static char hints[4096];

static void take_hint(const char *code, const char *text)
{
	snprintf(hints + strlen(hints), sizeof(hints) - strlen(hints), "%s|%s\n", code, text);
}

TEST(a_runtime_without_a_map_gets_its_line_once)
{
	struct symbolizer *s;

	fixture_make();
	fixture_put("4711/maps",
		    "1000-2000 rwxp 00000000 00:00 0 \n"
		    "7000-8000 r-xp 00000000 fe:00 1 /usr/lib/jvm/lib/server/libjvm.so\n");
	fixture_put("4711/stat", "4711 (java) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n");
	s = sym_with_fixture(NULL);
	symbolizer_user(s, 4711, 0x7010, false);
	symbolizer_resolve(s, NULL);
	symbolizer_hints(s, take_hint);
	CHECK_STR(hints, "");
	symbolizer_user(s, 4711, 0x1010, false);
	symbolizer_resolve(s, NULL);
	symbolizer_hints(s, take_hint);
	CHECK(strstr(hints, "jit-java|java 4711: run 'jcmd 4711 Compiler.perfmap'") == hints);
	hints[0] = '\0';
	symbolizer_hints(s, take_hint);
	CHECK_STR(hints, "");
	symbolizer_free(s);
	fixture_remove();
}

static void fixture_process(const char *mountinfo)
{
	static const char *const names[] = { "maps", "stat", "status", "root", "ns", "map_files" };
	char name[64], to[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "%d/%s", (int)getpid(), names[i]);
		snprintf(to, sizeof(to), "/proc/%d/%s", (int)getpid(), names[i]);
		if (!i) {
			snprintf(name, sizeof(name), "%d/mountinfo", (int)getpid());
			fixture_put(name, mountinfo);
			snprintf(name, sizeof(name), "%d/%s", (int)getpid(), names[i]);
		}
		fixture_link(name, to);
	}
	fixture_put("self/mountinfo", mountinfo);
}

TEST(files_on_network_mounts_are_named_by_the_helper)
{
	u64 addr = (u64)(uintptr_t)symbolizer_test_landmark;
	struct symbolizer *s;
	size_t before = open_fds();
	u32 id;

	fixture_make();
	fixture_process("27 1 254:77 / / rw,relatime - nfs4 server:/ rw\n");
	s = sym_with_fixture(NULL);
	id = symbolizer_user(s, (u32)getpid(), addr, false);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	CHECK(frame_of(s, id)->vaddr && !frame_of(s, id)->off);
	CHECK(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD);
	symbolizer_free(s);
	CHECK_U64(open_fds(), before);
	fixture_remove();
}

TEST(perf_maps_on_network_mounts_are_read_by_the_helper)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct symbolizer *s;
	char path[64];
	FILE *f;
	u32 id;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	CHECK(f && page != MAP_FAILED);
	fprintf(f, "%lx 1000 js:remote\n", (unsigned long)page);
	fclose(f);
	fixture_make();
	fixture_process("27 1 254:77 / /tmp rw,relatime - fuse.x server rw\n");
	s = sym_with_fixture(NULL);
	id = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)page + 16, false);
	symbolizer_resolve(s, NULL);
	unlink(path);
	CHECK_STR(name_of(s, id), "js:remote");
	CHECK(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD);
	symbolizer_free(s);
	fixture_remove();
	munmap(page, 4096);
}

/* A FUSE mount whose server never answers: what touches it hangs. */
static int dead_mount(const char *at)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char opts[128];

	snprintf(opts, sizeof(opts), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (fd < 0 || mount("fuse", at, "fuse", 0, opts))
		return -1;
	return fd;
}

TEST(a_dead_mount_costs_a_second_and_no_names_of_others)
{
	u64 addr = (u64)(uintptr_t)symbolizer_test_landmark, start, took;
	static char at[64];
	const char *const dirs[] = { at, NULL };
	struct symbolizer_opts o = { .debug_dirs = dirs };
	struct symbolizer *s;
	struct err err = { 0 };
	int server;
	u32 id, other;

	strcpy(at, "/tmp/bperf-dead-XXXXXX");
	CHECK(mkdtemp(at));
	server = getuid() ? -1 : dead_mount(at);
	if (server < 0) {
		rmdir(at);
		SKIP("needs root and /dev/fuse");
	}
	CHECK(!symbolizer_new(&s, &o, &err));
	start = now_ns();
	id = symbolizer_user(s, (u32)getpid(), addr, false);
	other = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)qsort + 1, false);
	/* Some of these are in no symbol: only a debug file could name them, so it is sought. */
	for (u64 i = 0; i < 64; i++)
		symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)qsort + i * 1009, false);
	symbolizer_resolve(s, NULL);
	took = now_ns() - start;
	/* Before any check: a failed test must not leave a mount that hangs others. */
	close(server); /* aborts the connection, the helper ends */
	umount2(at, MNT_DETACH);
	rmdir(at);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	CHECK_STR(name_of(s, other), "qsort");
	CHECK(took < 3 * NS_PER_SEC);
	symbolizer_free(s);
}

/* ---- processes whose first thread has ended ---- */

TEST(a_process_lives_on_in_its_other_threads)
{
	struct symbolizer *s;

	fixture_make();
	/* State Z, and field 20 says two threads. */
	fixture_put("10/stat", "10 (a b) Z 1 10 10 0 -1 0 0 0 0 0 1 1 0 0 20 0 2 0 777 0 0\n");
	fixture_put("10/maps", "");
	fixture_put("10/task/leader", ""); /* makes the directory */
	fixture_put("10/task/11/maps", "400000-401000 r-xp 00000000 08:01 7 /nonexistent/a\n");
	s = sym_with_fixture(NULL);
	CHECK_STR(module_at(s, 10, 0x400010), "/nonexistent/a");
	symbolizer_on_exit(s, 10);
	symbolizer_settle(s, now_ns() + 60 * NS_PER_SEC);
	fixture_put("10/task/11/maps", "");
	CHECK_STR(module_at(s, 10, 0x400020), "/nonexistent/a");
	symbolizer_free(s);
	fixture_remove();
}

/* ---- patience ---- */

TEST(an_impatient_user_gets_addresses_at_once)
{
	struct symbolizer *s = sym_new();
	volatile bool stop = true;
	u32 id = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)symbolizer_test_landmark, false);

	symbolizer_resolve(s, &stop);
	CHECK(!name_of(s, id) && frame_of(s, id)->module);
	stop = false;
	symbolizer_resolve(s, &stop);
	CHECK_STR(name_of(s, id), "symbolizer_test_landmark");
	symbolizer_free(s);
}

TEST_MAIN()
