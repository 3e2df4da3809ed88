// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where calls have their arguments.  A prototype is words of one letter or a few; each place is
 * "r0" a register, "r0-1" two, "s0" a word of the stack, "&r0" its address there, "F"
 * floating-point registers, "?" unknown.  gcc is the reference (the values were read off its code).
 */
#include <bpf/btf.h>

#include "base/str.h"
#include "test.h"
#include "type/scope_parts.h"

static struct btf *btf;

struct word {
	const char *word;
	s32 id;
};

static s32 add_struct(const char *name, u32 bytes, s32 a, s32 b, u32 b_at)
{
	s32 id = btf__add_struct(btf, name, bytes);

	CHECK(!btf__add_field(btf, "a", a, 0, 0));
	if (b)
		CHECK(!btf__add_field(btf, "b", b, b_at * 8, 0));
	return id;
}

static s32 type_called(const char *word)
{
	static struct word words[24];
	struct word *w = words;

	if (!btf) {
		s32 c, i, l, f, d, q, x, array5, array4f, big;

		btf = btf__new_empty();
		CHECK(btf);
		c = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
		i = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
		l = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
		x = btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED);
		f = btf__add_float(btf, "float", 4);
		d = btf__add_float(btf, "double", 8);
		q = btf__add_float(btf, "long double", 16);
		array5 = btf__add_array(btf, i, l, 5);
		array4f = btf__add_array(btf, i, f, 4);
		big = add_struct("big", 40, array5, 0, 0);
		*w++ = (struct word){ "i", i };
		*w++ = (struct word){ "l", l };
		*w++ = (struct word){ "p", btf__add_ptr(btf, c) };
		*w++ = (struct word){ "x", x };
		*w++ = (struct word){ "f", f };
		*w++ = (struct word){ "d", d };
		*w++ = (struct word){ "q", q };
		*w++ = (struct word){ "big",
				      btf__add_typedef(btf, "big_t", btf__add_const(btf, big)) };
		*w++ = (struct word){ "ll", add_struct("ll", 16, l, l, 8) };
		*w++ = (struct word){ "ff", add_struct("ff", 8, f, f, 4) };
		*w++ = (struct word){ "fi", add_struct("fi", 8, f, i, 4) };
		*w++ = (struct word){ "dl", add_struct("dl", 16, d, l, 8) };
		*w++ = (struct word){ "dd", add_struct("dd", 16, d, d, 8) };
		*w++ = (struct word){ "f4", add_struct("f4", 16, array4f, 0, 0) };
		*w++ = (struct word){ "q1", add_struct("q1", 16, q, 0, 0) };
		*w++ = (struct word){ "x1", add_struct("x1", 16, x, 0, 0) };
		*w++ = (struct word){ "c", c };
		*w++ = (struct word){ "packed", add_struct("packed", 9, c, l, 1) };
		*w++ = (struct word){ "aligned", add_struct("aligned", 64, l, 0, 0) };
		*w++ = (struct word){ "vector", array4f };
		*w++ = (struct word){ "complex", btf__add_float(btf, "complex double", 16) };
		*w++ = (struct word){ "void", 0 };
	}
	for (w = words; w < words + ARRAY_SIZE(words) && w->word; w++)
		if (!strcmp(w->word, word))
			return w->id;
	CHECK(!"a known word");
	return 0;
}

static void show(const struct call_place *p, enum scope_arch arch, struct str *out)
{
	u32 n_registers = arch == ARCH_X86_64 ? 6 : 8;

	str_adds(out, out->n ? " " : "");
	if (p->where == CALL_FLOATS || p->where == CALL_LOST) {
		str_adds(out, p->where == CALL_FLOATS ? "F" : "?");
		return;
	}
	if (p->where == CALL_REFERENCE)
		str_adds(out, "&");
	str_addf(out, p->word < n_registers ? "r%u" : "s%u",
		 p->word < n_registers ? p->word : p->word - n_registers);
	if (p->n_words > 1)
		str_addf(out, "-%u",
			 (p->word < n_registers ? p->word : p->word - n_registers) + p->n_words -
				 1);
}

/* "RETURN ARG ARG..." */
static void places(enum scope_arch arch, const char *proto, const char *want)
{
	struct call call = { .arch = arch };
	struct str got = { 0 };
	char words[200], *save, *word;

	snprintf(words, sizeof(words), "%s", proto);
	word = strtok_r(words, " ", &save);
	call_return(&call, btf, (u32)type_called(word));
	while ((word = strtok_r(NULL, " ", &save))) {
		struct call_place p = call_next(&call, btf, (u32)type_called(word));

		show(&p, arch, &got);
	}
	if (strcmp(str_text(&got), want) != 0)
		printf("# %s: %s, not %s\n", proto, str_text(&got), want);
	CHECK(!strcmp(str_text(&got), want));
	str_release(&got);
}

static void both(const char *proto, const char *x86, const char *arm64)
{
	type_called("void");
	places(ARCH_X86_64, proto, x86);
	places(ARCH_ARM64, proto, arm64);
}

TEST(integers_are_in_registers_and_then_on_the_stack)
{
	both("i i l p c", "r0 r1 r2 r3", "r0 r1 r2 r3");
	both("void i i i i i i i c l", "r0 r1 r2 r3 r4 r5 s0 s1 s2", "r0 r1 r2 r3 r4 r5 r6 r7 s0");
}

TEST(floating_point_takes_no_integer_register)
{
	both("i f i d i", "F r0 F r1", "F r0 F r1");
	both("i d d d d d d d d d i", "F F F F F F F F s0 r0", "F F F F F F F F s0 r0");
	both("i complex i", "F r0", "F r0");
}

TEST(a_long_double_is_on_the_stack_of_x86)
{
	both("i q i", "s0-1 r0", "F r0");
	both("i i i i i i i i q i", "r0 r1 r2 r3 r4 r5 s0 s2-3 s4", "r0 r1 r2 r3 r4 r5 r6 F r7");
}

TEST(sixteen_bytes_of_integer_are_two_registers_or_none)
{
	both("i x i", "r0-1 r2", "r0-1 r2");
	both("i i x i", "r0 r1-2 r3", "r0 r2-3 r4");
	both("i i i i i i x i", "r0 r1 r2 r3 r4 s0-1 r5", "r0 r1 r2 r3 r4 r6-7 s0");
	both("i i x1 i", "r0 r1-2 r3", "r0 r2-3 r4");
}

TEST(small_structs_are_in_registers_by_what_they_hold)
{
	both("i ll i", "r0-1 r2", "r0-1 r2");
	both("i ff i", "F r0", "F r0");
	both("i fi i", "r0 r1", "r0 r1");
	both("i dl i", "F r1", "r0-1 r2");
	both("i dd i", "F r0", "F r0");
	both("i f4 i", "F r0", "F r0");
	both("i q1 i", "s0-1 r0", "F r0");
	both("i packed i", "s0-1 r0", "r0-1 r2");
	both("i i i i i i ll i", "r0 r1 r2 r3 r4 s0-1 r5", "r0 r1 r2 r3 r4 r5-6 r7");
	both("i i i i i i i i ll i", "r0 r1 r2 r3 r4 r5 s0 s1-2 s3",
	     "r0 r1 r2 r3 r4 r5 r6 s0-1 s2");
}

TEST(a_big_struct_is_on_the_stack_or_its_address_in_a_register)
{
	both("i big i", "s0-4 r0", "&r0 r1");
	both("i i i i i i i big i", "r0 r1 r2 r3 r4 r5 s0-4 s5", "r0 r1 r2 r3 r4 r5 &r6 r7");
}

TEST(a_return_in_memory_takes_a_register_of_x86)
{
	both("big i i", "r1 r2", "r0 r1");
	both("ll i i", "r0 r1", "r0 r1");
	both("packed i", "r1", "r0");
	both("q i", "r0", "r0");
	both("q1 i", "r0", "r0");
	both("complex i", "r0", "r0");
	both("dl i", "r0", "r0");
}

TEST(an_argument_of_unknown_type_has_no_location)
{
	both("i i vector i", "r0 ? ?", "r0 ? ?");
	both("i i aligned i i i i i i i", "r0 ? r1 r2 r3 r4 r5 ? ?", "r0 &r1 r2 r3 r4 r5 r6 r7 s0");
}
