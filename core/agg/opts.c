// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/opts.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"

/* A bucket costs 8 bytes in each cell, a bound some instructions in each program. */
#define LINEAR_MAX 1000
#define BOUNDS_MAX 64
#define PCT_MAX	   16

void dist_defaults(struct dist_scale_conf *scale, struct dist_pct_conf *pct)
{
	scale->scaling.kind = SCALE_LOG2;
	vec_push(&pct->v, 50);
	vec_push(&pct->v, 90);
	vec_push(&pct->v, 99);
}

void dist_release_conf(struct dist_scale_conf *scale, struct dist_pct_conf *pct)
{
	vec_release(&scale->bounds);
	vec_release(&pct->v);
}

/* "-5", "100", "1.5ms" */
static int parse_value(struct view word, s64 *out, struct err *err)
{
	struct str text = { 0 };
	bool is_negative = word.n && word.p[0] == '-';
	u64 value = 0;
	int ret;

	str_add(&text, word.p + is_negative, word.n - is_negative);
	ret = num_duration(str_text(&text), 1, 0, INT64_MAX, "a value", &value, err);
	str_release(&text);
	*out = is_negative ? -(s64)value : (s64)value;
	return ret;
}

/* "a,b,c": at most `max`. */
static int parse_values(const char *text, u32 max, s64 *out, u32 *n, struct err *err)
{
	struct view rest = view_of(text), word;
	int ret = 0;

	for (*n = 0; !ret && view_split(&rest, ',', &word); ++*n) {
		if (*n == max)
			return err_set(err, ERR_USAGE, "'%s': more than %u values", text, max);
		ret = parse_value(word, &out[*n], err);
	}
	return ret;
}

int dist_parse_linear(void *field, const char *text, struct err *err)
{
	struct dist_scale_conf *conf = field;
	s64 v[3] = { 0 };
	u64 span, n;
	u32 n_values;
	int ret = parse_values(text, 3, v, &n_values, err);

	if (ret)
		return ret;
	if (n_values != 3 || v[1] <= v[0] || v[2] <= 0)
		return err_set(err, ERR_USAGE,
			       "'%s' is not MIN,MAX,STEP, with MIN below MAX and a STEP above 0",
			       text);
	span = (u64)v[1] - (u64)v[0];
	n = span / (u64)v[2] + (span % (u64)v[2] != 0);
	if (n > LINEAR_MAX)
		return err_set(err, ERR_USAGE, "'%s' makes %llu buckets: %u at most", text, n,
			       LINEAR_MAX);
	conf->scaling = (struct dist_scaling){
		.kind = SCALE_LINEAR,
		.min = v[0],
		.step = v[2],
		.n = (u32)n,
	};
	return 0;
}

int dist_parse_bounds(void *field, const char *text, struct err *err)
{
	struct dist_scale_conf *conf = field;
	s64 v[BOUNDS_MAX];
	u32 n = 0;
	int ret = parse_values(text, BOUNDS_MAX, v, &n, err);

	if (ret)
		return ret;
	conf->bounds.n = 0;
	for (u32 i = 0; i < n; i++) {
		if (i && v[i] <= v[i - 1])
			return err_set(err, ERR_USAGE,
				       "'%s': each value must be above the one before", text);
		vec_push(&conf->bounds, v[i]);
	}
	conf->scaling = (struct dist_scaling){
		.kind = SCALE_BOUNDS,
		.n = n,
		.bounds = conf->bounds.items,
	};
	return n ? 0 : err_set(err, ERR_USAGE, "a value is missing");
}

/* "99.9": up to three digits after the point. */
static int parse_percentile(struct view word, double *out, struct err *err)
{
	struct str text = { 0 };
	struct err ignored = { 0 };
	u64 thousandths = 0;
	int ret = 0;

	str_add(&text, word.p, word.n);
	if (!word.n || strspn(str_text(&text), "0123456789.") != word.n ||
	    num_duration(str_text(&text), 1000, 1, 100000, "", &thousandths, &ignored)) {
		err_set(err, ERR_USAGE, "'%s' is not a percentile", str_text(&text));
		ret = err_hint(err, "a number from 0.001 to 100");
	}
	*out = (double)thousandths / 1000;
	str_release(&text);
	return ret;
}

int dist_parse_percentiles(void *field, const char *text, struct err *err)
{
	struct dist_pct_conf *conf = field;
	struct view rest = view_of(text), word;
	int ret = 0;

	conf->v.n = 0;
	conf->is_given = true;
	while (!ret && view_split(&rest, ',', &word)) {
		double value;

		if (conf->v.n == PCT_MAX)
			return err_set(err, ERR_USAGE, "'%s': more than %u percentiles", text,
				       PCT_MAX);
		ret = parse_percentile(word, &value, err);
		vec_push(&conf->v, value);
	}
	if (!ret && !conf->v.n)
		ret = err_set(err, ERR_USAGE, "a percentile is missing");
	return ret;
}
