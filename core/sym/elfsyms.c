// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/elfsyms.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sym/aliasorder.h"

#define CHUNK_BYTES (64 * 1024)

struct symbol {
	u64 start, size;
	u32 name;
	u16 shndx;
	u8 type, bind;
};

/* A symbol table that is being read: the sources of the table and of its strings. */
struct table {
	const struct elf *e;
	struct elf_src src, str_src;
	u64 off, size, str_off, str_size;
	struct str hold, str_hold; /* inflated copies of compressed tables */
	size_t entsize;
	bool is_full; /* the table lists all functions of the file */
	/* The names compared last: consecutive aliases are compared with the same one. */
	struct known_name {
		u64 ref;
		size_t n;
		char text[SYM_NAME_MAX];
	} * known[2]; /* owned; NULL: none yet */
};

static void table_release(struct table *t)
{
	str_release(&t->hold);
	str_release(&t->str_hold);
	free(t->known[0]);
	free(t->known[1]);
}

static bool table_open(struct table *t, const struct elf *e, const struct elf_section *sec)
{
	*t = (struct table){ .e = e };
	t->entsize = e->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	return sec->link < e->sections.n &&
	       !elf_section_src(e, sec, &t->hold, &t->src, &t->off, &t->size) &&
	       !elf_section_src(e, &e->sections.items[sec->link], &t->str_hold, &t->str_src,
				&t->str_off, &t->str_size);
}

static struct symbol symbol_from(const struct elf *e, const u8 *bytes)
{
	Elf64_Sym wide;
	Elf32_Sym slim;

	if (e->is_64) {
		memcpy(&wide, bytes, sizeof(wide));
		return (struct symbol){ .start = wide.st_value,
					.size = wide.st_size,
					.name = wide.st_name,
					.shndx = wide.st_shndx,
					.type = ELF64_ST_TYPE(wide.st_info),
					.bind = ELF64_ST_BIND(wide.st_info) };
	}
	memcpy(&slim, bytes, sizeof(slim));
	return (struct symbol){ .start = slim.st_value,
				.size = slim.st_size,
				.name = slim.st_name,
				.shndx = slim.st_shndx,
				.type = ELF32_ST_TYPE(slim.st_info),
				.bind = ELF32_ST_BIND(slim.st_info) };
}

/* Can the symbol name code? */
static bool symbol_is_code(const struct table *t, const struct symbol *s)
{
	const struct elf_section *sec = &t->e->sections.items[s->shndx];

	if (s->type != STT_FUNC && s->type != STT_GNU_IFUNC && s->type != STT_NOTYPE)
		return false;
	/* Section numbers above 0xff00 are escapes; files with that many sections have empty
	 * `sections`. */
	if (!s->name || s->shndx == SHN_UNDEF || s->shndx >= t->e->sections.n)
		return false;
	/* Skip labels within assembler functions, and the $x and $d marks of arm64. */
	if (s->type == STT_NOTYPE && s->bind == STB_LOCAL && !s->size)
		return false;
	return sec->flags & SHF_EXECINSTR;
}

/* Variables of a thread have no address of their own. */
static bool symbol_is_data(const struct table *t, const struct symbol *s)
{
	const struct elf_section *sec = &t->e->sections.items[s->shndx];

	return s->type == STT_OBJECT && s->name && s->shndx != SHN_UNDEF &&
	       s->shndx < t->e->sections.n && sec->flags & SHF_ALLOC;
}

static u32 symbol_rank(const struct symbol *s)
{
	return (s->type != STT_NOTYPE) * 2u + (s->bind != STB_LOCAL);
}

static void offer_symbol(const struct table *t, struct wants *w, const struct symbol *s)
{
	struct sym_entry o = {
		.start = s->start,
		.size = s->size,
		.ref = s->name,
		.rank = symbol_rank(s),
	};

	if (w->is_data ? !symbol_is_data(t, s) : !symbol_is_code(t, s))
		return;
	if (s->size)
		wants_cover(w, &o);
	if (t->is_full && !w->is_data)
		wants_near(w, &o);
}

/* 11 million symbols, about five times as many as a browser with all its symbols has. */
#define MAX_TABLE (256ULL << 20)

/* The offset of the next symbol that may be nonzero: symbols in a hole of the file are all zero,
 * and name nothing. */
static u64 skip_hole(const struct table *t, u64 at)
{
	u64 data = elf_src_data(&t->src, t->off + at);

	if (data <= t->off + at + CHUNK_BYTES)
		return at;
	return (data - t->off) / t->entsize * t->entsize;
}

/* Call fn() for all rows of the table, in order, until it returns false. */
static void
each_row(const struct table *t,
	 bool (*fn)(void *ctx, const struct table *t, const struct symbol *s, u64 index), void *ctx)
{
	_cleanup_(free_p) u8 *chunk = mem_alloc(1, CHUNK_BYTES);
	size_t fit = CHUNK_BYTES / t->entsize * t->entsize;

	for (u64 at = skip_hole(t, 0), end = t->size; at < end; at = skip_hole(t, at)) {
		size_t n = end - at < fit ? (size_t)(end - at) : fit;
		size_t got = elf_src_read_some(&t->src, t->off + at, chunk, n);

		for (size_t i = 0; i + t->entsize <= got; i += t->entsize) {
			struct symbol s = symbol_from(t->e, chunk + i);

			if (!fn(ctx, t, &s, (at + i) / t->entsize))
				return;
		}
		if (got < fit || !meter_step(t->e->src.meter, fit / t->entsize))
			return;
		at += got;
	}
}

static bool offer_row(void *ctx, const struct table *t, const struct symbol *s, u64 index)
{
	(void)index;
	offer_symbol(t, ctx, s);
	return true;
}

/* ---- names ---- */

/* The string at `ref`, truncated at SYM_NAME_MAX, or an empty view.  `buf` has SYM_NAME_MAX
 * bytes. */
static struct view table_string(const struct table *t, u64 ref, char *buf)
{
	size_t n = 128, got;
	char *end;

	if (ref >= t->str_size)
		return (struct view){ buf, 0 };
	/* Most names are short: a second read for the long ones costs less than always reading 4
	 * KB. */
	for (;; n = SYM_NAME_MAX) {
		if (n > t->str_size - ref)
			n = (size_t)(t->str_size - ref);
		got = elf_src_read_some(&t->str_src, t->str_off + ref, buf, n);
		end = memchr(buf, '\0', got);
		if (end || n != 128)
			break;
	}
	return (struct view){ buf, end ? (size_t)(end - buf) : got };
}

/* The name at `ref`, kept until two other names were read; the name at `keep` is not evicted. */
static struct view known_string(struct table *t, u64 ref, u64 keep)
{
	struct known_name **k = t->known;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t->known) && k[i]; i++)
		if (k[i]->ref == ref)
			return (struct view){ k[i]->text, k[i]->n };
	if (i == ARRAY_SIZE(t->known))
		i = k[0]->ref == keep;
	if (!k[i])
		k[i] = mem_alloc(1, sizeof(*k[i]));
	k[i]->ref = ref;
	k[i]->n = table_string(t, ref, k[i]->text).n;
	return (struct view){ k[i]->text, k[i]->n };
}

static bool alias_is_better(void *ctx, u64 ref_a, u64 ref_b)
{
	struct view a = known_string(ctx, ref_a, ref_b), b = known_string(ctx, ref_b, ref_a);

	if (!a.n || !b.n)
		return b.n > a.n;
	return alias_order(b, a) < 0;
}

/* An unsized symbol extends to the next symbol or to the end of its section, whichever is first. */
static bool near_reaches(const struct elf *e, const struct sym_query *want)
{
	const struct elf_section *sec;

	if (!want->near.is_set || want->near.size)
		return false;
	sec = elf_section_at(e, want->at);
	return sec && want->near.start >= sec->addr;
}

static void take_winners(struct table *t, struct wants *w)
{
	char buf[SYM_NAME_MAX];
	struct sym_query *want;

	vec_for_each(want, &w->list) {
		if (want->is_named)
			continue;
		if (want->best.is_set)
			want_name(want, &want->best, table_string(t, want->best.ref, buf));
		else if (near_reaches(t->e, want))
			want_name(want, &want->near, table_string(t, want->near.ref, buf));
	}
}

static void name_from_table(const struct elf *e, const struct elf_section *sec, struct wants *w,
			    bool is_full)
{
	_cleanup_(table_release) struct table t;

	wants_clear(w);
	if (table_open(&t, e, sec)) {
		t.is_full = is_full;
		w->is_better = alias_is_better;
		w->ctx = &t;
		each_row(&t, offer_row, w);
		wants_settle(w);
		/* If only half of the table was read, the best name so far may not be the right
		 * one. */
		if (!meter_is_over(e->src.meter))
			take_winners(&t, w);
	}
	w->is_better = NULL;
	w->ctx = NULL;
	wants_clear(w);
}

void elfsyms_name(const struct elf *e, struct wants *w, bool is_full)
{
	static const u32 tables[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (size_t i = 0; i < ARRAY_SIZE(tables) && wants_left(w); i++) {
		const struct elf_section *sec = elf_section_typed(e, tables[i]);

		if (sec)
			name_from_table(e, sec, w, is_full && sec->type == SHT_SYMTAB);
	}
}

bool elfsyms_name_at(const struct elf *e, const struct elf_section *tab, u32 index, struct str *out)
{
	_cleanup_(table_release) struct table t;
	char buf[SYM_NAME_MAX];
	struct symbol s;
	struct view name;
	u8 bytes[sizeof(Elf64_Sym)];

	if (!table_open(&t, e, tab) || (u64)index >= t.size / t.entsize ||
	    !elf_src_read(&t.src, t.off + (u64)index * t.entsize, bytes, t.entsize))
		return false;
	s = symbol_from(e, bytes);
	name = table_string(&t, s.name, buf);
	str_add(out, name.p, name.n);
	return name.n;
}

/* ---- all functions ---- */

/* Chromium's string table with all symbols has 300 MB: names in longer tables than this are read
 * one by one. */
#define MAX_STRINGS	 (64ULL << 20)
#define MAX_VERDEF	 (1U << 20) /* about 50 bytes for each version; libc has 40 versions */
#define VERSION_NAME_MAX 64
#define VERSION_OLD	 0x8000U /* binutils calls it VERSYM_HIDDEN */

/* The receiver of functions, and the tables needed to name them. */
struct taker {
	struct str strings; /* the whole string table, because a million single reads add up; empty:
			       too long */
	struct str versions;	   /* version of each symbol, by symbol index */
	VEC(char *) version_names; /* by version, owned; NULL: not known */
	char name[SYM_NAME_MAX + 1];
	bool (*fn)(void *ctx, const struct elf_symbol *s);
	void *ctx;
	const char *wanted; /* any symbol with this name; NULL: all functions */
};

/* Load the version of each symbol of a dynamic table; stays empty if the file has none. */
static void load_versions(const struct elf *e, const struct elf_section *table, struct str *out)
{
	const struct elf_section *sec = elf_section_typed(e, SHT_GNU_versym);

	if (sec && sec->link < e->sections.n && &e->sections.items[sec->link] == table &&
	    elf_section_load(e, sec, MAX_TABLE / sizeof(Elf32_Sym) * sizeof(Elf32_Half), out))
		str_clear(out);
}

static void load_strings(const struct elf *e, const struct elf_section *table, struct str *out)
{
	if (elf_section_load(e, &e->sections.items[table->link], MAX_STRINGS, out))
		str_clear(out);
}

/* NULL if there is no name, or it is longer than SYM_NAME_MAX.  Valid until the next call. */
static const char *name_at(const struct table *t, struct taker *to, u32 ref)
{
	struct view v;

	if (!to->strings.n) {
		v = table_string(t, ref, to->name);
		to->name[v.n] = '\0';
		return v.n && v.n < SYM_NAME_MAX ? to->name : NULL;
	}
	if (ref >= to->strings.n || strnlen(to->strings.p + ref, SYM_NAME_MAX) == SYM_NAME_MAX)
		return NULL;
	return to->strings.p + ref;
}

static void name_version(struct taker *to, u32 version, const char *name)
{
	while (to->version_names.n <= version)
		vec_push(&to->version_names, NULL);
	free(to->version_names.items[version]);
	to->version_names.items[version] = mem_strndup(name, strnlen(name, VERSION_NAME_MAX));
}

/* Load the names of the versions that the file defines.  Elf32_Verdef is the same. */
static void load_version_names(const struct elf *e, const struct table *t,
			       const struct elf_section *table, struct taker *to)
{
	const struct elf_section *sec = elf_section_typed(e, SHT_GNU_verdef);
	_cleanup_(str_release) struct str all = { 0 };
	Elf64_Verdef def = { .vd_next = 1 };
	Elf64_Verdaux aux;
	const char *name;

	if (!to->versions.n || !sec || sec->link != table->link ||
	    elf_section_load(e, sec, MAX_VERDEF, &all))
		return;
	for (u64 at = 0; def.vd_next && at + sizeof(def) <= all.n; at += def.vd_next) {
		memcpy(&def, all.p + at, sizeof(def));
		if (at + def.vd_aux + sizeof(aux) > all.n)
			return;
		memcpy(&aux, all.p + at + def.vd_aux, sizeof(aux));
		/* The base definition is the file's own name. */
		if (def.vd_flags & VER_FLG_BASE || def.vd_ndx & VERSION_OLD)
			continue;
		name = name_at(t, to, aux.vda_name);
		if (name)
			name_version(to, def.vd_ndx, name);
	}
}

static bool version_of(const struct str *versions, u64 index, Elf32_Half *out)
{
	if (index >= versions->n / sizeof(*out))
		return false;
	memcpy(out, versions->p + index * sizeof(*out), sizeof(*out));
	return true;
}

static const char *version_name(const struct taker *to, u64 index)
{
	Elf32_Half version;

	if (!version_of(&to->versions, index, &version))
		return NULL;
	version &= (Elf32_Half)~VERSION_OLD;
	return version < to->version_names.n ? to->version_names.items[version] : NULL;
}

/* Linkers put the version into the names of the full table, and a version number into the dynamic
 * one. */
static bool symbol_is_old(const struct str *versions, u64 index, const char *name)
{
	const char *at = strchr(name, '@');
	Elf32_Half version;

	if (at && at > name)
		return at[1] != '@';
	return version_of(versions, index, &version) && version & VERSION_OLD;
}

static bool give_symbol(void *ctx, const struct table *t, const struct symbol *s, u64 index)
{
	struct taker *to = ctx;
	struct elf_symbol out = {
		.start = s->start,
		.size = s->size,
		.is_defined = s->shndx != SHN_UNDEF,
		.is_ifunc = s->type == STT_GNU_IFUNC,
	};

	out.name = s->name ? name_at(t, to, s->name) : NULL;
	if (!out.name)
		return true;
	out.is_old = symbol_is_old(&to->versions, index, out.name);
	out.version = out.is_defined ? version_name(to, index) : NULL;
	if (to->wanted)
		return !out.is_defined || strcmp(out.name, to->wanted) || to->fn(to->ctx, &out);
	if (out.is_defined ? !symbol_is_code(t, s) : s->type != STT_FUNC && s->type != STT_NOTYPE)
		return true;
	return to->fn(to->ctx, &out);
}

static void taker_release(struct taker *to)
{
	str_release(&to->strings);
	str_release(&to->versions);
	for (size_t i = 0; i < to->version_names.n; i++)
		free(to->version_names.items[i]);
	vec_release(&to->version_names);
}

static bool each_symbol(const struct elf *e, u32 sh_type, struct taker *to)
{
	const struct elf_section *sec = elf_section_typed(e, sh_type);
	_cleanup_(table_release) struct table t = { 0 };

	if (!sec || !table_open(&t, e, sec))
		return false;
	load_strings(e, sec, &to->strings);
	load_versions(e, sec, &to->versions);
	load_version_names(e, &t, sec, to);
	each_row(&t, give_symbol, to);
	taker_release(to);
	return !meter_is_over(e->src.meter);
}

bool elfsyms_each(const struct elf *e, u32 sh_type,
		  bool (*fn)(void *ctx, const struct elf_symbol *s), void *ctx)
{
	struct taker to = { .fn = fn, .ctx = ctx };

	return each_symbol(e, sh_type, &to);
}

struct address {
	u64 vaddr;
	bool is_set;
};

static bool take_address(void *ctx, const struct elf_symbol *s)
{
	struct address *a = ctx;

	*a = (struct address){ s->start, true };
	return false;
}

bool elfsyms_address(const struct elf *e, const char *name, u64 *vaddr)
{
	struct address a = { 0 };
	struct taker to = { .fn = take_address, .ctx = &a, .wanted = name };

	if (!each_symbol(e, SHT_SYMTAB, &to) || !a.is_set)
		each_symbol(e, SHT_DYNSYM, &to);
	*vaddr = a.vaddr;
	return a.is_set;
}
