/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --dump=ast|types: trees as S-expressions, one line each.  The format is stable enough for tests
 * to compare. */
#ifndef EXPR_DUMP_H
#define EXPR_DUMP_H

#include "base/str.h"
#include "syntax/ast.h"
#include "type/tree.h"

/* (== (-> (name sk) sk_dport) 13568) */
void dump_ast(const struct ast *e, struct str *out);

/* int(== u16(load kernel +12 (ptr(ctx +112))) ...): each node with its type */
void dump_tree(const struct tree *t, struct str *out);

#endif
