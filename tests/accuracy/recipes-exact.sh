#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Recipes report what happened: in programs that do a known amount of work, seen by the commands of
# recipes.tsv. Recipes of disks, file systems and the network are in recipes-disk.sh and recipes-net.sh.
#
# long: a run for each recipe with a workload, 25 s
# kernels: 6.1
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/recipes.bash
. tests/accuracy/recipes.bash
need jq python3
copied_symbols

# python PROGRAM: the words that run it, after --
PY=(/usr/bin/python3 -I -S -c)

execs()
{
	recipe execsnoop -- sh -c '/bin/echo one "two words"; /bin/echo three; /nonexistent/four; true'
	exactly "$(texts | cut -d' ' -f2- | grep -E '^-?[0-9]+ (/bin/echo|/nonexistent)')" \
		"$(printf '%s\n' '0 /bin/echo one two words' '0 /bin/echo three' '-2 /nonexistent/four')" programs
}
check 'execsnoop: programs, their arguments, failed calls' execs

opens()
{
	echo x >"$TMP/there"
	recipe opensnoop -- "${PY[@]}" "
import os
for i in range(20):
	os.close(os.open('$TMP/there', os.O_RDONLY))
	try: os.open('$TMP/missing', os.O_RDONLY)
	except OSError: pass"
	exactly "$(texts | grep -cE "^[0-9]+ [0-9A-Z]+ $TMP/there\$")" 20 'files that are there'
	exactly "$(texts | grep -c "^-2 ENOENT $TMP/missing\$")" 20 'files that are not'
}
check 'opensnoop: each open, its file, its result' opens

lines()
{
	[[ $(nm -D /bin/bash 2>/dev/null) == *' T readline'* ]] || skip_because 'bash without readline'
	recipe bashreadline/'s,r:bash:,r:/bin/bash:,' -- /usr/bin/python3 -I -c '
import os, pty, sys
pid, fd = pty.fork()
if not pid:
	os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], {"PS1": "$ ", "TERM": "dumb", "HISTFILE": ""})
os.write(fd, b"true first line\ntrue second\nexit 0\n")
try:
	while os.read(fd, 4096): pass
except OSError: pass
os.waitpid(pid, 0)'
	exactly "$(texts | xargs -d '\n' printf '%s|')" 'true first line|true second|exit 0|' 'what was typed'
}
check 'bashreadline: each line that was typed' lines

lookups()
{
	recipe gethostlatency -- "${PY[@]}" '
import socket
for i in range(5): socket.getaddrinfo("127.0.0.1", 80)
socket.getaddrinfo("::1", 80)'
	exactly "$(texts | awk '$1 ~ /^[0-9]+\.[0-9]+$/ { print $2 }' | sort | uniq -c | xargs)" '5 127.0.0.1 1 ::1' 'names asked for'
}
check 'gethostlatency: each look-up, its time, its name' lookups

signals()
{
	recipe killsnoop -- "${PY[@]}" '
import os, signal
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
for i in range(7): os.kill(os.getpid(), signal.SIGUSR1)
try: os.kill(2**22 + 7, signal.SIGTERM)
except OSError: pass'
	exactly "$(texts | sed -E 's/ to [0-9]+/ to P/' | sort | uniq -c | xargs)" \
		'7 10 to P: 0 1 15 to P: ESRCH' signals
}
check 'killsnoop: sender, target, signal and result' signals

syncs()
{
	recipe syncsnoop -- "${PY[@]}" "
import os
fd = os.open('$TMP/synced', os.O_RDWR | os.O_CREAT)
for i in range(4): os.fsync(fd)
for i in range(3): os.fdatasync(fd)"
	exactly "$(jq -r 'select(.type == "event") | .func' "$TMP/out.json" | sort | uniq -c | xargs)" \
		'3 fdatasync 4 fsync' calls
}
check 'syncsnoop: each of its kind' syncs

pids()
{
	recipe execpid -- sh -c 'for i in 1 2 3; do /usr/bin/python3 -c "import os; print(os.getpid())"; done'
	exactly "$(texts | xargs)" "$(grep -xE '[0-9]+' "$TMP/stdout" | xargs)" pids
}
check 'execpid: the pid of each process of a name' pids

queries()
{
	recipe dbslower -- "$WORK/usdt" 12
	exactly "$(texts | wc -l)" 12 queries
}
check 'dbslower: time from a start probe to an end probe' queries

locks()
{
	recipe deadlock -- "${PY[@]}" "$LOCK_ORDER"
	local a b

	a=$(printf '%#x' "$(sed -n 's/^a //p' "$TMP/stdout")") b=$(printf '%#x' "$(sed -n 's/^b //p' "$TMP/stdout")")
	exactly "$(texts | grep -xE "$a|$b" | xargs)" "$a $b $b $a" 'the order in which they were taken'
}
check 'deadlock: locks in the order in which a thread takes them' locks

writes()
{
	recipe writesnoop -- dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none
	exactly "$(got '[.[] | select(.type == "count" and (.key | tostring | test("dd"))) | .value]')" '[5000]' writes
}
check 'writesnoop: writes by process' writes

calls()
{
	recipe syscount -- "$WORK/calls" getppid 700 getpid 30
	exactly "$(got '[.[] | select(.type == "count" and .key.id == "getppid") | [.key.comm, .value]]')" \
		'[["calls",700]]' getppid
	exactly "$(got '[.[] | select(.type == "count" and .key.id == "getpid") | .value]')" '[30]' getpid
}
check 'syscount: system calls by name and process' calls

reads()
{
	recipe readdist -- dd if=/dev/zero of=/dev/null bs=100000 count=70 status=none
	exactly "$(got '[.[] | select(.type == "hist" and .key.comm == "dd") | .buckets[] | select(.lo == 65536) | .n]')" \
		'[70]' 'reads of 100000 bytes'
}
check 'readdist: sizes of reads by process' reads

page_faults()
{
	local n

	recipe faults -- "$WORK/faults" 3000
	n=$(got '[.[] | select(.type == "count" and .key.comm == "faults") | .value] | add')
	between "$n" 12000 12400 'page faults of the program, and of its start'
}
check 'faults: page faults by process' page_faults

off_cpu()
{
	recipe cpudist-off -- "$WORK/naps" 30 30
	exactly "$(got '[.[] | select(.type == "hist" and .key.next_comm == "naps") | .buckets[] |
		select(.lo >= 16777216) | .n] | add >= 20')" true 'naps of 30 ms'
}
check 'cpudist -O: how long a thread was off the CPU' off_cpu

on_cpu()
{
	# The shell is there for a while after it, so that the last of its spans ends.
	recipe cpudist/'s/\[next_pid\] ;/[next_pid](next_comm == "syscalls") ;/' -- \
		sh -c "'$WORK/syscalls' 0.5 getppid; sleep 0.3"
	# All spans of one thread are in its half second, and fill the time that it ran of it.
	between "$(got '[.[] | select(.type == "hist") | .buckets[] | .lo * .n] | add')" 10000000 1000000000 \
		'nanoseconds on CPUs, at least'
}
check 'cpudist: how long a thread was on the CPU' on_cpu

woken()
{
	recipe runqlat/'s/\[p->pid\] ;/[p->pid](p->comm == "naps") ;/' -- "$WORK/naps" 25 5
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" 25 'wake-ups'
}
check 'runqlat: a wait for a CPU for each wake-up' woken

leaks()
{
	recipe memleak/'s/--open 10s/--open 0/' -- "${PY[@]}" "
import ctypes
c = ctypes.CDLL(None)
c.malloc.restype = c.calloc.restype = ctypes.c_void_p
c.free.argtypes = [ctypes.c_void_p]
for i in range(60):
	p = c.malloc(12345)
	if i < 20: c.free(p)
for i in range(10): c.calloc(1, 54321)"
	# Both are called by the same frames.
	exactly "$(got '[.[] | select(.type == "stack" and .value >= 40 * 12345) | [.count, .value]] |
		map(select(.[0] == 50))')" "[[50,$((40 * 12345 + 10 * 54321))]]" 'what leaked, by stack'
}
check 'memleak: memory that is not freed, by the stack that allocated it' leaks

vector_writes()
{
	recipe iolatency-by-comm -- "${PY[@]}" "$VECTOR_WRITES"
	exactly "$(got '[.[] | select(.type == "hist" and (.key.comm | test("python"))) | .count]')" '[90]' writes
	recipe iolatency-by-stack -- "${PY[@]}" "$VECTOR_WRITES"
	# From glibc 2.41 on all calls that can be cancelled are made in one function, which has no name in
	# libc.so.6 without debug information, and whose caller frame pointers do not show.
	exactly "$(got '[.[] | select(.type == "stack" and (.user | map(.func) |
		any(test("^(pwritev|pwritev64|__syscall_cancel_arch|libc\\.so\\.6\\+0x[0-9a-f]+)$")))) | .count] | add')" 90 'writes by stack'
}
check 'iolatency by program, and by stack' vector_writes

functions()
{
	recipe funclatency -- "${PY[@]}" '
import ctypes
c = ctypes.CDLL(None)
b = ctypes.create_string_buffer(80)
for i in range(40): c.sprintf(b, b"%d", i)
for i in range(30): c.snprintf(b, 80, b"%d", i)'
	exactly "$(got '[.[] | select(.type == "hist" and (.key.func == "sprintf" or .key.func == "snprintf")) |
		[.key.func, .count]] | sort')" '[["snprintf",30],["sprintf",40]]' 'calls by function'
}
check 'funclatency: times of functions by pattern' functions
