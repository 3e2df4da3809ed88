/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files that check calls of built-in functions: check_call.c, check_text.c. */
#ifndef EXPR_CALL_INT_H
#define EXPR_CALL_INT_H

#include "expr/check_int.h"

struct checked_call {
	struct checker *c;
	const struct ast *e;
	const struct function *fn;
	struct value args[3]; /* checked, except those in fn->unchecked */
};

struct function {
	const char *name;
	u8 min_args, max_args;
	u8 unchecked; /* bit i: `check` checks argument i itself */
	int (*check)(struct checked_call *call, struct value *out);
	const char *macro; /* an expression over a, b, c; check_plain: a $name */
	u32 number;	   /* check_swap: bytes; check_shown, check_buffer: enum show */
	const char *usage;
};

/* Set an error about an argument, and show how the function is called.  Returns -code. */
int call_wrong(struct checked_call *call, struct text_range at, const char *what);

/* check_text.c: functions of strings. */
int check_strcmp_macro(struct checked_call *call, struct value *out);
int check_strcmp(struct checked_call *call, struct value *out);
int check_dirname(struct checked_call *call, struct value *out);
int check_join(struct checked_call *call, struct value *out);

#endif
