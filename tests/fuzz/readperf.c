// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The text of perf script of any bytes.
// seeds: tests/fixtures/saved/perf-*.txt
#include "tests/fuzz/readsaved.h"

int fuzz_input(const u8 *data, size_t size)
{
	return fuzz_saved(data, size, SAVED_PERF);
}
