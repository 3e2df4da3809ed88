/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * USDT probes: the .note.stapsdt sections of programs and libraries (systemtap's sys/sdt.h), and
 * the operands that describe where a probe's arguments are.
 */
#ifndef SITE_USDT_H
#define SITE_USDT_H

#include "base/arena.h"
#include "site/site.h"
#include "sym/elf.h"

/* A note as it is stored in the file; strings are borrowed. */
struct usdt_note {
	u64 pc, semaphore; /* vaddr; 0: none */
	const char *provider, *name, *operands;
};

/* Call fn for all notes until it returns false.  Returns false if there are none. */
bool usdt_notes_each(const struct elf *e, bool (*fn)(void *ctx, const struct usdt_note *n),
		     void *ctx);

/*
 * Parse the operands of a location, such as "-4@%eax 8@-16(%rbp,%rcx,8) 4@$5" or "8@[sp, 24]
 * -4@w0", into its arena.  `address_of` returns the vaddr of a symbol in an operand (false:
 * unknown); pc is the location's.  Operands that cannot be read have kind 3.
 */
struct usdt_symbols {
	bool (*address_of)(void *ctx, const char *name, u64 *vaddr);
	void *ctx;
	u64 pc;
};
void usdt_operands_parse(struct arena *a, const char *text, const struct usdt_symbols *symbols,
			 struct usdt_location *out);

#endif
