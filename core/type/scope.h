/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names that an expression may use at a site: rows of name, type and the tree that fetches the
 * value.  The owner of a site (core/site's struct site) builds its scope with the calls below, and
 * expr/check.c looks names up.  Sites with equal scopes share a program.  Must not know the AST,
 * nor how a program is attached to its site.
 *
 * Arguments are read with the layout of the chosen attach method (scope_ctx): the same function's
 * arguments are in different places under kprobe and fentry.
 */
#ifndef TYPE_SCOPE_H
#define TYPE_SCOPE_H

#include "base/mem.h"
#include "syntax/ast.h"
#include "type/tree.h"

/* The layout of the program's context. */
enum scope_ctx {
	SCOPE_REGS,	  /* struct pt_regs: kprobe, uprobe, USDT, perf events (pt_regs first) */
	SCOPE_REGS_INNER, /* a system call's wrapper: the first argument points to the pt_regs that
			   * hold the arguments */
	SCOPE_WORDS,	  /* u64 per argument: fentry, fexit, tp_btf, raw_tp */
	SCOPE_SYSCALL,	  /* words of sys_enter, sys_exit: pt_regs that hold the arguments, and the
			   * number or result (scope_syscall) */
	SCOPE_SYSCALL_EVENT, /* the record of a call's own tracepoint */
	SCOPE_RECORD,	     /* a tracepoint's record */
	SCOPE_NOTHING,	     /* timed samples without arguments of their own */
};

/* Registers differ by architecture; offsets are those of struct pt_regs (arm64: user_pt_regs). */
enum scope_arch {
	ARCH_X86_64,
	ARCH_ARM64,
};

enum scope_arch scope_host_arch(void);

enum scope_side {
	SIDE_ENTRY,
	SIDE_RETURN,
	SIDE_EVENT, /* neither: tracepoints, USDT, samples */
};

struct scope_name {
	const char *name;
	const struct tree *value; /* with its type; for an aggregate, its address.  NULL: see
				   * `expr`, or known but not readable: see `why` */
	const char *expr;	  /* an alias: an expression over this scope's names */
	const char *why;	  /* without a value: where it is instead */
	const struct type *type;  /* NULL: not known */
	/* A pointer to data: how many bytes may be read, as an expression over this scope's names;
	 * "": there is nothing to read yet.  They are printed when there is no format.  NULL: the
	 * type tells what to print. */
	const char *n_bytes;
	bool is_text;	/* and these bytes may be text */
	bool is_bare;	/* found as `x` */
	bool is_arg;	/* one of the arguments, in order: printed when there is no format */
	bool is_dollar; /* found as `$x` */
	bool is_args;	/* found as `args->x` */
};

/*
 * The starts of a span: one scope for each program at the start, and the values that these programs
 * must save.  saved.items[i][k] is value i at start k, with the same type at all starts.  Shared by
 * the span's ends, where expr_check fills it.
 */
struct scope_starts {
	struct scope **scopes;
	u32 n;
	VEC(const struct tree **) saved;
};

struct scope {
	struct types *types;
	struct arena *arena;
	enum scope_arch arch;
	enum scope_ctx ctx;
	enum scope_side side;
	enum space space; /* where an untyped address points: USER at uprobes, system calls
			   * and USDT, EITHER at kernel functions, KERNEL at tracepoints */
	const char *site; /* for messages: "p:c:malloc" */
	const struct btf *proto_btf; /* scope_btf_func's, for a signature that leaves out types */
	u32 proto_id, proto_skip;
	u64 hidden_words; /* SCOPE_WORDS: a bit for each word that the verifier refuses to load */
	VEC(struct scope_name) names;
	const struct tree *retval;    /* NULL: not a return, or not readable */
	bool is_retval_plain;	      /* its type is not known: the register, as a signed long */
	u32 n_record_args;	      /* SCOPE_SYSCALL_EVENT: arguments that the record has */
	const struct tree *guard;     /* the site is hit only if this is true; NULL: always */
	const struct tree *number;    /* SCOPE_SYSCALL, _EVENT: the call's number */
	const struct tree *any_guard; /* SCOPE_SYSCALL: a guard that lets every call pass */
	/* Nonzero if the task is in a 32-bit system call, whose number means a different call.
	 * NULL: not known, or numbers need no names here. */
	const struct tree *compat;
	bool is_user; /* the site is in a process, not in the kernel */
	/* At a user function's first instruction: a word by which its caller is found
	 * (FIXED_SEND_CALLER in bpf/abi/fixed.h); NULL: none. */
	const struct tree *caller;
	bool is_update;	  /* replaces values of an open span */
	bool is_any_task; /* interrupts, scheduler: the event is not about the current task */
	bool has_period;
	s32 (*syscall_number)(const char *name); /* negative: unknown name; may be NULL */
	/* At a return: the scope of the entry, for $entry(expr) and $latency.  NULL: not
	 * available. */
	struct scope *entry;
	/* At the end of a span: the scopes of its starts, for $start(expr); $latency is then that
	 * of the span.  NULL: no span ends here. */
	struct scope_starts *starts;
	/* Values that `entry`'s program must save, indexed by TREE_SAVED's index.  Filled by
	 * expr_check at the return. */
	VEC(const struct tree *) saved;
	bool wants_latency; /* an expression uses $latency */
	/* Hints for messages: the requirement for each of these ("needs fentry: ..."). */
	const char *no_retval, *no_entry, *no_args;
};

void scope_init(struct scope *s, struct types *types, enum scope_ctx ctx, enum scope_side side,
		const char *site);
void scope_release(struct scope *s); /* not `entry`, `starts`: borrowed */

/* Registers arg1..arg6 (unsigned long), retval at returns, %reg, ctx->reg: SCOPE_REGS[_INNER],
 * and argN of SCOPE_WORDS, n_args of them. */
void scope_args(struct scope *s, u32 n_args);

/*
 * fentry, fexit and tp_btf: the verifier knows the types of the words, and refuses to load pointers
 * to anything except char, void and structs (the exact set depends on the kernel).  Those words are
 * copied instead.  Call it before scope_args(); parameters as in scope_btf_func().
 */
void scope_hide_words(struct scope *s, const struct btf *btf, u32 id, u32 skip);

/*
 * Parameters by name and type from a BTF function (BTF_KIND_FUNC or _FUNC_PROTO; the first `skip`
 * parameters are not arguments: tp_btf's void *).  Their values come from the registers or words;
 * `SIDE_RETURN` adds a typed retval.  0, or -code when the BTF is broken.
 */
int scope_btf_func(struct scope *s, const struct btf *btf, u32 id, u32 skip, struct err *err);

/*
 * The user's signature: names and types by position.  An unknown type is an error with a caret,
 * unless it is only pointed to.
 */
int scope_signature(struct scope *s, const struct text *t, const struct ast_signature *sig,
		    struct err *err);

/* Parameters from C text ("unsigned int fd", "const char *buf"): system calls' tracepoint formats,
 * alias tables. `arg` counts from 0. */
int scope_param(struct scope *s, u32 arg, const char *c_type, const char *name, struct err *err);

/* The return type as C text ("long"): negative values are shown by errno name. */
int scope_retval(struct scope *s, const char *c_type, struct err *err);

/* The site is hit by all system calls, 32-bit ones too: set s->compat if it can be determined. */
void scope_knows_compat(struct scope *s);

/*
 * Mark the numbers in values and keys whose names depend on more than the number, before they are
 * sent to user space.
 *
 * System call numbers of 32-bit calls are XORed with SYSCALL_COMPAT, a bit that no number has, so
 * that they do not get the name of a 64-bit call.  If the two can't be told apart, no number gets a
 * name.
 *
 * If another argument decides (type_names.by), its lower bits are put into bits 32 to 61 of each
 * number that needs only 32, below SCOPE_CHOSEN: no number or address begins with these two bits.
 */
#define SYSCALL_COMPAT	  (1ULL << 40)
#define SCOPE_CHOSEN	  (2ULL << 62)
#define SCOPE_CHOSEN_MASK (3ULL << 62)
#define SCOPE_CHOICE_BITS 30
void scope_mark_values(struct scope *s, const struct tree **values, u32 n);

/* SCOPE_SYSCALL, _EVENT: set the number, and for the former the guard, which lets only this call of
 * 64-bit tasks pass. */
#define SCOPE_ANY_SYSCALL UINT32_MAX
void scope_syscall(struct scope *s, u32 nr);

/* The value of an enumerator, in any enumeration of the BTFs; false: unknown. */
bool scope_enumerator(const struct scope *s, const char *name, u64 *value);

/* A field of a tracepoint's record. */
enum scope_field_kind {
	FIELD_PLAIN,
	FIELD_DATA_LOC, /* u32: length << 16 | offset from the record's start */
	FIELD_REL_LOC,	/* u32: length << 16 | offset from the end of this field */
};

struct scope_field {
	const char *name;
	const char
		*c_type; /* "unsigned int", "char[16]", "__data_loc char[]": as the format says */
	enum scope_field_kind kind;
	u32 offset, size;
	bool is_signed;
	const struct type_names *names; /* from __print_symbolic, __print_flags; or NULL */
	enum show show;			/* how to show its number, if the type doesn't say */
};

void scope_field(struct scope *s, const struct scope_field *f);

/* A USDT operand: argN of a probe, from its ELF note ("-4@%eax", "8@-16(%rbp,%rcx,8)", "4@$5"). */
enum scope_operand_kind {
	OPERAND_CONST,	/* value */
	OPERAND_REG,	/* the register at reg_offset of pt_regs */
	OPERAND_MEMORY, /* user memory at reg + value (+ index * scale) */
	OPERAND_NONE,	/* cannot be read here (a vector register): using it is an error */
};

struct scope_operand {
	enum scope_operand_kind kind;
	u8 size; /* 1, 2, 4, 8 */
	bool is_signed;
	bool has_index;
	s64 value;
	u32 reg_offset, index_offset; /* bytes into pt_regs */
	u8 reg_shift;		      /* 8 for %ah: the value is in bits 8 to 15 */
	u32 scale;
};

void scope_operand(struct scope *s, u32 arg, const struct scope_operand *o); /* from 0 */

/* Another name for an expression over the scope's names, used to map arguments of renamed
 * functions.  Both strings are bperf's own literals, so an error is a bug. */
void scope_alias(struct scope *s, const char *name, const char *expr);

/* A register's offset in pt_regs, by any of its names ("di", "rdi", "edi", "ax", "x0", "sp");
 * false: no such register.  `size`: 8, 4, 2 or 1, depending on the name (edi: 4). */
bool scope_register(enum scope_arch arch, const char *name, u32 *offset, u32 *size, u32 *shift);

const struct scope_name *scope_find(const struct scope *s, const char *name);

/* The key of a call's span, in addition to the thread: the stack pointer; for fentry and fexit the
 * context's address; the constant 0 for system calls, which do not nest. */
const struct tree *scope_stack_pointer(struct scope *s);

/* A word by which a function's return address is found at its first instruction: x86-64's stack
 * pointer, which points to it, or arm64's link register, which holds it. */
const struct tree *scope_caller(struct scope *s);

/* Are the two scopes equal to the compiler, so that one program can serve both sites? */
bool scope_same(const struct scope *a, const struct scope *b);

#endif
