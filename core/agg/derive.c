// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/derive.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/str.h"
#include "syntax/parse.h"

static double op_add(double a, double b)
{
	return a + b;
}

static double op_sub(double a, double b)
{
	return a - b;
}

static double op_mul(double a, double b)
{
	return a * b;
}

static double op_div(double a, double b)
{
	return b < 0 || b > 0 ? a / b : (double)NAN;
}

static double op_less(double a, double b)
{
	return a < b;
}

static double op_greater(double a, double b)
{
	return a > b;
}

static double op_at_most(double a, double b)
{
	return a <= b;
}

static double op_at_least(double a, double b)
{
	return a >= b;
}

static const struct {
	const char *op;
	double (*fn)(double a, double b);
} ops[] = {
	{ "+", op_add },  { "-", op_sub },     { "*", op_mul },	     { "/", op_div },
	{ "<", op_less }, { ">", op_greater }, { "<=", op_at_most }, { ">=", op_at_least },
};

static size_t op_index(const struct ast *e)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(ops) && strcmp(ops[i].op, e->op) != 0)
		i++;
	return i;
}

#define NAMES_SAID 8

int derive_hint(derive_name name, void *ctx, struct err *err)
{
	_cleanup_(str_release) struct str names = { 0 };
	const char *one;

	for (u32 i = 0; (one = name(ctx, i)) && i < NAMES_SAID; i++)
		str_addf(&names, "%s%s", i ? ", " : "", one);
	if (one)
		str_adds(&names, ", ...");
	return err_hint(err, "it has %s", str_text(&names));
}

/* "Cached:          123456 kB" */
static bool meminfo(const char *name, double *kilobytes)
{
	_cleanup_(str_release) struct str text = { 0 };
	size_t n = strlen(name);
	struct view rest, line;
	u64 value;

	if (file_read("/proc/meminfo", 1 << 16, &text))
		return false;
	rest = str_view(&text);
	while (view_split(&rest, '\n', &line)) {
		if (!view_starts(line, name) || line.n <= n || line.p[n] != ':')
			continue;
		line.p += n + 1 + strspn(line.p + n + 1, " ");
		line.n = strspn(line.p, "0123456789");
		if (!num_parse_dec(line, &value))
			return false;
		*kilobytes = (double)value;
		return true;
	}
	return false;
}

static bool find(const struct derive_names *names, const char *name, double *value)
{
	if (names->lookup(names->ctx, name, value))
		return true;
	for (size_t i = 0; i < names->n_before; i++) {
		if (strcmp(names->before[i].name, name) != 0)
			continue;
		*value = names->values ? names->values[i] : (double)NAN;
		return true;
	}
	if (!strncmp(name, DERIVE_MEMINFO, strlen(DERIVE_MEMINFO)))
		return meminfo(name + strlen(DERIVE_MEMINFO), value);
	*value = names->seconds;
	return !strcmp(name, DERIVE_SECONDS);
}

static int check(const struct derive_names *names, const struct text *t, const struct ast *e,
		 struct err *err)
{
	double ignored;

	switch (e->kind) {
	case AST_NUMBER:
		return 0;
	case AST_NAME:
		if (find(names, e->name, &ignored))
			return 0;
		text_error(t, e->at, err, "no column has the name '%s'", e->name);
		return derive_hint(names->name, names->ctx, err);
	case AST_UNARY:
		if (strcmp(e->op, "-") != 0)
			break;
		return check(names, t, e->a, err);
	case AST_BINARY:
		if (op_index(e) == ARRAY_SIZE(ops))
			break;
		return check(names, t, e->a, err) ?: check(names, t, e->b, err);
	case AST_COND:
		return check(names, t, e->a, err) ?: check(names, t, e->b, err) ?:
		       check(names, t, e->c, err);
	default:
		break;
	}
	return text_error(t, e->mark, err,
			  "a column is computed with + - * / < > <= >= ?: from names and numbers");
}

/* Recurses as deep as the parser allows. */
static double value_of(const struct derive_names *names, const struct ast *e)
{
	double value = (double)NAN;

	switch (e->kind) {
	case AST_NUMBER:
		return (double)e->value;
	case AST_NAME:
		find(names, e->name, &value);
		return value;
	case AST_UNARY:
		return -value_of(names, e->a);
	case AST_BINARY:
		return ops[op_index(e)].fn(value_of(names, e->a), value_of(names, e->b));
	default:
		return value_of(names, value_of(names, e->a) > 0 ? e->b : e->c);
	}
}

int derive_parse(struct arena *a, const char *word, const struct derive_names *names,
		 struct derived *out, struct err *err)
{
	const char *sign = strchr(word, '=');
	struct text_range where;
	int ret;

	*out = (struct derived){ .text = text_of(word) };
	if (!sign || sign == word)
		return err_set(err, ERR_USAGE, "'%s' is not a column; write NAME=EXPRESSION", word);
	out->name = arena_view(a, (struct view){ word, (size_t)(sign - word) });
	where.at = (u32)(sign + 1 - word);
	where.n = out->text.n - where.at;
	ret = parse_expr(a, &out->text, where, &out->expr, err);
	return ret ?: check(names, &out->text, out->expr, err);
}

double derive_value(const struct derived *d, const struct derive_names *names)
{
	return value_of(names, d->expr);
}

void derive_values(const struct derived *d, size_t n, struct derive_names names, double *out)
{
	names.before = d;
	names.values = out;
	for (names.n_before = 0; names.n_before < n; names.n_before++)
		out[names.n_before] = derive_value(&d[names.n_before], &names);
}
