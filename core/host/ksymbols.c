// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/ksymbols.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "host/kfuncs.h"

#define ADDRESS_DIGITS 16
/* "ffffffff81000000 T " */
#define BEFORE_NAME    (ADDRESS_DIGITS + 3)

/* The next line whose name, up to a tab or the end of the line, is `name`.  Removes it from `rest`,
 * with all lines before it. */
static bool next_of_name(struct view *rest, struct view name, u64 *addr)
{
	while (rest->n > BEFORE_NAME + name.n) {
		const char *at =
			memmem(rest->p + BEFORE_NAME, rest->n - BEFORE_NAME, name.p, name.n);
		const char *line = rest->p, *end;

		if (!at)
			return false;
		end = at + name.n;
		rest->n -= (size_t)(end - rest->p);
		rest->p = end;
		if (at - line < BEFORE_NAME || at[-1] != ' ' || !rest->n || !strchr("\t\n", *end))
			continue;
		if (num_parse_hex((struct view){ at - BEFORE_NAME, ADDRESS_DIGITS }, addr))
			return true;
	}
	return false;
}

/* The address of the only symbol of this name, or 0. */
static u64 address_of(struct view text, const char *name)
{
	u64 addr = 0;

	return next_of_name(&text, view_of(name), &addr) ? addr : 0;
}

/* Per-CPU variables are between two marks, which are 0 and a size on some kernels. */
static bool is_per_cpu(struct view text, u64 addr)
{
	u64 begin = address_of(text, "__per_cpu_start"), end = address_of(text, "__per_cpu_end");

	return addr >= begin && addr < end;
}

int ksymbol_find(struct kernel *k, const char *name, struct kernel_symbol *out)
{
	struct view text, rest;
	u64 addr;
	int ret = kfuncs_text(k, &text);

	*out = (struct kernel_symbol){ 0 };
	if (ret)
		return ret;
	rest = text;
	while (next_of_name(&rest, view_of(name), &addr)) {
		out->n_found += !out->n_found || addr != out->addr;
		out->addr = addr;
	}
	out->is_hidden = !kfuncs_text_start(k);
	/* Some variables are listed by all kernels, this one only by those that list all variables.
	 */
	out->has_data = address_of(text, "linux_banner");
	if (is_per_cpu(text, out->addr))
		out->offsets = address_of(text, "__per_cpu_offset");
	return 0;
}
