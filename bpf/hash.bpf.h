/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BPF_HASH_BPF_H
#define BPF_HASH_BPF_H

/*
 * Two multiply-and-fold lanes over the `n` words, at most `max` (a constant: the verifier counts
 * the steps), from two seeds.  Each lane alone is a 64-bit hash; with both, the probability of an
 * accidental collision among 2^32 stacks is 2^-65.
 */
static __always_inline void hash_words(const u64 *words, u32 n, const u32 max, u64 a, u64 b,
				       u64 *hash)
{
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
	a = (a ^ b >> 31) * 0xff51afd7ed558ccdULL;
	b = (b ^ a >> 33) * 0xc4ceb9fe1a85ec53ULL;
	hash[0] = a ^ a >> 32;
	hash[1] = b ^ b >> 32;
}

#endif
