// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/mem.h"

#include "base/str.h"
#include "test.h"

TEST(memory_is_zeroed)
{
	u32 *p = mem_alloc(1000, sizeof(*p));

	for (int i = 0; i < 1000; i++)
		CHECK(!p[i]);
	free(p);
}

TEST(a_block_of_no_bytes_can_be_freed)
{
	void *p = mem_alloc(0, 0);

	CHECK(p);
	p = mem_realloc(p, 0, 8);
	CHECK(p);
	free(p);
}

TEST(strings_are_copied)
{
	char *a = mem_strdup("abc"), *b = mem_strndup("abcdef", 2),
	     *c = mem_printf("%d-%s", 7, "x");

	CHECK_STR(a, "abc");
	CHECK_STR(b, "ab");
	CHECK_STR(c, "7-x");
	free(a);
	free(b);
	free(c);
}

TEST(vectors_grow_and_keep_their_items)
{
	VEC(u32) v = { 0 };
	u64 sum = 0;
	u32 *item;

	vec_for_each(item, &v)
		CHECK(!"an empty vector has no items");
	for (u32 i = 0; i < 10000; i++)
		vec_push(&v, i);
	CHECK(v.n == 10000 && v.cap >= v.n);
	vec_for_each(item, &v)
		sum += *item;
	CHECK_U64(sum, 10000ULL * 9999 / 2);
	vec_reserve(&v, 50000);
	CHECK(v.cap - v.n >= 50000 && v.items[9999] == 9999);
	vec_release(&v);
	CHECK(!v.items && !v.n && !v.cap);
}

/* A size that overflows must end the program, never become a small block. */
static int status_of(void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			exit(2);
		fn();
		exit(0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void overflow_alloc(void)
{
	volatile size_t n = SIZE_MAX / 2;

	free(mem_alloc(n, 16));
}

static void overflow_realloc(void)
{
	volatile size_t n = SIZE_MAX / 8 + 2;

	free(mem_realloc(NULL, n, 16));
}

static void overflow_grow(void)
{
	volatile size_t need = SIZE_MAX - 5;
	size_t cap = 8;

	free(mem_grow(NULL, need, &cap, 16));
}

static void overflow_str(void)
{
	volatile size_t n = SIZE_MAX - 10;
	struct str s = { 0 };

	str_adds(&s, "some text");
	str_reserve(&s, n);
	str_release(&s);
}

struct numbers {
	VEC(u32) v;
};

/* Pushes too, and returns how many there are then. */
static u32 push_more(struct numbers *n)
{
	for (u32 i = 0; i < 100; i++)
		vec_push(&n->v, i);
	return (u32)n->v.n;
}

TEST(an_item_may_push_to_the_same_vector)
{
	struct numbers n = { 0 };

	vec_push(&n.v, push_more(&n));
	CHECK_U64(n.v.n, 101);
	CHECK_U64(n.v.items[99], 99);
	CHECK_U64(n.v.items[100], 100);
	vec_release(&n.v);
}

TEST(sizes_that_overflow_end_the_program)
{
	CHECK(status_of(overflow_alloc) == 1);
	CHECK(status_of(overflow_realloc) == 1);
	CHECK(status_of(overflow_grow) == 1);
	CHECK(status_of(overflow_str) == 1);
}
