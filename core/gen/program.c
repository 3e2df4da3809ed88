// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whole programs: the filter, the predicate, and the action. */
#include "gen/gen_int.h"

#include "base/err.h"

#define AT_EVENT(field) (AT_RECORD + (s32)offsetof(struct event, field))

void gen_refuse(struct gen *g, struct span at, const char *what)
{
	if (g->err->code)
		return;
	text_error(g->text, at.n ? at : g->in->span, g->err, "%s", what);
}

/* ---- counting, maps -------------------------------------------------------------------------- */

void gen_lookup(struct gen *g, int map_fd, struct gen_place key)
{
	gen_address(g, BPF_REG_2, key);
	insns_map(g->in, BPF_REG_1, map_fd);
	gen_emit(g, INSN_CALL(BPF_FUNC_map_lookup_elem));
}

void gen_window(struct gen *g)
{
	insns_map_value(g->in, BPF_REG_0, g->plan->window_fd);
	gen_emit(g, INSN_LOAD(BPF_W, BPF_REG_0, BPF_REG_0, 0));
}

/* Add 1 to the u64 at `field` of entry `index`; if `index` is UINT32_MAX, it is in r1. */
static void add_one(struct gen *g, int map_fd, u32 index, size_t field)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place key = gen_temp(g, sizeof(u64));
	u32 none = insns_label(g->in);

	if (index == UINT32_MAX)
		gen_emit(g, INSN_STORE(BPF_W, BPF_REG_10, key.off, BPF_REG_1));
	else
		gen_emit(g, INSN_STORE_K(BPF_W, BPF_REG_10, key.off, (s32)index));
	gen_lookup(g, map_fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_MOV_K(BPF_REG_1, 1));
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, field, BPF_REG_1));
	insns_place(g->in, none);
	gen_temp_end(g, mark);
}

void gen_count_probe(struct gen *g, size_t field)
{
	if (g->plan->probe_counts_fd > 0)
		add_one(g, g->plan->probe_counts_fd, g->plan->probe, field);
}

void gen_count_absent(struct gen *g, u32 absent, u32 end)
{
	if (!insns_is_used(g->in, absent))
		return;
	insns_place(g->in, absent);
	gen_count_probe(g, offsetof(struct probe_count, absent));
	gen_jump(g, INSN_JA, end);
}

void gen_take(struct gen *g, u32 none)
{
	if (g->plan->action == GEN_NOTHING) {
		struct gen_temp_mark mark = gen_temp_begin(g);
		struct gen_place key = gen_temp(g, sizeof(u64));

		gen_emit(g, INSN_STORE_K(BPF_W, BPF_REG_10, key.off, 0));
		gen_lookup(g, g->plan->result_fd, key);
		gen_temp_end(g, mark);
	} else {
		gen_emit(g, INSN_MOV_K(BPF_REG_1, (s32)g->plan->probe));
		insns_fixed(g->in, FIXED_take);
	}
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_MOV_X(R_SCRATCH, BPF_REG_0));
}

void gen_drop(struct gen *g)
{
	if (g->plan->action == GEN_NOTHING)
		return;
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_SCRATCH));
	insns_fixed(g->in, FIXED_drop);
}

/* ---- finding the site ------------------------------------------------------------------------ */

void gen_site(struct gen *g, u8 reg)
{
	if (g->site == NO_SLOT)
		gen_emit(g, INSN_MOV_K(reg, (s32)g->plan->site));
	else
		gen_emit(g, INSN_LOAD(BPF_DW, reg, BPF_REG_10, g->site));
}

/* Look r0 up in sites_fd; the index to r0; jumps to exit if there is no such site. */
static void look_site_up(struct gen *g)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place key = gen_temp(g, sizeof(u64));

	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, key.off, BPF_REG_0));
	gen_lookup(g, g->plan->sites_fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->exit);
	gen_emit(g, INSN_LOAD(BPF_W, BPF_REG_0, BPF_REG_0, 0));
	if (g->plan->site_how == GEN_SITE_SYSCALL) {
		insns_imm64(g->in, BPF_REG_1, UINT32_MAX);
		gen_jump(g, INSN_JMP_X(BPF_JEQ, BPF_REG_0, BPF_REG_1), g->exit);
	}
	gen_temp_end(g, mark);
}

static void find_site(struct gen *g)
{
	const struct gen_plan *p = g->plan;

	if (p->site_how == GEN_SITE_CONST)
		return;
	if (p->site_key) {
		gen_value(g, p->site_key, g->exit);
	} else {
		gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
		gen_emit(g, INSN_CALL(p->site_how == GEN_SITE_COOKIE ? BPF_FUNC_get_attach_cookie
								     : BPF_FUNC_get_func_ip));
	}
	if (p->site_how != GEN_SITE_COOKIE)
		look_site_up(g);
	else if (p->site_base)
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)p->site_base));
	g->site = insns_stack(g->in, sizeof(u64));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->site, BPF_REG_0));
}

/* ---- values ---------------------------------------------------------------------------------- */

void gen_set_bit(struct gen *g, s32 at, u32 i)
{
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, R_SCRATCH, at));
	insns_imm64(g->in, BPF_REG_2, 1ULL << i);
	gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_1, BPF_REG_2));
	gen_emit(g, INSN_STORE(BPF_DW, R_SCRATCH, at, BPF_REG_1));
}

/* For an absent value: r0 = `instead`, and its bit is set.  Emits nothing if nothing jumps here. */
static void absent_instead(struct gen *g, u32 absent, s32 bits, u32 i, s32 instead)
{
	u32 store;

	if (!insns_is_used(g->in, absent))
		return;
	store = insns_label(g->in);
	gen_jump(g, INSN_JA, store);
	insns_place(g->in, absent);
	gen_set_bit(g, bits, i);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, instead));
	insns_place(g->in, store);
}

static bool is_string(const struct tree *t)
{
	return t->type->kind == TYPE_STRING;
}

/* Store at p the length r1 (with EVENT_CUT) of the data after it. */
static void store_length(struct gen *g, struct gen_place p, u8 reg)
{
	struct gen_place at = gen_near(g, p, sizeof(u32), BPF_REG_2);

	gen_emit(g, INSN_STORE(BPF_W, at.base, at.off, reg));
}

static struct gen_place place_after(struct gen_place p, u32 bytes)
{
	p.off += (s32)bytes;
	return p;
}

/*
 * To tell a string that is longer than its type's size from one that just fits, one more byte is
 * read, and removed again. r0 = bytes without the NUL, r1 = the same with EVENT_CUT.
 */
static void cut_string(struct gen *g, u32 size)
{
	u32 whole = insns_label(g->in);

	gen_emit(g, INSN_MOV_K(BPF_REG_1, 0));
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_0, (s32)size), whole);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)size));
	gen_emit(g, INSN_MOV32_K(BPF_REG_1, (s32)EVENT_CUT));
	insns_place(g->in, whole);
	gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, 1));
	gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_1, BPF_REG_0));
}

#define TASK_COMM_BYTES 16 /* the kernel pads it with zeros */

/* The arguments of send() and stack() except r3: the context, scratch, and which stacks. */
static void put_stacks(struct gen *g, u64 flags)
{
	const struct tree *caller = flags & FIXED_SEND_USTACK ? g->plan->caller : NULL;

	gen_emit(g, INSN_MOV_K(BPF_REG_5, 0));
	if (caller) {
		gen_value(g, caller, NO_LABEL);
		gen_emit(g, INSN_MOV_X(BPF_REG_5, BPF_REG_0));
		flags |= FIXED_SEND_CALLER;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
	gen_emit(g, INSN_MOV_X(BPF_REG_2, R_SCRATCH));
	gen_emit(g, INSN_MOV_K(BPF_REG_4, (s32)flags));
}

/*
 * A saved string keeps the byte by which whoever reads it sees that it was truncated.  In a key
 * that byte is cleared, so that strings with the same beginning are one key, whose length has
 * EVENT_CUT.
 */
static void fixed_string(struct gen *g, const struct tree *t, struct gen_place at, u32 absent)
{
	struct gen_place text = place_after(at, sizeof(u32)), extra;
	u32 size = t->type->size, whole = insns_label(g->in);

	gen_string(g, t, text, size + 1, absent);
	if (!g->is_key) {
		gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, 1));
		store_length(g, at, BPF_REG_0);
		return;
	}
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_0, (s32)size), whole);
	extra = gen_near(g, place_after(text, size - 1), 1, BPF_REG_2);
	gen_emit(g, INSN_STORE_K(BPF_B, extra.base, extra.off, 0));
	insns_place(g->in, whole);
	cut_string(g, size);
	store_length(g, at, BPF_REG_1);
}

static void fixed_rest(struct gen *g, const struct tree *t, struct gen_place at, u32 absent)
{
	u32 bytes = gen_rest_bytes(t->type);

	if (t->type->kind == TYPE_STACK && t->kind == TREE_BUILTIN) {
		put_stacks(g, t->builtin == BUILTIN_USTACK ? FIXED_SEND_USTACK : FIXED_SEND_KSTACK);
		gen_emit(g, INSN_MOV_K(BPF_REG_3, at.off - AT_RECORD));
		insns_fixed(g->in, FIXED_stack);
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), absent);
		return;
	}
	gen_zero(g, at, bytes);
	if (t->type->kind == TYPE_STACK) {
		gen_saved_address(g, t, absent);
		gen_read(g, SPACE_KERNEL, at, bytes, absent);
		return;
	}
	if (g->is_key && t->kind == TREE_BUILTIN && t->builtin == BUILTIN_COMM) {
		gen_address(g, BPF_REG_1, place_after(at, sizeof(u32)));
		gen_emit(g, INSN_MOV_K(BPF_REG_2, TASK_COMM_BYTES));
		gen_emit(g, INSN_CALL(BPF_FUNC_get_current_comm));
		gen_emit(g, INSN_MOV_K(BPF_REG_0, TASK_COMM_BYTES));
	} else if (is_string(t)) {
		fixed_string(g, t, at, absent);
		return;
	} else {
		gen_bytes(g, t, place_after(at, sizeof(u32)), absent);
	}
	store_length(g, at, BPF_REG_0);
}

void gen_fixed_values(struct gen *g, const struct tree *const *values, u32 n, struct gen_place at,
		      s32 absent_bits, u32 absent)
{
	for (u32 i = 0; i < n; i++) {
		struct gen_place to = place_after(at, gen_fixed_at(values, n, i));
		u32 label = absent == NO_LABEL ? insns_label(g->in) : absent;

		if (gen_is_scalar(values[i]))
			gen_value(g, values[i], label);
		else
			fixed_rest(g, values[i], to, label);
		if (absent == NO_LABEL)
			absent_instead(g, label, absent_bits, i, 0);
		if (!gen_is_scalar(values[i]))
			continue;
		to = gen_near(g, to, sizeof(u64), BPF_REG_1);
		gen_emit(g, INSN_STORE(BPF_DW, to.base, to.off, BPF_REG_0));
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * The offset of the next string is kept in the scratch slot, not in a register: the verifier does
 * not track values there, so that all paths through one value, absent or of any length, end in the
 * same state, and the next value is checked once.  With a cursor in a register, whose range each
 * path widens differently, the number of steps doubled with every value.
 */
static void keep_cursor(struct gen *g)
{
	gen_emit(g, INSN_STORE(BPF_W, R_SCRATCH, AT_BYTES, R_CURSOR));
}

static void load_cursor(struct gen *g, u32 max)
{
	gen_emit(g, INSN_LOAD(BPF_W, R_CURSOR, R_SCRATCH, AT_BYTES));
	gen_jump(g, INSN_JMP_K(BPF_JGT, R_CURSOR, (s32)max), g->end);
}

/* Write one string or bytes at the cursor, and advance it. */
static void packed_rest(struct gen *g, const struct tree *t, u32 i)
{
	struct gen_place at = { .base = R_SCRATCH, .at_cursor = true };
	u32 absent = insns_label(g->in), size = t->type->size;

	if (t->type->kind == TYPE_STACK) {
		size = gen_rest_bytes(t->type);
		gen_saved_address(g, t, absent);
		gen_read(g, SPACE_KERNEL, place_after(at, sizeof(u32)), size, absent);
		gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)size));
	} else if (is_string(t)) {
		gen_string(g, t, place_after(at, sizeof(u32)), size + 1, absent);
	} else {
		gen_bytes(g, t, place_after(at, sizeof(u32)), absent);
	}
	absent_instead(g, absent, AT_EVENT(absent), i, is_string(t) ? 1 : 0);
	if (is_string(t))
		cut_string(g, size);
	else
		gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
	store_length(g, at, BPF_REG_1);
	gen_address(g, BPF_REG_2, at);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_2, BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_2, sizeof(u32), 0));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)sizeof(u32) + 7));
	gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, -8));
	gen_emit(g, INSN_ALU_X(BPF_ADD, R_CURSOR, BPF_REG_0));
	keep_cursor(g);
}

/* Write all strings and bytes, from `at` on; r9 = their end. */
static void packed_rests(struct gen *g, u32 at)
{
	const struct gen_plan *p = g->plan;

	gen_emit(g, INSN_MOV_K(R_CURSOR, (s32)at));
	keep_cursor(g);
	g->held |= 2;
	for (u32 i = 0; i < p->n_values; i++) {
		if (gen_is_scalar(p->values[i]) || gen_is_frames(p->values[i]))
			continue;
		load_cursor(g, at);
		packed_rest(g, p->values[i], i);
		at += gen_packed_bytes(p->values[i]->type);
	}
	load_cursor(g, at);
	g->held &= (u8)~2;
}

static void build_event(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	s32 at = AT_RECORD + (s32)sizeof(struct event);

	gen_emit(g, INSN_STORE_K(BPF_DW, R_SCRATCH, AT_EVENT(absent), 0));
	gen_site(g, BPF_REG_0);
	gen_emit(g, INSN_STORE(BPF_W, R_SCRATCH, AT_EVENT(site), BPF_REG_0));
	for (u32 i = 0; i < p->n_values; i++) {
		u32 absent = insns_label(g->in);

		if (!gen_is_scalar(p->values[i]))
			continue;
		gen_value(g, p->values[i], absent);
		absent_instead(g, absent, AT_EVENT(absent), i, 0);
		gen_emit(g, INSN_STORE(BPF_DW, R_SCRATCH, at, BPF_REG_0));
		at += (s32)sizeof(u64);
	}
	packed_rests(g, (u32)at);
	gen_emit(g, INSN_ALU_K(BPF_SUB, R_CURSOR, AT_RECORD));
	keep_cursor(g);
}

static u64 stacks_wanted(const struct gen_plan *p)
{
	u64 flags = (p->want_kstack ? FIXED_SEND_KSTACK : 0U) |
		    (p->want_ustack ? FIXED_SEND_USTACK : 0U);

	for (u32 i = 0; i < p->n_values; i++)
		if (gen_is_frames(p->values[i]))
			flags |= p->values[i]->builtin == BUILTIN_USTACK ? FIXED_SEND_USTACK
									 : FIXED_SEND_KSTACK;
	return flags;
}

static void gen_event(struct gen *g)
{
	build_event(g);
	put_stacks(g, stacks_wanted(g->plan));
	gen_emit(g, INSN_MOV_K(BPF_REG_3, (s32)g->plan->probe));
	insns_fixed(g->in, FIXED_send);
	gen_jump(g, INSN_JA, g->exit);
}

static void gen_nothing(struct gen *g)
{
	build_event(g);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 1));
	gen_emit(g, INSN_EXIT);
}

/* The address of a row of u64 is in r0: add 1 to the first, and the held values to the others. */
void gen_add_row(struct gen *g, const struct gen_hold *values)
{
	gen_emit(g, INSN_MOV_K(BPF_REG_1, 1));
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, 0, BPF_REG_1));
	for (u32 i = 0; i < g->plan->n_values; i++) {
		u8 reg = gen_held(g, &values[i], BPF_REG_1);

		gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, (s32)((i + 1) * sizeof(u64)), reg));
	}
}

void gen_hold_values(struct gen *g, struct gen_hold *out, u32 absent)
{
	for (u32 i = 0; i < g->plan->n_values; i++) {
		gen_value(g, g->plan->values[i], absent);
		out[i] = gen_hold(g, BPF_REG_0);
	}
}

static void gen_count(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	struct gen_hold values[GEN_MAX_SUMS];
	u32 absent = insns_label(g->in);
	struct gen_temp_mark mark;
	struct gen_place key;

	gen_hold_values(g, values, absent);
	mark = gen_temp_begin(g);
	key = gen_temp(g, sizeof(u64));
	gen_site(g, BPF_REG_1);
	if (p->index)
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_1, (s32)p->index));
	gen_emit(g, INSN_STORE(BPF_W, BPF_REG_10, key.off, BPF_REG_1));
	gen_lookup(g, p->counts_fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	gen_add_row(g, values);
	gen_temp_end(g, mark);
	gen_jump(g, INSN_JA, g->end);
	gen_count_absent(g, absent, g->end);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void gen_end(struct gen *g)
{
	gen_jump(g, INSN_JA, g->end);
}

struct action_row {
	void (*gen)(struct gen *g);
	bool takes_scratch;
};

static const struct action_row actions[] = {
	[GEN_EVENT] = { gen_event, true },  [GEN_COUNT] = { gen_count, false },
	[GEN_KEYED] = { gen_keyed, false }, [GEN_ENTER] = { gen_enter, false },
	[GEN_START] = { gen_start, true },  [GEN_NOTHING] = { gen_nothing, true },
	[GEN_END] = { gen_end, false },	    [GEN_DISPATCH] = { gen_dispatch, false },
};

/* A condition that may be absent: absence is counted, at its label, before the end. */
struct condition {
	u32 absent;
	u32 end;
};

/* The parts of gen_whole, in addition to the plan. */
struct whole {
	struct condition conditions[2];
	u32 n_conditions;
	u32 drop;
};

static void need_slot(struct gen *g, struct whole *w)
{
	if (g->has_slot)
		return;
	gen_take(g, g->exit);
	g->end = w->drop;
	g->has_slot = true;
}

/* Code after this runs only if t holds. */
static void gen_condition(struct gen *g, struct whole *w, const struct tree *t)
{
	struct condition c;

	if (gen_needs_scratch(t))
		need_slot(g, w);
	c = (struct condition){ .absent = insns_label(g->in), .end = g->end };
	gen_branch(g, t, g->end, false, c.absent);
	w->conditions[w->n_conditions++] = c;
}

/* All exits: release the slot, return. */
static void gen_ends(struct gen *g, const struct whole *w)
{
	for (u32 i = 0; i < w->n_conditions; i++)
		gen_count_absent(g, w->conditions[i].absent, w->conditions[i].end);
	if (insns_is_used(g->in, w->drop)) {
		insns_place(g->in, w->drop);
		gen_drop(g);
	}
	insns_place(g->in, g->exit);
	if (g->plan->next.number && g->plan->action != GEN_DISPATCH)
		gen_next(g);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	gen_emit(g, INSN_EXIT);
}

/* May the predicate be evaluated before the filter? */
static bool is_early(const struct gen_plan *p)
{
	return p->predicate && !gen_is_end(p) && !gen_is_return(p) &&
	       !gen_can_be_absent(p->predicate) && !gen_needs_scratch(p->predicate);
}

/* A return that nothing turns away takes its slot at once, whose time serves its latency too. */
static bool is_always_taken(const struct gen_plan *p)
{
	return gen_is_return(p) && !p->predicate && !p->when && actions[p->action].takes_scratch;
}

static bool is_filter_first(const struct gen_plan *p)
{
	return p->has_filter && p->action == GEN_DISPATCH;
}

static void ask_filter(struct gen *g)
{
	if (g->plan->only_not_tgid) {
		gen_emit(g, INSN_CALL(BPF_FUNC_get_current_pid_tgid));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_0, 32));
		gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, (s32)g->plan->only_not_tgid), g->exit);
		return;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
	insns_fixed(g->in, FIXED_wants);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->exit);
}

/*
 * A tail call that is never executed.  Since 6.13 the kernel gives programs of the kprobe type a
 * stack for each CPU (kernel/bpf/verifier.c, bpf_enable_priv_stack), because they are not
 * preempted; but programs at user functions have the same type and are preempted: of two on one
 * CPU, one would find the other's values in its stack.  A program whose text contains a tail call
 * uses the stack of its thread.  The verifier sees that this one is unreachable, does not check its
 * map, and removes it.
 */
static void stay_on_own_stack(struct gen *g)
{
	u32 always = insns_label(g->in);

	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), always);
	gen_emit(g, INSN_CALL(BPF_FUNC_tail_call));
	insns_place(g->in, always);
}

static void ask_whether_live(struct gen *g)
{
	if (!g->plan->window_fd)
		return;
	gen_window(g);
	gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, WINDOW_LIVE));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->exit);
}

/* The order of the steps is described in program.h. */
static void gen_whole(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	struct whole w = { .drop = insns_label(g->in) };

	gen_emit(g, INSN_MOV_X(R_CTX, BPF_REG_1));
	if (p->is_preempted)
		stay_on_own_stack(g);
	ask_whether_live(g);
	if (is_filter_first(p))
		ask_filter(g);
	find_site(g);
	if (p->guard)
		gen_branch(g, p->guard, g->exit, false, g->exit);
	if (is_early(p))
		gen_condition(g, &w, p->predicate);
	if (p->has_filter && !is_filter_first(p))
		ask_filter(g);
	if (is_always_taken(p))
		need_slot(g, &w);
	if (gen_is_return(p))
		gen_find_entry(g);
	if (p->when)
		gen_condition(g, &w, p->when);
	if (gen_is_end(p)) {
		need_slot(g, &w);
		gen_end_span(g);
	}
	if (p->predicate && !is_early(p))
		gen_condition(g, &w, p->predicate);
	if (actions[p->action].takes_scratch || (p->action == GEN_KEYED && gen_keyed_scratch(p)) ||
	    (p->action == GEN_ENTER && gen_enter_scratch(p)))
		need_slot(g, &w);
	actions[p->action].gen(g);
	gen_ends(g, &w);
}

static u32 first_temp(const struct gen_plan *p)
{
	u32 record = gen_event_bytes(p), key = gen_key_bytes(p->key, p->n_key);

	if (p->action == GEN_START || p->action == GEN_ENTER)
		record = gen_saved_bytes(p->values, p->n_values);
	if (key > record)
		record = key;
	return ((u32)AT_RECORD + record + 16 + 7) & ~7U;
}

static int generate(const struct gen_plan *plan, const struct text *t, struct insns *out,
		    u32 *scratch, struct err *err)
{
	struct gen g = { .in = out, .plan = plan, .text = t, .err = err };
	bool is_sent = plan->action == GEN_EVENT || plan->action == GEN_NOTHING;
	u32 max = is_sent ? GEN_MAX_SCRATCH : GEN_CPU_SCRATCH;

	g.temp = g.temp_max = first_temp(plan);
	g.exit = g.end = insns_label(out);
	gen_whole(&g);
	*scratch = g.temp_max;
	if (g.temp_max > max)
		return text_error(t, span_all(t), err,
				  "%s take %u bytes together, more than %u: -Z makes them shorter",
				  is_sent ? "the probe's strings" : "strings that are kept",
				  g.temp_max, max);
	return err->code ? -err->code : insns_finish(out, t, err);
}

int gen_program(const struct gen_plan *plan, const struct text *t, struct insns *out,
		struct err *err)
{
	u32 scratch;

	return generate(plan, t, out, &scratch, err);
}

u32 gen_scratch_bytes(const struct gen_plan *plan)
{
	struct text none = { .p = "" };
	struct err err = { 0 };
	struct insns in;
	u32 scratch;

	/* If this fails, gen_program fails in the same way, with a caret. */
	insns_init(&in);
	generate(plan, &none, &in, &scratch, &err);
	insns_release(&in);
	return scratch;
}
