// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/duration.h"

#define MINUTE 60
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

void duration_add(struct str *out, u64 ns)
{
	u64 s = ns / NS_PER_SEC;

	if (!s)
		str_addf(out, "%llu.%llu ms", ns / NS_PER_MS, ns % NS_PER_MS / (NS_PER_MS / 10));
	else if (s < MINUTE)
		str_addf(out, "%llu.%llu s", s, ns % NS_PER_SEC / (NS_PER_SEC / 10));
	else if (s < HOUR)
		str_addf(out, "%llu min %02llu s", s / MINUTE, s % MINUTE);
	else if (s < DAY)
		str_addf(out, "%llu h %02llu min", s / HOUR, s % HOUR / MINUTE);
	else
		str_addf(out, "%llu d %llu h", s / DAY, s % DAY / HOUR);
}
