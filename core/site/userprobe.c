// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel decides by the opcode whether a breakpoint may replace an instruction
 * (arch_uprobe_analyze_insn), but it reads the opcode after a VEX or EVEX prefix as if there were
 * no prefix: it refuses vmovd (6e), which it takes for outs, and takes vpcmpeqd (76) for a jump.
 * The tables were measured with each opcode on 5.10, 6.18 and 7.3, whose answers are the same.
 */
#include "site/userprobe.h"

#include <elf.h>
#include <string.h>

#include "site/x86len.h"

#define MAX_SKIPPED	4	  /* vector instructions at the start of a function */
#define SHORT_REACH	128	  /* the reach of jumps whose distance has one byte */
#define LONG_REACH	(1 << 20) /* only assembly of the same source file jumps into a function */
#define CHUNK_BYTES	(64 << 10)
#define LONG_JUMP_BYTES 6 /* 0f, 80 to 8f, and the distance */

/* ---- one instruction ---- */

/* Opcodes that are invalid without a prefix, or need privileges; and prefixes. */
static bool is_refused(u8 opcode)
{
	static const u8 refused[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x26, 0x27, 0x2e,
				      0x2f, 0x36, 0x37, 0x3e, 0x3f, 0x60, 0x61, 0x62, 0x6c, 0x6d,
				      0x6e, 0x6f, 0x82, 0x9a, 0xc4, 0xc5, 0xcc, 0xcd, 0xce, 0xcf,
				      0xd4, 0xd5, 0xd6, 0xe4, 0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed,
				      0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xfa, 0xfb };

	return memchr(refused, opcode, sizeof(refused));
}

/* Opcodes of jumps, calls and returns.  Those of push (50 to 57) are not misread, because the
 * kernel also checks the length. */
static bool is_misread(u8 opcode)
{
	static const u8 misread[] = { 0x90, 0x9d, 0xc2, 0xc3, 0xca, 0xcb, 0xe8, 0xe9, 0xeb, 0xff };

	return (opcode & 0xf0) == 0x70 || memchr(misread, opcode, sizeof(misread));
}

/* An instruction with a VEX or EVEX prefix. */
struct vector_insn {
	u8 opcode;
	u8 map; /* the opcode's table: 1 is 0F, 2 is 0F 38, 3 is 0F 3A */
};

static bool read_vector(const u8 code[X86_LONGEST], struct vector_insn *out)
{
	switch (code[0]) {
	case 0xc5:
		*out = (struct vector_insn){ .map = 1, .opcode = code[2] };
		return true;
	case 0xc4:
		*out = (struct vector_insn){ .map = code[1] & 0x1f, .opcode = code[3] };
		return true;
	case 0x62:
		*out = (struct vector_insn){ .map = code[1] & 7, .opcode = code[4] };
		return true;
	default:
		return false;
	}
}

static u8 opcode_after_prefixes(const u8 code[X86_LONGEST])
{
	static const u8 accepted[] = { 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3 };
	size_t i = 0;

	while (i < X86_LONGEST - 1 && memchr(accepted, code[i], sizeof(accepted)))
		i++;
	return code[i + (i < X86_LONGEST - 1 && (code[i] & 0xf0) == 0x40)];
}

static enum insn_probe probe_on(const u8 code[X86_LONGEST])
{
	struct vector_insn v;

	if (!read_vector(code, &v))
		return is_refused(opcode_after_prefixes(code)) ? INSN_PROBE_REFUSED : INSN_PROBE_OK;
	if (is_refused(v.opcode))
		return INSN_PROBE_REFUSED;
	return is_misread(v.opcode) ? INSN_PROBE_DAMAGES : INSN_PROBE_OK;
}

enum insn_probe user_probe_on(const struct user_file *f, u64 file_offset)
{
	u8 code[X86_LONGEST] = { 0 };

	if (f->elf.machine != EM_X86_64)
		return INSN_PROBE_OK;
	elf_src_read_some(&f->elf.src, file_offset, code, sizeof(code));
	return probe_on(code);
}

/* ---- the next instruction that can be probed ---- */

/* Can it only write vector registers and memory?  Others store a lane in a register (7e, c5),
 * convert to an integer (2c, 2d; EVEX 78, 79), collect signs (50, d7), move masks (90 to 9f),
 * compare and add (0F 38 E0 to EF), or are integer instructions with a VEX prefix (from 0F 38 F0
 * on). */
static bool writes_only_vectors(const struct vector_insn *v)
{
	static const u8 others_1[] = { 0x2c, 0x2d, 0x50, 0x78, 0x79, 0x7e, 0xc5, 0xd7 };

	if (v->map == 1)
		return !memchr(others_1, v->opcode, sizeof(others_1)) && (v->opcode & 0xf0) != 0x90;
	return v->map == 2 && v->opcode < 0xe0;
}

/* The addresses after the start up to the new place: a jump to one of them passes that place
 * without a call. */
struct skipped {
	u64 start;
	u32 n;
};

static bool is_skipped(const struct skipped *s, u64 at)
{
	return at - s->start - 1 < s->n;
}

/* Does a jump in the bytes before the function, or in its first instructions, lead there? */
static bool has_short_jump(const struct user_file *f, const struct skipped *s)
{
	u8 code[2 * SHORT_REACH + X86_LONGEST] = { 0 };
	u64 from = s->start > SHORT_REACH ? s->start - SHORT_REACH : 0, off;
	size_t n = 0, size;

	if (!user_file_offset(f, from, &off))
		from = s->start;
	if (user_file_offset(f, from, &off))
		n = elf_src_read_some(&f->elf.src, off, code, sizeof(code));
	for (size_t i = 0; i + 2 <= n; i += size) {
		u8 op = code[i];
		bool is_jump = op == 0xeb || (op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0;

		if (is_jump && is_skipped(s, from + i + 2 + (u64)(s64)(signed char)code[i + 1]))
			return true;
		size = from + i < s->start ? 1 : x86_length(code + i, n - i) ?: 1;
	}
	return false;
}

/* Each position in the code is taken for the end of a jump or call, if the bytes before look like
 * one. */
static bool chunk_has_long_jump(const struct skipped *s, u64 addr, const u8 *code, size_t n)
{
	for (size_t i = LONG_JUMP_BYTES; i <= n; i++) {
		const u8 *end = code + i;
		s32 distance;

		memcpy(&distance, end - 4, sizeof(distance));
		if (is_skipped(s, addr + i + (u64)(s64)distance) &&
		    ((end[-5] & 0xfe) == 0xe8 || (end[-6] == 0x0f && (end[-5] & 0xf0) == 0x80)))
			return true;
	}
	return false;
}

static bool has_long_jump(const struct user_file *f, const struct skipped *s)
{
	const struct elf_section *section = elf_section_at(&f->elf, s->start);
	u8 code[CHUNK_BYTES];
	u64 before, after, off;
	size_t n;

	if (!section)
		return false;
	before = s->start - section->addr;
	after = section->size - before;
	before = before < LONG_REACH ? before : LONG_REACH;
	after = after < LONG_REACH ? after : LONG_REACH;
	for (u64 at = s->start - before; at < s->start + after; at += n - LONG_JUMP_BYTES + 1) {
		if (!user_file_offset(f, at, &off))
			return false;
		n = elf_src_read_some(&f->elf.src, off, code, sizeof(code));
		if (n < LONG_JUMP_BYTES)
			return false;
		if (chunk_has_long_jump(s, at, code, n))
			return true;
	}
	return false;
}

/* The size of the vector instruction at `code`, if it can be passed; 0: it cannot. */
static u32 passable(const u8 code[X86_LONGEST])
{
	struct vector_insn v;

	return read_vector(code, &v) && writes_only_vectors(&v) ? x86_length(code, X86_LONGEST) : 0;
}

u32 user_probe_distance(const struct user_file *f, u64 start)
{
	u8 code[(MAX_SKIPPED + 1) * X86_LONGEST] = { 0 };
	struct skipped s = { .start = start };
	u64 off;

	if (f->elf.machine != EM_X86_64 || !user_file_offset(f, start, &off))
		return 0;
	elf_src_read_some(&f->elf.src, off, code, sizeof(code));
	for (u32 i = 0; i < MAX_SKIPPED && probe_on(code + s.n) != INSN_PROBE_OK; i++) {
		u32 size = passable(code + s.n);

		if (!size)
			return 0;
		s.n += size;
	}
	if (probe_on(code + s.n) != INSN_PROBE_OK || !x86_length(code + s.n, X86_LONGEST))
		return 0;
	return has_short_jump(f, &s) || has_long_jump(f, &s) ? 0 : s.n;
}
