// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "base/hash.h"
#include "render/svg.h"

/* Shades range from one color to the other. */
struct palette {
	bool is_by_kind; /* a frame's tint depends only on its kind; otherwise also on its side */
	struct rgb from[TINT_N], to[TINT_N];
};

/* Hues differ by a sixth of the circle or more, so that thin boxes can be told apart. */
static const struct palette cpu = {
	.is_by_kind = true,
	.from = { [TINT_BASE] = { 214, 208, 198 },
		  [TINT_USER] = { 238, 108, 92 },
		  [TINT_CPP] = { 236, 193, 62 },
		  [TINT_KERNEL] = { 118, 162, 214 },
		  [TINT_JIT] = { 112, 190, 96 },
		  [TINT_BPF] = { 186, 142, 226 },
		  [TINT_NOTE] = { 196, 198, 204 },
		  [TINT_DELIMITER] = { 224, 224, 226 } },
	.to = { [TINT_BASE] = { 228, 223, 214 },
		[TINT_USER] = { 250, 150, 134 },
		[TINT_CPP] = { 246, 219, 112 },
		[TINT_KERNEL] = { 158, 192, 232 },
		[TINT_JIT] = { 156, 216, 136 },
		[TINT_BPF] = { 208, 174, 238 },
		[TINT_NOTE] = { 214, 216, 220 },
		[TINT_DELIMITER] = { 224, 224, 226 } },
};

static const struct palette waiting = {
	.from = { [TINT_BASE] = { 206, 211, 220 },
		  [TINT_SLEEPER] = { 132, 132, 238 },
		  [TINT_SLEEPER_KERNEL] = { 190, 134, 222 },
		  [TINT_WAKER] = { 66, 188, 188 },
		  [TINT_WAKER_KERNEL] = { 112, 194, 116 },
		  [TINT_MARKER] = { 214, 200, 160 },
		  [TINT_CPU] = { 238, 108, 92 },
		  [TINT_DELIMITER] = { 224, 224, 226 },
		  [TINT_SEPARATOR] = { 160, 160, 160 } },
	.to = { [TINT_BASE] = { 220, 225, 232 },
		[TINT_SLEEPER] = { 174, 174, 252 },
		[TINT_SLEEPER_KERNEL] = { 212, 172, 238 },
		[TINT_WAKER] = { 124, 226, 226 },
		[TINT_WAKER_KERNEL] = { 158, 220, 158 },
		[TINT_MARKER] = { 226, 214, 180 },
		[TINT_CPU] = { 250, 150, 134 },
		[TINT_DELIMITER] = { 224, 224, 226 },
		[TINT_SEPARATOR] = { 160, 160, 160 } },
};

static const struct palette changes = {
	.from = { [TINT_LESS] = { 205, 222, 245 },
		  [TINT_EVEN] = { 222, 222, 220 },
		  [TINT_MORE] = { 253, 222, 184 } },
	.to = { [TINT_LESS] = { 84, 150, 222 },
		[TINT_EVEN] = { 222, 222, 220 },
		[TINT_MORE] = { 238, 126, 24 } },
};

static const struct palette ratios = {
	.from = { [TINT_LESS] = { 205, 222, 245 },
		  [TINT_EVEN] = { 206, 206, 204 },
		  [TINT_NEAR] = { 248, 240, 202 },
		  [TINT_MORE] = { 253, 222, 184 } },
	.to = { [TINT_LESS] = { 84, 150, 222 },
		[TINT_EVEN] = { 206, 206, 204 },
		[TINT_NEAR] = { 248, 240, 202 },
		[TINT_MORE] = { 238, 126, 24 } },
};

static const struct {
	char letter;
	const char *name;
} tints[TINT_N] = {
	[TINT_BASE] = { 'a', NULL },
	[TINT_USER] = { 'u', "user" },
	[TINT_CPP] = { 'c', "C++, Rust" },
	[TINT_KERNEL] = { 'k', "kernel" },
	[TINT_JIT] = { 'j', "JIT" },
	[TINT_BPF] = { 'b', "BPF" },
	[TINT_NOTE] = { 'n', "unknown" },
	[TINT_SLEEPER] = { 's', "waits" },
	[TINT_SLEEPER_KERNEL] = { 't', "waits, kernel" },
	[TINT_WAKER] = { 'w', "wakes" },
	[TINT_WAKER_KERNEL] = { 'x', "wakes, kernel" },
	[TINT_MARKER] = { 'm', "not code" },
	[TINT_CPU] = { 'r', "on CPU" },
	[TINT_DELIMITER] = { 'd', NULL },
	[TINT_SEPARATOR] = { 'e', NULL },
	[TINT_LESS] = { 'l', "less" },
	[TINT_EVEN] = { 'v', "may be chance" },
	[TINT_MORE] = { 'o', "more" },
	[TINT_NEAR] = { 'q', NULL },
};

static const enum tint tint_of_kind[FRAME_N_KINDS] = {
	[FRAME_USER] = TINT_USER,    [FRAME_KERNEL] = TINT_KERNEL, [FRAME_MODULE] = TINT_KERNEL,
	[FRAME_BPF] = TINT_BPF,	     [FRAME_JIT] = TINT_JIT,	   [FRAME_VDSO] = TINT_USER,
	[FRAME_UNKNOWN] = TINT_NOTE, [FRAME_NOTE] = TINT_NOTE,
};

const struct palette *palette_of(const struct run_info *run)
{
	return run->unit == UNIT_NS ? &waiting : &cpu;
}

const struct palette *palette_of_changes(void)
{
	return &changes;
}

const struct palette *palette_of_ratios(void)
{
	return &ratios;
}

static enum tint by_kind(const struct frame *f)
{
	enum tint t = tint_of_kind[f->kind];

	if (t == TINT_USER && !f->name)
		return TINT_NOTE;
	return t == TINT_USER && strstr(f->name, "::") ? TINT_CPP : t;
}

static enum tint by_side(const struct frame *f, bool is_waker)
{
	if (f->kind == FRAME_NOTE)
		return f->name && !strcmp(f->name, FRAME_ON_CPU) ? TINT_CPU : TINT_MARKER;
	if (frame_is_kernel(f->kind))
		return is_waker ? TINT_WAKER_KERNEL : TINT_SLEEPER_KERNEL;
	return is_waker ? TINT_WAKER : TINT_SLEEPER;
}

/* In the picture of a wakeup, all frames are the waker's, and the task is the one that waited. */
enum tint tint_of(const struct palette *p, const struct report *r, const struct step *step)
{
	bool is_wakeup = r->run->shape == SHAPE_WAKEUP;

	switch (step->what) {
	case STEP_ALL:
	case STEP_WHOLE:
		return TINT_BASE;
	case STEP_TASK:
		return is_wakeup ? TINT_SLEEPER : TINT_BASE;
	case STEP_DELIMITER:
		return TINT_DELIMITER;
	case STEP_SEPARATOR:
		return TINT_SEPARATOR;
	case STEP_FRAME:
		return p->is_by_kind
			       ? by_kind(&r->frames[step->frame])
			       : by_side(&r->frames[step->frame], is_wakeup || step->is_waker);
	case STEP_END:
		return TINT_MARKER;
	case STEP_WAKER:
		break;
	}
	return TINT_WAKER;
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
