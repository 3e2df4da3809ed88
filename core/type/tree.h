/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A typed expression, made by expr/check.c and read by core/gen.  Names are resolved, conversions
 * are separate nodes, and memory is read by explicit loads with an address space.  Reading a tree
 * needs no BTF.  Trees may share subtrees, so a tree is not changed after it was made.
 *
 * Scalars.  The value of a node of type TYPE_INT or TYPE_POINTER is a 64-bit register that holds
 * the value extended from `type->size` bytes by `type->is_signed`; every node's result is extended
 * in this way.  Operands of an arithmetic node already have the node's type (C's conversions are
 * nodes); both operands of a comparison have `a->type`.
 *
 * Absence.  If a load fails, the value that needs it is absent.  The consequence depends on its use
 * (predicate: false; a value of an event: its bit; a key: the event is not counted); the generator
 * keeps one label per value to jump to.  Operands that are not evaluated (&&, ||, ?:) can't be
 * absent.  The result of a division by zero is absent, too (C leaves it undefined; BPF would return
 * 0).
 */
#ifndef TYPE_TREE_H
#define TYPE_TREE_H

#include "base/source.h"
#include "type/type.h"

enum tree_kind {
	TREE_CONST,    /* value */
	TREE_TEXT,     /* a string literal: string (bytes, no NUL at the end) */
	TREE_CTX,      /* load `type` at ctx + offset; bits as in TREE_LOAD */
	TREE_CTX_ADDR, /* the address ctx + offset (+ a's value when there is an a) */
	TREE_LOAD,     /* load `type` at a + offset in `space`.  bit_size: a bit-field in the
			* `type->size` bytes there, bit_offset from the least significant bit of
			* the value loaded */
	TREE_SAVED,    /* value number `index` that was saved at the entry of the call that returns
			* here, or (of_span) at the start of the span that ends here */
	TREE_LATENCY,  /* nanoseconds from that entry or start to now */
	TREE_BUILTIN,  /* builtin, with up to 3 arguments in a, b, c */
	TREE_NEG,      /* -a */
	TREE_NOT,      /* ~a */
	TREE_LNOT,     /* !a: int 0 or 1 */
	TREE_BINARY,   /* a op b */
	TREE_AND,      /* a && b: int 0 or 1 */
	TREE_OR,       /* a || b */
	TREE_COND,     /* a ? b : c; b and c have the node's type: scalars, or strings */
	TREE_CAST,     /* a in the node's type; both scalars.  To a _Bool: a != 0 */
	TREE_STRING,   /* the string at address a in `space`: up to a NUL, type->size at most.
			* length: an upper bound of bytes that may be read, NULL: none */
	TREE_BYTES,    /* type->size bytes at address a in `space`, `length` at most */
	TREE_MATCH,    /* string a compared with string b: int 0 or 1; match, index */
	TREE_N,
};

enum tree_op {
	TREE_ADD,
	TREE_SUB,
	TREE_MUL,
	TREE_DIV,
	TREE_MOD,
	TREE_BAND,
	TREE_BOR,
	TREE_XOR,
	TREE_SHL,
	TREE_SHR,
	TREE_EQ,
	TREE_NE,
	TREE_LT,
	TREE_LE,
	TREE_GT,
	TREE_GE, /* int 0 or 1; a->type's sign decides */
	TREE_OP_N,
};

/* How TREE_MATCH compares.  One side of PREFIX and GLOB is a literal (b). */
enum tree_match {
	MATCH_EQ,     /* whole strings, both up to their NUL; `index` bytes at most when not 0
		       * (strncmp) */
	MATCH_PREFIX, /* STRCMP: a begins with b */
	MATCH_GLOB,   /* a ~ "b": * ? [set] over the whole string */
	MATCH_BYTES,  /* the literal's bytes are at a, including NULs (trace -B) */
};

/* Strings that join() takes, and the most that can be asked for: each takes 45 instructions and
 * some 270 steps of the verifier (6.18). */
#define TREE_JOIN     16
#define TREE_JOIN_MAX 64

/* The byte between the strings of quoted(), a join whose type has SHOW_QUOTED. */
#define TREE_QUOTED_MARK '\1'

/* Values that a program gets from its environment: rows of builtin.c. */
enum builtin {
	BUILTIN_TID, /* u32, numbered in our PID namespace */
	BUILTIN_TGID,
	BUILTIN_PPID, /* the parent of the process */
	BUILTIN_UID,
	BUILTIN_GID,
	BUILTIN_CPU,
	BUILTIN_COMM,	/* TYPE_STRING of 16 */
	BUILTIN_TASK,	/* the current task's address, SPACE_KERNEL */
	BUILTIN_CGROUP, /* id in the default hierarchy */
	BUILTIN_TIME,	/* bpf_ktime_get_ns */
	BUILTIN_SITE,	/* index of the site within the plan: $func, $probe */
	BUILTIN_PERIOD, /* the sample's period, perf events only */
	BUILTIN_RANDOM, /* bpf_get_prandom_u32 */
	BUILTIN_KSTACK, /* TYPE_STACK */
	BUILTIN_USTACK,
	BUILTIN_PATH,	 /* path(file, path or dentry): TYPE_STRING; a is the struct dentry's
			  * address, b the struct vfsmount's or NULL */
	BUILTIN_JOIN,	 /* join(argv, value): strings of the array of pointers at a, in `space` */
	BUILTIN_DIRNAME, /* dirname(a): a string without its last part */
	BUILTIN_BSWAP,	 /* ntohs, ntohl: a's bytes swapped, when the host is little-endian */
	BUILTIN_IP,	 /* ip(family, v4, v6): TYPE_BYTES of 20; a family, b and c addresses of
			  * the 4 and 16 bytes in `space` */
	BUILTIN_UADDR,	 /* TYPE_BYTES of 16: the user address a, and its process b */
	BUILTIN_COMPAT,	 /* not 0: the current task is in a 32-bit system call; offset: that of
			  * thread_info.status in its task_struct (x86-64) */
	BUILTIN_SYSCALL, /* a register of the current task's system call, at `offset` in
			  * struct pt_regs */
	BUILTIN_TARGET,	 /* is_target(a): the filter accepts the task at the address a */
	BUILTIN_FILTER,	 /* matches_filter(a): the same; or there is only a program, no filter */
	BUILTIN_N,
};

#define TS_COMPAT 2	     /* thread_info.status: arch/x86/include/asm/thread_info.h */
#define TIF_32BIT (1U << 22) /* thread_info.flags: arch/arm64/include/asm/thread_info.h */

struct tree {
	enum tree_kind kind;
	const struct type *type;
	struct text_range at; /* the user's text from which this node was made */
	enum space space;
	u32 offset;
	u8 bit_offset, bit_size; /* bit_size 0: not a bit-field */
	u64 value;
	u32 index;
	bool of_span;
	bool is_kept; /* for an update of a span: a saved value that stays what it is */
	enum tree_op op;
	enum builtin builtin;
	enum tree_match match;
	struct view string;
	const struct tree *a, *b, *c;
	const struct tree *length;
	/* A TREE_STRING that is saved at an entry: if it cannot be read there, it is read at the
	 * return, unless this number has changed (another program has been executed, and the
	 * address has another meaning).  NULL: it is absent then. */
	const struct tree *program;
};

#endif
