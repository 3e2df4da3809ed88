// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/singles.h"

#include "base/log.h"

bool singles_are_over(struct render *out)
{
	bool is_over = out->opts->max_file && out->n_bytes >= out->opts->max_file;

	out->n_left += is_over;
	return is_over;
}

static u64 n_stacks(const struct report *r)
{
	struct merged m;
	u64 n;

	report_merge(r, BY_TEXT, &m);
	n = m.rows.n;
	merged_release(&m);
	return n;
}

void singles_end_report(struct render *out, const struct report *r)
{
	if (out->n_left)
		log_warn(
			"file-full",
			out->n_left == 1
				? "%s is full (--max-file): %llu sample or stretch of a wait was left out"
				: "%s is full (--max-file): %llu samples or stretches of waits were left out",
			out->sink->path ? out->sink->path : "standard output", out->n_left);
	out->has_left |= out->n_left || r->n_untimed;
	out->n_left = 0;
	out->n_rows = n_stacks(r);
}
