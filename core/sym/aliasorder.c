// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/aliasorder.h"

#include <string.h>
#include <strings.h>

#include "base/types.h"

/* In the C library, another name of these is in ISO C: memcmp, remainder, lgamma, strchr,
 * aligned_alloc, strrchr. */
static const char *const replaced[] = {
	"bcmp",	  "drem",   "dremf", "dreml",	 "gamma",
	"gammaf", "gammal", "index", "memalign", "rindex",
};

static bool is_replaced(struct view name)
{
	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++)
		if (view_eq(name, replaced[i]))
			return true;
	return false;
}

static size_t leading_underscores(struct view name)
{
	size_t n = 0;

	while (n < name.n && name.p[n] == '_')
		n++;
	return n;
}

int alias_order(struct view a, struct view b)
{
	size_t bars_a = leading_underscores(a), bars_b = leading_underscores(b);
	bool is_replaced_a = is_replaced(a), is_replaced_b = is_replaced(b);

	if (bars_a != bars_b)
		return bars_a > bars_b ? 1 : -1;
	if (is_replaced_a != is_replaced_b)
		return is_replaced_a ? 1 : -1;
	if (a.n != b.n)
		return a.n > b.n ? 1 : -1;
	return strncasecmp(a.p, b.p, a.n) ?: memcmp(b.p, a.p, a.n);
}
