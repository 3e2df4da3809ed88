// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/cutsay.h"

#include <string.h>

#include "base/log.h"

/* Warn if at least CUT_LEAST user stacks were counted, and CUT_PERCENT of them end early. */
#define CUT_PERCENT 10
#define CUT_LEAST   20

void cuts_print(const struct cuts *cuts, const char *command, bool *is_said)
{
	const char *slash;

	if (*is_said || !cuts->module || cuts->walked < CUT_LEAST ||
	    cuts->cut * 100 < cuts->walked * CUT_PERCENT)
		return;
	*is_said = true;
	slash = strrchr(cuts->module, '/');
	log_warn("stacks-cut",
		 "%llu %% of user stacks are truncated, most of them in %s: code without frame "
		 "pointers (bperf help %s, CAVEATS)",
		 cuts->cut * 100 / cuts->walked, slash ? slash + 1 : cuts->module, command);
}
