/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the parts of the generator: program.c (programs), scalar.c (scalars), memory.c (reads
 * and strings), match.c (string comparison), builtin.c, event.c (records), cell.c (counts,
 * histograms), span.c and bin.c (calls, spans), saved.c (their values), dispatch.c, layout.c,
 * keytext.c.
 *
 * Registers of a generated program:
 *	r0      the value just computed
 *	r1-r5   free between nodes; calls clobber them
 *	r6      ctx
 *	r7      the scratch slot, from take() on
 *	r8, r9  values that wait for the other operand; r9 is the cursor while strings are packed
 *
 * The verifier follows every path until it reaches a state that it has seen.  In generated code,
 * therefore, two arms of a branch never join with different known constants in live registers:
 * results of branches (comparisons, ?:) are blurred (gen_blur), and absence is recorded in memory.
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

/* Offsets from the start of the scratch slot. */
#define AT_BYTES  ((s32)offsetof(struct scratch, bytes))
#define AT_TAKEN  ((s32)offsetof(struct scratch, start_ns))
#define AT_RECORD ((s32)offsetof(struct scratch, event))

#define GEN_SMALL 64 /* bytes that fit on the stack in addition to a deep expression */

#define NO_LABEL UINT32_MAX
#define NO_SLOT	 0 /* not a stack offset: those are negative */

/* Stack slots that hold what a return or an end has found. */
struct gen_found {
	s32 record;  /* holds a pointer to the saved record; NULL: no start */
	s32 latency; /* nanoseconds since then */
};

/* A number from memory that every path has loaded: the first one in a condition is often the key of
 * a span, and reading it again takes 30 ns. */
struct gen_known {
	const struct tree *load; /* NULL: none */
	s32 slot;		 /* stack slot of its value */
	bool is_loaded;		 /* by the code so far */
};

struct gen {
	struct insns *in;
	const struct gen_plan *plan;
	const struct text *text;
	struct err *err;
	u32 end;		     /* label for unwanted events: exit, or drop with a slot */
	u32 exit;		     /* label for leaving without a slot */
	u8 held;		     /* registers in use: bit 0 is r8, bit 1 is r9 */
	s32 site;		     /* stack slot of the site's index; NO_SLOT: plan->site */
	struct gen_found call, span; /* the call's entry, the span's start */
	bool has_slot;		     /* a scratch slot is taken, in r7 */
	s32 span_key;		     /* the span's key in scratch */
	u32 temp, temp_max;	     /* scratch temporaries, from the start of the slot */
	u64 steps;		     /* steps of loops, as the verifier counts them */
	u32 loop_jumps;		     /* conditional jumps on the longest path through loops */
	struct gen_known known;
	s32 time;    /* stack slot of the time of the event; NO_SLOT: it is read where it is used */
	bool is_key; /* this is a cell's key: $comm keeps its trailing zeros */
	/* Returns whose entry was not seen end here, counted as such and not as absent. */
	bool skips_unstarted;
};

/* A value that is saved for later: in r8, r9 or on the stack. */
struct gen_saved {
	u8 reg; /* 0: it is on the stack */
	s32 slot;
};
/* Copy the register `from`; release the copy with gen_drop_saved(). */
struct gen_saved gen_save(struct gen *g, u8 from);
/* The register that holds it; `spare` if it had to be loaded from the stack. */
u8 gen_load_saved(struct gen *g, const struct gen_saved *h, u8 spare);
void gen_drop_saved(struct gen *g, const struct gen_saved *h);

/* An address: constant, relative to the cursor, or with an offset that is known only at run
 * time. */
struct gen_place {
	u8 base; /* R_SCRATCH or BPF_REG_10 */
	s32 off;
	bool at_cursor;
	s32 slot; /* stack slot of a number to add; NO_SLOT: none */
	u32 mask; /* mask of the bits that the number can have, for the verifier */
};
/* Put the address into `reg`. */
void gen_address(struct gen *g, u8 reg, struct gen_place p);
/* The same address in a form from which 16-bit offsets reach its first `bytes`; computed in `reg`
 * if necessary. */
struct gen_place gen_near(struct gen *g, struct gen_place p, u32 bytes, u8 reg);

/* Temporary memory: on the stack if small, else after the record in scratch.  Release it in reverse
 * order, by calling gen_temp_end with the result of gen_temp_begin. */
struct gen_temp_mark {
	u32 stack, scratch;
};
struct gen_temp_mark gen_temp_begin(const struct gen *g);
struct gen_place gen_temp(struct gen *g, u32 bytes);
/* Never on the stack: for accesses at a variable offset. */
struct gen_place gen_temp_scratch(struct gen *g, u32 bytes);
void gen_temp_end(struct gen *g, struct gen_temp_mark mark);

/* Report an error with a caret; only the first one is kept. */
void gen_refuse(struct gen *g, struct text_range at, const char *what);

/* scalar.c: put the value into r0, or jump to `absent` if it is absent.  Preserves r6 to r9. */
void gen_value(struct gen *g, const struct tree *t, u32 absent);
/* Jump to `to` if the truth of t is `when`, else fall through. */
void gen_branch(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent);
/* Make the register's value unknown to the verifier, without changing it. */
void gen_blur(struct gen *g, u8 reg);
/* Turn the number loaded to r0 into the value: sign extension, bit-field. */
void gen_bits(struct gen *g, const struct tree *t);
/* BPF's encoding of a scalar's size. */
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
/* Account for code that executes n conditional jumps, in rounds of a loop or in a function. */
void gen_loop_jumps(struct gen *g, u32 n);

/* memory.c */

/* Read `size` bytes of `space` from the address in r0 to `to`. r0 = 0 on success, else jumps to
 * `absent`. */
void gen_read(struct gen *g, enum space space, struct gen_place to, u32 size, u32 absent);
/* TREE_LOAD: a scalar to r0. */
void gen_load(struct gen *g, const struct tree *t, u32 absent);
/* Write a string (any tree of TYPE_STRING, including literals) to `to`, which has `cap` bytes: at
 * most cap - 1 and a NUL. r0 = number of bytes including the NUL, which the verifier knows to be 1
 * to cap.  Bytes after the NUL are undefined. */
void gen_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap, u32 absent);
/* Read the string at the address in r0, with the same results as gen_string. */
void gen_read_string(struct gen *g, enum space space, struct gen_place to, u32 cap, u32 absent);
/* r0 = result of a helper that reads a string into `cap` bytes; it becomes the length including the
 * NUL, or the code jumps to `absent`. */
void gen_check_length(struct gen *g, u32 cap, u32 absent);
/* The address of a string or bytes, to r0; returns its address space. */
enum space gen_string_address(struct gen *g, const struct tree *t, u32 absent);
/* Write at most t->type->size bytes; r0 = their number, which the verifier knows to be bounded. */
void gen_bytes(struct gen *g, const struct tree *t, struct gen_place to, u32 absent);
/* Zero bytes; the number is a multiple of 8. */
void gen_zero(struct gen *g, struct gen_place to, u32 bytes);

/* match.c: like gen_branch, for TREE_MATCH. */
void gen_match(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent);
/* The number of bytes of the literal b (including its NUL) that decide the comparison. */
u32 gen_deciding_bytes(const struct tree *t);
/* "text*" is a prefix, other globs are not. */
bool gen_is_prefix(struct view glob);

/* builtin.c */
void gen_builtin(struct gen *g, const struct tree *t, u32 absent);
void gen_builtin_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap,
			u32 absent);
void gen_builtin_bytes(struct gen *g, const struct tree *t, struct gen_place to, u32 absent);

/* layout.c: the layout of values (bpf/abi/event.h). */

/* Does `t` occupy one of the 8-byte slots for scalars? */
static inline bool gen_is_scalar(const struct tree *t)
{
	return type_is_scalar(t->type);
}
/* Bytes of a value that is not a scalar, in a layout of fixed size. */
u32 gen_rest_bytes(const struct type *type);
/* The most bytes that such a value can have in an event. */
u32 gen_packed_bytes(const struct type *type);
/* Does `is` hold for t or for any of its operands? */
bool gen_any(const struct tree *t, bool (*is)(const struct tree *t));
/* Do the trees need a scratch slot? */
bool gen_needs_scratch(const struct tree *t);
bool gen_can_be_absent(const struct tree *t);

/* span.c */
bool gen_is_return(const struct gen_plan *p); /* the program looks up the entry of its call */
bool gen_is_end(const struct gen_plan *p);    /* the program ends a span */
void gen_find_entry(struct gen *g);	      /* returns: sets g->call */
/* Does an end need a slot before it looks for its start? */
bool gen_end_scratch(const struct gen_plan *p);
void gen_end_span(struct gen *g); /* ends: sets g->span; jumps to g->end if there is no start */
void gen_enter(struct gen *g);	  /* the action of GEN_ENTER */
bool gen_enter_scratch(const struct gen_plan *p); /* needs a slot before it starts */
bool gen_start_scratch(const struct gen_plan *p);
void gen_start(struct gen *g); /* the action of GEN_START */
/* Bytes of the key and the record of the span that the program starts or ends. */
u32 gen_span_key_bytes(const struct gen_plan *p);
u32 gen_span_record_bytes(const struct gen_plan *p);

/* saved.c */
void gen_latency(struct gen *g, const struct tree *t, u32 absent); /* TREE_LATENCY, to r0 */
void gen_saved(struct gen *g, const struct tree *t, u32 absent);   /* a scalar TREE_SAVED, to r0 */
void gen_saved_address(struct gen *g, const struct tree *t,
		       u32 absent); /* address of its bytes, to r0 */
/* A string that the return reads if its entry could not (struct tree.program): the entry keeps its
 * address in the place of the string. */
bool gen_is_read_again(const struct tree *t);
void gen_keep_address(struct gen *g, const struct tree *t, struct gen_place at);
/* Put that address into r0, if the task still runs the same program.  `string`: the entry's. */
void gen_kept_address(struct gen *g, const struct tree *t, const struct tree *string, u32 absent);
/* The same as gen_string for a saved string. */
void gen_saved_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap,
		      u32 absent);

/* bin.c */
bool gen_has_bins(const struct gen_plan *p);
/* Hold the address of the key's bin. */
struct gen_saved gen_bin(struct gen *g, struct gen_place key);
/* Put a start into the bin, and jump to the end; or jump to `table`, where it belongs then. */
void gen_bin_start(struct gen *g, const struct gen_saved *bin, struct gen_place key,
		   struct gen_place record, u32 table);
/* Take the span out of the bin, to `copy` if that is not NULL; jump to `other` if it is not there.
 */
void gen_bin_end(struct gen *g, const struct gen_saved *bin, struct gen_place key,
		 const struct gen_place *copy, u32 other);
/* Jump to `to` if no span is in the table because of the bin; else r4 = its address. */
void gen_bin_branch_alone(struct gen *g, const struct gen_saved *bin, u32 to);
/* Count spans that are there.  Preserves r0. */
void gen_bin_add_others(struct gen *g, const struct gen_saved *bin, s32 n);

/* event.c */
void gen_event(struct gen *g);	 /* GEN_EVENT's action */
void gen_nothing(struct gen *g); /* GEN_NOTHING's action */

/* dispatch.c */

/* Tail-call plan->next; if there is no such program, execution continues with the code after
 * this. */
void gen_next(struct gen *g);
void gen_dispatch(struct gen *g); /* the action of GEN_DISPATCH */

/* keytext.c: write a string to the part of a key at `at`, 64 zeros in the slot. */
void gen_key_text(struct gen *g, const struct tree *t, struct gen_place at, u32 absent);

/* cell.c */
void gen_keyed(struct gen *g);
bool gen_keyed_scratch(const struct gen_plan *p); /* needs a slot before it starts */

/* program.c */

/* Write values in the fixed layout at `at`.  If one is absent, the code sets its bit in the u64 at
 * `bits`; if that is NULL, or the value is the stack of a key, it jumps to `absent`. */
void gen_fixed_values(struct gen *g, const struct tree *const *values, u32 n, struct gen_place at,
		      const struct gen_place *bits, u32 absent);
/* Add 1 to the field of this spec's probe_count at `field`; clobbers r0 to r5. */
void gen_count_probe(struct gen *g, size_t field);
/* After the last instruction: if a value can be absent, code that counts that and jumps to
 * `end`. */
void gen_count_absent(struct gen *g, u32 absent, u32 end);
/* Call take() and put the slot into r7; jump to `none` if there is none. */
void gen_take(struct gen *g, u32 none);
void gen_drop(struct gen *g);
/* Does r7 hold a slot? */
static inline bool gen_has_scratch(const struct gen *g)
{
	return g->end != g->exit;
}
/* Hold the `values` of a counting plan; add them to the row whose address is in r0. */
void gen_save_values(struct gen *g, struct gen_saved *out, u32 absent);
void gen_add_row(struct gen *g, const struct gen_saved *values);
/* Call map_lookup_elem with the key at `key`; r0 = the value's address or NULL. */
void gen_lookup(struct gen *g, int map_fd, struct gen_place key);
/* The word of bpf/abi/window.h, to r0. */
void gen_window(struct gen *g);
/* The site's index, to `reg`. */
void gen_site(struct gen *g, u8 reg);

#endif
