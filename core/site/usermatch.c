// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/usermatch_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sym/demangle.h"

/* Names of the standard library have abbreviations: std is St, std::ostream is So, and so on. */
static bool is_standard(const char *pattern, size_t at, size_t n)
{
	return (n == 3 && !memcmp(pattern + at, "std", 3)) ||
	       (at >= 5 && !memcmp(pattern + at - 5, "std::", 5));
}

/* The last plain identifier outside of template arguments: mangled names contain it literally.
 * Empty if that is not certain: operators and lambdas are encoded, and characters within brackets
 * are alternatives. */
static struct view key_of(const char *pattern, size_t n, bool is_glob)
{
	struct view key = { pattern, 0 };
	u32 depth = 0;

	if (memmem(pattern, n, "operator", 8) || memchr(pattern, '{', n) ||
	    (is_glob && memchr(pattern, '[', n)))
		return key;
	for (size_t at = 0, end; at < n; at = end) {
		end = at;
		while (end < n && (isalnum((unsigned char)pattern[end]) || pattern[end] == '_'))
			end++;
		if (end == at) {
			depth += pattern[at] == '<';
			depth -= pattern[at] == '>' && depth;
			end++;
		} else if (!depth && !is_standard(pattern, at, end - at)) {
			key = (struct view){ pattern + at, end - at };
		}
	}
	return key;
}

bool user_name_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

#define MAX_CALLED 8

/* Equal except for blanks: "char*" and "char *". */
static bool is_same_call(const char *a, const char *b)
{
	do {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b)
			return false;
	} while (b++, *a++);
	return true;
}

size_t user_name_parameters(const char *call)
{
	const char *at = strrchr(call, ')');
	u32 depth = 0;

	for (; at && at > call; at--) {
		depth += *at == ')';
		if (*at == '(' && !--depth)
			return (size_t)(at - call);
	}
	return strlen(call);
}

void user_match_add_called(struct user_match *m, const char *call)
{
	m->n_called++;
	if (m->n_called <= MAX_CALLED)
		str_addf(&m->called, "%s\"%s\"", m->n_called > 1 ? ", " : "", call);
	else if (m->n_called == MAX_CALLED + 1)
		str_adds(&m->called, ", ...");
}

/* Match the symbol, the name, or the name with parameters; the latter two in full, or without
 * default template arguments. */
static const char *match_quoted(struct user_match *m, const char *name)
{
	const char *said = m->name->func, *want = str_text(&m->wanted);
	size_t n = user_name_parameters(want);
	bool is_same = !strcmp(name, said);

	if (!is_same) {
		str_clear(&m->demangled);
		demangle(name, SYM_NAMES_SHORT, &m->demangled);
		is_same = is_same_call(str_text(&m->demangled), want);
	}
	if (!is_same) {
		str_clear(&m->demangled);
		demangle(name, SYM_NAMES_FULL, &m->demangled);
		is_same = is_same_call(str_text(&m->demangled), said);
	}
	str_clear(&m->demangled);
	demangle_call(name, &m->demangled);
	if (is_same || is_same_call(str_text(&m->demangled), want))
		return str_text(&m->demangled);
	if (want[n] && !strncmp(str_text(&m->demangled), want, n) &&
	    user_name_parameters(str_text(&m->demangled)) == n)
		user_match_add_called(m, str_text(&m->demangled));
	return NULL;
}

const char *user_match_symbol(struct user_match *m, const char *name)
{
	if (m->name->is_quoted && user_name_is_mangled(name))
		return m->key.n && !memmem(name, strlen(name), m->key.p, m->key.n)
			       ? NULL
			       : match_quoted(m, name);
	if (matcher_matches(m->plain, view_of(name))) {
		if (m->wants_symbols || !user_name_is_mangled(name))
			return name;
		str_clear(&m->demangled);
		demangle(name, SYM_NAMES_SHORT, &m->demangled);
		return str_text(&m->demangled);
	}
	if (!user_name_is_mangled(name))
		return NULL;
	if (m->key.n && !memmem(name, strlen(name), m->key.p, m->key.n))
		return NULL;
	str_clear(&m->demangled);
	demangle(name, SYM_NAMES_SHORT, &m->demangled);
	return matcher_matches(&m->match, str_view(&m->demangled)) ? str_text(&m->demangled) : NULL;
}

/* Other tools show C++ names in full: accept such names too. */
int user_match_init(struct user_match *m, struct finder *f)
{
	const char *want = f->name->func;

	*m = (struct user_match){ .name = f->name, .plain = &f->match };
	m->wants_symbols = (!f->name->is_glob && !f->p->is_regex) ||
			   user_name_is_mangled(want + (f->p->is_regex && *want == '^'));
	if (!f->p->is_regex) {
		shorten_name(want, &m->wanted);
		want = str_text(&m->wanted);
		m->key =
			key_of(want, f->name->is_quoted ? user_name_parameters(want) : strlen(want),
			       f->name->is_glob);
	}
	return matcher_init(&m->match, want, f->name->is_glob, f->p->is_regex, f->err);
}

void user_match_release(struct user_match *m)
{
	str_release(&m->wanted);
	str_release(&m->demangled);
	str_release(&m->called);
	matcher_release(&m->match);
}
