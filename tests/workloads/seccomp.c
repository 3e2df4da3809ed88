/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * seccomp CALL... -- PROGRAM ARGS...: runs the program where the calls (bpf, clone,
 * perf_event_open) fail with EPERM, as in a container with a strict profile.  "clone" is all calls
 * that make a process.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "work.h"

#define CALLS_MAX 16

static const struct {
	const char *name;
	u32 nr;
} calls[] = {
	{ "bpf", SYS_bpf },	 { "perf_event_open", SYS_perf_event_open },
	{ "clone", SYS_clone },
#ifdef SYS_clone3
	{ "clone", SYS_clone3 },
#endif
#ifdef SYS_fork
	{ "clone", SYS_fork },	 { "clone", SYS_vfork },
#endif
};

static struct sock_filter filter[2 * CALLS_MAX + 2];
static u32 n_filter;

static void add(struct sock_filter insn)
{
	filter[n_filter++] = insn;
}

static bool deny(const char *name)
{
	bool is_known = false;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, name) != 0 || n_filter > 2 * CALLS_MAX - 2)
			continue;
		is_known = true;
		add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, 1));
		add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
	}
	return is_known;
}

int main(int argc, char **argv)
{
	struct sock_fprog prog = { .filter = filter };
	int i;

	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, nr)));
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!deny(argv[i]))
			return 2;
	if (i + 1 >= argc)
		return 2;
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	prog.len = (unsigned short)n_filter;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 3;
	execvp(argv[i + 1], argv + i + 1);
	return 127;
}
