#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Counts that are exact by construction: one sample for each page fault, each context switch.
#
# kernels: 5.10 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

# There are 2^BITS distinct stacks.  On emulated CPUs the largest number would take minutes, for something
# that does not depend on the kernel.
bits=${BPERF_SLOW:+13}
bits=${bits:-16}

# lost FILE.json: samples that its last line counts as lost.
lost()
{
	tail -n 1 "$1" | jq '[.lost[] | select(. != null)] | add'
}

faults_are_exact()
{
	profile -q -f -e page-faults -c 1 -o "$TMP/f.folded" -- "$WORK/faults" 5000 \
		>/dev/null || fail "exit status $?"
	exactly "$(total "$TMP/f.folded" ';fault_few')" 5000 fault_few
	exactly "$(total "$TMP/f.folded" ';fault_many')" 15000 fault_many
}
check 'page faults are counted exactly' faults_are_exact

one_in_ten()
{
	# Each CPU has one counter for all of its processes: bperf's own faults would shorten the way
	# to the next sample while it builds unwind tables.
	profile -q -f -e page-faults -c 10 --unwind fp -o "$TMP/f10.folded" -- "$WORK/faults" 5000 \
		>/dev/null || fail "exit status $?"
	# One sample per CPU may be open at the end.
	between "$(total "$TMP/f10.folded" ';fault_')" $((2000 - 2 * $(nproc))) \
		$((2000 + 2 * $(nproc))) 'samples of 20,000 faults with -c 10'
}
check '-c 10 takes every tenth' one_in_ten

switches_are_exact()
{
	local want

	profile -q -f -e context-switches -c 1 -o "$TMP/s.folded" -- "$WORK/switches" 2000 \
		>"$TMP/switches.truth" || fail "exit status $?"
	want=$(truth switches switches)
	# Between the two readings of the counter and the loop there may be a switch.
	between "$(total "$TMP/s.folded" ';nap_all')" $((want - 4)) "$want" 'switches'
}
check 'context switches are counted exactly' switches_are_exact

# paths_are_whole FILE BITS COUNT: what a folded file of `stacks BITS` must be, each path COUNT times.
paths_are_whole()
{
	awk -v bits="$2" -v count="$3" '
		!/;touch_leaf( |;)/ { next }
		{
			n = $NF
			line = $0
			# No regular expressions: there are 2^16 lines, and emulated CPUs.
			line = substr(line, index(line, ";main;") + length(";main;"))
			if (index(line, "touch;") == 1) line = substr(line, length("touch;") + 1)
			line = substr(line, 1, index(line, ";touch_leaf") - 1)
			seen[line] += n
		}
		END {
			for (path in seen) {
				if (split(path, steps, ";") != bits) { print "path of wrong length: " path; bad++ }
				if (seen[path] != count) { print path ": " seen[path]; bad++ }
				if (bad > 5) exit 1
				total++
			}
			if (total != 2 ^ bits) { print total " paths of " 2 ^ bits; bad++ }
			exit bad > 0
		}' "$1"
}

# all_stacks PAUSE_MS: 0 when every path arrived, 1 when some did not and were counted as lost.
all_stacks()
{
	local got lost

	profile -q -e page-faults -c 1 -o "$TMP/all.folded" -o "$TMP/all.json" -- \
		"$WORK/stacks" "$bits" 1 "$1" >/dev/null || fail "exit status $?"
	lost=$(lost "$TMP/all.json")
	got=$(total "$TMP/all.folded" ';touch_leaf')
	at_least "$((got + lost))" $((1 << bits)) 'stacks that arrived or are counted as lost'
	((lost)) && return 1
	paths_are_whole "$TMP/all.folded" "$bits" 1 || fail 'stacks are missing, and no loss is told'
	tail -n 1 "$TMP/all.json" | jq -e '.type == "end"' >/dev/null || fail "$(tail -n 1 "$TMP/all.json")"
}

# All of them in a tenth of a second need a reader that gets a CPU in time.  If the reader does not get one,
# they come more slowly.
at_any_pace() # COMMAND
{
	local pause

	for pause in 0 5 20 100; do
		"$1" "$pause" && return
	done
	awk -v cpus="$(nproc)" '{ exit !($1 > 3 * cpus) }' /proc/loadavg ||
		fail 'stacks are lost at any pace, on a machine that is not busy'
	skip_because 'the machine is too busy for a reader to keep up'
}

all_stacks_arrive()
{
	at_any_pace all_stacks
}
check "2^$bits distinct stacks arrive, each exactly once" all_stacks_arrive

# each_pass PAUSE_MS: 0 when every path was counted seven times, 1 when some were counted as lost.  The stacks
# are walked by frame pointers: until there is an unwind table, stacks are copied to bperf, more than an
# emulated CPU can walk in that time.  Those left out are told as cut, under other paths.
each_pass()
{
	local got lost

	profile -q -f --unwind fp -e page-faults -c 1 -o "$TMP/pass.folded" -o "$TMP/pass.json" -- \
		"$WORK/stacks" 12 7 "$1" >/dev/null || fail "exit status $?"
	lost=$(lost "$TMP/pass.json")
	got=$(total "$TMP/pass.folded" ';touch_leaf')
	at_least "$((got + lost))" $((7 << 12)) 'stacks that arrived or are counted as lost'
	((lost)) && return 1
	paths_are_whole "$TMP/pass.folded" 12 7 || fail 'stacks are missing, and no loss is told'
}

every_pass_counts()
{
	at_any_pace each_pass
}
check '2^12 stacks seven times are counted seven times' every_pass_counts

# A bound that is too small may cost something, but never silently.
small_bounds_are_honest()
{
	local got lost want=$((1 << bits - 2))

	profile -q -e page-faults -c 1 -o "$TMP/small.json" -o "$TMP/small.folded" "$@" -- \
		"$WORK/stacks" $((bits - 2)) >/dev/null || fail "exit status $?"
	got=$(total "$TMP/small.folded" ';touch_leaf')
	lost=$(lost "$TMP/small.json")
	echo "got $got, lost $lost"
	((got <= want)) || fail "$got samples of $want faults"
	((got + lost >= want)) || fail "$got samples and $lost lost of $want faults"
}
check 'a small --hash-storage-size loses nothing, or reports what it lost' small_bounds_are_honest \
	--hash-storage-size 64
check 'a small --stack-storage-size loses nothing, or reports what it lost' small_bounds_are_honest \
	--stack-storage-size 64

loss_is_strict()
{
	local status=0

	profile -q -e page-faults -c 1 --strict -o "$TMP/strict.json" --hash-storage-size 1 \
		--stack-storage-size 1 -- "$WORK/stacks" $((bits - 2)) >/dev/null || status=$?
	if [ "$(lost "$TMP/strict.json")" = 0 ]; then
		exactly "$status" 0 'exit status of a run that lost nothing'
	else
		exactly "$status" 1 'exit status of a run with losses'
	fi
}
check '--strict turns losses into exit status 1' loss_is_strict

deep_stacks_are_marked()
{
	local n

	profile -q -f -e cpu-clock -F 299 -o "$TMP/deep.folded" -o "$TMP/deep.json" -- \
		"$WORK/deep" 0.4 300 >/dev/null || fail "exit status $?"
	n=$(total "$TMP/deep.folded" ';deep_leaf')
	at_least "$n" 20 samples
	# All of them are truncated: the leaf side is kept, and a frame of its own marks the truncation.  The
	# first ones of an emulated CPU can be too early for the unwind table, and say that instead.
	exactly "$(total "$TMP/deep.folded" '^deep;\[(truncated|unwind table late)\];.*;deep_leaf')" "$n" 'marked stacks'
	at_least "$(total "$TMP/deep.folded" '^deep;\[truncated\];.*;deep_leaf')" $((n / 2)) 'truncated stacks'
	tail -n 1 "$TMP/deep.json" | jq -e '.stacks.truncated > 0' >/dev/null || fail "$(tail -n 1 "$TMP/deep.json")"
	profile -q -f -e cpu-clock -F 299 -o "$TMP/deep.folded" -- "$WORK/deep" 0.3 100 >/dev/null
	lacks "$TMP/deep.folded" '\[truncated\].*deep_leaf'
}
if [ "$(cat /proc/sys/kernel/perf_event_max_stack)" = 127 ]; then
	check 'stacks beyond 127 frames are truncated, and say so' deep_stacks_are_marked
else
	skip 'stacks beyond 127 frames are truncated, and say so' 'kernel.perf_event_max_stack is not 127'
fi

# peak_kb ARGS...: the peak resident memory of bperf (python, before exec, and the workload have less).
peak_kb()
{
	python3 - "$BPERF" "$@" <<'PY'
import os, sys
pid = os.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss)
sys.exit(status != 0)
PY
}

# In every format, and however long the output is.
memory_is_bounded()
{
	local format kb

	command -v python3 >/dev/null || skip_because 'no python3 to measure with'
	for format in folded txt json pb.gz svg; do
		kb=$(peak_kb profile -q -e page-faults -c 1 -o "$TMP/peak.$format" -- \
			"$WORK/stacks" "$bits") || fail "exit status with $format"
		echo "$format: $kb KB"
		((kb < 16 * 1024)) || fail "$kb KB with $format"
	done
}
check "2^$bits stacks take less than 16 MB in any format" memory_is_bounded
