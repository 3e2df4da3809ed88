// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/fpwalk.h"

#include <errno.h>
#include <sys/mman.h>

#include "test.h"

#define PAGE 4096

/* Memory of this process that looks like a stack: frames are pairs of words. */
static char *stack;

static void stack_map(size_t n_pages)
{
	char *p = mmap(NULL, (n_pages + 1) * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	CHECK(!munmap(p + n_pages * PAGE, PAGE));
	stack = p;
}

/* A frame at `at`: the next one is at `next` (0: none), the return address is `ret`. */
static void frame(size_t at, size_t next, unsigned long ret)
{
	unsigned long words[2] = { next ? (unsigned long)(stack + next) : 0, ret };

	memcpy(stack + at, words, sizeof(words));
}

static u64 out[128];

static int walk(size_t sp, size_t fp, u32 max)
{
	const struct fpwalk start = { .tid = (u32)getpid(),
				      .pc = 0x1000,
				      .sp = (u64)stack + sp,
				      .fp = (u64)stack + fp,
				      .word_bytes = 8 };

	memset(out, 0xee, sizeof(out));
	return fpwalk(&start, out, max);
}

TEST(frames_are_followed_to_the_root)
{
	stack_map(4);
	frame(64, 256, 0x2000);
	frame(256, 1024, 0x3000);
	frame(1024, 0, 0x4000);
	CHECK(walk(0, 64, 128) == 4);
	CHECK_U64(out[0], 0x1000);
	CHECK_U64(out[1], 0x2000);
	CHECK_U64(out[2], 0x3000);
	CHECK_U64(out[3], 0x4000);
}

TEST(no_more_frames_are_stored_than_asked_for)
{
	stack_map(1);
	for (u32 i = 0; i < 100; i++)
		frame(16 + i * 16, 32 + i * 16, 0x2000 + i);
	CHECK(walk(0, 16, 128) == 102); /* the page is zeros after them */
	CHECK(walk(0, 16, 64) == 64);
	CHECK_U64(out[63], 0x2000 + 62);
	CHECK_U64(out[64], 0xeeeeeeeeeeeeeeee);
	CHECK(walk(0, 16, 1) == 1);
}

TEST(a_register_that_is_no_frame_pointer_ends_the_walk)
{
	stack_map(2);
	frame(64, 256, 0x2000);
	CHECK(walk(128, 64, 128) == 1); /* below the stack pointer */
	CHECK(walk(0, 65, 128) == 1);
	CHECK(walk(0, (size_t) - (unsigned long)stack, 128) == 1);     /* 0 */
	CHECK(walk(0, (size_t) - (unsigned long)stack - 8, 128) == 1); /* the last word */
	CHECK(walk(0, 2 * PAGE, 128) == 1);			       /* not mapped */
	CHECK(walk(0, 2 * PAGE - 8, 128) == 1);			       /* half a frame */
}

TEST(a_chain_that_turns_back_ends_after_that_frame)
{
	stack_map(1);
	frame(64, 256, 0x2000);
	frame(256, 64, 0x3000);
	CHECK(walk(0, 64, 128) == 3);
	frame(256, 256, 0x3000);
	CHECK(walk(0, 64, 128) == 3);
}

TEST(frames_lie_far_apart_and_across_pages)
{
	stack_map(64);
	frame(8, PAGE - 8, 0x2000);
	frame(PAGE - 8, 40 * PAGE, 0x3000); /* one word in each page */
	frame(40 * PAGE, 64 * PAGE - 16, 0x4000);
	frame(64 * PAGE - 16, 64 * PAGE, 0x5000); /* the last two words there are */
	CHECK(walk(0, 8, 128) == 5);
	CHECK_U64(out[2], 0x3000);
	CHECK_U64(out[4], 0x5000);
}

TEST(a_chain_of_leaps_is_bounded)
{
	stack_map(3 * 100);
	for (u32 i = 0; i < 99; i++)
		frame(3 * i * PAGE, 3 * (i + 1) * PAGE, 0x2000);
	CHECK(walk(0, 0, 128) == 33);
}

TEST(words_of_32_bit_programs_are_narrow)
{
	static u32 *low;
	struct fpwalk start = { .tid = (u32)getpid(), .pc = 0x1000, .word_bytes = 4 };

	low = mmap((void *)0x20000000, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0);
	if ((u64)low >> 32)
		SKIP("no memory below 4 GB");
	low[0] = (u32)(u64)&low[4];
	low[1] = 0x2000;
	low[5] = 0xf7654321;
	start.sp = start.fp = (u64)low;
	CHECK(fpwalk(&start, out, 128) == 3);
	CHECK_U64(out[1], 0x2000);
	CHECK_U64(out[2], 0xf7654321);
}

TEST(memory_that_is_gone_is_an_error)
{
	struct fpwalk start = { .pc = 0x1000, .sp = 64, .fp = 64, .word_bytes = 8 };
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	start.tid = (u32)child;
	CHECK(fpwalk(&start, out, 128) == -ESRCH);
}
