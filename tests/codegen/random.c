// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random well-typed expressions over the arguments of values.c and the members of struct thing. */
#include "tests/codegen/random.h"

#include <stdio.h>

#include "tests/codegen/memory.h"

#define MAX_DEPTH 5

static u32 pick(struct both *o, u32 n)
{
	return (u32)(next_random(&o->random) % n);
}

#define PICK(o, array) ((array)[pick(o, ARRAY_SIZE(array))])

static void add(struct both *o, const char *text)
{
	str_adds(&o->ours, text);
	str_adds(&o->c, text);
}

static void add2(struct both *o, const char *ours, const char *c)
{
	str_adds(&o->ours, ours);
	str_adds(&o->c, c);
}

static void expression(struct both *o, int depth);

static void number(struct both *o)
{
	static const char *const suffixes[] = { "", "", "u", "l", "ul", "ll" };
	char text[64];
	u64 value = random_value(&o->random);

	switch (pick(o, 5)) {
	case 0:
		snprintf(text, sizeof(text), "'%c'", 'a' + (int)pick(o, 26));
		break;
	case 1:
		snprintf(text, sizeof(text), "0x%llx%s", (unsigned long long)value,
			 PICK(o, suffixes));
		break;
	case 2:
		snprintf(text, sizeof(text), "%u", pick(o, 70));
		break;
	default:
		/* Decimal literals that no signed type holds are not generated. */
		snprintf(text, sizeof(text), "%llu%s", (unsigned long long)(value & INT64_MAX),
			 PICK(o, suffixes));
	}
	add(o, text);
}

static const char *const members[] = {
	"c",
	"sc",
	"uc",
	"s",
	"us",
	"i",
	"u",
	"l",
	"ul",
	"b",
	"b3",
	"b7",
	"u5",
	"u12",
	"u1",
	"u32",
	"uc4",
	"uc3",
	"l20",
	"colour",
	"in.x",
	"in.y",
	"in.z",
	"w",
	"v",
	"pointer[2]",
	"*pointer",
	"array[3]",
	"matrix[1][2]",
	"next->i",
	"next->next->ul",
	"next->b3",
	"next->in.z",
};

static void variable(struct both *o)
{
	static const char *const names[] = { "c", "uc", "s", "us", "i", "u", "l", "ul", "b" };
	const char *member;

	if (pick(o, 3)) {
		add(o, PICK(o, names));
		return;
	}
	member = PICK(o, members);
	if (*member == '*') {
		add(o, "*t->");
		add(o, member + 1);
		return;
	}
	add(o, "t->");
	add(o, member);
}

static void index_of(struct both *o, int depth)
{
	static const char *const arrays[] = { "array", "bytes", "matrix[1]", "pointer" };
	u32 i = pick(o, ARRAY_SIZE(arrays));

	add(o, "t->");
	add(o, arrays[i]);
	add(o, "[(");
	expression(o, depth - 1);
	add(o, i == 1 ? ") & 15]" : i == 2 ? ") & 3]" : ") & 7]");
}

static void string(struct both *o, int depth)
{
	static const char *const strings[] = { "t->name", "t->text", "p", "t->next->name" };

	if (depth > 1 && !pick(o, 6)) {
		add(o, "(");
		expression(o, depth - 2);
		add(o, " ? ");
		string(o, depth - 1);
		add(o, " : ");
		string(o, depth - 1);
		add(o, ")");
	} else if (!pick(o, 60)) {
		add2(o, "z->name", "NOWHERE(char *, \"\")");
	} else {
		add(o, PICK(o, strings));
	}
}

static void literal(struct both *o)
{
	add(o, "\"");
	add(o, PICK(o, texts));
	add(o, "\"");
}

static const char *pattern(struct both *o, char *out, size_t size)
{
	static const char *const pieces[] = { "*", "?", "a", "b",    "abc", "[a-c]", "[!x]", "lib",
					      ".", "c", "*", "/usr", "foo", "[]x]",  "h" };

	*out = '\0';
	for (u32 n = 1 + pick(o, 5); n; n--)
		strncat(out, PICK(o, pieces), size - strlen(out) - 1);
	return out;
}

static void add_count(struct both *o)
{
	char count[8];

	snprintf(count, sizeof(count), ", %u", 1 + pick(o, 9));
	add(o, count);
}

static void comparison(struct both *o, int depth)
{
	char text[64];

	switch (pick(o, 6)) {
	case 0:
		add2(o, "(", "!strcmp(");
		string(o, depth);
		add2(o, " == ", ", ");
		literal(o);
		add(o, ")");
		return;
	case 1:
		add(o, "(strcmp(");
		string(o, depth);
		add(o, ", ");
		string(o, depth);
		add(o, ") != 0)");
		return;
	case 2:
		add2(o, "STRCMP(", "prefix(");
		literal(o);
		add(o, ", ");
		string(o, depth);
		add(o, ")");
		return;
	case 3:
	case 4:
		add(o, "(strncmp(");
		string(o, depth);
		add(o, ", ");
		if (pick(o, 2))
			literal(o);
		else
			string(o, depth);
		add_count(o);
		add(o, ") == 0)");
		return;
	default:
		pattern(o, text, sizeof(text));
		add2(o, "(", "glob(");
		string(o, depth);
		add2(o, " ~ \"", ", \"");
		add(o, text);
		add(o, "\")");
	}
}

static void binary(struct both *o, int depth)
{
	static const char *const ops[] = { "+",	 "-", "*",  "&", "|",  "^",  "==",
					   "!=", "<", "<=", ">", ">=", "&&", "||" };

	add(o, "(");
	expression(o, depth - 1);
	add(o, " ");
	add(o, PICK(o, ops));
	add(o, " ");
	expression(o, depth - 1);
	add(o, ")");
}

/* Operations that C leaves undefined are macros there. */
static void guarded(struct both *o, int depth)
{
	static const char *const ops[] = { "/", "%", "<<", ">>" };
	static const char *const macros[] = { "DIV", "MOD", "SHL", "SHR" };
	u32 i = pick(o, 4);

	str_adds(&o->ours, "(");
	str_adds(&o->c, macros[i]);
	str_adds(&o->c, "(");
	expression(o, depth - 1);
	str_addf(&o->ours, " %s (", ops[i]);
	str_adds(&o->c, ", (");
	/* Constant amounts that are too large are refused. */
	if (i >= 2)
		add(o, "i ^ ");
	expression(o, depth - 1);
	add(o, "))");
}

static void unary(struct both *o, int depth)
{
	static const char *const ops[] = { "-", "~", "!", "+", "!!" };

	add(o, PICK(o, ops));
	add(o, "(");
	expression(o, depth - 1);
	add(o, ")");
}

static void cast(struct both *o, int depth)
{
	static const char *const types[] = {
		"char",	     "unsigned char", "short",	     "unsigned short",
		"int",	     "unsigned int",  "long",	     "unsigned long",
		"long long", "_Bool",	      "signed char",
	};

	add(o, "((");
	add(o, PICK(o, types));
	add(o, ")");
	add(o, "(");
	expression(o, depth - 1);
	add(o, "))");
}

static void choice(struct both *o, int depth)
{
	add(o, "(");
	expression(o, depth - 1);
	add(o, " ? ");
	expression(o, depth - 1);
	add(o, " : ");
	expression(o, depth - 1);
	add(o, ")");
}

static void size_of(struct both *o)
{
	static const char *const what[] = { "t->array", "int",		 "struct thing", "t->in",
					    "t->s",	"unsigned long", "t->bytes",	 "c + 0" };

	add(o, "sizeof(");
	add(o, PICK(o, what));
	add(o, ")");
}

static void expression(struct both *o, int depth)
{
	u32 n = depth <= 0 ? 24 : pick(o, 100);

	if (depth <= 0 && !pick(o, 40)) {
		add2(o, "z->i", "NOWHERE(int, 0)");
		return;
	}
	if (n < 6)
		number(o);
	else if (n < 10)
		comparison(o, depth);
	else if (n < 11)
		size_of(o);
	else if (n < 25)
		pick(o, 4) ? variable(o) : number(o);
	else if (n < 57)
		binary(o, depth);
	else if (n < 70)
		guarded(o, depth);
	else if (n < 77)
		unary(o, depth);
	else if (n < 85)
		cast(o, depth);
	else if (n < 92)
		choice(o, depth);
	else
		index_of(o, depth);
}

void random_expression(struct both *o, u64 seed, u32 i)
{
	o->random = seed * 1000003 + i;
	str_clear(&o->ours);
	str_clear(&o->c);
	next_random(&o->random);
	expression(o, 1 + (int)pick(o, MAX_DEPTH));
}
