#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about CPUs, memory, system calls, locks and applications report what happened: in programs that do a
# known amount of work.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
need jq python3
copied_symbols

PY=(/usr/bin/python3 -I -S -c)

# ---- system calls -----------------------------------------------------------------------------

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
	exactly "$(awk '{ print $1, $2 }' "$TMP/stdout" | head -n 3 | xargs)" 'SYSCALL COUNT getppid 7000 getpid 3000' rows
	sed -n 4p "$TMP/stdout" | grep -q '^\.\.\. [0-9]* more keys, ' || fail 'what follows:' "$(cat "$TMP/stdout")"
}
check 'syscount: the most frequent come first' most_frequent_first

vector_writes()
{
	local program="
import ctypes, os
fd = os.open('$TMP/vectors', os.O_RDWR | os.O_CREAT)
c = ctypes.CDLL(None)
one = ctypes.create_string_buffer(64)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(one), 64)
for i in range(90): assert c.pwritev(fd, vector, 1, ctypes.c_long(0)) == 64"

	tool iolatency-by-comm -- "${PY[@]}" "$program"
	exactly "$(got '[.[] | select(.type == "hist" and (.key.COMM | test("python"))) | .count]')" '[90]' writes
	tool iolatency-by-comm -s -- "${PY[@]}" "$program"
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

# ---- CPUs -------------------------------------------------------------------------------------

off_cpu()
{
	tool cpudist -O -n naps -- "$WORK/naps" 30 30
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.lo >= 16384) | .n] | add >= 20')" true \
		'naps of 30 ms'
}
check 'cpudist: how long a thread was off the CPU' off_cpu

on_cpu()
{
	# The shell is there for a while after it, so that the last of its spans ends.
	tool cpudist -n syscalls -- sh -c "'$WORK/syscalls' 0.5 getppid; sleep 0.3"
	# All spans of the thread are in its half second, and fill the time that it ran of it.
	between "$(got '[.[] | select(.type == "hist") | .buckets[] | .lo * .n] | add // 0')" 10000 1000000 \
		'microseconds on CPUs, at least'
	tool cpudist -P -- sh -c "'$WORK/syscalls' 0.5 getppid; sleep 0.3"
	between "$(got '[.[] | select(.type == "hist" and .key.COMM == "syscalls") | .buckets[] | .lo * .n] | add // 0')" \
		10000 1000000 'microseconds of the program, at least'
	tool cpudist -p 1 -P -- sh -c "'$WORK/syscalls' 0.1 getppid"
	exactly "$(got '[.[] | select(.type == "hist" and .key.PID != "1")] | length')" 0 'of another process'
	# All tasks, so that a CPU is never without a span.
	tool cpudist -I --duration 1
	at_least "$(got '[.[] | select(.type == "hist") | .buckets[] | .lo * .n] | add // 0')" 100000 \
		'microseconds, with those of CPUs that are idle'
	tool cpudist -e -n syscalls -- sh -c "'$WORK/syscalls' 0.1 getppid; sleep 0.3"
	# One span may end between the ends of the two probes.
	exactly "$(got '[.[] | select(.type == "hist" or .type == "stats")] | sort_by(.type) | [.[].type] + [.[0].count - .[1].count | fabs <= 1]')" \
		'["hist","stats",true]' 'as many in the statistics'
	between "$(got '[.[] | select(.type == "stats") | .sum] | add')" 10000 300000 'microseconds on CPUs'
}
check 'cpudist: how long a thread was on the CPU' on_cpu

woken()
{
	tool runqlat -n naps -- "$WORK/naps" 25 5
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" 20 'wake-ups, of 25'
	tool runqlat --pidnss -n naps -- "$WORK/naps" 5 5
	exactly "$(got '[.[] | select(.type == "hist") | .key.PIDNS]')" "[\"$(stat -Lc %i /proc/self/ns/pid)\"]" 'PID namespaces'
	tool runqlat --comm 'nap?' -c "$(cgroup_root)$(sed -n s/^0:://p /proc/self/cgroup)" -- "$WORK/naps" 25 5
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" 20 'wake-ups in its cgroup'
	tool runqlat --comm 'na?' -- "$WORK/naps" 25 5
	exactly "$(got '[.[] | select(.type == "hist") | .count] | add // 0')" 0 'wake-ups of another name'
}
check 'runqlat: a wait for a CPU for each wake-up' woken

# The scheduler runs as the thread that gives the CPU away: the filter is asked about the one that gets it.
woken_targets()
{
	local beside

	"$WORK/spinners" 20 >/dev/null 2>&1 &
	beside=$!
	tool runqlat -P -- "$WORK/naps" 25 5
	exactly "$(got '[.[] | select(.type == "hist") | .key.PID] | unique | length')" 1 'processes of runqlat'
	tool cpudist -OP -- "$WORK/naps" 25 5
	exactly "$(got '[.[] | select(.type == "hist") | .key.PID] | unique | length')" 1 'processes of cpudist -O'
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" 20 'waits, of 25'
	tool wakeuplat -P -- "$WORK/naps" 25 5
	exactly "$(got '[.[] | select(.type == "hist") | .key.PID] | unique | length')" 1 'processes of wakeuplat'
	tool runqslower 0 --comm naps -- "$WORK/naps" 25 5
	exactly "$(values comm | sort -u)" naps 'names of threads'
	at_least "$(values comm | wc -l)" 20 'wake-ups, of 25'
	tool runqslower 0 --uid 12345 --duration 0.3
	exactly "$(values comm | wc -l)" 0 'waits of a user who runs nothing'
	kill "$beside"
	wait "$beside" 2>/dev/null || true
}
check 'runqlat: waits of the program that it starts, only' woken_targets

# One thread more than CPUs, each always able to run: one of them waits at any time.  They are preempted on
# their way back to user mode, where the kernel calls the scheduler as a thread that sleeps does.
preempted()
{
	tool runqlat -n spinner -- "$WORK/spinners" 1
	at_least "$(got '[.[] | select(.type == "hist") | .buckets[] | .lo * .n] | add // 0')" 200000 \
		'microseconds in which threads waited for a CPU, of a second, at least'
	tool runqslower -n spinner 1 -- "$WORK/spinners" 1
	at_least "$(jq -s 'map(select(.type == "event") | .args.lat_ns) | add // 0' "$TMP/out.json")" 300000000 \
		'nanoseconds of single waits'
}
check 'runqlat: waits of preempted threads; runqslower: each of them' preempted

# Four processes on one CPU: two compute, one gives the CPU away, one naps.  The kernel tells each how often and
# how long it waited (/proc/PID/schedstat).  A few waits may follow before the process has ended.
scheduled()
{
	local pid us n n_got low high

	tool runqlat -P -- "${PY[@]}" '
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
children = []
for i in range(4):
	r, w = os.pipe()
	pid = os.fork()
	if pid:
		children.append((pid, r))
		continue
	end = time.monotonic() + 0.5
	while time.monotonic() < end:
		if i == 2: os.sched_yield()
		if i == 3: time.sleep(0.002)
	with open("/proc/self/schedstat", "rb") as f: os.write(w, f.read())
	os._exit(0)
for pid, r in children:
	os.waitpid(pid, 0)
	ran, waited, n = os.read(r, 100).split()
	print(pid, int(waited) // 1000, int(n), file=sys.stderr)' >/dev/null
	grep '^[0-9]* [0-9]* [0-9]*$' "$TMP/err" >"$TMP/truth"
	exactly "$(wc -l <"$TMP/truth")" 4 processes
	while read -r pid us n; do
		read -r n_got low high < <(got ".[] | select(.type == \"hist\" and .key.PID == \"$pid\").buckets |
			map([.n, .n * .lo, .n * .hi]) | transpose | map(add)" | tr '[],' ' ')
		((n_got >= n && n_got <= n + n / 10 + 20)) || fail "waits of $pid: $n_got, want $n and few more"
		((low <= us + us / 10 + 50000 && high >= us)) || fail "waits of $pid: $low to $high us, want $us"
	done <"$TMP/truth"
}
check 'runqlat: as many waits as the kernel counts, and as long' scheduled

slow_wakes()
{
	tool runqslower 0 -n naps -- "$WORK/naps" 25 5
	at_least "$(values comm | grep -cx naps)" 20 'wake-ups, of 25'
	tool runqslower 60000000 -- "$WORK/naps" 5 5
	exactly "$(values comm | wc -l)" 0 'waits of a minute'
}
check 'runqslower: each wait, but short ones' slow_wakes

soft()
{
	tool softirqs -- "$WORK/naps" 20 10
	at_least "$(got '[.[] | select(.type == "table" and .key.SOFTIRQ == "TIMER") | .columns.COUNT] | add // 0')" 1 'timers'
	tool softirqs -- "$WORK/naps" 20 10
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | .columns | (.TOTAL_us * 1000 | round) == ._TOTAL and .MAX_us <= .TOTAL_us] | unique')" \
		'[true]' 'microseconds'
	tool softirqs -N -- "$WORK/naps" 20 10
	exactly "$(got '[.[] | select(.type == "table" and .key != null) | .columns | .MAX_ns <= .TOTAL_ns and .MAX_ns > 100] | unique')" '[true]' nanoseconds
}
check 'softirqs: by name' soft

cache()
{
	"$BPERF" funccount e:cache-misses:1000 -- true >/dev/null 2>&1 || skip_because 'no PMU here'
	tool llcstat -- "${PY[@]}" 'a = bytearray(1 << 26); [a[i] for i in range(0, 1 << 26, 64)]'
	at_least "$(got '[.[] | select(.type == "table") | .columns.REFS] | add')" 1 samples
}
check 'llcstat: references by program' cache

# The number of each interrupt with one handler, and of each softirq, on all CPUs or on one: "N NAME".
cat >"$TMP/hardirqs" <<'EOF2'
awk -v cpu="$1" 'NR > 1 && $1 ~ /^[0-9]+:$/ && $0 !~ /,/ {
	c = 0
	for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) if (cpu == "" || i - 2 == cpu) c += $i
	n[$NF] += c
} END { for (name in n) print n[name], name }' /proc/interrupts
EOF2
cat >"$TMP/softirqs" <<'EOF2'
awk -v cpu="$1" 'NR > 1 {
	c = 0
	for (i = 2; i <= NF; i++) if (cpu == "" || i - 2 == cpu) c += $i
	print c, substr($1, 1, length($1) - 1)
}' /proc/softirqs
EOF2

# interrupts TOOL CPU ARGS...: the kernel's own counters, which are less if read within the tool's time, and
# more if read around it.
interrupts()
{
	local n name least most tool=$1 cpu=$2 is_hard=0

	shift 2
	sh "$TMP/$tool" "$cpu" >"$TMP/before"
	tool_beside "$tool" "$@" ${cpu:+-c "$cpu"} 60 // sh -c "sh '$TMP/$tool' '$cpu' | sed 's/^/- /'
		sleep 1; sh '$TMP/$tool' '$cpu' | sed 's/^/+ /'"
	sh "$TMP/$tool" "$cpu" >"$TMP/after"
	got '[.[] | select(.type == "table" and .key != null) | "\(.columns.COUNT) \(.key | to_entries[0].value)"] | .[]' |
		jq -r . >"$TMP/rows"
	[ "$tool" != hardirqs ] || is_hard=1
	# A guest's only interrupts are those of its console.
	((is_hard)) || at_least "$(wc -l <"$TMP/rows")" 1 rows
	while read -r n name; do
		least=$(awk -v name="$name" '$3 == name { n += $1 $2 } END { print n + 0 }' "$TMP/program")
		most=$(awk -v name="$name" '$2 == name { n = $1 - n } END { print n + 0 }' "$TMP/before" "$TMP/after")
		# Edge interrupts that come while their handler runs are counted one by one, but the handler is
		# called once more for all of them (handle_edge_irq); and softirqs that run while another program
		# of the CPU does are skipped by the kernel.
		least=$((is_hard ? least / 2 : least - least / 20 - 1))
		between "$n" "$least" "$most" "interrupts of $name"
	done <"$TMP/rows"
}
check 'hardirqs: as many as the kernel counts' interrupts hardirqs ''
check 'hardirqs: only their number' interrupts hardirqs '' -C
check 'softirqs: only their number' interrupts softirqs '' -C
check 'softirqs: of one CPU' interrupts softirqs 0 -N

queued()
{
	# Three threads that spin on one CPU: two of them wait.
	tool runqlen -F 199 --cpu 0 -- taskset -c 0 sh -c "for i in 1 2 3; do timeout 2 '$WORK/syscalls' 1.5 getppid & done; wait"
	at_least "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.lo >= 2) | .n] | add // 0')" 20 \
		'samples with two that wait'
	tool runqlen -O -f 199 --cpu 0 -- taskset -c 0 sh -c "for i in 1 2 3; do timeout 2 '$WORK/syscalls' 1.5 getppid & done; wait"
	between "$(got '[.[] | select(.type == "table") | .columns."RUNQOCC%"] | add')" 20 100 'percent of the samples with one that waits'
}
check 'runqlen: how many wait for a CPU' queued

wakes()
{
	tool wakeuplat -n naps -- "$WORK/naps" 25 5
	at_least "$(got '[.[] | select(.type == "hist") | .count] | add')" 20 'wake-ups, of 25'
}
check 'wakeuplat: a latency for each wake-up' wakes

sampled()
{
	tool profile-by-cgroup -n 60 -- "$WORK/syscalls" 1 getppid
	between "$(got '[.[] | select(.type == "table" and .key.COMM == "syscalls") | .columns.SAMPLES] | add')" 10 110 \
		'samples of a second'
	exactly "$(got '[.[] | select(.type == "table" and .key.COMM == "syscalls") | .key.CGROUP] | unique')" \
		"[\"$(sed -n 's/^0:://p' /proc/self/cgroup)\"]" 'the cgroup'
}
check 'profile-by-cgroup: samples of a program in its cgroup' sampled

waited()
{
	tool offcputime-by-cgroup -n 60 -- "$WORK/naps" 25 20
	between "$(got '[.[] | select(.type == "table" and .key.COMM == "naps") | .columns.OFF_ms] | add')" 480 10000 \
		'milliseconds, of 25 naps of 20'
	tool offcputime-by-cgroup --comm another 60 -- "$WORK/naps" 5 20
	exactly "$(got '[.[] | select(.type == "table")] | length')" 0 'rows of another name'
}
check 'offcputime-by-cgroup: waits of a program in its cgroup' waited

# all_symbols: also those of variables and of BPF programs, which the copy does not have.
all_symbols()
{
	[ "$SYMBOLS" ] || return 0
	umount /proc/kallsyms
	later "mount --bind '$SYMBOLS' /proc/kallsyms"
}

# The unchanged tool finds no frequency on an emulated CPU, and says so; with a frequency in its place, each
# sample has that one.
frequencies()
{
	all_symbols
	grep -q ' cpufreq_cpu_data$' /proc/kallsyms || skip_because 'no variables among the symbols of this kernel'
	tool cpufreq -- "$WORK/syscalls" 1 getppid
	if [ ! -e /sys/devices/system/cpu/cpu0/cpufreq ]; then
		exactly "$(got '[.[] | select(.type == "hist")] | length')" 0 'frequencies of CPUs that have none'
		at_least "$(got '[.[] | select(.type == "end") | .probes[].absent] | add')" 50 'samples without a frequency'
	fi
	sed 's,^histogram .*,histogram 2400000 / 1000,' <("$BPERF" cpufreq --show) >"$TMP/frequencies.bperf"
	tool "$TMP/frequencies.bperf" -- "$WORK/syscalls" 1 getppid
	between "$(got '[.[] | select(.type == "hist" and .key.COMM == "syscalls") | .buckets[] | select(.n > 0 and .lo == 2400) | .n] | add')" \
		50 110 'samples of a second'
	exactly "$(got '[.[] | select(.type == "hist") | .buckets[] | select(.n > 0 and .lo != 2400)] | length')" 0 'other frequencies'
}
check 'cpufreq: samples by frequency' frequencies

# ---- memory -----------------------------------------------------------------------------------

page_faults()
{
	tool faults -- "$WORK/faults" 3000
	between "$(got '[.[] | select(.type == "count" and .key.COMM == "faults") | .value] | add')" 12000 12400 \
		'page faults of the program, and of its start'
}
check 'faults: page faults by program' page_faults

caches()
{
	"$BPERF" list -v raw:kmem_cache_alloc | grep -q 'struct kmem_cache' || need_kernel_functions
	tool slabratetop 60 -- "${PY[@]}" '
import os
for i in range(500): os.close(os.open("/dev/null", os.O_RDONLY))'
	between "$(got '[.[] | select(.type == "table" and .key.CACHE == "filp") | .columns.ALLOCS] | add')" 500 1500 \
		'files of the program, and of its start'
}
check 'slabratetop: allocations by cache' caches

# small_cgroup: $cgroup is one with 20 MB of memory.
small_cgroup()
{
	local root limit=memory.max

	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ "$root" ] && echo +memory >"$root/cgroup.subtree_control"
	grep -qs memory "$root/cgroup.subtree_control" || {
		root=$(awk '$3 == "cgroup" && $4 ~ /memory/ { print $2; exit }' /proc/mounts)
		limit=memory.limit_in_bytes
	}
	[ "$root" ] || skip_because 'no cgroups of memory'
	cgroup=$root/bperf-test.$$
	mkdir "$cgroup" 2>/dev/null || skip_because 'no cgroups can be made'
	later "rmdir '$cgroup'"
	echo 20M >"$cgroup/$limit" || skip_because 'no limits of memory'
	echo 0 >"$cgroup/memory.swap.max" 2>/dev/null
	return 0
}

# shellcheck disable=SC2016 # of the inner shell
killed()
{
	local cgroup

	has_tracepoint oom:mark_victim || need_kernel_functions
	small_cgroup 2>/dev/null
	tool_beside oomkill // sh -c 'sh -c "echo \$\$ >\"$1/cgroup.procs\"; echo \$\$; exec /usr/bin/python3 -I -S -c \"b = bytearray(100 << 20)\"" x "$1"; true' x "$cgroup"
	exactly "$(values tpid tcomm | grep "^$(cat "$TMP/program") ")" "$(cat "$TMP/program") python3" 'who was killed'
}
check 'oomkill: the killed process' killed

# ram_swap: swap space in memory, without read-ahead.
ram_swap()
{
	local cluster

	grep -q '^pswpin ' /proc/vmstat || skip_because 'no swap in this kernel'
	[ "$(wc -l </proc/swaps)" = 1 ] || skip_because 'this machine may swap already'
	modprobe brd rd_nr=1 rd_size=98304 2>/dev/null || skip_because 'no brd here'
	later 'modprobe -r brd'
	mkswap /dev/ram0 >/dev/null 2>&1 && swapon /dev/ram0 || skip_because 'no swap space can be added'
	later 'swapoff /dev/ram0'
	cluster=$(cat /proc/sys/vm/page-cluster)
	later "echo $cluster >/proc/sys/vm/page-cluster"
	echo 0 >/proc/sys/vm/page-cluster
}

from_swap()
{
	local n

	need_kernel_functions
	ram_swap 2>/dev/null
	tool swapin 60 -- "${PY[@]}" '
import mmap
def swapped():
	return int(next(x for x in open("/proc/vmstat") if x.startswith("pswpin ")).split()[1])
b = mmap.mmap(-1, 400 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
b.madvise(15) # MADV_NOHUGEPAGE
for i in range(0, len(b), 4096): b[i] = 1
b.madvise(21) # MADV_PAGEOUT
before = swapped()
for i in range(0, len(b), 4096): b[i]
print("read", swapped() - before)'
	n=$(got '[.[] | select(.type == "table" and .key.COMM == "python3") | .columns.COUNT] | add // 0')
	exactly "$n" "$(sed -n 's/^read //p' "$TMP/stdout")" 'reads, as the kernel counts them'
	between "$n" 380 400 'reads of 400 pages'
}
check 'swapin: as many as the kernel counts' from_swap

# 40 MB in a cgroup of 20 MB: the rest has to go to swap.
# shellcheck disable=SC2016 # of the inner shell
in_small_cgroup()
{
	tool "$@" -- sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$cgroup" "${PY[@]}" '
import time
start = time.monotonic()
b = bytearray(40 << 20)
for i in range(0, len(b), 4096): b[i] = 1
print("ms %.3f" % ((time.monotonic() - start) * 1000))'
}

reclaimed()
{
	local cgroup table='.[] | select(.type == "table") | .columns'

	has_tracepoint vmscan:mm_vmscan_memcg_reclaim_begin || skip_because 'no such tracepoint'
	ram_swap 2>/dev/null
	small_cgroup 2>/dev/null
	[ ! -e "$cgroup/memory.swap.max" ] || echo max >"$cgroup/memory.swap.max"
	in_small_cgroup vmscan 60
	between "$(got "[$table.PAGES] | add")" $((20 << 8)) $((80 << 8)) 'pages, of at least 20 MB'
	between "$(got "[$table.M_RECLAIMms] | add")" 0.001 "$(sed -n 's/^ms //p' "$TMP/stdout")" \
		"milliseconds, of the program's own"
	at_least "$(got "[$table.WRITEPAGE] | add")" 1 'writes to swap'
	exactly "$(got "[$table.D_RECLAIMms] | add")" 0 'milliseconds of reclaim for the whole machine'
	in_small_cgroup vmscan -d 60
	at_least "$(got '[.[] | select(.type == "hist" and .label == "cgroup reclaim (us)") | .count] | add // 0')" 1 'reclaims for the cgroup'
}
check 'vmscan: what a cgroup that is too small reclaims' reclaimed

# Guests have one NUMA node.  Another function in the place of the one that moves pages is seen as often as
# it is called.
moved_pages()
{
	need_kernel_functions
	"$BPERF" list 'k:migrate_misplaced_{folio,page}' >/dev/null 2>&1 || skip_because 'no NUMA balancing in this kernel'
	tool numamove 60 -- true
	[ -e /sys/devices/system/node/node1 ] ||
		exactly "$(got '[.[] | select(.type == "table") | .columns.NUMA_migrations] | add // 0')" 0 'moves on one node'
	sed 's,^probe .*,probe r:syscall:getppid,' <("$BPERF" numamove --show) >"$TMP/moves.bperf"
	tool "$TMP/moves.bperf" 60 -- "$WORK/calls" getppid 700
	exactly "$(got '[.[] | select(.type == "table") | .columns.NUMA_migrations] | add')" 700 'calls in its place'
	exactly "$(got '[.[] | select(.type == "table") | .columns | (.NUMA_migrations_ms * 1000 - ._NS / 1000 | fabs) < 1 and ._NS > 700] | unique')" '[true]' 'their time'
}
check 'numamove: pages that are moved' moved_pages

stalls()
{
	awk '/^allocstall/ { n += $2 } END { print n + 0 }' /proc/vmstat
}

reclaims()
{
	local before n

	before=$(stalls)
	tool_beside drsnoop // "$WORK/faults" 20000
	n=$(values lat_ns | wc -l)
	between "$n" 0 $(($(stalls) - before)) 'reclaims, at most as many as the kernel counts'
}
check 'drsnoop: no more than the kernel counts' reclaims

free_kb()
{
	awk '$1 == "nr_free_pages" { print $2 * 4 }' /proc/vmstat
}

# Calls in the place of reclaims, which cannot be forced.
free_memory()
{
	local before after

	all_symbols
	grep -q ' vm_zone_stat$' /proc/kallsyms || skip_because 'no variables among the symbols of this kernel'
	tool drsnoop -e --dry-run
	sed 's,^probe .*,probe span(syscall:getppid ; r:syscall:getppid),; s,nr_reclaimed,retval,' \
		<("$BPERF" drsnoop --show) >"$TMP/free.bperf"
	before=$(free_kb)
	tool "$TMP/free.bperf" -e -- "$WORK/calls" getppid 1
	after=$(free_kb)
	between "$(values free)" $((before < after ? before * 9 / 10 : after * 9 / 10)) \
		$((before > after ? before * 11 / 10 : after * 11 / 10)) 'KB free, as the kernel says before and after'
}
check 'drsnoop: how much memory is free' free_memory

# ---- locks and applications -------------------------------------------------------------------

locks()
{
	tool deadlock -- "${PY[@]}" '
import ctypes
c = ctypes.CDLL(None)
a, b = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
print("a", ctypes.addressof(a)); print("b", ctypes.addressof(b), flush=True)
for x, y in ((a, b), (b, a)):
	for m in (x, y): c.pthread_mutex_lock(m)
	for m in (x, y): c.pthread_mutex_unlock(m)'
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
