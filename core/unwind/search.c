// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "unwind/cfi.h"

/* The largest known .eh_frame is that of a browser: 13 MiB. */
#define MAX_FRAME_BYTES	 (64 << 20)
#define MAX_HEADER_BYTES (16 << 20)
/* For reading the file, and for all of its searches. */
#define FILE_CPU_NS	 (100 * NS_PER_MS)

/* The format that GNU's and LLVM's linkers write: a version and three encodings, where .eh_frame
 * is, and the number of entries. */
struct header {
	u8 version, frame_encoding, n_encoding, entry_encoding;
	s32 frame;
	u32 n;
};
static const u8 KNOWN_HEADER[] = {
	1,    /* version */
	0x1b, /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
	0x03, /* DW_EH_PE_udata4 */
	0x3b, /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
};

/* Sorted by `start`.  Both are relative to the header's address. */
struct entry {
	s32 start, fde;
};

struct unwind_search {
	struct unwind_code code;
	struct meter meter;
	struct str frame; /* the bytes of .eh_frame */
	struct cfi_reader reader;
	u64 header_addr;
	struct str header; /* the bytes of .eh_frame_hdr: a struct header, entries */
	u32 n;		   /* entries */
};

static struct entry entry_at(const struct unwind_search *s, u32 i)
{
	struct entry e;

	memcpy(&e, s->header.p + sizeof(struct header) + i * sizeof(e), sizeof(e));
	return e;
}

/* ---- reading the file ---- */

static bool read_header(struct unwind_search *s, const struct elf *e)
{
	const struct elf_section *sec = elf_section_named(e, ".eh_frame_hdr");
	struct header h;

	if (!sec || elf_section_load(e, sec, MAX_HEADER_BYTES, &s->header) ||
	    s->header.n < sizeof(h) || memcmp(s->header.p, KNOWN_HEADER, sizeof(KNOWN_HEADER)) != 0)
		return false;
	memcpy(&h, s->header.p, sizeof(h));
	s->header_addr = sec->addr;
	s->n = h.n;
	return s->n <= (s->header.n - sizeof(h)) / sizeof(struct entry);
}

static bool read_frame(struct unwind_search *s, const struct elf *e)
{
	const struct cfi_machine *machine = e->is_64 ? cfi_machine_of(e->machine) : NULL;
	const struct elf_section *sec = elf_section_named(e, ".eh_frame");
	struct cfi_section section = { 0 };

	if (!machine || !sec || elf_section_load(e, sec, MAX_FRAME_BYTES, &s->frame))
		return false;
	section.bytes = (const u8 *)s->frame.p;
	section.size = s->frame.n;
	section.vaddr = sec->addr;
	cfi_reader_init(&s->reader, &section, machine, &s->meter);
	return true;
}

static bool read_file(struct unwind_search *s, const struct elf_src *src)
{
	struct elf e;
	bool is_read;

	if (elf_init(&e, src))
		return false;
	unwind_code_init(&s->code, &e);
	is_read = read_header(s, &e) && read_frame(s, &e);
	elf_release(&e);
	return is_read;
}

struct unwind_search *unwind_search_new(const struct elf_src *src)
{
	struct unwind_search *s = mem_alloc(1, sizeof(*s));
	struct elf_src metered = *src;

	s->meter = (struct meter){ .max_cpu_ns = FILE_CPU_NS };
	meter_begin(&s->meter);
	metered.meter = &s->meter;
	if (read_file(s, &metered))
		return s;
	unwind_search_free(s);
	return NULL;
}

void unwind_search_free(struct unwind_search *s)
{
	if (!s)
		return;
	cfi_reader_release(&s->reader);
	str_release(&s->frame);
	str_release(&s->header);
	unwind_code_release(&s->code);
	free(s);
}

const struct unwind_code *unwind_search_code(const struct unwind_search *s)
{
	return &s->code;
}

/* ---- searching ---- */

/* The last FDE that begins at or before an address; false: there is none. */
static bool find_fde(struct unwind_search *s, u64 vaddr, struct cfi_fde *fde)
{
	s64 off = (s64)(vaddr - s->header_addr);
	u32 low = 0, n = s->n;

	if (!n || entry_at(s, 0).start > off)
		return false;
	for (; n > 1; n -= n / 2)
		if (entry_at(s, low + n / 2).start <= off)
			low += n / 2;
	return cfi_reader_fde(&s->reader,
			      s->header_addr + (u64)entry_at(s, low).fde - s->reader.section.vaddr,
			      fde);
}

struct wanted {
	u64 vaddr;
	struct cfi_rule *rule;
};

static void on_row(void *ctx, u64 addr, const struct cfi_rule *rule)
{
	const struct wanted *w = ctx;

	if (addr <= w->vaddr)
		*w->rule = *rule;
}

bool unwind_search_rule(struct unwind_search *s, u64 vaddr, struct cfi_rule *rule)
{
	struct wanted wanted = { .vaddr = vaddr, .rule = rule };
	const struct cfi_rows rows = { .row = on_row, .ctx = &wanted };
	struct cfi_fde fde;

	meter_begin(&s->meter);
	if (!find_fde(s, vaddr, &fde) || vaddr < fde.start || vaddr - fde.start >= fde.n ||
	    !meter_step(&s->meter, 8 + fde.bytes))
		return false;
	*rule = (struct cfi_rule){ .cfa = CFI_NONE };
	cfi_run(&s->reader, &fde, &rows);
	meter_is_over(&s->meter); /* charges the time of the program */
	return true;
}
