// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "base/hash.h"
#include "render/svg.h"

/* Shades range from one color to the other. */
struct palette {
	bool is_by_kind; /* frames have the tint of their kind; otherwise of their side: */
	enum tint sleeper, waker;
	struct rgb from[TINT_N], to[TINT_N];
};

static const struct palette java = {
	.is_by_kind = true,
	.from = { [TINT_BASE] = { 214, 208, 198 },
		  [TINT_USER] = { 240, 112, 82 },
		  [TINT_CPP] = { 236, 193, 62 },
		  [TINT_KERNEL] = { 245, 151, 51 },
		  [TINT_JIT] = { 112, 190, 96 },
		  [TINT_BPF] = { 172, 148, 226 },
		  [TINT_NOTE] = { 196, 198, 204 },
		  [TINT_DELIMITER] = { 224, 224, 226 } },
	.to = { [TINT_BASE] = { 228, 223, 214 },
		[TINT_USER] = { 250, 160, 122 },
		[TINT_CPP] = { 246, 219, 112 },
		[TINT_KERNEL] = { 252, 186, 100 },
		[TINT_JIT] = { 156, 216, 136 },
		[TINT_BPF] = { 198, 180, 238 },
		[TINT_NOTE] = { 214, 216, 220 },
		[TINT_DELIMITER] = { 224, 224, 226 } },
};

/* The next three palettes are those of flamegraph.pl. */

static const struct palette io = {
	.sleeper = TINT_SLEEPER,
	.from = { [TINT_BASE] = { 206, 211, 220 },
		  [TINT_SLEEPER] = { 80, 80, 190 },
		  [TINT_DELIMITER] = { 224, 224, 226 } },
	.to = { [TINT_BASE] = { 220, 225, 232 },
		[TINT_SLEEPER] = { 140, 140, 245 },
		[TINT_DELIMITER] = { 224, 224, 226 } },
};

static const struct palette wakeup = {
	.sleeper = TINT_WAKER,
	.waker = TINT_WAKER,
	.from = { [TINT_BASE] = { 206, 211, 220 },
		  [TINT_WAKER] = { 50, 165, 165 },
		  [TINT_DELIMITER] = { 224, 224, 226 } },
	.to = { [TINT_BASE] = { 220, 225, 232 },
		[TINT_WAKER] = { 110, 220, 220 },
		[TINT_DELIMITER] = { 224, 224, 226 } },
};

static const struct palette chain = {
	.sleeper = TINT_SLEEPER,
	.waker = TINT_WAKER,
	.from = { [TINT_BASE] = { 206, 211, 220 },
		  [TINT_SLEEPER] = { 80, 80, 205 },
		  [TINT_WAKER] = { 50, 165, 165 },
		  [TINT_DELIMITER] = { 224, 224, 226 },
		  [TINT_SEPARATOR] = { 160, 160, 160 } },
	.to = { [TINT_BASE] = { 220, 225, 232 },
		[TINT_SLEEPER] = { 140, 140, 255 },
		[TINT_WAKER] = { 110, 220, 220 },
		[TINT_DELIMITER] = { 224, 224, 226 },
		[TINT_SEPARATOR] = { 160, 160, 160 } },
};

static const struct palette *const of_shape[] = {
	[SHAPE_STACK] = &io,
	[SHAPE_WAKEUP] = &wakeup,
	[SHAPE_CHAIN] = &chain,
};

static const struct {
	char letter;
	const char *name;
} tints[TINT_N] = {
	[TINT_BASE] = { 'a', NULL },	   [TINT_USER] = { 'u', "user" },
	[TINT_CPP] = { 'c', "C++, Rust" }, [TINT_KERNEL] = { 'k', "kernel" },
	[TINT_JIT] = { 'j', "JIT" },	   [TINT_BPF] = { 'b', "BPF" },
	[TINT_NOTE] = { 'n', "unknown" },  [TINT_SLEEPER] = { 's', "waits" },
	[TINT_WAKER] = { 'w', "wakes" },   [TINT_DELIMITER] = { 'd', NULL },
	[TINT_SEPARATOR] = { 'e', NULL },
};

static const enum tint tint_of_kind[FRAME_N_KINDS] = {
	[FRAME_USER] = TINT_USER,    [FRAME_KERNEL] = TINT_KERNEL, [FRAME_MODULE] = TINT_KERNEL,
	[FRAME_BPF] = TINT_BPF,	     [FRAME_JIT] = TINT_JIT,	   [FRAME_VDSO] = TINT_USER,
	[FRAME_UNKNOWN] = TINT_NOTE, [FRAME_NOTE] = TINT_NOTE,
};

const struct palette *palette_of(const struct run_info *run)
{
	return run->unit == UNIT_NS ? of_shape[run->shape] : &java;
}

static enum tint by_kind(const struct frame *f)
{
	enum tint t = tint_of_kind[f->kind];

	if (t == TINT_USER && !f->name)
		return TINT_NOTE;
	return t == TINT_USER && strstr(f->name, "::") ? TINT_CPP : t;
}

enum tint tint_of(const struct palette *p, const struct report *r, const struct step *step)
{
	switch (step->what) {
	case STEP_ALL:
		return TINT_BASE;
	case STEP_TASK:
		return r->run->shape == SHAPE_WAKEUP ? p->sleeper : TINT_BASE;
	case STEP_DELIMITER:
		return TINT_DELIMITER;
	case STEP_SEPARATOR:
		return TINT_SEPARATOR;
	case STEP_FRAME:
		if (p->is_by_kind)
			return by_kind(&r->frames[step->frame]);
		return step->is_waker ? p->waker : p->sleeper;
	case STEP_WAKER:
	case STEP_END:
		break;
	}
	return p->waker;
}

u32 shade_of(const char *name)
{
	return (u32)(hash_bytes(name, strlen(name)) % TINT_SHADES);
}

char tint_letter(enum tint t)
{
	return tints[t].letter;
}

const char *tint_name(enum tint t)
{
	return tints[t].name;
}

static u8 between(u8 from, u8 to, u32 shade)
{
	return (u8)(from + (to - from) * (int)shade / (TINT_SHADES - 1));
}

static bool is_black(struct rgb c)
{
	return !c.r && !c.g && !c.b;
}

bool palette_has(const struct palette *p, enum tint t)
{
	return !is_black(p->from[t]);
}

struct rgb palette_shade(const struct palette *p, enum tint t, u32 shade)
{
	const struct rgb *from = &p->from[t], *to = &p->to[t];

	return (struct rgb){ between(from->r, to->r, shade), between(from->g, to->g, shade),
			     between(from->b, to->b, shade) };
}

/* Luminance as in WCAG 2, with a gamma of 2: below 0.18, white has more contrast than black. */
bool rgb_is_dark(struct rgb c)
{
	double r = c.r / 255.0, g = c.g / 255.0, b = c.b / 255.0;

	return 0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b < 0.18;
}
