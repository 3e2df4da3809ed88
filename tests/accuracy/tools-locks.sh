#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about locks, modules, functions and databases report what happened: in programs that do a known amount
# of work.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
copied_symbols

locks()
{
	tool deadlock -- "${PY[@]}" "$LOCK_ORDER"
	local a b

	a=$(printf '%#x' "$(sed -n 's/^a //p' "$TMP/stdout")") b=$(printf '%#x' "$(sed -n 's/^b //p' "$TMP/stdout")")
	exactly "$(values does mutex | grep -E " ($a|$b)\$" | xargs)" \
		"lock $a lock $b unlock $a unlock $b lock $b lock $a unlock $b unlock $a" 'the order in which they were taken'
}
check 'deadlock: locks in the order in which a thread takes them' locks

mutexes()
{
	local mutex

	tool mutexlat -l -m 15000 -- "${PY[@]}" '
import ctypes, threading, time
c = ctypes.CDLL(None)
m = ctypes.create_string_buffer(64)
print(ctypes.addressof(m), flush=True)
def wait():
	started.set()
	c.pthread_mutex_lock(m)
	c.pthread_mutex_unlock(m)
for i in range(3):
	started = threading.Event()
	c.pthread_mutex_lock(m)
	t = threading.Thread(target=wait)
	t.start()
	started.wait()
	time.sleep(0.02)
	c.pthread_mutex_unlock(m)
	t.join()'
	mutex=$(printf '%#x' "$(head -n1 "$TMP/stdout")")
	between "$(got "[.[] | select(.type == \"hist\" and .key.MUTEX == \"$mutex\") | .count] | add // 0")" 1 3 'waits of 15 ms, of 3'
}
check 'mutexlat: waits for a mutex that is held 20 ms' mutexes

# of_caller FUNCTION COLUMN: in the row of the callers that have FUNCTION in their names.
of_caller()
{
	got "[.[] | select(.type == \"table\" and (.kernel[1].func // \"\" | test(\"$1\"))) | .columns.$2] | add // 0"
}

held_locks()
{
	need_kernel_functions
	"$WORK/held" 1 1 >/dev/null 2>&1 || skip_because 'no userfaultfd here'
	all_symbols
	tool klockstat -n 0 -- "$WORK/held" 10 20
	# 7.0 takes the mutex in a function that allocates the first page.
	exactly "$(of_caller 'pipe_write|pipe_prefill' HLD_COUNT)" 10 'times that a writer held the mutex'
	between "$(of_caller 'pipe_write|pipe_prefill' _HLD_TOTAL)" 200000000 4000000000 'nanoseconds, of ten times 20 ms'
	at_least "$(of_caller pipe_write _HLD_MAX)" 20000000 'nanoseconds of the longest'
	exactly "$(of_caller pipe_ioctl ACQ_COUNT)" 10 'times that another thread wanted it'
	at_least "$(of_caller pipe_ioctl _ACQ_MAX)" 15000000 'nanoseconds until it got it, of 20 ms'
	between "$(of_caller pipe_ioctl _HLD_MAX)" 0 15000000 'nanoseconds that it held it'
	tool klockstat -P -S hld_total -- "$WORK/held" 10 20
	between "$(got '[.[] | select(.type == "table" and .key.COMM == "held") | .columns._HLD_TOTAL] | add')" \
		200000000 4000000000 'nanoseconds of the thread that writes'
}
check 'klockstat: how long a mutex is held, and waited for' held_locks

chosen_locks()
{
	local writer tool_pid caller

	need_kernel_functions
	"$WORK/held" 1 1 >/dev/null 2>&1 || skip_because 'no userfaultfd here'
	all_symbols
	mkfifo "$TMP/go"
	sh -c 'read -r _ <"$1"; exec "$2" 10 1' sh "$TMP/go" "$WORK/held" >/dev/null &
	writer=$!
	begin_tool klockstat -n 0 -t "$writer"
	echo >"$TMP/go"
	wait "$tool_pid" || fail "$(cat "$TMP/err")"
	exactly "$(of_caller 'pipe_write|pipe_prefill' HLD_COUNT)" 10 'times that the thread held the mutex'
	exactly "$(of_caller pipe_ioctl ACQ_COUNT)" 0 'times that another thread wanted it'
	caller=$(got '[.[] | select(.type == "table") | .kernel[1].func // "" | select(test("pipe_write|pipe_prefill"))][0]' | tr -d '"')
	tool klockstat -n 0 -c "${caller:0:6}" -- "$WORK/held" 10 1
	exactly "$(of_caller 'pipe_write|pipe_prefill' HLD_COUNT)" 10 'times that a writer held the mutex'
	exactly "$(got '[.[] | select(.type == "table" and .kernel) | .kernel[1].func[:6]] | unique')" "[\"${caller:0:6}\"]" callers
	tool klockstat -n 0 -c "${caller:1}" -- "$WORK/held" 10 1
	exactly "$(of_caller . ACQ_COUNT)" 0 'locks of callers with the text in their names'
}
check 'klockstat: locks of some callers, of one thread' chosen_locks

kernel_locks()
{
	has_tracepoint lock:contention_begin || skip_because 'no such tracepoint'
	tool lockwait -- "${PY[@]}" '
import threading, os
def work():
	for i in range(300): os.close(os.open("/tmp", os.O_RDONLY))
t = [threading.Thread(target=work) for i in range(8)]
for x in t: x.start()
for x in t: x.join()'
	exactly "$(got '[.[] | select(.type == "stack" and .value < 0)] | length')" 0 'negative waits'
}
check 'lockwait: waits, none of them negative' kernel_locks

# A wait for a mutex is traced as several: until it sleeps, and each time that it has been woken.
whole_waits()
{
	has_tracepoint lock:contention_begin || skip_because 'no such tracepoint'
	tool lockwait -- "$WORK/held" 10 5
	at_least "$(got '[.[] | select(.type == "stack" and (.kernel | any(.func == "pipe_ioctl"))) | .value] | add // 0')" \
		40000000 'nanoseconds, of ten waits of 5 ms'
}
check 'lockwait: from the beginning of a wait for a mutex to its end' whole_waits

modules()
{
	has_tracepoint module:module_load || skip_because 'no modules here'
	modprobe -n dummy 2>/dev/null || skip_because 'no module to load'
	modprobe -r dummy 2>/dev/null
	tool modsnoop -- sh -c 'modprobe dummy && modprobe -r dummy'
	exactly "$(values event module | grep ' dummy$' | xargs)" 'load dummy free dummy' 'what came and went'
}
check 'modsnoop: modules that are loaded and unloaded' modules

functions()
{
	local program='
import ctypes
c = ctypes.CDLL(None)
b = ctypes.create_string_buffer(80)
for i in range(40): c.sprintf(b, b"%d", i)
for i in range(30): c.snprintf(b, 80, b"%d", i)'

	tool funclatency -F 'c:*printf' -- "${PY[@]}" "$program"
	exactly "$(got '[.[] | select(.type == "hist" and (.key.FUNC == "sprintf" or .key.FUNC == "snprintf")) |
		[.key.FUNC, .count]] | sort')" '[["snprintf",30],["sprintf",40]]' 'calls by function'
	tool funclatency -u c:sprintf -- "${PY[@]}" "$program"
	exactly "$(got '[.[] | select(.type == "hist") | .count]')" '[40]' 'calls of one'
	tool funclatency -rF 'c:s(n|)printf' -- "${PY[@]}" "$program"
	exactly "$(got '[.[] | select(.type == "hist") | [.key.FUNC, .count]] | sort')" '[["snprintf",30],["sprintf",40]]' \
		'calls of those that match'
}
check 'funclatency: times of functions by pattern' functions

slow_functions()
{
	local program='
import ctypes
c = ctypes.CDLL(None)
for i in range(3): c.usleep(30000)
for i in range(20): c.usleep(1)'

	tool funcslower -m 20 c:usleep -- "${PY[@]}" "$program"
	exactly "$(values func | sort | uniq -c | xargs)" '3 usleep' 'calls of 30 ms'
	tool funcslower -u 0 -a 2 c:usleep -- "${PY[@]}" '
import ctypes
c = ctypes.CDLL(None)
for i in range(4): c.usleep(i, 0x123)'
	exactly "$(values arg1 arg2 arg3 | xargs)" '0 291 null 1 291 null 2 291 null 3 291 null' 'two arguments of each call'
	tool funcslower -u 0 c:usleep -- "${PY[@]}" "$program"
	exactly "$(values func | wc -l)" 23 'all calls'
}
check 'funcslower: calls that took as long' slow_functions
check 'funcslower: columns in order' headings funcslower c:usleep 'COMM PID LAT(ms) RVAL FUNC'

stacks()
{
	tool stackcount -U c:usleep -- "${PY[@]}" '
import ctypes
c = ctypes.CDLL(None)
for i in range(23): c.usleep(1)'
	exactly "$(got '[.[] | select(.type == "stack") | .value] | add')" 23 calls
	tool stackcount -r -U 'c:us[a-l]+eep|usle' -- "${PY[@]}" '
import ctypes
c = ctypes.CDLL(None)
for i in range(23): c.usleep(1)'
	exactly "$(got '[.[] | select(.type == "stack") | .value] | add')" 23 'calls of those that match'
	exactly "$(got '[.[] | select(.type == "stack") | .user[] | has("off")] | unique')" '[false]' offsets
	tool stackcount -s -U c:usleep -- "${PY[@]}" '
import ctypes
c = ctypes.CDLL(None)
for i in range(23): c.usleep(1)'
	exactly "$(got '[.[] | select(.type == "stack") | .value] | add')" 23 'calls with offsets'
	exactly "$(got '[.[] | select(.type == "stack") | .user | .[0].func, .[0].off, (map(select(.func == "ffi_call" or .func == "main")) | all(.off > 0))] | unique')" \
		'[true,0,"usleep"]' 'offsets: none at the entry, some of callers'
	cat >"$TMP/usleeps.py" <<-'EOF2'
		import ctypes, sys
		c = ctypes.CDLL(None)
		for i in range(int(sys.argv[1])): c.usleep(1)
	EOF2
	# shellcheck disable=SC2016 # for the inner shell
	tool stackcount -P -U c:usleep -- sh -c '"$@" 3 & "$@" 5; wait' sh /usr/bin/python3 -I -S "$TMP/usleeps.py"
	exactly "$(got '[.[] | select(.type == "stack") | .value] | sort')" '[3,5]' 'calls of two processes of one name'
	tool stackcount -D 0.3 -U syscall:getppid
	exactly "$(got '.[] | select(.type == "end") | [.reason, .elapsed >= 0.3]')" '["done",true]' 'its end'
}
check 'stackcount: calls by stack' stacks

queries()
{
	sed "s,u:\${path}:mysql:query__start,u:$WORK/usdt:places,; s,u:\${path}:mysql:query__done,u:$WORK/usdt:twice,; s/(char \*)arg1/(char *)arg2/" \
		<("$BPERF" dbslower mysql --show) >"$TMP/queries.bperf"
	tool "$TMP/queries.bperf" mysql -m 0 -x "$WORK/usdt" -- "$WORK/usdt" 12
	exactly "$(values ms_ns | wc -l)" 12 queries
}
check 'dbslower: from the probe of a start to that of an end' queries
