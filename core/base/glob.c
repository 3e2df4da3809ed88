// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/glob.h"

static void accept_byte(struct glob_token *token, u32 c)
{
	token->takes[c >> 6] |= 1ULL << (c & 63);
}

static bool takes(const struct glob_token *token, u32 c)
{
	return token->takes[c >> 6] >> (c & 63) & 1;
}

/* Read a set from the position after its '['.  Returns the position after the ']', or 0 when the
 * set is not closed: then '[' is an ordinary character. */
static u32 read_set(struct view p, u32 at, struct glob_token *token)
{
	bool is_not = at < p.n && (p.p[at] == '!' || p.p[at] == '^');
	u32 first = at += is_not;

	for (; at < p.n && (p.p[at] != ']' || at == first); at++) {
		u32 lo = (u8)p.p[at], hi = lo;

		if (at + 2 < p.n && p.p[at + 1] == '-' && p.p[at + 2] != ']') {
			hi = (u8)p.p[at + 2];
			at += 2;
		}
		for (u32 c = lo; c <= hi; c++)
			accept_byte(token, c);
	}
	if (at >= p.n)
		return 0;
	if (is_not)
		for (u32 i = 0; i < 4; i++)
			token->takes[i] = ~token->takes[i];
	return at + 1;
}

bool glob_read(struct view p, struct glob *out)
{
	*out = (struct glob){ 0 };
	for (u32 at = 0; at < p.n;) {
		struct glob_token *token = &out->tokens[out->n];
		u32 end = 0;

		if (p.p[at] == '*') {
			out->loop |= 1ULL << out->n;
			at++;
			continue;
		}
		if (out->n == GLOB_MAX_TOKENS)
			return false;
		if (p.p[at] == '[') {
			end = read_set(p, at + 1, token);
			if (!end)
				*token = (struct glob_token){ 0 };
		} else if (p.p[at] == '?') {
			for (u32 c = 1; c < 256; c++)
				accept_byte(token, c);
			end = at + 1;
		}
		if (!end) {
			at += p.p[at] == '\\' && at + 1 < p.n;
			accept_byte(token, (u8)p.p[at]);
			end = at + 1;
		}
		at = end;
		out->n++;
	}
	return true;
}

u64 glob_states_by(const struct glob *glob, u32 c)
{
	u64 states = 0;

	for (u32 i = 0; i < glob->n; i++)
		if (takes(&glob->tokens[i], c))
			states |= 2ULL << i;
	return states;
}

bool glob_takes(const struct glob *glob, struct view text)
{
	u64 states = 1;

	for (size_t i = 0; i < text.n && states; i++)
		states =
			(states << 1 & glob_states_by(glob, (u8)text.p[i])) | (states & glob->loop);
	return states >> glob->n & 1;
}
