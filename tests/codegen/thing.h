/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that random expressions reach through pointers.  The same memory, made from the same
 * seed, for BPF programs (tests/codegen/values.c), for the same expressions in C, and as BTF
 * (tests/fixtures/btf/thing.c).
 */
#ifndef THING_H
#define THING_H

enum colour {
	RED,
	GREEN = 7,
	BLUE = -3
};

struct thing {
	char c;
	signed char sc;
	unsigned char uc;
	short s;
	unsigned short us;
	int i;
	unsigned int u;
	long l;
	unsigned long ul;
	_Bool b;
	int b3 : 3, b7 : 7;
	unsigned int u5 : 5, u12 : 12, u1 : 1, u32 : 32;
	unsigned char uc4 : 4, uc3 : 3;
	long l20 : 20;
	enum colour colour;
	int array[8];
	unsigned char bytes[16];
	short matrix[2][4];
	struct {
		int x;
		union {
			unsigned int y;
			short z;
		};
	} in;
	union {
		unsigned int w;
		signed char v;
	};
	struct thing *next;
	int *pointer;
	char name[20];
	const char *text;
};

#endif
