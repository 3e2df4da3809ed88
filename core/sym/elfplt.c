// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The PLT has no symbols.  The GOT slot that an entry jumps through tells which function it calls:
 * the relocation that fills the slot names the function.  Entries are therefore decoded, not
 * counted: .plt, .plt.sec and .plt.got differ in layout, and so do linkers.
 */
#include <elf.h>
#include <string.h>

#include "base/cleanup.h"
#include "sym/elfrela.h"
#include "sym/elfsyms.h"

#define MAX_PLT_WANTS 4096 /* addresses in PLTs; a program has a few hundred hot ones */
#define MAX_BY_INDEX  64   /* how many of them are compared one by one */

struct plt_want {
	struct sym_query *want;
	u64 slot;  /* address of the GOT slot that it jumps through; 0: found by index */
	u64 start; /* address of the entry */
	u32 index; /* into .rela.plt, if slot is 0 */
};

struct plt_wants {
	VEC(struct plt_want) list;
};

/* ---- entries ---- */

/* x86-64: "jmp *disp(%rip)", anywhere in the entry; "push $index" in a lazy entry whose jump is
 * elsewhere (.plt with a .plt.sec). */
static bool decode_x86_code(const u8 *code, size_t n, struct plt_want *out)
{
	s32 disp;

	for (size_t i = 0; i + 6 <= n; i++) {
		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&disp, code + i + 2, sizeof(disp));
		out->slot = out->start + i + 6 + (u64)(s64)disp;
		return true;
	}
	for (size_t i = 0; i + 5 <= n && i <= 4;
	     i += 4) { /* at the start of the entry, or after endbr64 */
		if (code[i] != 0x68)
			continue;
		memcpy(&out->index, code + i + 1, sizeof(out->index));
		return true;
	}
	return false;
}

static bool decode_x86(const struct elf *e, const struct elf_section *sec, struct plt_want *out)
{
	u64 size = 16, into = out->want->at - sec->addr, off;
	u8 code[32];

	if (sec->entsize >= 8 && sec->entsize <= sizeof(code) && sec->entsize % 4 == 0)
		size = sec->entsize;
	else if (!strcmp(sec->name, ".plt.got"))
		size = 8;
	into -= into % size;
	out->start = sec->addr + into;
	return !__builtin_add_overflow(sec->off, into, &off) &&
	       elf_src_read(&e->src, off, code, (size_t)size) &&
	       decode_x86_code(code, (size_t)size, out);
}

#define ARM64_BTI_C  0xd503245f
#define ARM64_BR_X17 0xd61f0220
#define ARM64_REACH  5 /* instructions from an entry's adrp to its br */

static u32 instruction(const u8 *code)
{
	u32 insn;

	memcpy(&insn, code, sizeof(insn));
	return insn;
}

/* "adrp x16, page; ldr x17, [x16, #off]" at `at`. */
static bool decode_adrp_ldr(const u8 *code, u64 at, u64 *slot)
{
	u32 adrp = instruction(code), ldr = instruction(code + 4);
	u64 page;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = ((u64)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 12;
	page = (u64)((s64)(page << 31) >> 31); /* 33 bits, signed */
	*slot = (at & ~0xfffULL) + page + ((u64)(ldr >> 10 & 0xfff) << 3);
	return true;
}

/*
 * arm64: [bti c;] adrp x16; ldr x17; add x16; [autia1716;] br x17 [; nop].  Entries have 16 or 24
 * bytes, after a first one of 32, and the section does not tell which (sh_entsize is 0): the entry
 * of an address is therefore the nearest adrp before it with no br in between.
 */
static bool decode_arm64(const struct elf *e, const struct elf_section *sec, struct plt_want *out)
{
	u64 into = (out->want->at - sec->addr) & ~3ULL, off;
	u64 before = into < 4 * ARM64_REACH ? into : 4 * ARM64_REACH;
	u64 start = sec->addr + into - before;
	u8 code[4 * (ARM64_REACH +
		     3)]; /* up to two instructions later: at a bti, the adrp and its ldr */
	u64 n = sec->size - (into - before) < sizeof(code) ? sec->size - (into - before)
							   : sizeof(code);
	s64 i = (s64)before;

	if (__builtin_add_overflow(sec->off, into - before, &off) ||
	    !elf_src_read(&e->src, off, code, (size_t)n))
		return false;
	if ((u64)i + 4 <= n && instruction(code + i) == ARM64_BTI_C)
		i += 4;
	for (; i >= 0; i -= 4) {
		if ((u64)i + 8 <= n && decode_adrp_ldr(code + i, start + (u64)i, &out->slot)) {
			if (i >= 4 && instruction(code + i - 4) == ARM64_BTI_C)
				i -= 4;
			out->start = start + (u64)i;
			return true;
		}
		if (i >= 4 && instruction(code + i - 4) == ARM64_BR_X17)
			return false;
	}
	return false;
}

static bool decode_entry(const struct elf *e, const struct elf_section *sec, struct plt_want *out)
{
	if (e->machine == EM_X86_64)
		return decode_x86(e, sec, out);
	return e->machine == EM_AARCH64 && decode_arm64(e, sec, out);
}

static void collect(const struct elf *e, struct wants *w, struct plt_wants *out)
{
	struct sym_query *want;
	u32 n_by_index = 0;

	vec_for_each(want, &w->list) {
		const struct elf_section *sec = want->is_named ? NULL : elf_section_at(e, want->at);
		struct plt_want p = { .want = want };

		if (!sec || strncmp(sec->name, ".plt", 4) != 0 || out->list.n >= MAX_PLT_WANTS ||
		    !decode_entry(e, sec, &p) || (!p.slot && n_by_index++ >= MAX_BY_INDEX))
			continue;
		vec_push(&out->list, p);
	}
}

/* ---- relocations ---- */

static void name_entry(const struct elf *e, const struct elf_section *rela, u32 symbol,
		       struct plt_want *p)
{
	_cleanup_(str_release) struct str name = { 0 };
	struct sym_match entry = { .start = p->start };

	if (p->want->is_named || !symbol || rela->link >= e->sections.n ||
	    !elfsyms_name_at(e, &e->sections.items[rela->link], symbol, &name))
		return;
	str_adds(&name, "@plt");
	want_name(p->want, &entry, str_view(&name));
}

static int compare_slots(const void *a, const void *b)
{
	u64 x = ((const struct plt_want *)a)->slot, y = ((const struct plt_want *)b)->slot;

	return (x > y) - (x < y);
}

/* The index of the first entry that jumps through this slot or a higher one. */
static size_t lower_slot(const struct plt_wants *plt, u64 slot)
{
	size_t lo = 0, hi = plt->list.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (plt->list.items[mid].slot < slot)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void match_rela(void *ctx, const struct elf *e, const struct elf_section *sec, u64 index,
		       const Elf64_Rela *r)
{
	struct plt_wants *plt = ctx;
	u64 slot = r->r_offset;
	u32 symbol = (u32)ELF64_R_SYM(r->r_info);
	size_t i;

	if (!elfrela_is_call(e, r))
		return;
	for (i = lower_slot(plt, slot); i < plt->list.n && plt->list.items[i].slot == slot; i++)
		name_entry(e, sec, symbol, &plt->list.items[i]);
	if (strcmp(sec->name, ".rela.plt"))
		return;
	/* Entries known by index are sorted first: their slot is 0. */
	for (i = 0; i < plt->list.n && !plt->list.items[i].slot; i++)
		if (plt->list.items[i].index == index)
			name_entry(e, sec, symbol, &plt->list.items[i]);
}

void elfplt_name(const struct elf *e, struct wants *w)
{
	struct plt_wants plt = { 0 };

	if (!e->is_64)
		return;
	collect(e, w, &plt);
	if (plt.list.n) {
		qsort(plt.list.items, plt.list.n, sizeof(*plt.list.items), compare_slots);
		elfrela_each(e, match_rela, &plt);
	}
	vec_release(&plt.list);
}
