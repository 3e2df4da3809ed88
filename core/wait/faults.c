// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/faults.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/view.h"

#define DELAY_MAX_MS 10000

struct wait_faults wait_faults_read(void)
{
	const char *text = secure_getenv("BPERF_WAIT_FAULTS");
	struct view rest = view_of(text ? text : ""), word, name;
	struct wait_faults f = { 0 };
	u64 n;

	while (view_split(&rest, ' ', &word)) {
		if (!view_split(&word, '=', &name) || !num_parse_dec(word, &n))
			continue;
		if (view_eq(name, "scan-delay"))
			f.scan_delay_ms = n;
		else if (view_eq(name, "cut-delay"))
			f.cut_delay_ms = n;
		else if (view_eq(name, "ring"))
			f.ring_bytes = n;
		else if (view_eq(name, "check-stacks"))
			f.checks_stacks = n;
	}
	return f;
}

void wait_faults_sleep(u64 ms)
{
	u64 bounded = ms < DELAY_MAX_MS ? ms : DELAY_MAX_MS;
	const struct timespec t = {
		.tv_sec = (time_t)(bounded / 1000),
		.tv_nsec = (long)(bounded % 1000 * NS_PER_MS),
	};

	if (ms)
		nanosleep(&t, NULL);
}
