/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A function to be found, children that run this program and tell where they have it, and a
 * symbolizer that is asked for its name.
 */
#ifndef LANDMARK_H
#define LANDMARK_H

#include "sym/maps.h"
#include "sym/symbolizer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "test.h"

void symbolizer_test_landmark(void);

/* Weak: several files of a program have it. */
__attribute__((noinline, used, weak)) void symbolizer_test_landmark(void)
{
	__asm__ volatile("");
}

/* ---- children ---- */

static int child_out; /* in a child: the pipe to its parent */

/* Tell the parent an address, then wait to be killed. */
static inline void child_speak(int out, u64 addr)
{
	if (write(out, &addr, sizeof(addr)) != sizeof(addr))
		_exit(1);
	for (;;)
		pause();
}

__attribute__((constructor)) static void child_main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--child"))
		child_speak(1, (u64)(uintptr_t)symbolizer_test_landmark);
}

struct child {
	pid_t pid;
	u64 addr;
};

static inline void child_end(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}

/* Fork; `before_exec` prepares the child; path NULL: fork only. */
static inline struct child child_start(const char *path, void (*before_exec)(void))
{
	struct child c = { 0 };
	int ends[2];

	CHECK(!pipe(ends));
	c.pid = fork();
	if (!c.pid) {
		/* A test that fails or skips leaves no process. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child_out = ends[1];
		if (before_exec)
			before_exec();
		if (!path)
			child_speak(child_out, (u64)(uintptr_t)symbolizer_test_landmark);
		dup2(ends[1], 1);
		execl(path, path, "--child", NULL);
		_exit(127);
	}
	close(ends[1]);
	CHECK(read(ends[0], &c.addr, sizeof(c.addr)) == sizeof(c.addr));
	close(ends[0]);
	return c;
}

static inline void copy_self(const char *to)
{
	char command[256];

	snprintf(command, sizeof(command), "cp -f /proc/%d/exe %s", (int)getpid(), to);
	CHECK(!system(command)); /* NOLINT: a test's own path */
}

static char program[64];

static inline const char *program_make(void)
{
	snprintf(program, sizeof(program), "/tmp/bperf-unit-prog-%d", (int)getpid());
	copy_self(program);
	return program;
}

/* ---- asking ---- */

static inline struct symbolizer *sym_new(void)
{
	struct symbolizer_opts o = { 0 };
	struct symbolizer *s;
	struct err err = { 0 };

	CHECK(!symbolizer_new(&s, &o, &err));
	return s;
}

static inline const struct frame *frame_of(struct symbolizer *s, u32 id)
{
	size_t n;
	const struct frame *frames = symbolizer_frames(s, &n);

	CHECK(id < n);
	return &frames[id];
}

static inline const char *name_of(struct symbolizer *s, u32 id)
{
	return frame_of(s, id)->name;
}

static inline u32 locate(struct symbolizer *s, const struct child *c)
{
	return symbolizer_user(s, (u32)c->pid, c->addr, false);
}

/* A second passes, so that all files that may be held open for a second are due.  A run settles
 * many times in that second; each call has a budget of 3 ms, which one file can exceed under
 * sanitizers on a busy machine. */
static inline void settle(struct symbolizer *s)
{
	for (int i = 0; i < 50; i++)
		symbolizer_settle(s, now_ns() + NS_PER_SEC);
}

static inline size_t open_fds(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* The mapping of this program's code, and its offset in the file. */
static inline bool own_text(u64 *start, u64 *end, u64 *off)
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

static inline const char *module_at(struct symbolizer *s, u32 tgid, u64 addr)
{
	return frame_of(s, symbolizer_user(s, tgid, addr, false))->module;
}

#endif
