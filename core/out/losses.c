// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "out/losses.h"

#include "out/units.h"

static void add_known(struct str *out, const struct ledger *l)
{
	const char *before = "lost: ";

	for (int i = 0; i < LOST_N_REASONS; i++) {
		if (!l->lost[i] || l->lost[i] == LOST_UNKNOWN)
			continue;
		str_adds(out, before);
		units_add_grouped(out, l->lost[i]);
		str_addf(out, " %s", lost_texts[i]);
		before = ", ";
	}
}

void losses_add(struct str *out, const struct ledger *l)
{
	if (ledger_total(l))
		add_known(out, l);
	else
		str_adds(out, "lost: none");
	for (int i = 0; i < LOST_N_REASONS; i++)
		if (l->lost[i] == LOST_UNKNOWN)
			str_addf(out, "; %s: not countable here", lost_names[i]);
	if (l->stacks.truncated) {
		str_adds(out, "; ");
		units_add_grouped(out, l->stacks.truncated);
		str_adds(out, l->stacks.truncated == 1 ? " stack cut" : " stacks cut");
	}
}
