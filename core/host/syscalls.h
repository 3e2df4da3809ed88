/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls by name and number, on the architecture that this is built for. */
#ifndef HOST_SYSCALLS_H
#define HOST_SYSCALLS_H

#include "base/types.h"

struct syscall_row {
	const char *name;
	int x86_64, arm64; /* -1: not there */
};

/* The number by any of its names: "openat", "newfstat" (the kernel's name of fstat), with or
 * without sys_, SyS_, __x64_sys_, __arm64_sys_, __se_sys_, __do_sys_.  -1: there is none here. */
s32 syscall_number(const char *name);

/* NULL: no such number. */
const char *syscall_name(u32 nr);

/* What the kernel calls it in its tracepoints and functions: "newfstat" for fstat. */
const char *syscall_kernel_name(u32 nr);

/* "int dfd, const char *filename", by the kernel's name; NULL: it has none, or isn't known. */
const char *syscall_params(const char *kernel_name);

/* Behind the prefixes above; NULL: it has none of them. */
const char *syscall_prefixed(const char *func);

/* All there are here, in the order of their names. */
const struct syscall_row *syscall_rows(u32 *n);
s32 syscall_row_number(const struct syscall_row *row);

#endif
