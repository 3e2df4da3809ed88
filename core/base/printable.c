// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/printable.h"

size_t printable_bytes(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	/* U+0080 to U+009F are controls too; 0xc0 and 0xc1 would be overlong. */
	if (s[0] == 0xc2)
		return s[1] >= 0xa0 && s[1] <= 0xbf ? 2 : 0;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}
