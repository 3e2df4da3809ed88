/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RENDER_SVG_H
#define RENDER_SVG_H

#include "render/stackpath.h"

/* ---- colours (palette.c) ---- */

#define TINT_SHADES 6

enum tint {
	TINT_BASE, /* all, and root frames */
	TINT_USER,
	TINT_CPP,
	TINT_KERNEL,
	TINT_JIT,
	TINT_BPF,
	TINT_NOTE,
	TINT_SLEEPER, /* all frames of a wait */
	TINT_WAKER,
	TINT_DELIMITER, /* "-" */
	TINT_SEPARATOR, /* "--" */
	TINT_N,
};

struct palette;

/* By what the run counts: CPU profiles are warm and tell frames apart by their kind, waiting is
 * blue, waking aqua. */
const struct palette *palette_of(const struct run_info *run);
enum tint tint_of(const struct palette *p, const struct report *r, const struct step *step);
/* Seeded from the name, so that a function looks the same in every graph. */
u32 shade_of(const char *name);
/* The class of a shade, as the style sheet names it: "u3". */
char tint_letter(enum tint t);
/* For the legend; NULL: not in it. */
const char *tint_name(enum tint t);

struct rgb {
	u8 r, g, b;
};
/* Does the palette draw anything with it? */
bool palette_has(const struct palette *p, enum tint t);
struct rgb palette_shade(const struct palette *p, enum tint t, u32 shade);
/* Is light text on it easier to read than dark text? */
bool rgb_is_dark(struct rgb c);

#endif
