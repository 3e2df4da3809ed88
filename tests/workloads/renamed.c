/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * renamed [N [MS]]: sleeps N times (10) MS milliseconds (20) in old_nap as "old-name", takes
 * another name and sleeps as long in new_nap as "new-name", then runs this file again, which is
 * called "exec-name" and sleeps as long in exec_nap.
 */
#include "waits.h"

NAP(old_nap)
NAP(new_nap)
NAP(exec_nap)

static void naps(const char *name, void (*nap)(u64), u64 n, u64 ns)
{
	struct waited w = { 0 };

	set_name(name);
	for (u64 i = 0; i < n; i++) {
		wait_begins(&w);
		nap(ns);
		wait_ends(&w);
	}
	say_waited(name, &w);
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 10), ns = arg_u64(argc, argv, 2, 20) * MS;
	char count[24], ms[24];

	if (n > 10000)
		return 64;
	if (argc > 3) {
		naps("exec-name", exec_nap, n, ns);
		return 0;
	}
	say_pid();
	naps("old-name", old_nap, n, ns);
	naps("new-name", new_nap, n, ns);
	snprintf(count, sizeof(count), "%llu", (unsigned long long)n);
	snprintf(ms, sizeof(ms), "%llu", (unsigned long long)(ns / MS));
	execl("/proc/self/exe", argv[0], count, ms, "again", (char *)NULL);
	return 1;
}
