/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bpf/orc.bpf.h keeps for each CPU, and shares with user space. */
#ifndef BPF_ABI_UNWIND_H
#define BPF_ABI_UNWIND_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* THREAD_SIZE of x86-64; with KASAN twice that, and nothing is read here then. */
#define UNWIND_STACK_BYTES 16384
#define UNWIND_WORDS	   768 /* what is looked through above a hook: 6 KiB, all of almost any stack */
#define UNWIND_FRAMES	   64
#define UNWIND_INNER	   4 /* frames of the program and its caller */
#define UNWIND_CHECK                                                             \
	61 /* one stack of so many is walked all the same; no even number, or of \
	    * two that take turns one never would be */
/* A stack is looked through in 10 us, with interrupts off: once in so many, beside the first ones,
 * and for so many frames at a time. */
#define UNWIND_STUDY	  16
#define UNWIND_FREE	  2048
#define UNWIND_SEARCHES	  8
#define UNWIND_FORGET	  64 /* of these studies: what an address was met with is forgotten */
#define UNWIND_LEAF_WORDS 32 /* the caller's own frame is less than this */
#define UNWIND_FOUND	  8  /* places where an address may stand */
#define UNWIND_DOUBTS	  32
#define UNWIND_HIDING	  4 /* trampolines that stand in the place of a return address */

/* Who walks: each has frames of its own at the leaf, and the same ones each time. */
enum unwind_site {
	UNWIND_SWITCH,
	UNWIND_WAKING,
	UNWIND_WAKEUP_NEW,
	UNWIND_N_SITES = 4, /* a power of two */
};

/* Below the hook's arguments are `inner`, above them the frames begin at word `first`. */
struct unwind_leaf {
	__u64 inner[UNWIND_INNER];
	__u32 n_inner, first;
	__u64 is_sure;
};

/* Of several numbers the true one is not known yet. */
struct unwind_doubt {
	__u64 key;
	__u16 numbers[UNWIND_FOUND]; /* 0: none */
};

struct unwind_cpu {
	__u64 n_read, n_walked; /* stacks */
	__u64 n_others; /* walked, for they cannot be read: an interrupt's, no ORC, too early */
	__u64 at;	/* the hook's arguments: they lie on the stack that is walked */
	__u64 stack;	/* where that stack begins */
	__u64 hash;	/* of what was read; 0: nothing was, to its end */
	__u64 n_studies;
	__u32 base; /* word on the stack where the arguments are */
	__u32 n_uses;
	struct unwind_leaf leaves[UNWIND_N_SITES];
	/* A stack that is looked through: where the frame is that was reached, and where the next
	 * one may be. */
	__u32 slot, n_found;
	__u16 found[UNWIND_FOUND];
	struct unwind_doubt doubts[UNWIND_DOUBTS];
	__u32 n_words, n_searches;
	/* In memory, where the verifier does not follow them. */
	__u32 n_inner, left, n_left, pad;
	__u64 words[UNWIND_WORDS];
};

#endif
