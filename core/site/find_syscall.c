// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* System calls and perf events, which are known without reading files of the host. */
#include "base/num.h"
#include "host/perfnames.h"
#include "host/syscalls.h"
#include "site/find_int.h"

#define PERF_RAW 4 /* PERF_TYPE_RAW */

/* ---- syscall: ---- */

static void add_syscall(struct finder *f, u32 nr)
{
	bool is_return = f->p->kind == SITE_SYSCALL_RET || f->p->kind == SITE_FUNC_RET;
	struct site s = {
		.kind = is_return ? SITE_SYSCALL_RET : SITE_SYSCALL,
		.func = syscall_name(nr),
		.nr = nr,
	};

	s.name = arena_printf(&f->plan->arena, "%s:%s", site_kind_letter(s.kind), s.func);
	finder_add(f, &s);
}

int find_syscalls(struct finder *f)
{
	const char *bare = syscall_prefixed(f->name->func);
	struct nearest near = { .word = bare ? bare : f->name->func };
	const struct syscall_row *rows;
	struct matcher m = f->match;
	size_t before = f->n_found;
	s32 nr;
	u32 n;

	if (finder_is_named(f)) {
		nr = syscall_number(f->name->func);
		if (nr >= 0) {
			add_syscall(f, (u32)nr);
			return 0;
		}
	} else if (bare && !f->p->is_regex) {
		matcher_init(&m, bare, true, false, f->err);
	}
	rows = syscall_rows(&n);
	for (u32 i = 0; i < n; i++) {
		nr = syscall_row_number(&rows[i]);
		if (nr < 0)
			continue;
		if (!finder_is_named(f) && matcher_matches(&m, view_of(rows[i].name)))
			add_syscall(f, (u32)nr);
		nearest_offer(&near, rows[i].name);
	}
	if (f->n_found > before)
		return 0;
	return finder_none(f, finder_is_named(f) ? &near : NULL,
			   "there is no such system call here");
}

/* ---- e: ---- */

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
