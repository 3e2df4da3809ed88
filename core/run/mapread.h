/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads every entry of a BPF hash. */
#ifndef RUN_MAPREAD_H
#define RUN_MAPREAD_H

#include <bpf/libbpf.h>

#include "base/err.h"

/* Reads in batches (bpf_map_lookup_batch, 5.6).  Key and value are valid during the call only. */
int hash_read(const struct bpf_map *map,
	      void (*take)(void *ctx, const void *key, const void *value), void *ctx,
	      struct err *err);

#endif
