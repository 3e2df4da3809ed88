/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Per-CPU data of bpf/orc.bpf.h, shared with user space.  In both files, names with unwind_ are
 * about kernel stacks; core/unwind is about user stacks, whose shared data is in cfi.h. */
#ifndef BPF_ABI_UNWIND_H
#define BPF_ABI_UNWIND_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* THREAD_SIZE of x86-64.  With KASAN it is twice that, and stacks are not read here. */
#define UNWIND_STACK_BYTES 16384
#define UNWIND_WORDS	   768 /* searched above a hook: 6 KiB, all of almost any stack */
#define UNWIND_FRAMES	   64
#define UNWIND_INNER	   4 /* frames of the BPF program and its caller */
#define UNWIND_CHECK                                                                   \
	61 /* one stack in this many is walked as well; an even number would never hit \
	    * one of two stacks that alternate */
/* Searching a stack takes 10 us with interrupts off.  Besides the first UNWIND_FREE / UNWIND_STUDY
 * stacks, therefore, at most one in UNWIND_STUDY is searched, for at most UNWIND_SEARCHES
 * frames. */
#define UNWIND_STUDY	  16
#define UNWIND_FREE	  2048
#define UNWIND_SEARCHES	  8
#define UNWIND_FORGET	  64 /* once in this many studies, sizes that vary are forgotten */
#define UNWIND_LEAF_WORDS 32 /* the caller's own frame is smaller than this */
#define UNWIND_FOUND	  8  /* candidates for the place of an address */
#define UNWIND_DOUBTS	  32
#define UNWIND_HIDING	  4 /* trampolines that replace return addresses */

/* Hooks that read stacks: each has its own frames at the leaf, the same ones each time. */
enum unwind_site {
	UNWIND_SWITCH,
	UNWIND_WAKING,
	UNWIND_N_SITES, /* a power of two */
};

/* `inner`: frames below the hook's arguments; the frames above them begin at word `first`. */
struct unwind_leaf {
	__u64 inner[UNWIND_INNER];
	__u32 n_inner, first;
	__u64 is_sure;
};

/* Candidates, while the true number is not known. */
struct unwind_doubt {
	__u64 key;
	__u16 numbers[UNWIND_FOUND]; /* 0: none */
};

struct unwind_cpu {
	__u64 n_read, n_walked; /* numbers of stacks */
	__u64 n_others;		/* walked because unreadable: interrupt stacks, no ORC, too early */
	__u64 at;		/* the hook's arguments, which are on the stack that is walked */
	__u64 stack;		/* start of that stack */
	__u64 hash;		/* hash of the frames that were read; 0: not read to the end */
	__u64 n_studies;
	/* While a stack is read: the next frame is at word `at` and becomes number `n`. */
	struct {
		__u64 hash; /* those before it */
		__u32 at, n;
	} read;
	__u32 base; /* word of the stack at which the arguments are */
	__u32 n_uses;
	struct unwind_leaf leaves[UNWIND_N_SITES];
	/* While a stack is searched: the word of the frame that was reached, and candidates for the
	 * next one. */
	__u32 slot, n_found;
	__u16 found[UNWIND_FOUND];
	struct unwind_doubt doubts[UNWIND_DOUBTS];
	__u32 n_words, n_searches;
	/* Kept in memory, where the verifier does not track them. */
	__u32 n_inner, left, n_left, pad;
	__u64 words[UNWIND_WORDS];
};

#endif
