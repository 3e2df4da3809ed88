// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/singles.h"

#include "base/log.h"

bool singles_are_over(struct render *out)
{
	bool is_over = out->opts->max_file && out->n_bytes >= out->opts->max_file;

	out->n_left += is_over;
	return is_over;
}

void singles_say_left(struct render *out)
{
	if (out->n_left)
		log_warn("file-full",
			 "%s is full (--max-file): %llu samples or waits were left out",
			 out->sink->path ? out->sink->path : "standard output", out->n_left);
	out->n_left = 0;
}
