/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The C compiler's values of random expressions: included by the generated source, which defines
 * run().  Prints each expression's value for each input, or "absent".
 */
#include <stdio.h>

#include "memory.h"

static int absent;

/* The language's meaning where C has none: no quotient by zero, the smallest number by -1 wraps. */
#define DIVIDE(a, b, op, by_minus_one)                         \
	({                                                     \
		__auto_type a_ = +(a);                         \
		__auto_type b_ = +(b);                         \
		typedef __typeof__(a_ + b_) type_;             \
		type_ x_ = (type_)a_, y_ = (type_)b_, result_; \
		if (!y_) {                                     \
			absent = 1;                            \
			result_ = 0;                           \
		} else if ((type_)-1 < 0 && y_ == (type_)-1) { \
			result_ = (type_)by_minus_one;         \
		} else {                                       \
			result_ = x_ op y_;                    \
		}                                              \
		result_;                                       \
	})
#define DIV(a, b) DIVIDE(a, b, /, (0 - (unsigned long)x_))
#define MOD(a, b) DIVIDE(a, b, %, 0)
#define SHL(a, b)                                                 \
	({                                                        \
		__auto_type a_ = +(a);                            \
		__auto_type b_ = +(b);                            \
		a_ << ((unsigned long)b_ & (8 * sizeof(a_) - 1)); \
	})
#define SHR(a, b)                                                 \
	({                                                        \
		__auto_type a_ = +(a);                            \
		__auto_type b_ = +(b);                            \
		a_ >> ((unsigned long)b_ & (8 * sizeof(a_) - 1)); \
	})
/* The value of a pointer that can't be read. */
#define NOWHERE(type, value) (absent = 1, (type)(value))

static inline int prefix(const char *text, const char *s)
{
	return !strncmp(text, s, strlen(text));
}

/* s ~ p: * ? [set] \x over the whole string; our own, to be independent of the compiler's. */
static int glob(const char *s, const char *p)
{
	for (; *p; p++, s++) {
		if (*p == '*') {
			do
				if (glob(s, p + 1))
					return 1;
			while (*s++);
			return 0;
		}
		if (!*s)
			return 0;
		if (*p == '[' && strchr(p + 2, ']')) {
			int not = p[1] == '!' || p[1] == '^', in = 0;

			for (p += 1 + not ;; p++) {
				if (p[1] == '-' && p[2] != ']') {
					in |= *p <= *s && *s <= p[2];
					p += 2;
				} else {
					in |= *p == *s;
				}
				if (p[1] == ']')
					break;
			}
			p++;
			if (in == not )
				return 0;
		} else if (*p == '\\' && p[1]) {
			if (*++p != *s)
				return 0;
		} else if (*p != '?' && *p != *s) {
			return 0;
		}
	}
	return !*s;
}

typedef unsigned long long value_fn(unsigned long long *args);

static void tell(value_fn *fn, unsigned long long args[N_INPUTS][N_ARGS])
{
	for (int i = 0; i < N_INPUTS; i++) {
		unsigned long long value;

		absent = 0;
		value = fn(args[i]);
		if (absent)
			puts("absent");
		else
			printf("%llu\n", value);
	}
}

static struct memory memory[N_INPUTS];

int main(void);
