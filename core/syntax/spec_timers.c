// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/spec_timers.h"

#include <string.h>

#include "base/num.h"
#include "base/types.h"

struct timer {
	bool is_report; /* fires on one CPU, to print a report */
	u64 period_ns;
};

static const struct word {
	const char *text;
	bool is_report;
} words[] = { { "interval", true }, { "tick", true }, { "profile", false } };

static const struct unit {
	const char *name;
	u64 ns; /* 0: a rate */
} units[] = {
	{ "hz", 0 },	       { "s", NS_PER_SEC }, { "sec", NS_PER_SEC }, { "ms", NS_PER_MS },
	{ "msec", NS_PER_MS }, { "us", NS_PER_US }, { "usec", NS_PER_US }, { "ns", 1 },
};

static bool set_period(struct view number, struct view unit, struct timer *out)
{
	u64 n;

	if (!num_parse_dec(number, &n) || !n || n > NS_PER_SEC)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (unit.n && !view_eq(unit, units[i].name))
			continue;
		out->period_ns = units[i].ns ? n * units[i].ns : NS_PER_SEC / n;
		return true;
	}
	return false;
}

static size_t n_digits(struct view v)
{
	size_t n = 0;

	while (n < v.n && v.p[n] >= '0' && v.p[n] <= '9')
		n++;
	return n;
}

/* "s:1" in bpftrace; "1s" and "99" in DTrace. */
static bool read_period(struct view v, bool is_dtrace, struct timer *out)
{
	struct view unit;
	size_t n = n_digits(v);

	if (is_dtrace)
		return set_period((struct view){ v.p, n }, (struct view){ v.p + n, v.n - n }, out);
	return view_split(&v, ':', &unit) && unit.n && set_period(v, unit, out);
}

static bool timer_read(struct view site, struct timer *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i].text);

		if (!view_starts(site, words[i].text) || site.n < n + 2 || !strchr(":-", site.p[n]))
			continue;
		out->is_report = words[i].is_report;
		return read_period((struct view){ site.p + n + 1, site.n - n - 1 },
				   site.p[n] == '-', out);
	}
	return false;
}

bool is_timed(struct view site)
{
	struct timer t;

	return timer_read(site, &t);
}

int timed_hint(struct view site, struct err *err)
{
	struct timer t;
	u64 hz, ms;

	if (!timer_read(site, &t))
		return -err->code;
	hz = t.period_ns < NS_PER_SEC ? NS_PER_SEC / t.period_ns : 1;
	ms = t.period_ns / NS_PER_MS;
	if (!t.is_report || !ms)
		return err_hint(err, "e:cpu-clock@%llu samples what runs on each CPU", hz);
	return err_hint(
		err,
		"argdist and funccount can report at this interval: -i %llu%s; e:cpu-clock@%llu "
		"samples what runs on each CPU",
		ms % 1000 ? ms : ms / 1000, ms % 1000 ? "ms" : "s", hz);
}
