#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about CPUs, interrupts and the scheduler report what happened: as the kernel counts it, or as a program
# measures it.
#
# long: a run for each tool of this family, 26 s
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
copied_symbols

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
