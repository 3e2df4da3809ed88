// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/userinsn.h"

#include <elf.h>
#include <sys/mman.h>

#include "test.h"

#define CODE 0x1000

/* A program of `bytes` of zeros that take no room: `add %al,(%rax)` of two bytes each. */
static struct user_file hole(u64 bytes)
{
	struct user_file f = { 0 };

	f.elf.src.fd = memfd_create("hole", 0);
	f.elf.src.size = bytes;
	f.elf.machine = EM_X86_64;
	CHECK(f.elf.src.fd >= 0 && !ftruncate(f.elf.src.fd, (off_t)bytes));
	vec_push(&f.elf.loads,
		 (struct elf_segment){
			 .vaddr = CODE, .file_size = bytes, .mem_size = bytes, .is_exec = true });
	return f;
}

static void hole_close(struct user_file *f)
{
	close(f->elf.src.fd);
	user_file_release(f);
}

TEST(instructions_are_counted_from_one_that_is_known)
{
	struct user_file f = hole(1 << 20);
	u64 before, after;

	CHECK(user_insn_at(&f, CODE, CODE + 0x8000, &before, &after) == INSN_BEGINS);
	CHECK(user_insn_at(&f, CODE, CODE + 0x8001, &before, &after) == INSN_INSIDE);
	CHECK_U64(before, CODE + 0x8000);
	CHECK_U64(after, CODE + 0x8002);
	hole_close(&f);
}

TEST(an_instruction_after_the_end_of_the_file_is_unknown)
{
	struct user_file f = hole(1 << 20);
	u64 before, after;

	CHECK(user_insn_at(&f, CODE, CODE + (2 << 20), &before, &after) == INSN_UNKNOWN);
	CHECK_U64(before, CODE + (1 << 20));
	hole_close(&f);
}

/* 2^39 of them: half an hour. */
TEST(a_hole_in_a_file_is_not_counted_through)
{
	struct user_file f = hole(1ULL << 40);
	u64 before, after;

	CHECK(user_insn_at(&f, CODE, CODE + (1ULL << 39), &before, &after) == INSN_FAR);
	hole_close(&f);
}
