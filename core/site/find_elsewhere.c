// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/find_elsewhere.h"

#include "host/syscalls.h"

/* "sys_enter_openat", "sys_exit_openat": system calls written as their tracepoints. */
static const char *as_syscall(const struct finder *f)
{
	static const struct {
		const char *prefix, *kind;
	} rows[] = { { "sys_enter_", "" }, { "sys_exit_", "r:" } };
	const char *func = f->name->func;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = strlen(rows[i].prefix);
		s32 nr = strncmp(func, rows[i].prefix, n) ? -1 : syscall_number(func + n);

		if (nr >= 0)
			return arena_printf(&f->plan->arena, "%ssyscall:%s", rows[i].kind,
					    syscall_name((u32)nr));
	}
	return NULL;
}

/* Look the name up as one of `lib` (or of a category; NULL: any), in a temporary plan. */
static const char *as_kind(const struct finder *f, enum site_kind kind, const char *lib)
{
	struct plan_opts opts = *f->opts;
	struct site_pattern p = *f->p;
	struct site_name name = *f->name;
	struct probe_plan plan = { 0 };
	struct index seen = { 0 };
	struct err none = { 0 };
	struct finder other = *f;
	const char *found = NULL;

	p.kind = kind;
	name.lib = lib;
	opts.wants_types = false;
	other.p = &p;
	other.name = &name;
	other.opts = &opts;
	other.plan = &plan;
	other.seen = &seen;
	other.err = &none;
	if (!(kind == SITE_TRACEPOINT ? find_tracepoints : find_user)(&other) && plan.sites.n)
		found = arena_printf(&f->plan->arena, "%s", plan.sites.items[0].name);
	plan_release(&plan);
	index_release(&seen);
	return found;
}

const char *find_elsewhere(const struct finder *f)
{
	bool is_return = f->p->kind == SITE_FUNC_RET;
	const char *found;

	if (f->name->module || f->name->has_offset)
		return NULL;
	found = as_syscall(f);
	if (!found && !is_return)
		found = as_kind(f, SITE_TRACEPOINT, NULL);
	return found ? found : as_kind(f, is_return ? SITE_UFUNC_RET : SITE_UFUNC, "c");
}

/* ---- values ---- */

/* Words of bpftrace, and the words of bperf that replace them. */
static const struct value_row {
	const char *theirs, *ours, *format;
} value_rows[] = {
	{ "nsecs", "$time", "%d" },  { "elapsed", "$time", "%d" },  { "pid", "$PID", "%d" },
	{ "$pid", "$pid", "%d" },    { "tid", "$tid", "%d" },	    { "ppid", "$ppid", "%d" },
	{ "uid", "$uid", "%d" },     { "gid", "$gid", "%d" },	    { "cpu", "$cpu", "%d" },
	{ "comm", "$comm", "%s" },   { "cgroup", "$cgroup", "%s" }, { "curtask", "$task", "%p" },
	{ "rand", "$random", "%d" }, { "kstack", "$kstack", "%s" }, { "ustack", "$ustack", "%s" },
	{ "arg0", "arg1", "%d" },    { "args", "args->fd", "%d" },  { "retval", "retval", "%d" },
	{ "func", "$func", "%s" },   { "probe", "$func", "%s" },
};

bool value_hint(const char *name, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(value_rows); i++) {
		const struct value_row *row = &value_rows[i];

		if (strcmp(row->theirs, name) != 0 && strcmp(row->ours, name) != 0)
			continue;
		err_hint(err, "put a value after a site and a format: '%ssyscall:read \"%s\", %s'",
			 strcmp(row->ours, "retval") ? "" : "r:", row->format, row->ours);
		return true;
	}
	return false;
}
