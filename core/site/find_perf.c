// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Perf events, which are known without reading files of the host. */
#include "base/num.h"
#include "host/perfnames.h"
#include "site/find_int.h"

#define PERF_RAW 4 /* PERF_TYPE_RAW */

/* "r01c4": a raw event number of the PMU. */
static bool is_raw_event(const char *name, u64 *config)
{
	return name[0] == 'r' && num_parse_hex(view_of(name + 1), config);
}

static void add_perf(struct finder *f, const char *name, u32 type, u64 config)
{
	struct site s = {
		.kind = SITE_PERF,
		.func = arena_strndup(&f->plan->arena, name, strlen(name)),
		.perf_type = type,
		.perf_config = config,
		.period = f->p->period,
		.rate_hz = f->p->rate_hz,
	};

	/* The default of bcc and perf, if the spec sets none. */
	if (!s.period && !s.rate_hz)
		s.rate_hz = 99;
	s.name = arena_printf(&f->plan->arena, "e:%s", name);
	finder_add(f, &s);
}

int find_perf(struct finder *f)
{
	struct nearest near = { .word = f->name->func };
	size_t n, before = f->n_found;
	const struct perf_name *names = perf_names(&n);
	u64 config;

	for (size_t i = 0; i < n; i++) {
		nearest_offer(&near, names[i].name);
		if (matcher_matches(&f->match, view_of(names[i].name)))
			add_perf(f, names[i].name, names[i].type, names[i].config);
	}
	if (finder_is_named(f) && is_raw_event(f->name->func, &config))
		add_perf(f, f->name->func, PERF_RAW, config);
	if (f->n_found > before)
		return 0;
	return finder_none(f, &near, "there is no such event");
}
