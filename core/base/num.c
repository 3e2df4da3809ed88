// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/num.h"

#include <stdio.h>
#include <string.h>

bool num_parse_dec(struct view v, u64 *out)
{
	u64 value = 0;

	if (!v.n)
		return false;
	for (size_t i = 0; i < v.n; i++) {
		u64 d = (u64)(u8)v.p[i] - '0';

		if (d > 9 || __builtin_mul_overflow(value, 10ULL, &value) ||
		    __builtin_add_overflow(value, d, &value))
			return false;
	}
	*out = value;
	return true;
}

/* A digit's value + 1; 0: not a digit. */
static const u8 hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool has_hex_prefix(struct view v)
{
	return v.n > 2 && v.p[0] == '0' && (v.p[1] == 'x' || v.p[1] == 'X');
}

bool num_parse_hex(struct view v, u64 *out)
{
	u64 value = 0;
	u8 all = 0;

	if (has_hex_prefix(v))
		v = (struct view){ v.p + 2, v.n - 2 };
	for (; v.n > 16 && *v.p == '0'; v.p++, v.n--)
		;
	if (!v.n || v.n > 16)
		return false;
	/* The loop has no branch on the digits: kallsyms has 100,000 addresses. */
	for (size_t i = 0; i < v.n; i++) {
		u8 d = (u8)(hex_digits[(u8)v.p[i]] - 1);

		all |= d;
		value = value << 4 | d;
	}
	if (all > 15)
		return false;
	*out = value;
	return true;
}

static bool is_digits(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

int num_u64(const char *text, u64 min, u64 max, const char *what, u64 *out, struct err *err)
{
	struct view v = view_of(text);
	bool ok = has_hex_prefix(v) ? num_parse_hex(v, out) : num_parse_dec(v, out);
	bool is_negative = *text == '-' && is_digits(text + 1), is_large = !ok && is_digits(text);

	if (!ok && !is_negative && !is_large)
		return err_set(err, ERR_USAGE, "%s: '%s' is not a whole number", what, text);
	if (!ok || *out < min || *out > max) {
		if (max == UINT64_MAX && is_large)
			return err_set(err, ERR_USAGE, "%s: %s is above %llu", what, text, max);
		if (max == UINT64_MAX)
			return err_set(err, ERR_USAGE, "%s: %s is below %llu", what, text, min);
		return err_set(err, ERR_USAGE, "%s: %s is not in %llu to %llu", what, text, min,
			       max);
	}
	return 0;
}

static const char byte_units[] = "KMG";

int num_bytes(const char *text, u64 min, u64 max, const char *what, u64 *out, struct err *err)
{
	struct view v = view_of(text);
	const char *unit = v.n > 1 ? strchr(byte_units, v.p[v.n - 1]) : NULL;
	u64 scale = unit ? 1024ULL << 10 * (unit - byte_units) : 1;

	v.n -= unit != NULL;
	if (!num_parse_dec(v, out))
		return err_set(err, ERR_USAGE, "%s: '%s' is not a size, such as 64M", what, text);
	if (__builtin_mul_overflow(*out, scale, out) || *out < min || *out > max)
		return err_set(err, ERR_USAGE, "%s: %s is not in %lluM to %lluG", what, text,
			       min >> 20, max >> 30);
	return 0;
}

static const struct {
	const char *name;
	u64 ns;
} units[] = {
	{ "ns", 1 },	     { "us", NS_PER_US },      { "ms", NS_PER_MS },
	{ "s", NS_PER_SEC }, { "m", 60 * NS_PER_SEC }, { "h", 3600 * NS_PER_SEC },
};

/* Parse digits with at most one point: the digits as an integer, and 10^(number of decimals), of
 * which nine count.  A number that is too large is the largest. */
static bool parse_decimal(struct view v, u64 *value, u64 *scale)
{
	bool point = false, digit = false, is_large = false;

	*value = 0;
	*scale = 1;
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (v.p[i] < '0' || v.p[i] > '9')
			return false;
		digit = true;
		if (*scale >= NS_PER_SEC)
			continue;
		is_large |= __builtin_mul_overflow(*value, 10ULL, value) ||
			    __builtin_add_overflow(*value, (u64)(v.p[i] - '0'), value);
		if (point)
			*scale *= 10;
	}
	if (is_large) {
		*value = UINT64_MAX;
		*scale = 1;
	}
	return digit;
}

static void duration_text(u64 ns, char *out, size_t size)
{
	if (ns % NS_PER_SEC == 0)
		snprintf(out, size, "%llu s", ns / NS_PER_SEC);
	else if (ns % NS_PER_MS == 0)
		snprintf(out, size, "%llu ms", ns / NS_PER_MS);
	else if (ns % NS_PER_US == 0)
		snprintf(out, size, "%llu us", ns / NS_PER_US);
	else
		snprintf(out, size, "%llu ns", ns);
}

int num_duration(const char *text, u64 unit_ns, u64 min_ns, u64 max_ns, const char *what, u64 *out,
		 struct err *err)
{
	size_t digits = strspn(text, "0123456789.");
	u64 value, scale;
	bool is_large;

	if (!parse_decimal((struct view){ text, digits }, &value, &scale))
		goto bad;
	if (text[digits]) {
		unit_ns = 0;
		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (!strcmp(text + digits, units[i].name))
				unit_ns = units[i].ns;
		if (!unit_ns)
			goto bad;
	}
	is_large = __builtin_mul_overflow(value, unit_ns, out);
	*out /= scale;
	if (is_large || *out < min_ns || *out > max_ns) {
		char low[32], high[32];

		duration_text(min_ns, low, sizeof(low));
		duration_text(max_ns, high, sizeof(high));
		return err_set(err, ERR_USAGE, "%s: '%s' is not in %s to %s", what, text, low,
			       high);
	}
	return 0;
bad:
	err_set(err, ERR_USAGE, "%s: '%s' is not a time", what, text);
	return err_hint(err, "a number, fractions allowed, with ns, us, ms, s, m or h after it");
}

int num_ranges(const char *text, u64 max, const char *what, void (*add)(void *ctx, u64 v),
	       void *ctx, struct err *err)
{
	struct view rest = view_of(text), piece;
	int n = 0;

	while (view_split(&rest, ',', &piece)) {
		struct view from, to = piece;
		u64 lo, hi;

		if (view_split(&to, '-', &from) && from.n == piece.n)
			to = from;
		if (!piece.n || !num_parse_dec(from, &lo) || !num_parse_dec(to, &hi) || lo > hi)
			return err_set(err, ERR_USAGE, "%s: '%s' is not a list like 0-3,8", what,
				       text);
		if (hi > max)
			return err_set(err, ERR_USAGE, "%s: %llu is above %llu", what, hi, max);
		for (u64 v = lo; v <= hi; v++, n++)
			add(ctx, v);
	}
	return n ? n : err_set(err, ERR_USAGE, "%s: an empty list", what);
}
