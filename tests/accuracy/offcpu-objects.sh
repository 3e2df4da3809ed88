#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# --waits: a wrong name is worse than none, and a wait that is open at the start has the same name as later.
#
# long: waits for objects of each kind, half a minute
# kernels: 5.10 newest
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

named='\[(file|pipe|socket|unix|tcp|udp|ip|anon_inode|futex)[ :][^;]*\] '

# open_waits ARGS...: measure a workload that waits from before the run until after it.
open_waits()
{
	start objects "$@"
	sleep 0.5
	look
}

look()
{
	bp offcpu -q --waits -t "$PID" -o "$TMP/w.folded" "$(slow 1)" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" '(^|;)objects;.*;object_wait'
}

two_descriptors()
{
	local kind

	watch offcpu '--waits' objects sendfile 5 100
	at_least "$(total "$TMP/w.folded" '(^|;)objects;.*;object_wait;.*sock')" 250000 'time in sendfile (us)'
	lacks "$TMP/w.folded" "(^|;)objects;.*;object_wait;.*$named"
	for kind in splice sendfile; do
		open_waits "$kind" 1 60000
		lacks "$TMP/w.folded" "(^|;)objects;.*;object_wait.*$named"
		stop
	done
}
check '--waits: a call from one descriptor to another has no name' two_descriptors

# A lock is known by its variable, in which processes agree, not by the address that each has for it.
lock_symbols()
{
	watch offcpu '--waits' lock 20 10 mutex
	off_is "$(total "$TMP/w.folded" '^waiter;.*;\[futex mutex\+0x0 in lock\] ')" lock lock
	cat >"$TMP/twice" <<-EOF2
		#!/bin/sh
		'$WORK/lock' 10 10
		exec '$WORK/lock' 10 10
	EOF2
	chmod +x "$TMP/twice"
	bp offcpu -q --waits -o "$TMP/w.folded" -- "$TMP/twice" >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	at_least "$(total "$TMP/w.folded" '^waiter;.*;\[futex lock\+0x0 in lock\] ')" 150000 'time in two processes (us)'
	lacks "$TMP/w.folded" '^waiter;.*\[futex 0x'
}

lock_without_symbols()
{
	have strip nm
	local addr

	addr=$(nm "$WORK/lock" | awk '$3 == "lock" { sub(/^0*/, "", $1); print $1 }')
	strip -o "$TMP/lock" "$WORK/lock"
	bp offcpu -q --waits -o "$TMP/w.folded" -- "$TMP/lock" 10 10 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	at_least "$(total "$TMP/w.folded" "^waiter;.*;\[futex 0x$addr in lock\] ")" 50000 'time by address (us)'
}

# The lock of pthread_join() is in the thread's own memory, which no file holds.
lock_in_no_file()
{
	start joined 60
	bp offcpu -q --waits -p "$PID" -o "$TMP/w.folded" "$(slow 1)" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" 'joined;.*;\[futex 0x[0-9a-f]+\] '
}
check '--waits: a lock has the name of its variable' lock_symbols
check '--waits: a lock in a stripped file has the address that the file has for it' lock_without_symbols
check '--waits: a lock in no file has its address' lock_in_no_file


started_lock()
{
	start stalled 60
	bp offcpu -q --waits -p "$PID" -o "$TMP/w.folded" "$(slow 1)" 2>"$TMP/err" || fail "exit status $?"
	exactly "$(grep -o '\[futex held+0x0 in stalled\] ' "$TMP/w.folded" | grep -c .)" 3 'threads that wait for a lock'
	has "$TMP/w.folded" '\[futex condition\+0x[0-9a-f]+ in stalled\] '
}
check '--waits: so has one that was waited for before the run' started_lock

stopped()
{
	open_waits stop 1 60000
	grep -q '^State:.T' "/proc/$PID/status" || fail 'not stopped'
	lacks "$TMP/w.folded" "(^|;)objects;.*;object_wait.*$named"
}
check '--waits: a thread that is stopped within a call at the start waits for no file' stopped

traced()
{
	have python3
	start objects hold 1 60000
	cat >"$TMP/trace.py" <<-'EOF2'
		import ctypes, os, sys, time
		SEIZE, INTERRUPT, pid = 0x4206, 0x4207, int(sys.argv[1])
		ptrace = ctypes.CDLL(None, use_errno=True).ptrace
		ptrace.argtypes = [ctypes.c_long] * 4
		if ptrace(SEIZE, pid, 0, 0):
		    sys.exit(os.strerror(ctypes.get_errno()))
		time.sleep(float(sys.argv[2]))
		ptrace(INTERRUPT, pid, 0, 0)
		time.sleep(60)
	EOF2
	python3 "$TMP/trace.py" "$PID" 0 2>"$TMP/why" &
	later "kill -9 $! 2>/dev/null"
	sleep "$(slow 0.5)"
	grep -q '^State:.t' "/proc/$PID/status" || skip_because "no ptrace here: $(cat "$TMP/why")"
	look
	lacks "$TMP/w.folded" "(^|;)objects;.*;object_wait.*$named"
}
check '--waits names nothing for ptraced threads' traced

frozen()
{
	local root group

	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	group=$root/bperf-objects-$$
	[ "$root" ] && mkdir "$group" 2>/dev/null || skip_because 'no cgroup2 to make a group in'
	later "rmdir $group"
	later 'wait 2>/dev/null'
	start objects hold 1 60000
	later "echo 0 >$group/cgroup.freeze"
	[ -w "$group/cgroup.freeze" ] && echo "$PID" >"$group/cgroup.procs" || skip_because 'no freezer here'
	look
	has "$TMP/w.folded" '(^|;)objects;.*;object_wait.*\[pipe:'
	echo 1 >"$group/cgroup.freeze"
	sleep 0.5
	look
	lacks "$TMP/w.folded" "(^|;)objects;.*;object_wait.*$named"
	echo 0 >"$group/cgroup.freeze"
	sleep 0.5
	# Frozen during the run.
	(sleep "$(slow 1)"; echo 1 >"$group/cgroup.freeze") &
	bp offcpu -q --waits -t "$PID" -o "$TMP/w.folded" "$(slow 2)" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" '(^|;)objects;.*;object_wait.*\[pipe:'
	has "$TMP/w.folded" '(^|;)objects;.*;object_wait;.*(get_signal|do_freezer_trap)'
	lacks "$TMP/w.folded" "(^|;)objects;.*;object_wait.*(get_signal|do_freezer_trap).*$named"
}
check '--waits: a thread that is frozen with its cgroup waits for no file' frozen

one_name_for_a_client()
{
	start objects unix 100 "$(slow 500)" "$TMP/server"
	sleep 0.3
	bp offcpu -q --waits -t "$PID" -o "$TMP/w.folded" "$(slow 2)" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/w.folded" ";object_wait;.*;\\[unix $TMP/server\\] "
	exactly "$(grep object_wait "$TMP/w.folded" | grep -Eo "$named" | sort -u | wc -l)" 1 'names of the socket'
}
check '--waits: a client without a name has its peer'"'"'s, open at the start or not' one_name_for_a_client
