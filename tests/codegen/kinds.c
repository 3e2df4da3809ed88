// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every type of program loads with values of every kind; what the verifier refuses is explained. */
#include "tests/codegen/bench.h"

#include <bpf/btf.h>
#include <unistd.h>

/* Many values at once: strings of all sorts, stacks, numbers made of pointers that may be typed. */
static void load_all(void)
{
	static const char *const exprs[] = {
		"sp & 0xfff",
		"(sp + key) * 3 >> 2",
		"text",
		"dirname(text)",
		"join((char **)sp)",
		"$comm",
		"*(long *)sp@kernel",
		"$pid + $cpu + $uid",
		"key ? text : $comm",
		"text ~ \"*a*b\" || strcmp(text, (char *)sp) == 0",
		"buf(sp, 16)",
	};
	const struct tree *values[ARRAY_SIZE(exprs)];
	struct gen_plan plan = plan_of(GEN_EVENT);

	for (u32 i = 0; i < ARRAY_SIZE(exprs); i++)
		values[i] = value(exprs[i]);
	plan.work.values = values;
	plan.work.n_values = ARRAY_SIZE(exprs);
	plan.watch.has_filter = plan.watch.has_pidns = true;
	plan.work.want_kstack = plan.work.want_ustack = !load_opts.is_sleepable;
	plan.hook.is_sleepable = load_opts.is_sleepable;
	plan.predicate = compile("sp > 1 && $comm ~ \"[a-z]*x\"", CHECK_PREDICATE);
	close(load(&plan));
}

/* `name` means `expr` from now on. */
static void mean(const char *name, const char *expr)
{
	const struct tree *tree = compile(expr, CHECK_ADDRESS);

	for (size_t i = 0; i < scope.names.n; i++)
		if (!strcmp(scope.names.items[i].name, name))
			scope.names.items[i].value = tree;
}

TEST(raw_tracepoints_take_all_kinds_of_values)
{
	begin();
	load_all();
}

TEST(kprobes_take_all_kinds_of_values)
{
	load_opts.prog_type = BPF_PROG_TYPE_KPROBE;
	begin();
	load_all();
}

TEST(tracepoints_take_all_kinds_of_values)
{
	load_opts.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	begin();
	mean("sp", "key"); /* nothing may be read at 0 */
	load_all();
}

TEST(perf_events_take_all_kinds_of_values)
{
	load_opts.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	begin();
	load_all();
}

TEST(typed_tracepoints_take_all_kinds_of_values)
{
	struct btf *btf = btf__load_vmlinux_btf();
	s32 id;

	CHECK(btf);
	/* Three pointers: task, pid, binary program. */
	id = btf__find_by_name_kind(btf, "btf_trace_sched_process_exec", BTF_KIND_TYPEDEF);
	CHECK(id > 0);
	load_opts.prog_type = BPF_PROG_TYPE_TRACING;
	load_opts.expected_attach_type = BPF_TRACE_RAW_TP;
	load_opts.attach_btf_id = (u32)id;
	begin();
	mean("text", "(char *)key@kernel"); /* it has no fourth argument */
	load_all();
	btf__free(btf);
}

TEST(sleepable_uprobes_read_pages_that_are_not_present)
{
	const struct tree *values[3];
	struct gen_plan plan;
	struct err err = { 0 };
	struct text t = text_of("");
	struct insns in;

	load_opts.prog_type = BPF_PROG_TYPE_KPROBE;
	begin();
	load_opts.is_sleepable = true;
	values[0] = value("text");
	values[1] = value("*(int *)sp");
	values[2] = value("buf(sp, 16)");
	plan = plan_of(GEN_EVENT);
	plan.work.values = values;
	plan.work.n_values = 3;
	plan.hook.is_sleepable = true;
	insns_init(&in);
	CHECK(!gen_program(&plan, &t, &in, &err));
	if (generated_load(&in, &fixed, &t, &load_opts, &err) < 0) {
		CHECK(!has_atomics); /* 5.10, which has no sleepable uprobes */
		SKIP("no sleepable uprobes here");
	}
}

/* ---- refusals -------------------------------------------------------------------------------- */

TEST(refusals_point_at_the_text_whose_code_is_wrong)
{
	struct text t = text_of("first + second");
	struct err err = { 0 };
	struct insns in;

	begin();
	insns_init(&in);
	insns_emit(&in, INSN_MOV_K(BPF_REG_0, 0));
	in.span = (struct text_range){ 8, 6 };
	insns_emit(&in, INSN_LOAD(BPF_DW, BPF_REG_0, BPF_REG_8, 0)); /* nobody has set r8 */
	in.span = (struct text_range){ 0, 5 };
	insns_emit(&in, INSN_EXIT);
	CHECK(!insns_finish(&in, &t, &err));
	CHECK(generated_load(&in, &fixed, &t, &load_opts, &err) == -ERR_FAIL);
	CHECK(strstr(err.what, "R8 !read_ok"));
	CHECK(strstr(err.hint, "bug in bperf"));
	CHECK_STR(err.text, t.p);
	CHECK_U64(err.caret, 8);
	CHECK_U64(err.width, 6);
	insns_release(&in);
}
