// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/cfi.h"

#include "base/hash.h"

/* libLLVM has 118,000 FDEs and 9 CIEs; a browser has five times as many. */
#define MAX_CIES 16384

/* Encodings of addresses (LSB 5.0, 10.5.1): the low half is the format. */
#define PE_FORMAT   0x0f
#define PE_BASE	    0x70
#define PE_RELATIVE 0x10 /* relative to the address's own position */
#define PE_ALIGNED  0x50
#define PE_OMIT	    0xff

enum {
	PE_WORD = 0x0,
	PE_ULEB = 0x1,
	PE_U16 = 0x2,
	PE_U32 = 0x3,
	PE_U64 = 0x4,
	PE_SLEB = 0x9,
	PE_S16 = 0xa,
	PE_S32 = 0xb,
	PE_S64 = 0xc,
};

void cfi_reader_init(struct cfi_reader *r, const struct cfi_section *section,
		     const struct cfi_machine *machine, struct meter *meter)
{
	*r = (struct cfi_reader){ .section = *section, .machine = machine, .meter = meter };
}

void cfi_reader_release(struct cfi_reader *r)
{
	vec_release(&r->cies);
	index_release(&r->by_at);
}

static u64 offset_of(const struct cfi_reader *r, const struct cursor *c)
{
	return (u64)(c->p - r->section.bytes);
}

/* Read a number in the format of an encoding; false: the format does not exist. */
static bool read_format(struct cursor *c, u8 encoding, u64 *value)
{
	switch (encoding & PE_FORMAT) {
	case PE_WORD:
	case PE_U64:
	case PE_S64:
		*value = cursor_fixed(c, 8);
		return true;
	case PE_U32:
		*value = cursor_fixed(c, 4);
		return true;
	case PE_S32:
		*value = (u64)cursor_signed(c, 4);
		return true;
	case PE_U16:
		*value = cursor_fixed(c, 2);
		return true;
	case PE_S16:
		*value = (u64)cursor_signed(c, 2);
		return true;
	case PE_ULEB:
		*value = cursor_uleb(c);
		return true;
	case PE_SLEB:
		*value = (u64)cursor_sleb(c);
		return true;
	}
	return false;
}

static bool read_address(const struct cfi_reader *r, struct cursor *c, u8 encoding, u64 *address)
{
	u64 place = r->section.vaddr + offset_of(r, c);

	if ((encoding & ~(PE_FORMAT | PE_RELATIVE)) || !read_format(c, encoding, address))
		return false;
	if (encoding & PE_RELATIVE)
		*address += place;
	return !c->is_over;
}

/* ---- CIEs ---- */

/* Each letter of the augmentation string stands for a field after the header. */
static bool read_augmentation(struct cfi_cie *cie, struct cursor text, struct cursor *data)
{
	u64 ignored;

	while (text.p < text.end) {
		u8 encoding;

		switch (*text.p++) {
		case 'R':
			cie->encoding = (u8)cursor_fixed(data, 1);
			break;
		case 'L':
			cursor_fixed(data, 1);
			break;
		case 'P':
			encoding = (u8)cursor_fixed(data, 1);
			if (encoding != PE_OMIT && ((encoding & PE_BASE) == PE_ALIGNED ||
						    !read_format(data, encoding, &ignored)))
				return false;
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64: return addresses are signed with the B key; no data */
		case 'G': /* arm64: the memory of frames is tagged; no data */
			break;
		default: /* the other fields are unknown; those read so far may suffice */
			return true;
		}
	}
	return !data->is_over;
}

/* Fill in the CIE from the bytes after its id. */
static bool read_cie(const struct cfi_reader *r, struct cfi_cie *cie, struct cursor c)
{
	u8 version = (u8)cursor_fixed(&c, 1);
	const u8 *end = memchr(c.p, 0, cursor_left(&c));
	struct cursor text = { .p = c.p, .end = end }, data;

	if (!end || (version != 1 && version != 3 && version != 4))
		return false;
	c.p = end + 1;
	if (text.end - text.p == 2 && text.p[0] == 'e' && text.p[1] == 'h')
		cursor_fixed(&c, 8); /* gcc before 3.0 */
	else if (text.p < text.end && *text.p != 'z')
		return false;
	/* Sizes of addresses and of segment selectors: 64-bit files always have these. */
	if (version == 4 && (cursor_fixed(&c, 1) != 8 || cursor_fixed(&c, 1) != 0))
		return false;
	cie->code_align = cursor_uleb(&c);
	cie->data_align = cursor_sleb(&c);
	cie->return_reg = version == 1 ? cursor_fixed(&c, 1) : cursor_uleb(&c);
	if (text.p < text.end && *text.p == 'z') {
		text.p++;
		cie->has_augmentation = true;
		data = cursor_take(&c, cursor_uleb(&c));
		if (!read_augmentation(cie, text, &data))
			return false;
	}
	return !c.is_over && cfi_run_cie(r, cie, c);
}

/*
 * An entry begins with its length and an id, which leads from an FDE to its CIE.  The 64-bit form
 * of DWARF has longer ones.  `body` contains the bytes after the id; it is empty if the section
 * ends within the entry.
 */
struct entry {
	u64 id, id_at;
	bool is_wide, is_end;
	struct cursor body;
};

static struct entry read_entry(const struct cfi_reader *r, struct cursor *c)
{
	struct entry e = { 0 };
	u64 length = cursor_fixed(c, 4);

	e.is_wide = length == UINT32_MAX;
	if (e.is_wide)
		length = cursor_fixed(c, 8);
	e.body = cursor_take(c, length);
	e.is_end = !length; /* the terminator; linkers leave some in the middle */
	e.id_at = offset_of(r, &e.body);
	e.id = cursor_fixed(&e.body, e.is_wide && r->section.is_debug ? 8 : 4);
	return e;
}

static bool is_cie(const struct cfi_reader *r, const struct entry *e)
{
	if (!r->section.is_debug)
		return !e->id;
	return e->id == (e->is_wide ? UINT64_MAX : UINT32_MAX);
}

/* The bytes from an offset on, which is in the section. */
static struct cursor bytes_from(const struct cfi_reader *r, u64 at)
{
	return (struct cursor){ .p = r->section.bytes + at,
				.end = r->section.bytes + r->section.size };
}

/* Read the CIE at an offset. */
static struct cfi_cie load_cie(struct cfi_reader *r, u64 at)
{
	struct cursor c = bytes_from(r, at);
	struct cfi_cie cie = { .at = at };
	struct entry e = read_entry(r, &c);

	cie.is_usable = !e.body.is_over && is_cie(r, &e) && read_cie(r, &cie, e.body);
	return cie;
}

/* Index of the CIE at an offset; false: there cannot be one. */
static bool find_cie(struct cfi_reader *r, u64 at, u32 *found)
{
	u64 hash = hash_u64(at);
	size_t next = 0;

	if (r->last < r->cies.n && r->cies.items[r->last].at == at) {
		*found = r->last;
		return true;
	}
	while (index_next(&r->by_at, hash, &next, found)) {
		if (r->cies.items[*found].at != at)
			continue;
		r->last = *found;
		return true;
	}
	if (at >= r->section.size || r->cies.n == MAX_CIES)
		return false;
	*found = r->last = (u32)r->cies.n;
	vec_push(&r->cies, load_cie(r, at));
	index_add(&r->by_at, hash, *found);
	return true;
}

/* ---- FDEs ---- */

static bool read_fde(struct cfi_reader *r, struct entry *e, struct cfi_fde *fde)
{
	u64 at = r->section.is_debug ? e->id : e->id_at - e->id;
	const struct cfi_cie *cie;
	u64 n;

	if (!find_cie(r, at, &fde->cie))
		return false;
	cie = &r->cies.items[fde->cie];
	if (!cie->is_usable || !read_address(r, &e->body, cie->encoding, &fde->start) ||
	    !read_format(&e->body, cie->encoding, &n))
		return false;
	if (cie->has_augmentation)
		cursor_take(&e->body, cursor_uleb(&e->body));
	fde->n = (u32)n;
	fde->at = (u32)offset_of(r, &e->body);
	fde->bytes = (u32)cursor_left(&e->body);
	return !e->body.is_over && n <= UINT32_MAX && fde->start <= UINT64_MAX - n;
}

void cfi_reader_each(struct cfi_reader *r, void (*take)(void *ctx, const struct cfi_fde *fde),
		     void *ctx)
{
	struct cursor c = bytes_from(r, 0);

	while (cursor_left(&c) >= 4 && meter_step(r->meter, 8)) {
		struct entry e = read_entry(r, &c);
		struct cfi_fde fde = { 0 };

		if (e.is_end || (!e.body.is_over && is_cie(r, &e)))
			continue;
		if (e.body.is_over || !read_fde(r, &e, &fde))
			r->n_refused++;
		else if (fde.start && fde.n) /* 0: the linker has dropped the function */
			take(ctx, &fde);
	}
}

bool cfi_reader_fde(struct cfi_reader *r, u64 at, struct cfi_fde *fde)
{
	struct cursor c;
	struct entry e;

	if (at >= r->section.size)
		return false;
	c = bytes_from(r, at);
	e = read_entry(r, &c);
	*fde = (struct cfi_fde){ 0 };
	return !e.is_end && !e.body.is_over && !is_cie(r, &e) && read_fde(r, &e, fde);
}
