// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * argdist: adds a value to the cell of a key.  Every change is one atomic instruction, so that CPUs
 * may share cells.  No branch depends on the value, so that the verifier follows only one path.
 */
#include "bpf/abi/cells.h"
#include "gen/gen_int.h"
#include "type/build.h"

#define CMPXCHG_TRIES 32

/* Emits the code for a kind of cell, which runs with the cell's address in r0 and the value
 * held. */
struct cell_row {
	void (*apply)(struct gen *g, const struct gen_saved *value);
	bool has_value;
};

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* r0 = floor(log2(r1)), 0 for 0; clobbers r1, r2. */
static void gen_log2(struct gen *g)
{
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	for (s32 step = 5; step >= 0; step--) {
		/* r2 = 2^step if bits above it are set, else 0 */
		gen_emit(g, INSN_MOV_X(BPF_REG_2, BPF_REG_1));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_2, 1 << step));
		gen_emit(g, INSN_NEG(BPF_REG_2));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_2, 63));
		if (step)
			gen_emit(g, INSN_ALU_K(BPF_LSH, BPF_REG_2, step));
		gen_emit(g, INSN_ALU_X(BPF_RSH, BPF_REG_1, BPF_REG_2));
		gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_0, BPF_REG_2));
	}
}

/* r1 = |r1|; r3 = -1 if it was negative, else 0 */
static void gen_magnitude(struct gen *g, bool is_signed)
{
	if (!is_signed) {
		gen_emit(g, INSN_MOV_K(BPF_REG_3, 0));
		return;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_1));
	gen_emit(g, INSN_ALU_K(BPF_ARSH, BPF_REG_3, 63));
	gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_1, BPF_REG_3));
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_1, BPF_REG_3));
}

static void load_value(struct gen *g, u8 to, const struct gen_saved *value)
{
	u8 reg = gen_load_saved(g, value, to);

	if (reg != to)
		gen_emit(g, INSN_MOV_X(to, reg));
}

static bool is_signed(const struct gen *g)
{
	return g->plan->work.value->type->is_signed;
}

/* The cell's address, which is saved on the stack while an index is computed, so that r9 stays
 * free. */
struct cell {
	s32 slot;
};

static struct cell keep_cell(struct gen *g)
{
	struct cell cell = { .slot = insns_stack(g->in, sizeof(u64)) };

	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, cell.slot, BPF_REG_0));
	return cell;
}

/* Add 1 to the u64 at `from` + 8 * r0 of the cell; r0 is below n, which is checked for the
 * verifier. */
static void add_at(struct gen *g, struct cell cell, u32 from, u32 n)
{
	gen_jump(g, INSN_JMP_K(BPF_JGE, BPF_REG_0, (s32)n), g->end);
	gen_emit(g, INSN_ALU_K(BPF_LSH, BPF_REG_0, 3));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, cell.slot));
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_0));
	gen_emit(g, INSN_MOV_K(BPF_REG_2, 1));
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_1, from, BPF_REG_2));
}

/* Store the greater of the u64 at r1 + off and r2 there. */
static void keep_greater(struct gen *g, s32 off)
{
	u32 loop = insns_label(g->in), done = insns_label(g->in);

	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_1, off));
	if (!g->plan->host.has_atomics) {
		gen_jump(g, INSN_JMP_X(BPF_JGE, BPF_REG_0, BPF_REG_2), done);
		gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_1, off, BPF_REG_2));
		insns_place(g->in, done);
		return;
	}
	gen_emit(g, INSN_MOV_K(BPF_REG_4, 0));
	insns_place(g->in, loop);
	gen_jump(g, INSN_JMP_X(BPF_JGE, BPF_REG_0, BPF_REG_2), done);
	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_0));
	gen_emit(g, INSN_CMPXCHG(BPF_REG_1, off, BPF_REG_2));
	gen_jump(g, INSN_JMP_X(BPF_JEQ, BPF_REG_0, BPF_REG_3), done);
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_4, 1));
	gen_jump(g, INSN_JMP_K(BPF_JLT, BPF_REG_4, CMPXCHG_TRIES), loop);
	gen_count_probe(g, offsetof(struct probe_count, busy));
	gen_jump(g, INSN_JA, g->end);
	insns_place(g->in, done);
}

/* r2 = a number that sorts like the value */
static void gen_order(struct gen *g, const struct gen_saved *value, bool is_signed)
{
	load_value(g, BPF_REG_2, value);
	if (!is_signed)
		return;
	insns_imm64(g->in, BPF_REG_3, 1ULL << 63);
	gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_2, BPF_REG_3));
}

/* ---- kinds of cells -------------------------------------------------------------------------- */

static void apply_log2(struct gen *g, const struct gen_saved *value)
{
	struct cell cell = keep_cell(g);

	load_value(g, BPF_REG_1, value);
	gen_magnitude(g, is_signed(g));
	/* r4 = 1 unless the value is 0 */
	gen_emit(g, INSN_MOV_X(BPF_REG_4, BPF_REG_1));
	gen_emit(g, INSN_NEG(BPF_REG_4));
	gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_4, BPF_REG_1));
	gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_4, 63));
	gen_log2(g);
	/* log2 + 1 above 0, in the other direction if negative */
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_0, BPF_REG_4));
	gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_0, BPF_REG_3));
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_0, BPF_REG_3));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, CELL_LOG2_ZERO));
	add_at(g, cell, 0, CELL_LOG2_N);
}

/* Jump to `to` if the value is below `bound`, compared by its type. r0 = value, clobbers r1. */
static void branch_below(struct gen *g, s64 bound, u32 to)
{
	if (!is_signed(g) && bound <= 0)
		return; /* never true for unsigned values */
	insns_imm64(g->in, BPF_REG_1, (u64)bound);
	gen_jump(g, INSN_JMP_X(is_signed(g) ? BPF_JSLT : BPF_JLT, BPF_REG_0, BPF_REG_1), to);
}

static void apply_linear(struct gen *g, const struct gen_saved *value)
{
	const struct gen_plan *p = g->plan;
	struct cell cell = keep_cell(g);
	u32 under = insns_label(g->in), add = insns_label(g->in);

	load_value(g, BPF_REG_0, value);
	branch_below(g, p->work.min, under);
	insns_imm64(g->in, BPF_REG_1, (u64)p->work.min);
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_0, BPF_REG_1));
	insns_imm64(g->in, BPF_REG_1, (u64)(p->work.step > 0 ? p->work.step : 1));
	gen_emit(g, INSN_ALU_X(BPF_DIV, BPF_REG_0, BPF_REG_1));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, 1));
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_0, (s32)p->work.n_buckets), add);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)p->work.n_buckets + 1));
	if (insns_is_used(g->in, under)) {
		gen_jump(g, INSN_JA, add);
		insns_place(g->in, under);
		gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	}
	insns_place(g->in, add);
	gen_blur(g, BPF_REG_0);
	add_at(g, cell, 0, p->work.n_buckets + 2);
}

static void apply_bounds(struct gen *g, const struct gen_saved *value)
{
	const struct gen_plan *p = g->plan;
	struct cell cell = keep_cell(g);
	u32 found = insns_label(g->in);

	load_value(g, BPF_REG_0, value);
	for (u32 i = 0; i < p->work.n_buckets; i++) {
		gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)i));
		branch_below(g, p->work.bounds[i], found);
	}
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)p->work.n_buckets));
	insns_place(g->in, found);
	gen_emit(g, INSN_MOV_X(BPF_REG_0, BPF_REG_2));
	gen_blur(g, BPF_REG_0);
	add_at(g, cell, 0, p->work.n_buckets + 1);
}

/* r0 = index of the log-linear bucket for the magnitude in r1: 8 * (e - 2) + next three bits for
 * magnitudes from 8 on; below 8, e counts as 3, so that the sum is the magnitude itself. */
static void gen_log_linear(struct gen *g)
{
	gen_emit(g, INSN_MOV_X(BPF_REG_5, BPF_REG_1));
	gen_emit(g, INSN_ALU_K(BPF_OR, BPF_REG_1, 8));
	gen_log2(g);
	gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_0, 3)); /* e - 3: 0 to 60 */
	gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, 63));
	gen_emit(g, INSN_ALU_X(BPF_RSH, BPF_REG_5, BPF_REG_0));
	/* 8 to 15, or less for magnitudes below 8: add it to 8 * (e - 3) */
	gen_emit(g, INSN_ALU_K(BPF_LSH, BPF_REG_0, 3));
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_0, BPF_REG_5));
}

static u32 stats_buckets(const struct gen_plan *p)
{
	return p->work.value->type->is_signed ? CELL_STATS_N : CELL_STATS_HALF;
}

static void apply_stats(struct gen *g, const struct gen_saved *value)
{
	struct cell cell = keep_cell(g);

	gen_emit(g, INSN_MOV_K(BPF_REG_1, 1));
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, offsetof(struct cell_stats, count), BPF_REG_1));
	load_value(g, BPF_REG_1, value);
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, offsetof(struct cell_stats, sum), BPF_REG_1));
	gen_magnitude(g, is_signed(g));
	gen_log_linear(g);
	if (is_signed(g)) {
		gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_3, CELL_STATS_HALF));
		gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_0, BPF_REG_3));
	}
	add_at(g, cell, offsetof(struct cell_stats, buckets), stats_buckets(g->plan));
	gen_order(g, value, is_signed(g));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, cell.slot));
	keep_greater(g, offsetof(struct cell_stats, greatest));
	gen_order(g, value, is_signed(g));
	gen_emit(g, INSN_ALU_K(BPF_XOR, BPF_REG_2, -1));
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, cell.slot));
	keep_greater(g, offsetof(struct cell_stats, least));
}

/* One column of the cell at r0. */
static void add_column(struct gen *g, const struct gen_column *c, const struct gen_saved *value)
{
	s32 at = (s32)(c->index * sizeof(struct cell_pair));
	s32 second = at + (s32)offsetof(struct cell_pair, value);

	gen_emit(g, INSN_MOV_K(BPF_REG_1, 1));
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, at, BPF_REG_1));
	if (c->cell == CELL_SUM) {
		if (c->value->kind == TREE_CONST && !c->value->value)
			return;
		load_value(g, BPF_REG_1, value);
		gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, second, BPF_REG_1));
		return;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
	gen_order(g, value, c->value->type->is_signed);
	if (c->cell == CELL_MIN)
		gen_emit(g, INSN_ALU_K(BPF_XOR, BPF_REG_2, -1));
	keep_greater(g, second);
}

static struct gen_column first_column(const struct gen_plan *p)
{
	return (struct gen_column){ p->work.index, p->work.cell, p->work.value };
}

static void apply_pair(struct gen *g, const struct gen_saved *value)
{
	struct gen_column first = first_column(g->plan);

	add_column(g, &first, value);
}

static const struct cell_row cell_rows[CELL_N] = {
	[CELL_COUNT] = { gen_add_row, false },	[CELL_LOG2] = { apply_log2, true },
	[CELL_LINEAR] = { apply_linear, true }, [CELL_BOUNDS] = { apply_bounds, true },
	[CELL_STATS] = { apply_stats, true },	[CELL_SUM] = { apply_pair, true },
	[CELL_MIN] = { apply_pair, true },	[CELL_MAX] = { apply_pair, true },
};

u32 gen_cell_bytes(const struct gen_plan *p)
{
	switch (p->work.cell) {
	case CELL_COUNT:
		return (1 + p->work.n_values) * (u32)sizeof(u64);
	case CELL_LOG2:
		return CELL_LOG2_N * sizeof(u64);
	case CELL_LINEAR:
		return (p->work.n_buckets + 2) * (u32)sizeof(u64);
	case CELL_BOUNDS:
		return (p->work.n_buckets + 1) * (u32)sizeof(u64);
	case CELL_STATS:
		return (u32)(offsetof(struct cell_stats, buckets) + stats_buckets(p) * sizeof(u64));
	default:
		return p->work.cell_bytes;
	}
}

/* ---- finding the cell ------------------------------------------------------------------------ */

static bool is_stack(const struct tree *t)
{
	return t->kind == TREE_BUILTIN && t->type->kind == TYPE_STACK;
}

bool gen_keyed_scratch(const struct gen_plan *p)
{
	if (gen_cell_key_bytes(p->work.key, p->work.n_key) > GEN_SMALL)
		return true;
	for (u32 i = 0; i < p->work.n_key; i++)
		if (is_stack(p->work.key[i]) || gen_needs_scratch(p->work.key[i]))
			return true;
	return cell_rows[p->work.cell].has_value && gen_needs_scratch(p->work.value);
}

/* Create a cell of zeros for the key. */
static void create(struct gen *g, int cells_fd, struct gen_place key)
{
	u32 bytes = gen_cell_bytes(g->plan), failed = insns_label(g->in);
	bool borrows = bytes > GEN_SMALL && !gen_has_scratch(g);
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place zeros = gen_temp(g, bytes);

	if (borrows)
		gen_take(g, failed);
	gen_zero(g, zeros, bytes);
	gen_address(g, BPF_REG_2, key);
	gen_address(g, BPF_REG_3, zeros);
	gen_emit(g, INSN_MOV_K(BPF_REG_4, BPF_NOEXIST));
	insns_map(g->in, BPF_REG_1, cells_fd);
	gen_emit(g, INSN_CALL(BPF_FUNC_map_update_elem));
	if (borrows)
		gen_drop(g);
	insns_place(g->in, failed);
	gen_temp_end(g, mark);
}

/* Look up the cell: put its address into r0 and jump to `found`, or jump to the end. */
static void find_in(struct gen *g, u32 table, struct gen_place key, u32 found)
{
	int cells_fd = g->plan->maps.cells[table], other_fd = g->plan->maps.other[table];
	struct gen_temp_mark mark = gen_temp_begin(g);

	gen_lookup(g, cells_fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), found);
	if (g->plan->work.n_key) {
		create(g, cells_fd, key);
		gen_lookup(g, cells_fd, key);
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), found);
	}
	gen_count_probe(g, offsetof(struct probe_count, map_full));
	if (other_fd) {
		struct gen_place first = gen_temp(g, sizeof(u64));

		gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_10, first.off, 0));
		gen_lookup(g, other_fd, first);
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), found);
	}
	gen_jump(g, INSN_JA, g->end);
	gen_temp_end(g, mark);
}

/* Put the cell's address into r0.  The window is read here, after everything that may take time
 * (user memory is paged in): the program does not sleep between here and the change of the cell. */
static void find_cell(struct gen *g, struct gen_place key)
{
	u32 found = insns_label(g->in), second = insns_label(g->in);

	if (g->plan->maps.cells[1]) {
		gen_window(g);
		gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, WINDOW_TABLE));
		gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, 0), second);
	}
	find_in(g, 0, key, found);
	if (g->plan->maps.cells[1]) {
		insns_place(g->in, second);
		find_in(g, 1, key, found);
	}
	insns_place(g->in, found);
}

/* Write the key.  Events of which a part could not be read have cells of their own. */
static void make_key(struct gen *g, struct gen_place key, u32 absent)
{
	const struct gen_plan *p = g->plan;
	struct gen_place bits = key, word;
	bool has_bits = gen_key_has_bits(p->work.key, p->work.n_key);
	u32 whole = insns_label(g->in);

	bits.off += (s32)gen_key_bytes(p->work.key, p->work.n_key);
	g->is_key = true;
	gen_fixed_values(g, p->work.key, p->work.n_key, key, has_bits ? &bits : NULL, absent);
	g->is_key = false;
	if (!has_bits)
		return;
	word = gen_near(g, bits, sizeof(u64), BPF_REG_1);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_1, word.base, word.off));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_1, 0), whole);
	gen_count_probe(g, offsetof(struct probe_count, absent));
	insns_place(g->in, whole);
}

bool gen_may_be_column(const struct tree *value)
{
	bool is_length = value->kind == TREE_LATENCY && value->of_span;

	return (is_length || !gen_can_be_absent(value)) && !gen_needs_scratch(value);
}

/* Hold the values of the further columns.  Most repeat the value of another column, as the sum and
 * the maximum of one value do. */
static void save_columns(struct gen *g, const struct gen_saved *first, struct gen_saved *out)
{
	const struct gen_work *w = &g->plan->work;

	for (u32 i = 0; i < w->n_more; i++) {
		const struct gen_saved *same = tree_same(w->more[i].value, w->value) ? first : NULL;

		for (u32 k = 0; k < i && !same; k++)
			if (tree_same(w->more[i].value, w->more[k].value))
				same = &out[k];
		if (same) {
			out[i] = *same;
			continue;
		}
		gen_value(g, w->more[i].value, g->end);
		out[i] = gen_save(g, BPF_REG_0);
	}
}

/* With the cell's address in r0. */
static void apply_all(struct gen *g, const struct cell_row *row, const struct gen_saved *value,
		      const struct gen_saved *more)
{
	const struct gen_work *w = &g->plan->work;
	struct cell cell;

	if (!w->n_more) {
		row->apply(g, value);
		return;
	}
	cell = keep_cell(g);
	row->apply(g, value);
	for (u32 i = 0; i < w->n_more; i++) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, cell.slot));
		add_column(g, &w->more[i], &more[i]);
	}
}

void gen_keyed(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	const struct cell_row *row = &cell_rows[p->work.cell];
	u32 absent = insns_label(g->in);
	struct gen_saved value = { 0 }, sums[GEN_MAX_SUMS], more[GEN_MAX_COLUMNS];
	struct gen_place key;

	g->skips_unstarted = true;
	if (p->work.cell == CELL_COUNT)
		gen_save_values(g, sums, absent);
	if (row->has_value) {
		gen_value(g, p->work.value, absent);
		value = gen_save(g, BPF_REG_0);
		save_columns(g, &value, more);
	}
	if (gen_keyed_scratch(p))
		key = (struct gen_place){ .base = R_SCRATCH, .off = AT_RECORD };
	else
		key = gen_temp(g, p->work.n_key ? gen_cell_key_bytes(p->work.key, p->work.n_key)
						: sizeof(u64));
	if (p->work.n_key)
		make_key(g, key, absent);
	else
		gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_10, key.off, 0));
	find_cell(g, key);
	apply_all(g, row, p->work.cell == CELL_COUNT ? sums : &value, more);
	gen_jump(g, INSN_JA, g->end);
	gen_count_absent(g, absent, g->end);
}
