// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "base/hash.h"
#include "out/svg.h"

/* Shades run from one colour to the other; dark text must be readable on both. */
struct palette {
	struct rgb from[TINT_N], to[TINT_N];
};

static const struct palette warm = {
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

static const struct palette blue = {
	.from = { [TINT_BASE] = { 206, 211, 220 },
		  [TINT_USER] = { 116, 160, 238 },
		  [TINT_CPP] = { 106, 190, 214 },
		  [TINT_KERNEL] = { 140, 146, 226 },
		  [TINT_JIT] = { 108, 200, 160 },
		  [TINT_BPF] = { 184, 152, 226 },
		  [TINT_NOTE] = { 196, 198, 204 },
		  [TINT_DELIMITER] = { 224, 224, 226 } },
	.to = { [TINT_BASE] = { 220, 225, 232 },
		[TINT_USER] = { 158, 194, 248 },
		[TINT_CPP] = { 150, 214, 232 },
		[TINT_KERNEL] = { 178, 182, 240 },
		[TINT_JIT] = { 152, 222, 190 },
		[TINT_BPF] = { 208, 186, 240 },
		[TINT_NOTE] = { 214, 216, 220 },
		[TINT_DELIMITER] = { 224, 224, 226 } },
};

static const struct {
	char letter;
	const char *name;
} tints[TINT_N] = {
	[TINT_BASE] = { 'a', NULL },	   [TINT_USER] = { 'u', "user" },
	[TINT_CPP] = { 'c', "C++, Rust" }, [TINT_KERNEL] = { 'k', "kernel" },
	[TINT_JIT] = { 'j', "JIT" },	   [TINT_BPF] = { 'b', "BPF" },
	[TINT_NOTE] = { 'n', "unknown" },  [TINT_DELIMITER] = { 'd', NULL },
};

static const enum tint tint_of_kind[FRAME_N_KINDS] = {
	[FRAME_USER] = TINT_USER,    [FRAME_KERNEL] = TINT_KERNEL, [FRAME_MODULE] = TINT_KERNEL,
	[FRAME_BPF] = TINT_BPF,	     [FRAME_JIT] = TINT_JIT,	   [FRAME_VDSO] = TINT_USER,
	[FRAME_UNKNOWN] = TINT_NOTE, [FRAME_NOTE] = TINT_NOTE,
};

const struct palette *palette_of(bool is_waiting)
{
	return is_waiting ? &blue : &warm;
}

enum tint tint_of(const struct frame *f)
{
	enum tint t = tint_of_kind[f->kind];

	if (t == TINT_USER && !f->name)
		return TINT_NOTE;
	return t == TINT_USER && strstr(f->name, "::") ? TINT_CPP : t;
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

struct rgb palette_shade(const struct palette *p, enum tint t, u32 shade)
{
	const struct rgb *from = &p->from[t], *to = &p->to[t];

	return (struct rgb){ between(from->r, to->r, shade), between(from->g, to->g, shade),
			     between(from->b, to->b, shade) };
}
