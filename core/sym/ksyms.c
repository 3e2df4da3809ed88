// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/ksyms.h"

#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "sym/kallsyms.h"

/* Take "0x12" and the character after it from the front of a text; `after` 0: the text ends there.
 */
static bool take_hex(struct view *text, char after, u64 *out)
{
	struct view digits = *text;

	if (after && !view_split(text, after, &digits))
		return false;
	if (!view_starts(digits, "0x"))
		return false;
	return num_parse_hex((struct view){ digits.p + 2, digits.n - 2 }, out);
}

static const char *last_plus(const char *text)
{
	const char *found = NULL;

	for (const char *c = text; (c = strstr(c, "+0x")); c++)
		found = c;
	return found;
}

bool ksym_parse(const char *text, u64 addr, struct ksym *out)
{
	const char *plus = last_plus(text), *bracket = plus ? strstr(plus, " [") : NULL;
	struct view numbers, module = { "", 0 };
	u64 offset, size;

	if (!plus || plus == text)
		return false;
	numbers = (struct view){ plus + 1,
				 bracket ? (size_t)(bracket - plus - 1) : strlen(plus + 1) };
	if (!take_hex(&numbers, '/', &offset) || !take_hex(&numbers, 0, &size) || offset > addr ||
	    offset > size)
		return false;
	if (bracket) {
		module = (struct view){ bracket + 2, strcspn(bracket + 2, " ]") };
		if (!module.n)
			return false;
	}
	*out = (struct ksym){ .start = addr - offset,
			      .end = addr - offset + size,
			      .name = { text, (size_t)(plus - text) },
			      .module = module };
	return out->end >= out->start;
}

/* "bpf_prog_6deef7357e7b4530_name" and "bpf_trampoline_6442451": "%pS" does not print "[bpf]" after
 * them.  The kernel has functions of its own whose names begin like that. */
static bool is_bpf(struct view name)
{
	static const char prog[] = "bpf_prog_", trampoline[] = "bpf_trampoline_";
	const size_t tag = sizeof(prog) - 1, n_tag = 16;

	if (view_starts(name, trampoline))
		return name.n >= sizeof(trampoline) &&
		       isdigit((unsigned char)name.p[sizeof(trampoline) - 1]);
	if (!view_starts(name, prog) || name.n < tag + n_tag ||
	    (name.n > tag + n_tag && name.p[tag + n_tag] != '_'))
		return false;
	for (size_t i = 0; i < n_tag; i++)
		if (!isxdigit((unsigned char)name.p[tag + i]))
			return false;
	return true;
}

bool ksym_at(const struct ksym_source *source, u64 addr, struct ksym *out)
{
	const char *text = source->name(source->ctx, addr);

	if (!text || !ksym_parse(text, addr, out) || kallsyms_is_mark(out->name))
		return false;
	/* Images of dispatchers have the name of a function. */
	if (view_starts(out->name, "bpf_dispatcher_"))
		return false;
	if (!out->module.n && is_bpf(out->name))
		out->module = view_of("bpf");
	return addr - out->start < KALLSYMS_MAX_FUNCTION_BYTES;
}
