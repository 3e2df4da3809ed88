/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find threads that existed when the hooks were attached, and record the waits that they are in. */
#ifndef WAIT_STARTUP_H
#define WAIT_STARTUP_H

#include "wait/hidden.h"
#include "wait/intervals.h"
#include "wait/sockets.h"
#include "wait/wait.h"

/* All borrowed. */
struct wait_scan {
	const struct wait_conf *conf;
	const struct wait_mode *mode;
	struct collect *c;
	struct str *text; /* scratch */
	struct waits *waits;
	struct hidden *hidden;
	struct sockets *sockets;
	u32 key; /* enum stack_key */
	struct bpf_program *prog;
	struct bpf_map *threads; /* wait_threads */
	u64 attached_ns;	 /* the hooks see all threads that are born after this */
};

/* Number of threads on the host; size of the kernel side's thread table. */
u64 wait_n_threads(void);
u64 wait_threads_max(void);

/* If the scan fails, a warning says what is missing. */
void wait_scan(const struct wait_scan *s);

/* Read the clocks of running threads, which may not have been switched since the last cut.  If this
 * fails, no time is lost, only its division into user and system time. */
void wait_scan_clocks(struct bpf_program *prog, struct waits *waits);

#endif
