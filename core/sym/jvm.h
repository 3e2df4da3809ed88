/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ask a HotSpot JVM for a perf map, as jcmd does.  Knows the attach protocol; must not know
 * symbols.
 */
#ifndef SYM_JVM_H
#define SYM_JVM_H

#include <stdbool.h>

#include "base/types.h"

struct jvm {
	const char *proc_root; /* "/proc" */
	u32 tgid;
	u32 ns_tgid;	/* id in its innermost PID namespace: names its files; 0: the same */
	int process_fd; /* a pidfd, which cannot mean a later process with this id; borrowed */
};

/*
 * Have it write /tmp/perf-PID.map, and wait for that: at most until `deadline_ns` (CLOCK_MONOTONIC)
 * or until *stop.  If no tool has attached to the JVM yet, it gets a SIGQUIT, which it treats as a
 * request to listen; a process without a handler for this signal does not get it.  All this happens
 * in a helper, with the ids of the JVM's user; `meanwhile` is called every 10 ms.
 *
 * Returns 0; -ESRCH: it has ended; -ENOTSUP: it does not accept requests (-Xrs,
 * -XX:+DisableAttachMechanism); -ENOSYS: it does not know the request (before JDK 17); -ETIMEDOUT,
 * -ECANCELED; -EPERM: another process answered, or the helper could not switch to its user's ids;
 * or another -errno.
 */
int jvm_write_map(const struct jvm *jvm, u64 deadline_ns, const volatile bool *stop,
		  void (*meanwhile)(void *ctx), void *ctx);

/* The meaning of such an error, in words that end a sentence. */
const char *jvm_error(int ret);

#endif
