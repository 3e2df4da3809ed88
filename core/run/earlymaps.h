/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creates large hash maps in a thread, while the programs that use them are prepared: the kernel
 * takes 9 ms to allocate and clear those of the wait commands (25 MB), of the 80 ms that chain
 * takes to start.
 */
#ifndef RUN_EARLYMAPS_H
#define RUN_EARLYMAPS_H

#include <bpf/libbpf.h>
#include <pthread.h>

#include "base/types.h"

struct early_map {
	const char *name; /* a map of the object, whose type is BPF_MAP_TYPE_HASH */
	u32 key_size, value_size, max_entries;
	int fd; /* output */
};

struct early_maps {
	struct early_map maps[4];
	u32 n;
	pthread_t thread;
	bool is_begun;
};

/* Creates `maps`.  A map that the kernel refuses is left to libbpf, which says why. */
void early_maps_begin(struct early_maps *e);

/* Waits for the thread and gives the maps to an object that is open, sized and not loaded: 0 or
 * -errno; -EINVAL if the object's map has other sizes. */
int early_maps_give(struct early_maps *e, struct bpf_object *obj);

/* Waits for the thread, if nothing has yet, and closes the descriptors. */
void early_maps_end(struct early_maps *e);

#endif
