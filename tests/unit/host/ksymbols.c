// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Symbols by name, in texts like those of kernels with and without names of variables. */
#include "host/ksymbols.h"

#include "kallsyms.h"

static struct kernel_symbol found(const char *kallsyms, const char *name)
{
	struct kernel *k = kernel_with(kallsyms);
	struct kernel_symbol s;

	CHECK(!ksymbol_find(k, name, &s));
	kernel_close(k);
	return s;
}

static const char all[] = "0000000000000000 D __per_cpu_start\n"
			  "000000000002c000 D runqueues\n"
			  "0000000000036000 D __per_cpu_end\n"
			  "ffffffff81000000 T _stext\n"
			  "ffffffff81001000 t t_show\n"
			  "ffffffff81002000 t t_show\n"
			  "ffffffff82200000 D __per_cpu_offset\n"
			  "ffffffff82180000 D linux_banner\n"
			  "ffffffff82300000 D not_jiffies\n"
			  "ffffffff82300100 D jiffies_64\n"
			  "ffffffff82300200 D jiffies\n"
			  "ffffffffc0400000 d state\t[dm_mod]\n";

TEST(a_name_is_the_whole_name)
{
	CHECK_U64(found(all, "jiffies").addr, 0xffffffff82300200);
	CHECK_U64(found(all, "jiffies").n_found, 1);
	CHECK_U64(found(all, "jiffies").offsets, 0);
	CHECK_U64(found(all, "state").addr, 0xffffffffc0400000);
	CHECK_U64(found(all, "iffies").n_found, 0);
	CHECK_U64(found(all, "jiff").n_found, 0);
	CHECK_U64(found(all, "D").n_found, 0);
	CHECK(found(all, "iffies").has_data);
}

TEST(several_symbols_of_a_name_are_counted)
{
	CHECK_U64(found(all, "t_show").n_found, 2);
}

TEST(per_cpu_variables_have_the_array_of_offsets)
{
	CHECK_U64(found(all, "runqueues").addr, 0x2c000);
	CHECK_U64(found(all, "runqueues").offsets, 0xffffffff82200000);
}

TEST(hidden_addresses_and_missing_variables_are_told)
{
	CHECK(found("0000000000000000 T _stext\n0000000000000000 D jiffies\n", "jiffies")
		      .is_hidden);
	CHECK(!found(all, "jiffies").is_hidden);
	CHECK(!found("ffffffff81000000 T _stext\nffffffff82300200 D jiffies\n", "x").has_data);
}
