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
	u32 value_bytes;  /* as read: for a per-CPU map, the values of all possible CPUs */
	const char *name; /* for messages: "cannot read the table NAME" */
};

/*
 * Reads in batches (bpf_map_lookup_batch, 5.6): each bucket is copied under its lock, so an entry
 * is neither read twice nor left out because others are added or deleted.  Key and value are valid
 * during the call only.
 */
int hash_read(const struct hash_source *from, hash_take take, void *ctx, struct err *err);

/* The same for a map of an object; it must not be per-CPU. */
int hash_read_map(const struct bpf_map *map, hash_take take, void *ctx, struct err *err);

/* Like hash_read, and deletes each entry that it reads. */
int hash_drain(const struct hash_source *from, hash_take take, void *ctx, struct err *err);

#endif
