// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From Intel's manual, volume 2, appendix A, for 64-bit mode; only the lengths are used.  An
 * instruction is
 *
 *	prefixes  REX  opcode (1 to 3 bytes)  ModRM  SIB  displacement  immediate
 *
 * or has a VEX, EVEX or XOP prefix instead of REX and the first bytes of the opcode.  For
 * instructions that compilers do not produce and processors disagree about (a 16-bit call), the
 * answer is 0, never a guess.
 */
#include "site/x86len.h"

#include "base/mem.h"

/* The bytes that follow an opcode. */
enum form {
	X,  /* not an instruction, or a prefix */
	O,  /* nothing */
	B,  /* immediate of 1 byte */
	W,  /* immediate of 2 bytes */
	Z,  /* immediate of 4 bytes, or 2 with the prefix 66 */
	V,  /* the same, or 8 bytes with REX.W */
	J,  /* 4 bytes: the distance of a jump */
	A,  /* an address: 8 bytes, or 4 with the prefix 67 */
	E,  /* 2 and 1 bytes: enter */
	M,  /* ModRM */
	MB, /* ModRM and immediates */
	MZ,
	MD, /* ModRM and 4 bytes */
	MT, /* ModRM, and 1 byte if it is test: /0, /1 */
	MU, /* ModRM, then as Z */
	MC, /* ModRM, whose mod counts as 3 whatever its value: control registers */
	MX, /* ModRM, and 2 bytes with the prefix 66 or F2: extrq, insertq */
};

/* clang-format off */
static const u8 one_byte[256] = {
	/*        0  1  2  3   4  5  6   7   8  9  a  b   c  d  e  f */
	/* 00 */ M, M, M, M,   B, Z, X,  X,  M, M, M, M,  B, Z, X, X,
	/* 10 */ M, M, M, M,   B, Z, X,  X,  M, M, M, M,  B, Z, X, X,
	/* 20 */ M, M, M, M,   B, Z, X,  X,  M, M, M, M,  B, Z, X, X,
	/* 30 */ M, M, M, M,   B, Z, X,  X,  M, M, M, M,  B, Z, X, X,
	/* 40 */ X, X, X, X,   X, X, X,  X,  X, X, X, X,  X, X, X, X,
	/* 50 */ O, O, O, O,   O, O, O,  O,  O, O, O, O,  O, O, O, O,
	/* 60 */ X, X, X, M,   X, X, X,  X,  Z, MZ, B, MB, O, O, O, O,
	/* 70 */ B, B, B, B,   B, B, B,  B,  B, B, B, B,  B, B, B, B,
	/* 80 */ MB, MZ, X, MB, M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* 90 */ O, O, O, O,   O, O, O,  O,  O, O, X, O,  O, O, O, O,
	/* a0 */ A, A, A, A,   O, O, O,  O,  B, Z, O, O,  O, O, O, O,
	/* b0 */ B, B, B, B,   B, B, B,  B,  V, V, V, V,  V, V, V, V,
	/* c0 */ MB, MB, W, O, X, X, MB, MZ, E, O, W, O,  O, B, X, O,
	/* d0 */ M, M, M, M,   X, X, X,  O,  M, M, M, M,  M, M, M, M,
	/* e0 */ B, B, B, B,   B, B, B,  B,  J, J, X, B,  O, O, O, O,
	/* f0 */ X, O, X, X,   O, O, MT, MU, O, O, O, O,  O, O, M, M,
};

/* After 0F. */
static const u8 two_bytes[256] = {
	/*        0  1  2  3   4  5  6  7   8  9  a  b   c  d  e  f */
	/* 00 */ M, M, M, M,   X, O, O, O,  O, O, X, O,  X, M, O, MB,
	/* 10 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* 20 */ MC, MC, MC, MC, X, X, X, X, M, M, M, M, M, M, M, M,
	/* 30 */ O, O, O, O,   O, O, X, O,  X, X, X, X,  X, X, X, X,
	/* 40 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* 50 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* 60 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* 70 */ MB, MB, MB, MB, M, M, M, O, MX, M, X, X, M, M, M, M,
	/* 80 */ J, J, J, J,   J, J, J, J,  J, J, J, J,  J, J, J, J,
	/* 90 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* a0 */ O, O, O, M,   MB, M, X, X, O, O, O, M,  MB, M, M, M,
	/* b0 */ M, M, M, M,   M, M, M, M,  M, M, MB, M, M, M, M, M,
	/* c0 */ M, M, MB, M,  MB, MB, MB, M, O, O, O, O, O, O, O, O,
	/* d0 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* e0 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
	/* f0 */ M, M, M, M,   M, M, M, M,  M, M, M, M,  M, M, M, M,
};

/* clang-format on */

/* The part of the instruction that has been decoded. */
struct insn {
	const u8 *code;
	size_t n;
	size_t at;
	bool has_66, has_67, has_f2, is_wide;
};

/* Fails if the bytes are missing, because the instruction is longer than the code. */
static bool skip_bytes(struct insn *in, size_t n)
{
	in->at += n;
	return in->at <= in->n && in->at <= X86_LONGEST;
}

static u8 byte_at(const struct insn *in, size_t at)
{
	return at < in->n ? in->code[at] : 0;
}

static bool take_prefix(struct insn *in)
{
	switch (byte_at(in, in->at)) {
	case 0x66:
		in->has_66 = true;
		break;
	case 0x67:
		in->has_67 = true;
		break;
	case 0xf2:
		in->has_f2 = true;
		break;
	case 0xf0:
	case 0xf3:
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
		break;
	default:
		return false;
	}
	in->at++;
	return in->at < in->n && in->at < X86_LONGEST;
}

/* Only a REX right before the opcode counts; one followed by another prefix is ignored. */
static bool take_rex(struct insn *in)
{
	u8 b = byte_at(in, in->at);

	in->is_wide = false;
	if (b < 0x40 || b > 0x4f)
		return false;
	in->is_wide = b & 8;
	in->at++;
	return true;
}

static bool take_modrm(struct insn *in, bool is_register)
{
	u8 modrm = byte_at(in, in->at), mod = modrm >> 6, rm = modrm & 7;
	size_t bytes = mod == 1 ? 1 : mod == 2 ? 4 : 0;

	if (mod == 3 || is_register)
		return skip_bytes(in, 1);
	if (rm == 4) {
		if (!mod && (byte_at(in, in->at + 1) & 7) == 5)
			bytes = 4;
		bytes++;
	} else if (!mod && rm == 5) {
		bytes = 4;
	}
	return skip_bytes(in, 1 + bytes);
}

static size_t number_bytes(const struct insn *in)
{
	return in->is_wide || !in->has_66 ? 4 : 2;
}

static bool take_form(struct insn *in, enum form form)
{
	bool is_test = !(byte_at(in, in->at) & 0x30);

	switch (form) {
	case X:
		return false;
	case O:
		return true;
	case B:
		return skip_bytes(in, 1);
	case W:
		return skip_bytes(in, 2);
	case E:
		return skip_bytes(in, 3);
	case Z:
		return skip_bytes(in, number_bytes(in));
	case V:
		return skip_bytes(in, in->is_wide ? 8 : number_bytes(in));
	case A:
		return skip_bytes(in, in->has_67 ? 4 : 8);
	case J: /* with 66: 4 bytes on Intel's processors, 2 on AMD's */
		return (in->is_wide || !in->has_66) && skip_bytes(in, 4);
	case M:
		return take_modrm(in, false);
	case MC:
		return take_modrm(in, true);
	case MB:
		return take_modrm(in, false) && skip_bytes(in, 1);
	case MZ:
		return take_modrm(in, false) && skip_bytes(in, number_bytes(in));
	case MD:
		return take_modrm(in, false) && skip_bytes(in, 4);
	case MT:
		return take_modrm(in, false) && skip_bytes(in, is_test);
	case MU:
		return take_modrm(in, false) && skip_bytes(in, is_test ? number_bytes(in) : 0);
	case MX:
		return take_modrm(in, false) && skip_bytes(in, in->has_66 || in->has_f2 ? 2 : 0);
	}
	return false;
}

/* Maps as numbered by VEX and EVEX: 1 is 0F, 2 is 0F 38, 3 is 0F 3A. */
static bool take_vector(struct insn *in, u32 map)
{
	u8 op = byte_at(in, in->at);

	if (!skip_bytes(in, 1))
		return false;
	switch (map) {
	case 1:
		/* Jumps and similar opcodes have no vector form; 80 to 9F are mask operations. */
		if (op < 0x10 || (two_bytes[op] == J && op < 0x90) || op == 0xa2)
			return false;
		return take_form(in, op == 0x77 ? O : two_bytes[op] == MB ? MB : M);
	case 2:
	case 5: /* FP16 instructions */
	case 6:
		return take_form(in, M);
	case 3:
		return take_form(in, MB);
	default:
		return false;
	}
}

static bool take_vex(struct insn *in, size_t bytes)
{
	u32 map = bytes == 2 ? 1 : byte_at(in, in->at + 1) & 0x1f;

	return map <= 3 && skip_bytes(in, bytes) && take_vector(in, map);
}

/* The meanings that APX gives to bits with a fixed value are not supported. */
static bool take_evex(struct insn *in)
{
	u8 p0 = byte_at(in, in->at + 1), p1 = byte_at(in, in->at + 2);

	return !(p0 & 8) && (p1 & 4) && skip_bytes(in, 4) && take_vector(in, p0 & 7);
}

/* AMD's XOP prefix; otherwise the byte is the opcode of pop. */
static bool take_xop(struct insn *in, u32 map)
{
	static const u8 forms[] = { MB, M, MD };

	return map - 8 < ARRAY_SIZE(forms) && skip_bytes(in, 4) && take_form(in, forms[map - 8]);
}

static bool take_opcode(struct insn *in)
{
	u8 op = byte_at(in, in->at), next = byte_at(in, in->at + 1);

	if (op == 0xc5)
		return take_vex(in, 2);
	if (op == 0xc4)
		return take_vex(in, 3);
	if (op == 0x62)
		return take_evex(in);
	if (op == 0x8f && (next & 0x1f) >= 8)
		return take_xop(in, next & 0x1f);
	if (op != 0x0f)
		return skip_bytes(in, 1) && take_form(in, one_byte[op]);
	if (next == 0x38)
		return skip_bytes(in, 3) && take_form(in, M);
	if (next == 0x3a)
		return skip_bytes(in, 3) && take_form(in, MB);
	return skip_bytes(in, 2) && take_form(in, two_bytes[next]);
}

u32 x86_length(const u8 *code, size_t n)
{
	struct insn in = { .code = code, .n = n };

	do {
		while (take_prefix(&in))
			;
	} while (take_rex(&in) && take_prefix(&in));
	return in.at < n && take_opcode(&in) ? (u32)in.at : 0;
}
