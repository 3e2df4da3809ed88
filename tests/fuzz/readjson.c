// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JSON of bperf of any bytes, read as one file and as two.
// seeds: tests/golden/*.json
#include "tests/fuzz/readsaved.h"

int fuzz_input(const u8 *data, size_t size)
{
	return fuzz_saved(data, size, SAVED_JSON);
}
