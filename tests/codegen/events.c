// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events: numbers, then strings, then a decision on both. */
#include "tests/codegen/bench.h"

#include "expr/format.h"

#include <bpf/btf.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANY 48 /* as many as trace takes */

TEST(event_holds_numbers_then_strings)
{
	const struct tree *values[4];
	struct gen_plan plan;
	char exact[STRINGS], longer[300];
	int prog;

	begin();
	memset(exact, 'e', sizeof(exact));
	exact[STRINGS - 1] = '\0';
	memset(longer, 'l', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	values[0] = value("text");
	values[1] = value("value * 2");
	values[2] = compile("(char *)key", CHECK_STRING);
	values[3] = value("100 / value");
	plan = plan_of(GEN_EVENT);
	plan.work.values = values;
	plan.work.n_values = 4;
	plan.hook.site = 5;
	prog = load(&plan);
	hit(prog, 0, (u64)exact, (u64)-7, "short");
	hit(prog, 0, (u64) "", 0, longer);
	hit(prog, 0, (u64) "abc", 1, NULL);
	drain();
	CHECK_U64(n_got, 3);
	CHECK_U64(got[0].event.site, 5);
	CHECK_U64(got[0].event.probe, 1);
	CHECK_U64(got[0].event.absent, 0);
	CHECK_U64(scalar(&got[0], 0), (u64)-14);
	CHECK_U64(scalar(&got[0], 1), (u64)-14);
	CHECK(rest_is(&got[0], 2, 0, "short", 0));
	CHECK(rest_is(&got[0], 2, 1, exact, 0));
	CHECK_U64(got[1].event.absent, 1 << 3);
	CHECK_U64(scalar(&got[1], 1), 0);
	longer[STRINGS - 1] = '\0';
	CHECK(rest_is(&got[1], 2, 0, longer, EVENT_CUT));
	CHECK(rest_is(&got[1], 2, 1, "", 0));
	CHECK_U64(got[2].event.absent, 1);
	CHECK(rest_is(&got[2], 2, 0, "", 0));
	CHECK(rest_is(&got[2], 2, 1, "abc", 0));
	CHECK_U64(counted().sent, 3);
	CHECK_U64(counted().absent, 2);
}

/* Three bytes, no NUL, and after them there is nothing. */
TEST(no_more_of_a_string_is_read_than_is_asked_for)
{
	static const struct text text = { "%.*s%.2s%.9s", 12 };
	const struct tree *values[4];
	struct gen_plan plan;
	struct format f;
	char *pages, *p;
	int prog;

	begin();
	pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED && !munmap(pages + 4096, 4096));
	p = pages + 4096 - 3;
	for (int i = 0; i < 3; i++)
		p[i] = (char)('a' + i);
	CHECK(!format_parse(types.arena, &text, span_all(&text), &f, &(struct err){ 0 }));
	values[0] = value("value");
	values[1] = values[2] = values[3] = compile("(char *)key", CHECK_STRING);
	format_limit(&f, &types, values, 4);
	plan = plan_of(GEN_EVENT);
	plan.work.values = values;
	plan.work.n_values = 4;
	plan.predicate = compile("!strncmp((char *)key, \"abcd\", 3)", CHECK_PREDICATE);
	prog = load(&plan);
	hit(prog, 0, (u64)p, 3, NULL);
	plan.predicate = compile("!strncmp((char *)key, \"ab\", 30)", CHECK_PREDICATE);
	prog = load(&plan);
	p[2] = '\0';
	hit(prog, 0, (u64)p, 80, NULL);
	drain();
	CHECK_U64(n_got, 2);
	CHECK(rest_is(&got[0], 1, 0, "abc", 0));
	CHECK(rest_is(&got[0], 1, 1, "ab", 0));
	CHECK_U64(got[0].event.absent, 1 << 3);
	/* Here the string ends before the missing part. */
	CHECK(rest_is(&got[1], 1, 0, "ab", 0));
	CHECK(rest_is(&got[1], 1, 2, "ab", 0));
	CHECK_U64(got[1].event.absent, 0);
	format_release(&f);
}

TEST(predicate_with_strings_decides)
{
	const struct tree *values[1];
	struct gen_plan plan;
	int prog;

	begin();
	values[0] = value("value");
	plan = plan_of(GEN_EVENT);
	plan.work.values = values;
	plan.work.n_values = 1;
	plan.predicate = compile("text ~ \"*li?c*\" && value > 1 || strcmp(text, (char *)key) == 0",
				 CHECK_PREDICATE);
	prog = load(&plan);
	hit(prog, 0, 0, 1, "/usr/lib/libxc.so");
	hit(prog, 0, 0, 2, "/usr/lib/libc.so");
	hit(prog, 0, 0, 3, "/usr/lib/lixc.so");
	hit(prog, 0, (u64) "same", 4, "same");
	hit(prog, 0, (u64) "sam", 5, "same");
	hit(prog, 0, 0, 6, NULL);
	drain();
	CHECK_U64(n_got, 3);
	for (u32 i = 0; i < 3; i++)
		CHECK_U64(scalar(&got[i], 0), i + 2);
	/* 1's key can't be read, 6's text. */
	CHECK_U64(counted().absent, 2);
}

/* The field that tells where its numbers are: their bytes, and their offset from the record's
 * start. */
#define LOC(bytes, offset) ((u64)(bytes) << 16 | (offset))

TEST(fields_that_are_elsewhere_have_elements)
{
	static const struct scope_field fields[] = {
		{ "shorts", "s16[]", FIELD_DATA_LOC, 0, 4, false, NULL, 0 },
		{ "words", "__rel_loc u64[]", FIELD_REL_LOC, 4, 4, false, NULL, 0 },
		{ "chars", "unsigned char[]", FIELD_DATA_LOC, 0, 4, false, NULL, 0 },
		{ "bits", "cpumask_t", FIELD_DATA_LOC, 0, 4, false, NULL, 0 },
	};
	static const char *const exprs[] = { "shorts[1]", "shorts[value]",  "words[0] + 1",
					     "chars[3]",  "bits[0] & 0xff", "shorts[-1]" };
	static const short numbers[4] = { 1, -2, 300, 4 };
	const struct tree *values[ARRAY_SIZE(exprs) + 1];
	struct gen_plan plan;
	u64 key;
	int prog;

	begin();
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		scope_field(&scope, &fields[i]);
	for (size_t i = 0; i < ARRAY_SIZE(exprs); i++)
		values[i] = value(exprs[i]);
	values[ARRAY_SIZE(exprs)] = value("shorts");
	plan = plan_of(GEN_EVENT);
	plan.work.values = values;
	plan.work.n_values = ARRAY_SIZE(values);
	prog = load(&plan);
	memcpy(&key, numbers, sizeof(key));
	hit(prog, LOC(8, 8) | LOC(8, 0) << 32, key, 3, NULL);
	hit(prog, LOC(6, 8), key, 3, NULL);
	drain();
	CHECK_U64(n_got, 2);
	CHECK_U64(scalar(&got[0], 0), (u64)-2);
	CHECK_U64(scalar(&got[0], 1), 4);
	CHECK_U64(scalar(&got[0], 2), key + 1);
	CHECK_U64(scalar(&got[0], 3), 0xff);
	CHECK_U64(scalar(&got[0], 4), 1);
	CHECK_U64(got[0].event.absent, 1 << 5);
	CHECK(!memcmp(got[0].data + 8 * ARRAY_SIZE(exprs) + 4, numbers, 8));
	/* Three of them, no words, no whole word of bits. */
	CHECK_U64(got[1].event.absent, 1 << 5 | 1 << 4 | 1 << 2 | 1 << 1);
}

/* The kernel's symbols as this test makes them. */
static struct type_symbol symbol;

static void find_symbol(void *ctx, const char *name, struct type_symbol *out)
{
	(void)ctx;
	(void)name;
	*out = symbol;
}

/* One event's values. */
static void take(const struct tree *const *values, u32 n)
{
	struct gen_plan plan = plan_of(GEN_EVENT);
	int prog;

	plan.work.values = values;
	plan.work.n_values = n;
	prog = load(&plan);
	hit(prog, 0, 0, 0, NULL);
	close(prog);
	drain();
	CHECK_U64(n_got, 1);
	CHECK_U64(got[0].event.absent, 0);
}

/* A variable of the kernel, and one of this CPU, are members of our task_struct here: where they
 * are is known, and what they contain. */
TEST(variables_of_the_kernel_are_read_by_name)
{
	const struct tree *values[3];
	u64 pid_at, start_at, start;
	cpu_set_t one;
	int cpu;

	begin();
	types_add_btf(&types, btf__load_vmlinux_btf());
	cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET((unsigned)cpu, &one);
	CHECK(!sched_setaffinity(0, sizeof(one), &one));
	values[0] = value("(unsigned long)&$task->pid");
	values[1] = value("(unsigned long)&$task->start_time");
	values[2] = value("$task->start_time");
	take(values, 3);
	pid_at = scalar(&got[0], 0);
	start_at = scalar(&got[0], 1);
	start = scalar(&got[0], 2);
	types.find_symbol = find_symbol;
	symbol = (struct type_symbol){ .n_found = 1, .addr = pid_at };
	values[0] = value("*(int *)kaddr(\"pid\")");
	/* The offset of this CPU's variables is our start_time. */
	symbol.addr = pid_at - start;
	symbol.offsets = start_at - (u64)cpu * sizeof(u64);
	values[1] = value("*(int *)kaddr(\"pid\")");
	take(values, 2);
	CHECK_U64(scalar(&got[0], 0), (u64)getpid());
	CHECK_U64(scalar(&got[0], 1), (u64)getpid());
}

#define PWD "path(((struct task_struct *)$task)->fs->pwd)"

/* How many steps the verifier took for an event of n times that string; 0: old kernels don't say.
 */
static u32 steps_for(const char *text, u32 n)
{
	const struct tree *values[MANY];
	struct bpf_prog_info info = { 0 };
	struct gen_plan plan = plan_of(GEN_EVENT);
	u32 bytes = sizeof(info);
	int prog;

	for (u32 i = 0; i < n; i++)
		values[i] = compile(text, CHECK_STRING);
	plan.work.values = values;
	plan.work.n_values = n;
	prog = load(&plan);
	CHECK(!bpf_obj_get_info_by_fd(prog, &info, &bytes));
	close(prog);
	return info.verified_insns;
}

/* Every string may be absent, or have any length.  The verifier walks that many paths for each
 * string; for all together it must not walk every combination. */
TEST(steps_of_the_verifier_are_a_sum_over_strings)
{
	static const char *const texts[] = { "text", "join((char **)key)", "dirname(text)", PWD };

	begin();
	types_add_btf(&types, btf__load_vmlinux_btf());
	for (u32 i = 0; i < ARRAY_SIZE(texts); i++) {
		u32 few = steps_for(texts[i], 4), many = steps_for(texts[i], 12);

		printf("# %s: %u steps for 4, %u for 12\n", texts[i], few, many);
		CHECK(many <= 3 * few);
	}
	CHECK(steps_for("text", MANY) < 30000);
}

TEST(paths_are_whole_wherever_they_are_used)
{
	char dir[] = "/tmp/bperf-XXXXXX", deep[64], predicate[256];
	const struct tree *values[2];
	struct gen_plan plan;
	int prog;

	begin();
	types_add_btf(&types, btf__load_vmlinux_btf());
	CHECK(mkdtemp(dir));
	snprintf(deep, sizeof(deep), "%s/deep", dir);
	CHECK(!mkdir(deep, 0700) && !chdir(deep));
	values[0] = value(PWD);
	values[1] = value("dirname(" PWD ")");
	plan = plan_of(GEN_EVENT);
	plan.work.values = values;
	plan.work.n_values = 2;
	/* A comparison with a literal reads few bytes: a path that begins with it must not be equal
	 * to it. */
	snprintf(predicate, sizeof(predicate), PWD " == \"%s\"", dir);
	plan.predicate = compile(predicate, CHECK_PREDICATE);
	prog = load(&plan);
	hit(prog, 0, 0, 0, NULL);
	snprintf(predicate, sizeof(predicate), PWD " == \"%s\"", deep);
	plan.predicate = compile(predicate, CHECK_PREDICATE);
	prog = load(&plan);
	hit(prog, 0, 0, 0, NULL);
	drain();
	rmdir(deep);
	rmdir(dir);
	CHECK_U64(n_got, 1);
	CHECK(rest_is(&got[0], 0, 0, deep, 0));
	CHECK(rest_is(&got[0], 0, 1, dir, 0));
}
