// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* At a return or an end: the values that the entry or the start has saved in its record. */
#include "gen/gen_int.h"

static const struct gen_found *found_of(const struct gen *g, const struct tree *t)
{
	return t->of_span ? &g->span : &g->call;
}

/* Put the record into r0; jump to absent if there is none. */
static void load_record(struct gen *g, const struct tree *t, u32 absent)
{
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, found_of(g, t)->record));
	if (!t->of_span)
		gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0),
			 g->skips_unstarted ? g->end : absent);
}

void gen_latency(struct gen *g, const struct tree *t, u32 absent)
{
	load_record(g, t, absent);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, found_of(g, t)->latency));
}

/* Put the record into r0 if it contains the value, that is, if the value's bit is not set. */
static void record_with(struct gen *g, const struct tree *t, u32 absent)
{
	load_record(g, t, absent);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0,
			      (s32)offsetof(struct span_record, absent)));
	if (t->index)
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_1, (s32)t->index));
	gen_jump(g, INSN_JMP_K(BPF_JSET, BPF_REG_1, 1), absent);
}

static s32 saved_at(const struct gen *g, const struct tree *t)
{
	const struct gen_kept *kept = t->of_span ? &g->plan->spans.kept : &g->plan->call.kept;

	return (s32)(sizeof(struct span_record) + gen_fixed_at(kept->values, kept->n, t->index));
}

void gen_saved(struct gen *g, const struct tree *t, u32 absent)
{
	record_with(g, t, absent);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_0, saved_at(g, t)));
}

void gen_saved_address(struct gen *g, const struct tree *t, u32 absent)
{
	record_with(g, t, absent);
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, saved_at(g, t)));
}

/* ---- strings that could not be read at the entry --------------------------------------------- */

/* In the place of the string, which begins with its length. */
#define AT_ADDRESS	8
#define AT_PROGRAM	16
#define BYTES_TO_RETURN 24

bool gen_is_read_again(const struct tree *t)
{
	return t->kind == TREE_STRING && t->program && gen_rest_bytes(t->type) >= BYTES_TO_RETURN;
}

void gen_keep_address(struct gen *g, const struct tree *t, struct gen_place at)
{
	const struct tree *const kept[] = { t->program, t->a };
	const s32 to[] = { AT_PROGRAM, AT_ADDRESS };
	u32 unknown = insns_label(g->in);
	struct gen_place place = gen_near(g, at, BYTES_TO_RETURN, BPF_REG_1);

	gen_emit(g, INSN_STORE_K(BPF_DW, place.base, place.off + AT_ADDRESS, 0));
	for (u32 i = 0; i < ARRAY_SIZE(kept); i++) {
		gen_value(g, kept[i], unknown);
		place = gen_near(g, at, BYTES_TO_RETURN, BPF_REG_1);
		gen_emit(g, INSN_STORE(BPF_DW, place.base, place.off + to[i], BPF_REG_0));
	}
	if (insns_is_used(g->in, unknown))
		insns_place(g->in, unknown);
}

void gen_kept_address(struct gen *g, const struct tree *t, const struct tree *string, u32 absent)
{
	s32 at = saved_at(g, t);
	struct gen_saved record;
	u8 reg;

	gen_value(g, string->program, absent);
	gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, found_of(g, t)->record));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), absent);
	record = gen_save(g, BPF_REG_0);
	reg = gen_load_saved(g, &record, BPF_REG_0);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_2, reg, at + AT_PROGRAM));
	gen_jump(g, INSN_JMP_X(BPF_JNE, BPF_REG_1, BPF_REG_2), absent);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, reg, at + AT_ADDRESS));
	gen_drop_saved(g, &record);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), absent);
}

void gen_saved_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap, u32 absent)
{
	const struct gen_kept *kept = t->of_span ? &g->plan->spans.kept : &g->plan->call.kept;
	const struct tree *string = kept->values[t->index];
	bool is_again = !t->of_span && gen_is_read_again(string);
	u32 unread = is_again ? insns_label(g->in) : absent, done = insns_label(g->in);

	gen_saved_address(g, t, unread);
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)sizeof(u32)));
	gen_read_string(g, SPACE_OWN, to, cap, absent);
	if (!is_again)
		return;
	gen_jump(g, INSN_JA, done);
	insns_place(g->in, unread);
	gen_kept_address(g, t, string, absent);
	gen_read_string(g, string->space, to, cap, absent);
	insns_place(g->in, done);
	gen_blur(g, BPF_REG_0);
	gen_check_length(g, cap, absent);
}
