// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/match.h"

#include "base/cleanup.h"
#include "base/mem.h"

/* Match one element of a pattern with one character; *next is set to the next element. */
static bool element_matches(const char *p, char c, const char **next)
{
	const char *close;
	bool is_not, hit = false;

	if (*p == '\\' && p[1]) {
		*next = p + 2;
		return p[1] == c;
	}
	close = *p == '[' && p[1] ? strchr(p + 2, ']') : NULL;
	if (!close) {
		*next = p + 1;
		return *p == '?' || *p == c;
	}
	is_not = p[1] == '!' || p[1] == '^';
	for (const char *q = p + 1 + is_not; q < close; q++) {
		if (q[1] == '-' && q + 2 < close) {
			hit |= c >= q[0] && c <= q[2];
			q += 2;
		} else {
			hit |= c == *q;
		}
	}
	*next = close + 1;
	return hit != is_not;
}

/* A star matches as little as possible; if the rest fails, the last star matches one more
 * character. */
bool glob_match(const char *p, struct view text)
{
	const char *star = NULL, *next;
	size_t at = 0, star_at = 0;

	while (at < text.n) {
		if (*p == '*') {
			star = ++p;
			star_at = at;
		} else if (*p && element_matches(p, text.p[at], &next)) {
			p = next;
			at++;
		} else if (star) {
			p = star;
			at = ++star_at;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

int matcher_init(struct matcher *m, const char *pattern, bool is_glob, bool is_regex,
		 struct err *err)
{
	_cleanup_(free_p) char *whole = NULL;
	char why[128];
	int ret;

	*m = (struct matcher){ .pattern = pattern, .is_glob = is_glob, .is_regex = is_regex };
	m->prefix = (struct view){ pattern, strcspn(pattern, "*?[\\") };
	if (!is_regex)
		return 0;
	/* Anchored at both ends for every kind of site; in bcc that depends on the kind. */
	whole = mem_printf("^(%s)$", pattern);
	ret = regcomp(&m->regex, whole, REG_EXTENDED);
	if (!ret)
		return 0;
	regerror(ret, &m->regex, why, sizeof(why));
	m->is_regex = false;
	err_set(err, ERR_USAGE, "'%s' is not a regular expression: %s", pattern, why);
	return err_hint(err, "in a regular expression .* matches anything; "
			     "* alone does so only without -r");
}

void matcher_release(struct matcher *m)
{
	if (m->is_regex)
		regfree(&m->regex);
	m->is_regex = false;
}

bool matcher_matches(const struct matcher *m, struct view name)
{
	regmatch_t all = { .rm_so = 0, .rm_eo = (regoff_t)name.n };

	if (m->is_regex)
		return !regexec(&m->regex, name.p, 1, &all, REG_STARTEND);
	if (!m->is_glob)
		return view_eq(name, m->pattern);
	return name.n >= m->prefix.n && !memcmp(name.p, m->prefix.p, m->prefix.n) &&
	       glob_match(m->pattern, name);
}
