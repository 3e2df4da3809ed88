/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef VALUES_RANDOM_H
#define VALUES_RANDOM_H

#include "base/str.h"

/* One expression in both languages.  Zero-initialize; str_release both texts. */
struct both {
	struct str ours, c;
	unsigned long long random;
};

/* Number i of a seed: the same each time. */
void random_expression(struct both *o, u64 seed, u32 i);

#endif
