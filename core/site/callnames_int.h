/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of callnames.c, callnames_rare.c and callchoices.c. */
#ifndef SITE_CALLNAMES_INT_H
#define SITE_CALLNAMES_INT_H

#include "site/callnames.h"

#define N(name)                         \
	{                               \
		(u64)(s64)(name), #name \
	}

#define NAMES(...)     (&(const struct type_names){ __VA_ARGS__ })
#define ONE_OF(items_) NAMES(.items = (items_), .n = ARRAY_SIZE(items_))
#define BITS(items_)   NAMES(.items = (items_), .n = ARRAY_SIZE(items_), .is_flags = true)
#define BITS_AND(mask, items_) \
	NAMES(.items = (items_), .n = ARRAY_SIZE(items_), .is_flags = true, .number = (mask))

/* Values without a name are printed in hexadecimal, because they are composed of bits. */
#define NUMBER(items_) BITS_AND(UINT64_MAX, items_)

/* Addresses that are integers in the kernel's prototypes. */
#define ADDRESS NAMES(.is_flags = true)

extern const struct type_names call_open_flags, call_signals, call_capabilities;

/* Names that depend on another argument: socket()'s protocols on the family, the options of
 * setsockopt() on the level, the arguments of fcntl() and prctl() on the operation. */
extern const struct type_names call_protocols, call_socket_options, call_fcntl_args,
	call_prctl_args;

struct call_names {
	const char *calls; /* separated by blanks; NULL: every call */
	const char *params;
	const struct type_names *names;
};

extern const struct call_names call_names_rare[];
extern const size_t call_names_rare_n;

#endif
