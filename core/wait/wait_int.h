/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of the wait commands: shared by wait.c, which begins and ends it, and load.c. */
#ifndef WAIT_WAIT_INT_H
#define WAIT_WAIT_INT_H

#include "bpf/abi/filter.h"
#include "bpf/abi/lost.h"
#include "bpf/abi/unwind.h"
#include "bpf/abi/wait.h"

#include "base/clock.h"
#include "wait/faults.h"
#include "wait/hidden.h"
#include "wait/intervals.h"
#include "wait/states.h"
#include "wait/wait.h"

/* The skeleton uses the types above. */
#include "wait.skel.h"

/* --with-cpu: 99 samples per second and CPU. */
#define WAIT_SAMPLE_NS (NS_PER_SEC / 99)

struct wait {
	const struct wait_mode *mode;
	const struct wait_conf *conf;
	struct collect *c;
	struct wait_bpf *skel;
	struct waits waits;
	struct states states;
	struct landmarks landmarks;
	bool has_landmarks;
	struct symtext kallsyms; /* until the landmarks are read from it */
	bool asks;		 /* the kernel is asked for landmarks one by one */
	u64 attached_ns;	 /* the hooks see all threads that are born after this */
	u64 due_ns;		 /* end of the current window; UINT64_MAX: not known */
	u32 levels;
	struct hidden hidden;
	struct wait_faults faults;
	struct str text; /* scratch: description of a waited-for object */
	u32 parities;	 /* the window parities that the report covers */
};

/* The ids that tell stacks apart: enum stack_key. */
u32 wait_stack_key(const struct wait *w);

/* Open the skeleton, configure it by the options, and load it.  Returns 0 or -code. */
int wait_load(struct wait *w, struct err *err);

/* Read the landmarks, and let kernel stacks be read without the kernel's unwinder if this kernel
 * allows it.  Errors of landmarks_read(). */
int wait_read_landmarks(struct wait *w, struct err *err);

/* The same, and tell the kernel side where interrupts enter: before wakers are classified. */
int wait_set_irq_ranges(struct wait *w, struct err *err);

#endif
