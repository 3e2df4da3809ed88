// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions of programs and libraries, by their symbol tables. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "site/aliases.h"
#include "site/find_int.h"
#include "site/ifunc_int.h"
#include "site/libs.h"
#include "site/userinsn.h"
#include "site/usermatch_int.h"
#include "site/userprobe.h"
#include "site/userversion.h"
#include "sym/aliasorder.h"
#include "sym/demangle.h"
#include "sym/elfsyms.h"

/* A matching symbol. */
struct usym {
	u64 start, size;	  /* size 0: unknown */
	const char *name, *shown; /* shown: demangled; equal to name if that is not mangled */
	bool is_old;		  /* NAME@V: a version that newly built programs do not call */
};

struct usearch {
	struct finder *f;
	VEC(struct usym) found;
	VEC(const char *) chosen; /* names whose current version is an ifunc */
	VEC(struct ifunc) ifuncs;
	VEC(struct usym) ifunc_syms; /* name NULL: it does not match */
	struct nearest near;
	struct str near_name;
	struct user_match match;
	struct str versions; /* other versions of the requested name */
	bool is_import, is_ifunc, is_vdso;
};

static void offer_near(struct usearch *u, const char *name)
{
	const char *old = u->near.best;

	nearest_offer(&u->near, name);
	if (u->near.best == old)
		return;
	str_clear(&u->near_name);
	str_adds(&u->near_name, name);
	u->near.best = str_text(&u->near_name);
}

static void add_ifunc(struct usearch *u, const struct elf_symbol *s, const struct usym *sym)
{
	struct ifunc add = {
		.name = arena_strndup(&u->f->plan->arena, s->name, strcspn(s->name, "@")),
		.resolver = s->start,
		.is_minor = !sym->name,
	};

	vec_push(&u->ifuncs, add);
	vec_push(&u->ifunc_syms, *sym);
}

static bool take_symbol(void *ctx, const struct elf_symbol *s)
{
	struct usearch *u = ctx;
	struct arena *a = &u->f->plan->arena;
	const char *shown = user_match_symbol(&u->match, s->name);
	struct usym found = { .start = s->start, .size = s->size, .is_old = s->is_old };

	if (!shown) {
		if (s->is_ifunc && s->is_defined && finder_is_named(u->f))
			add_ifunc(u, s, &(struct usym){ .name = NULL });
		return true;
	}
	if (!s->is_defined) {
		u->is_import = true;
		return true;
	}
	if (!user_version_fits(u->f->name, s, &u->versions))
		return true;
	if (s->is_ifunc && !s->is_old)
		vec_push(&u->chosen, arena_strndup(a, s->name, strcspn(s->name, "@")));
	found.name = arena_strndup(a, s->name, strlen(s->name));
	found.shown = shown == s->name ? found.name : arena_strndup(a, shown, strlen(shown));
	found.shown = user_version_name(u->f, found.shown);
	if (s->is_ifunc)
		add_ifunc(u, s, &found);
	else
		vec_push(&u->found, found);
	return true;
}

/* Several indirect functions can have one implementation: memcpy and memmove. */
static void note_shared(struct usearch *u, u64 start, const char *name)
{
	const struct ifunc *i;

	vec_for_each(i, &u->ifuncs)
		if (i->start == start && i->is_minor) {
			finder_note(u->f, "%s is the same code as %s here: calls of both are seen",
				    name, i->name);
			return;
		}
}

/* Probe indirect functions at the addresses that the loader chose; functions without a known
 * address are left out. */
static void find_chosen(struct usearch *u, const struct user_file *file)
{
	bool is_asked = false;

	for (size_t i = 0; i < u->ifunc_syms.n && !is_asked; i++)
		is_asked = u->ifunc_syms.items[i].name != NULL;
	/* The others matter only beside one that matches, because each is searched for in the
	 * processes. */
	if (!is_asked)
		u->ifuncs.n = u->ifunc_syms.n = 0;
	ifuncs_find(file, u->f->k->paths.proc, u->f->opts->tgid, u->ifuncs.items, u->ifuncs.n);
	for (size_t i = 0; i < u->ifuncs.n; i++) {
		struct usym sym = u->ifunc_syms.items[i];

		if (!sym.name)
			continue;
		sym.start = u->ifuncs.items[i].start;
		sym.size = 0;
		if (sym.start) {
			vec_push(&u->found, sym);
			if (finder_is_named(u->f))
				note_shared(u, sym.start, sym.shown);
			continue;
		}
		u->is_ifunc = true;
		u->is_vdso |= u->ifuncs.items[i].is_vdso;
		if (!finder_is_named(u->f))
			finder_skip(u->f, SKIP_NOT_TRACEABLE, sym.shown);
	}
	u->ifuncs.n = u->ifunc_syms.n = 0;
}

static bool is_chosen(const struct usearch *u, const char *name)
{
	size_t n = strcspn(name, "@");

	for (size_t i = 0; i < u->chosen.n; i++)
		if (strlen(u->chosen.items[i]) == n && !memcmp(u->chosen.items[i], name, n))
			return true;
	return false;
}

/*
 * memcpy@GLIBC_2.2.5 is a function; memcpy@@GLIBC_2.14, which everything calls, is an ifunc:
 * counting only the old version would show a 0 that looks like a valid result.
 */
static void leave_out_old(struct usearch *u)
{
	size_t n = 0;

	for (size_t i = 0; i < u->found.n; i++) {
		const struct usym *s = &u->found.items[i];

		if (!s->is_old || !is_chosen(u, s->name))
			u->found.items[n++] = *s;
		else if (!finder_is_named(u->f))
			finder_skip(u->f, SKIP_NOT_TRACEABLE, s->shown);
	}
	u->found.n = n;
}

/* Among aliases, a name that only old programs call (cfree) is last. */
static int usym_order(const void *a, const void *b)
{
	const struct usym *x = a, *y = b;

	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	if (x->is_old != y->is_old)
		return x->is_old ? 1 : -1;
	return alias_order(view_of(x->shown), view_of(y->shown));
}

/* A breakpoint inside an instruction corrupts it: a thread that executes it gets wrong results, or
 * crashes.  `base` is the name that the offsets in the message refer to. */
static int refuse_place(struct finder *f, enum insn_place place, const char *name, u64 base, u64 at,
			u64 before, u64 after)
{
	const char *plus = name[0] ? "+" : "";

	if (place == INSN_INSIDE) {
		finder_none(f, NULL,
			    "no instruction begins at %s%s0x%llx: a breakpoint would damage the "
			    "instruction there",
			    name, plus, at - base);
		err_hint(f->err, "the nearest begin at %s%s0x%llx and %s%s0x%llx", name, plus,
			 before - base, name, plus, after - base);
	} else if (place == INSN_UNKNOWN) {
		finder_none(f, NULL,
			    "cannot tell whether an instruction begins at %s%s0x%llx: the bytes at "
			    "%s%s0x%llx cannot be decoded",
			    name, plus, at - base, name, plus, before - base);
		err_hint(f->err, "inside of one, the breakpoint would damage it");
	} else if (place == INSN_FAR) {
		finder_none(f, NULL,
			    "cannot tell whether an instruction begins at %s%s0x%llx: the file "
			    "names no function near it",
			    name, plus, at - base);
		err_hint(f->err, "inside of one, the breakpoint would damage it");
	} else {
		finder_none(f, NULL, "of 32-bit programs only functions' entries can be probed");
	}
	f->err->code = ERR_USAGE;
	return -f->err->code;
}

/* Check FUNC+OFFSET; patterns have no offset. */
static int check_offset(struct finder *f, const struct user_file *file, const struct usym *sym)
{
	u64 at = sym->start + f->name->offset, before = 0, after = 0;
	enum insn_place place;

	if (!f->name->has_offset || !f->name->offset)
		return 0;
	if (sym->size && f->name->offset >= sym->size) {
		finder_none(f, NULL, "%s ends before +0x%llx: it is 0x%llx bytes long", sym->shown,
			    f->name->offset, sym->size);
		f->err->code = ERR_USAGE;
		return -ERR_USAGE;
	}
	place = user_insn_at(file, sym->start, at, &before, &after);
	if (place == INSN_BEGINS)
		return 0;
	return refuse_place(f, place, sym->shown, sym->start, at, before, after);
}

static int refuse_insn(struct finder *f, enum insn_probe why, const char *name)
{
	if (!finder_is_named(f))
		return finder_skip(f, SKIP_INSN, name);
	if (why == INSN_PROBE_DAMAGES)
		finder_none(f, NULL,
			    "the kernel would damage %s: it mistakes the vector instruction there "
			    "for another one",
			    name);
	else
		finder_none(f, NULL, "the kernel cannot replace the instruction at %s", name);
	return err_hint(f->err, "its callers can be probed");
}

/* Set the place of the probe: the function's start, or the first instruction after it where the
 * kernel can place one. */
static enum insn_probe place_probe(const struct user_file *file, u64 start, struct site *s)
{
	enum insn_probe on = user_probe_on(file, s->file_offset);
	u32 distance = on != INSN_PROBE_OK && !s->offset ? user_probe_distance(file, start) : 0;

	s->file_offset += distance;
	return distance ? INSN_PROBE_OK : on;
}

/* A site's name can be used in every command: without quotes, a blank or a parenthesis would end
 * it. */
static int add_user(struct finder *f, const struct user_file *file, const struct usym *sym)
{
	struct site s = {
		.kind = f->p->kind,
		.file = file->site,
		.func = sym->shown,
		.symbol = sym->name,
		.offset = f->name->has_offset ? f->name->offset : 0,
	};
	const char *quote =
		f->name->is_quoted || sym->shown[strcspn(sym->shown, " (*?[{")] ? "\"" : "";
	enum insn_probe on;
	int ret = check_offset(f, file, sym);

	if (ret)
		return ret;
	if (!user_file_offset(file, sym->start + s.offset, &s.file_offset))
		return finder_skip(f, SKIP_NOT_TRACEABLE, sym->shown);
	on = place_probe(file, sym->start, &s);
	if (on != INSN_PROBE_OK)
		return refuse_insn(f, on, sym->shown);
	s.is_start = !s.offset && file->elf.is_64;
	s.name = arena_printf(&f->plan->arena, s.offset ? "%s:%s:%s%s%s+0x%llx" : "%s:%s:%s%s%s",
			      site_kind_letter(s.kind), file->site->name, quote, sym->shown, quote,
			      s.offset);
	finder_add(f, &s);
	return 0;
}

/* Note functions with the same name: overloads differ in parameters; clones, which have the same
 * parameters, in the symbol. */
static void note_overloads(struct usearch *u, const struct user_file *file, size_t n_places)
{
	const char *name = u->f->name->func;
	bool is_call = name[user_name_parameters(name)];

	for (size_t i = 0; i < u->found.n; i++) {
		const struct usym *s = &u->found.items[i];

		str_clear(&u->match.demangled);
		demangle_call(s->name, &u->match.demangled);
		if (!i || s->start != s[-1].start)
			user_match_add_called(&u->match,
					      is_call ? s->name : str_text(&u->match.demangled));
	}
	finder_note(u->f,
		    "%zu functions of %s are called %s: all of them are probed (one alone: %s)",
		    n_places, file->site->path, name, str_text(&u->match.called));
}

/* The reason why the address of the first of `n` symbols cannot have a return probe, or NULL.  All
 * names of the address are checked. */
static const char *return_danger(const struct finder *f, const struct usym *s, size_t n)
{
	const char *why = NULL;

	for (size_t i = 0; i < n && s[i].start == s->start && !why; i++)
		why = func_return_danger(s[i].name);
	return f->p->kind == SITE_UFUNC_RET ? why : NULL;
}

static int refuse_return(struct finder *f, const char *name, const char *why)
{
	finder_none(f, NULL, "a return probe on %s would crash its callers: %s", name, why);
	if (finder_is_named(f))
		f->err->code = ERR_USAGE;
	return err_hint(f->err, "probe its entry: p:%s:%s", f->name->lib, f->name->func);
}

/* A name without wildcards selects all symbols that have it: overloads, and static functions of
 * several files. */
static int add_found(struct usearch *u, const struct user_file *file)
{
	const char *why, *danger = NULL, *refused = NULL;
	struct finder *f = u->f;
	size_t n_places = 0;
	int ret;

	if (u->found.n > 1)
		qsort(u->found.items, u->found.n, sizeof(*u->found.items), usym_order);
	for (size_t i = 0; i < u->found.n; i++) {
		const struct usym *s = &u->found.items[i];

		if (i && s->start == s[-1].start) {
			if (strcmp(s->shown, s[-1].shown) != 0)
				finder_skip(f, SKIP_DUPLICATE, s->shown);
			continue;
		}
		why = return_danger(f, s, u->found.n - i);
		if (why) {
			finder_skip(f, SKIP_RETURN, s->shown);
			refused = s->shown;
			danger = why;
			continue;
		}
		n_places++;
		ret = add_user(f, file, s);
		if (ret)
			return ret;
	}
	if (refused && !n_places)
		return refuse_return(f, refused, danger);
	if (n_places < 2 || !finder_is_named(f))
		return 0;
	if (user_name_is_mangled(u->found.items[0].name))
		note_overloads(u, file, n_places);
	else
		finder_note(f, "%zu functions of %s are called %s: all of them are probed",
			    n_places, file->site->path, f->name->func);
	return 0;
}

static bool take_plain(void *ctx, const struct elf_symbol *s)
{
	if (s->is_defined && !user_name_is_mangled(s->name))
		offer_near(ctx, s->name);
	return true;
}

/* Collect names that need demangling, without their parameters. */
static bool take_mangled(void *ctx, const struct elf_symbol *s)
{
	struct usearch *u = ctx;

	if (!s->is_defined || !user_name_is_mangled(s->name))
		return true;
	str_clear(&u->match.demangled);
	demangle(s->name, SYM_NAMES_SHORT, &u->match.demangled);
	offer_near(u, str_text(&u->match.demangled));
	return true;
}

static void near_each(struct usearch *u, const struct user_file *file,
		      bool (*take)(void *ctx, const struct elf_symbol *s))
{
	elfsyms_each(&file->elf, SHT_DYNSYM, take, u);
	elfsyms_each(&file->elf, SHT_SYMTAB, take, u);
}

/* Comparing a name with all others takes four times as long as finding it, and with the demangled
 * names of LLVM's library a quarter of a second: demangled names are compared only if no other name
 * is similar. */
static void find_near(struct usearch *u, const struct user_file *file)
{
	size_t n = u->f->name->is_quoted ? user_name_parameters(str_text(&u->match.wanted))
					 : u->match.wanted.n;

	if (!finder_is_named(u->f))
		return;
	near_each(u, file, take_plain);
	if (u->near.best || !u->match.wanted.n)
		return;
	u->match.wanted.n = n;
	u->match.wanted.p[n] = '\0';
	u->near.word = str_text(&u->match.wanted);
	near_each(u, file, take_mangled);
}

static int no_symbol(struct usearch *u, const struct user_file *file)
{
	const char *path = file->site->path, *word;

	if (u->match.n_called) {
		finder_none(u->f, NULL, "%s has no function '%s'", path, u->f->name->func);
		return err_hint(u->f->err, "with other parameters: %s", str_text(&u->match.called));
	}
	if (u->is_vdso) {
		finder_none(
			u->f, NULL,
			"'%s' in %s is an indirect function (ifunc), for which the loader chose "
			"the kernel's own code (vdso)",
			u->f->name->func, path);
		return err_hint(u->f->err, "that code is in no file: probe its callers");
	}
	if (u->is_ifunc) {
		finder_none(u->f, NULL,
			    "'%s' in %s is an indirect function (ifunc), and no process of root "
			    "tells which implementation was chosen",
			    u->f->name->func, path);
		/* These may be functions local to the file: a stripped file does not name them. */
		if (!file->has_symtab)
			return err_hint(u->f->err,
					"start a program that calls it, or probe its callers");
		word = u->f->name->func + strspn(u->f->name->func, "*");
		return err_hint(u->f->err, "probe the implementations: p:%s:'*%.*s_*'",
				u->f->name->lib, (int)strcspn(word, "*"), word);
	}
	if (u->versions.n)
		return user_version_none(u->f, path, &u->versions);
	if (u->is_import)
		return finder_none(u->f, NULL,
				   "%s calls %s, but another file defines it (p:LIB:%s)", path,
				   u->f->name->func, u->f->name->func);
	if (u->f->name->version)
		return user_version_none(u->f, path, &u->versions);
	find_near(u, file);
	if (!file->has_symtab && !u->near.best) {
		finder_none(u->f, NULL,
			    "%s has no function '%s' among its exported ones, and other symbols "
			    "were stripped",
			    path, u->f->name->func);
		return err_hint(u->f->err, "`bperf list 'p:%s:*'` shows the exported ones",
				u->f->name->lib);
	}
	return finder_none(u->f, &u->near, "%s has no function '%s'", path, u->f->name->func);
}

/* Exported functions are in the small table: the full one is read only if the name is not there, or
 * if all matches are wanted. */
static void search_both(struct usearch *u, struct user_file *file)
{
	elfsyms_each(&file->elf, SHT_DYNSYM, take_symbol, u);
	leave_out_old(u);
	find_chosen(u, file);
	if (u->f->name->version || (u->found.n && finder_is_named(u->f)))
		return;
	file->has_symtab = elfsyms_each(&file->elf, SHT_SYMTAB, take_symbol, u);
	leave_out_old(u);
	find_chosen(u, file);
}

static int search_tables(struct usearch *u, struct user_file *file)
{
	struct finder *f = u->f;
	size_t before = f->n_found;
	int ret;

	search_both(u, file);
	/* Some names of the standard library are mangled without the word: ~basic_iostream. */
	if (u->match.key.n && !u->found.n && !u->match.n_called && !u->is_import && !u->is_ifunc) {
		u->match.key.n = 0;
		str_clear(&u->versions);
		search_both(u, file);
	}
	if (user_file_check(file, f->err))
		return -f->err->code;
	ret = add_found(u, file);
	if (ret || f->n_found != before)
		return ret;
	if (!u->found.n)
		return no_symbol(u, file);
	return finder_none(f, NULL, "no function of %s that matches %s can be probed in this way",
			   file->site->path, f->name->func);
}

static int search_symbols(struct finder *f, struct user_file *file)
{
	struct usearch u = { .f = f, .near = { .word = f->name->func } };
	int ret = user_match_init(&u.match, f);

	if (!ret)
		ret = search_tables(&u, file);
	vec_release(&u.found);
	vec_release(&u.chosen);
	vec_release(&u.ifuncs);
	vec_release(&u.ifunc_syms);
	str_release(&u.near_name);
	str_release(&u.versions);
	user_match_release(&u.match);
	return ret;
}

/*
 * p:bin:0x1234: an address as in the file's symbols and headers.  If no symbol covers the address,
 * instructions are decoded from the end of the last known function.
 */
static int add_address(struct finder *f, const struct user_file *file)
{
	struct arena *a = &f->plan->arena;
	struct site s = { .kind = f->p->kind, .file = file->site };
	u64 at = f->name->offset, before = at, after = at;
	struct user_place in;
	enum insn_place place;
	enum insn_probe on;

	if (!user_file_offset(file, at, &s.file_offset))
		return finder_none(f, NULL, "%s has no code at 0x%llx", file->site->path, at);
	if (!user_place_of(file, at, &in))
		in.start = at & ~3ULL;
	place = user_insn_at(file, in.start, at, &before, &after);
	if (place != INSN_BEGINS)
		return refuse_place(f, place, "", 0, at, before, after);
	on = user_probe_on(file, s.file_offset);
	if (on != INSN_PROBE_OK)
		return refuse_insn(f, on, f->name->func);
	s.func = arena_strndup(a, f->name->func, strlen(f->name->func));
	s.name = arena_printf(a, "%s:%s:%s", site_kind_letter(s.kind), file->site->name, s.func);
	if (in.name[0]) {
		s.symbol = arena_strndup(a, in.name, strlen(in.name));
		s.offset = at - in.start;
		s.is_start = !s.offset && file->elf.is_64;
		s.func = s.offset ? arena_printf(a, "%s+0x%llx", s.symbol, s.offset) : s.symbol;
	}
	finder_add(f, &s);
	return 0;
}

/* The kernel replaces the return address on the stack, and Go moves stacks: the program would
 * crash. */
static int refuse_go_return(struct finder *f, const struct user_file *file)
{
	finder_none(f, NULL, "%s is a Go program: a return probe would crash it", file->site->path);
	f->err->code = ERR_USAGE;
	return err_hint(f->err, "probe the entry (p:), or the RET instructions: p:%s:%s+OFFSET",
			f->name->lib, f->name->func);
}

/* Written without a kind: "c:read". */
static bool is_bare(const struct finder *f)
{
	return f->p->lib.at == f->p->at.at;
}

/* "syscall:openat": the missing library may be meant as a kind of probe. */
static int hint_kind(struct finder *f)
{
	const char *kind = f->err->code == ERR_NOTARGET ? site_kind_near(f->name->lib) : NULL;

	if (!kind)
		return -f->err->code;
	f->err->hint[0] = '\0'; /* drop the hint about library paths */
	return err_hint(f->err, "did you mean '%s:%s'?", kind, f->name->func);
}

int find_user(struct finder *f)
{
	_cleanup_(user_file_release) struct user_file file = { 0 };
	const char *lib = f->name->lib, *heir = libs_heir(lib);
	struct site_name moved = *f->name;
	const struct site_name *asked = f->name;
	struct err first;
	int ret = user_file_open(f, lib, &file);

	if (ret)
		return is_bare(f) ? hint_kind(f) : ret;
	if (f->p->kind == SITE_UFUNC_RET && file.site->is_go)
		return refuse_go_return(f, &file);
	ret = f->name->is_address ? add_address(f, &file) : search_symbols(f, &file);
	if (ret != -ERR_NOTARGET || !heir)
		return ret;
	/* libpthread.so.0 still exists, but is empty. */
	user_file_release(&file);
	first = *f->err;
	err_clear(f->err);
	moved.lib = heir;
	f->name = &moved;
	ret = user_file_open(f, heir, &file);
	if (!ret)
		ret = search_symbols(f, &file);
	f->name = asked;
	if (!ret)
		finder_note(f, "lib%s is part of lib%s here", lib, heir);
	else
		*f->err = first;
	return ret;
}
