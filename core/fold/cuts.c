// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fold/cuts.h"

#include <stdlib.h>
#include <string.h>

/* Where threads begin, or where a walk may end and still have shown all that people look for. */
static const char *const roots[] = {
	"_start",
	"__libc_start_main",
	"__libc_start_call_main",
	"__libc_start_main_impl",
	"main",
	"start_thread",
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"_dl_start",
	"_dl_start_user",
	"thread_start",
	"runtime.goexit",
	"runtime.mstart",
	"runtime.rt0_go",
	"_rt0_amd64_linux",
	"start_c",
};

static bool is_root(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (!strcmp(name, roots[i]))
			return true;
	return false;
}

/* A frame without a name may be a root in a stripped program: not blamed. */
static bool stops_short(const struct frame *last)
{
	if (last->kind == FRAME_NOTE || last->kind == FRAME_VDSO)
		return false;
	return last->name && !is_root(last->name);
}

struct module_value {
	const char *module;
	u64 value;
};

struct module_values {
	VEC(struct module_value) v;
};

static void add(struct module_values *list, const char *module, u64 value)
{
	struct module_value *m;

	vec_for_each(m, &list->v)
		if (!strcmp(m->module, module)) {
			m->value += value;
			return;
		}
	vec_push(&list->v, (struct module_value){ module, value });
}

void cuts_find(const struct report *r, struct cuts *out)
{
	struct module_values modules = { 0 };
	const struct stack_row *row;
	struct module_value *m;

	*out = (struct cuts){ 0 };
	vec_for_each(row, &r->stacks) {
		const struct frame *last;

		if (!row->n_user)
			continue;
		out->walked += row->value;
		last = &r->frames[row->user[row->n_user - 1]];
		if (!stops_short(last))
			continue;
		out->cut += row->value;
		out->n_stacks++;
		if (last->module)
			add(&modules, last->module, row->value);
	}
	vec_for_each(m, &modules.v)
		if (m->value > out->in_module) {
			out->in_module = m->value;
			out->module = m->module;
		}
	vec_release(&modules.v);
}
