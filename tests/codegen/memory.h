/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inputs of random expressions: arguments and what they point to, made from a seed. */
#ifndef MEMORY_H
#define MEMORY_H

#include <string.h>

#include "thing.h"

#define N_ARGS	 12
#define N_INPUTS 3

static inline unsigned long long next_random(unsigned long long *state)
{
	unsigned long long x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Numbers where arithmetic goes wrong come up often. */
static inline unsigned long long random_value(unsigned long long *state)
{
	static const unsigned long long special[] = {
		0,
		1,
		2,
		3,
		7,
		8,
		31,
		32,
		33,
		63,
		64,
		127,
		128,
		255,
		256,
		0x7fff,
		0x8000,
		0xffff,
		0x10000,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		0x7fffffffffffffff,
		0x8000000000000000,
	};
	unsigned long long r = next_random(state);
	unsigned int bits = r >> 8 & 63;

	switch (r & 3) {
	case 0:
		return special[(r >> 16) % (sizeof(special) / sizeof(special[0]))];
	case 1:
		return -special[(r >> 16) % (sizeof(special) / sizeof(special[0]))];
	case 2:
		return next_random(state) >> bits;
	default:
		return -(next_random(state) >> bits);
	}
}

static const char *const texts[] = {
	"",
	"a",
	"ab",
	"abc",
	"abcd",
	"abcdefg",
	"abcdefgh",
	"abcdefghi",
	"/usr/lib/libc.so.6",
	"/usr/bin/true",
	"libc",
	"x",
	"xyz",
	"a*c",
	"a?c",
	"[abc]",
	"foo.c",
	"foo.h",
	"Makefile",
};
#define N_TEXTS (sizeof(texts) / sizeof(texts[0]))

struct memory {
	struct thing things[4];
	char copies[N_TEXTS][32];
};

static inline void fill_thing(struct memory *m, struct thing *t, unsigned long long *r)
{
	t->c = (char)random_value(r);
	t->sc = (signed char)random_value(r);
	t->uc = (unsigned char)random_value(r);
	t->s = (short)random_value(r);
	t->us = (unsigned short)random_value(r);
	t->i = (int)random_value(r);
	t->u = (unsigned int)random_value(r);
	t->l = (long)random_value(r);
	t->ul = random_value(r);
	t->b = next_random(r) & 1;
	t->b3 = (int)(next_random(r) & 7) - 4;
	t->b7 = (int)(next_random(r) & 127) - 64;
	t->u5 = next_random(r) & 31;
	t->u12 = next_random(r) & 4095;
	t->u1 = next_random(r) & 1;
	t->u32 = (unsigned int)random_value(r);
	t->uc4 = next_random(r) & 15;
	t->uc3 = next_random(r) & 7;
	t->l20 = (long)(next_random(r) & 0xfffff) - 0x80000;
	t->colour = next_random(r) & 1 ? GREEN : BLUE;
	for (int i = 0; i < 8; i++)
		t->array[i] = (int)random_value(r);
	for (int i = 0; i < 16; i++)
		t->bytes[i] = (unsigned char)random_value(r);
	for (int i = 0; i < 8; i++)
		t->matrix[i / 4][i % 4] = (short)random_value(r);
	t->in.x = (int)random_value(r);
	t->in.y = (unsigned int)random_value(r);
	t->w = (unsigned int)random_value(r);
	t->next = &m->things[next_random(r) % 4];
	t->pointer = m->things[next_random(r) % 4].array;
	strcpy(t->name, m->copies[next_random(r) % N_TEXTS]);
	t->text = m->copies[next_random(r) % N_TEXTS];
}

/* args: as registers hold them, with rubbish above narrow types' bits. */
static inline void fill_memory(struct memory *m, unsigned long long seed,
			       unsigned long long args[N_ARGS])
{
	unsigned long long r = seed;

	memset(m, 0, sizeof(*m));
	for (unsigned int i = 0; i < N_TEXTS; i++)
		strcpy(m->copies[i], texts[i]);
	for (int i = 0; i < 4; i++)
		fill_thing(m, &m->things[i], &r);
	for (int i = 0; i < N_ARGS; i++)
		args[i] = random_value(&r);
	args[9] = (unsigned long long)&m->things[next_random(&r) % 4];
	args[10] = next_random(&r) & 1 ? 0 : 0xdead000000000000ULL;
	args[11] = (unsigned long long)m->copies[next_random(&r) % N_TEXTS];
}

#endif
