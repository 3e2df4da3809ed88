// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A profile of pprof of any bytes; tests/fixtures/seeds.c makes one.
#include "tests/fuzz/readsaved.h"

int fuzz_input(const u8 *data, size_t size)
{
	return fuzz_saved(data, size, SAVED_PPROF);
}
