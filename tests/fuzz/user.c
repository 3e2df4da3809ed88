// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A program or library in which probes are to be placed: all its functions, what an address is in,
// where instructions begin.  The input is the file, and code.
// seeds: tests/fixtures/sym/*.elf
#include <elf.h>

#include "tests/fuzz/fuzz.h"

#include "site/userinsn.h"
#include "site/userprobe.h"
#include "site/x86len.h"
#include "sym/elfsyms.h"

#define N_PLACES 4 /* a hostile table is inflated anew for each */

/* The length of an instruction does not depend on the bytes after it, and is unknown while some of
 * its own are missing. */
static void check_length(const u8 *code, size_t n)
{
	u32 length = x86_length(code, n);

	must(length <= X86_LONGEST && length <= n);
	if (!length)
		return;
	must(x86_length(code, length) == length);
	for (u32 part = 0; part < length; part++)
		must(!x86_length(code, part));
}

static bool take_symbol(void *ctx, const struct elf_symbol *s)
{
	u64 *n_bytes = ctx;

	*n_bytes += strnlen(s->name, 256) + (s->version ? strnlen(s->version, 256) : 0);
	return true;
}

static void check_place(const struct user_file *f, u64 at)
{
	struct user_place place;
	u64 before = 0, after = 0;

	if (!user_place_of(f, at, &place))
		return;
	must(place.start <= at && memchr(place.name, '\0', sizeof(place.name)));
	switch (user_insn_at(f, place.start, at, &before, &after)) {
	case INSN_INSIDE:
		must(place.start <= before && before < at && at < after);
		break;
	case INSN_UNKNOWN:
		must(before <= at);
		break;
	case INSN_BEGINS:
	case INSN_FAR:
	case INSN_FOREIGN:
		break;
	}
}

static void check_file(const struct user_file *f)
{
	u64 n_bytes = 0, vaddr, off;

	elfsyms_each(&f->elf, SHT_SYMTAB, take_symbol, &n_bytes);
	elfsyms_each(&f->elf, SHT_DYNSYM, take_symbol, &n_bytes);
	elfsyms_address(&f->elf, "counter", &vaddr);
	for (u64 i = 0; i < N_PLACES; i++) {
		vaddr = 0x1000 + i * 0xf1;
		check_place(f, vaddr);
		check_place(f, i * f->elf.src.size / N_PLACES);
		if (user_file_offset(f, vaddr, &off))
			user_probe_on(f, off);
		must(user_probe_distance(f, vaddr) <= 4 * X86_LONGEST);
	}
}

int fuzz_input(const u8 *data, size_t size)
{
	const struct elf_src src = { .fd = -1, .mem = data, .size = size };
	struct user_file f = { 0 };

	if (!size)
		return 0;
	for (size_t i = 0; i < size && i < 256; i++)
		check_length(data + i, size - i);
	if (!elf_init(&f.elf, &src)) {
		check_file(&f);
		elf_release(&f.elf);
	}
	return 0;
}
