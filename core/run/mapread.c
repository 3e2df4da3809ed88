// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/mapread.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define BATCH 512

int hash_read(const struct bpf_map *map,
	      void (*take)(void *ctx, const void *key, const void *value), void *ctx,
	      struct err *err)
{
	size_t key_bytes = bpf_map__key_size(map), value_bytes = bpf_map__value_size(map);
	_cleanup_(free_p) char *keys = mem_alloc(BATCH, key_bytes);
	_cleanup_(free_p) char *values = mem_alloc(BATCH, value_bytes);
	_cleanup_(free_p) char *in = mem_alloc(1, key_bytes + sizeof(u64));
	_cleanup_(free_p) char *next = mem_alloc(1, key_bytes + sizeof(u64));
	bool is_first = true;

	for (;;) {
		u32 n = BATCH;
		int ret = bpf_map_lookup_batch(bpf_map__fd(map), is_first ? NULL : in, next, keys,
					       values, &n, NULL);

		/* ENOSPC, a bucket larger than the batch, does not occur with this batch size. */
		if (ret && errno != ENOENT)
			return err_errno(err, errno, "cannot read the table %s",
					 bpf_map__name(map));
		for (u32 i = 0; i < n; i++)
			take(ctx, keys + i * key_bytes, values + i * value_bytes);
		if (ret)
			return 0;
		memcpy(in, next, key_bytes + sizeof(u64));
		is_first = false;
	}
}
