#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The live view of runs: numbers on the screen, compared with programs of known behaviour, and nothing that
# is left whatever ends it.
#
# long: a live view for each command, a minute
# kernels: none

# shellcheck disable=SC2016 # programs for an inner shell
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/live/terminal.bash
. tests/live/terminal.bash
need awk jq pgrep bpftool
copied_symbols

# live ARGS...: bperf in a terminal of 100x30.
live()
{
	local command=$1

	shift
	open_terminal 100x30 "$BPERF" "$command" --live "$@"
}

# The two processes: the one that shows, and its child, which measures.
viewer()
{
	pgrep -n -P "$(cat "$TMP/shell")" -x bperf || fail 'there is no bperf' "$(screen)"
}

# table_value NAME COLUMN: a number of the row that ends with NAME.
table_value()
{
	screen | awk -v name="$1" -v column="$2" '$NF == name { gsub(",", ""); print $column; exit }'
}

# write_to FILE
write_to()
{
	keys w
	wait_for '^write to: '
	keys C-u
	type_text "$1"
	keys Enter
	wait_for "written to .*${1##*/}"
}

# nothing_attached N: no more than before, when others may have had something attached.
nothing_attached()
{
	(($(attached) <= $1))
}

# samples: of the title.
samples()
{
	screen | sed -n '1s/.* \([0-9,]*\) samples.*/\1/p' | tr -d ,
}

# The shares of the screen are those that the program measured; its exit status is that of bperf, and its
# output is not on the screen.
shares_on_screen()
{
	local name p n

	live profile -U -e cpu-clock -F 499 --comm shares -- \
		sh -c '"$1" 3 60 30 10 | tee "$2"; exit 7' sh "$WORK/shares" "$TMP/shares.truth"
	wait_for '^▏shares'
	screen_lacks '^pid ' || fail "$(screen)"
	keys 2
	wait_for ended
	n=$(samples)
	at_least "$n" 200 samples
	while read -r name p; do
		share "$(awk -v n="$n" -v p="$(table_value "$name" 1)" 'BEGIN { printf "%d", n * p / 100 }')" \
			"$n" "$p" "$name"
	done < <(truth shares share)
	keys 1
	wait_for '^▏shares'
	write_to "$TMP/shares.json"
	keys q
	ends_with 7
	"$BPERF" report -q -f "$TMP/shares.json" >"$TMP/shares.folded" || fail 'cannot be read'
	exactly "$(total "$TMP/shares.folded")" "$n" 'samples that were written'
	screen | grep -q 'lost: ' || fail 'no ledger at the end' "$(screen)"
}
check 'the screen shows the shares of the program, and its status is passed on' shares_on_screen

# Calls are counted exactly, also those of the windows during a pause.
pause_loses_nothing()
{
	live funccount "p:$WORK/counted:call_me" -- "$WORK/counted" 40000 2 1 100000
	wait_for ' call_me$'
	keys p
	wait_for 'paused'
	wait_for 'ended'
	keys p
	wait_gone 'paused'
	wait_for '^ +40,000 .* call_me'
	write_to "$TMP/calls.json"
	leave
	exactly "$(jq -s '[.[] | select(.type == "count") | .value] | add' "$TMP/calls.json")" 40000 calls
}
check 'a pause loses no call' pause_loses_nothing

# The windows of a run: each adds to the sum, none is counted twice.
windows_add_up()
{
	live argdist -H "p:$WORK/spread:call_value(u64 v):u64:v" -i 0.2 -- \
		"$WORK/spread" 2 3:1000 nap:400 100:500 nap:400 3:1 wait:200
	wait_for 'ended'
	wait_for '2 -> 3 +: 2002 '
	wait_for '64 -> 127 +: 1000 '
	leave
}
check 'histograms of several windows add up to the number of calls' windows_add_up

# A tool is a command line of argdist or funccount: the person who typed its name sees that name.
tool_has_its_name()
{
	live readdist
	wait_for '^readdist  [0-9]+ s'
	leave
	live pidpersec
	wait_for '^pidpersec  [0-9]+ s'
	leave
}
check 'a tool has its own name on the screen' tool_has_its_name

# A duration is kept, also one of no whole number of seconds: 2 windows of 0.505 s.
lasts_as_long()
{
	live profile -U 1.01
	wait_for ended
	write_to "$TMP/short.json"
	leave
	jq -se '.[] | select(.type == "interval") | .end - .start < 1.5' "$TMP/short.json" >/dev/null
}
duration()
{
	for _ in 1 2 3; do # a cut can be late
		! lasts_as_long || return 0
		rm -f "$TMP/short.json"
	done
	fail "$(tail -n 2 "$TMP/short.json")"
}
check 'a run is as long as its duration' duration

states_on_screen()
{
	start naps 400 50
	live offcpu --states -p "$PID"
	keys i
	wait_for 'naps'
	wait_for '^ .* (9|100)[0-9.]* +- +naps|^ .* [5-9][0-9]\.[0-9].* naps \('
	stop
	wait_for ended
	leave
}
check 'a program that sleeps is asleep on the screen' states_on_screen

# The same program with other shares, after the baseline.
change_on_screen()
{
	start shares 60 80 10 10
	live profile -U -e cpu-clock -F 499 --comm shares
	wait_for '^▏shares'
	keys 2
	wait_for ' burn_hot$'
	poll screen_has '[0-9]{3} samples' || fail "$(screen)"
	keys b
	wait_for compared
	stop
	start shares 60 10 10 80
	poll at_least_samples 300 || fail "$(screen)"
	wait_for ' \+[0-9.]+ +\+[0-9.]+ +burn_cool$'
	wait_for ' -[0-9.]+ +-[0-9.]+ +burn_hot$'
	wait_for ' ~ burn_warm$'
	keys b
	wait_gone compared
	leave
}
at_least_samples()
{
	(($(samples) >= $1))
}
check 'a baseline shows the change that the program makes' change_on_screen

target_ends()
{
	start shares 60
	live profile -U -p "$PID"
	wait_for '^▏shares'
	stop
	wait_for ended
	wait_for '^▏shares'
	leave
}
check 'a target that ends: its last picture stays' target_ends

# A run that cannot begin says the same as without --live, with the same status.
same_refusal() # COMMAND ARGS...
{
	local status=0 command=$1

	shift
	"$BPERF" "$command" "$@" >/dev/null 2>"$TMP/want" </dev/null || status=$?
	open_terminal 200x30 "$BPERF" "$command" --live "$@"
	ends_with "$status"
	screen | grep -qF -- "$(head -n 1 "$TMP/want")" || fail "want: $(cat "$TMP/want")" "$(screen)"
}

refusals()
{
	same_refusal profile -p 4194303
	same_refusal profile -- "$TMP/no-such-program"
	same_refusal offcpu --no-such-option
	same_refusal funccount 'k:no_such_function_at_all'
}
check 'a run that cannot begin fails as without --live' refusals

printed_much()
{
	live profile -- sh -c 'seq 100000; echo the last line >&2; sleep 2'
	wait_for '^▏all|nothing counted|waiting'
	screen_lacks '^ *[0-9]+$' || fail "$(screen)"
	wait_for ended
	screen_lacks '^ *[0-9]+$' || fail "$(screen)"
	leave
}
check 'a program that prints much does not disturb the screen' printed_much

# One that never stops printing: keys act all the same, also in the view of what it prints.
prints_without_end()
{
	live profile -- yes
	wait_for '^▏yes'
	keys 2
	wait_for 'self .*total .*function'
	keys 4
	wait_for '^y$'
	wait_for '^profile: .* [4-9] s, '
	keys 1
	wait_for '^▏yes'
	keys q
	wait_file "$TMP/status"
	is_restored
}
check 'a program that prints without end does not take the keys away' prints_without_end

# The error of a command for the selected process would vanish with the terminal's other screen.
command_fails()
{
	start shares 60
	live profile -U -p "$PID"
	wait_for '^▏shares'
	keys 3
	wait_for 'shares \('
	prlimit --pid "$(viewer)" --nofile=4:4
	keys o
	wait_for '^bperf: .*oo many open files'
	keys q
	wait_file "$TMP/status"
	is_restored
}
check 'a command that fails says why' command_fails

# Signals interrupt the reading, which goes on.
interrupted_text()
{
	local pid

	start naps 400 50
	live offcpu --states -p "$PID"
	keys i
	wait_for 'naps'
	pid=$(viewer)
	keys d
	for _ in {1..200}; do
		kill -CONT "$pid"
		read -rt 0.01 _ <> <(:)
	done
	wait_for "naps \($PID\), 1 thread"
	wait_for '^ +(nap|main)'
	keys q
	leave
	stop
}
check 'the text of a command is read whatever interrupts it' interrupted_text

# Both programs end: the one that has the terminal, and the one that waits for it.
told_to_end_while_it_waits() # SIGNAL
{
	local before pid

	before=$(attached)
	start shares 60
	live profile -U -p "$PID"
	wait_for '^▏shares'
	keys 3
	wait_for 'shares \('
	keys o
	wait_for '^offcpu'
	pid=$(viewer)
	kill -"$1" "$pid"
	wait_file "$TMP/status"
	poll is_restored || is_restored
	poll nothing_attached "$before" || fail "attached: $(attached), before $before"
	stop
}
check 'it is told to end while another command has the terminal' told_to_end_while_it_waits TERM
check 'it is killed while another command has the terminal' told_to_end_while_it_waits KILL

# The terminal is as before, and nothing stays attached.
killed() # SIGNAL
{
	local before pid child

	before=$(attached)
	live profile
	wait_for '^▏all'
	pid=$(viewer)
	child=$(pgrep -P "$pid")
	kill -"$1" "$pid"
	wait_file "$TMP/status"
	poll test ! -e "/proc/$child" || fail "$child is left"
	poll is_restored || is_restored
	poll nothing_attached "$before" || fail "attached: $(attached), before $before"
}
check 'the process that shows is killed' killed KILL
check 'the process that shows is told to end' killed TERM
check 'the process that shows crashes' killed SEGV

killed_child() # SIGNAL STATUS WORDS
{
	local before

	before=$(attached)
	live profile
	wait_for '^▏all'
	kill -"$1" "$(pgrep -P "$(viewer)")"
	wait_for "\\[$3\\]"
	keys q
	ends_with "$2"
	poll nothing_attached "$before" || fail "attached: $(attached), before $before"
}
check 'the process that measures is killed' killed_child KILL 137 'broken off'
check 'the process that measures is told to end' killed_child TERM 0 ended

# A line of 20 KB a second is enough for a run with a new picture each second.
few_bytes()
{
	local start n

	start shares 30
	live offcpu
	wait_for '^▏all'
	resize 80x24
	: >"$TMP/bytes"
	on_server pipe-pane -O "cat >>$TMP/bytes"
	start=$EPOCHREALTIME
	read -rt 4 _ <> <(:)
	n=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	at_least "$(wc -c <"$TMP/bytes")" 1 bytes
	(($(wc -c <"$TMP/bytes") <= n * 20)) || fail "$(wc -c <"$TMP/bytes") bytes in $n ms"
	leave
	stop
}
check 'a run writes at most 20 KB a second' few_bytes
