// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/aliasorder.h"

#include "test.h"

/* Names of one function each, as in glibc's libc.so.6 and libm.so.6, best first. */
static const char *const groups[][5] = {
	{ "read", "__read" },
	{ "strtol", "strtoq", "strtoll", "strtoimax", "__strtol_internal" },
	{ "lseek", "llseek", "lseek64", "__lseek" },
	{ "_exit", "_Exit" },
	{ "getc", "fgetc", "_IO_getc" },
	{ "memcmp", "bcmp" },
	{ "strchr", "index" },
	{ "strrchr", "rindex", "__strrchr" },
	{ "aligned_alloc", "memalign", "__libc_memalign" },
	{ "remainder", "remainderf64", "remainderf32x", "drem" },
	{ "remainderf", "remainderf32", "dremf" },
	{ "remainderl", "remainderf64x", "dreml" },
	{ "lgamma", "lgammaf64", "lgammaf32x", "gamma" },
	{ "lgammaf", "lgammaf32", "gammaf" },
	{ "lgammal", "lgammaf64x", "gammal" },
};

TEST(the_name_that_programs_call_is_first)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (size_t a = 0; a < 5 && groups[i][a]; a++)
			for (size_t b = 0; b < 5 && groups[i][b]; b++) {
				int order =
					alias_order(view_of(groups[i][a]), view_of(groups[i][b]));

				CHECK(a < b ? order < 0 : a > b ? order > 0 : !order);
			}
}
