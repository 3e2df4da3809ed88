/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls by name and number, for the architecture of this build. */
#ifndef HOST_SYSCALLS_H
#define HOST_SYSCALLS_H

#include "base/types.h"

struct syscall_row {
	const char *name;
	int x86_64, arm64; /* -1: does not exist */
};

/* The number of a system call: "openat", "newfstat" (the kernel's name of fstat), with or without
 * sys_, SyS_, __x64_sys_, __arm64_sys_, __se_sys_, __do_sys_.  -1: unknown on this architecture. */
s32 syscall_number(const char *name);

/* NULL: unknown number. */
const char *syscall_name(u32 nr);

/* The kernel's name in tracepoints and functions: "newfstat" for fstat. */
const char *syscall_kernel_name(u32 nr);

/* "int dfd, const char *filename", by the kernel's name; NULL: no parameters, or unknown. */
const char *syscall_params(const char *kernel_name);

/* The name without one of the prefixes above; NULL: it has none of them. */
const char *syscall_prefixed(const char *func);

/* All rows of this architecture, sorted by name. */
const struct syscall_row *syscall_rows(u32 *n);
s32 syscall_row_number(const struct syscall_row *row);

#endif
