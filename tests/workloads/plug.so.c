/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The library that late opens (and that a replaced or stripped library is made from). */
#include "work.h"

static NOINLINE void plug_hidden(u64 ns)
{
	burn_ns(ns);
	barrier();
}

void plug_work(u64 ns);
void plug_work(u64 ns)
{
	plug_hidden(ns);
	barrier();
}
