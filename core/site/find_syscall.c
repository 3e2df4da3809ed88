// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* System calls, which are known without reading files of the host. */
#include "host/syscalls.h"
#include "site/find_int.h"

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
	if (finder_is_named(f) && strchr(f->name->func, ',')) {
		finder_none(f, NULL, "there is no such system call here");
		return err_hint(f->err, "a set is {%s}", f->name->func);
	}
	return finder_none(f, finder_is_named(f) ? &near : NULL,
			   "there is no such system call here");
}
