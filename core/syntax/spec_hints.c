// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/spec_hints.h"

#include <string.h>

/* The length of the text before the format, which is the first string that is neither compared nor
 * an argument. */
static size_t before_format(const struct text *t, struct text_range words)
{
	const char *p = t->p + words.at;
	u32 end = words.at + words.n;
	char last = '\0';

	for (size_t i = 0; i < words.n; i++) {
		if (p[i] == '"' && !(last && strchr("=~(,", last)))
			return i;
		if (p[i] != ' ')
			last = p[i];
		if (p[i] == '"')
			i = text_match(t, words.at + (u32)i, end) - words.at;
	}
	return words.n;
}

static struct view trimmed(struct view v)
{
	while (v.n && v.p[v.n - 1] == ' ')
		v.n--;
	return v;
}

static bool has_any(struct view v, const char *of)
{
	for (size_t i = 0; i < v.n; i++)
		if (strchr(of, v.p[i]))
			return true;
	return false;
}

/* Probes of perf and tracefs name the values that they fetch: "name=+0(%si):string", "fd=%di". */
static bool is_fetch(struct view v)
{
	const char *equals = memchr(v.p, '=', v.n);

	return equals && equals + 1 < v.p + v.n && strchr("%+@$", equals[1]);
}

/* "syscall:read", but not "a ? b : c". */
static bool is_site(struct view v)
{
	return memchr(v.p, ':', v.n) && !has_any(v, "? \"'=<>&");
}

static struct view without_word(struct view v)
{
	static const char *const words[] = { "if ", "when ", "where " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if (view_starts(v, words[i]))
			return (struct view){ v.p + n, v.n - n };
	}
	return v;
}

/* 'text', values: a format in the wrong kind of quotes. */
static int other_quotes(struct view v, struct err *err)
{
	const char *close = memchr(v.p + 1, '\'', v.n - 1);
	int n = close ? (int)(close - v.p - 1) : (int)v.n - 1;

	return err_hint(err, "put a format in double quotes: \"%.*s\"%.*s", n, v.p + 1,
			close ? (int)(v.p + v.n - close - 1) : 0, close ? close + 1 : "");
}

int spec_words_hint(const struct text *t, struct text_range words, struct err *err)
{
	struct view whole = { t->p + words.at, words.n };
	struct view v = trimmed((struct view){ whole.p, before_format(t, words) });

	if (v.p[0] == '\'')
		return other_quotes(whole, err);
	if (v.p[0] == '{')
		return err_hint(err, "a format and its values: \"%%d %%s\", arg1, $comm");
	if (v.p[0] == ';')
		return err_hint(err, "probes do not end in ';': leave it out");
	if (view_starts(v, "||") || view_starts(v, "&&"))
		return err_hint(err,
				"put the whole predicate in one pair of parentheses: "
				"((...) %.2s (...))",
				v.p);
	if (v.n > 2 && v.p[0] == '/' && v.p[v.n - 1] == '/')
		v = (struct view){ v.p + 1, v.n - 2 };
	else if (is_fetch(v))
		return err_hint(err, "put values after a format, without names: \"%%s\", arg2");
	else if (is_site(v))
		return err_hint(err, "quote each probe as one word: '...' '%.*s'", (int)v.n, v.p);
	v = without_word(v);
	if (has_any(v, "=<>!&|~/"))
		return err_hint(err, "put a predicate in parentheses: (%.*s)", (int)v.n, v.p);
	return err_hint(err, "a message is a format and its values: \"%%d\", %.*s", (int)v.n, v.p);
}
