// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probe specs: any text is read, or refused with a position in the text, and all spans are within
 * it.
 *
 * seeds: tests/fixtures/probe/spec-*
 */
#include "tests/fuzz/fuzz.h"

#include "syntax/spec.h"

static void check_span(const struct text *t, struct text_range s)
{
	must(s.at <= t->n && s.n <= t->n - s.at);
}

static void check_spec(const struct probe_spec *s, const struct text *t)
{
	const struct text_range spans[] = { s->site,   s->signature, s->predicate,
					    s->format, s->action,    s->types,
					    s->exprs,  s->key,	     s->label };

	for (size_t i = 0; i < ARRAY_SIZE(spans); i++)
		check_span(t, spans[i]);
	for (size_t i = 0; i < s->alternatives.n; i++) {
		check_span(t, s->alternatives.items[i].at);
		check_span(t, s->alternatives.items[i].func);
		must(s->alternatives.items[i].names.n);
	}
	if (!s->span)
		return;
	for (size_t i = 0; i < s->span->starts.n; i++)
		check_spec(&s->span->starts.items[i], t);
	for (size_t i = 0; i < s->span->ends.n; i++)
		check_spec(&s->span->ends.items[i], t);
}

int fuzz_input(const u8 *data, size_t n)
{
	struct spec_opts opts;
	struct arena a = { 0 };
	struct probe_spec spec;
	struct err err = { 0 };
	char *text;
	int ret;

	if (!n)
		return 0;
	opts.is_regex = data[0] & 4;
	text = strndup((const char *)data + 1, n - 1);
	ret = probe_parse(&a, text, (enum spec_form)(data[0] & 3), &opts, &spec, &err);
	must(!ret == !err.code);
	if (ret)
		must(err.code == ERR_USAGE && err.what[0] && err.caret <= strlen(err.text));
	else
		check_spec(&spec, &spec.text);
	probe_spec_release(&spec);
	arena_release(&a);
	free(text);
	return 0;
}
