// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/match.h"

#include "host/syscalls.h"
#include "syntax/braces.h"
#include "test.h"

static bool matches(const char *pattern, const char *text)
{
	return glob_match(pattern, view_of(text));
}

TEST(globs_match_the_whole_name)
{
	CHECK(matches("vfs_*", "vfs_read"));
	CHECK(matches("vfs_*", "vfs_"));
	CHECK(!matches("vfs_*", "xvfs_read"));
	CHECK(matches("*tcp*send*", "do_tcp_x_sendmsg"));
	CHECK(!matches("*tcp*send", "tcp_sendmsg"));
	CHECK(matches("a?c", "abc") && !matches("a?c", "ac"));
	CHECK(matches("[a-c]x", "bx") && !matches("[a-c]x", "dx"));
	CHECK(matches("[!a-c]x", "dx") && !matches("[!a-c]x", "bx"));
	CHECK(matches("[]]", "]") && matches("\\*", "*") && !matches("\\*", "x"));
	CHECK(matches("", "") && !matches("", "x") && matches("**", ""));
}

TEST(a_hostile_glob_takes_no_time)
{
	char pattern[201], text[5001];

	for (u32 i = 0; i < 200; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[200] = '\0';
	memset(text, 'a', 5000);
	text[5000] = '\0';
	text[4999] = 'b';
	CHECK(!matches(pattern, text));
}

TEST(regular_expressions_are_anchored)
{
	struct err err = { 0 };
	struct matcher m;

	CHECK(!matcher_init(&m, "(write|read)$", false, true, &err));
	CHECK(matcher_matches(&m, view_of("read")));
	CHECK(!matcher_matches(&m, view_of("pread")));
	CHECK(!matcher_matches(&m, view_of("reader")));
	CHECK(!matcher_matches(&m, (struct view){ "read", 3 }));
	matcher_release(&m);
	CHECK(matcher_init(&m, "(", false, true, &err) == -ERR_USAGE);
	matcher_release(&m);
}

static const char *opened(const char *text)
{
	static char out[512];
	struct braces b = { 0 };
	struct arena a = { 0 };

	out[0] = '\0';
	if (!braces_open(&a, view_of(text), &b))
		snprintf(out, sizeof(out), "no");
	else
		for (size_t i = 0; i < b.names.n; i++)
			snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s", i ? " " : "",
				 b.names.items[i]);
	braces_release(&b);
	arena_release(&a);
	return out;
}

TEST(sets_are_expanded_in_order)
{
	CHECK_STR(opened("abc"), "abc");
	CHECK_STR(opened("a{b,c}d"), "abd acd");
	CHECK_STR(opened("{a,b}{1,2}"), "a1 a2 b1 b2");
	CHECK_STR(opened("a{,x}"), "a ax");
	CHECK_STR(opened("a{b{c,d},e}"), "abc abd ae");
	CHECK_STR(opened("a{b"), "no");
	CHECK_STR(opened("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
		  "no");
}

TEST(system_calls_have_all_their_names)
{
	CHECK(syscall_number("openat") >= 0);
	CHECK(syscall_number("openat") == syscall_number("sys_openat"));
	CHECK(syscall_number("openat") == syscall_number("SyS_openat"));
	CHECK(syscall_number("openat") == syscall_number("__x64_sys_openat"));
	CHECK(syscall_number("openat") == syscall_number("__arm64_sys_openat"));
	CHECK(syscall_number("fstat") == syscall_number("newfstat"));
	CHECK(syscall_number("nosuch") == -1 && syscall_number("") == -1);
	CHECK_STR(syscall_name((u32)syscall_number("read")), "read");
	CHECK_STR(syscall_kernel_name((u32)syscall_number("fstat")), "newfstat");
	CHECK(!syscall_name(100000));
}

TEST(system_calls_are_in_order)
{
	u32 n;
	const struct syscall_row *rows = syscall_rows(&n);

	for (u32 i = 1; i < n; i++)
		CHECK(strcmp(rows[i - 1].name, rows[i].name) < 0);
}
