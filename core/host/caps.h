/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capabilities of this process, and the cost of each missing one. */
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

/* true if the capability is in the process's effective set (or CAP_SYS_ADMIN is, where that implies
 * it) and the kernel honors it. */
bool cap_have(enum cap cap);

/* true in a user namespace other than the initial one.  The kernel does not honor its capabilities
 * for operations on the kernel itself. */
#define CAPS_CONFINED	   "in a user namespace, whose capabilities do not apply to the kernel"
#define CAPS_CONFINED_NEXT "run it on the host itself"
bool caps_are_confined(void);

/* CAP_BPF and CAP_PERFMON are always needed.  Returns 0, or an error that names the missing
 * ones. */
int caps_check(struct err *err);

/* Warn about the effects of the other missing capabilities. */
void caps_warn(void);

/* true if a seccomp profile filters system calls: it may be the source of an EPERM. */
bool caps_are_filtered(void);

#endif
