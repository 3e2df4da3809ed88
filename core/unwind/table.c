// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/table.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "unwind/cfi.h"
#include "unwind/vdso.h"

/* The largest known .eh_frame is that of a browser: 13 MiB, with 500,000 FDEs. */
#define MAX_SECTION_BYTES (64 << 20)
#define MAX_RANGES	  (1 << 20)
/* Limits the addresses of one file: CUDA's largest library has 415 MiB of code. */
#define MAX_PAGES	  (1 << 16)
#define MAX_PAGE_ROWS	  CFI_ELEMENT_ROWS
/* Up to this many bytes between two functions are padding, and get no row. */
#define PADDING		  15
/* Length of a start routine without call frame information, such as musl's. */
#define ENTRY_BYTES	  64
#define SECTION_NAME(s)	  ((s) == EH_FRAME ? ".eh_frame" : ".debug_frame")

enum {
	EH_FRAME,
	DEBUG_FRAME,
	N_SECTIONS,
};

/* Addresses that one FDE covers.  If `rule` is not 0, there is no FDE, and all addresses have this
 * rule. */
struct range {
	struct cfi_fde fde;
	u8 section;
	u16 rule;
};

struct build {
	struct unwind_table *t;
	const struct elf *e;
	struct unwind_rules *rules;
	struct str bytes[N_SECTIONS];
	struct cfi_reader readers[N_SECTIONS];
	VEC(struct range) ranges;
	u8 section;    /* the section that is being read */
	u64 low, high; /* executable addresses */
	u64 covered;   /* rows have been written up to this address */
	u32 max_rows;
	u16 rule; /* the last row's */
};

/* ---- rows ---- */

/* Begin all pages up to this one, each with the rule that is in force. */
static bool reach_page(struct build *b, u64 page)
{
	struct unwind_table *t = b->t;

	while (t->pages.n <= page) {
		if (t->rows.n >= b->max_rows)
			return false;
		vec_push(&t->pages, (struct cfi_page){ .first = (u32)t->rows.n, .n = 1 });
		vec_push(&t->rows, (struct cfi_row){ .rule = b->rule });
	}
	return true;
}

static void put_row(struct build *b, u64 addr, u16 rule)
{
	struct unwind_table *t = b->t;
	u64 page = (addr >> CFI_PAGE_BITS) - t->first_page;
	u16 off = (u16)(addr & (CFI_PAGE_BYTES - 1));
	struct cfi_row *last;

	if (rule == b->rule)
		return;
	if (!reach_page(b, page) || t->rows.n >= b->max_rows ||
	    t->pages.items[page].n == MAX_PAGE_ROWS) {
		t->stats.n_over++;
		return;
	}
	b->rule = rule;
	last = &t->rows.items[t->rows.n - 1];
	if (last->off == off) {
		last->rule = rule;
		return;
	}
	t->pages.items[page].n++;
	vec_push(&t->rows, (struct cfi_row){ .off = off, .rule = rule });
}

/* If two ranges overlap, the one that begins first wins. */
static void on_row(void *ctx, u64 addr, const struct cfi_rule *rule)
{
	struct build *b = ctx;
	u16 id = unwind_rules_id(b->rules, rule);

	b->t->stats.n_none += !id;
	put_row(b, addr < b->covered ? b->covered : addr, id);
}

static void put_range(struct build *b, const struct range *range)
{
	const struct cfi_rows rows = { .row = on_row, .ctx = b };
	u64 start = range->fde.start, end = start + range->fde.n;

	if (end <= b->covered)
		return;
	if (start > b->covered && start - b->covered > PADDING)
		put_row(b, b->covered, 0);
	if (b->covered < start)
		b->covered = start;
	if (range->rule)
		put_row(b, b->covered, range->rule);
	else
		cfi_run(&b->readers[range->section], &range->fde, &rows);
	b->covered = end;
}

static int range_cmp(const void *a_, const void *b_)
{
	const struct range *a = a_, *b = b_;

	if (a->fde.start != b->fde.start)
		return (a->fde.start > b->fde.start) - (a->fde.start < b->fde.start);
	if (a->section != b->section)
		return (a->section > b->section) - (a->section < b->section);
	return (a->fde.at > b->fde.at) - (a->fde.at < b->fde.at);
}

static void sort_ranges(struct build *b)
{
	for (size_t i = 1; i < b->ranges.n; i++) {
		if (range_cmp(&b->ranges.items[i - 1], &b->ranges.items[i]) <= 0)
			continue;
		qsort(b->ranges.items, b->ranges.n, sizeof(*b->ranges.items), range_cmp);
		return;
	}
}

static void put_ranges(struct build *b)
{
	const struct range *range;

	sort_ranges(b);
	b->covered = b->low;
	vec_for_each(range, &b->ranges) {
		if (!meter_step(b->e->src.meter, 8 + range->fde.bytes))
			break;
		put_range(b, range);
	}
	put_row(b, b->covered, 0);
}

/* ---- ranges ---- */

static void add_range(struct build *b, const struct range *range)
{
	if (range->fde.start < b->low || range->fde.start >= b->high ||
	    range->fde.n > b->high - range->fde.start || b->ranges.n == MAX_RANGES)
		b->t->stats.n_refused++;
	else
		vec_push(&b->ranges, *range);
}

static void add_rule(void *ctx, u64 start, u32 n, const struct cfi_rule *rule)
{
	struct build *b = ctx;

	add_range(b, &(struct range){ .fde = { .start = start, .n = n },
				      .section = N_SECTIONS,
				      .rule = unwind_rules_id(b->rules, rule) });
}

static void on_fde(void *ctx, const struct cfi_fde *fde)
{
	struct build *b = ctx;

	b->t->stats.n_fdes++;
	add_range(b, &(struct range){ .fde = *fde, .section = b->section });
}

static bool read_section(struct build *b, u32 which, const struct cfi_machine *machine)
{
	const struct elf_section *sec = elf_section_named(b->e, SECTION_NAME(which));
	struct cfi_section section = { .is_debug = which == DEBUG_FRAME };

	if (!sec || elf_section_load(b->e, sec, MAX_SECTION_BYTES, &b->bytes[which]))
		return false;
	section.bytes = (const u8 *)b->bytes[which].p;
	section.size = b->bytes[which].n;
	section.vaddr = sec->addr;
	b->section = which;
	cfi_reader_init(&b->readers[which], &section, machine, b->e->src.meter);
	cfi_reader_each(&b->readers[which], on_fde, b);
	b->t->stats.n_refused += b->readers[which].n_refused;
	return true;
}

/* Some linkers (lld) describe no .plt: at its jumps, nothing has been pushed yet. */
static void add_plts(struct build *b, const struct cfi_machine *machine)
{
	struct cfi_rule rule = { .cfa = CFI_SP, .off = 8, .ra = CFI_AT_CFA, .ra_words = -1 };
	const struct elf_section *sec;

	if (!machine->has_plt_expression)
		rule = (struct cfi_rule){ .cfa = CFI_SP, .ra = CFI_SAME };
	vec_for_each(sec, &b->e->sections) {
		if ((strncmp(sec->name, ".plt", 4) != 0 && strcmp(sec->name, ".iplt") != 0) ||
		    !(sec->flags & SHF_EXECINSTR) || !sec->size || sec->size > UINT32_MAX)
			continue;
		add_rule(b, sec->addr, (u32)sec->size, &rule);
	}
}

/* The number of addresses from `start` on that no range covers, at most `n`. */
static u32 free_from(const struct build *b, u64 start, u32 n)
{
	const struct range *r;

	vec_for_each(r, &b->ranges) {
		if (start >= r->fde.start && start - r->fde.start < r->fde.n)
			return 0;
		if (r->fde.start > start && r->fde.start - start < n)
			n = (u32)(r->fde.start - start);
	}
	return n;
}

/* The first function of a program has no caller, even if its call frame information does not say
 * so. */
static void add_entry(struct build *b)
{
	const struct cfi_rule end = { .cfa = CFI_END };
	u32 n = ENTRY_BYTES;
	Elf64_Ehdr h;

	if (!elf_src_read(&b->e->src, 0, &h, sizeof(h)) || h.e_entry < b->low ||
	    h.e_entry >= b->high)
		return;
	if (n > b->high - h.e_entry)
		n = (u32)(b->high - h.e_entry);
	n = free_from(b, h.e_entry, n);
	if (n)
		add_rule(b, h.e_entry, n, &end);
}

/* ---- the file ---- */

static bool find_code(struct build *b)
{
	const struct elf_segment *s;

	b->low = UINT64_MAX;
	vec_for_each(s, &b->e->loads) {
		if (!s->is_exec || !s->mem_size || s->vaddr > UINT64_MAX - s->mem_size)
			continue;
		if (s->vaddr < b->low)
			b->low = s->vaddr;
		if (s->vaddr + s->mem_size > b->high)
			b->high = s->vaddr + s->mem_size;
	}
	b->t->first_page = b->low >> CFI_PAGE_BITS;
	return b->low < b->high && (b->high >> CFI_PAGE_BITS) - b->t->first_page < MAX_PAGES;
}

static void release_build(struct build *b)
{
	for (u32 i = 0; i < N_SECTIONS; i++) {
		cfi_reader_release(&b->readers[i]);
		str_release(&b->bytes[i]);
	}
	vec_release(&b->ranges);
}

int unwind_table_build(struct unwind_table *t, const struct elf *e, struct unwind_rules *rules,
		       u32 max_rows)
{
	const struct cfi_machine *machine = e->is_64 ? cfi_machine_of(e->machine) : NULL;
	_cleanup_(release_build) struct build b = {
		.t = t, .e = e, .rules = rules, .max_rows = max_rows
	};
	struct vdso_rules vdso = { .rule = add_rule, .ctx = &b };
	bool has_any = false;

	*t = (struct unwind_table){ 0 };
	if (!machine || !find_code(&b))
		return -EINVAL;
	for (u32 i = 0; i < N_SECTIONS; i++)
		has_any |= read_section(&b, i, machine);
	vdso.is_signal_only = has_any;
	if (!unwind_vdso(e, &vdso) && !has_any)
		return -ENOENT;
	add_plts(&b, machine);
	add_entry(&b);
	put_ranges(&b);
	if (t->stats.n_over) {
		unwind_table_release(t);
		return -E2BIG;
	}
	vec_fit(&t->rows);
	vec_fit(&t->pages);
	return 0;
}

void unwind_table_release(struct unwind_table *t)
{
	vec_release(&t->pages);
	vec_release(&t->rows);
}

u16 unwind_table_find(const struct unwind_table *t, u64 vaddr)
{
	u64 page = (vaddr >> CFI_PAGE_BITS) - t->first_page;
	const struct cfi_row *rows;
	u32 n, low = 0;

	if (page >= t->pages.n)
		return 0;
	rows = t->rows.items + t->pages.items[page].first;
	for (n = t->pages.items[page].n; n > 1; n -= n / 2)
		if (rows[low + n / 2].off <= (vaddr & (CFI_PAGE_BYTES - 1)))
			low += n / 2;
	return rows[low].rule;
}
