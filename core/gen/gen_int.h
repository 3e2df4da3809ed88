/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of the generator share: program.c (programs), scalar.c (scalars), memory.c (reads
 * and strings), match.c (string comparison), builtin.c, span.c, cell.c, dispatch.c, layout.c.  No
 * one else includes this.
 *
 * Registers of a generated program:
 *	r0      the value just computed
 *	r1-r5   free between nodes; calls clobber them
 *	r6      ctx
 *	r7      the scratch slot, from take() on
 *	r8, r9  values that wait for the other operand; r9 is the cursor while strings are packed
 *
 * The verifier walks every path until it meets a state that it has seen.  Code here therefore never
 * lets two arms of a branch meet with different known constants in registers that live on: what is
 * computed by branches (comparisons, ?:) is blurred (gen_blur), what is absent is stored in memory.
 */
#ifndef GEN_GEN_INT_H
#define GEN_GEN_INT_H

#include "bpf/abi/fixed.h"
#include "bpf/abi/span.h"
#include "bpf/abi/window.h"
#include "gen/program.h"

#define R_CTX	  BPF_REG_6
#define R_SCRATCH BPF_REG_7
#define R_CURSOR  BPF_REG_9

/* Offsets from the scratch slot's beginning. */
#define AT_BYTES  ((s32)offsetof(struct scratch, bytes))
#define AT_RECORD ((s32)offsetof(struct scratch, event))

#define GEN_SMALL 64 /* bytes: fits on the stack beside a deep expression */

#define NO_LABEL UINT32_MAX
#define NO_SLOT	 0 /* no stack offset: those are negative */

/* Stack slots of what a return or an end knows. */
struct gen_found {
	s32 record;  /* of the pointer to what was saved; NULL in it: no start */
	s32 latency; /* of the nanoseconds since then */
};

struct gen {
	struct insns *in;
	const struct gen_plan *plan;
	const struct text *text;
	struct err *err;
	u32 end;  /* where an event that isn't wanted goes: exit or, with a slot, drop */
	u32 exit; /* without a slot */
	u8 held;  /* bit 0: r8, bit 1: r9 */
	s32 site; /* stack slot of the site's index; NO_SLOT: plan->site */
	struct gen_found call, span; /* the entry of the call, the start of the span */
	s32 span_key;		     /* where a span's key is in scratch */
	u32 temp, temp_max;	     /* scratch temporaries, from the slot's beginning */
	u64 steps;		     /* of loops, as the verifier counts them */
	u32 loop_jumps;		     /* and conditional jumps on the longest way through them */
	bool is_key;		     /* of a cell: $comm may stand there with its zeros */
};

/* A value that waits: in r8, r9 or on the stack. */
struct gen_hold {
	u8 reg; /* 0: on the stack */
	s32 slot;
};
struct gen_hold gen_hold(struct gen *g, u8 from);
/* The register that has it; `spare` when it had to be loaded there. */
u8 gen_held(struct gen *g, const struct gen_hold *h, u8 spare);
void gen_unhold(struct gen *g, const struct gen_hold *h);

/* Memory at a fixed place, or after the cursor, or after what is known only when it runs. */
struct gen_place {
	u8 base; /* R_SCRATCH or BPF_REG_10 */
	s32 off;
	bool at_cursor;
	s32 slot; /* of a number that is added: on the stack; NO_SLOT: none */
	u32 mask; /* and of its bits, which never hold others: what the verifier has to know */
};
void gen_address(struct gen *g, u8 reg, struct gen_place p);
/* Where loads and stores reach the first `bytes` of it, by their 16 bits: in `reg` if not as it is.
 */
struct gen_place gen_near(struct gen *g, struct gen_place p, u32 bytes, u8 reg);

/* Room for a moment: on the stack when small, else after the record in scratch.  Give back in
 * reverse order, with `gen_temp_end` of what gen_temp_begin said. */
struct gen_temp_mark {
	u32 stack, scratch;
};
struct gen_temp_mark gen_temp_begin(const struct gen *g);
struct gen_place gen_temp(struct gen *g, u32 bytes);
/* Never on the stack: for what is reached at a variable offset. */
struct gen_place gen_temp_scratch(struct gen *g, u32 bytes);
void gen_temp_end(struct gen *g, struct gen_temp_mark mark);

/* A caret error; the first one stays. */
void gen_refuse(struct gen *g, struct span at, const char *what);

/* scalar.c: value to r0; `absent` is where to go when there is none.  Keeps r6 to r9. */
void gen_value(struct gen *g, const struct tree *t, u32 absent);
/* Jump to `to` when t's truth is `when`, else fall through. */
void gen_branch(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent);
/* r0 = 0 or 1 by what `branch` decides, of unknown value to the verifier. */
void gen_blur(struct gen *g, u8 reg);
/* What was loaded to r0 as a scalar of its size becomes the value: sign, bit-field. */
void gen_bits(struct gen *g, const struct tree *t);
/* BPF's code of a scalar's size. */
static inline u8 gen_width(u32 size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}
/* Extend reg from `size` bytes. */
void gen_extend(struct gen *g, u8 reg, u32 size, bool is_signed);
static inline void gen_emit(struct gen *g, struct bpf_insn insn)
{
	insns_emit(g->in, insn);
}
void gen_jump(struct gen *g, struct bpf_insn insn, u32 label);
/* Code that jumps so often before it ends, in rounds of a loop or in a function. */
void gen_loop_jumps(struct gen *g, u32 n);

/* memory.c */

/* r0 = address; reads `size` bytes of `space` to `to`.  0 in r0 when it went well, else it jumps to
 * `absent`. */
void gen_read(struct gen *g, enum space space, struct gen_place to, u32 size, u32 absent);
/* TREE_LOAD: scalar to r0. */
void gen_load(struct gen *g, const struct tree *t, u32 absent);
/* A string (any tree of TYPE_STRING, literals too) to `to`, which has `cap` bytes: at most cap - 1
 * and a NUL.  r0 = bytes with the NUL, 1 to cap and known so to the verifier.  What is after the
 * NUL is left undefined. */
void gen_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap, u32 absent);
/* r0 = address of a string, which is read as gen_string does. */
void gen_read_string(struct gen *g, enum space space, struct gen_place to, u32 cap, u32 absent);
/* r0 = what a helper that reads strings into `cap` bytes has said; the length with the NUL, or
 * absent. */
void gen_check_length(struct gen *g, u32 cap, u32 absent);
/* The address that a string or bytes are read from, to r0; returns its space. */
enum space gen_string_address(struct gen *g, const struct tree *t, u32 absent);
/* t->type->size bytes at most; r0 = how many, known to the verifier to be no more. */
void gen_bytes(struct gen *g, const struct tree *t, struct gen_place to, u32 absent);
/* Bytes of a place = 0; a multiple of 8. */
void gen_zero(struct gen *g, struct gen_place to, u32 bytes);

/* match.c: as gen_branch, for TREE_MATCH. */
void gen_match(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent);
/* How many bytes of the literal b (its NUL one of them) decide. */
u32 gen_deciding_bytes(const struct tree *t);
/* "text*" alone is a prefix. */
bool gen_is_prefix(struct view glob);

/* builtin.c */
void gen_builtin(struct gen *g, const struct tree *t, u32 absent);
void gen_builtin_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap,
			u32 absent);
void gen_ip(struct gen *g, const struct tree *t, struct gen_place to, u32 absent);

/* layout.c: how values lie (bpf/abi/event.h). */

/* Does `t` take a slot of 8 bytes among the scalars? */
static inline bool gen_is_scalar(const struct tree *t)
{
	return type_is_scalar(t->type);
}
/* Bytes of a value that isn't a scalar where nothing may move. */
u32 gen_rest_bytes(const struct type *type);
/* At most, in an event. */
u32 gen_packed_bytes(const struct type *type);
/* Is there something in t (and what it is made of) that `is` says yes to? */
bool gen_any(const struct tree *t, bool (*is)(const struct tree *t));
/* Trees for which a scratch slot is needed. */
bool gen_needs_scratch(const struct tree *t);
bool gen_can_be_absent(const struct tree *t);

/* span.c */
bool gen_is_return(const struct gen_plan *p); /* the program looks for its call's entry */
bool gen_is_end(const struct gen_plan *p);    /* it ends a span */
void gen_find_entry(struct gen *g);	      /* returns: sets g->call */
void gen_end_span(struct gen *g); /* ends, with a slot: sets g->span; without a start: to g->end */
void gen_enter(struct gen *g);	  /* GEN_ENTER's action */
bool gen_enter_scratch(const struct gen_plan *p); /* it needs a slot before it starts */
void gen_start(struct gen *g);			  /* GEN_START's action */
void gen_latency(struct gen *g, const struct tree *t, u32 absent); /* TREE_LATENCY to r0 */
void gen_saved(struct gen *g, const struct tree *t, u32 absent);   /* TREE_SAVED scalar to r0 */
void gen_saved_address(struct gen *g, const struct tree *t, u32 absent); /* of its bytes, to r0 */

/* dispatch.c */

/* To plan->next: what comes after this code runs when there is no such program. */
void gen_next(struct gen *g);
void gen_dispatch(struct gen *g); /* GEN_DISPATCH's action */

/* cell.c */
void gen_keyed(struct gen *g);
bool gen_keyed_scratch(const struct gen_plan *p); /* it needs a slot before it starts */

/* program.c */

/* Values in the fixed layout at `at`; an absent one goes to `absent`, or when that is NO_LABEL,
 * sets its bit in scratch's u64 at `absent_bits`. */
void gen_fixed_values(struct gen *g, const struct tree *const *values, u32 n, struct gen_place at,
		      s32 absent_bits, u32 absent);
/* probe_count's field at `field` of this spec += 1; clobbers r0 to r5. */
void gen_count_probe(struct gen *g, size_t field);
/* After code that ends: where a value is absent, if that can be, count it and go to `end`. */
void gen_count_absent(struct gen *g, u32 absent, u32 end);
/* Bit `i` of scratch's u64 at `at` is set. */
void gen_set_bit(struct gen *g, s32 at, u32 i);
/* take() to r7, or to `none` when there is none. */
void gen_take(struct gen *g, u32 none);
void gen_drop(struct gen *g);
/* Is r7 a slot here? */
static inline bool gen_has_scratch(const struct gen *g)
{
	return g->end != g->exit;
}
/* `values` of a counting plan, held; and added to the row whose address is in r0. */
void gen_hold_values(struct gen *g, struct gen_hold *out, u32 absent);
void gen_add_row(struct gen *g, const struct gen_hold *values);
/* A call of map_lookup_elem: map, key at `key`; r0 the value's address or NULL. */
void gen_lookup(struct gen *g, int map_fd, struct gen_place key);
/* The word of bpf/abi/window.h to r0. */
void gen_window(struct gen *g);
/* The site's index to `reg`. */
void gen_site(struct gen *g, u8 reg);

#endif
