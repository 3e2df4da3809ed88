/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads every entry of a BPF hash. */
#ifndef RUN_MAPREAD_H
#define RUN_MAPREAD_H

#include <bpf/libbpf.h>

#include "base/err.h"

typedef void (*hash_take)(void *ctx, const void *key, const void *value);

struct hash_source {
	int fd;
	u32 key_bytes;
	u32 value_bytes;  /* as read: of a per-CPU map the values of all possible CPUs */
	const char *name; /* for messages: "cannot read the table NAME" */
};

/*
 * Reads in batches (bpf_map_lookup_batch, 5.6): each bucket is copied under its lock, so an entry
 * is neither met twice nor left out because others come or go.  Key and value are valid during the
 * call only.
 */
int hash_read(const struct hash_source *from, hash_take take, void *ctx, struct err *err);

/* The same of a map of an object, which is not per-CPU. */
int hash_read_map(const struct bpf_map *map, hash_take take, void *ctx, struct err *err);

/* As hash_read, and takes what it reads out of the map. */
int hash_drain(const struct hash_source *from, hash_take take, void *ctx, struct err *err);

#endif
