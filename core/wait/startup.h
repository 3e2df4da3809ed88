/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The threads that were there before the hooks: what they sleep in goes to the waits. */
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
	struct str *text; /* room for a word */
	struct waits *waits;
	struct hidden *hidden;
	struct sockets *sockets;
	u32 key; /* enum stack_key */
	struct bpf_program *prog;
	struct bpf_map *threads; /* wait_threads */
	u64 attached_ns;	 /* the hooks know all that is born from then on */
};

/* How many there are; how many the kernel side has room for. */
u64 wait_n_threads(void);
u64 wait_threads_max(void);

/* Where it cannot be done, a warning says what is missing then. */
void wait_scan(const struct wait_scan *s);

/* The clocks of who runs now, and may not have been switched since the last cut.  Without them no
 * time is lost, only how it is divided. */
void wait_scan_clocks(struct bpf_program *prog, struct waits *waits);

#endif
