# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the accuracy tests: starting workloads, reading folded stacks, and bounds wide enough
# that neither chance nor a busy machine fails a test.

need_root
[ -x "$WORK/shares" ] || { skip "$(this_test)" 'workloads are not built (make work)'; exit 0; }

# profile ARGS...: bounded, so that a hang is a failure and not a wait.
profile()
{
	timeout -s KILL 90 "$BPERF" profile "$@"
}

# slow SECONDS: prints SECONDS, or four times as many on an emulated machine (tests/vm/), where the work
# that a process does only once takes that much longer.
slow()
{
	[ "${BPERF_SLOW-}" ] && awk -v n="$1" 'BEGIN { print 4 * n }' || echo "$1"
}

# later COMMAND: run it when this check ends (a check is a subshell of its own), last one first.
undo=()
later()
{
	undo+=("$1")
	trap undo_all EXIT
}

undo_all()
{
	local i

	for ((i = ${#undo[@]} - 1; i >= 0; i--)); do
		eval "${undo[i]}"
	done
}

# start NAME ARGS...: run a workload in the background; PID is set once it runs.  Its truth goes to
# $TMP/NAME.truth.  It is killed at the end, and also limits its own run time.  A workload that spins would
# take half of an emulated CPU while bperf starts, and double the time of that.
start()
{
	local name=$1 i calm=(${BPERF_SLOW:+nice -n 19})

	shift
	: >"$TMP/$name.truth"
	"${calm[@]}" "$WORK/$name" "$@" >"$TMP/$name.truth" &
	PID=$!
	later "kill -9 $PID 2>/dev/null"
	for ((i = 0; i < 200; i++)); do
		contains "$TMP/$name.truth" 'pid ' && return
		snooze 0.05
	done
	fail "workload $name did not start"
}

# stop: end the workload that start began.
stop()
{
	kill -9 "$PID" 2>/dev/null
	wait "$PID" 2>/dev/null
	return 0
}

# truth NAME KEY: the value after "KEY " in what a workload printed.
truth()
{
	awk -v key="$2 " 'index($0, key) == 1 { print substr($0, length(key) + 1) }' "$TMP/$1.truth"
}

# total FILE [REGEX]: samples in a folded file, of the lines that match.
total()
{
	awk -v re="${2-}" 're == "" || $0 ~ re { n += $NF } END { printf "%.0f\n", n }' "$1"
}

# at_least N WANT WHAT, exactly GOT WANT WHAT
at_least()
{
	(($1 >= $2)) || fail "$3: $1, want at least $2"
}

exactly()
{
	[ "$1" = "$2" ] || fail "$3: $1, want $2"
}

# counted GOT MISSED WANT WHAT: all were counted, or the rest is among the missed.  While a thread is
# preempted in the program at sys_enter (7.0), other threads' calls are missed: also calls that no probe
# asked for.
counted()
{
	(($1 <= $3 && $1 + $2 >= $3)) || fail "$4: $1, and $2 missed, want $3"
}

# between VALUE LOW HIGH WHAT: numbers may be fractions.
between()
{
	awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN { exit !(v + 0 >= lo + 0 && v + 0 <= hi + 0) }' ||
		fail "$4: $1, want $2 to $3"
}

# share K N P WHAT: K of N samples are the share P, within five sigma and 2 %.
share()
{
	awk -v k="$1" -v n="$2" -v p="$3" 'BEGIN {
		if (n <= 0) exit 1
		d = k / n - p; if (d < 0) d = -d
		exit !(d <= 5 * sqrt(p * (1 - p) / n) + 0.02)
	}' || fail "$4: $1 of $2 samples, want the share $3"
}

# has FILE REGEX, lacks FILE REGEX (extended)
has()
{
	grep -Eq -- "$2" "$1" || fail "no '$2' in:" "$(head -n 20 "$1")"
}

lacks()
{
	! grep -Eq -- "$2" "$1" || fail "'$2' in:" "$(grep -E -m 5 -- "$2" "$1")"
}

# have TOOL...: skip this check unless these tools are installed.
have()
{
	local tool

	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip_because "no $tool here"
	done
}

# status_is WANT COMMAND...: run it; stdout to $TMP/out, stderr to $TMP/err.
status_is()
{
	local want=$1 got=0

	shift
	"$@" >"$TMP/out" 2>"$TMP/err" || got=$?
	((got == want)) || fail "exit status $got, want $want, of: $*" "$(tail -n 20 "$TMP/err")"
}

# attached: the BPF programs and links that are there now.
attached()
{
	bpftool -j prog show 2>/dev/null | jq -c '[.[] | select(.type == "perf_event" or
		(.name // "" | startswith("profile_")))] | length'
}

PATH=$PATH:/usr/sbin:/sbin

# debug_path FOLDER PROGRAM: $debug is where a debug file of the program is looked for below FOLDER.
debug_path()
{
	local id

	have objcopy readelf
	id=$(readelf -n "$2" 2>/dev/null | awk '/Build ID/ { print $3 }')
	[ "$id" ] || skip_because 'programs here have no build id'
	# shellcheck disable=SC2034 # the caller uses it
	debug=$1/.build-id/${id:0:2}/${id:2}.debug
}

# The folder where cgroups of version 2 are mounted.
cgroup_root()
{
	awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts
}

# The peak memory of bperf in KB, read again and again while it runs.
peak_kb() # ARGS...
{
	local pid now peak=0

	"$BPERF" "$@" >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	while now=$(awk '$1 == "VmHWM:" {print $2}' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
		peak=$now
		snooze 0.05
	done
	wait "$pid" || fail "status $?" "$(cat "$TMP/err")"
	echo "$peak"
}

# ---- programs for python3 -c that tests of tools and of their specs run ------------------------

# shellcheck disable=SC2034
LOCK_ORDER='import ctypes
c = ctypes.CDLL(None)
a, b = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
print("a", ctypes.addressof(a)); print("b", ctypes.addressof(b), flush=True)
for x, y in ((a, b), (b, a)):
	for m in (x, y): c.pthread_mutex_lock(m)
	for m in (x, y): c.pthread_mutex_unlock(m)'

# shellcheck disable=SC2034
VECTOR_WRITES="import ctypes, os
fd = os.open('$TMP/vectors', os.O_RDWR | os.O_CREAT)
c = ctypes.CDLL(None)
one = ctypes.create_string_buffer(64)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(one), 64)
for i in range(90): assert c.pwritev(fd, vector, 1, ctypes.c_long(0)) == 64"
