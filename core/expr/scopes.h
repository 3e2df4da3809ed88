/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files about scopes share; others use expr/scope.h. */
#ifndef EXPR_SCOPES_H
#define EXPR_SCOPES_H

#include "base/nearest.h"
#include "expr/build.h"

/* Argument i (from 0) as the unsigned long that it is in its register, word or stack slot. */
const struct tree *scope_arg_word(struct scope *s, u32 i);
const struct tree *scope_syscall_arg(struct scope *s, u32 i);
const struct tree *scope_return_word(struct scope *s);

/* How many have a register. */
u32 scope_n_register_args(const struct scope *s);

void scope_offer_registers(enum scope_arch arch, struct nearest *near);

#endif
