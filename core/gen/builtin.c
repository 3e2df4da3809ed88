// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Built-ins: helpers that a program can call, and the fixed functions. */
#include <linux/bpf_perf_event.h>

#include "gen/gen_int.h"

#define AF_INET_KERNEL	2
#define AF_INET6_KERNEL 10
/* Each of the FIXED_PATH_PARTS directories costs jumps on the way up and down.  On 6.18, 13 paths
 * load, 14 do not. */
#define PATH_JUMPS	600

/* A helper call, and the part of its result that is used. */
struct builtin_row {
	s32 helper;
	bool is_high; /* use the upper 32 bits */
	bool is_low;  /* use the lower 32 bits */
};

static const struct builtin_row rows[BUILTIN_N] = {
	[BUILTIN_TID] = { BPF_FUNC_get_current_pid_tgid, .is_low = true },
	[BUILTIN_TGID] = { BPF_FUNC_get_current_pid_tgid, .is_high = true },
	[BUILTIN_UID] = { BPF_FUNC_get_current_uid_gid, .is_low = true },
	[BUILTIN_GID] = { BPF_FUNC_get_current_uid_gid, .is_high = true },
	[BUILTIN_CPU] = { .helper = BPF_FUNC_get_smp_processor_id },
	[BUILTIN_TASK] = { .helper = BPF_FUNC_get_current_task },
	[BUILTIN_CGROUP] = { .helper = BPF_FUNC_get_current_cgroup_id },
	[BUILTIN_TIME] = { .helper = BPF_FUNC_ktime_get_ns },
	[BUILTIN_RANDOM] = { .helper = BPF_FUNC_get_prandom_u32 },
};

static void gen_bswap(struct gen *g, const struct tree *t, u32 absent)
{
	gen_value(g, t->a, absent);
	gen_emit(g, INSN_SWAP(BPF_REG_0, 8 * (s32)t->type->size));
}

/* Memory at a pointer whose type the verifier knows is read like our own memory; a read that faults
 * yields 0. */
static void gen_compat(struct gen *g, const struct tree *t)
{
	gen_emit(g, INSN_CALL(BPF_FUNC_get_current_task_btf));
	gen_emit(g, INSN_LOAD(BPF_W, BPF_REG_0, BPF_REG_0, (s32)t->offset));
	gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, TS_COMPAT));
}

static void gen_syscall(struct gen *g, const struct tree *t)
{
	gen_emit(g, INSN_CALL(BPF_FUNC_get_current_task_btf));
	gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
	gen_emit(g, INSN_CALL(BPF_FUNC_task_pt_regs));
	gen_emit(g, INSN_LOAD(gen_width(t->type->size), BPF_REG_0, BPF_REG_0, (s32)t->offset));
	gen_extend(g, BPF_REG_0, t->type->size, t->type->is_signed);
}

static void gen_target(struct gen *g, const struct tree *t, u32 absent)
{
	if (!(t->builtin == BUILTIN_TARGET ? g->plan->watch.has_targets
					   : g->plan->watch.has_options)) {
		gen_emit(g, INSN_MOV_K(BPF_REG_0, 1));
		return;
	}
	gen_value(g, t->a, absent);
	gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
	insns_fixed(g->in, FIXED_wants_task);
}

void gen_builtin(struct gen *g, const struct tree *t, u32 absent)
{
	const struct builtin_row *row = &rows[t->builtin];
	bool is_id = row->helper == BPF_FUNC_get_current_pid_tgid;

	if (t->builtin == BUILTIN_SITE) {
		gen_site(g, BPF_REG_0);
	} else if (t->builtin == BUILTIN_PPID) {
		insns_fixed(g->in, FIXED_ppid);
	} else if (t->builtin == BUILTIN_PERIOD) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, R_CTX,
				      offsetof(struct bpf_perf_event_data, sample_period)));
	} else if (t->builtin == BUILTIN_COMPAT) {
		gen_compat(g, t);
	} else if (t->builtin == BUILTIN_SYSCALL) {
		gen_syscall(g, t);
	} else if (t->builtin == BUILTIN_BSWAP) {
		gen_bswap(g, t, absent);
	} else if (t->builtin == BUILTIN_TARGET || t->builtin == BUILTIN_FILTER) {
		gen_target(g, t, absent);
	} else if (t->builtin == BUILTIN_TIME && g->time != NO_SLOT) {
		gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, g->time));
	} else if (is_id && g->plan->watch.has_pidns) {
		insns_fixed(g->in, FIXED_ids);
	} else if (row->helper) {
		gen_emit(g, INSN_CALL(row->helper));
	} else {
		gen_refuse(g, t->at, "a number is needed here");
	}
	if (row->is_high)
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_0, 32));
	if (row->is_low)
		gen_extend(g, BPF_REG_0, sizeof(u32), false);
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Copy a complete string in our own memory at `from` to `to`. */
static void copy_string(struct gen *g, struct gen_place from, struct gen_place to, u32 cap,
			u32 absent)
{
	gen_address(g, BPF_REG_3, from);
	gen_address(g, BPF_REG_1, to);
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)cap));
	gen_emit(g, INSN_CALL(BPF_FUNC_probe_read_kernel_str));
	gen_jump(g, INSN_JMP_K(BPF_JSLE, BPF_REG_0, 0), absent);
	gen_jump(g, INSN_JMP_K(BPF_JSGT, BPF_REG_0, (s32)cap), absent);
}

static void gen_comm(struct gen *g, struct gen_place to, u32 cap, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place comm = gen_temp(g, 16);

	gen_address(g, BPF_REG_1, comm);
	gen_emit(g, INSN_MOV_K(BPF_REG_2, 16));
	gen_emit(g, INSN_CALL(BPF_FUNC_get_current_comm));
	copy_string(g, comm, to, cap, absent);
	gen_temp_end(g, mark);
}

/*
 * The fixed function writes to scratch, drops names that do not fit at the end, and returns the
 * length without a NUL.  It gets more room than the string may have, so that a string that is too
 * long is recognized when it is copied.
 */
static void gen_path(struct gen *g, const struct tree *t, struct gen_place to, u32 cap, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	u32 size = t->type->size + 8 < FIXED_PATH_MAX ? t->type->size + 8 : FIXED_PATH_MAX;
	struct gen_place path = gen_temp_scratch(g, size + 1);
	struct gen_saved dentry;
	u8 reg;

	gen_value(g, t->a, absent);
	dentry = gen_save(g, BPF_REG_0);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	if (t->b)
		gen_value(g, t->b, absent);
	gen_emit(g, INSN_MOV_X(BPF_REG_4, BPF_REG_0));
	reg = gen_load_saved(g, &dentry, BPF_REG_3);
	if (reg != BPF_REG_3)
		gen_emit(g, INSN_MOV_X(BPF_REG_3, reg));
	gen_drop_saved(g, &dentry);
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_SCRATCH));
	gen_emit(g, INSN_MOV_K(BPF_REG_2, path.off - AT_RECORD));
	gen_emit(g, INSN_MOV_K(BPF_REG_5, (s32)size));
	gen_loop_jumps(g, PATH_JUMPS);
	insns_fixed(g->in, FIXED_path);
	gen_jump(g, INSN_JMP_K(BPF_JSLE, BPF_REG_0, 0), absent);
	gen_jump(g, INSN_JMP_K(BPF_JSGT, BPF_REG_0, (s32)size), absent);
	gen_address(g, BPF_REG_1, path);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, 0, 0));
	copy_string(g, path, to, cap, absent);
	gen_temp_end(g, mark);
}

/* The state of gen_join: the strings so far, each followed by a separator instead of its NUL. */
struct join {
	struct gen_place text, next; /* next: the end of the text so far */
	struct gen_place used,
		pointer; /* on the stack: bytes used; address of the pointer to the next string */
	u32 cap, done, broken, n_most; /* n_most: strings */
	char separator;
};

static u32 mask_above(u32 n)
{
	u32 mask = 1;

	while (mask < n)
		mask = mask << 1 | 1;
	return mask;
}

/* r0 more bytes are now used, the last of which is a NUL. */
static void join_add(struct gen *g, const struct join *j)
{
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_4, BPF_REG_10, j->used.off));
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_4, BPF_REG_0));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, j->used.off, BPF_REG_4));
	gen_jump(g, INSN_JMP_K(BPF_JGT, BPF_REG_4, 2 * (s32)j->cap), j->done);
	gen_address(g, BPF_REG_1, j->text);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_4));
	gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, -1, j->separator));
}

/* Is there room left? */
static void join_room(struct gen *g, const struct join *j)
{
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_4, BPF_REG_10, j->used.off));
	gen_jump(g, INSN_JMP_K(BPF_JGE, BPF_REG_4, (s32)j->cap), j->done);
}

/* r0 = number of bytes, including the NUL */
static void join_text(struct gen *g, const struct join *j, const char *text)
{
	s32 i = 0;

	gen_address(g, BPF_REG_1, j->next);
	for (; text[i]; i++)
		gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, i, text[i]));
	gen_emit(g, INSN_MOV_K(BPF_REG_0, i + 1));
}

/* Read the pointer at r0: jumps to `done` if it is NULL, to `broken` if it cannot be read. */
static void join_pointer(struct gen *g, const struct join *j, enum space space, u32 broken)
{
	gen_read(g, space, j->pointer, sizeof(u64), broken);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, j->pointer.off));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), j->done);
	join_room(g, j);
}

/* r0 = address of the pointer to the next string.  A string that cannot be read becomes '?'. */
static void join_one(struct gen *g, const struct join *j, enum space space)
{
	u32 unread = insns_label(g->in), end = insns_label(g->in);

	join_pointer(g, j, space, j->broken);
	gen_read_string(g, space, j->next, j->cap, unread);
	gen_jump(g, INSN_JA, end);
	insns_place(g->in, unread);
	join_text(g, j, "?");
	insns_place(g->in, end);
	gen_blur(g, BPF_REG_0);
	gen_check_length(g, j->cap, j->done);
	join_add(g, j);
}

static void join_all(struct gen *g, const struct join *j, const struct gen_saved *argv,
		     enum space space)
{
	for (u32 i = 0; i <= j->n_most; i++) {
		u8 reg = gen_load_saved(g, argv, BPF_REG_0);

		if (reg != BPF_REG_0)
			gen_emit(g, INSN_MOV_X(BPF_REG_0, reg));
		if (i)
			gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, 8 * (s32)i));
		if (i < j->n_most)
			join_one(g, j, space);
		else
			join_pointer(g, j, space, j->broken);
	}
	join_text(g, j, "...");
	join_add(g, j);
	gen_jump(g, INSN_JA, j->done);
	insns_place(g->in, j->broken);
	join_room(g, j);
	join_text(g, j, "?");
	join_add(g, j);
}

static void gen_join(struct gen *g, const struct tree *t, struct gen_place to, u32 cap, u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct join j = { .cap = cap,
			  .done = insns_label(g->in),
			  .broken = insns_label(g->in),
			  .n_most = (u32)t->value,
			  .separator = t->type->show == SHOW_QUOTED ? TREE_QUOTED_MARK : ' ' };
	struct gen_saved argv;
	u32 empty = insns_label(g->in);

	/* One extra byte in front, so that the separator before the first string can be removed. */
	j.text = gen_temp_scratch(g, 3 * cap + 16);
	j.text.off += 8;
	j.used = (struct gen_place){ .base = BPF_REG_10, .off = insns_stack(g->in, 8) };
	j.pointer = (struct gen_place){ .base = BPF_REG_10, .off = insns_stack(g->in, 8) };
	j.next = j.text;
	j.next.slot = j.used.off;
	j.next.mask = mask_above(cap);
	gen_value(g, t->a, absent);
	argv = gen_save(g, BPF_REG_0);
	gen_emit(g, INSN_STORE_K(BPF_DW, BPF_REG_10, j.used.off, 0));
	/* If the array cannot be read, the value is absent, not empty. */
	gen_read(g, t->space, j.pointer, sizeof(u64), absent);
	join_all(g, &j, &argv, t->space);
	gen_drop_saved(g, &argv);
	insns_place(g->in, j.done);
	gen_emit(g, INSN_LOAD(BPF_DW, BPF_REG_4, BPF_REG_10, j.used.off));
	gen_jump(g, INSN_JMP_K(BPF_JLE, BPF_REG_4, 2 * (s32)cap), empty);
	gen_emit(g, INSN_MOV_K(BPF_REG_4, 2 * (s32)cap));
	insns_place(g->in, empty);
	gen_address(g, BPF_REG_1, j.text);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_4));
	gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, -1, 0));
	gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, 0, 0));
	copy_string(g, j.text, to, cap, absent);
	gen_temp_end(g, mark);
}

/* Everything before the last slash; the root directory keeps its slash. */
static void gen_dirname(struct gen *g, const struct tree *t, struct gen_place to, u32 cap,
			u32 absent)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	u32 bytes = t->a->type->size, loop = insns_label(g->in), end = insns_label(g->in);
	struct gen_place text = gen_temp_scratch(g, bytes + 8);

	gen_loop_jumps(g, bytes);
	gen_string(g, t->a, text, bytes, absent);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0)); /* position of the last slash */
	gen_blur(g, BPF_REG_0);
	gen_emit(g, INSN_MOV_K(BPF_REG_2, 0));
	insns_place(g->in, loop);
	gen_address(g, BPF_REG_1, text);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_2));
	gen_emit(g, INSN_LOAD(BPF_B, BPF_REG_3, BPF_REG_1, 0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_3, 0), end);
	/* r3 = -1 if it is a slash, else 0; r0 = r3 ? r2 : r0 */
	gen_emit(g, INSN_ALU_K(BPF_XOR, BPF_REG_3, '/'));
	gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_3, 1));
	gen_emit(g, INSN_ALU_K(BPF_ARSH, BPF_REG_3, 63));
	gen_emit(g, INSN_MOV_X(BPF_REG_4, BPF_REG_0));
	gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_4, BPF_REG_2));
	gen_emit(g, INSN_ALU_X(BPF_AND, BPF_REG_4, BPF_REG_3));
	gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_0, BPF_REG_4));
	gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_2, 1));
	gen_jump(g, INSN_JMP_K(BPF_JLT, BPF_REG_2, (s32)bytes), loop);
	insns_place(g->in, end);
	/* Position 0 means that there is no slash, or only the root's, which is kept: the NUL is
	 * then written after it. */
	gen_address(g, BPF_REG_1, text);
	gen_emit(g, INSN_LOAD(BPF_B, BPF_REG_2, BPF_REG_1, 0));
	gen_emit(g, INSN_ALU_K(BPF_XOR, BPF_REG_2, '/'));
	gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_2, BPF_REG_0));
	gen_emit(g, INSN_ALU_K(BPF_SUB, BPF_REG_2, 1));
	gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_2, 63));
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_0, BPF_REG_2));
	gen_jump(g, INSN_JMP_K(BPF_JGT, BPF_REG_0, (s32)bytes), absent);
	gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_1, BPF_REG_0));
	gen_emit(g, INSN_STORE_K(BPF_B, BPF_REG_1, 0, 0));
	copy_string(g, text, to, cap, absent);
	gen_temp_end(g, mark);
}

void gen_builtin_string(struct gen *g, const struct tree *t, struct gen_place to, u32 cap,
			u32 absent)
{
	switch (t->builtin) {
	case BUILTIN_COMM:
		gen_comm(g, to, cap, absent);
		return;
	case BUILTIN_PATH:
		gen_path(g, t, to, cap, absent);
		return;
	case BUILTIN_JOIN:
		gen_join(g, t, to, cap, absent);
		return;
	case BUILTIN_DIRNAME:
		gen_dirname(g, t, to, cap, absent);
		return;
	default:
		gen_refuse(g, t->at, "a string is needed here");
	}
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* Write an address to `to`: bytes from memory, or a number that is already in network order. */
static void gen_ip_bytes(struct gen *g, const struct tree *t, struct gen_place to, u32 absent)
{
	if (!gen_is_scalar(t)) {
		gen_bytes(g, t, to, absent);
		return;
	}
	gen_value(g, t, absent);
	gen_address(g, BPF_REG_1, to);
	gen_emit(g, INSN_STORE(BPF_W, BPF_REG_1, 0, BPF_REG_0));
}

/* u64 address, u64 process: in halves, because bytes in a key are aligned to 4. */
static void gen_uaddr(struct gen *g, const struct tree *t, struct gen_place to, u32 absent)
{
	const struct tree *const words[] = { t->a, t->b };

	for (s32 i = 0; i < (s32)ARRAY_SIZE(words); i++) {
		struct gen_place at;

		gen_value(g, words[i], absent);
		at = gen_near(g, to, t->type->size, BPF_REG_1);
		gen_emit(g, INSN_STORE(BPF_W, at.base, at.off + 8 * i, BPF_REG_0));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_0, 32));
		gen_emit(g, INSN_STORE(BPF_W, at.base, at.off + 8 * i + 4, BPF_REG_0));
	}
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)t->type->size));
}

/* u32 family, then 4 or 16 bytes; zeros for other families. */
static void gen_ip(struct gen *g, const struct tree *t, struct gen_place to, u32 absent)
{
	u32 v6 = insns_label(g->in), end = insns_label(g->in);
	struct gen_place bytes = to;

	bytes.off += (s32)sizeof(u32);
	gen_address(g, BPF_REG_1, to);
	gen_emit(g, INSN_MOV_K(BPF_REG_2, (s32)t->type->size));
	gen_emit(g, INSN_MOV_K(BPF_REG_3, 0));
	gen_emit(g, INSN_CALL(BPF_FUNC_probe_read_kernel)); /* leaves zeros */
	gen_value(g, t->a, absent);
	gen_address(g, BPF_REG_1, to);
	gen_emit(g, INSN_STORE(BPF_W, BPF_REG_1, 0, BPF_REG_0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, AF_INET6_KERNEL), v6);
	gen_jump(g, INSN_JMP_K(BPF_JNE, BPF_REG_0, AF_INET_KERNEL), end);
	if (t->b)
		gen_ip_bytes(g, t->b, bytes, absent);
	gen_jump(g, INSN_JA, end);
	insns_place(g->in, v6);
	if (t->c)
		gen_ip_bytes(g, t->c, bytes, absent);
	insns_place(g->in, end);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, (s32)t->type->size));
}

void gen_builtin_bytes(struct gen *g, const struct tree *t, struct gen_place to, u32 absent)
{
	if (t->builtin == BUILTIN_UADDR)
		gen_uaddr(g, t, to, absent);
	else
		gen_ip(g, t, to, absent);
}
