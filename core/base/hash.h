/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hash functions for in-memory tables; hashes are never written out. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/types.h"

/* The finalizer of MurmurHash3: every input bit reaches every output bit. */
static inline u64 hash_u64(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

static inline u64 hash_mix(u64 h, u64 x)
{
	return hash_u64(h * 0x9e3779b97f4a7c15ULL + x);
}

/* FNV-1a, then mixed so that the low bits are good. */
static inline u64 hash_bytes(const void *p, size_t n)
{
	const u8 *b = p;
	u64 h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3ULL;
	return hash_u64(h);
}

#endif
