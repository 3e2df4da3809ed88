// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * USDT probes of our own.
 *
 *	usdt N [DELAY_MS]	waits DELAY_MS, fires each probe N times, prints what it fired
 *
 * Probes of provider bperf_work:
 *	plain(int i, long -i)		registers, as the compiler has them
 *	places(int, char *, int, u8)	a constant, a string in memory, a global by (%rip), a byte
 *	guarded(u64 i)			with a semaphore: fired only while a tool watches
 *	twice(int which)		two places with different operands
 */
#include "note.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The kernel counts watchers up here. */
__attribute__((section(".probes"), used)) unsigned short guarded_semaphore;

int counter = 4242;

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1, n_guarded = 0;
	const char *text = "a string";
	unsigned char byte = 200;

	if (argc > 2)
		usleep((useconds_t)atol(argv[2]) * 1000);
	for (long i = 0; i < n; i++) {
		int value = (int)i;
		long negative = -i;

		NOTE("plain", "0", "-4@%0 -8@%1", "r"(value), "r"(negative));
#if defined(__x86_64__)
		NOTE("places", "0", "-4@$7 8@%0 -4@counter(%%rip) 1@%1", "m"(text), "m"(byte));
#else
		NOTE("places", "0", "-4@7 8@%0 1@%1", "m"(text), "m"(byte));
#endif
		if (*(volatile unsigned short *)&guarded_semaphore) {
			NOTE("guarded", "guarded_semaphore", "8@%0", "r"(i));
			n_guarded++;
		}
		NOTE("twice", "0", "-4@%0", "r"(value));
		NOTE("twice", "0", "-4@%0 -8@%1", "m"(value), "r"(negative));
	}
	printf("plain %ld guarded %ld twice %ld\n", n, n_guarded, 2 * n);
	return 0;
}
