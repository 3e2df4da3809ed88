// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds kernel functions by their current name, with the compiler's suffixes, or by a new name. */
#include <errno.h>
#include <stdio.h>

#include "base/hash.h"
#include "host/syscalls.h"
#include "site/aliases.h"
#include "site/find_elsewhere.h"
#include "site/find_int.h"

struct ksearch {
	struct finder *f;
	const char *wanted;	  /* the exact name; NULL: search by pattern */
	VEC(struct kfunc) found;  /* functions with this name */
	VEC(struct kfunc) clones; /* such as "name.isra.0" */
	struct nearest near;
	struct str near_name;
};

static void ksearch_release(struct ksearch *s)
{
	vec_release(&s->found);
	vec_release(&s->clones);
	str_release(&s->near_name);
}

/* The length of the name without the suffix that the compiler appends to a specialized copy. */
static size_t plain_length(struct view name)
{
	static const char *const suffixes[] = { ".isra.", ".constprop.", ".part.", ".llvm.",
						".lto_priv." };
	size_t n = name.n;

	if (!memchr(name.p, '.', n))
		return n;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		const char *at = memmem(name.p, n, suffixes[i], strlen(suffixes[i]));

		if (at)
			n = (size_t)(at - name.p);
	}
	return n;
}

/* "vmlinux" means the kernel itself. */
static bool is_in_module(const struct finder *f, const struct kfunc *fn)
{
	const char *want = f->name->module;

	if (!want)
		return true;
	if (!fn->module.n)
		return glob_match(want, view_of("vmlinux"));
	return glob_match(want, fn->module);
}

static void offer_near(struct ksearch *s, struct view name)
{
	const char *old = s->near.best;
	char text[256];

	/* Skip names of a very different length, which most are: they cannot be similar. */
	if (name.n >= sizeof(text) || name.n + 4 < strlen(s->wanted) ||
	    name.n > strlen(s->wanted) + 4)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)name.n, name.p);
	nearest_offer(&s->near, text);
	if (s->near.best == old)
		return;
	str_clear(&s->near_name);
	str_adds(&s->near_name, text);
	s->near.best = str_text(&s->near_name);
}

static void take_named(void *ctx, const struct kfunc *fn)
{
	struct view plain = { fn->name.p, plain_length(fn->name) };
	struct ksearch *s = ctx;

	if (!view_eq(plain, s->wanted) && !view_eq(fn->name, s->wanted))
		return;
	if (!is_in_module(s->f, fn))
		return;
	if (view_eq(fn->name, s->wanted))
		vec_push(&s->found, *fn);
	else
		vec_push(&s->clones, *fn);
}

static bool take_near(void *ctx, const struct kfunc *fn)
{
	offer_near(ctx, fn->name);
	return true;
}

static bool take_match(void *ctx, const struct kfunc *fn)
{
	struct ksearch *s = ctx;
	struct view plain = { fn->name.p, plain_length(fn->name) };

	if (is_in_module(s->f, fn) &&
	    (matcher_matches(&s->f->match, fn->name) || matcher_matches(&s->f->match, plain)))
		vec_push(&s->found, *fn);
	return true;
}

/* `ret` is that of reading kallsyms. */
static int end_scan(struct ksearch *s, int ret)
{
	s->f->plan->text_start = kfuncs_text_start(s->f->k);
	return ret ? err_errno(s->f->err, -ret, "cannot read the kernel's functions (kallsyms)")
		   : 0;
}

static int scan(struct ksearch *s, bool (*take)(void *ctx, const struct kfunc *fn))
{
	return end_scan(s, kfuncs_each(s->f->k, take, s));
}

/* ---- a function to a site ---- */

static bool is_by_fentry(const struct finder *f)
{
	return f->p->is_fentry || f->opts->forced == ATTACH_FENTRY;
}

static void take_types(struct finder *f, struct site *s, struct view plain)
{
	const char *name;
	u32 id;

	if (!f->opts->wants_types && !is_by_fentry(f))
		return;
	name = arena_view(&f->k->arena, plain);
	if (!kernel_btf(f->k, &(struct err){ 0 }))
		return;
	s->btf = s->module ? kernel_module_btf(f->k, s->module) : f->k->btf;
	id = s->btf ? kernel_btf_find(f->k, s->btf, name, BTF_KIND_FUNC) : 0;
	if (!id)
		s->btf = NULL;
	s->btf_id = id;
	/* The kernel looks the function up by its BTF name, and a clone has another name. */
	s->attach_btf_id = strcmp(s->symbol, name) != 0 ? 0 : id;
}

static bool is_wrapper(struct view name)
{
	return view_starts(name, "__x64_sys_") || view_starts(name, "__arm64_sys_");
}

static void add_function(struct finder *f, const struct kfunc *fn, const struct func_alias *alias,
			 bool is_ambiguous)
{
	struct arena *a = &f->plan->arena;
	struct view plain = { fn->name.p, plain_length(fn->name) };
	struct site s = {
		.kind = f->p->kind,
		.addr = fn->addr,
		.offset = f->name->has_offset ? f->name->offset : 0,
		.symbol = arena_view(a, fn->name),
		.module = fn->module.n ? arena_view(a, fn->module) : NULL,
		.is_syscall_wrapper = is_wrapper(fn->name),
		.is_by_address = is_ambiguous,
		.alias = alias,
	};

	s.func = arena_view(a, plain);
	s.name = arena_printf(a, s.offset ? "%s:%s%s:%s+0x%llx" : "%s:%s%s:%s",
			      site_kind_letter(s.kind), s.module ? s.module : "",
			      s.module ? "`" : "", s.func, s.offset);
	if (s.module)
		s.name = arena_printf(a, s.offset ? "%s:%s`%s+0x%llx" : "%s:%s`%s",
				      site_kind_letter(s.kind), s.module, s.func, s.offset);
	take_types(f, &s, plain);
	if (!finder_is_named(f) && is_by_fentry(f) && !s.attach_btf_id)
		finder_skip(f, SKIP_UNTYPED, s.symbol);
	else
		finder_add(f, &s);
}

/* ---- one name ---- */

static int several(struct finder *f, const struct ksearch *s)
{
	finder_none(f, NULL, "%zu functions have this name", s->found.n);
	f->err->code = ERR_USAGE;
	for (size_t i = 0; i < s->found.n && i < 8; i++) {
		const struct kfunc *fn = &s->found.items[i];
		bool is_alone = true;

		for (size_t j = 0; j < s->found.n; j++)
			is_alone &=
				j == i || s->found.items[j].module.n != fn->module.n ||
				memcmp(s->found.items[j].module.p, fn->module.p, fn->module.n) != 0;
		if (is_alone)
			err_hint(f->err, "  %.*s`%s", fn->module.n ? (int)fn->module.n : 7,
				 fn->module.n ? fn->module.p : "vmlinux", s->wanted);
		else
			err_hint(f->err, "  0x%llx", fn->addr);
	}
	return -f->err->code;
}

static int add_found(struct ksearch *s, const struct func_alias *alias)
{
	struct finder *f = s->f;
	const struct kfunc *fn = &s->found.items[0];
	const char *danger = func_danger(s->wanted);

	if (s->found.n > 1)
		return several(f, s);
	if (kfuncs_is_denied(f->k, fn->name)) {
		finder_none(f, NULL, "the kernel forbids probing '%s'", s->wanted);
		f->err->code = ERR_KERNEL;
		return err_hint(f->err, "it is on the list of /sys/kernel/debug/kprobes/blacklist");
	}
	if (danger)
		finder_note(f, "'%s' may hang the machine when probed (%s)", s->wanted, danger);
	if (s->clones.n)
		finder_note(f,
			    "%s has copies such as %.*s: calls of those are not counted ('%s*' "
			    "probes all)",
			    s->wanted, (int)s->clones.items[0].name.n, s->clones.items[0].name.p,
			    s->wanted);
	add_function(f, fn, alias, f->name->module != NULL);
	return 0;
}

/* The compiler split the function into clones: all of them are probed. */
static int add_clones(struct ksearch *s, const struct func_alias *alias)
{
	struct finder *f = s->f;

	for (size_t i = 0; i < s->clones.n; i++) {
		const struct kfunc *fn = &s->clones.items[i];
		bool is_part = memmem(fn->name.p, fn->name.n, ".part.", 6);

		add_function(f, fn, alias, false);
		finder_note(f, "%s is %.*s here%s", s->wanted, (int)fn->name.n, fn->name.p,
			    is_part ? ": a part of it only, calls that end early are not counted"
				    : "");
	}
	return 0;
}

/* Returns 1 if no function has this name. */
static int find_as(struct ksearch *s, const char *name, const struct func_alias *alias)
{
	int ret;

	s->wanted = name;
	s->found.n = s->clones.n = 0;
	ret = end_scan(s, kfuncs_starting(s->f->k, name, take_named, s));
	if (ret)
		return ret;
	if (s->found.n)
		return add_found(s, alias);
	return s->clones.n ? add_clones(s, alias) : 1;
}

/* Returns 1 if there is no function under another name either. */
static int find_renamed(struct ksearch *s, bool want_hollow)
{
	struct finder *f = s->f;
	const struct func_alias *alias;

	for (u32 nth = 0; (alias = alias_of_func(f->name->func, nth)); nth++) {
		int ret = alias->is_hollow == want_hollow ? find_as(s, alias->to, alias) : 1;

		if (ret == 1)
			continue;
		if (!ret && f->name->has_offset) {
			f->plan->sites.n = 0;
			finder_none(f, NULL,
				    "%s is %s here: an offset into the old one means nothing in it",
				    alias->from, alias->to);
			return -f->err->code;
		}
		if (!ret)
			finder_note(f, "%s is %s here%s%s", alias->from, alias->to,
				    alias->note ? ": " : "", alias->note ? alias->note : "");
		return ret;
	}
	return 1;
}

/* If something else has the name, it is not a typing mistake, and no similar name is suggested. */
static int no_function(struct ksearch *s)
{
	struct finder *f = s->f;
	s32 nr = syscall_number(f->name->func);
	const char *elsewhere = nr < 0 ? find_elsewhere(f) : NULL;

	s->wanted = s->near.word = f->name->func;
	if (nr < 0 && !elsewhere)
		scan(s, take_near);
	finder_none(f, &s->near, "there is no such kernel function%s",
		    s->near.best || nr >= 0 || elsewhere ? "" : ", or the compiler has inlined it");
	if (!strcmp(f->name->func, "BEGIN") || !strcmp(f->name->func, "END"))
		err_hint(f->err, "a spec is one probe: there are no BEGIN and END blocks");
	if (nr >= 0)
		err_hint(f->err, "the system call is syscall:%s", syscall_name((u32)nr));
	if (elsewhere)
		err_hint(f->err, "did you mean '%s'?", elsewhere);
	else
		value_hint(f->name->func, f->err);
	return -f->err->code;
}

static int find_named(struct finder *f)
{
	struct ksearch s = { .f = f };
	int ret = f->name->module || f->name->has_offset ? 1 : find_renamed(&s, true);

	if (ret == 1)
		ret = find_as(&s, f->name->func, NULL);
	if (ret == 1 && !f->name->module)
		ret = find_renamed(&s, false);
	if (ret == 1)
		ret = no_function(&s);
	ksearch_release(&s);
	return ret;
}

/* ---- patterns ---- */

/* The number of matches with this name. */
static u32 count_same(const struct ksearch *s, const struct index *by_name, const struct kfunc *fn)
{
	size_t at = 0;
	u32 id, n = 0;

	while (index_next(by_name, hash_bytes(fn->name.p, fn->name.n), &at, &id)) {
		const struct kfunc *other = &s->found.items[id];

		n += other->name.n == fn->name.n && !memcmp(other->name.p, fn->name.p, fn->name.n);
	}
	return n;
}

static enum plan_skip reason(struct ksearch *s, const struct index *by_name, const struct kfunc *fn,
			     u64 last_addr)
{
	struct kernel *k = s->f->k;
	char name[256];

	snprintf(name, sizeof(name), "%.*s", (int)fn->name.n, fn->name.p);
	if (func_danger(name))
		return SKIP_DANGEROUS;
	if (!kfuncs_is_traceable(k, fn->name))
		return SKIP_NOT_TRACEABLE;
	if (kfuncs_is_denied(k, fn->name))
		return SKIP_DENIED;
	if (fn->addr && fn->addr == last_addr)
		return SKIP_DUPLICATE;
	return count_same(s, by_name, fn) > 1 ? SKIP_AMBIGUOUS : SKIP_N;
}

static int find_pattern(struct finder *f)
{
	struct ksearch s = { .f = f };
	struct index by_name = { 0 };
	size_t before = f->n_found;
	u64 last_addr = 0;
	int ret = scan(&s, take_match);

	for (size_t i = 0; i < s.found.n; i++)
		index_add(&by_name, hash_bytes(s.found.items[i].name.p, s.found.items[i].name.n),
			  (u32)i);
	for (size_t i = 0; i < s.found.n; i++) {
		const struct kfunc *fn = &s.found.items[i];
		enum plan_skip why = reason(&s, &by_name, fn, last_addr);

		last_addr = fn->addr;
		if (why == SKIP_N)
			add_function(f, fn, NULL, false);
		else
			finder_skip(f, why, arena_view(&f->plan->arena, fn->name));
	}
	if (!ret && f->n_found == before)
		ret = finder_none(f, NULL,
				  s.found.n ? "no function of this pattern can be probed"
					    : "no kernel function matches");
	index_release(&by_name);
	ksearch_release(&s);
	return ret;
}

/* ---- all ---- */

static int add_address(struct finder *f)
{
	struct arena *a = &f->plan->arena;
	struct site s = { .kind = f->p->kind, .addr = f->name->offset, .is_by_address = true };

	s.func = arena_strndup(a, f->name->func, strlen(f->name->func));
	s.name = arena_printf(a, "p::%s", s.func);
	finder_add(f, &s);
	return 0;
}

/* sys_read and __x64_sys_read mean the system call, however this kernel spells it, unless a method
 * for functions is forced. */
static bool means_syscall(const struct finder *f)
{
	bool is_forced = f->opts->forced == ATTACH_KPROBE ||
			 f->opts->forced == ATTACH_KPROBE_EVENT ||
			 f->opts->forced == ATTACH_KPROBE_MULTI;

	if (is_by_fentry(f) || is_forced || f->name->has_offset || f->name->module ||
	    f->p->is_regex || !syscall_prefixed(f->name->func))
		return false;
	return f->name->is_glob || syscall_number(f->name->func) >= 0;
}

int find_kernel(struct finder *f)
{
	if (f->name->is_address)
		return add_address(f);
	if (means_syscall(f))
		return find_syscalls(f);
	return finder_is_named(f) ? find_named(f) : find_pattern(f);
}
