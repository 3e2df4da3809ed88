// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Strings in keys, of which long ones are kept apart (bpf/abi/keytext.h). */
#include "bpf/abi/keytext.h"
#include "gen/gen_int.h"

static struct gen_place text_bytes(struct gen_place text)
{
	text.off += (s32)sizeof(struct key_text);
	return text;
}

/* Make the part at `at` from a string of r0 bytes in `text`. */
static void make_part(struct gen *g, const struct tree *t, struct gen_place at,
		      struct gen_place text)
{
	gen_emit(g, INSN_MOV_X(BPF_REG_4, BPF_REG_0));
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_SCRATCH));
	gen_emit(g, INSN_MOV_K(BPF_REG_2, at.off - AT_RECORD));
	gen_emit(g, INSN_MOV_K(BPF_REG_3, text.off));
	gen_emit(g, INSN_MOV_K(BPF_REG_5, (s32)t->type->size));
	gen_loop_jumps(g, (g->plan->host.text_bytes + 7) / 8);
	insns_fixed(g->in, FIXED_text);
}

/* The entry has made the part, or has kept the address of a string that it could not read. */
static void saved_part(struct gen *g, const struct tree *t, const struct tree *string,
		       struct gen_place at, struct gen_place text, u32 absent)
{
	bool is_again = gen_is_read_again(string);
	u32 unread = is_again ? insns_label(g->in) : absent, done = insns_label(g->in);

	gen_saved_address(g, t, unread);
	gen_read(g, SPACE_KERNEL, at, sizeof(struct key_text_part), absent);
	if (!is_again)
		return;
	gen_jump(g, INSN_JA, done);
	insns_place(g->in, unread);
	gen_kept_address(g, t, string, absent);
	gen_read_string(g, string->space, text_bytes(text), t->type->size + 1, absent);
	make_part(g, t, at, text);
	insns_place(g->in, done);
}

/* The value that an entry keeps as a part of a key, if t stands for such a value; else NULL. */
static const struct tree *kept_part(const struct gen *g, const struct tree *t)
{
	const struct tree *kept;

	if (t->kind != TREE_SAVED || t->of_span)
		return NULL;
	kept = g->plan->call.kept.values[t->index];
	return kept->type->is_apart ? kept : NULL;
}

void gen_key_text(struct gen *g, const struct tree *t, struct gen_place at, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place text = gen_temp_scratch(g, KEY_TEXT_VALUE(g->plan->host.text_bytes));
	const struct tree *kept = kept_part(g, t);

	if (kept) {
		saved_part(g, t, kept, at, text, absent);
	} else {
		gen_string(g, t, text_bytes(text), t->type->size + 1, absent);
		make_part(g, t, at, text);
	}
	gen_temp_end(g, mark);
}
