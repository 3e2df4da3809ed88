// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/usdt.h"

#include "test.h"
#include "tests/fixtures/sym/elfmake.h"

static struct arena arena;

static bool address_of(void *ctx, const char *name, u64 *vaddr)
{
	(void)ctx;
	*vaddr = 0x4000;
	return !strcmp(name, "counter");
}

/* "kind size value reg index*scale", one per operand. */
static const char *operands(const char *text)
{
	static char out[512];
	static const char *const kinds[] = { "const", "reg", "mem", "none" };
	const struct usdt_symbols symbols = { .address_of = address_of, .pc = 0x1000 };
	struct usdt_location u = { 0 };

	out[0] = '\0';
	usdt_operands_parse(&arena, text, &symbols, &u);
	for (u32 i = 0; i < u.n_operands; i++) {
		const struct usdt_operand *o = &u.operands[i];
		size_t n = strlen(out);

		snprintf(out + n, sizeof(out) - n, "%s%s", i ? ", " : "", kinds[o->kind]);
		n = strlen(out);
		if (o->kind == 3)
			continue;
		snprintf(out + n, sizeof(out) - n, " %s%u %lld %s", o->is_signed ? "-" : "",
			 o->size, o->value, o->reg);
		n = strlen(out);
		if (o->has_index)
			snprintf(out + n, sizeof(out) - n, "+%s*%u", o->index, o->scale);
	}
	arena_release(&arena);
	return out;
}

struct row {
	const char *text, *want;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CHECK_STR(operands(rows[i].text), rows[i].want);
}

TEST(x86_operands)
{
	static const struct row rows[] = {
		{ "-4@%eax", "reg -4 0 eax" },
		{ "8@%rdi -4@$5 8@$-1", "reg 8 0 rdi, const -4 5 , const 8 -1 " },
		{ "1@%ah 2@%r8w", "reg 1 0 ah, reg 2 0 r8w" },
		{ "8@-16(%rbp)", "mem 8 -16 rbp" },
		{ "4@(%rax)", "mem 4 0 rax" },
		{ "4@8(%rax,%rbx,4)", "mem 4 8 rax+rbx*4" },
		{ "4@(%rax,%rbx)", "mem 4 0 rax+rbx*1" },
		{ "8@0x10(%rsp)", "mem 8 16 rsp" },
		{ "-4@counter(%rip)", "mem -4 12288 rip" },
		{ "8@counter+8(%rip)", "mem 8 12296 rip" },
		{ "%rdi", "reg 8 0 rdi" },
	};

	check_rows(rows, ARRAY_SIZE(rows));
}

TEST(arm64_operands)
{
	static const struct row rows[] = {
		{ "8@x0 -4@w19 4@7", "reg 8 0 x0, reg -4 0 w19, const 4 7 " },
		{ "8@[sp] 8@[sp, 24] 8@[x29, -8]", "mem 8 0 sp, mem 8 24 sp, mem 8 -8 x29" },
		{ "8@[x0, x1] 4@[x0, x1, lsl 2]", "mem 8 0 x0+x1*1, mem 4 0 x0+x1*4" },
		{ "8@sp -4@-3", "reg 8 0 sp, const -4 -3 " },
	};

	check_rows(rows, ARRAY_SIZE(rows));
}

TEST(operands_that_cannot_be_fetched_keep_their_position)
{
	static const struct row rows[] = {
		{ "8f@%xmm0 4@$1", "none, const 4 1 " },
		{ "8@nosuch(%rip) 4@$1", "none, const 4 1 " },
		{ "16@%rax 3@%rax", "none, none" },
		{ "8@%fs:16(%rax) 4@8(%rax", "none, none" },
		{ "4@[x0, w1, sxtw 2] 8@[", "none, none" },
		{ "4@ 4@$ @", "none, none, none" },
		{ "", "" },
		{ "   ", "" },
	};

	check_rows(rows, ARRAY_SIZE(rows));
}

TEST(no_more_than_twelve_operands)
{
	CHECK_STR(operands("1@$0 1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11 1@$12"),
		  "const 1 0 , const 1 1 , const 1 2 , const 1 3 , const 1 4 , const 1 5 , "
		  "const 1 6 , const 1 7 , const 1 8 , const 1 9 , const 1 10 , const 1 11 ");
}

/* ---- notes ---- */

static void add_note(struct str *s, u64 pc, u64 base, u64 semaphore, const char *strings,
		     size_t n_strings)
{
	const u64 words[3] = { pc, base, semaphore };
	const u32 header[3] = { 8, (u32)(sizeof(words) + n_strings), 3 };

	str_add(s, (const char *)header, sizeof(header));
	str_add(s, "stapsdt", 8);
	str_add(s, (const char *)words, sizeof(words));
	str_add(s, strings, n_strings);
	while (s->n % 4)
		str_addc(s, '\0');
}

static struct str seen;

static bool take(void *ctx, const struct usdt_note *n)
{
	(void)ctx;
	str_addf(&seen, "%s:%s(%s) %llx %llx;", n->provider, n->name, n->operands, n->pc,
		 n->semaphore);
	return true;
}

static const char *notes_in(const struct str *section)
{
	struct elfmake m = elfmake_new();
	struct elf_src src;
	struct elf e;

	elfmake_section(&m, ".note.stapsdt", SHT_NOTE, 0, section->p, section->n);
	elfmake_finish(&m);
	src = (struct elf_src){ .mem = m.image.p, .size = m.image.n };
	CHECK(!elf_init(&e, &src));
	str_clear(&seen);
	usdt_notes_each(&e, take, NULL);
	elf_release(&e);
	str_release(&m.image);
	return str_text(&seen);
}

TEST(notes_are_read)
{
	static const char one[] = "prov\0name\0-4@%eax", two[] = "p\0n\0";
	struct str s = { 0 };

	add_note(&s, 0x1010, 0, 0x4010, one, sizeof(one));
	add_note(&s, 0x1020, 0, 0, two, sizeof(two));
	CHECK_STR(notes_in(&s), "prov:name(-4@%eax) 1010 4010;p:n() 1020 0;");
	str_release(&s);
	str_release(&seen);
}

TEST(broken_notes_are_left_out)
{
	static const char unended[] = { 'p', 0, 'n', 0, 'x' };
	static const char fine[] = "p\0n\0";
	struct str s = { 0 };

	add_note(&s, 0x1010, 0, 0, unended, sizeof(unended));
	add_note(&s, 0x1020, 0, 0, fine, sizeof(fine));
	CHECK_STR(notes_in(&s), "p:n() 1020 0;");
	/* Cut anywhere, nothing after the end is read. */
	for (size_t n = s.n; n-- > 1;) {
		s.n = n;
		notes_in(&s);
	}
	str_release(&s);
	str_release(&seen);
}
