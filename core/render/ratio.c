// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/ratio.h"

#include "base/utf8.h"
#include "render/units.h"

#define STEPS_MAX 3
#define LEAST	  0.1 /* the whole has at least this ratio */

struct ratio_scale ratio_scale_of(const struct report *r)
{
	struct ratio_scale s = { .run = r->run, .whole = r->ratio, .factor = 1 };
	double whole = ratio_value(&r->ratio, &r->ratio).at;

	while (s.step < STEPS_MAX && whole * s.factor < LEAST) {
		s.step++;
		s.factor *= 1000;
	}
	return s;
}

void ratio_add_unit(struct str *out, const struct ratio_scale *s)
{
	static const char *const times[] = { "ns", "us", "ms", "s" };
	static const char *const numbers[] = { "", "1,000 ", "million ", "billion " };
	const char *first = s->run->event;

	str_adds(out, units_is_clock(s->run->second_event) ? "ns of " : "");
	utf8_add_clean(out, view_of(s->run->second_event));
	if (units_is_clock(first))
		str_addf(out, " per %s of ", times[s->step]);
	else if (s->step)
		str_addf(out, " per %s", numbers[s->step]);
	else
		str_addc(out, '/');
	utf8_add_clean(out, view_of(first));
}

void ratio_add_number(struct str *out, const struct ratio_scale *s, double v)
{
	v *= s->factor;
	if (v >= 1000 && v < 1e18)
		units_add_grouped(out, (u64)(v + 0.5));
	else
		str_addf(out, "%.*f", v >= 99.95 ? 1 : v >= 0.9995 ? 2 : 3, v);
}

void ratio_add_interval(struct str *out, const struct ratio_scale *s, const struct ratio_value *v)
{
	if (!v->has_high)
		return;
	ratio_add_number(out, s, v->low);
	str_adds(out, " to ");
	ratio_add_number(out, s, v->high);
}

static void add_value(struct str *out, const struct ratio_scale *s, const struct ratio_value *v)
{
	if (!v->is_defined) {
		str_addc(out, '-');
		return;
	}
	ratio_add_number(out, s, v->at);
	if (v->verdict == RATIO_UNKNOWN || v->verdict == RATIO_NEAR)
		str_addc(out, '~');
}

void ratio_add_short(struct str *out, const struct ratio_scale *s, const struct ratio *part)
{
	struct ratio_value v = ratio_value(part, &s->whole);

	add_value(out, s, &v);
}

void ratio_add_long(struct str *out, const struct ratio_scale *s, const struct ratio *part)
{
	struct ratio_value v = ratio_value(part, &s->whole);

	add_value(out, s, &v);
	if (!v.has_high)
		return;
	str_adds(out, " (");
	ratio_add_interval(out, s, &v);
	str_addc(out, ')');
}

void ratio_add_about(struct str *out, const struct ratio_scale *s)
{
	struct ratio_value v = ratio_value(&s->whole, &s->whole);

	if (!v.is_defined)
		str_addc(out, '-');
	else
		ratio_add_number(out, s, v.at);
	str_addc(out, ' ');
	ratio_add_unit(out, s);
}

/* ---- JSON ---- */

static void add_sum(struct jsonw *w, const char *key, const struct event_sum *sum)
{
	json_open(w, key, '{');
	json_u64(w, "count", sum->n);
	json_u64(w, "events", sum->events);
	json_double(w, "squares", sum->squares);
	json_close(w, '}');
}

static void add_number(struct jsonw *w, const char *key, bool is_known, double v)
{
	if (is_known)
		json_double(w, key, v);
	else
		json_none(w, key);
}

void ratio_json(struct jsonw *w, const char *key, const struct ratio *part,
		const struct ratio *whole)
{
	struct ratio_value v = ratio_value(part, whole);

	json_open(w, key, '{');
	add_number(w, "value", v.is_defined, v.at);
	add_number(w, "low", v.has_high, v.low);
	add_number(w, "high", v.has_high, v.high);
	json_text(w, "verdict", ratio_verdict_names[v.verdict]);
	add_sum(w, "first", &part->first);
	add_sum(w, "second", &part->second);
	json_close(w, '}');
}
