/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The threads of a dump, with the stacks that they have at one moment. */
#ifndef DUMP_THREADS_H
#define DUMP_THREADS_H

#include <bpf/libbpf.h>

#include "bpf/abi/dump.h"

#include "base/index.h"
#include "base/mem.h"
#include "opt/target.h"
#include "stack/store.h"
#include "unwind/unwinder.h"
#include "wait/taskscan.h"

struct dump_thread {
	u32 tgid, tid;
	u64 start_time, time_ns;
	u64 switches;	  /* when the stack was taken */
	u32 state, flags; /* as in struct scan_record, like the next three */
	bool on_cpu, in_iowait;
	u8 futex;
	char comm[16];
	struct dump_more more;
	u32 entry;	 /* index in the store */
	bool has_sample; /* entry is a sample of it on a CPU */
	bool is_settled; /* the stack is that of the state */
	bool is_seen;	 /* in the last scan */
	bool is_32bit;	 /* in 32-bit code */
	bool has_moved;	 /* it has run since its stack was taken: take_again() */
	u32 peeks[4];	 /* pieces of its memory (dump/call.h) */
};

struct dump_threads {
	VEC(struct dump_thread) v;
	struct index by_tid;
};

/* The thread with this id; NULL: it was not taken. */
struct dump_thread *dump_thread_find(const struct dump_threads *l, u32 tid);
void dump_threads_release(struct dump_threads *l);

struct take_conf {
	struct bpf_program *prog; /* the task iterator */
	struct store *store;
	struct unwinder *unwinder;
	const struct u32_list *cpus; /* empty: all */
	u32 max_frames;
	bool want_user; /* kernel stacks are always taken: they show the states */
	/* Read the samples that have been taken so far: take_sample() for each. */
	void (*drain)(void *ctx);
	void *ctx;
};

/*
 * Take the threads that pass the filter.  A thread that runs while its stack is copied is tried
 * again, up to a twentieth of a second; after that the stack of a sample is shown, or none.
 * Threads that end before their stack is taken are left out.
 */
int take_threads(const struct take_conf *conf, struct dump_threads *out, struct err *err);

/* Find out which threads have run since then. */
int take_again(const struct take_conf *conf, struct dump_threads *l, struct err *err);

/* A stack that a thread had on a CPU. */
void take_sample(const struct take_conf *conf, struct dump_threads *l, const struct raw_stack *raw);

#endif
