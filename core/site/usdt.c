// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/usdt.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"

/* QEMU with all its trace points has some 8,000 notes of 100 bytes each. */
#define MAX_SECTION (16 << 20)
#define MAX_NOTES   65536
#define NOTE_TYPE   3

enum operand_kind {
	IS_CONST,
	IS_REG,
	IS_MEMORY,
	IS_OTHER
};

/* ---- notes ---- */

struct note_header {
	u32 n_name, n_desc, type;
};

/* Three addresses, then three strings. */
static bool read_desc(struct view desc, u64 base, struct usdt_note *out)
{
	u64 words[3];
	const char *at = desc.p + sizeof(words), *end = desc.p + desc.n;
	const char **strings[] = { &out->provider, &out->name, &out->operands };

	if (desc.n < sizeof(words))
		return false;
	memcpy(words, desc.p, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		const char *stop = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;

		if (!stop)
			return false;
		*strings[i] = at;
		at = stop + 1;
	}
	/* The file was prelinked after the note was written: addresses moved by the same distance
	 * as its .stapsdt.base. */
	out->pc = words[0];
	out->semaphore = words[2];
	if (base && words[1]) {
		out->pc += base - words[1];
		if (out->semaphore)
			out->semaphore += base - words[1];
	}
	return true;
}

static size_t pad4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

bool usdt_notes_each(const struct elf *e, bool (*fn)(void *ctx, const struct usdt_note *n),
		     void *ctx)
{
	const struct elf_section *sec = elf_section_named(e, ".note.stapsdt");
	const struct elf_section *base = elf_section_named(e, ".stapsdt.base");
	_cleanup_(str_release) struct str bytes = { 0 };
	struct view v;
	u32 n_notes = 0;
	int ret;

	if (!sec)
		return false;
	ret = elf_section_load(e, sec, MAX_SECTION, &bytes);
	if (ret == -E2BIG)
		meter_refuse(e->src.meter);
	if (ret)
		return false;
	v = str_view(&bytes);
	while (v.n >= sizeof(struct note_header)) {
		if (n_notes++ == MAX_NOTES)
			meter_refuse(e->src.meter);
		if (n_notes > MAX_NOTES || !meter_step(e->src.meter, 256))
			break;
		struct note_header h;
		struct usdt_note note = { 0 };
		size_t name_at = sizeof(h), desc_at, end;

		memcpy(&h, v.p, sizeof(h));
		if (h.n_name > v.n || h.n_desc > v.n)
			break;
		desc_at = name_at + pad4(h.n_name);
		end = desc_at + pad4(h.n_desc);
		if (desc_at + h.n_desc > v.n)
			break;
		if (h.type == NOTE_TYPE && h.n_name == 8 && !memcmp(v.p + name_at, "stapsdt", 8) &&
		    read_desc((struct view){ v.p + desc_at, h.n_desc }, base ? base->addr : 0,
			      &note) &&
		    !fn(ctx, &note))
			break;
		if (end > v.n)
			break;
		v = (struct view){ v.p + end, v.n - end };
	}
	return true;
}

/* ---- operands ---- */

/* The text being parsed. */
struct note_cursor {
	const char *p;
	const struct usdt_symbols *symbols;
};

static void blanks(struct note_cursor *c)
{
	while (*c->p == ' ' || *c->p == '\t')
		c->p++;
}

static bool skip_char(struct note_cursor *c, char what)
{
	blanks(c);
	if (*c->p != what)
		return false;
	c->p++;
	return true;
}

/* "-16", "0x10", "5". */
static bool take_number(struct note_cursor *c, s64 *out)
{
	const char *from;
	struct view v;
	bool is_negative;
	u64 n;

	blanks(c);
	from = c->p;
	is_negative = *from == '-';
	from += *from == '-' || *from == '+';
	if (!isdigit((unsigned char)*from))
		return false;
	c->p = from;
	while (isalnum((unsigned char)*c->p))
		c->p++;
	v = (struct view){ from, (size_t)(c->p - from) };
	if (view_starts(v, "0x")) {
		if (!num_parse_hex((struct view){ v.p + 2, v.n - 2 }, &n))
			return false;
	} else if (!num_parse_dec(v, &n)) {
		return false;
	}
	*out = is_negative ? (s64)(0 - n) : (s64)n;
	return true;
}

static bool take_word(struct note_cursor *c, char *out, size_t size)
{
	size_t n = 0;

	blanks(c);
	while (isalnum((unsigned char)c->p[n]) || (c->p[n] && strchr("_.$", c->p[n])))
		n++;
	if (!n || n >= size)
		return false;
	memcpy(out, c->p, n);
	out[n] = '\0';
	c->p += n;
	return true;
}

/* "%rax" */
static bool take_x86_reg(struct note_cursor *c, char *out)
{
	return skip_char(c, '%') && take_word(c, out, sizeof(((struct usdt_operand *)0)->reg));
}

/* "(%rbp)", "(%rax,%rbx,8)"; the displacement was already read. */
static bool take_x86_address(struct note_cursor *c, struct usdt_operand *o)
{
	s64 scale = 1;

	o->kind = IS_MEMORY;
	if (!skip_char(c, '(') || !take_x86_reg(c, o->reg))
		return false;
	if (skip_char(c, ',')) {
		o->has_index = true;
		if (!take_x86_reg(c, o->index))
			return false;
		if (skip_char(c, ',') && !take_number(c, &scale))
			return false;
	}
	o->scale = (u32)scale;
	return skip_char(c, ')') && (scale == 1 || scale == 2 || scale == 4 || scale == 8);
}

/* "counter(%rip)", "table+8(%rip)": the distance from the site is the same wherever the file is
 * loaded, and the instruction pointer is known when the probe fires. */
static bool take_x86_symbol(struct note_cursor *c, struct usdt_operand *o)
{
	char name[256];
	s64 add = 0;
	u64 vaddr;

	if (!take_word(c, name, sizeof(name)))
		return false;
	if (*c->p == '+' || *c->p == '-')
		if (!take_number(c, &add))
			return false;
	if (!take_x86_address(c, o) || strcmp(o->reg, "rip") != 0 || o->has_index || !c->symbols ||
	    !c->symbols->address_of(c->symbols->ctx, name, &vaddr))
		return false;
	o->value = (s64)(vaddr - c->symbols->pc) + add;
	return true;
}

/* "[sp]", "[x29, -8]", "[x0, x1]", "[x0, x1, lsl 3]". */
static bool take_arm_address(struct note_cursor *c, struct usdt_operand *o)
{
	char word[8];
	s64 shift = 0;

	o->kind = IS_MEMORY;
	o->scale = 1;
	if (!skip_char(c, '[') || !take_word(c, o->reg, sizeof(o->reg)))
		return false;
	if (skip_char(c, ',')) {
		skip_char(c, '#');
		if (!take_number(c, &o->value)) {
			o->has_index = true;
			/* A 32-bit index needs an extension, which is not supported. */
			if (!take_word(c, o->index, sizeof(o->index)) || o->index[0] == 'w')
				return false;
			if (skip_char(c, ',')) {
				if (!take_word(c, word, sizeof(word)) || strcmp(word, "lsl") != 0)
					return false;
				skip_char(c, '#');
				if (!take_number(c, &shift) || shift < 0 || shift > 4)
					return false;
			}
			o->scale = 1U << shift;
		}
	}
	return skip_char(c, ']');
}

static bool is_arm_reg(const char *p)
{
	return ((p[0] == 'x' || p[0] == 'w') && isdigit((unsigned char)p[1])) ||
	       !strncmp(p, "sp", 2);
}

static bool take_place(struct note_cursor *c, struct usdt_operand *o)
{
	const char *from;

	blanks(c);
	from = c->p;
	if (*from == '$') {
		c->p++;
		o->kind = IS_CONST;
		return take_number(c, &o->value);
	}
	if (*from == '%') {
		o->kind = IS_REG;
		return take_x86_reg(c, o->reg) && *c->p != ':';
	}
	if (*from == '[')
		return take_arm_address(c, o);
	if (take_number(c, &o->value)) {
		if (*c->p == '(')
			return take_x86_address(c, o);
		o->kind = IS_CONST; /* arm64 writes constants without a prefix */
		return true;
	}
	if (*from == '(')
		return take_x86_address(c, o);
	if (is_arm_reg(from)) {
		struct note_cursor t = *c;

		if (take_word(&t, o->reg, sizeof(o->reg)) && (!*t.p || *t.p == ' ')) {
			o->kind = IS_REG;
			c->p = t.p;
			return true;
		}
	}
	return take_x86_symbol(c, o);
}

/* The start of the next operand: blanks within brackets belong to the operand. */
static const char *operand_end(const char *p)
{
	u32 depth = 0;

	for (; *p; p++) {
		depth += *p == '[' || *p == '(';
		depth -= (*p == ']' || *p == ')') && depth;
		if (*p == ' ' && !depth)
			break;
	}
	return p;
}

static void read_operand(struct arena *a, const char *from, const char *end,
			 const struct usdt_symbols *symbols, struct usdt_operand *o)
{
	const char *text = arena_strndup(a, from, (size_t)(end - from));
	struct note_cursor c = { text, symbols };
	const char *sign = strchr(text, '@');
	s64 size = 8;
	bool is_read;

	*o = (struct usdt_operand){ .size = 8, .text = text };
	if (sign) {
		is_read = take_number(&c, &size);
		/* "8f@%xmm0": a floating-point number. */
		if (!is_read || *c.p != '@') {
			o->kind = IS_OTHER;
			return;
		}
		c.p++;
	}
	o->is_signed = size < 0;
	o->size = (u8)(size < 0 ? -size : size);
	is_read = take_place(&c, o);
	blanks(&c);
	if (!is_read || *c.p || (o->size != 1 && o->size != 2 && o->size != 4 && o->size != 8))
		o->kind = IS_OTHER;
}

void usdt_operands_parse(struct arena *a, const char *text, const struct usdt_symbols *symbols,
			 struct usdt_location *out)
{
	out->n_operands = 0;
	while (out->n_operands < USDT_MAX_OPERANDS) {
		const char *end;

		while (*text == ' ')
			text++;
		if (!*text)
			return;
		end = operand_end(text);
		read_operand(a, text, end, symbols, &out->operands[out->n_operands++]);
		text = end;
	}
}
