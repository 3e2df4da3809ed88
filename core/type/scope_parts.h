/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files about scopes and by the checker; others use type/scope.h. */
#ifndef TYPE_SCOPE_PARTS_H
#define TYPE_SCOPE_PARTS_H

#include "base/suggest.h"
#include "type/build.h"

/* Argument i (from 0) as the unsigned long that it is in its register, word or stack slot. */
const struct tree *scope_arg_word(struct scope *s, u32 i);
const struct tree *scope_syscall_arg(struct scope *s, u32 i);
const struct tree *scope_syscall_result(struct scope *s);

static inline bool scope_is_syscall(const struct scope *s)
{
	return s->ctx == SCOPE_SYSCALL || s->ctx == SCOPE_SYSCALL_EVENT;
}
const struct tree *scope_return_word(struct scope *s);

/* The number of arguments that are passed in registers. */
u32 scope_n_register_args(const struct scope *s);

void scope_offer_registers(enum scope_arch arch, struct nearest *near);

/*
 * Places of a call's arguments according to the ABI (scope_call.c).  Ask for them in order, the
 * return value first.
 */
struct call {
	enum scope_arch arch;
	bool is_cplusplus;	     /* may pass a struct by its address */
	u32 ints, floats;	     /* registers used */
	u32 stack;		     /* words */
	bool is_lost, is_stack_lost; /* the places of the rest are unknown */
};

enum call_where {
	CALL_REGISTERS, /* words from `word`, as scope_arg_word() counts */
	CALL_STACK,	/* the same; return value: memory of the caller */
	CALL_REFERENCE, /* `word` holds its address */
	CALL_FLOATS,	/* at least in part in floating-point registers */
	CALL_LOST,
};

struct call_place {
	enum call_where where;
	u32 word, n_words;
};

struct call_place call_return(struct call *c, const struct btf *btf, u32 id);
struct call_place call_next(struct call *c, const struct btf *btf, u32 id);
struct call_place call_next_word(struct call *c); /* a scalar of 8 bytes at most */

#endif
