/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns symbol names into readable names: C++ and Rust (both manglings) are demangled by libiberty,
 * then shortened.  Knows text only.  Names come from untrusted files: input and output are bounded.
 */
#ifndef SYM_DEMANGLE_H
#define SYM_DEMANGLE_H

#include "base/str.h"
#include "sym/symbolizer.h"

/*
 * Add the name as `style` shows it:
 *	mangled  as it is
 *	full     demangled, with parameters
 *	short    without parameters, ABI tags, compiler's suffixes (".isra.0", "@@GLIBC_2.2.5") and
 *		 default template arguments; std::basic_string<char, ...> is std::string
 */
void demangle(const char *raw, enum names_style style, struct str *out);

/* The same as SYM_NAMES_SHORT, but with the types of parameters: "add<int>(int, int)".  Names that
 * are not mangled have none. */
void demangle_call(const char *raw, struct str *out);

/* Shorten a name that was already demangled as `short` does. */
void shorten_name(const char *name, struct str *out);

#endif
