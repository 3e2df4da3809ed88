/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What we may do, by capability name, and what each missing one costs. */
#ifndef HOST_CAPS_H
#define HOST_CAPS_H

#include "base/err.h"
#include "base/types.h"

enum cap {
	CAP_ID_BPF,
	CAP_ID_PERFMON,
	CAP_ID_SYSLOG,
	CAP_ID_SYS_PTRACE,
	CAP_ID_DAC_READ_SEARCH,
	CAP_ID_SYS_RESOURCE,
	CAP_ID_SYS_ADMIN,
	CAP_ID_N,
};

/* Whether the process has it in its effective set (or CAP_SYS_ADMIN, where that implies it), and
 * the kernel takes it. */
bool cap_have(enum cap cap);

/* Is this a user namespace other than the first?  The kernel takes none of its capabilities for
 * what is the kernel's own. */
#define CAPS_CONFINED	   "in a user namespace, whose capabilities are not over the kernel"
#define CAPS_CONFINED_NEXT "run it on the host itself"
bool caps_are_confined(void);

/* Nothing runs without BPF and PERFMON: an error that names what is missing, or 0. */
int caps_check(struct err *err);

/* Say once, as warnings, what the other missing capabilities take away. */
void caps_warn(void);

/* Does a seccomp profile filter our system calls?  Then EPERM may be its word. */
bool caps_are_filtered(void);

#endif
