// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opt/target.h"

#include "base/str.h"
#include "test.h"

/* The numbers that a parser made of the text, as "1,5,9", or its error. */
static const char *parsed(int (*parse)(void *field, const char *text, struct err *err),
			  const char *text)
{
	static char out[256];
	struct u32_list list = { 0 };
	struct err err = { 0 };
	struct str s = { 0 };

	if (parse(&list, text, &err)) {
		snprintf(out, sizeof(out), "%.255s", err.what);
		return out;
	}
	for (size_t i = 0; i < list.v.n; i++)
		str_addf(&s, "%s%u", i ? "," : "", list.v.items[i]);
	snprintf(out, sizeof(out), "%.255s", str_text(&s));
	str_release(&s);
	vec_release(&list.v);
	return out;
}

TEST(lists_hold_numbers_and_ranges_once_in_order)
{
	CHECK_STR(parsed(target_parse_pids, "7"), "7");
	CHECK_STR(parsed(target_parse_pids, "9,3-5,4,9"), "3,4,5,9");
	CHECK_STR(parsed(target_parse_cpus, "0-2,8"), "0,1,2,8");
	CHECK_STR(parsed(target_parse_pids, "4194304"), "4194304");
}

TEST(lists_have_no_limit_of_thirty)
{
	struct u32_list list = { 0 };
	struct err err = { 0 };

	CHECK(!target_parse_pids(&list, "1-65536", &err) && list.v.n == 65536);
	CHECK(target_parse_pids(&list, "70000", &err) == -ERR_USAGE);
	err_clear(&err);
	CHECK(target_parse_pids(&list, "1-4194304", &err) == -ERR_USAGE);
	CHECK_STR(err.what, "more than 65536 entries");
}

TEST(lists_are_read_to_their_end_or_refused)
{
	CHECK_STR(parsed(target_parse_pids, "12x"), "'12x' is not a process id");
	CHECK_STR(parsed(target_parse_pids, "1,,2"), "'' is not a process id");
	CHECK_STR(parsed(target_parse_pids, "1,"),
		  "'1,': a process id is missing after the last comma");
	CHECK_STR(parsed(target_parse_pids, ",1"), "'' is not a process id");
	CHECK_STR(parsed(target_parse_pids, "-5"), "'-5' is not a process id");
	CHECK_STR(parsed(target_parse_pids, "5-"), "'5-' is not a process id");
	CHECK_STR(parsed(target_parse_pids, "5-3"), "'5-3' is not a process id");
	CHECK_STR(parsed(target_parse_pids, "1-2-3"), "'1-2-3' is not a process id");
	CHECK_STR(parsed(target_parse_pids, "0"), "'0' is not in 1 to 4194304");
	CHECK_STR(parsed(target_parse_pids, "4194305"), "'4194305' is not in 1 to 4194304");
	CHECK_STR(parsed(target_parse_pids, "18446744073709551617"),
		  "'18446744073709551617' is not a process id");
	CHECK_STR(parsed(target_parse_cpus, "8192"), "'8192' is not in 0 to 8191");
}

TEST(all_cpus_have_two_spellings)
{
	CHECK_STR(parsed(target_parse_cpus, "all"), "");
	CHECK_STR(parsed(target_parse_cpus, "-1"), "");
}

TEST(users_are_numbers_or_names)
{
	CHECK_STR(parsed(target_parse_uids, "root"), "0");
	CHECK_STR(parsed(target_parse_uids, "1000,root"), "0,1000");
	CHECK_STR(parsed(target_parse_uids, "no-such-user"),
		  "'no-such-user' is not a user id, nor a name in /etc/passwd");
	CHECK_STR(parsed(target_parse_uids, "4294967295"),
		  "'4294967295' is not in 0 to 4294967294");
}

static int parse_row(const char *option, const char *text, struct target *t, struct err *err)
{
	char *argv[] = { "x", (char *)(uintptr_t)option, (char *)(uintptr_t)text, NULL };
	struct opt_rest rest;
	enum opt_ask ask;
	int ret;

	ret = opt_parse(target_opts, t, text ? 3 : 2, argv, &rest, &ask, err);
	if (!ret)
		ret = target_check(t, &rest, err);
	opt_rest_release(&rest);
	return ret;
}

TEST(comm_globs_must_fit_the_kernels_fifteen_bytes)
{
	struct target t = { 0 };
	struct err err = { 0 };

	CHECK(!parse_row("--comm", "123456789012345", &t, &err));
	CHECK(!parse_row("--comm", "12345678901234*5*", &t, &err));
	CHECK(!parse_row("--comm", "[a-z][!x]????????????\\*", &t, &err));
	CHECK(t.comms.v.n == 3);
	CHECK(parse_row("--comm", "1234567890123456", &t, &err) == -ERR_USAGE);
	CHECK_STR(err.hint, "'123456789012345' or '12345678901234*' would match");
}

TEST(container_ids_are_hex_digits)
{
	struct target t = { 0 };
	struct err err = { 0 };

	CHECK(!parse_row("--container", "0123456789abcdef", &t, &err) && t.cgroups.v.n == 1);
	CHECK(parse_row("--container", "0123", &t, &err) == -ERR_USAGE);
	err_clear(&err);
	CHECK(parse_row("--container", "my-nginx-1", &t, &err) == -ERR_USAGE);
	CHECK_STR(err.what,
		  "--container: 'my-nginx-1' is not a container id of 8 to 64 hex digits");
}

TEST(follow_needs_a_target_and_as_root_a_program)
{
	struct target t = { 0 };
	struct err err = { 0 };

	CHECK(parse_row("--follow", NULL, &t, &err) == -ERR_USAGE);
	t = (struct target){ 0 };
	err_clear(&err);
	CHECK(parse_row("--as-root", NULL, &t, &err) == -ERR_USAGE);
}
