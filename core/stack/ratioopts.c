// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of profile that name two events. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "stack/profile.h"

static int refuse(struct err *err, const char *option, const char *why)
{
	err_set(err, ERR_USAGE, "%s: %s", option, why);
	return err_hint(err,
			"--ratio instructions/cycles: the number of instructions for each cycle");
}

static int take_event(const char *option, struct view text, struct profile_event *out,
		      struct err *err)
{
	bool has_period = text.n && memchr(text.p, ':', text.n);
	struct view name = { 0 };

	view_split(&text, ':', &name);
	if (!name.n)
		return refuse(err, option, "an event is missing");
	if (has_period && (!num_parse_dec(text, &out->period) || !out->period)) {
		err_set(err, ERR_USAGE, "%s: '%.*s' is not a number of events", option, (int)text.n,
			text.p);
		return err_hint(err, "EVENT:N takes one sample every N events: page-faults:100");
	}
	out->name = mem_strndup(name.p, name.n);
	return 0;
}

int profile_take_ratio(struct profile_conf *conf, struct err *err)
{
	struct view first, second;

	if (conf->color_by)
		return take_event("--color-by", view_of(conf->color_by), &conf->second, err);
	if (!conf->ratio)
		return 0;
	first = view_of(conf->ratio);
	if (!strchr(conf->ratio, '/') || !view_split(&first, '/', &second))
		return refuse(err, "--ratio", "needs two events with a / between them");
	return take_event("--ratio", second, &conf->second, err)
		       ?: take_event("--ratio", first, &conf->first, err);
}

void profile_release_ratio(struct profile_conf *conf)
{
	free(conf->first.name);
	free(conf->second.name);
}
