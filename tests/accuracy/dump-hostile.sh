#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# dump of programs that mislead it (tests/workloads/hostile.c), that a debugger holds, or whose code it does
# not know: it says nothing wrong, and it ends.
#
# long: a dump for each hostile program, 15 s
# kernels: 5.10

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/dump.bash
. tests/accuracy/dump.bash
need awk jq
[ -x "$WORK/hostile" ] || { skip "$(this_test)" 'workloads are not built (make work)'; exit 0; }

copied_symbols

# first NAME FILTER: of the first thread with this name.
first()
{
	thread "$@" | sed -n 1p
}

# 3000 threads that look for the same owner in vain must not read /proc 3000 times.
no_owner()
{
	start hostile 3000 120
	take -p "$PID"
	exactly "$(jq -s '[.[] | select(.comm == "orphan")] | length' "$TMP/d.json")" 3000 orphans
	exactly "$(first orphan '"\(.state) \(.object | test("^mutex orphaned.0x0 in hostile")) \(.other)"')" 'lock true null' 'an orphan'
	exactly "$(first counter '"\(.object | test("^futex words.0x[0-9a-f]+ in hostile")) \(.other)"')" 'true null' 'the counter'
	exactly "$(first normal '"\(.object | test("^futex words.0x[0-9a-f]+ in hostile")) \(.other)"')" 'true null' 'a normal mutex of musl'
}
check 'no thread is shown as owner of a lock that it does not hold' no_owner

unreadable()
{
	start hostile
	take -p "$PID"
	exactly "$(first blind-poll .object)" 'poll of 3 files' 'unreadable descriptors'
	exactly "$(first blind-select .object)" 'select of files' 'unreadable descriptors'
	exactly "$(first closed .object)" 'epoll of files' 'a closed descriptor'
	"$BPERF" dump -q -p "$PID" >"$TMP/text" 2>&1 || fail "exit status $?"
	! grep -q $'\33' "$TMP/text" || fail 'an escape sequence in the text'
	has "$TMP/text" '^".*\[2J.*" \([0-9]+\)  other'
}
check 'memory that cannot be read tells nothing' unreadable

# A filter leaves out threads: the process has them all the same.
filtered()
{
	start hostile 1
	take -p "$PID" --comm no-such-name
	jq -es '[.[] | select(.type == "warn")] == []' "$TMP/d.json" >/dev/null || fail "$(cat "$TMP/d.json")"
}
check 'a process whose threads are left out has not ended' filtered

# Workers of io_uring are made during a call of the thread that they work for.
workers()
{
	local i n=0

	grep -Eq ' __(x64|arm64)_sys_io_uring_setup$' /proc/kallsyms || skip_because 'no io_uring'
	(($(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null || echo 0) == 0)) || skip_because 'no io_uring'
	mkfifo "$TMP/fifo"
	start ringworkers "$TMP/fifo"
	for ((i = 0; i < 100 && n < 4; i++)); do
		n=$(cat "/proc/$PID/task"/*/comm | grep -c '^iou-wrk' || true)
		snooze 0.05
	done
	((n == 4)) || skip_because "$n workers"
	sleep 0.5
	take -p "$PID"
	exactly "$(first ringworkers .object | sed 's/[0-9]*//g')" 'pipe:[]' 'object of the reader'
	exactly "$(jq -s -c '[.[] | select(.type == "thread" and .tid != .pid) | [.object, .other]] | unique' \
		"$TMP/d.json")" '[[null,null]]' 'objects of the workers'
}
check 'workers of io_uring do not inherit the wait of their creator' workers

# While strace waits for a call to end the thread is as it was; gdb stops it.
under_tracers()
{
	have strace gdb
	start hostile 1
	strace -qq -f -o /dev/null -p "$PID" &
	later "kill $! 2>/dev/null"
	poll grep -q '^TracerPid:.[1-9]' "/proc/$PID/status"
	sleep 0.5
	take -p "$PID"
	exactly "$(first orphan '"\(.state) \(.letter)"')" 'lock S' 'a thread under strace'
	at_least "$(first orphan '.user | length')" 2 'frames of a thread under strace'
	kill %strace
	wait %strace || true
	gdb -batch -nx -ex 'shell sleep 10' -p "$PID" >/dev/null 2>&1 &
	later "kill $! 2>/dev/null"
	poll grep -q '^State:.t' "/proc/$PID/status"
	sleep 0.5
	take -p "$PID"
	exactly "$(first orphan '"\(.state) \(.letter) \(.object)"')" 'traced t null' 'a thread under gdb'
	first orphan '[.user[].func] | join(";")' >"$TMP/user"
	has "$TMP/user" '(^|;)orphan(;|$)'
}
check 'a debugger that holds the process is no obstacle' under_tracers

in_32_bits()
{
	cat >"$TMP/32.c" <<-'END'
		#include <unistd.h>
		int main(void) { return pause(); }
	END
	gcc -m32 -o "$TMP/thirtytwo" "$TMP/32.c" 2>/dev/null || skip_because 'no compiler for 32-bit programs'
	"$TMP/thirtytwo" &
	later "kill $! 2>/dev/null"
	sleep 0.5
	take -p $!
	exactly "$(first thirtytwo '"\(.state) \(.letter) \(.object)"')" 'other S null' 'a 32-bit thread'
	exactly "$(jq -r 'select(.type == "warn") | .code' "$TMP/d.json")" 32-bit warning
}
check '32-bit code is said to be unknown' in_32_bits

musl()
{
	local kind want

	have musl-gcc
	cat >"$TMP/musl.c" <<-'END'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdlib.h>
		#include <unistd.h>
		static pthread_mutex_t m;
		static void *waiter(void *arg) { pthread_mutex_lock(&m); return arg; }
		int main(int argc, char **argv)
		{
			pthread_mutexattr_t a;
			pthread_t t;
			pthread_mutexattr_init(&a);
			pthread_mutexattr_settype(&a, argc > 1 ? atoi(argv[1]) : 0);
			pthread_mutex_init(&m, &a);
			pthread_mutex_lock(&m);
			pthread_create(&t, NULL, waiter, NULL);
			return pause();
		}
	END
	musl-gcc -g -o "$TMP/musl" "$TMP/musl.c" -static || fail 'musl-gcc'
	for kind in 0 1 2; do # normal, recursive, with checks
		"$TMP/musl" $kind &
		later "kill $! 2>/dev/null"
		sleep 0.5
		take -p $!
		want=null
		((kind)) && want="{\"role\":\"owner\",\"comm\":\"musl\",\"pid\":$!,\"tid\":$!}"
		exactly "$(jq -c "select(.type == \"thread\" and .tid != $!) | .other" "$TMP/d.json")" "$want" "owner, type $kind"
		exactly "$(jq -r "select(.type == \"thread\" and .tid != $!) | .state" "$TMP/d.json")" lock "state, type $kind"
	done
}
check 'the owners of musl, where it has them' in_order musl
