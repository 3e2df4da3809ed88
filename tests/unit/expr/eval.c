// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values of numbers as in C are tested in eval_as_c.c; here: strings, absence, and which parts
 * are known. */
#include "expr/eval.h"

#include "test.h"

static const struct type int_type = { .kind = TYPE_INT, .size = 4, .is_signed = true };
static const struct type u8_type = { .kind = TYPE_INT, .size = 1 };
static const struct type string_type = { .kind = TYPE_STRING, .size = 81 };

/* The leaf of number `index`: 100 + index, or "name"; number 9 is absent. */
#define ABSENT 9

static bool number_of(const void *ctx, const struct tree *leaf, u64 *out)
{
	CHECK(ctx == &int_type);
	*out = 100 + leaf->index;
	return leaf->index != ABSENT;
}

static bool string_of(const void *ctx, const struct tree *leaf, struct view *out)
{
	CHECK(ctx == &int_type);
	*out = (struct view){ "name\0and more", 13 };
	return leaf->index != ABSENT;
}

static const struct eval_leaves leaves = { number_of, string_of, &int_type };

static struct tree leaf(const struct type *type, u32 index)
{
	return (struct tree){ .kind = TREE_SAVED, .type = type, .index = index };
}

static struct tree binary(enum tree_op op, const struct tree *a, const struct tree *b)
{
	return (struct tree){ .kind = TREE_BINARY, .op = op, .type = &int_type, .a = a, .b = b };
}

static struct tree constant(u64 value)
{
	return (struct tree){ .kind = TREE_CONST, .type = &int_type, .value = value };
}

static u64 value_of(const struct tree *t)
{
	u64 v;

	CHECK(eval_number(t, &leaves, &v));
	return v;
}

static bool is_absent(const struct tree *t)
{
	u64 v;

	return !eval_number(t, &leaves, &v);
}

static bool matches(enum tree_match how, const char *with, u32 n)
{
	const struct tree name = leaf(&string_type, 0);
	const struct tree text = { .kind = TREE_TEXT,
				   .type = &string_type,
				   .string = { with, strlen(with) } };
	const struct tree t = { .kind = TREE_MATCH,
				.type = &int_type,
				.match = how,
				.index = n,
				.a = &name,
				.b = &text };

	return value_of(&t);
}

TEST(strings_end_at_their_nul)
{
	CHECK(matches(MATCH_EQ, "name", 0));
	CHECK(!matches(MATCH_EQ, "nam", 0));
	CHECK(!matches(MATCH_EQ, "names", 0));
	CHECK(!matches(MATCH_EQ, "", 0));
}

TEST(strncmp_compares_that_many_bytes)
{
	CHECK(matches(MATCH_EQ, "nape", 2));
	CHECK(!matches(MATCH_EQ, "nape", 3));
	CHECK(!matches(MATCH_EQ, "names", 5));
	CHECK(matches(MATCH_EQ, "name", 50));
}

TEST(a_prefix)
{
	CHECK(matches(MATCH_PREFIX, "", 0));
	CHECK(matches(MATCH_PREFIX, "na", 0));
	CHECK(matches(MATCH_PREFIX, "name", 0));
	CHECK(!matches(MATCH_PREFIX, "names", 0));
}

TEST(globs)
{
	static const struct {
		const char *pattern;
		bool is_match;
	} rows[] = {
		{ "name", true },     { "n*", true },	      { "*", true },
		{ "*e", true },	      { "*a*e", true },	      { "n?me", true },
		{ "n[a-c]me", true }, { "n[!a-c]me", false }, { "n[^x]me*", true },
		{ "nam", false },     { "names", false },     { "?", false },
		{ "", false },	      { "*b*", false },	      { "n\\ame", true },
		{ "n\\*", false },    { "[name", false },     { "????", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_U64(matches(MATCH_GLOB, rows[i].pattern, 0), rows[i].is_match);
}

TEST(an_absent_part_makes_the_whole_absent)
{
	const struct tree gone = leaf(&int_type, ABSENT), one = constant(1),
			  sum = binary(TREE_ADD, &one, &gone);

	CHECK(is_absent(&gone));
	CHECK(is_absent(&sum));
}

TEST(an_absent_part_that_is_not_evaluated_does_not_matter)
{
	const struct tree gone = leaf(&int_type, ABSENT), no = constant(0), yes = constant(7);
	const struct tree and = { .kind = TREE_AND, .type = &int_type, .a = &no, .b = &gone };
	const struct tree or = { .kind = TREE_OR, .type = &int_type, .a = &yes, .b = &gone };
	const struct tree cond = {
		.kind = TREE_COND, .type = &int_type, .a = &yes, .b = &yes, .c = &gone
	};
	const struct tree asked = { .kind = TREE_OR, .type = &int_type, .a = &no, .b = &gone };

	CHECK_U64(value_of(&and), 0);
	CHECK_U64(value_of(& or), 1);
	CHECK_U64(value_of(&cond), 7);
	CHECK(is_absent(&asked));
}

TEST(division_by_zero_is_absent)
{
	const struct tree a = constant(5), zero = constant(0),
			  quotient = binary(TREE_DIV, &a, &zero),
			  rest = binary(TREE_MOD, &a, &zero);

	CHECK(is_absent(&quotient));
	CHECK(is_absent(&rest));
}

TEST(the_smallest_number_by_minus_one_is_itself)
{
	const struct tree a = constant((u64)INT32_MIN), b = constant(UINT64_MAX),
			  quotient = binary(TREE_DIV, &a, &b), rest = binary(TREE_MOD, &a, &b);

	CHECK_U64(value_of(&quotient), (u64)INT32_MIN);
	CHECK_U64(value_of(&rest), 0);
}

TEST(numbers_have_their_width)
{
	const struct tree a = leaf(&int_type, 200);
	const struct tree cast = { .kind = TREE_CAST, .type = &u8_type, .a = &a };

	CHECK_U64(value_of(&cast), 300 & 0xff);
}

static bool is_even(const struct tree *leaf)
{
	return leaf->kind == TREE_SAVED && leaf->index % 2 == 0;
}

TEST(the_part_that_is_not_known_is_named)
{
	struct tree odd = leaf(&int_type, 3);
	const struct tree even = leaf(&int_type, 2), good = binary(TREE_ADD, &even, &even),
			  bad = binary(TREE_MUL, &good, &odd);
	const struct tree load = { .kind = TREE_LOAD, .type = &int_type, .a = &even };

	CHECK(!eval_unknown(&good, is_even));
	CHECK(eval_unknown(&bad, is_even) == &bad);
	odd.at.n = 1;
	CHECK(eval_unknown(&bad, is_even) == &odd);
	CHECK(eval_unknown(&load, is_even) == &load);
}
