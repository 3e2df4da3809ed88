// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Typed trees to instructions: the code of small ones, budgets, positions of errors. */
#include "gen/program.h"

#include "base/str.h"
#include "expr/check.h"
#include "test.h"

static struct arena arena;
static struct types types;
static struct scope scope;
static struct text text;

static const struct tree *compile(const char *s, enum check_as as)
{
	struct check_opts opts = { 0 };
	struct err err = { 0 };
	const struct tree *tree;

	text = text_of(s);
	scope_release(&scope); /* left by an earlier call; its data stays in the arena */
	types_release(&types);
	types_init(&types, &arena, 81);
	scope_init(&scope, &types, SCOPE_REGS, SIDE_ENTRY, "p:lib:func");
	scope.arch = ARCH_X86_64;
	scope.space = SPACE_USER;
	scope_args(&scope, 6);
	if (expr_compile(&text, span_all(&text), &scope, as, &opts, &tree, &err))
		printf("# %s\n", err.what);
	CHECK(!err.code);
	return tree;
}

/* The code of a counter after a predicate, the user's text before its code. */
static const char *dump(const char *predicate)
{
	static struct str out;
	struct gen_plan plan = { .work.action = GEN_COUNT, .maps.counts = 7 };
	struct err err = { 0 };
	struct insns in;

	plan.predicate = compile(predicate, CHECK_PREDICATE);
	insns_init(&in);
	CHECK(!gen_program(&plan, &text, &in, &err));
	str_clear(&out);
	insns_dump(&in, &text, &out);
	insns_release(&in);
	return str_text(&out);
}

TEST(preempted_programs_hold_a_tail_call_that_is_never_made)
{
	static const char want[] = "   0: r6 = r1\n"
				   "   1: r0 = 0\n"
				   "   2: if r0 == 0 goto pc+1\n"
				   "   3: call bpf_tail_call#12\n";
	struct gen_plan plan = { .work.action = GEN_COUNT,
				 .maps.counts = 7,
				 .hook.is_preempted = true };
	struct str out = { 0 };
	struct err err = { 0 };
	struct insns in;

	text = text_of("p:c:f");
	insns_init(&in);
	CHECK(!gen_program(&plan, &text, &in, &err));
	insns_dump(&in, &text, &out);
	if (strncmp(str_text(&out), want, strlen(want)) != 0)
		printf("# %s\n", str_text(&out));
	CHECK(!strncmp(str_text(&out), want, strlen(want)));
	insns_release(&in);
	str_release(&out);
}

TEST(predicate_jumps_past_the_action)
{
	static const char want[] = "   0: r6 = r1\n"
				   "; arg1\n"
				   "   1: r0 = *(u64 *)(r6 +112)\n"
				   "   2: r0 = -r0\n"
				   "   3: r0 = -r0\n"
				   "; arg1 == 5\n"
				   "   4: if r0 != 5 goto pc+17\n"
				   "; arg2\n"
				   "   5: r0 = *(u64 *)(r6 +104)\n"
				   "   6: r0 = -r0\n"
				   "   7: r0 = -r0\n"
				   "   8: r0 <<= 32\n"
				   "   9: r0 s>>= 32\n"
				   "; (int)arg2 < 0\n"
				   "  10: if r0 s>= 0 goto pc+11\n"
				   "  11: r1 = 0\n"
				   "  12: *(u32 *)(r10 -8) = r1\n"
				   "  13: r2 = r10\n"
				   "  14: r2 += -8\n"
				   "  15: r1 = map[fd:7]\n"
				   "  17: call bpf_map_lookup_elem#1\n"
				   "  18: if r0 == 0 goto pc+3\n"
				   "  19: r1 = 1\n"
				   "  20: lock *(u64 *)(r0 +0) += r1\n"
				   "  21: goto pc+0\n"
				   "  22: r0 = 0\n"
				   "  23: exit\n";

	CHECK_STR(dump("arg1 == 5 && (int)arg2 < 0"), want);
}

TEST(the_other_operand_waits_in_a_register)
{
	const char *code = dump("arg1 + arg2 * arg3");

	CHECK(strstr(code, "r8 = r0\n"));
	CHECK(strstr(code, "r9 = r0\n"));
	CHECK(!strstr(code, "(r10 -16)"));
}

TEST(signed_quotients_are_made_of_unsigned_ones)
{
	const char *code = dump("(long)arg1 / (long)arg2");

	CHECK(strstr(code, "if r1 == 0 goto"));
	CHECK(strstr(code, "r2 s>>= 63\n"));
	CHECK(strstr(code, "r0 /= r1\n"));
}

TEST(reads_are_by_address_space)
{
	CHECK(strstr(dump("*(int *)arg1 > 0"), "call bpf_probe_read_user#112\n"));
	CHECK(strstr(dump("*(int *)arg1@kernel > 0"), "call bpf_probe_read_kernel#113\n"));
	CHECK(strstr(dump("(char *)arg1 ~ \"lib*\""), "call bpf_probe_read_user_str#114\n"));
	CHECK(strstr(dump("$comm == \"cc\""), "call bpf_get_current_comm#16\n"));
}

TEST(short_literals_need_no_scratch)
{
	CHECK(!strstr(dump("$comm == \"cc\" && (char *)arg1 ~ \"/usr/*\""), "call take"));
	CHECK(strstr(dump("(char *)arg1 ~ \"*/usr*\""), "call take"));
	CHECK(strstr(dump("(char *)arg1 ~ \"*/usr*\""), "call drop"));
}

TEST(expressions_too_deep_for_the_stack_get_a_caret)
{
	char deep[512];
	struct gen_plan plan = { .work.action = GEN_COUNT };
	struct err err = { 0 };
	struct insns in;
	u32 n = 0;

	for (u32 i = 0; i < 50; i++)
		n += (u32)snprintf(deep + n, sizeof(deep) - n, "arg1*(");
	n += (u32)snprintf(deep + n, sizeof(deep) - n, "arg2");
	memset(deep + n, ')', 50);
	deep[n + 50] = '\0';
	plan.predicate = compile(deep, CHECK_PREDICATE);
	insns_init(&in);
	CHECK(gen_program(&plan, &text, &in, &err) == -ERR_USAGE);
	CHECK(strstr(err.what, "too deep"));
	CHECK(strstr(err.what, "256 bytes"));
	CHECK(err.width > 0);
	CHECK(strstr(err.hint, "split"));
	insns_release(&in);
}

TEST(long_globs_get_a_caret)
{
	struct gen_plan plan = { .work.action = GEN_COUNT };
	struct err err = { 0 };
	struct insns in;

	plan.predicate =
		compile("(char *)arg1 ~ \"*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaa\"",
			CHECK_PREDICATE);
	insns_init(&in);
	CHECK(gen_program(&plan, &text, &in, &err) == -ERR_USAGE);
	CHECK(strstr(err.what, "63"));
	CHECK_U64(err.caret, 15);
	insns_release(&in);
}

TEST(more_loops_than_the_verifier_can_keep_get_a_caret)
{
	static const char glob[] = "(char *)arg1 ~ \"*a?b\" || ";
	char many[64 * sizeof(glob)] = "";
	struct gen_plan plan = { .work.action = GEN_COUNT };
	struct err err = { 0 };
	struct insns in;

	for (u32 i = 0; i < 60; i++)
		strcat(many, glob);
	strcat(many, "arg2");
	plan.predicate = compile(many, CHECK_PREDICATE);
	insns_init(&in);
	CHECK(gen_program(&plan, &text, &in, &err) == -ERR_USAGE);
	CHECK(strstr(err.what, "a probe of its own"));
	CHECK(err.width > 0);
	insns_release(&in);
}

TEST(records_have_their_sizes)
{
	const struct tree *values[3];
	struct gen_plan plan = { .work.action = GEN_EVENT,
				 .work.values = values,
				 .work.n_values = 3 };

	values[0] = compile("(char *)arg1", CHECK_STRING);
	values[1] = compile("arg2", CHECK_VALUE);
	values[2] = compile("$comm", CHECK_VALUE);
	CHECK_U64(gen_key_bytes(values, 3), 88 + 8 + 24);
	CHECK_U64(gen_saved_bytes(values, 3), 16 + 88 + 8 + 24);
	CHECK(gen_event_bytes(&plan) >= 72 + 88 + 8 + 24);
	CHECK(gen_scratch_bytes(&plan) > gen_event_bytes(&plan));
}
