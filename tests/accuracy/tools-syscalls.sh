#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about system calls report what happened: in programs that do a known amount of work.
#
# long: a run for each tool of this family, 16 s
# kernels: 5.10 newest
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
copied_symbols

calls()
{
	local name

	tool syscount -T 0 -- "$WORK/calls" getppid 700 getpid 30
	exactly "$(got '[.[] | select(.type == "table" and (.key.SYSCALL | test("^get.*pid$"))) | [.key.SYSCALL, .columns.COUNT]] | sort')" \
		'[["getpid",30],["getppid",700]]' calls
	tool syscount --syscall getppid -L -- "$WORK/calls" getppid 700 getpid 30
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | [.key.SYSCALL, .columns.COUNT, .columns.TIME_us >= 7]]')" \
		'[["getppid",700,true]]' 'calls of one, and their time'
	tool syscount --syscall nanosleep -L -m -- "$WORK/naps" 20 5
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | .columns.TIME_ms >= 100]')" '[true]' 'naps, in milliseconds'
	tool_beside syscount -T 0 -c "$BASHPID" // "$WORK/calls" getppid 77
	exactly "$(got '[.[] | select(.type == "table" and .key.SYSCALL == "getppid") | .columns.COUNT]')" '[77]' \
		'calls of our children'
	tool syscount -P -- "$WORK/calls" getppid 700
	at_least "$(got '[.[] | select(.type == "table" and .key.COMM == "calls") | .columns.COUNT] | add')" 700 'calls of the program'
	"$BPERF" syscount -l >"$TMP/out" || fail 'no list'
	for name in getppid openat pread64; do
		grep -qx "syscall:$name" "$TMP/out" || fail "no $name among:" "$(head "$TMP/out")"
	done
	tool syscount -e ENOENT -T 0 -- "${PY[@]}" "
import os
for i in range(40):
	try: os.rmdir('/nonexistent')
	except OSError: pass"
	exactly "$(got '[.[] | select(.type == "table" and .key.SYSCALL == "rmdir") | .columns.COUNT]')" '[40]' 'that failed'
}
check 'syscount: system calls by name, by process, that failed' calls
check 'syscount: columns in order' headings syscount -LP 'PID COMM COUNT TIME_us'

most_frequent_first()
{
	tool syscount -T 2 -- "$WORK/calls" getppid 7000 getpid 3000
	exactly "$(awk '{ print $1, $2 }' "$TMP/out.txt" | head -n 3 | xargs)" 'SYSCALL COUNT getppid 7000 getpid 3000' rows
	sed -n 4p "$TMP/out.txt" | grep -q '^\.\.\. [0-9]* more keys, ' || fail 'what follows:' "$(cat "$TMP/out.txt")"
}
check 'syscount: the most frequent come first' most_frequent_first

longest_first()
{
	tool syscount -L -T 1 -- "$WORK/naps" 20 5
	grep -q '^\(clock_\)\?nanosleep ' <(sed -n 2p "$TMP/out.txt") || fail 'the longest is not the first:' "$(cat "$TMP/out.txt")"
}
check 'syscount: with times, the longest come first' longest_first

vector_writes()
{
	tool iolatency-by-comm -- "${PY[@]}" "$VECTOR_WRITES"
	exactly "$(got '[.[] | select(.type == "hist" and (.key.COMM | test("python"))) | .count]')" '[90]' writes
	tool iolatency-by-comm -s -- "${PY[@]}" "$VECTOR_WRITES"
	exactly "$(got '[.[] | select(.type == "stack") | .count] | add')" 90 'writes by stack'
}
check 'iolatency-by-comm: latency by program, and by stack' vector_writes

naps()
{
	tool naptime -- sleep 0.25
	exactly "$(values seconds_ns)" 250000000 'what was asked for'
	"$BPERF" naptime -- sleep 0.000123 >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk '{ n = $NF } END { print n }' "$TMP/out")" 0.000123 'microseconds'
	tool naptime -- "${PY[@]}" '
import ctypes, time
sleep = ctypes.CDLL(None).clock_nanosleep
for clock in 0, 1:
	until = time.clock_gettime_ns(clock) + 50_000_000
	sleep(clock, 1, (ctypes.c_long * 2)(*divmod(until, 1_000_000_000)), None)'
	exactly "$(got '[.[] | select(.type == "event") | .args | .seconds_ns | . == null or (. > 0 and . <= 50000000)]')" \
		'[true,true]' 'what is left until a time'
	exactly "$(got '[.[] | select(.type == "event") | .args.seconds_ns != null]')" '[false,true]' 'of the clock that it knows'
}
check 'naptime: the requested time' naps

memory_calls()
{
	tool shmsnoop -- "${PY[@]}" "
import ctypes
c = ctypes.CDLL(None)
i = c.shmget(0, 4096, 0o1600)
c.shmat.restype = ctypes.c_void_p
c.shmdt(ctypes.c_void_p(c.shmat(i, None, 0)))
assert not c.shmctl(i, 0, None)"
	exactly "$(values sys | xargs)" 'shmget shmat shmdt shmctl' calls
	exactly "$(values sys size | grep shmget)" 'shmget 4096' 'its size'
	"$BPERF" shmsnoop -- "${PY[@]}" "
import ctypes
c = ctypes.CDLL(None)
i = c.shmget(0x1234, 4096, 0o1600)
c.shmat.restype = ctypes.c_void_p
at = c.shmat(i, None, 0o10000)
c.shmdt(ctypes.c_void_p(at))
print('%x' % i, '%x' % at, flush=True)
assert not c.shmctl(i, 0, None)" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	local id at

	read -r id at < <(grep '^[0-9a-f]* [0-9a-f]*$' "$TMP/stdout")
	exactly "$(awk '$3 ~ /^shm/ { sub(/^[0-9]+ +[^ ]+ +/, ""); gsub(/ +/, " "); print }' "$TMP/stdout")" \
		"shmget $id key: 0x1234, size: 4096, shmflg: IPC_CREAT|0x180
shmat $at shmid: 0x$id, shmaddr: 0x0, shmflg: SHM_RDONLY
shmdt 0 shmaddr: 0x$at
shmctl 0 shmid: 0x$id, cmd: IPC_RMID, buf: 0x0" 'all arguments by name'
	tool shmsnoop -n nothing-like-it -- "${PY[@]}" 'import ctypes; ctypes.CDLL(None).shmget(0, 4096, 0o600)'
	exactly "$(values sys | wc -l)" 0 'calls of a thread of another name'
}
check 'shmsnoop: each call, its arguments' memory_calls

ids()
{
	tool setuids --as-root -- "${PY[@]}" 'import os; os.setreuid(-1, 65534); os.setreuid(-1, 0)'
	exactly "$(values uid call euid ret | xargs)" '0 setreuid 65534 0 0 setreuid 0 0' changes
	tool setuids --as-root -- "${PY[@]}" '
import os
os.setresuid(-1, -1, 65533)
os.setuid(65534)
try: os.setuid(0)
except OSError: pass'
	exactly "$(values uid call to ruid euid suid | xargs)" \
		'0 setresuid null -1 -1 65533 0 setuid 65534 null null null 65534 setuid 0 null null null' 'ids and calls'
}
check 'setuids: each change' ids

checks()
{
	"$BPERF" list t:capability:cap_capable >/dev/null 2>&1 || need_kernel_functions
	tool capable -- "${PY[@]}" 'import os; os.chroot("/"); os.chroot("/")'
	at_least "$(got '[.[] | select(.args.cap == 18 and .names.name == "CAP_SYS_CHROOT")] | length')" 2 'checks for CAP_SYS_CHROOT'
	tool capable --unique -K -- "${PY[@]}" 'import os; os.chroot("/"); os.chroot("/")'
	exactly "$(values name | grep -cx CAP_SYS_CHROOT)" 1 'checks for CAP_SYS_CHROOT, each once'
	has_kernel_functions || return 0
	tool capable -x -v -- "${PY[@]}" 'import os; os.chroot("/"); os.setuid(0)'
	exactly "$(values name audit insetid | grep -E 'CAP_SYS_CHROOT|CAP_SETUID' | sort -u | xargs)" \
		'CAP_SETUID 1 1 CAP_SYS_CHROOT 1 0' 'those in setuid()'
	tool capable -v -- "${PY[@]}" 'import os; os.setuid(65534); open("/proc/1/stat").read()'
	exactly "$(values name audit | grep PTRACE | sort -u)" 'CAP_SYS_PTRACE 0' 'one that is not audited'
	tool capable -- "${PY[@]}" 'import os; os.setuid(65534); open("/proc/1/stat").read()'
	exactly "$(values name audit | sort -u)" 'CAP_SETUID 1' 'those that are audited'
}
check 'capable: each check, which capability' checks

per_second()
{
	tool pidpersec 60 -- sh -c 'for i in 1 2 3 4 5; do /bin/true; done'
	at_least "$(got '[.[] | select(.type == "count" and .label == "NEW") | .value] | add')" 5 processes
	at_least "$(got '[.[] | select(.type == "count" and .label == "EXEC") | .value] | add')" 6 programs
}
check 'pidpersec: new processes, programs, ends' per_second
