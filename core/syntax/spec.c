// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/spec.h"

#include "syntax/signature.h"
#include "syntax/spec_hints.h"
#include "syntax/spec_site.h"

/* The reader's position in the text. */
struct reader {
	struct arena *a;
	const struct text *t;
	bool is_regex;
	bool has_key;	  /* a [key] may follow the site */
	const char *ends; /* characters that end a site, besides blanks, brackets and quotes */
	u32 at, end;
	struct err *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static u32 skip_blanks(const struct reader *r, u32 at)
{
	while (at < r->end && is_blank(r->t->p[at]))
		at++;
	return at;
}

static char char_at(const struct reader *r, u32 at)
{
	return at < r->end ? r->t->p[at] : '\0';
}

static struct text_range rest_from(const struct reader *r, u32 at)
{
	return (struct text_range){ at, r->end - at };
}

static struct text_range between(u32 from, u32 to)
{
	return (struct text_range){ from, to - from };
}

static int not_closed(const struct reader *r, u32 at)
{
	static const char pairs[] = "()[]{}\"\"";
	char open = r->t->p[at], close = strchr(pairs, open)[1];

	text_error(r->t, between(at, at + 1), r->err, "this '%c' is not closed", open);
	return err_hint(r->err, "a '%c' is missing after it", close);
}

/* ---- the site ---- */

/* The position after template arguments: "push<int, char>".  0: the < is not a bracket. */
static u32 skip_angles(const struct reader *r, u32 at)
{
	u32 depth = 0;

	for (; at < r->end; at++) {
		char c = r->t->p[at];

		depth += c == '<';
		if (c == '>' && !--depth)
			return at + 1;
		if (c == '"' || c == '(' || c == '|')
			return 0;
	}
	return 0;
}

/* Is the [...] at `at` a span's or table's key, not a part of a glob?  A key is at the end of a
 * site. */
static bool is_key(const struct reader *r, u32 at)
{
	u32 close = text_match(r->t, at, r->end);
	char next = char_at(r, close + 1);

	return r->has_key && close < r->end &&
	       (!next || is_blank(next) || next == '(' || strchr(r->ends, next));
}

/* Does the quoted text at `at` belong to the site?  After a ':' it is a library or a function;
 * before a ':', a library. */
static bool is_quoted_name(const struct reader *r, u32 at)
{
	if (char_at(r, at) != '"')
		return false;
	if (at > r->at)
		return r->t->p[at - 1] == ':';
	return char_at(r, text_match(r->t, at, r->end) + 1) == ':';
}

/* The end of the site that begins at r->at. */
static int site_end(const struct reader *r, u32 *end)
{
	u32 at = r->at, next;

	while (at < r->end) {
		char c = r->t->p[at];
		bool is_name = is_quoted_name(r, at);

		if (is_blank(c) || strchr(r->ends, c))
			break;
		if (!r->is_regex && !is_name &&
		    (c == '(' || c == '"' || c == '|' || (c == '[' && is_key(r, at))))
			break;
		if (!r->is_regex && (c == '{' || c == '[' || is_name)) {
			next = text_match(r->t, at, r->end);
			if (next == r->end)
				return not_closed(r, at);
			at = next + 1;
			continue;
		}
		next = c == '<' && !r->is_regex ? skip_angles(r, at) : 0;
		at = next ? next : at + 1;
	}
	*end = at;
	return 0;
}

static int read_span(struct reader *r, u32 open, struct probe_spec *out);

/* A function may also be called span, but then its parentheses contain none of ; : [. */
static bool is_span(const struct reader *r)
{
	static const char word[] = "span(";
	u32 open = r->at + (u32)sizeof(word) - 2, close;

	if (r->end - r->at < sizeof(word) - 1 || memcmp(r->t->p + r->at, word, sizeof(word) - 1))
		return false;
	close = text_match(r->t, open, r->end);
	for (u32 at = open + 1; at < close; at++)
		if (strchr(";:[", r->t->p[at]))
			return true;
	return false;
}

static int read_alternative(struct reader *r, struct probe_spec *out)
{
	struct site_pattern p;
	u32 end = 0;
	int ret = site_end(r, &end);

	if (ret)
		return ret;
	if (end == r->at)
		return text_error(r->t, between(end, end + 1), r->err, "a site is missing here");
	ret = site_pattern_parse(r->a, r->t, between(r->at, end), r->is_regex, &p, r->err);
	vec_push(&out->alternatives, p);
	r->at = end;
	return ret;
}

/* SITE or SITE | SITE, or span(...). */
static int read_site(struct reader *r, struct probe_spec *out)
{
	u32 from = r->at = skip_blanks(r, r->at);
	int ret;

	if (!r->is_regex && is_span(r)) {
		ret = read_span(r, r->at + 4, out);
		out->site = between(from, r->at);
		return ret;
	}
	for (;;) {
		u32 next;

		ret = read_alternative(r, out);
		if (ret)
			return ret;
		next = skip_blanks(r, r->at);
		if (r->is_regex || char_at(r, next) != '|')
			break;
		r->at = skip_blanks(r, next + 1);
	}
	out->site = between(from, r->at);
	return 0;
}

/* ---- (signature) [key] (predicate) ---- */

static int take_parens(struct reader *r, struct text_range inside, bool touches,
		       struct probe_spec *out)
{
	struct text_range body = span_trim(r->t, inside);
	bool is_first = !out->has_signature && !out->has_predicate && !out->key.n;

	/* "()" does not declare parameters. */
	if (!body.n)
		return 0;
	if (is_first && signature_looks_like(span_view(r->t, body), touches)) {
		out->has_signature = true;
		out->signature = body;
	} else if (!out->has_predicate) {
		out->has_predicate = true;
		out->predicate = body;
	} else {
		return text_error(r->t, inside, r->err,
				  "there is a predicate already: join them by &&");
	}
	return 0;
}

static int read_group(struct reader *r, u32 at, bool touches, struct probe_spec *out)
{
	u32 close = text_match(r->t, at, r->end);
	struct text_range inside = between(at + 1, close);

	if (close >= r->end)
		return not_closed(r, at);
	r->at = close + 1;
	if (r->t->p[at] == '(')
		return take_parens(r, inside, touches, out);
	out->key = span_trim(r->t, inside);
	if (!out->key.n)
		return text_error(r->t, inside, r->err, "a key is missing");
	return 0;
}

static int read_groups(struct reader *r, struct probe_spec *out)
{
	for (;;) {
		u32 at = skip_blanks(r, r->at);
		char c = char_at(r, at);
		int ret;

		if (c == ')')
			return text_error(r->t, between(at, at + 1), r->err, "one ')' too many");
		if (c != '(' && !(c == '[' && r->has_key && !out->key.n)) {
			r->at = at;
			return 0;
		}
		ret = read_group(r, at, at == r->at, out);
		if (ret)
			return ret;
	}
}

static int expect_end(const struct reader *r, const char *what)
{
	u32 at = skip_blanks(r, r->at);

	if (at == r->end)
		return 0;
	return text_error(r->t, span_trim(r->t, rest_from(r, at)), r->err, "%s", what);
}

/* ---- span(START ; END) ---- */

/* Refuse "END,keep=first": options must follow another ';'. */
static int refuse_option(const struct reader *r)
{
	struct text_range word = span_trim(r->t, rest_from(r, r->at));
	struct view v = span_view(r->t, word);

	if (!view_starts(v, "keep=") && !view_starts(v, "key="))
		return 0;
	text_error(r->t, word, r->err, "'%.*s' is not a site", (int)v.n, v.p);
	return err_hint(r->err, "put keep=first and key=shared after a ';' of their own: "
				"span(START ; END ; keep=first)");
}

/* SITE[key](predicate), ... up to `end`. */
static int read_ends(const struct reader *outer, u32 from, u32 end, struct probe_span *span,
		     bool is_start)
{
	while (from < end) {
		struct reader r = *outer;
		struct probe_spec one = { .text = *outer->t, .form = SPEC_TRACE };
		int ret;

		r.at = from;
		r.end = text_find(r.t, from, end, ",");
		r.ends = ",;";
		r.has_key = true;
		ret = refuse_option(&r) ?: read_site(&r, &one);
		if (!ret)
			ret = read_groups(&r, &one);
		if (!ret && one.span)
			ret = text_error(r.t, one.site, r.err, "a span begins and ends at sites");
		if (!ret)
			ret = expect_end(&r, "a span's sites are SITE[key](predicate)");
		if (is_start)
			vec_push(&span->starts, one);
		else
			vec_push(&span->ends, one);
		if (ret)
			return ret;
		from = r.end + 1;
	}
	return 0;
}

/* keep=first, key=shared: in any order. */
static int read_span_options(const struct reader *r, u32 from, u32 end, struct probe_span *span)
{
	while (from <= end) {
		u32 comma = text_find(r->t, from, end, ",");
		struct text_range word = span_trim(r->t, between(from, comma));
		struct view option = span_view(r->t, word);

		if (view_eq(option, "keep=first"))
			span->keep_first = true;
		else if (view_eq(option, "key=shared"))
			span->is_shared = true;
		else if (!view_eq(option, "keep=last"))
			return text_error(r->t, word.n ? word : between(from, end), r->err,
					  "only keep=first and key=shared may follow a span's end");
		from = comma + 1;
	}
	return 0;
}

/* In span(START ; UPDATE ; END), what follows the second ';' is no option. */
static bool is_option(const struct reader *r, u32 from, u32 end)
{
	struct view v = span_view(r->t, span_trim(r->t, between(from, end)));

	return !v.n || view_starts(v, "keep=") || view_starts(v, "key=");
}

static int read_span(struct reader *r, u32 open, struct probe_spec *out)
{
	u32 close = text_match(r->t, open, r->end), middle, tail, updates;
	struct probe_span *span = out->span = arena_new(r->a, struct probe_span);
	int ret;

	if (close == r->end)
		return not_closed(r, open);
	span->at = between(r->at, close + 1);
	middle = text_find(r->t, open + 1, close, ";");
	if (middle == close) {
		text_error(r->t, span->at, r->err, "a span is span(START ; END)");
		return err_hint(r->err, "a ';' is missing between its start and its end");
	}
	tail = text_find(r->t, middle + 1, close, ";");
	ret = read_ends(r, open + 1, middle, span, true);
	updates = (u32)span->starts.n;
	if (!ret && tail < close && !is_option(r, tail + 1, close)) {
		ret = read_ends(r, middle + 1, tail, span, true);
		middle = tail;
		tail = text_find(r->t, middle + 1, close, ";");
	}
	span->n_updates = (u32)span->starts.n - updates;
	if (!ret)
		ret = read_ends(r, middle + 1, tail, span, false);
	if (!ret && tail < close)
		ret = read_span_options(r, tail + 1, close, span);
	if (!ret && (!span->starts.n || !span->ends.n))
		ret = text_error(r->t, span->at, r->err, "a span is span(START ; END)");
	r->at = close + 1;
	return ret;
}

/* ---- trace ---- */

/* The rest of the text is not a format: return an error with a hint. */
static int no_format(const struct reader *r)
{
	struct text_range words = span_trim(r->t, rest_from(r, r->at));
	int ret = expect_end(r, "the text to print must begin with a format in double quotes");

	return ret ? spec_words_hint(r->t, words, r->err) : 0;
}

/* "format", expr, ...  The comma after the format is optional, as in bcc. */
static int read_action(struct reader *r, struct probe_spec *out)
{
	u32 close;

	if (r->at == r->end)
		return 0;
	if (char_at(r, r->at) != '"')
		return no_format(r);
	close = text_match(r->t, r->at, r->end);
	if (close == r->end)
		return not_closed(r, r->at);
	out->has_format = true;
	out->format = between(r->at + 1, close);
	r->at = skip_blanks(r, close + 1);
	if (char_at(r, r->at) == ',') {
		out->action = span_trim(r->t, rest_from(r, r->at + 1));
		if (!out->action.n)
			return text_error(r->t, between(r->at, r->at + 1), r->err,
					  "an expression is missing after this ','");
	} else {
		out->action = span_trim(r->t, rest_from(r, r->at));
	}
	return 0;
}

static int read_trace(struct reader *r, struct probe_spec *out)
{
	int ret = read_site(r, out);

	if (!ret)
		ret = read_groups(r, out);
	return ret ? ret : read_action(r, out);
}

/* ---- funccount ---- */

/* Take the label after the sign at `at`. */
static int take_label(struct reader *r, u32 at, struct probe_spec *out)
{
	out->has_label = true;
	out->label = span_trim(r->t, rest_from(r, at + 1));
	r->at = r->end;
	if (out->label.n)
		return 0;
	return text_error(r->t, between(at, at + 1), r->err, "a label is missing after this '%c'",
			  r->t->p[at]);
}

static int read_funccount(struct reader *r, struct probe_spec *out)
{
	int ret = read_site(r, out);

	if (!ret)
		ret = read_groups(r, out);
	if (ret)
		return ret;
	if (char_at(r, r->at) == '#')
		return take_label(r, r->at, out);
	return expect_end(r, "only a (predicate) and a #label may follow a site");
}

/* ---- argdist ---- */

/* The index of the ':' that ends a part: not one of "::" or "?:". */
static u32 part_end(const struct reader *r, u32 at)
{
	u32 n_questions = 0;

	for (;; at++) {
		at = text_find(r->t, at, r->end, ":?");
		if (at == r->end)
			return at;
		if (r->t->p[at] == '?')
			n_questions++;
		else if (char_at(r, at + 1) == ':')
			at++;
		else if (!n_questions--)
			return at;
	}
}

static int part_missing(const struct reader *r, u32 at, const char *what)
{
	return text_error(r->t, between(at, at + 1), r->err, "%s is missing after this ':'", what);
}

/* types[:exprs[:filter]], after the first ':'. */
static int read_parts(struct reader *r, struct probe_spec *out)
{
	u32 first = r->at, second = text_find(r->t, first, r->end, ":"), third;

	out->types = span_trim(r->t, between(first, second));
	if (second == r->end) {
		if (!out->types.n)
			return part_missing(r, first - 1, "a type");
		text_error(r->t, out->types, r->err, "types without expressions");
		err_hint(r->err, "the form is SITE(signature):types:expressions:filter");
		return -r->err->code;
	}
	third = part_end(r, second + 1);
	out->exprs = span_trim(r->t, between(second + 1, third));
	if (!out->exprs.n)
		return part_missing(r, second, "an expression");
	if (third == r->end)
		return 0;
	out->predicate = span_trim(r->t, rest_from(r, third + 1));
	out->has_predicate = true;
	if (!out->predicate.n)
		return part_missing(r, third, "a filter");
	third = part_end(r, third + 1);
	if (third < r->end)
		return text_error(r->t, rest_from(r, third), r->err,
				  "there is a filter already: join conditions by &&");
	return 0;
}

/* "c:read:u64:x", "r:c:read:u64:$latency": the end of the site is ambiguous.  Function names
 * contain colons only in pairs. */
static int check_parens(const struct reader *r, u32 from, const struct probe_spec *out)
{
	const struct site_pattern *p;

	vec_for_each(p, &out->alternatives) {
		u32 at = p->func.at, end = span_end(p->func);

		for (; at < end; at++) {
			if (r->t->p[at] != ':')
				continue;
			if (at + 1 < end && r->t->p[at + 1] == ':') {
				at++;
				continue;
			}
			text_error(r->t, between(at, end), r->err,
				   "parentheses are missing after the site: "
				   "SITE():type:expression");
			return err_hint(r->err, "%.*s()%.*s", (int)(at - from), r->t->p + from,
					(int)(r->end - at), r->t->p + at);
		}
	}
	return 0;
}

/* Older versions of bcc had `;` before the label. */
static int read_argdist(struct reader *r, struct probe_spec *out)
{
	u32 from = skip_blanks(r, r->at), label;
	int ret;

	/* The ';' of a span is inside its parentheses. */
	label = text_find(r->t, from, r->end, "#;");
	ret = label < r->end ? take_label(r, label, out) : 0;
	if (ret)
		return ret;
	r->at = from;
	r->end = label;
	ret = read_site(r, out);
	if (ret && text_find(r->t, from, r->end, "(") == r->end)
		return err_hint(r->err, "for a value of the site: SITE():type:expression");
	if (ret)
		return ret;
	r->at = skip_blanks(r, r->at);
	if (char_at(r, r->at) != '(') {
		ret = check_parens(r, from, out);
		if (ret)
			return ret;
	} else {
		u32 close = text_match(r->t, r->at, r->end);

		if (close == r->end)
			return not_closed(r, r->at);
		out->signature = span_trim(r->t, between(r->at + 1, close));
		out->has_signature = out->signature.n;
		r->at = close + 1;
	}
	r->at = skip_blanks(r, r->at);
	if (r->at == r->end)
		return 0;
	if (char_at(r, r->at) != ':')
		return expect_end(r, "the form is SITE(signature):types:expressions:filter#label");
	r->at++;
	return read_parts(r, out);
}

/* ---- argdist --table ---- */

static int read_column(struct reader *r, struct text_range at, struct probe_spec *out)
{
	static const char *const fns[] = {
		[SPEC_FN_COUNT] = "count", [SPEC_FN_SUM] = "sum", [SPEC_FN_AVG] = "avg",
		[SPEC_FN_MIN] = "min",	   [SPEC_FN_MAX] = "max",
	};
	static const char form[] =
		"a column is NAME=count(), or sum, avg, min, max of an expression";
	u32 end = span_end(at), equals = text_find(r->t, at.at, end, "="), open;
	struct spec_column c = { .name = span_trim(r->t, between(at.at, equals)) };
	struct text_range fn;

	if (equals == end || !c.name.n)
		return text_error(r->t, at, r->err, "%s", form);
	open = equals + 1;
	while (open < end && r->t->p[open] != '(')
		open++;
	fn = span_trim(r->t, between(equals + 1, open));
	if (open == end || text_match(r->t, open, end) != end - 1)
		return text_error(r->t, at, r->err, "%s", form);
	c.expr = span_trim(r->t, between(open + 1, end - 1));
	for (size_t i = 0; i < ARRAY_SIZE(fns); i++) {
		if (!view_eq(span_view(r->t, fn), fns[i]))
			continue;
		c.fn = (enum spec_fn)i;
		if (!c.expr.n && c.fn != SPEC_FN_COUNT)
			return text_error(r->t, at, r->err, "%s() needs an expression", fns[i]);
		if (c.expr.n && c.fn == SPEC_FN_COUNT) {
			text_error(r->t, c.expr, r->err, "count() counts events, not values");
			return err_hint(r->err, "a predicate selects them: SITE[key](%.*s)",
					(int)c.expr.n, r->t->p + c.expr.at);
		}
		vec_push(&out->columns, c);
		return 0;
	}
	return text_error(r->t, fn, r->err, "%s", form);
}

static int read_table(struct reader *r, struct probe_spec *out)
{
	u32 label;
	int ret;

	r->has_key = true;
	ret = read_site(r, out);
	if (!ret)
		ret = read_groups(r, out);
	label = text_find(r->t, r->at, r->end, "#");
	if (!ret && label < r->end)
		ret = text_error(r->t, rest_from(r, label), r->err,
				 "a table has no label: its columns have names");
	while (!ret && r->at < r->end) {
		u32 end = text_find(r->t, r->at, r->end, ",");
		struct text_range at = span_trim(r->t, between(r->at, end));

		ret = read_column(r, at.n ? at : between(r->at, end), out);
		r->at = end + 1;
	}
	if (!ret && !out->columns.n)
		ret = text_error(r->t, out->site, r->err,
				 "a table needs columns: SITE[key] NAME=count(), NAME=sum(expr)");
	return ret;
}

/* ---- all ---- */

int probe_parse(struct arena *a, const char *text, enum spec_form form,
		const struct spec_opts *opts, struct probe_spec *out, struct err *err)
{
	static const struct {
		int (*read)(struct reader *r, struct probe_spec *out);
		const char *ends;
	} forms[] = {
		[SPEC_TRACE] = { read_trace, "" },
		[SPEC_ARGDIST] = { read_argdist, "#;" },
		[SPEC_TABLE] = { read_table, "" },
		[SPEC_FUNCCOUNT] = { read_funccount, "#" },
	};
	struct reader r = {
		.a = a,
		.t = &out->text,
		.is_regex = opts && opts->is_regex,
		.ends = forms[form].ends,
		.err = err,
	};

	*out = (struct probe_spec){ .form = form };
	if (strlen(text) > TEXT_MAX)
		return err_set(err, ERR_USAGE, "a spec of more than %d bytes", TEXT_MAX);
	out->text = text_of(text);
	r.end = out->text.n;
	if (skip_blanks(&r, 0) == r.end) {
		text_error(&out->text, span_all(&out->text), err, "an empty spec");
		return err_hint(err, "a function, tracepoint or system call: 'syscall:openat'");
	}
	return forms[form].read(&r, out);
}

void probe_spec_release(struct probe_spec *s)
{
	struct site_pattern *p;

	vec_for_each(p, &s->alternatives)
		site_pattern_release(p);
	vec_release(&s->alternatives);
	vec_release(&s->columns);
	if (!s->span)
		return;
	for (size_t i = 0; i < s->span->starts.n; i++)
		probe_spec_release(&s->span->starts.items[i]);
	for (size_t i = 0; i < s->span->ends.n; i++)
		probe_spec_release(&s->span->ends.items[i]);
	vec_release(&s->span->starts);
	vec_release(&s->span->ends);
}
