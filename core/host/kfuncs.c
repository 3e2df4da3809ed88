// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/kfuncs.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/num.h"
#include "host/kernel_facts.h"
#include "host/tracefs.h"

#define MAX_TEXT (256 << 20)

/* ---- kallsyms ---- */

static int read_kallsyms(struct kernel *k)
{
	struct kfuncs *f = &k->funcs;

	if (!f->is_known) {
		f->is_known = true;
		f->errnum = -file_read(kernel_path(k, k->paths.proc, "kallsyms"), MAX_TEXT,
				       &f->kallsyms);
	}
	return -f->errnum;
}

/* "ffffffff81000000 T name\t[module]" */
static bool read_line(struct view line, struct kfunc *out, char *type)
{
	struct view addr, kind, rest;

	if (!view_split(&line, ' ', &addr) || !num_parse_hex(addr, &out->addr) ||
	    !view_split(&line, ' ', &kind) || kind.n != 1 || !line.n)
		return false;
	*type = kind.p[0];
	rest = line;
	view_split(&rest, '\t', &out->name);
	out->module = (struct view){ "", 0 };
	if (rest.n > 2 && rest.p[0] == '[' && rest.p[rest.n - 1] == ']')
		out->module = (struct view){ rest.p + 1, rest.n - 2 };
	return true;
}

/* Symbols of the text sections that are not functions a user would name: linker marks, padding,
 * stubs, cold parts, code of tracepoints. */
static bool is_noise(const struct kfunc *f)
{
	static const char *const prefixes[] = {
		"__pfx_",
		"__cfi_",
		"__SCT__",
		"__SCK__",
		"_kbl_addr_",
		"__traceiter_",
		"__bpf_trace_",
		"__probestub_",
		"trace_event_raw_event_",
		"perf_trace_",
		"trace_raw_output_",
		"__initcall_",
		"$",
		"__UNIQUE_ID",
		"__ksymtab_",
		"__kstrtab_",
		"__crc_",
		"__key.",
	};

	/* There are 200,000 names, and most start with none of these letters and have no dot. */
	if (memchr(f->name.p, '.', f->name.n) &&
	    (view_ends(f->name, ".cold") || memmem(f->name.p, f->name.n, ".cold.", 6)))
		return true;
	if (view_ends(f->name, "_text_start") || view_ends(f->name, "_text_end") ||
	    view_eq(f->module, "bpf") || view_starts(f->module, "__builtin__"))
		return true;
	if (!f->name.n || !strchr("_$pt", f->name.p[0]))
		return false;
	if (view_eq(f->name, "_text") || view_eq(f->name, "_etext") || view_eq(f->name, "_stext"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (view_starts(f->name, prefixes[i]))
			return true;
	return false;
}

/* The address of the symbol with this name; 0: none has it, or addresses are hidden. */
static u64 address_of(struct kernel *k, const char *name)
{
	_cleanup_(str_release) struct str mark = { 0 };
	const struct str *text = &k->funcs.kallsyms;
	const char *at;
	u64 addr;

	str_addf(&mark, " %s\n", name);
	at = memmem(str_text(text), text->n, mark.p, mark.n);
	/* "ffffffff81000000 T" is before it */
	if (!at || at - str_text(text) < 18 || !num_parse_hex((struct view){ at - 18, 16 }, &addr))
		return 0;
	return addr;
}

static int prepare(struct kernel *k)
{
	struct kfuncs *f = &k->funcs;
	int ret = read_kallsyms(k);

	if (ret || f->is_prepared)
		return ret;
	f->is_prepared = true;
	f->init_from = address_of(k, "_sinittext");
	f->init_to = address_of(k, "_einittext");
	return 0;
}

/* The function of a line; false: it has none, or one that kfuncs_each leaves out. */
static bool read_function(const struct kfuncs *funcs, struct view line, struct kfunc *f)
{
	char type;

	if (!read_line(line, f, &type) || !strchr("tTwW", type) || is_noise(f))
		return false;
	/* Init code is freed after boot. */
	return f->module.n || !funcs->init_from || f->addr < funcs->init_from ||
	       (funcs->init_to && f->addr > funcs->init_to);
}

int kfuncs_each(struct kernel *k, bool (*fn)(void *ctx, const struct kfunc *f), void *ctx)
{
	struct view rest, line;
	int ret = prepare(k);
	struct kfunc f;

	if (ret)
		return ret;
	rest = str_view(&k->funcs.kallsyms);
	while (view_split(&rest, '\n', &line))
		if (read_function(&k->funcs, line, &f) && !fn(ctx, &f))
			break;
	return 0;
}

int kfuncs_starting(struct kernel *k, const char *name,
		    void (*fn)(void *ctx, const struct kfunc *f), void *ctx)
{
	_cleanup_(str_release) struct str mark = { 0 };
	int ret = prepare(k);
	const char *start, *end, *at;
	struct kfunc f;

	if (ret)
		return ret;
	start = str_text(&k->funcs.kallsyms);
	end = start + k->funcs.kallsyms.n;
	str_addf(&mark, " %s", name);
	for (at = start; (at = memmem(at, (size_t)(end - at), mark.p, mark.n)); at++) {
		const char *before = memrchr(start, '\n', (size_t)(at - start));
		const char *after = memchr(at, '\n', (size_t)(end - at));
		const char *line = before ? before + 1 : start;
		size_t n = (size_t)((after ? after : end) - line);

		if (read_function(&k->funcs, (struct view){ line, n }, &f) && f.name.p == at + 1)
			fn(ctx, &f);
	}
	return 0;
}

int kfuncs_text(struct kernel *k, struct view *out)
{
	int ret = read_kallsyms(k);

	*out = str_view(&k->funcs.kallsyms);
	return ret;
}

u64 kfuncs_text_start(struct kernel *k)
{
	return read_kallsyms(k) ? 0 : address_of(k, "_stext");
}

/* ---- lists of names ---- */

/* Parse "name" or "name [module]"; lines of the deny list are "0x...-0x...\tname". */
static struct view name_in(struct view line, bool is_denied)
{
	struct view name = line;

	if (is_denied)
		view_split(&line, '\t', &name);
	view_split(&line, ' ', &name);
	return name;
}

static void read_list(struct name_list *l, const char *path, bool is_denied)
{
	struct view rest, line, name;

	l->is_known = true;
	if (!path || file_read(path, MAX_TEXT, &l->text))
		return;
	l->is_readable = true;
	rest = str_view(&l->text);
	while (view_split(&rest, '\n', &line)) {
		name = name_in(line, is_denied);
		index_add(&l->index, hash_bytes(name.p, name.n), (u32)(name.p - l->text.p));
	}
}

static bool list_has(const struct name_list *l, struct view name)
{
	size_t at = 0;
	u32 id;

	while (index_next(&l->index, hash_bytes(name.p, name.n), &at, &id))
		if (!strncmp(l->text.p + id, name.p, name.n) &&
		    strchr(" \n", l->text.p[id + name.n]))
			return true;
	return false;
}

bool kfuncs_is_traceable(struct kernel *k, struct view name)
{
	struct name_list *l = &k->funcs.traceable;
	struct err err = { 0 };
	const char *tracefs;

	if (!l->is_known) {
		tracefs = kernel_tracefs(k, &err);
		read_list(l, tracefs ? kernel_path(k, tracefs, "available_filter_functions") : NULL,
			  false);
	}
	return !l->is_readable || list_has(l, name);
}

bool kfuncs_is_denied(struct kernel *k, struct view name)
{
	struct name_list *l = &k->funcs.denied;
	const char *debugfs;

	if (!l->is_known) {
		debugfs = k->paths.tracefs ? k->paths.tracefs : debugfs_path();
		read_list(l, debugfs ? kernel_path(k, debugfs, "kprobes/blacklist") : NULL, true);
	}
	return l->is_readable && list_has(l, name);
}

void kfuncs_release(struct kfuncs *f)
{
	str_release(&f->kallsyms);
	str_release(&f->traceable.text);
	str_release(&f->denied.text);
	index_release(&f->traceable.index);
	index_release(&f->denied.index);
	*f = (struct kfuncs){ 0 };
}
