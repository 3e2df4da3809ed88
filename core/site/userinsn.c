// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/userinsn.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "site/x86len.h"
#include "sym/elfsyms.h"

#define CHUNK_BYTES (64 << 10)
/* The number of bytes that are decoded within a second.  Chromium without symbols has 180 MB of
 * code; a hole in a file decodes as instructions of two bytes, and can have any length. */
#define MAX_COUNTED (256 << 20)

/* ---- instructions ---- */

static enum insn_place every_fourth(u64 at, u64 *before, u64 *after)
{
	*before = at & ~3ULL;
	*after = *before + 4;
	return at == *before ? INSN_BEGINS : INSN_INSIDE;
}

/* x86 instructions are not aligned: their starts are found by decoding from a known start. */
static enum insn_place count_from(const struct user_file *f, u64 start, u64 at, u64 *before,
				  u64 *after)
{
	u8 code[CHUNK_BYTES];
	u64 have = start, end = start, off; /* bytes [have, end) of the program are in `code` */

	*before = start;
	if (at > start && at - start > MAX_COUNTED)
		return INSN_FAR;
	while (*before < at) {
		u32 n;

		if (end - *before < X86_LONGEST) {
			have = *before;
			if (!user_file_offset(f, have, &off))
				return INSN_UNKNOWN;
			end = have + elf_src_read_some(&f->elf.src, off, code, sizeof(code));
		}
		n = x86_length(code + (*before - have), (size_t)(end - *before));
		if (!n)
			return INSN_UNKNOWN;
		*after = *before + n;
		if (*after > at)
			return INSN_INSIDE;
		*before = *after;
	}
	return INSN_BEGINS;
}

enum insn_place user_insn_at(const struct user_file *f, u64 start, u64 at, u64 *before, u64 *after)
{
	if (start == at && f->elf.machine != EM_AARCH64)
		return INSN_BEGINS;
	if (f->elf.machine == EM_AARCH64)
		return every_fourth(at, before, after);
	return f->elf.machine == EM_X86_64 ? count_from(f, start, at, before, after) : INSN_FOREIGN;
}

/* ---- functions ---- */

struct search {
	u64 at;
	struct user_place *out;
	u64 end; /* end of the last function before the address that has a size */
};

/* Among several functions, the one with the highest start; among its aliases, the first in the
 * file. */
static bool look_at(void *ctx, const struct elf_symbol *s)
{
	struct search *c = ctx;

	if (!s->is_defined || s->start > c->at)
		return true;
	if (s->start + s->size > c->at) {
		if (c->out->name[0] && s->start <= c->out->start)
			return true;
		c->out->start = s->start;
		snprintf(c->out->name, sizeof(c->out->name), "%s", s->name);
	} else if (s->size && s->start + s->size > c->end) {
		c->end = s->start + s->size;
	}
	return true;
}

bool user_place_of(const struct user_file *f, u64 at, struct user_place *out)
{
	const struct elf_section *section = elf_section_at(&f->elf, at);
	struct search search = { .at = at, .out = out };

	*out = (struct user_place){ 0 };
	if (!elfsyms_each(&f->elf, SHT_SYMTAB, look_at, &search) || !out->name[0])
		elfsyms_each(&f->elf, SHT_DYNSYM, look_at, &search);
	if (out->name[0])
		return true;
	if (!section)
		return false;
	out->start = search.end > section->addr ? search.end : section->addr;
	return true;
}
