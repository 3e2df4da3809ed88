// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* USDT notes of any file, their operands, and tracepoints' formats: text that others wrote.
 * seeds: tests/fixtures/probe/usdt-* */
#include "tests/fuzz/fuzz.h"

#include "site/tpformat.h"
#include "site/usdt.h"

static struct arena arena;

static bool address_of(void *ctx, const char *name, u64 *vaddr)
{
	(void)ctx;
	*vaddr = strlen(name);
	return name[0] == 'c';
}

static void check_operands(const char *text)
{
	const struct usdt_symbols symbols = { .address_of = address_of, .pc = 0x1000 };
	struct usdt_location u = { 0 };

	usdt_operands_parse(&arena, text, &symbols, &u);
	must(u.n_operands <= USDT_MAX_OPERANDS);
	for (u32 i = 0; i < u.n_operands; i++)
		must(u.operands[i].kind == 3 || (u.operands[i].size && u.operands[i].size <= 8));
}

static bool take(void *ctx, const struct usdt_note *n)
{
	(void)ctx;
	check_operands(n->operands);
	return true;
}

int fuzz_input(const u8 *data, size_t n)
{
	struct elf_src src = { .mem = data, .size = n };
	struct tp_format format;
	struct elf e;
	char *text = strndup((const char *)data, n);

	if (!elf_init(&e, &src)) {
		usdt_notes_each(&e, take, NULL);
		elf_release(&e);
	}
	check_operands(text);
	tp_format_parse(&arena, (struct view){ (const char *)data, n }, &format);
	arena_release(&arena);
	free(text);
	return 0;
}
