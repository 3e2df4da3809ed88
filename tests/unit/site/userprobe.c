// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/userprobe.h"

#include <elf.h>
#include <sys/mman.h>

#include "site/x86len.h"
#include "test.h"

#define CODE	0x1000
#define FUNC	(CODE + 0x200)
#define SIZE	0x1000
#define VMOVD	"\xc5\xf9\x6e\xc6"	   /* vmovd %esi,%xmm0: refused */
#define VPCMP	"\xc5\xf9\x76\xc0"	   /* vpcmpeqd %xmm0,%xmm0,%xmm0: misread */
#define EVMOVDQ "\x62\xf1\x7d\x48\x6f\xc1" /* vmovdqa32 %zmm1,%zmm0: refused */
#define VMOVR	"\xc5\xf9\x7e\xc0"	   /* vmovd %xmm0,%eax: misread, writes a register */
#define MOV	"\x89\xf8"		   /* mov %edi,%eax */
#define RET	"\xc3"

/* A file with `code` (n bytes) as a function at FUNC, and `other` as code at `at`. */
static struct user_file file_of(const char *code, size_t n, u64 at, const char *other,
				size_t n_other)
{
	struct user_file f = { 0 };
	char *bytes = calloc(1, SIZE);

	memset(bytes, 0x90, SIZE);
	memcpy(bytes + (FUNC - CODE), code, n);
	if (other)
		memcpy(bytes + (at - CODE), other, n_other);
	f.elf.src.fd = memfd_create("code", 0);
	f.elf.src.size = SIZE;
	f.elf.machine = EM_X86_64;
	CHECK(f.elf.src.fd >= 0 && write(f.elf.src.fd, bytes, SIZE) == SIZE);
	free(bytes);
	vec_push(&f.elf.loads,
		 (struct elf_segment){
			 .vaddr = CODE, .file_size = SIZE, .mem_size = SIZE, .is_exec = true });
	vec_push(&f.elf.sections, (struct elf_section){ .addr = CODE,
							.size = SIZE,
							.flags = SHF_ALLOC | SHF_EXECINSTR });
	return f;
}

static u32 distance_beside(const char *code, size_t n, u64 at, const char *other, size_t n_other)
{
	struct user_file f = file_of(code, n, at, other, n_other);
	u32 distance = user_probe_distance(&f, FUNC);

	close(f.elf.src.fd);
	user_file_release(&f);
	return distance;
}
#define DISTANCE(code)	  distance_beside(code, sizeof(code) - 1, 0, NULL, 0)
#define BESIDE(at, other) distance_beside(VMOVD MOV RET, 7, at, other, sizeof(other) - 1)

TEST(vector_instructions_are_passed)
{
	CHECK_U64(DISTANCE(MOV RET), 0);
	CHECK_U64(DISTANCE(VMOVD MOV RET), 4);
	CHECK_U64(DISTANCE(VPCMP MOV RET), 4);
	CHECK_U64(DISTANCE(EVMOVDQ VMOVD VPCMP MOV RET), 14);
	CHECK_U64(DISTANCE(VMOVD VMOVD VMOVD VMOVD MOV RET), 16);
	CHECK_U64(DISTANCE(VMOVD VMOVD VMOVD VMOVD VMOVD MOV RET), 0); /* too many */
}

TEST(an_instruction_that_writes_other_registers_is_not_passed)
{
	CHECK_U64(DISTANCE(VMOVR MOV RET), 0);
	CHECK_U64(DISTANCE(VMOVD VMOVR MOV RET), 0);
	CHECK_U64(DISTANCE("\xf0\xff\x07" MOV RET), 0);		    /* lock incl (%rdi) */
	CHECK_U64(DISTANCE("\x62\xf1\x7f\x08\x78\xf8" MOV RET), 0); /* vcvttsd2usi %xmm0,%edi */
	CHECK_U64(DISTANCE("\x62\xf1\x7e\x08\x79\xf8" MOV RET), 0); /* vcvtss2usi %xmm0,%edi */
	CHECK_U64(DISTANCE("\xc4\xe2\x71\xe6\x3e" MOV RET), 0);	    /* cmpbexadd %ecx,%edi,(%rsi) */
}

TEST(a_jump_to_the_place_or_past_the_start_forbids_it)
{
	CHECK_U64(DISTANCE(VMOVD "\xff\xcf\x75\xfc" RET), 0);	    /* jnz to dec */
	CHECK_U64(DISTANCE(VMOVD VMOVD "\xff\xcf\x75\xf8" RET), 0); /* to the second vmovd */
	CHECK_U64(DISTANCE(VMOVD VMOVD "\xff\xcf\x75\xf4" RET), 8); /* to the start */
	CHECK_U64(DISTANCE(VMOVD "\xff\xcf\x06\x75\xfb" RET), 0);   /* after an invalid byte */
	CHECK_U64(BESIDE(FUNC - 16, "\xeb\x12"), 0);
	CHECK_U64(BESIDE(FUNC - 16, "\xeb\x0e"), 4); /* to the start */
	CHECK_U64(BESIDE(FUNC + 0x400, "\xe9\xff\xfb\xff\xff"), 0);
	CHECK_U64(BESIDE(FUNC + 0x400, "\x0f\x85\xfe\xfb\xff\xff"), 0);
	CHECK_U64(BESIDE(FUNC + 0x400, "\xe8\xfb\xfb\xff\xff"), 4); /* a call of the start */
	CHECK_U64(BESIDE(FUNC - 0x100, "\xe9\xff\x00\x00\x00"), 0);
}

TEST(a_single_instruction_is_judged)
{
	struct user_file f = file_of(VMOVD VPCMP MOV, 10, 0, NULL, 0);

	CHECK(user_probe_on(&f, FUNC - CODE) == INSN_PROBE_REFUSED);
	CHECK(user_probe_on(&f, FUNC - CODE + 4) == INSN_PROBE_DAMAGES);
	CHECK(user_probe_on(&f, FUNC - CODE + 8) == INSN_PROBE_OK);
	CHECK(user_probe_on(&f, SIZE + 5) == INSN_PROBE_OK);
	close(f.elf.src.fd);
	user_file_release(&f);
}
