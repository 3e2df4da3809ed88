// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A /proc written by hand: the kernel's names, hints, remote mounts, leaders that have ended. */
#include "landmark.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "sym/mounts.h"

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

static const char *name_with_given(u64 settle_ns)
{
	struct symbolizer *s = sym_with_fixture(NULL);
	u32 id = symbolizer_kernel(s, 0xffffffff81000010, false);
	struct str text = { 0 };
	static char name[32];

	str_adds(&text, "ffffffff81000000 T given\nffffffff81001000 T _etext\n");
	symbolizer_give_kallsyms(s, &text);
	CHECK(!text.n);
	if (settle_ns)
		symbolizer_settle(s, settle_ns);
	symbolizer_resolve(s, NULL);
	snprintf(name, sizeof(name), "%s", name_of(s, id) ?: "");
	symbolizer_free(s);
	return name;
}

TEST(kallsyms_is_not_read_again_within_a_second)
{
	fixture_make();
	fixture_put("kallsyms", "ffffffff81000000 T read\nffffffff81001000 T _etext\n");
	CHECK_STR(name_with_given(0), "given");
	CHECK_STR(name_with_given(now_ns() + 2 * NS_PER_SEC), "read");
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

TEST(a_missing_kallsyms_is_noticed)
{
	struct symbolizer *s;

	fixture_make();
	s = sym_with_fixture(NULL);
	symbolizer_resolve(s, NULL);
	CHECK(symbolizer_has_kernel_names(s)); /* no kernel frame has needed it */
	symbolizer_kernel(s, 0xffffffff81000010, false);
	symbolizer_resolve(s, NULL);
	CHECK(!symbolizer_has_kernel_names(s));
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
	CHECK(strstr(hints, "jit-java|java 4711: for names use --jit-maps or run "
			    "'jcmd 4711 Compiler.perfmap'") == hints);
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

/* The folder that a file was in is now a link to a mount that hangs. */
TEST(links_in_the_path_of_a_mapping_are_not_followed)
{
	char dead[] = "/tmp/bperf-dead-XXXXXX", *link, *file;
	struct symbolizer *s = sym_new();
	struct sym_mmap m = { .tgid = (u32)getpid(), .start = 0x1000, .len = 0x1000, .ino = 7 };
	u64 start, took;
	int server;

	CHECK(mkdtemp(dead));
	server = getuid() ? -1 : dead_mount(dead);
	if (server < 0) {
		rmdir(dead);
		SKIP("needs root and /dev/fuse");
	}
	link = mem_printf("%s-link", dead);
	file = mem_printf("%s/program", link);
	alarm(20); /* a process that hangs there obeys no handler */
	start = now_ns();
	m.path = file;
	m.maj = 8;
	symbolizer_on_mmap(s, &m);
	CHECK(!symlink(dead, link));
	symbolizer_user(s, m.tgid, 0x1800, false);
	symbolizer_resolve(s, NULL);
	took = now_ns() - start;
	alarm(0);
	close(server); /* before any check, as above */
	umount2(dead, MNT_DETACH);
	rmdir(dead);
	unlink(link);
	CHECK(took < 10 * NS_PER_SEC);
	symbolizer_free(s);
	free(link);
	free(file);
}

TEST(a_device_without_a_disk_is_known_by_the_mounts_that_have_it)
{
	struct mounts m = { .proc_root = fixture };

	fixture_make();
	fixture_put("self/mountinfo", "20 1 0:33 / / rw - overlay overlay rw\n"
				      "21 20 0:44 / /mnt rw - fuse.x server rw\n");
	fixture_put("50/mountinfo", "30 1 0:55 / /run rw - tmpfs tmpfs rw\n");
	CHECK(mounts_knows(&m, 1, 1, 0, 8, 1));
	CHECK(mounts_knows(&m, 1, 1, 0, 0, 33));
	CHECK(!mounts_knows(&m, 1, 1, 0, 0, 44));
	CHECK(!mounts_knows(&m, 1, 1, 0, 0, 55));
	CHECK(mounts_knows(&m, 1, 2, 50, 0, 55));
	CHECK(!mounts_knows(&m, 1, 2, 50, 0, 66));
	mounts_release(&m);
	fixture_remove();
}
