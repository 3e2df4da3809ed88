/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jit [SECONDS [map|nomap|NAME]]: machine code written at run time.  Two functions share CPU time
 * 3:1; "map" writes /tmp/perf-PID.map (PID as this process sees itself) with the names jit_hot and
 * jit_cold, any other word is used as the name of the first; "nomap" writes none.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "work.h"

#define CODE_BYTES 4096
#define COLD_AT	   256

/* void f(u64 n): a frame, a loop that counts n down, back. */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
	0x48, 0xff, 0xcf, /* dec %rdi */
	0x75, 0xfb,	  /* jne -5 */
	0x5d, 0xc3,	  /* pop %rbp; ret */
};
#elif defined(__aarch64__)
static const unsigned int code[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0xf1000400, /* subs x0, x0, #1 */
	0x54ffffe1, /* b.ne -4 */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
#endif

static void write_map(const void *hot, const void *cold, const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	f = fopen(path, "wx");
	if (!f)
		exit(1);
	fprintf(f, "%lx %x %s\n%lx %x jit_cold\n", (unsigned long)hot, (unsigned int)sizeof(code),
		name, (unsigned long)cold, (unsigned int)sizeof(code));
	fclose(f);
}

NOINLINE void run_jit(void (*hot)(u64), void (*cold)(u64), u64 budget, u64 limit);
NOINLINE void run_jit(void (*hot)(u64), void (*cold)(u64), u64 budget, u64 limit)
{
	while (cpu_ns() < budget && wall_ns() < limit) {
		hot(300000);
		cold(100000);
	}
	barrier();
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	const char *how = argc > 2 ? argv[2] : "map";
	char *area =
		mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return 1;
	memcpy(area, code, sizeof(code));
	memcpy(area + COLD_AT, code, sizeof(code));
	__builtin___clear_cache(area, area + CODE_BYTES);
	if (mprotect(area, CODE_BYTES, PROT_READ | PROT_EXEC))
		return 1;
	if (strcmp(how, "nomap"))
		write_map(area, area + COLD_AT, strcmp(how, "map") ? how : "jit_hot");
	say_pid();
	run_jit((void (*)(u64))(uintptr_t)area, (void (*)(u64))(uintptr_t)(area + COLD_AT), ns,
		wall_limit(ns));
	return 0;
}
