// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/comm_nfa.h"

#include <string.h>

#define COMM_BYTES 15

/*
 * Add the bytes that `[...]` accepts to `set`; p is after the opening bracket.  Returns NULL if the
 * closing one is missing.  As in a shell, a first `]` is itself, and a first `!` or `^` negates the
 * set.
 */
static const u8 *read_set(const u8 *p, bool set[256])
{
	bool negated = *p == '!' || *p == '^';
	bool in[256] = { false };
	const u8 *first;

	p += negated;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		u32 lo = *p, hi = lo;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			hi = p[2];
			p += 2;
		}
		for (u32 c = lo; c <= hi; c++)
			in[c] = true;
	}
	if (!*p)
		return NULL;
	for (u32 c = 1; c < 256; c++)
		set[c] = in[c] != negated;
	return p + 1;
}

/* Parse a token that matches one byte, and add the bytes that it accepts to `set`.  Returns the
 * position after the token, or NULL for a broken set. */
static const u8 *read_token(const u8 *p, bool set[256])
{
	memset(set, 0, 256 * sizeof(*set));
	if (*p == '[')
		return read_set(p + 1, set);
	if (*p == '?') {
		memset(set + 1, true, 255 * sizeof(*set));
		return p + 1;
	}
	if (*p == '\\' && p[1])
		p++;
	set[*p] = true;
	return p + 1;
}

int commglob_add(struct commglob *g, const char *pattern, bool is_wanted, struct err *err)
{
	struct filter_comm *a = &g->automaton;
	const u8 *p = (const u8 *)pattern;
	u32 bit = g->bits;

	if (!*p)
		return err_set(err, ERR_USAGE, "an empty pattern matches no process name");
	if (bit < 64)
		a->start |= 1ULL << bit;
	while (*p) {
		bool set[256];

		if (*p == '*') {
			if (bit < 64)
				a->loop |= 1ULL << bit;
			p++;
			continue;
		}
		p = read_token(p, set);
		if (!p)
			return err_set(err, ERR_USAGE, "'%s': '[' without a ']'", pattern);
		if (++bit >= 64)
			break;
		for (u32 c = 1; c < 256; c++)
			if (set[c])
				a->step[c] |= 1ULL << bit;
	}
	if (bit >= 64)
		return err_set(err, ERR_USAGE,
			       "the process name patterns together are too long "
			       "(at most 63 characters)");
	if (is_wanted)
		a->wanted |= 1ULL << bit;
	else
		a->unwanted |= 1ULL << bit;
	g->bits = bit + 1;
	return 0;
}

bool commglob_wants(const struct commglob *g, bool has_wanted, const char *comm)
{
	const struct filter_comm *a = &g->automaton;
	u64 states = a->start;

	for (u32 i = 0; i < COMM_BYTES && comm[i]; i++)
		states = (states << 1 & a->step[(u8)comm[i]]) | (states & a->loop);
	if (states & a->unwanted)
		return false;
	return !has_wanted || states & a->wanted;
}
