# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests of offcpu, wakeup, offwake and chain, in addition to common.bash.  A workload
# measures its waits by its own clock in the same run (tests/workloads/waits.h), so that bounds hold
# on a machine that is busy with other things.

[ -x "$WORK/naps" ] || { skip "$(this_test)" 'workloads are not built (make work)'; exit 0; }

copied_symbols

n_lost=0 # in the run that watch made

# bp COMMAND ARGS...: bounded, so that a hang is a failure and not a wait.
bp()
{
	timeout -s KILL 120 "$BPERF" "$@"
}

# can_run WORKLOAD: else this check is skipped, for the reason that the workload gives.
can_run()
{
	"$WORK/$1" 1 >"$TMP/$1.truth" 2>&1 || skip_because "$(tail -n 1 "$TMP/$1.truth")"
}

# watch COMMAND 'OPTIONS' WORKLOAD ARGS...: watch the workload from start to end, into $TMP/w.folded and
# $TMP/w.json; its output goes to its truth.  A run with losses cannot be compared with the truth, and is
# repeated.  Some hosts hide processes from tracing, and with them all that happens to others while these
# run: there, some losses are allowed in the end.
watch()
{
	local round

	for ((round = 0; round < 5; round++)); do
		watch_once "$@"
		n_lost=$(jq_last 'select(.type == "end") | [.lost[] | select(. != null)] | add' "$TMP/w.json")
		[ "$n_lost" ] || fail 'no end in the JSON'
		((n_lost == 0)) && return
	done
	exactly "$(losses 'del(.missed)')" '{}' losses
	# A chain is of all threads, wanted or not, and so are its losses.
	((n_lost <= ($([ "$1" = chain ] && echo 500 || echo 20)))) || fail "missed: $n_lost, each time"
	((n_lost <= 20)) || n_lost=20
}

# losses [FILTER]: the losses of the run of $TMP/w.json, by name; {}: none.
losses()
{
	jq_last -c ".lost | ${1-.} | with_entries(select(.value != null and .value != 0))" "$TMP/w.json"
}

watch_once()
{
	local command=$1 options=$2 workload=$3

	shift 3
	# States are no stacks, and have no folded form.
	[[ $options == *--states* ]] || options+=" -o $TMP/w.folded"
	# shellcheck disable=SC2086 # words
	bp "$command" -q $options -o "$TMP/w.json" -- "$WORK/$workload" "$@" \
		>"$TMP/$workload.truth" 2>"$TMP/err" || fail "exit status $? of $command" "$(cat "$TMP/err")"
}

# In functions of jq's: a row has a frame of that name, is of that comm.
jq_defs='def has(f): any(.user[]?, .kernel[]?; .func == f);
def stacks: select(.type == "stack");'

# rows FILTER FIELD: the sum of FIELD over the rows of $TMP/w.json that FILTER lets through.
rows()
{
	jq -s "$jq_defs [.[] | stacks | select($1) | .$2] | add // 0" "${3-$TMP/w.json}"
}

# in_bounds US LOW_NS HIGH_NS N WHAT: microseconds of N waits; 50 us each and 2 % are for interrupts
# that the kernel accounts apart and for the way between the workload's clock and the switch.
in_bounds()
{
	local slack=$((10000 * n_lost))

	between "$1" "$(awk -v ns="$2" -v n="$4" -v s="$slack" 'BEGIN { printf "%.0f", ns / 1e3 * 0.98 - 50 * n - 100 - s }')" \
		"$(awk -v ns="$3" -v s="$slack" 'BEGIN { printf "%.0f", ns / 1e3 * 1.001 + 200 + s }')" "$5 (us)"
}

# slept_is US WORKLOAD: blocked time of naps that a timer ended.  The timer may be late; but where CPUs are
# busy, at least half of the time beyond the nap's length was a wait for a CPU.
slept_is()
{
	local nominal ns n

	nominal=$(truth "$2" nominal_ns)
	ns=$(truth "$2" nap_ns)
	n=$(truth "$2" nap_n)
	in_bounds "$1" "$nominal" "$((nominal + (ns - nominal) / 2 + 200000 * n))" "$n" 'naps ended by the timer'
}

# off_is US WORKLOAD KEY: all time off the CPU; blocked_is: switch-out to wake-up.
off_is()
{
	in_bounds "$1" "$(truth "$2" "$3_off")" "$(truth "$2" "$3_ns")" "$(truth "$2" "$3_n")" "$3 off CPU"
}

blocked_is()
{
	in_bounds "$1" "$(truth "$2" "$3_blocked")" "$(truth "$2" "$3_ns")" "$(truth "$2" "$3_n")" "$3 blocked"
}

# window_us I: a window's length as its interval record has it, in microseconds.
window_us()
{
	jq -s "[.[] | select(.type == \"interval\")][$1] | ((.end - .start) * 1e6) | round" "$TMP/w.json"
}

# whole US WINDOW_US WHAT: a thread that waited all the time.
whole()
{
	between "$1" "$(($2 - $2 / 100 - 2000))" "$(($2 + 2))" "$3 (us)"
}

# state KEY FILTER: the sum over state rows, in microseconds.
state()
{
	jq -s "[.[] | select(.type == \"state\" and ($2)) | $1] | add // 0" "$TMP/w.json"
}

# states FILTER KEY...: such sums, in one line, from one reading of the file.
states()
{
	local key sums='empty'

	for key in "${@:2}"; do sums+=", (map($key) | add // 0)"; done
	jq -rs "map(select(.type == \"state\" and ($1))) | [$sums] | join(\" \")" "$TMP/w.json"
}

# The states of every row add up to its wall time, within one percent; if losses are reported, up to MAY
# rows may differ.
states_add_up()
{
	local may=${1-0} n lost wrong

	jq -cs 'map(select(.type == "state")) as $rows | ($rows | length), (.[-1].lost | map(values) | add > 0),
		($rows[] | ([.states[]] | add) as $sum | ($sum - .wall) as $d |
		select(($d * $d) > pow(.wall * 0.01 + 20; 2)) | [.comm, .pid, .tid, .wall, $sum])' "$TMP/w.json" >"$TMP/sums" ||
		fail "exit status $? of jq"
	{ read -r n && read -r lost && cat >"$TMP/wrong"; } <"$TMP/sums"
	((n > 0)) || fail 'no rows'
	[ "$lost" = true ] || may=0
	wrong=$(wc -l <"$TMP/wrong")
	((wrong <= may)) || fail 'states are not the wall time of:' "$(cat "$TMP/wrong")"
}
