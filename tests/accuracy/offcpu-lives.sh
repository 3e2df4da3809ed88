#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Waits of threads that come and go: storms, thread ids that are reused, ten thousand threads at a time.
#
# long: starts tens of thousands of threads, 22 s
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

# storm HOW: every one of 200 short lives has its sleep in the report.
storm()
{
	watch offcpu '' storm 200 5 "$1"
	off_is "$(total "$TMP/w.folded" '^storm-child;.*;storm_nap;.*nanosleep')" storm nap
	between "$(rows '.comm == "storm-child" and has("storm_nap")' count)" 200 400 'sleeps'
	lacks "$TMP/w.folded" 'storm-child;\[asleep before start|stack not taken'
}
check 'a storm of forks' storm fork
check 'a storm of threads' storm thread

storm_of_execs()
{
	local us n

	watch offcpu '' storm 100 5 exec
	us=$(total "$TMP/w.folded" '^storm-child;.*;storm_nap;.*nanosleep')
	n=$(grep -c '^alone_ns' "$TMP/storm.truth")
	exactly "$n" 100 'children that told'
	in_bounds "$us" "$(truth storm nominal_ns)" \
		"$(awk '/^alone_ns/ { n += $2 } END { printf "%.0f", n }' "$TMP/storm.truth")" 100 'sleeps after exec'
}
check 'a storm of execs' storm_of_execs

# A thread that is killed in its sleep has slept until then: its interval ends at its exit.
storm_of_kills()
{
	watch offcpu '' storm 60 5 kill 4
	between "$(total "$TMP/w.folded" '^storm-child;.*;storm_nap;.*nanosleep')" 240000 \
		"$(($(truth storm nap_ns) / 1000))" 'sleeps that were cut short (us)'
	between "$(rows 'has("storm_nap")' count)" 55 120 'sleeps'
}
check 'a storm of kills' storm_of_kills

# A thread that calls exec takes the id of its process's first thread: its waits under the old id end there,
# and later waits belong to the new id.
number_taken_over()
{
	local how rows before after

	for how in waits gone; do
		watch offcpu '--states -P' heir 200 "$how"
		before=$(($(truth heir before_ns) / 1000))
		after=$(($(truth heir after_ns) / 1000))
		rows=$(jq -c 'select(.type == "state") | ([.states[]] | add) as $sum | [.comm, .tid, .threads, .wall, $sum]' "$TMP/w.json")
		exactly "$(wc -l <<<"$rows")" 2 rows
		exactly "$(jq -s '[.[] | .[2]] | add' <<<"$rows")" 2 'threads in them'
		exactly "$(jq -s "[.[] | select((.[3] - .[4] | fabs) > .[3] / 100 + 20)] | length" <<<"$rows")" 0 \
			"rows that are not their wall time in $rows"
		between "$(jq -s "[.[] | select(.[1] == $(truth heir tid))[3]] | add" <<<"$rows")" 200000 \
			$((before + 20000 + n_lost * 1000)) 'life under the old number (us)'
		[ "$how" = gone ] || after=$((after + before))
		between "$(jq -s "[.[] | select(.[1] == $(truth heir pid))[3]] | add" <<<"$rows")" \
			$((after - 1000)) $((after + 100000)) 'under the new one (us)'
	done
}
check 'an id that an exec takes over is another thread from then on' number_taken_over

# A thread that begins to match the filter while asleep counts from where it next runs: its earlier
# sleep did not match, in part or whole.
adopted()
{
	watch offcpu '--comm adopted' adopted 5 20
	off_is "$(total "$TMP/w.folded" ';later_nap;')" adopted adopted
	lacks "$TMP/w.folded" 'first_nap|asleep before start'
	watch wakeup '--comm adopted' adopted 5 20
	blocked_is "$(rows true value)" adopted adopted
	watch offcpu '--states --threads --comm adopted' adopted 5 20
	between "$(jq -s '[.[] | select(.type == "state" and .tid != .pid)] | map(.wall) | add | round' "$TMP/w.json")" \
		"$(($(truth adopted adopted_off) / 1000))" "$(($(truth adopted adopted_ns) / 1000 + $(slow 20) * 1000))" \
		'the life of the thread as one of ours (us)'
	exactly "$(jq -c 'select(.type == "state") | ([.states[]] | add) as $sum |
		select((.wall - $sum | fabs) > .wall / 100 + 20)' "$TMP/w.json")" '' 'rows that are not their wall time'
}
check 'a thread that begins to match the filter while asleep counts from when it runs' adopted

number_used_again()
{
	watch offcpu '' again 100 700
	exactly "$(truth again first)" "$(truth again second)" 'second pid'
	between "$(total "$TMP/w.folded" ';first_nap;')" 90000 "$(($(truth again first_ns) / 1000))" \
		'first life (us)'
	between "$(total "$TMP/w.folded" ';second_nap;')" 100000 "$(($(truth again second_ns) / 1000 + 10))" \
		'second life (us)'
	# All waits under this id, in both lives; the time between them belongs to no thread.
	between "$(rows ".pid == $(truth again first)" value "$TMP/w.json")" 190000 \
		"$((($(truth again first_ns) + $(truth again second_ns)) / 1000 + 300000))" 'both lives (us)'
}
check 'an id that is reused is another thread' number_used_again

crowd()
{
	local n=10000 us

	[ -z "${BPERF_SLOW-}" ] || n=1000
	"$WORK/crowd" "$n" 0 >"$TMP/crowd.truth" 2>&1 || skip_because "$(tail -n 1 "$TMP/crowd.truth")"
	start crowd "$n" 120
	bp offcpu -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?"
	us=$(window_us 0)
	between "$(awk -v v="$(total "$TMP/w.folded" '^(\[whole window\];)?crowd;.*;member;wait_in_crowd;.*futex_wait')" -v w="$us" \
		'BEGIN { printf "%.4f", v / w }')" "$(awk "BEGIN { print $n * 0.99 }")" "$n.01" \
		'threads in wait_in_crowd all the time'
	lacks "$TMP/w.folded" 'stack not taken'
	exactly "$(losses)" '{}' losses
	stop
}
check 'ten thousand threads that are asleep, with their stacks' crowd

# Some hosts hide switches of their own tasks (waits.bash): one run of five has no loss at all.
crowd_wakes_up()
{
	local n=10000 round

	[ -z "${BPERF_SLOW-}" ] || n=1000
	"$WORK/crowd" "$n" 0 >"$TMP/crowd.truth" 2>&1 || skip_because "$(tail -n 1 "$TMP/crowd.truth")"
	for ((round = 0; round < 5; round++)); do
		start crowd "$n" "$(slow 4)"
		bp offcpu -q -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 60 2>"$TMP/err" ||
			fail "exit status $?"
		[ "$(losses)" != '{}' ] || break
		exactly "$(losses 'del(.missed)')" '{}' 'losses'
	done
	exactly "$(losses)" '{}' 'losses, each time'
	between "$(rows 'has("wait_in_crowd")' count)" "$n" "$((n * 2))" 'threads that woke up'
}
check 'ten thousand threads that wake up at once' crowd_wakes_up

# 2,000 switches a second and more, threads that wake each other before they are asleep.
messages()
{
	local us lived ran

	watch offcpu '-m 0' messages 2 10 200
	us=$(rows 'has("send_all") or has("receive_all")' value)
	lived=$(truth messages lived_ns)
	ran=$(truth messages ran_ns)
	in_bounds "$us" "$((lived - ran))" "$lived" "$(truth messages switches)" 'forty threads off the CPU'
	between "$(rows 'has("send_all") or has("receive_all")' count)" \
		"$(($(truth messages switches) * 9 / 10 - 200))" "$(truth messages switches)" 'switches'
}
check 'threads that wake each other all the time' messages

small_bounds_are_honest()
{
	local us lost

	bp offcpu -q -m 0 --stack-storage-size 1 -o "$TMP/w.json" -- "$WORK/storm" 100 5 >"$TMP/storm.truth" \
		2>"$TMP/err" || fail "exit status $?"
	us=$(rows 'has("storm_nap")' value)
	lost=$(jq_last '[.lost[] | select(. != null)] | add' "$TMP/w.json")
	echo "$us us, $lost lost"
	((lost > 0)) || off_is "$us" storm nap
}
check 'a small --stack-storage-size loses nothing, or reports what it lost' small_bounds_are_honest

# libbpf-tools' offcputime knows 10,240 threads at a time and is silent about the others.
peers_agree()
{
	local ours theirs

	have offcputime stdbuf
	start naps 100000 20
	offcputime -p "$PID" 2 >"$TMP/peer" 2>/dev/null &
	sleep 0.3
	bp offcpu -q -f -p "$PID" 1 >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
	wait $!
	theirs=$(awk '/^ +[0-9]+$/ { n += $1 } END { print n / 2 }' "$TMP/peer")
	ours=$(total "$TMP/w.folded")
	[ "${theirs%%.*}" -gt 100000 ] || skip_because 'the peer reports nothing here'
	between "$ours" "$(awk "BEGIN { print $theirs * 0.8 - 20000 }")" "$(awk "BEGIN { print $theirs * 1.2 + 20000 }")" \
		'off-CPU time a second beside libbpf-tools (us)'
}
check "the peer's total is ours where it is right" peers_agree

# While exec loads a program, the thread has the registers of the program before it and the memory of the new
# one.  Until then, the program after -- is bperf.
loading()
{
	local file=build/tests/loaded

	cp "$(type -P sort)" "$file"
	: >"$TMP/loading"
	for _ in {1..8}; do
		sync "$file"
		dd if="$file" of=/dev/null iflag=nocache count=0 status=none || skip_because 'files here cannot leave the page cache'
		bp offcpu -q -f -o "$TMP/w.json" -- "$file" /dev/null >"$TMP/w.folded" 2>"$TMP/err" || fail "exit status $?"
		grep ';load_elf_binary;' "$TMP/w.folded" >"$TMP/loading" && break
	done
	rm "$file"
	[ -s "$TMP/loading" ] || skip_because 'exec did not wait for the disk'
	exactly "$(grep -Evc '^[^;]*;(entry_|el0)' "$TMP/loading")" 0 'stacks with user frames'
	exactly "$(jq_last '.stacks.truncated' "$TMP/w.json")" 0 'stacks that are cut'
}
check 'a program that is being loaded has no user stack' loading
