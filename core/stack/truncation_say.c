// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/truncation_say.h"

#include <string.h>

#include "base/log.h"

/* Warn if at least LEAST_STACKS user stacks were counted, and LEAST_PERCENT of them end early. */
#define LEAST_PERCENT 10
#define LEAST_STACKS  20

void truncations_print(const struct truncations *truncations, const char *command, bool *is_said)
{
	const char *slash;

	if (*is_said || !truncations->module || truncations->walked < LEAST_STACKS ||
	    truncations->value * 100 < truncations->walked * LEAST_PERCENT)
		return;
	*is_said = true;
	slash = strrchr(truncations->module, '/');
	log_warn("stacks-cut",
		 "%llu %% of user stacks are truncated, most of them in %s: code without frame "
		 "pointers (bperf help %s, CAVEATS)",
		 truncations->value * 100 / truncations->walked,
		 slash ? slash + 1 : truncations->module, command);
}
