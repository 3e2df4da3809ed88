// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lengths of instructions: some by hand, and all that objdump finds in libraries and programs. */
#include "site/x86len.h"

#include <ctype.h>
#include <elf.h>

#include "test.h"

#define NOP 0x90

/* Put the bytes "48 89 e5" into code; the rest is filled with possible bytes.  Returns how many. */
static size_t bytes_of(const char *text, u8 *code, size_t cap)
{
	size_t n = 0;

	memset(code, NOP, cap);
	while (n < cap && isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1])) {
		char pair[3] = { text[0], text[1], '\0' };

		code[n++] = (u8)strtoul(pair, NULL, 16);
		text += text[2] == ' ' ? 3 : 2;
	}
	return n;
}

static u32 length(const char *text)
{
	u8 code[48];

	bytes_of(text, code, sizeof(code));
	return x86_length(code, sizeof(code));
}

TEST(each_part_of_an_instruction_counts)
{
	CHECK_U64(length("c3"), 1);
	CHECK_U64(length("f3 0f 1e fa"), 4);			/* endbr64 */
	CHECK_U64(length("48 8b 44 24 08"), 5);			/* mov 8(%rsp),%rax */
	CHECK_U64(length("48 8b 05 00 00 00 00"), 7);		/* mov x(%rip),%rax */
	CHECK_U64(length("8b 04 25 00 00 00 00"), 7);		/* a SIB without a base */
	CHECK_U64(length("48 b8 01 02 03 04 05 06 07 08"), 10); /* movabs */
	CHECK_U64(length("66 b8 01 02"), 4);
	CHECK_U64(length("f6 c0 01"), 3); /* test, and not: */
	CHECK_U64(length("f6 d0"), 2);
	CHECK_U64(length("66 f7 c0 01 02"), 5);
	CHECK_U64(length("c8 01 02 03"), 4);
	CHECK_U64(length("48 a1 01 02 03 04 05 06 07 08"), 10);
	CHECK_U64(length("0f 20 05"), 3);		 /* mov %cr0,%rbp: mod is ignored */
	CHECK_U64(length("66 66 48 e8 00 00 00 00"), 8); /* __tls_get_addr's call */
	CHECK_U64(length("c5 f8 77"), 3);		 /* vzeroupper */
	CHECK_U64(length("c4 e3 7d 39 c1 01"), 6);	 /* vextracti128 $1 */
	CHECK_U64(length("62 f1 7c 48 10 40 01"), 7);	 /* vmovups 64(%rax),%zmm0 */
	CHECK_U64(length("62 f3 fd 48 25 c0 ff"), 7);	 /* vpternlogq $255 */
	CHECK_U64(length("8f 40 08"), 3);		 /* pop 8(%rax); XOP: */
	CHECK_U64(length("8f e8 78 c2 c1 01"), 6);	 /* vprotd $1 */
}

TEST(bytes_that_are_no_instruction_have_no_length)
{
	CHECK_U64(length("06"), 0);
	CHECK_U64(length("ea"), 0);
	CHECK_U64(length("d5 00 90"), 0);	   /* APX */
	CHECK_U64(length("66 e8 00 00 00 00"), 0); /* processors disagree */
	CHECK_U64(length("66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90"), 0);
	CHECK_U64(x86_length((const u8 *)"\x48\x8b", 2), 0); /* cut */
	CHECK_U64(x86_length((const u8 *)"", 0), 0);
}

TEST(no_bytes_read_beyond_those_there_are)
{
	u8 *code;

	srandom(1);
	for (u32 i = 0; i < 200000; i++) {
		size_t n = (size_t)random() % 16;

		code = malloc(n ? n : 1);
		for (size_t k = 0; k < n; k++)
			code[k] = (u8)random();
		CHECK(x86_length(code, n) <= n);
		free(code);
	}
}

static bool is_x86(const char *path)
{
	Elf64_Ehdr h = { 0 };
	FILE *f = fopen(path, "r");
	bool is = f && fread(&h, sizeof(h), 1, f) == 1 && h.e_machine == EM_X86_64;

	if (f)
		fclose(f);
	return is;
}

/* A line of objdump: "  1234:\t48 89 e5             \tmov ..." */
static bool parse_line(const char *line, u8 *code, size_t cap, size_t *n)
{
	const char *colon = strchr(line, ':');

	if (line[0] != ' ' || !colon)
		return false;
	*n = bytes_of(colon + 1 + strspn(colon + 1, "\t"), code, cap);
	/* A wait is an instruction of its own, whatever objdump makes of it with the next. */
	if (*n > 1 && code[0] == 0x9b)
		return false;
	/* A prefix alone, (bad): bytes that are no code. */
	return *n && !strstr(line, "(bad)") && !strstr(line, ".byte") && !strstr(line, "\trex");
}

static size_t compare(const char *path)
{
	char line[512], command[512];
	size_t n_all = 0, n;
	u8 code[48];
	FILE *f;

	if (!is_x86(path))
		return 0;
	snprintf(command, sizeof(command), "objdump -d --insn-width=16 '%s' 2>/dev/null", path);
	f = popen(command, "r");
	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		if (!parse_line(line, code, sizeof(code), &n))
			continue;
		n_all++;
		if (x86_length(code, sizeof(code)) != n)
			printf("# %s: %s", path, line);
		CHECK_U64(x86_length(code, sizeof(code)), n);
	}
	pclose(f);
	return n_all;
}

TEST(lengths_are_those_that_objdump_knows)
{
	char self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CHECK(n > 0);
	self[n] = '\0';
	if (!is_x86(self))
		SKIP("x86-64 only");
	if (system("command -v objdump >/dev/null") != 0)
		SKIP("no objdump here");
	/* With sanitizers we are small. */
	CHECK(compare(self) + compare("/lib/x86_64-linux-gnu/libc.so.6") +
		      compare("/lib64/libc.so.6") >
	      100000);
}
