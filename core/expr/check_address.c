// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ip(family, v4, v6) == "192.0.2.1": an address is compared with one in a literal. */
#include <arpa/inet.h>
#include <string.h>

#include "expr/check_int.h"

static const struct tree *equal(struct checker *c, const struct tree *a, u64 want)
{
	return tree_binary(c->types, TREE_EQ, type_int(c->types, 4, true), a,
			   tree_const(c->types, want, a->type, a->at));
}

static const struct tree *both(struct checker *c, const struct tree *a, const struct tree *b)
{
	struct tree *t = tree_new(c->arena, TREE_AND, type_int(c->types, 4, true), a->at);

	t->a = a;
	t->b = b;
	return t;
}

/* n bytes in memory, as a number. */
static const struct tree *number(struct checker *c, const struct tree *bytes, u32 at, u32 n)
{
	return tree_load(c->types, bytes->a, at, type_int(c->types, n, false), bytes->space,
			 bytes->at);
}

static const struct tree *is_v4(struct checker *c, const struct tree *v4, const u8 want[4])
{
	const struct tree *a = v4->kind == TREE_BYTES
				       ? number(c, v4, 0, 4)
				       : tree_cast(c->types, v4, type_int(c->types, 4, false));
	u32 word;

	memcpy(&word, want, sizeof(word));
	return equal(c, a, word);
}

static const struct tree *is_v6(struct checker *c, const struct tree *v6, const u8 want[16])
{
	u64 words[2];

	memcpy(words, want, sizeof(words));
	return both(c, equal(c, number(c, v6, 0, 8), words[0]),
		    equal(c, number(c, v6, 8, 8), words[1]));
}

bool value_is_address(const struct value *v)
{
	return !v->is_place && v->tree->kind == TREE_BUILTIN && v->tree->builtin == BUILTIN_IP;
}

int check_address(struct checker *c, const struct value *ip, const struct value *text,
		  const struct tree **out)
{
	const char *name = arena_view(c->arena, text->tree->string);
	const struct tree *family = tree_cast(c->types, ip->tree->a, type_int(c->types, 4, false));
	bool is_4;
	u8 want[16];

	is_4 = inet_pton(AF_INET, name, want) == 1;
	if (!is_4 && inet_pton(AF_INET6, name, want) != 1) {
		check_error(c, text->at, "this is not an IP address");
		return check_hint(c, "\"192.0.2.1\", \"2001:db8::1\"");
	}
	if (!is_4 && !ip->tree->c)
		return check_error(c, ip->at, "its third argument is missing: the address of IPv6");
	*out = both(c, equal(c, family, is_4 ? AF_INET : AF_INET6),
		    is_4 ? is_v4(c, ip->tree->b, want) : is_v6(c, ip->tree->c, want));
	return 0;
}
