// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/framelabel.h"

#include "test.h"

static void check_fitting(const char *name, size_t columns, const char *want)
{
	struct str out = { 0 };

	label_add_fitting(&out, view_of(name), columns);
	CHECK_STR(str_text(&out), want);
	str_release(&out);
}

TEST(a_name_that_fits_is_whole)
{
	check_fitting("warehouse::detail::Shard::insert", 40, "warehouse::detail::Shard::insert");
	check_fitting("main", 4, "main");
}

TEST(outer_scopes_go_first)
{
	check_fitting("warehouse::detail::Shard::insert", 25,
		      "\xe2\x80\xa6::detail::Shard::insert");
	check_fitting("warehouse::detail::Shard::insert", 20, "\xe2\x80\xa6::Shard::insert");
	check_fitting("warehouse::detail::Shard::insert", 9, "\xe2\x80\xa6::insert");
	check_fitting("warehouse::detail::Shard::insert", 5, "ins..");
}

TEST(scopes_of_arguments_are_not_those_of_the_function)
{
	check_fitting("<std::thread::Thread>::park_timeout", 20, "\xe2\x80\xa6::park_timeout");
	check_fitting("a::f(b::c, d::e)", 12, "f(b::c, d:..");
	check_fitting("std::vector<a::b>::push", 9, "\xe2\x80\xa6::push");
	check_fitting("a::operator<<(b::c)", 12, "operator<<..");
}

TEST(names_without_scopes_keep_their_start)
{
	check_fitting("entry_SYSCALL_64_after_hwframe", 10, "entry_SY..");
	check_fitting("::", 3, "::");
	check_fitting("abcd::", 5, "abc..");
}
