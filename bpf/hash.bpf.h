/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BPF_HASH_BPF_H
#define BPF_HASH_BPF_H

/*
 * Two multiply-and-fold lanes over words, from two seeds.  Each lane alone is a 64-bit hash; with
 * both, the probability of an accidental collision among 2^32 stacks is 2^-65.
 */
struct hash_ids { /* a table of such hashes; its real size is set before loading */
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 2 * sizeof(u64));
	__uint(value_size, sizeof(u32));
};

static __always_inline void hash_begin(u64 *hash, u64 a, u64 b)
{
	hash[0] = a;
	hash[1] = b;
}

/* Add the `n` words, at most `max` (a constant: the verifier counts the steps). */
static __always_inline void hash_add(u64 *hash, const u64 *words, u32 n, const u32 max)
{
	u64 a = hash[0], b = hash[1];

	for (u32 i = 0; i < max; i++) {
		u64 w;

		if (i >= n)
			break;
		w = words[i];
		a = (a ^ w) * 0x9fb21c651e98df25ULL;
		b = (b + w) * 0xd6e8feb86659fd93ULL;
		a ^= a >> 32;
		b ^= b >> 29;
	}
	hash[0] = a;
	hash[1] = b;
}

static __always_inline void hash_end(u64 *hash)
{
	u64 a = hash[0], b = hash[1];

	a = (a ^ b >> 31) * 0xff51afd7ed558ccdULL;
	b = (b ^ a >> 33) * 0xc4ceb9fe1a85ec53ULL;
	hash[0] = a ^ a >> 32;
	hash[1] = b ^ b >> 32;
}

static __always_inline void hash_words(const u64 *words, u32 n, const u32 max, u64 a, u64 b,
				       u64 *hash)
{
	hash_begin(hash, a, b);
	hash_add(hash, words, n, max);
	hash_end(hash);
}

#endif
