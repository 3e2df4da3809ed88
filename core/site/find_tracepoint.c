// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tracepoints, from tracefs and from BTF. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "host/syscalls.h"
#include "host/tracefs.h"
#include "site/aliases.h"
#include "site/find_int.h"
#include "site/tpbtf_int.h"
#include "site/tpformat.h"

#define MAX_FORMAT (1 << 20)

/* ---- t: ---- */

/* "sys_enter_openat", "sys_exit_openat": returns the number of the call, or -1. */
static s32 event_number(const struct site *s, bool *is_exit)
{
	*is_exit = !strncmp(s->func, "sys_exit_", 9);
	if (strcmp(s->category, "syscalls") != 0)
		return -1;
	if (*is_exit)
		return syscall_number(s->func + 9);
	return strncmp(s->func, "sys_enter_", 10) ? -1 : syscall_number(s->func + 10);
}

static void add_tracepoint(struct finder *f, const char *category, const char *event)
{
	struct arena *a = &f->plan->arena;
	struct site s = {
		.kind = SITE_TRACEPOINT,
		.category = arena_strndup(a, category, strlen(category)),
		.func = arena_strndup(a, event, strlen(event)),
	};

	bool is_exit;

	s.name = arena_printf(a, "t:%s:%s", category, event);
	/* The call is newer than our table.  Because of it, all calls would be attached through
	 * perf, which takes the kernel half a minute to undo. */
	if (!finder_is_named(f) && !strcmp(category, "syscalls") && event_number(&s, &is_exit) < 0)
		finder_skip(f, SKIP_NOT_TRACEABLE, s.name);
	else
		finder_add(f, &s);
}

/* Call `take` for each matching folder below `path`. */
static void each_folder(const char *path, void (*take)(void *ctx, const char *name), void *ctx)
{
	struct dirent *e;
	DIR *dir = opendir(path);

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.' && e->d_type == DT_DIR)
			take(ctx, e->d_name);
	if (dir)
		closedir(dir);
}

struct event_search {
	struct finder *f;
	const char *events, *category;
	struct matcher category_match;
	bool has_category; /* a category matches */
	struct nearest near, near_category;
	char near_name[256], near_category_name[128];
};

/* Copy the names, because they become invalid when the directory is closed. */
static void offer_near(struct event_search *s, const char *event)
{
	const char *old = s->near.best;

	nearest_offer(&s->near, event);
	if (s->near.best != old) {
		snprintf(s->near_name, sizeof(s->near_name), "t:%s:%s", s->category, event);
		s->near.best = s->near_name;
	}
}

static void take_event(void *ctx, const char *event)
{
	struct event_search *s = ctx;

	if (matcher_matches(&s->f->match, view_of(event)))
		add_tracepoint(s->f, s->category, event);
	else if (finder_is_named(s->f))
		offer_near(s, event);
}

static void offer_category(struct event_search *s, const char *category)
{
	const char *old = s->near_category.best;

	nearest_offer(&s->near_category, category);
	if (s->near_category.best != old) {
		snprintf(s->near_category_name, sizeof(s->near_category_name), "%s", category);
		s->near_category.best = s->near_category_name;
	}
}

static void take_category(void *ctx, const char *category)
{
	struct event_search *s = ctx;
	char path[512];

	if (!matcher_matches(&s->category_match, view_of(category))) {
		offer_category(s, category);
		return;
	}
	s->has_category = true;
	/* Skip ftrace's own records, and probes created by this or another bperf: they are not
	 * tracepoints. */
	if (!strcmp(category, "ftrace") ||
	    !strncmp(category, TRACEFS_GROUP_PREFIX, strlen(TRACEFS_GROUP_PREFIX)))
		return;
	s->category = category;
	snprintf(path, sizeof(path), "%s/%s", s->events, category);
	each_folder(path, take_event, s);
}

static void search_events(struct event_search *s)
{
	const char *category = s->f->name->lib ? s->f->name->lib : "*";

	matcher_init(&s->category_match, category, strpbrk(category, "*?["), false, s->f->err);
	each_folder(s->events, take_category, s);
}

/* Look up one exact name by its path, without a search. */
static bool find_exact(struct finder *f, const char *events)
{
	const char *path;

	if (!finder_is_named(f) || !f->name->lib || strchr(f->name->func, '/') ||
	    strchr(f->name->lib, '/'))
		return false;
	path = kernel_path(f->k, events, "%s/%s/format", f->name->lib, f->name->func);
	if (file_is_missing(path))
		return false;
	add_tracepoint(f, f->name->lib, f->name->func);
	return true;
}

/* For --dump without permission to read tracefs. */
static bool find_by_btf(struct finder *f)
{
	_cleanup_(str_release) struct str text = { 0 };
	const struct btf *btf = f->opts->is_offline ? kernel_btf(f->k, &(struct err){ 0 }) : NULL;

	if (!btf || !finder_is_named(f) || !f->name->lib ||
	    !tp_format_by_btf(btf, f->name->func, &text))
		return false;
	add_tracepoint(f, f->name->lib, f->name->func);
	return true;
}

static bool find_renamed(struct finder *f, const char *events)
{
	const struct func_alias *alias = alias_of_event(f->name->lib, f->name->func);
	struct site_name now = *f->name;
	const struct site_name *old = f->name;
	bool found;

	if (!alias || !finder_is_named(f))
		return false;
	now.func = alias->to;
	now.lib = alias->note;
	f->name = &now;
	found = find_exact(f, events);
	f->name = old;
	if (found)
		finder_note(f, "t:%s is t:%s:%s here", alias->from, alias->note, alias->to);
	return found;
}

static int no_category(struct finder *f, const struct event_search *s)
{
	text_error(f->text, f->p->lib, f->err, "there is no category '%s' of tracepoints",
		   f->name->lib);
	f->err->code = ERR_NOTARGET;
	if (s->near_category.best)
		err_hint(f->err, "did you mean 't:%s:%s'?", s->near_category.best, f->name->func);
	return -f->err->code;
}

int find_tracepoints(struct finder *f)
{
	struct event_search s = {
		.f = f,
		.near = { .word = f->name->func },
		.near_category = { .word = f->name->lib ? f->name->lib : "" },
	};
	const char *tracefs = kernel_tracefs(f->k, f->err);
	size_t before = f->n_found;

	if (!tracefs && find_by_btf(f)) {
		*f->err = (struct err){ 0 };
		return 0;
	}
	if (!tracefs)
		return -f->err->code;
	s.events = kernel_path(f->k, tracefs, "events");
	if (find_exact(f, s.events) || find_renamed(f, s.events))
		return 0;
	search_events(&s);
	if (f->n_found > before || f->err->code)
		return -f->err->code;
	if (f->name->lib && !s.has_category)
		return no_category(f, &s);
	if (s.near.best)
		return finder_none(f, &s.near, "there is no such tracepoint");
	return finder_none(f, NULL, "there is no such tracepoint%s",
			   f->name->lib ? "" : " in any category");
}

/* Read the tracepoint's format file. */
static int read_format(struct kernel *k, struct probe_plan *plan, const char *category,
		       const char *event, const struct tp_format **out, struct err *err)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct err no_tracefs = { 0 };
	const char *tracefs = kernel_tracefs(k, &no_tracefs), *path;
	struct tp_format *format;
	const struct btf *btf;
	int ret = 0;

	if (tracefs) {
		path = kernel_path(k, tracefs, "events/%s/%s/format", category, event);
		ret = file_read(path, MAX_FORMAT, &text);
	} else {
		/* Tracepoints that were found without tracefs are read from BTF again. */
		btf = kernel_btf(k, err);
		if (!btf || !tp_format_by_btf(btf, event, &text)) {
			*err = no_tracefs;
			return -err->code;
		}
	}
	if (ret)
		return err_errno(err, -ret, "cannot read the format of t:%s:%s", category, event);
	format = arena_new(&plan->arena, struct tp_format);
	if (!tp_format_parse(&plan->arena, str_view(&text), format))
		return err_set(err, ERR_KERNEL, "the format of t:%s:%s is broken", category, event);
	*out = format;
	return 0;
}

int load_tracepoint(struct kernel *k, struct probe_plan *plan, struct site *s, struct err *err)
{
	return read_format(k, plan, s->category, s->func, &s->format, err);
}

/* ---- raw: ---- */

#define RAW_PREFIX "btf_trace_"

/* The function type of `typedef void (*btf_trace_X)(void *, ...)`; 0 if it has another form. */
static u32 raw_proto(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	t = t && btf_is_typedef(t) ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_ptr(t))
		return 0;
	id = t->type;
	t = btf__type_by_id(btf, id);
	return t && btf_is_func_proto(t) ? id : 0;
}

static void add_raw(struct finder *f, const struct btf *btf, u32 id, const char *event)
{
	struct arena *a = &f->plan->arena;
	struct site s = {
		.kind = SITE_RAW,
		.func = arena_strndup(a, event, strlen(event)),
		.btf = btf,
		.btf_id = raw_proto(btf, id),
		.attach_btf_id = id,
		.btf_skip = 1,
	};

	u32 named;

	s.name = arena_printf(a, "raw:%s", event);
	/* The type has no parameter names, but the function that calls the programs does. */
	named = f->opts->wants_types
			? kernel_btf_find(f->k, btf,
					  arena_printf(&f->k->arena, "__traceiter_%s", event),
					  BTF_KIND_FUNC)
			: 0;
	if (named)
		s.btf_id = named;
	if (s.btf_id)
		finder_add(f, &s);
}

static void search_raw(struct finder *f, const struct btf *btf, u32 from, struct nearest *near)
{
	for (u32 id = from; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name;

		if (!btf_is_typedef(t))
			continue;
		name = btf__name_by_offset(btf, t->name_off);
		if (strncmp(name, RAW_PREFIX, strlen(RAW_PREFIX)) != 0)
			continue;
		name += strlen(RAW_PREFIX);
		if (matcher_matches(&f->match, view_of(name)))
			add_raw(f, btf, id, name);
		else
			nearest_offer(near, name);
	}
}

static void search_raw_modules(struct finder *f, struct nearest *near)
{
	const char *folder = kernel_path(f->k, f->k->paths.sys, "kernel/btf");
	u32 first = btf__type_cnt(f->k->btf);
	struct dirent *e;
	DIR *dir = f->k->paths.btf ? NULL : opendir(folder);

	while (dir && (e = readdir(dir))) {
		const struct btf *btf;

		if (e->d_name[0] == '.' || !strcmp(e->d_name, "vmlinux"))
			continue;
		btf = kernel_module_btf(f->k, e->d_name);
		if (btf)
			search_raw(f, btf, first, near);
	}
	if (dir)
		closedir(dir);
}

int find_raw(struct finder *f)
{
	struct nearest near = { .word = f->name->func };
	const char *typedef_name = arena_printf(&f->k->arena, RAW_PREFIX "%s", f->name->func);
	size_t before = f->n_found;
	const struct btf *btf;
	u32 id = 0;

	if (!kernel_btf(f->k, f->err))
		return -f->err->code;
	btf = finder_is_named(f) ? kernel_btf_with(f->k, typedef_name, BTF_KIND_TYPEDEF, &id)
				 : NULL;
	if (btf) {
		add_raw(f, btf, id, f->name->func);
		return 0;
	}
	search_raw(f, f->k->btf, 1, &near);
	search_raw_modules(f, &near);
	if (f->n_found > before)
		return 0;
	if (!strncmp(f->name->func, "sys_enter_", 10) || !strncmp(f->name->func, "sys_exit_", 9)) {
		finder_none(f, NULL, "there is no raw tracepoint of one system call");
		return err_hint(f->err, "write syscall:%s, or t:syscalls:%s",
				strchr(f->name->func + 4, '_') + 1, f->name->func);
	}
	return finder_none(f, &near, "there is no such raw tracepoint");
}

bool tracepoint_is_raw(struct kernel *k, const struct site *s)
{
	struct err err = { 0 };
	char name[256];
	u32 id;

	if (snprintf(name, sizeof(name), RAW_PREFIX "%s", s->func) >= (int)sizeof(name))
		return false;
	return kernel_btf(k, &err) && kernel_btf_with(k, name, BTF_KIND_TYPEDEF, &id);
}

bool tracepoints_are(struct kernel *k, const struct probe_plan *plan,
		     bool (*fits)(struct kernel *k, const struct site *s))
{
	const struct site *s;

	vec_for_each(s, &plan->sites)
		if (!fits(k, s))
			return false;
	return true;
}

/* ---- tracepoints of system calls ---- */

bool tracepoint_is_syscall(struct kernel *k, const struct site *s)
{
	bool is_exit;

	(void)k;
	return event_number(s, &is_exit) >= 0;
}

/* The number of the site's call: that of a tracepoint is in its name. */
static u32 number_of(const struct site *s)
{
	bool is_exit;

	return s->kind == SITE_TRACEPOINT ? (u32)event_number(s, &is_exit) : s->nr;
}

/* The id of the tracepoint `prefix`NAME of a call; 0: it has none, or tracefs is not readable. */
static u32 event_id(struct kernel *k, const char *prefix, u32 nr)
{
	_cleanup_(str_release) struct str text = { 0 };
	const char *tracefs = kernel_tracefs(k, &(struct err){ 0 }),
		   *name = syscall_kernel_name(nr);
	struct view digits;
	u64 id;

	if (!tracefs || !name ||
	    file_read(kernel_path(k, tracefs, "events/syscalls/%s%s/id", prefix, name), 32, &text))
		return 0;
	digits = (struct view){ str_text(&text), strcspn(str_text(&text), "\n") };
	return num_parse_dec(digits, &id) && id <= UINT32_MAX ? (u32)id : 0;
}

bool syscall_find_events(struct kernel *k, const struct site *s, u32 *enter_id, u32 *exit_id)
{
	u32 nr = number_of(s);

	*enter_id = event_id(k, "sys_enter_", nr);
	*exit_id = event_id(k, "sys_exit_", nr);
	return *enter_id && *exit_id;
}

/* "__syscall_nr"; "__filename_val", the string that the kernel has read from `filename` (Linux
 * 7). */
static bool is_the_kernels(const struct tp_field *field)
{
	return field->loc || !strncmp(field->name, "__", 2);
}

static void take_params(struct probe_plan *plan, struct site *s, const struct tp_format *format)
{
	struct site_param *params =
		arena_alloc(&plan->arena, format->n_fields + 1, sizeof(*params));

	for (u32 i = 0; i < format->n_fields; i++) {
		const struct tp_field *field = &format->fields[i];

		if (!is_the_kernels(field))
			params[s->n_params++] =
				(struct site_param){ .c_type = field->c_type, .name = field->name };
	}
	s->params = params;
}

#define MAX_PARAMS 6

/* "int dfd, const char *filename" */
static void take_known_params(struct probe_plan *plan, struct site *s, const char *text)
{
	struct site_param *params = arena_alloc(&plan->arena, MAX_PARAMS, sizeof(*params));

	while (text && s->n_params < MAX_PARAMS) {
		size_t n = strcspn(text, ","), n_type = n;

		while (n_type && text[n_type - 1] != ' ' && text[n_type - 1] != '*')
			n_type--;
		params[s->n_params++] = (struct site_param){
			.c_type = arena_strndup(&plan->arena, text, n_type),
			.name = arena_strndup(&plan->arena, text + n_type, n - n_type),
		};
		text = text[n] ? text + n + 2 : NULL;
	}
	s->params = params;
}

/* Names and types of arguments are taken from the entry's tracepoint, or else from our table;
 * without either, the arguments are arg1, arg2, ... */
void load_syscall(struct kernel *k, struct probe_plan *plan, struct site *s, bool wants_types)
{
	const struct tp_format *format = NULL;
	struct err none = { 0 };
	const char *name;

	s->nr = number_of(s);
	if (plan->method == ATTACH_SYSCALL_EVENT)
		syscall_find_events(k, s, &s->enter_id, &s->exit_id);
	if (!wants_types)
		return;
	name = syscall_kernel_name(s->nr);
	read_format(k, plan, "syscalls", arena_printf(&plan->arena, "sys_enter_%s", name), &format,
		    &none);
	if (format)
		take_params(plan, s, format);
	else if (name)
		take_known_params(plan, s, syscall_params(name));
}
