/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RENDER_SVG_H
#define RENDER_SVG_H

#include "render/stackpath.h"

struct render;

/* Draw a flame graph; is_inline: as an element for a page that has the style and the script.
 * false: nothing was counted; the picture says so, and needs no script. */
bool flames_draw(struct render *out, const struct report *r, bool is_inline);

/* ---- colors (palette.c) ---- */

#define TINT_SHADES 6

enum tint {
	TINT_BASE, /* the root box, and root frames */
	TINT_USER,
	TINT_CPP,
	TINT_KERNEL,
	TINT_JIT,
	TINT_BPF,
	TINT_NOTE,
	TINT_SLEEPER, /* a waiting thread: user code, and its kernel frames */
	TINT_SLEEPER_KERNEL,
	TINT_WAKER,
	TINT_WAKER_KERNEL,
	TINT_MARKER,	/* not code: [blocked], [running], [not over] */
	TINT_CPU,	/* [on CPU] */
	TINT_DELIMITER, /* "-" */
	TINT_SEPARATOR, /* "--" */
	TINT_LESS,	/* differences */
	TINT_EVEN,
	TINT_MORE,
	TINT_NEAR, /* ratios: that of the whole */
	TINT_N,
};

struct palette;

/* The palette for the kind of value: CPU profiles color frames by kind.  In pictures of waiting, a
 * waiting thread is blue (user code) and violet (kernel code), a waker aqua and green.  All shades
 * are light, because text on them is always dark. */
const struct palette *palette_of(const struct run_info *run);
/* For differences: the shade shows the size of the change.  People who cannot distinguish red from
 * green can distinguish blue from orange. */
const struct palette *palette_of_changes(void);
/* For ratios, in the same colors. */
const struct palette *palette_of_ratios(void);
enum tint tint_of(const struct palette *p, const struct report *r, const struct step *step);
/* The shade is derived from the name, so that a function looks the same in every graph. */
u32 shade_of(const char *name);
/* The letter of a tint's class in the style sheet, as in "u3". */
char tint_letter(enum tint t);
/* The name in the legend; NULL: the tint is not in the legend. */
const char *tint_name(enum tint t);

struct rgb {
	u8 r, g, b;
};
/* true if the palette uses the tint. */
bool palette_has(const struct palette *p, enum tint t);
struct rgb palette_shade(const struct palette *p, enum tint t, u32 shade);

#endif
