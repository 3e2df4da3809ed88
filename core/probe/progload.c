// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/progload.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "bpf/abi/fixed.h"
#include "run/handlers.h"
#include "run/insn.h"
#include "run/prog.h"
#include "run/verifier.h"

/* The limit of a verifier's log for one program; a longer log is truncated, and that is
 * reported. */
#define LOG_BYTES (1 << 20)

/* ---- the fixed part -------------------------------------------------------------------------- */

static void catch_func_info(struct fixed_code *f, const struct bpf_prog_load_opts *opts)
{
	const u8 *at = opts->func_info;

	free(f->func_info);
	f->btf_fd = (int)opts->prog_btf_fd;
	f->n_func_info =
		opts->func_info_rec_size >= sizeof(*f->func_info) ? opts->func_info_cnt : 0;
	f->func_info = mem_alloc(f->n_func_info + 1, sizeof(*f->func_info));
	for (u32 i = 0; i < f->n_func_info; i++, at += opts->func_info_rec_size)
		memcpy(&f->func_info[i], at, sizeof(*f->func_info));
}

/* Called by libbpf before it loads a program, when the program is relocated. */
static int on_load(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	static struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct fixed_code *f = (struct fixed_code *)cookie;
	int ret = handlers_prune(prog, opts);
	size_t n = bpf_program__insn_cnt(prog);

	if (ret || strncmp(bpf_program__name(prog), "fixed_", 6))
		return ret;
	free(f->caught);
	f->caught = mem_alloc(n, sizeof(*f->caught));
	memcpy(f->caught, bpf_program__insns(prog), n * sizeof(*f->caught));
	f->n_caught = (u32)n;
	catch_func_info(f, opts);
	/* These describe functions that are not in the empty program. */
	opts->prog_btf_fd = opts->func_info_cnt = opts->line_info_cnt = 0;
	opts->func_info = opts->line_info = NULL;
	return bpf_program__set_insns(prog, nothing, ARRAY_SIZE(nothing));
}

int fixed_code_catch(struct fixed_code *f, struct err *err)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)f,
		    .prog_prepare_load_fn = on_load);

	f->handler = libbpf_register_prog_handler("raw_tp", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, &opts);
	if (f->handler > 0)
		return 0;
	f->handler = 0;
	return prog_explain(errno, "prepare", "the probes", err);
}

int fixed_code_init(struct fixed_code *f, const struct bpf_program *prog, u32 n_fns,
		    struct err *err)
{
	u32 main_end;

	f->insns = f->caught ? f->caught : bpf_program__insns(prog);
	f->n = f->caught ? f->n_caught : (u32)bpf_program__insn_cnt(prog);
	f->n_entries = 0;
	f->entries = mem_alloc(n_fns, sizeof(*f->entries));
	main_end = f->n;
	for (u32 i = 0; i < main_end; i++) {
		if (!insn_is_call(&f->insns[i]) || !insn_is_reference(&f->insns[i]))
			continue;
		if (f->n_entries < n_fns)
			f->entries[f->n_entries] = insn_target(f->insns, i);
		f->n_entries++;
		if (insn_target(f->insns, i) < main_end)
			main_end = insn_target(f->insns, i);
	}
	if (f->n_entries == n_fns)
		return 0;
	return err_set(err, ERR_FAIL, "the program %s calls %u functions, not %u: a bug",
		       bpf_program__name(prog), f->n_entries, n_fns);
}

void fixed_code_release(struct fixed_code *f)
{
	free(f->entries);
	free(f->caught);
	free(f->func_info);
	if (f->handler)
		libbpf_unregister_prog_handler(f->handler);
	*f = (struct fixed_code){ 0 };
}

/* The start and end of a function of the fixed part, and its new position.  A function without
 * calls is left out, because the verifier refuses unreachable code. */
struct piece {
	u32 from, to;
	u32 at;
	bool is_wanted;
};

struct layout {
	const struct fixed_code *fixed;
	VEC(struct piece) pieces; /* by `from` */
};

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Each target of a call is the start of a function. */
static void find_pieces(struct layout *l)
{
	const struct fixed_code *f = l->fixed;
	VEC(u32) starts = { 0 };
	u32 *start;

	for (u32 i = 0; i < f->n; i++)
		if (insn_is_reference(&f->insns[i]))
			vec_push(&starts, insn_target(f->insns, i));
	if (starts.n)
		qsort(starts.items, starts.n, sizeof(*starts.items), compare_u32);
	vec_for_each(start, &starts) {
		if (l->pieces.n && l->pieces.items[l->pieces.n - 1].from == *start)
			continue;
		if (l->pieces.n)
			l->pieces.items[l->pieces.n - 1].to = *start;
		vec_push(&l->pieces, (struct piece){ .from = *start, .to = f->n });
	}
	vec_release(&starts);
}

static struct piece *piece_at(struct layout *l, u32 insn)
{
	struct piece *p;

	vec_for_each(p, &l->pieces)
		if (p->from <= insn && insn < p->to)
			return p;
	return NULL;
}

/* The depth is bounded: BPF programs have at most 8 frames, and no recursion. */
static void want(struct layout *l, u32 entry)
{
	struct piece *p = piece_at(l, entry);

	if (!p || p->is_wanted)
		return;
	p->is_wanted = true;
	for (u32 i = p->from; i < p->to; i++)
		if (insn_is_reference(&l->fixed->insns[i]))
			want(l, insn_target(l->fixed->insns, i));
}

/* ---- one program ----------------------------------------------------------------------------- */

struct program {
	VEC(struct bpf_insn) code;
	VEC(struct bpf_func_info) funcs; /* the main function and those after it; or empty */
};

static const struct bpf_func_info *info_at(const struct fixed_code *f, u32 insn)
{
	for (u32 i = 0; i < f->n_func_info; i++)
		if (f->func_info[i].insn_off == insn)
			return &f->func_info[i];
	return NULL;
}

/* Tell the kernel which functions are global.  The generated main function uses the type of the
 * fixed program's main function, because the type of a main function is not checked. */
static void describe(const struct fixed_code *f, u32 from, u32 at, struct program *out)
{
	const struct bpf_func_info *info = info_at(f, from);

	if (info)
		vec_push(&out->funcs, (struct bpf_func_info){ at, info->type_id });
}

static void link_calls(struct layout *l, const struct insns *in, struct program *out)
{
	const struct insns_fix *call;
	struct piece *p;

	vec_for_each(p, &l->pieces) {
		if (!p->is_wanted)
			continue;
		for (u32 i = p->from; i < p->to; i++) {
			struct bpf_insn *insn = &out->code.items[p->at + i - p->from];

			if (!insn_is_reference(insn))
				continue;
			insn->imm = (s32)piece_at(l, insn_target(l->fixed->insns, i))->at -
				    (s32)(p->at + i - p->from) - 1;
		}
	}
	vec_for_each(call, &in->calls) {
		p = piece_at(l, l->fixed->entries[call->label]);
		out->code.items[call->insn].imm = (s32)p->at - (s32)call->insn - 1;
	}
}

/* Does it need global functions? */
static bool has_walk(const struct insns *in)
{
	const struct insns_fix *call;

	vec_for_each(call, &in->calls)
		if (call->label == FIXED_walk)
			return true;
	return false;
}

/* The generated main function, followed by the fixed functions that it needs. */
static void assemble(const struct insns *in, const struct fixed_code *fixed, struct program *out)
{
	bool has_global = has_walk(in);
	struct layout l = { .fixed = fixed };
	const struct insns_fix *call;
	struct piece *p;

	for (size_t i = 0; i < in->code.n; i++)
		vec_push(&out->code, in->code.items[i]);
	if (!fixed || !in->calls.n)
		return;
	find_pieces(&l);
	vec_for_each(call, &in->calls)
		want(&l, fixed->entries[call->label]);
	if (has_global)
		describe(fixed, 0, 0, out);
	vec_for_each(p, &l.pieces) {
		p->at = (u32)out->code.n;
		if (p->is_wanted && has_global)
			describe(fixed, p->from, p->at, out);
		for (u32 i = p->from; p->is_wanted && i < p->to; i++)
			vec_push(&out->code, fixed->insns[i]);
	}
	link_calls(&l, in, out);
	vec_release(&l.pieces);
}

/* Fixed programs differ in the functions that they contain (bpf/abi/fixed.h). */
static int check_calls(const struct insns *in, const struct fixed_code *fixed,
		       const struct generated_opts *opts, struct err *err)
{
	const struct insns_fix *call;

	vec_for_each(call, &in->calls)
		if (!fixed || call->label >= fixed->n_entries)
			return err_set(err, ERR_FAIL,
				       "%s calls fixed function %u, which it was not given: a bug",
				       opts->name, call->label);
	return 0;
}

/* ---- refusals -------------------------------------------------------------------------------- */

static int explain(int errnum, char *log, const struct insns *in, const struct text *t,
		   const char *name, struct err *err)
{
	struct verdict v;
	struct text_range at;

	if (!log[0])
		return prog_explain(errnum, "load", name, err);
	log_info("the verifier's log:\n%s", log);
	v = verifier_read(log, (s64)in->code.n);
	at = v.insn < 0 ? (struct text_range){ 0 } : insns_span(in, (u32)v.insn);
	text_error(t, at.n ? at : span_all(t), err, "the kernel's verifier refuses this: %s",
		   v.said[0] ? v.said : strerror(errnum));
	/* This is not a mistake by the user, so it is not a usage error. */
	err->code = ERR_FAIL;
	err_hint(err, "this is a bug in bperf; --verbose shows the verifier's log");
	return -ERR_FAIL;
}

/* The kernel accepts only letters, digits, '_' and '.'; but an event can be "cpu-clock", and a
 * function "ns::f". */
static void kernel_name(const char *name, char out[BPF_OBJ_NAME_LEN])
{
	snprintf(out, BPF_OBJ_NAME_LEN, "%s", name);
	for (char *c = out; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			*c = '_';
}

/* Kernels before 5.16 do not report the number of steps. */
static void tell_steps(int fd, const struct generated_opts *opts, size_t n_insns)
{
	struct bpf_prog_info info = { 0 };
	u32 bytes = sizeof(info);

	if (log_level() >= LOG_VERBOSE && !bpf_obj_get_info_by_fd(fd, &info, &bytes))
		log_info("%s: %zu instructions%s, verified in %u steps", opts->name, n_insns,
			 opts->is_sleepable ? " that may sleep" : "", info.verified_insns);
}

int generated_load(const struct insns *in, const struct fixed_code *fixed, const struct text *t,
		   const struct generated_opts *opts, struct err *err)
{
	struct program program = { 0 };
	_cleanup_(free_p) char *log = NULL;
	LIBBPF_OPTS(bpf_prog_load_opts, load,
		    .expected_attach_type = (enum bpf_attach_type)opts->expected_attach_type,
		    .attach_btf_id = opts->attach_btf_id,
		    .attach_btf_obj_fd = (u32)opts->attach_btf_obj_fd,
		    .prog_flags = opts->is_sleepable ? BPF_F_SLEEPABLE : 0);
	char name[BPF_OBJ_NAME_LEN];
	int fd, errnum;

	if (check_calls(in, fixed, opts, err))
		return -err->code;
	kernel_name(opts->name, name);
	assemble(in, fixed, &program);
	if (program.funcs.n) {
		load.prog_btf_fd = (u32)fixed->btf_fd;
		load.func_info = program.funcs.items;
		load.func_info_cnt = (u32)program.funcs.n;
		load.func_info_rec_size = sizeof(*program.funcs.items);
	}
	fd = bpf_prog_load((enum bpf_prog_type)opts->prog_type, name, "Dual BSD/GPL",
			   program.code.items, program.code.n, &load);
	if (fd < 0) {
		/* Load it again with a log: its cost is avoided for programs that load. */
		log = mem_alloc(1, LOG_BYTES);
		load.log_buf = log;
		load.log_size = LOG_BYTES;
		load.log_level = 1;
		fd = bpf_prog_load((enum bpf_prog_type)opts->prog_type, name, "Dual BSD/GPL",
				   program.code.items, program.code.n, &load);
	}
	if (fd >= 0)
		tell_steps(fd, opts, program.code.n);
	errnum = -fd;
	vec_release(&program.code);
	vec_release(&program.funcs);
	return fd < 0 ? explain(errnum, log, in, t, opts->name, err) : fd;
}
