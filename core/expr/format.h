/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace's format strings: parses them into pieces, and checks the pieces against the values.
 * Rendering is elsewhere, because it needs symbols.
 */
#ifndef EXPR_FORMAT_H
#define EXPR_FORMAT_H

#include "base/arena.h"
#include "base/mem.h"
#include "base/source.h"
#include "expr/check.h"

enum format_kind {
	FORMAT_TEXT,	/* `text`, escapes and %% resolved */
	FORMAT_INT,	/* d i u x X o: conv says which */
	FORMAT_CHAR,	/* c */
	FORMAT_STRING,	/* s: a string, or a number's symbolic name */
	FORMAT_POINTER, /* p */
	FORMAT_KSYM,	/* K */
	FORMAT_USYM,	/* U */
	FORMAT_IP,	/* I */
	FORMAT_MAC,	/* M: 6 bytes */
	FORMAT_ERRNO,	/* E */
	FORMAT_NS,	/* {us} {ms} {s}: `unit_ns` */
};

#define FORMAT_WIDTH_MAX 4096 /* also of precisions: longer than any line of a terminal */

struct format_piece {
	enum format_kind kind;
	struct text_range at;
	struct view text;
	char conv;
	u8 bytes;			     /* hh 1, h 2, none 4, l ll z j t 8: as in printf */
	bool left, zero, plus, space, alt;   /* - 0 + ' ' # */
	bool width_is_arg, precision_is_arg; /* `*`: a separate value, before this one */
	s32 width, precision;		     /* -1: none */
	u64 unit_ns;
	u32 value, width_value, precision_value; /* indices of values */
};

struct format {
	VEC(struct format_piece) pieces;
	u32 n_values; /* number of values that the format needs */
};

/* `inside` is the span between the quotes.  Texts of pieces live in the arena. */
int format_parse(struct arena *a, const struct text *t, struct text_range inside,
		 struct format *out, struct err *err);
void format_release(struct format *f);

/* How expr_check should convert value `i`: %s needs a string, %K an address. */
enum check_as format_wants(const struct format *f, u32 i);

/* Limit the read of each %s to its precision: bytes after it may not be readable. */
void format_limit(const struct format *f, struct types *t, const struct tree **values, u32 n);

/* Check the number of values and their types: no string for %d, ... */
int format_check(const struct format *f, const struct text *t, struct text_range whole,
		 const struct tree *const *values, u32 n, struct err *err);

#endif
