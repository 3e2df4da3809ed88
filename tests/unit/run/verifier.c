// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Logs as kernels write them: where they stop, and their last sentence. */
#include "run/verifier.h"

#include <stdlib.h>

#include "base/mem.h"
#include "test.h"

static char *text;

static struct verdict read_log(const char *log, s64 n_insns)
{
	free(text);
	text = mem_strndup(log, strlen(log));
	return verifier_read(text, n_insns);
}

static const char old[] = "; int on_switch(void *ctx)\n"
			  "0: (b7) r0 = 0\n"
			  "1: R0_w=inv0 R1=ctx(id=0,off=0,imm=0) R10=fp0\n"
			  "1: (79) r0 = *(u64 *)(r8 +0)\n"
			  "R8 !read_ok\n"
			  "processed 2 insns (limit 1000000) max_states_per_insn 0 total_states 0 "
			  "peak_states 0 mark_read 0\n\n";

TEST(the_last_sentence_of_a_log_matters)
{
	struct verdict v = read_log(old, 100);

	CHECK_STR(v.said, "R8 !read_ok");
	CHECK_U64(v.insn, 1);
}

TEST(instructions_after_the_requested_part_are_not_read)
{
	CHECK_U64(read_log(old, 1).insn, 0);
	CHECK(read_log(old, 0).insn == -1);
}

TEST(newer_kernels_write_states_and_times_around_it)
{
	struct verdict v =
		read_log("0: R1=ctx() R10=fp0\n"
			 "; u64 x = *p; @ probe.bpf.c:12\n"
			 "0: (61) r2 = *(u32 *)(r1 +4)         ; R1=ctx() R2_w=scalar()\n"
			 "from 3 to 5: R0=map_value(off=0,ks=4,vs=8,imm=0) R10=fp0\n"
			 "5: (7b) *(u64 *)(r0 +8) = r2\n"
			 "invalid access to map value, value_size=8 off=8 size=8\n"
			 "R0 min value is outside of the allowed memory range\n"
			 "verification time 41 usec\n"
			 "stack depth 0\n"
			 "processed 6 insns (limit 1000000) max_states_per_insn 0\n",
			 INT64_MAX);

	CHECK_STR(v.said, "R0 min value is outside of the allowed memory range");
	CHECK_U64(v.insn, 5);
}

TEST(advice_after_the_sentence_is_left_out)
{
	static const char chapter[] =
		"Verification failed: Register Type Safety: Unreadable register\n\n"
		"Reason:\n  R8 has never been initialized on this path, so the verifier cannot use "
		"it as an input.\n\nAt:\n  insn 1\n  >>> 1 | (79) r0 = *(u64 *)(r8 +0)\n\n"
		"Suggestion:\n  Initialize R8 on every path before this instruction.\n\n"
		"processed 2 insns\n";
	char *log = mem_printf("1: (79) r0 = *(u64 *)(r8 +0)\nR8 !read_ok\n\n%s", chapter);

	CHECK_STR(read_log(log, 9).said, "R8 !read_ok");
	CHECK_U64(read_log(log, 9).insn, 1);
	CHECK_STR(read_log(chapter, 9).said, "Register Type Safety: Unreadable register");
	free(log);
}

TEST(a_log_may_say_nothing)
{
	CHECK_STR(read_log("", 9).said, "");
	CHECK(read_log("processed 0 insns\n", 9).insn == -1);
}
