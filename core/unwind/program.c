// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs the programs of call frame information. */
#include "unwind/cfi.h"

#define MAX_REMEMBERED 16 /* compilers nest one level, assembly three */

/* DWARF 5, table 7.29: the first three contain a number in their low six bits. */
enum {
	CFA_advance_loc = 0x40,
	CFA_offset = 0x80,
	CFA_restore = 0xc0,
	CFA_nop = 0,
	CFA_set_loc = 0x01,
	CFA_advance_loc1 = 0x02,
	CFA_advance_loc2 = 0x03,
	CFA_advance_loc4 = 0x04,
	CFA_offset_extended = 0x05,
	CFA_restore_extended = 0x06,
	CFA_undefined = 0x07,
	CFA_same_value = 0x08,
	CFA_register = 0x09,
	CFA_remember_state = 0x0a,
	CFA_restore_state = 0x0b,
	CFA_def_cfa = 0x0c,
	CFA_def_cfa_register = 0x0d,
	CFA_def_cfa_offset = 0x0e,
	CFA_def_cfa_expression = 0x0f,
	CFA_expression = 0x10,
	CFA_offset_extended_sf = 0x11,
	CFA_def_cfa_sf = 0x12,
	CFA_def_cfa_offset_sf = 0x13,
	CFA_val_offset = 0x14,
	CFA_val_offset_sf = 0x15,
	CFA_val_expression = 0x16,
	/* arm64: whether and how the return address is signed; it is masked in any case */
	CFA_set_ra_state = 0x2b,
	CFA_negate_ra_state_with_pc = 0x2c,
	CFA_negate_ra_state = 0x2d,
	CFA_GNU_args_size = 0x2e,
	CFA_GNU_negative_offset_extended = 0x2f,
};

struct run {
	const struct cfi_machine *machine;
	const struct cfi_cie *cie;
	const struct cfi_rows *rows; /* NULL: a CIE's program, which has no addresses */
	struct cfi_state state;
	struct cfi_state remembered[MAX_REMEMBERED];
	u32 n_remembered;
	u64 addr, end;
	bool is_changed; /* since the last row */
	bool is_done;	 /* the end of the function was reached */
};

/* ---- registers ---- */

static void set(struct run *r, u64 reg, struct cfi_register value)
{
	if (reg == r->machine->fp)
		r->state.fp = value;
	else if (reg == r->cie->return_reg)
		r->state.ra = value;
	else
		return;
	r->is_changed = true;
}

static void set_where(struct run *r, u64 reg, enum cfi_where where)
{
	set(r, reg, (struct cfi_register){ .where = where });
}

/* Offsets are multiples of the CIE's data alignment.  An offset that overflows is invalid anyway,
 * so the result does not matter. */
static s64 scaled(const struct run *r, u64 n)
{
	return (s64)(n * (u64)r->cie->data_align);
}

static void set_at(struct run *r, u64 reg, u64 n)
{
	set(r, reg, (struct cfi_register){ .where = CFI_IS_AT, .off = scaled(r, n) });
}

static void restore(struct run *r, u64 reg)
{
	set(r, reg, reg == r->machine->fp ? r->cie->start.fp : r->cie->start.ra);
}

static void set_cfa(struct run *r, u64 reg, s64 off)
{
	r->state.is_expression = false;
	r->state.reg = reg;
	r->state.off = off;
	r->is_changed = true;
}

static void set_cfa_offset(struct run *r, s64 off)
{
	r->state.off = off;
	r->is_changed = true;
}

/* ---- rows ---- */

static void put_row(struct run *r)
{
	struct cfi_rule rule;

	if (!r->is_changed)
		return;
	r->is_changed = false;
	rule = cfi_encode(r->machine, &r->state, r->cie->is_signal);
	r->rows->row(r->rows->ctx, r->addr, &rule);
}

static void advance(struct run *r, u64 n)
{
	u64 bytes = n * r->cie->code_align;

	if (!r->rows || !bytes)
		return;
	put_row(r);
	r->is_done = bytes >= r->end - r->addr;
	r->addr += bytes;
}

/* ---- instructions ---- */

static bool run_state(struct run *r, u8 op)
{
	if (op == CFA_remember_state) {
		if (r->n_remembered == MAX_REMEMBERED)
			return false;
		r->remembered[r->n_remembered++] = r->state;
		return true;
	}
	if (!r->n_remembered)
		return false;
	r->state = r->remembered[--r->n_remembered];
	r->is_changed = true;
	return true;
}

static void run_expression(struct run *r, u8 op, struct cursor *c)
{
	u64 reg = op == CFA_def_cfa_expression ? 0 : cursor_uleb(c);
	struct cursor expression = cursor_take(c, cursor_uleb(c));

	if (op == CFA_def_cfa_expression) {
		r->state.is_expression = true;
		r->state.expression = expression;
		r->is_changed = true;
	} else if (op == CFA_expression) {
		set(r, reg,
		    (struct cfi_register){ .where = CFI_IS_EXPRESSION, .expression = expression });
	} else {
		set_where(r, reg, CFI_IS_OTHER);
	}
}

/* Instructions that say where a register is. */
static bool run_register(struct run *r, u8 op, struct cursor *c)
{
	u64 reg = cursor_uleb(c);

	switch (op) {
	case CFA_offset_extended:
		set_at(r, reg, cursor_uleb(c));
		return true;
	case CFA_offset_extended_sf:
		set_at(r, reg, (u64)cursor_sleb(c));
		return true;
	case CFA_GNU_negative_offset_extended:
		set_at(r, reg, -cursor_uleb(c));
		return true;
	case CFA_restore_extended:
		restore(r, reg);
		return true;
	case CFA_undefined:
		set_where(r, reg, CFI_IS_UNDEFINED);
		return true;
	case CFA_same_value:
		set_where(r, reg, CFI_IS_SAME);
		return true;
	case CFA_register:
		set(r, reg,
		    (struct cfi_register){ .where = CFI_IS_REGISTER, .off = (s64)cursor_uleb(c) });
		return true;
	case CFA_val_offset:
	case CFA_val_offset_sf:
		cursor_uleb(c);
		set_where(r, reg, CFI_IS_OTHER);
		return true;
	}
	return false;
}

/* Instructions that say where the CFA is. */
static void run_cfa(struct run *r, u8 op, struct cursor *c)
{
	u64 reg;

	switch (op) {
	case CFA_def_cfa:
		reg = cursor_uleb(c);
		set_cfa(r, reg, (s64)cursor_uleb(c));
		break;
	case CFA_def_cfa_sf:
		reg = cursor_uleb(c);
		set_cfa(r, reg, scaled(r, (u64)cursor_sleb(c)));
		break;
	case CFA_def_cfa_register:
		set_cfa(r, cursor_uleb(c), r->state.off);
		break;
	case CFA_def_cfa_offset:
		set_cfa_offset(r, (s64)cursor_uleb(c));
		break;
	case CFA_def_cfa_offset_sf:
		set_cfa_offset(r, scaled(r, (u64)cursor_sleb(c)));
		break;
	}
}

/* false: the instruction is unknown, or not possible here. */
static bool run_one(struct run *r, u8 op, struct cursor *c)
{
	switch (op) {
	case CFA_nop:
	case CFA_negate_ra_state:
	case CFA_negate_ra_state_with_pc:
		return true;
	case CFA_set_ra_state:
		cursor_uleb(c);
		cursor_sleb(c);
		return true;
	case CFA_GNU_args_size:
		cursor_uleb(c);
		return true;
	case CFA_advance_loc1:
		advance(r, cursor_fixed(c, 1));
		return true;
	case CFA_advance_loc2:
		advance(r, cursor_fixed(c, 2));
		return true;
	case CFA_advance_loc4:
		advance(r, cursor_fixed(c, 4));
		return true;
	case CFA_remember_state:
	case CFA_restore_state:
		return run_state(r, op);
	case CFA_def_cfa:
	case CFA_def_cfa_sf:
	case CFA_def_cfa_register:
	case CFA_def_cfa_offset:
	case CFA_def_cfa_offset_sf:
		run_cfa(r, op, c);
		return true;
	case CFA_def_cfa_expression:
	case CFA_expression:
	case CFA_val_expression:
		run_expression(r, op, c);
		return true;
	}
	return run_register(r, op, c);
}

/* false: the program is incomplete or broken. */
static bool run(struct run *r, struct cursor c)
{
	while (c.p < c.end && !r->is_done) {
		u8 op = *c.p++, low = op & 0x3f;
		bool is_known = true;

		switch (op & 0xc0) {
		case CFA_advance_loc:
			advance(r, low);
			break;
		case CFA_offset:
			set_at(r, low, cursor_uleb(&c));
			break;
		case CFA_restore:
			restore(r, low);
			break;
		default:
			is_known = run_one(r, op, &c);
		}
		if (!is_known || c.is_over)
			return false;
	}
	return true;
}

/* `remembered` is large, and is not cleared. */
static void start(struct run *run, const struct cfi_reader *r, const struct cfi_cie *cie)
{
	run->machine = r->machine;
	run->cie = cie;
	run->rows = NULL;
	run->state = cie->start;
	run->n_remembered = 0;
	run->addr = run->end = 0;
	run->is_changed = true;
	run->is_done = false;
}

void cfi_run(const struct cfi_reader *r, const struct cfi_fde *fde, const struct cfi_rows *rows)
{
	static const struct cfi_rule none = { .cfa = CFI_NONE };
	const u8 *program = r->section.bytes + fde->at;
	struct run state;

	start(&state, r, &r->cies.items[fde->cie]);
	state.rows = rows;
	state.addr = fde->start;
	state.end = fde->start + fde->n;
	if (run(&state, (struct cursor){ .p = program, .end = program + fde->bytes }))
		put_row(&state);
	else /* from here on, the rules are not reliable */
		rows->row(rows->ctx, state.addr, &none);
}

bool cfi_run_cie(const struct cfi_reader *r, struct cfi_cie *cie, struct cursor program)
{
	struct run state;
	bool is_whole;

	start(&state, r, cie);
	is_whole = run(&state, program);
	cie->start = state.state;
	return is_whole;
}
