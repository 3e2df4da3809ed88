// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/mapread.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/no_preempt.h"

/* A batch has enough entries to make the cost of the system call small, but at most BATCH_MAX
 * entries and BATCH_BYTES bytes; a bucket with more entries makes the batch larger. */
#define BATCH_MAX   4096
#define BATCH_LEAST 16
#define BATCH_BYTES (512U << 10)

struct batch {
	u32 max;
	char *keys, *values;
};

static void batch_resize(struct batch *b, const struct hash_source *from, u32 max)
{
	b->max = max;
	b->keys = mem_realloc(b->keys, max, from->key_bytes);
	b->values = mem_realloc(b->values, max, from->value_bytes);
}

static void batch_release(struct batch *b)
{
	free(b->keys);
	free(b->values);
}

static u32 first_max(const struct hash_source *from)
{
	u32 n = BATCH_BYTES / (from->key_bytes + from->value_bytes);

	return n < BATCH_LEAST ? BATCH_LEAST : n > BATCH_MAX ? BATCH_MAX : n;
}

typedef int (*batch_fn)(int fd, void *in, void *out, void *keys, void *values, __u32 *n,
			const struct bpf_map_batch_opts *opts);

static int read_batches(const struct hash_source *from, batch_fn read, hash_take take, void *ctx,
			struct err *err)
{
	_cleanup_(batch_release) struct batch b = { 0 };
	u32 at, next; /* buckets */
	bool is_first = true;

	batch_resize(&b, from, first_max(from));
	for (;;) {
		u32 n = b.max;
		struct no_preempt u;
		int ret;

		no_preempt_begin(&u);
		ret = read(from->fd, is_first ? NULL : &at, &next, b.keys, b.values, &n, NULL);
		no_preempt_end(&u);
		if (ret && errno == ENOSPC) {
			batch_resize(&b, from, 2 * b.max);
			continue;
		}
		if (ret && errno != ENOENT)
			return err_errno(err, errno, "cannot read the table %s", from->name);
		for (u32 i = 0; i < n; i++)
			take(ctx, b.keys + (size_t)i * from->key_bytes,
			     b.values + (size_t)i * from->value_bytes);
		if (ret)
			return 0;
		at = next;
		is_first = false;
	}
}

int hash_read(const struct hash_source *from, hash_take take, void *ctx, struct err *err)
{
	return read_batches(from, bpf_map_lookup_batch, take, ctx, err);
}

int hash_read_map(const struct bpf_map *map, hash_take take, void *ctx, struct err *err)
{
	const struct hash_source from = {
		.fd = bpf_map__fd(map),
		.key_bytes = bpf_map__key_size(map),
		.value_bytes = bpf_map__value_size(map),
		.name = bpf_map__name(map),
	};

	return hash_read(&from, take, ctx, err);
}

int hash_drain(const struct hash_source *from, hash_take take, void *ctx, struct err *err)
{
	return read_batches(from, bpf_map_lookup_and_delete_batch, take, ctx, err);
}
