/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uids [SECONDS [UID]]: burns half of the time as it was started, in uid_before, then becomes UID
 * (65534) and burns the rest in uid_after.
 */
#include "work.h"

NOINLINE void uid_before(u64 ns);
NOINLINE void uid_before(u64 ns)
{
	burn_ns(ns);
	barrier();
}

NOINLINE void uid_after(u64 ns);
NOINLINE void uid_after(u64 ns)
{
	burn_ns(ns);
	barrier();
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	uid_t uid = (uid_t)arg_u64(argc, argv, 2, 65534);

	say_pid();
	uid_before(ns / 2);
	if (setresuid(uid, uid, uid)) {
		perror("setresuid");
		return 77;
	}
	uid_after(ns / 2);
	return 0;
}
