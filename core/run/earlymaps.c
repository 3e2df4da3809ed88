// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/earlymaps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/thread.h"

static void *create(void *ctx)
{
	struct early_maps *e = ctx;

	for (u32 i = 0; i < e->n; i++) {
		struct early_map *m = &e->maps[i];

		m->fd = bpf_map_create(BPF_MAP_TYPE_HASH, m->name, m->key_size, m->value_size,
				       m->max_entries, NULL);
	}
	return NULL;
}

void early_maps_begin(struct early_maps *e)
{
	for (u32 i = 0; i < e->n; i++)
		e->maps[i].fd = -1;
	e->is_begun = !thread_start(&e->thread, create, e);
}

static void join(struct early_maps *e)
{
	if (e->is_begun)
		pthread_join(e->thread, NULL);
	e->is_begun = false;
}

/* The object has these sizes, too: a map of other sizes must not replace the one that it declares.
 */
static bool is_like(const struct early_map *m, const struct bpf_map *map)
{
	return map && bpf_map__type(map) == BPF_MAP_TYPE_HASH &&
	       bpf_map__key_size(map) == m->key_size && bpf_map__value_size(map) == m->value_size &&
	       bpf_map__max_entries(map) == m->max_entries;
}

int early_maps_give(struct early_maps *e, struct bpf_object *obj)
{
	int ret = 0;

	join(e);
	for (u32 i = 0; i < e->n && !ret; i++) {
		const struct early_map *m = &e->maps[i];
		struct bpf_map *map = bpf_object__find_map_by_name(obj, m->name);

		if (m->fd >= 0)
			ret = is_like(m, map) ? bpf_map__reuse_fd(map, m->fd) : -EINVAL;
	}
	return ret;
}

void early_maps_end(struct early_maps *e)
{
	join(e);
	for (u32 i = 0; i < e->n; i++)
		if (e->maps[i].fd >= 0)
			close(e->maps[i].fd);
}
