// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"

/*
 * kallsyms has no sizes: a symbol extends to the next one.  The limits of BPF allow programs of
 * about the size of the kernel's largest functions.
 */
#define MAX_BPF_BYTES (64 << 10)
#define MAX_MODULES   4096

struct module {
	u64 start, end;
	struct str name;
};

struct modules {
	VEC(struct module) list;
};

/* "ffffffff81000000 T _stext" or "ffffffffc0201000 t name\t[module]" */
struct line {
	u64 addr;
	char type;
	struct view rest; /* name, perhaps with "\t[module]" */
};

static bool line_parse(struct view text, struct line *out)
{
	struct view addr, type;

	if (!view_split(&text, ' ', &addr) || !num_parse_hex(addr, &out->addr) ||
	    !view_split(&text, ' ', &type) || type.n != 1 || !text.n)
		return false;
	out->type = type.p[0];
	out->rest = text;
	return true;
}

/* Split "name\t[module]". */
static struct view name_of(struct view rest, struct view *module)
{
	struct view name = rest, tail = rest;

	*module = (struct view){ "", 0 };
	view_split(&tail, '\t', &name);
	if (tail.n > 2 && tail.p[0] == '[' && tail.p[tail.n - 1] == ']')
		*module = (struct view){ tail.p + 1, tail.n - 2 };
	/* The pages of ftrace and kprobes belong to the kernel, even where kallsyms puts them into
	 * a "module". */
	if (view_starts(*module, "__builtin__"))
		module->n = 0;
	return name;
}

static bool is_text(char type)
{
	return type && strchr("tTwW", type);
}

/* Rank of a symbol among those with the same address.  The linker's marks share addresses with
 * functions, and no code follows an end mark.  The rank is 0 for a mark that only ends the code
 * before it, 1 for a start mark, 2 for a function, and 3 for a function under its public name. */
static u32 rank_of_name(struct view name)
{
	static const struct {
		const char *text;
		bool is_suffix;
		u32 rank;
	} marks[] = {
		{ "_etext", false, 0 },	    { "_einittext", false, 0 }, { "_end", false, 0 },
		{ "_text_end", true, 0 },   { "_stext", false, 1 },	{ "_text", false, 1 },
		{ "_sinittext", false, 1 }, { "_text_start", true, 1 },
	};

	if (!name.n || name.p[0] != '_')
		return 3;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (marks[i].is_suffix ? view_ends(name, marks[i].text)
				       : view_eq(name, marks[i].text))
			return marks[i].rank;
	return 2;
}

/* A weak alias is below a strong symbol under any name: the kernel gives the strong one, too, and
 * sorts it before the other (scripts/kallsyms.c, compare_symbols()). */
static u32 rank_of(const struct line *l)
{
	bool is_weak = l->type == 'w' || l->type == 'W';
	struct view module;
	u32 rank;

	if (!is_text(l->type))
		return 0;
	rank = rank_of_name(name_of(l->rest, &module));
	return is_weak && rank > 2 ? 2 : rank;
}

bool kallsyms_is_mark(struct view name)
{
	return rank_of_name(name) < 2;
}

/* `collects` receives all symbols; may be NULL. */
static bool symbols_stream(struct wants *w, struct lines *symbols, struct kfunctions *collects)
{
	struct view text;
	struct line line;
	bool is_shown = false;

	while (lines_next(symbols, &text) && meter_step(w->meter, 64)) {
		struct sym_entry o;

		if (!line_parse(text, &line) || !line.addr)
			continue;
		is_shown = true;
		o = (struct sym_entry){ .start = line.addr, .rank = rank_of(&line) };
		if (o.rank)
			o.name = line.rest;
		wants_near(w, &o);
		if (collects)
			kfunctions_add(collects, &o);
	}
	return is_shown;
}

/* ---- modules ---- */

/* "ext4 786432 1 - Live 0xffffffffc0201000" */
static bool module_parse(struct view text, struct view *name, u64 *start, u64 *size)
{
	struct view piece, size_text, rest = text;

	if (!view_split(&rest, ' ', name) || !name->n || !view_split(&rest, ' ', &size_text) ||
	    !num_parse_dec(size_text, size))
		return false;
	for (int i = 0; i < 3; i++)
		if (!view_split(&rest, ' ', &piece))
			return false;
	return view_split(&rest, ' ', &piece) && num_parse_hex(piece, start) && *start;
}

struct modules *modules_read(struct lines *text)
{
	struct modules *m = mem_alloc(1, sizeof(*m));
	struct view line, name;
	u64 start, size;

	while (text && m->list.n < MAX_MODULES && lines_next(text, &line)) {
		struct module mod = { 0 };

		if (!module_parse(line, &name, &start, &size) ||
		    __builtin_add_overflow(start, size, &mod.end))
			continue;
		mod.start = start;
		str_add(&mod.name, name.p, name.n);
		vec_push(&m->list, mod);
	}
	return m;
}

u64 modules_hash(const struct modules *m)
{
	const struct module *mod;
	u64 h = 0;

	vec_for_each(mod, &m->list) {
		h = hash_mix(h, hash_bytes(mod->name.p, mod->name.n));
		h = hash_mix(hash_mix(h, mod->start), mod->end);
	}
	return h;
}

static const struct module *module_at(const struct modules *m, u64 addr)
{
	const struct module *mod;

	vec_for_each(mod, &m->list)
		if (addr >= mod->start && addr < mod->end)
			return mod;
	return NULL;
}

void modules_free(struct modules *m)
{
	struct module *mod;

	vec_for_each(mod, &m->list)
		str_release(&mod->name);
	vec_release(&m->list);
	free(m);
}

/* ---- winners ---- */

static bool reaches(const struct sym_query *want, struct view module, const struct modules *mods)
{
	u64 distance = want->at - want->near.start;
	const struct module *mod;

	if (!want->near.rank || distance >= KALLSYMS_MAX_FUNCTION_BYTES)
		return false;
	if (view_eq(module, "bpf"))
		return distance < MAX_BPF_BYTES;
	mod = module_at(mods, want->at);
	/* A kernel symbol does not extend into a module, and a module's symbol does not extend out
	 * of it. */
	if (mod)
		return view_eq(module, str_text(&mod->name));
	return !module.n || !mods->list.n;
}

static void winner_take(struct sym_query *want, const struct modules *mods)
{
	struct view module, name = name_of(str_view(&want->near.name), &module);
	const struct module *mod = module_at(mods, want->at);

	str_clear(&want->module);
	if (want->near.is_set && reaches(want, module, mods)) {
		want_name(want, &want->near, name);
		if (want->is_named)
			str_add(&want->module, module.p, module.n);
	} else if (mod) {
		str_adds(&want->module, str_text(&mod->name));
	}
}

bool kallsyms_name(struct wants *w, struct lines *symbols, const struct modules *mods,
		   struct kfunctions *known)
{
	struct kfunctions *collects = kfunctions_want(known) ? known : NULL;
	struct sym_query *want;
	bool is_shown, is_whole;

	wants_clear(w);
	is_shown = symbols_stream(w, symbols, collects);
	wants_settle(w);
	is_whole = !meter_is_over(w->meter);
	vec_for_each(want, &w->list)
		if (!want->is_named && is_whole)
			winner_take(want, mods);
	if (collects)
		kfunctions_settle(collects, is_whole && is_shown);
	wants_clear(w);
	return is_shown;
}

static bool comes_and_goes(const struct sym_query *want, const struct modules *mods)
{
	const struct str *name = &want->near.name;

	return name->n && memchr(name->p, '\t', name->n) && !module_at(mods, want->at);
}

void kallsyms_name_known(struct wants *w, const struct modules *mods,
			 const struct kfunctions *known)
{
	struct sym_query *want;

	wants_clear(w);
	kfunctions_near(known, w);
	vec_for_each(want, &w->list)
		if (!want->is_named && want->near.rank && !comes_and_goes(want, mods))
			winner_take(want, mods);
	wants_clear(w);
}
