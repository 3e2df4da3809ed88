// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds the words of trace, argdist and funccount from a recipe's lines. */
#include <ctype.h>

#include "recipe/build_int.h"

static char char_at(const struct build *b, u32 at)
{
	return b->r->text.p[at];
}

static const struct part *all(const struct build *b)
{
	return &b->parts.items[0];
}

/* A line "with OPTION" that changes what the words are: --raw, --csv, --regexp. */
static bool has_with(const struct build *b, const char *option)
{
	for (size_t i = 0; i < b->with.n; i++)
		if (view_eq(span_view(&b->r->text, b->with.items[i]), option))
			return true;
	return false;
}

/* ---- predicates ---------------------------------------------------------------------------- */

static size_t n_wheres(const struct build *b, const struct part *p)
{
	return all(b)->wheres.n + p->wheres.n;
}

/* "(a == 80) || (a == 443)" for a list of numbers. */
static int put_where(struct build *b, struct text_range where, struct err *err)
{
	u32 n = build_n_fills(b, where);
	int ret = 0;

	for (b->number = 0; b->number < n && !ret; b->number++) {
		build_put(b, b->number ? " || (" : n > 1 ? "(" : "");
		ret = build_fill(b, where, err);
		build_put(b, n > 1 ? ")" : "");
	}
	b->number = 0;
	return ret;
}

/* "(a) && (b)", or "a" alone. */
static int put_wheres(struct build *b, const struct part *p, struct err *err)
{
	size_t n = n_wheres(b, p), n_all = all(b)->wheres.n;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		build_put(b, i ? " && (" : n > 1 ? "(" : "");
		ret = put_where(b, i < n_all ? all(b)->wheres.items[i] : p->wheres.items[i - n_all],
				err);
		build_put(b, n > 1 ? ")" : "");
	}
	return ret;
}

static int put_predicate(struct build *b, const struct part *p, struct err *err)
{
	int ret;

	if (!n_wheres(b, p))
		return 0;
	build_put(b, " (");
	ret = put_wheres(b, p, err);
	build_put(b, ")");
	return ret;
}

/* ---- trace --------------------------------------------------------------------------------- */

/* A column of trace: "%-8s EXPRESSION". */
struct cell {
	struct text_range name, format, value; /* value.n == 0: blank at this probe */
	bool is_message;		       /* "FORMAT", VALUE, ...: the values have names */
};

/* At a probe a column may be several values: let FLAGS "%s|%s", a=EXPRESSION, b=EXPRESSION. */
static bool take_message(const struct text *t, struct cell *c)
{
	u32 end = span_end(c->value), close;
	struct text_range rest;

	if (!c->value.n || t->p[c->value.at] != '"')
		return false;
	close = text_match(t, c->value.at, end);
	rest = span_trim(t, (struct text_range){ close + 1, end - close - 1 });
	if (!rest.n || t->p[rest.at] != ',')
		return false;
	c->format = (struct text_range){ c->value.at + 1, close - c->value.at - 1 };
	c->value = span_trim(t, (struct text_range){ rest.at + 1, rest.n - 1 });
	return true;
}

static struct cell cell_of(const struct build *b, const struct part *p, const struct named *column)
{
	struct cell c = { .name = column->name, .value = column->rest };
	const struct named *let;

	c.format = recipe_word(&b->r->text, &c.value);
	vec_for_each(let, &p->lets)
		if (span_same(&b->r->text, let->name, c.name))
			c.value = let->rest;
	c.is_message = take_message(&b->r->text, &c);
	return c;
}

/* The width in "%-8s", negative if it is aligned to the left; 0: none. */
static int width_of(const struct build *b, struct text_range format)
{
	u32 at = format.at + 1, end = span_end(format);
	bool is_left = false;
	int width = 0;

	for (; at < end && strchr("-+ #0", char_at(b, at)); at++)
		is_left |= char_at(b, at) == '-';
	for (; at < end && isdigit((unsigned char)char_at(b, at)) && width < 1000; at++)
		width = 10 * width + (char_at(b, at) - '0');
	return is_left ? -width : width;
}

static int check_format(const struct build *b, struct text_range format, struct err *err)
{
	if (format.n < 2 || char_at(b, format.at) != '%')
		return recipe_error(b->r, format, err, "a format is expected, such as %%-8s");
	for (u32 at = format.at; at < span_end(format); at++)
		if (strchr("\"\\", char_at(b, at)))
			return recipe_error(b->r, (struct text_range){ at, 1 }, err,
					    "a format must not contain quotes");
	return 0;
}

/* The name in JSON: "LAT(ms)" %.2{ms} is lat_ns, because the value is in nanoseconds. */
static void put_json_name(struct build *b, const struct cell *c)
{
	size_t start = b->word.n;

	for (u32 i = 0; i < c->name.n && char_at(b, c->name.at + i) != '('; i++) {
		unsigned char ch = (unsigned char)char_at(b, c->name.at + i);

		if (isdigit(ch) && !i)
			str_addc(&b->word, '_');
		str_addc(&b->word, isalnum(ch) ? (char)tolower(ch) : '_');
	}
	if (b->word.n == start)
		build_put(b, "value");
	if (char_at(b, span_end(c->format) - 1) == '}')
		build_put(b, "_ns");
}

/* For "%.*s", the precision comes before the value. */
static int put_value(struct build *b, const struct cell *c, struct err *err)
{
	struct text_range precision = { c->value.at, 0 }, value = c->value;
	int ret = 0;

	build_put(b, ", ");
	if (c->is_message)
		return build_fill(b, value, err);
	if (memchr(b->r->text.p + c->format.at, '*', c->format.n)) {
		u32 comma = text_find(&b->r->text, value.at, span_end(value), ",");

		if (comma == span_end(value))
			return recipe_error(b->r, value, err,
					    "'*' takes a number before the value");
		precision.n = comma + 1 - value.at;
		value = span_trim(&b->r->text,
				  (struct text_range){ comma + 1, span_end(value) - comma - 1 });
		ret = build_fill(b, precision, err);
		build_put(b, " ");
	}
	put_json_name(b, c);
	build_put(b, "=");
	return ret ?: build_fill(b, value, err);
}

static int put_columns(struct build *b, const struct part *p, struct err *err)
{
	const struct named *column;
	int ret = 0;

	build_put(b, " \"");
	vec_for_each(column, &all(b)->columns) {
		struct cell c = cell_of(b, p, column);

		build_put(b, column == all(b)->columns.items ? "" : " ");
		ret = ret ?: c.is_message ? 0 : check_format(b, c.format, err);
		if (ret)
			return ret;
		if (c.value.n)
			ret = build_fill(b, c.format, err);
		else
			str_addf(&b->word, "%*s", abs(width_of(b, c.format)), "");
	}
	build_put(b, "\"");
	vec_for_each(column, &all(b)->columns) {
		struct cell c = cell_of(b, p, column);

		if (!c.value.n || ret)
			continue;
		ret = put_value(b, &c, err);
	}
	return ret;
}

static void put_heading(struct build *b)
{
	bool is_csv = has_with(b, "--csv");
	const struct named *column;

	if (has_with(b, "--raw"))
		return;
	build_word(b, "--heading");
	vec_for_each(column, &all(b)->columns) {
		struct cell c = cell_of(b, all(b), column);

		if (column != all(b)->columns.items)
			build_put(b, is_csv ? "," : " ");
		str_addf(&b->word, "%*.*s", is_csv ? 0 : width_of(b, c.format), (int)c.name.n,
			 b->r->text.p + c.name.at);
	}
	while (b->word.n && b->word.p[b->word.n - 1] == ' ')
		b->word.p[--b->word.n] = '\0';
	build_end(b);
}

/* A column that is left out because of an option is a column too. */
static bool is_column(const struct build *b, struct text_range name)
{
	const struct recipe_line *line;

	vec_for_each(line, &b->r->lines) {
		struct text_range rest = line->rest;

		if (line->word == BODY_COLUMN &&
		    span_same(&b->r->text, name, recipe_word(&b->r->text, &rest)))
			return true;
	}
	return false;
}

static int check_lets(const struct build *b, const struct part *p, struct err *err)
{
	const struct named *let;

	vec_for_each(let, &p->lets)
		if (!is_column(b, let->name))
			return recipe_error(b->r, let->name, err, "there is no such column");
	return 0;
}

static int trace_words(struct build *b, struct err *err)
{
	int ret = 0;

	if (all(b)->columns.n)
		put_heading(b);
	for (size_t i = 1; i < b->parts.n && !ret; i++) {
		const struct part *p = &b->parts.items[i];

		if (p->columns.n)
			return recipe_error(b->r, p->columns.items[0].name, err,
					    "columns come before the first probe; 'let' sets the "
					    "value of one at a probe");
		ret = check_lets(b, p, err) ?: build_fill(b, p->site, err) ?:
		      put_predicate(b, p, err);
		if (!ret && all(b)->columns.n)
			ret = put_columns(b, p, err);
		build_end(b);
	}
	return ret;
}

/* ---- argdist ------------------------------------------------------------------------------- */

static int put_by(struct build *b, const struct part *p, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < p->by.n && !ret; i++) {
		build_put(b, i ? ", " : "");
		ret = build_fill(b, p->by.items[i], err);
	}
	return ret;
}

/* A blank ends a regular expression. */
static void put_site_end(struct build *b)
{
	if (has_with(b, "--regexp"))
		build_put(b, " ");
}

/* "SITE[key] (filter) NAME=fn(x), ..."; without a key the table has one row. */
static int table_word(struct build *b, const struct part *p, struct err *err)
{
	const struct part *columns = p->columns.n ? p : all(b), *by = p->by.n ? p : all(b);
	const struct named *column;
	int ret = build_fill(b, p->site, err);

	put_site_end(b);
	if (by->by.n) {
		build_put(b, "[");
		ret = ret ?: put_by(b, by, err);
		build_put(b, "]");
	}
	ret = ret ?: put_predicate(b, p, err);
	vec_for_each(column, &columns->columns) {
		build_put(b, column == columns->columns.items ? " " : ", ");
		ret = ret ?: build_fill(b, column->name, err);
		build_put(b, "=");
		ret = ret ?: build_fill(b, column->rest, err);
	}
	build_end(b);
	return ret;
}

/* Does the site's text end with its signature? */
static bool has_signature(const struct build *b, struct text_range site)
{
	return char_at(b, span_end(site) - 1) == ')' &&
	       !view_starts(span_view(&b->r->text, site), "span(");
}

static bool is_span(const struct build *b, struct text_range site)
{
	return view_starts(span_view(&b->r->text, site), "span(");
}

/* "SITE():type:value:(filter)#label" */
static int dist_word(struct build *b, const struct part *p, struct text_range value,
		     struct err *err)
{
	struct text_range type = p->type.n ? p->type : all(b)->type;
	struct text_range label = p->label.n ? p->label : all(b)->label;
	int ret = build_fill(b, p->site, err);

	put_site_end(b);
	build_put(b, has_signature(b, p->site) || is_span(b, p->site) ? ":" : "():");
	if (type.n)
		ret = ret ?: build_fill(b, type, err);
	else
		build_put(b, "u64");
	build_put(b, ":");
	ret = ret ?: build_fill(b, value, err);
	if (n_wheres(b, p)) {
		build_put(b, ":(");
		ret = ret ?: put_wheres(b, p, err);
		build_put(b, ")");
	}
	if (label.n) {
		build_put(b, "#");
		ret = ret ?: build_fill(b, label, err);
	}
	build_end(b);
	return ret;
}

static int by_of_all(const struct build *b, const struct part *p, struct err *err)
{
	return recipe_error(b->r, p->by.items[0], err,
			    "only a table has 'by' lines after a probe: elsewhere they come before "
			    "the first one");
}

static int dist_words(struct build *b, const struct part *p, struct err *err)
{
	static const char *const letters[BODY_N_WORDS] = {
		[BODY_HISTOGRAM] = "-H",
		[BODY_COUNT] = "-C",
		[BODY_STATS] = "-S",
	};
	const struct part *said = p->kind != BODY_N_WORDS ? p : all(b);

	if (p->by.n)
		return by_of_all(b, p, err);
	if (said->kind == BODY_N_WORDS)
		return recipe_error(
			b->r, p->site, err,
			"this probe has no line that says what to measure: 'histogram', "
			"'count', 'stats' or 'column'");
	build_word(b, letters[said->kind]);
	return dist_word(b, p, said->value, err);
}

static int argdist_words(struct build *b, struct err *err)
{
	int ret = 0;

	for (size_t i = 1; i < b->parts.n && !ret; i++) {
		const struct part *p = &b->parts.items[i];

		if (p->columns.n || (all(b)->columns.n && p->kind == BODY_N_WORDS)) {
			build_word(b, "--table");
			ret = table_word(b, p, err);
			continue;
		}
		ret = dist_words(b, p, err);
		if (!ret && i == 1 && all(b)->by.n) {
			build_word(b, "--by");
			ret = put_by(b, all(b), err);
			build_end(b);
		}
	}
	return ret;
}

/* ---- funccount ----------------------------------------------------------------------------- */

static int funccount_words(struct build *b, struct err *err)
{
	int ret = 0;

	for (size_t i = 1; i < b->parts.n && !ret; i++) {
		const struct part *p = &b->parts.items[i];
		struct text_range label = p->label.n ? p->label : all(b)->label;

		if (p->by.n)
			return by_of_all(b, p, err);
		ret = build_fill(b, p->site, err) ?: put_predicate(b, p, err);
		if (label.n) {
			build_put(b, "#");
			ret = ret ?: build_fill(b, label, err);
		}
		build_end(b);
	}
	if (ret || !all(b)->by.n)
		return ret;
	build_word(b, "--by");
	ret = put_by(b, all(b), err);
	build_end(b);
	return ret;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Only the user decides where results are written and which program is started. */
static bool is_refused(const char *word)
{
	return !strcmp(word, "--") || !strncmp(word, "-o", 2) || !strncmp(word, "--output", 8) ||
	       (word[0] == '-' && isalpha((unsigned char)word[1]) && word[2]);
}

static int with_words(struct build *b, struct err *err)
{
	int ret = 0;

	b->is_raw = true;
	for (size_t i = 0; i < b->with.n && !ret; i++) {
		struct text_range rest = b->with.items[i], word;

		while (!ret && (word = recipe_word(&b->r->text, &rest)).n) {
			ret = build_fill(b, word, err);
			if (!ret && is_refused(str_text(&b->word)))
				ret = recipe_error(b->r, word, err,
						   "'with' takes options of %s, and no letters "
						   "together; -o and -- are refused",
						   recipe_runs[b->r->run]);
			build_end(b);
		}
	}
	b->is_raw = false;
	return ret;
}

static int derive_words(struct build *b, struct err *err)
{
	const struct named *d;
	int ret = 0;

	vec_for_each(d, &b->derive) {
		build_word(b, "--col");
		ret = ret ?: build_fill(b, d->name, err);
		build_put(b, "=");
		ret = ret ?: build_fill(b, d->rest, err);
		build_end(b);
	}
	return ret;
}

int build_words(struct build *b, struct err *err)
{
	static int (*const probes[RECIPE_N_RUNS])(struct build * b, struct err * err) = {
		[RECIPE_TRACE] = trace_words,
		[RECIPE_ARGDIST] = argdist_words,
		[RECIPE_FUNCCOUNT] = funccount_words,
	};

	return with_words(b, err) ?: probes[b->r->run](b, err) ?: derive_words(b, err);
}
