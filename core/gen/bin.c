// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bins: open spans in an array, by a hash of their key (bpf/abi/span.h).  Inserting
 * into a hash table and deleting from it takes 300 ns; a bin is taken and left by one atomic
 * instruction each.  A span whose bin is in use goes into the hash table.
 *
 * A bin's first word is its state: free, busy, or the start time of the span in it.  A program
 * that changes it from free or from a start time to busy owns the bin; others do not wait for it,
 * but go to the hash table.
 */
#include "bpf/abi/span.h"
#include "gen/gen_int.h"

#define KEY_MAX	    32 /* bytes; longer keys are text */
#define HASH_FACTOR 0x9e3779b97f4a7c15ULL
#define R_BIN	    BPF_REG_4 /* the bin's address, between calls */
#define R_STARTED   BPF_REG_1 /* the start time of the span in it */

static s32 at_key(const struct gen_plan *p)
{
	return (s32)gen_span_record_bytes(p);
}

static s32 at_others(const struct gen_plan *p)
{
	return at_key(p) + (s32)gen_span_key_bytes(p);
}

u32 gen_bin_bytes(const struct gen_plan *p)
{
	if (gen_span_key_bytes(p) > KEY_MAX)
		return 0;
	return (u32)at_others(p) + (u32)sizeof(u64);
}

bool gen_has_bins(const struct gen_plan *p)
{
	return p->spans.bin_bits;
}

/* r1 = hash of the key, as many bits as there are bins */
static void hash_key(struct gen *g, struct gen_place key)
{
	u32 bytes = gen_span_key_bytes(g->plan);
	struct gen_place k = gen_near(g, key, bytes, BPF_REG_5);

	insns_imm64(g->in, BPF_REG_2, HASH_FACTOR);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, k.base, k.off));
	for (u32 i = (u32)sizeof(u64); i < bytes; i += (u32)sizeof(u64)) {
		gen_emit(g, INSN_ALU_X(BPF_MUL, BPF_REG_1, BPF_REG_2));
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_3, k.base, k.off + (s32)i));
		gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_1, BPF_REG_3));
	}
	gen_emit(g, INSN_ALU_X(BPF_MUL, BPF_REG_1, BPF_REG_2));
	gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_1, 64 - (s32)g->plan->spans.bin_bits));
}

struct gen_saved gen_bin(struct gen *g, struct gen_place key)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place index = gen_temp(g, sizeof(u64));

	hash_key(g, key);
	gen_emit(g, INSN_STORE(BPF_W, BPF_REG_10, index.off, BPF_REG_1));
	gen_lookup(g, g->plan->spans.bins_fd, index);
	/* Never, but the verifier does not know that. */
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	gen_temp_end(g, mark);
	return gen_save(g, BPF_REG_0);
}

static void load_bin(struct gen *g, const struct gen_saved *bin)
{
	u8 reg = gen_load_saved(g, bin, R_BIN);

	if (reg != R_BIN)
		gen_emit(g, INSN_MOV_X(R_BIN, reg));
}

/* Go on with the start time in r1 if a span with this key is in the bin at r4. */
static void compare_key(struct gen *g, struct gen_place key, u32 other)
{
	u32 bytes = gen_span_key_bytes(g->plan);
	struct gen_place k;

	gen_emit(g, INSN_LOAD(BPF_DW, R_STARTED, R_BIN, 0));
	gen_jump(g, INSN_JMP_K(BPF_JLE, R_STARTED, SPAN_BIN_BUSY), other);
	/* The key must not be that of an earlier span: arm64 would load it before the state if its
	 * address did not depend on the state. */
	gen_emit(g, INSN_MOV_X(BPF_REG_0, R_STARTED));
	gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, 0));
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_0, R_BIN));
	k = gen_near(g, key, bytes, BPF_REG_5);
	for (u32 i = 0; i < bytes; i += (u32)sizeof(u64)) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_2, BPF_REG_0, at_key(g->plan) + (s32)i));
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_3, k.base, k.off + (s32)i));
		gen_jump(g, INSN_JMP_X(BPF_JNE, BPF_REG_2, BPF_REG_3), other);
	}
}

/* Change the state of the bin at r4 from r0 to `state`; jump to `lost` if another program was
 * faster.
 */
static void change_state(struct gen *g, s32 state, u32 lost)
{
	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_0));
	gen_emit(g, INSN_MOV_K(BPF_REG_2, state));
	gen_emit(g, INSN_CMPXCHG(R_BIN, 0, BPF_REG_2));
	gen_jump(g, INSN_JMP_X(BPF_JNE, BPF_REG_0, BPF_REG_3), lost);
}

/* Write r1 into the state of the bin at r4, which we own, after everything before. */
static void leave_bin(struct gen *g)
{
	gen_emit(g, INSN_XCHG(R_BIN, 0, BPF_REG_1));
}

static void copy_words(struct gen *g, u8 to, s32 to_off, u8 from, s32 from_off, u32 bytes)
{
	for (u32 i = 0; i < bytes; i += (u32)sizeof(u64)) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_2, from, from_off + (s32)i));
		gen_emit(g, INSN_STORE(BPF_DW, to, to_off + (s32)i, BPF_REG_2));
	}
}

#define AT_REST ((s32)sizeof(u64)) /* offset of the rest of a record after the start time */

/* Copy a record without its start time, between the bin at r4 and our memory. */
static void copy_rest(struct gen *g, const struct gen_saved *bin, struct gen_place record,
		      bool to_bin)
{
	u32 bytes = gen_span_record_bytes(g->plan) - (u32)AT_REST;
	u8 reg = to_bin ? BPF_REG_1 : BPF_REG_3;

	record.off += AT_REST;
	if (bytes <= GEN_SMALL) {
		record = gen_near(g, record, bytes, BPF_REG_5);
		if (to_bin)
			copy_words(g, R_BIN, AT_REST, record.base, record.off, bytes);
		else
			copy_words(g, record.base, record.off, R_BIN, AT_REST, bytes);
		return;
	}
	gen_emit(g, INSN_MOV_X(reg, R_BIN));
	gen_emit(g, INSN_ALU_K(BPF_ADD, reg, AT_REST));
	gen_address(g, to_bin ? BPF_REG_3 : BPF_REG_1, record);
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)bytes));
	gen_emit(g, INSN_CALL(BPF_FUNC_probe_read_kernel));
	load_bin(g, bin);
}

/* A bin whose span, which started at r1, has the same key: the span is replaced, or kept.  The bin
 * is taken before this is counted: until then, the span may end, and another one may get the bin.
 */
static void start_again(struct gen *g, const struct gen_saved *bin, u32 other, u32 mine)
{
	if (g->plan->spans.keeps_first) {
		gen_count_probe(g, offsetof(struct probe_count, missed));
		gen_jump(g, INSN_JA, g->end);
		return;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_0, R_STARTED));
	change_state(g, SPAN_BIN_BUSY, other);
	gen_count_probe(g, offsetof(struct probe_count, missed));
	load_bin(g, bin);
	gen_jump(g, INSN_JA, mine);
}

void gen_bin_start(struct gen *g, const struct gen_saved *bin, struct gen_place key,
		   struct gen_place record, u32 table)
{
	const struct gen_plan *p = g->plan;
	u32 other = insns_label(g->in), alone = insns_label(g->in), mine = insns_label(g->in);
	struct gen_place k;

	load_bin(g, bin);
	compare_key(g, key, other);
	start_again(g, bin, other, mine);
	insns_place(g->in, other);
	/* A span with this key may be in the table, because the bin was in use when it started. */
	gen_bin_branch_alone(g, bin, alone);
	gen_lookup(g, p->spans.kept.fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), table);
	load_bin(g, bin);
	insns_place(g->in, alone);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, SPAN_BIN_FREE));
	change_state(g, SPAN_BIN_BUSY, table);
	insns_place(g->in, mine);
	k = gen_near(g, key, gen_span_key_bytes(p), BPF_REG_5);
	copy_words(g, R_BIN, at_key(p), k.base, k.off, gen_span_key_bytes(p));
	if (p->work.n_values)
		copy_rest(g, bin, record, true);
	record = gen_near(g, record, sizeof(u64), BPF_REG_5);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, record.base, record.off));
	leave_bin(g);
	gen_jump(g, INSN_JA, g->end);
}

void gen_bin_end(struct gen *g, const struct gen_saved *bin, struct gen_place key,
		 const struct gen_place *copy, u32 other)
{
	bool has_values = copy && g->plan->spans.kept.n;
	struct gen_place to;

	load_bin(g, bin);
	compare_key(g, key, other);
	gen_emit(g, INSN_MOV_X(BPF_REG_0, R_STARTED));
	change_state(g, has_values ? SPAN_BIN_BUSY : SPAN_BIN_FREE, other);
	if (!copy)
		return;
	to = gen_near(g, *copy, sizeof(u64), BPF_REG_5);
	gen_emit(g, INSN_STORE(BPF_DW, to.base, to.off, BPF_REG_0));
	if (!has_values)
		return;
	copy_rest(g, bin, *copy, false);
	gen_emit(g, INSN_MOV_K(BPF_REG_1, SPAN_BIN_FREE));
	leave_bin(g);
}

void gen_bin_branch_alone(struct gen *g, const struct gen_saved *bin, u32 to)
{
	load_bin(g, bin);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, R_BIN, at_others(g->plan)));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_1, 0), to);
}

void gen_bin_add_others(struct gen *g, const struct gen_saved *bin, s32 n)
{
	load_bin(g, bin);
	gen_emit(g, INSN_MOV_K(BPF_REG_1, n));
	gen_emit(g, INSN_ADD_ATOMIC(R_BIN, at_others(g->plan), BPF_REG_1));
}
