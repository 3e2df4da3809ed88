#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Events are reported as they happened: all of them, with the values that they had, in the order of time.
# Workloads make a known number of calls (tests/workloads/calls.c).
#
# long: a run for each claim, 45 s
# shared: its counts do not depend on the CPU time that it gets
# kernels: 5.10 6.1 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/trace.bash
. tests/accuracy/trace.bash
need jq awk

MANY=100000 EACH=1000 # calls, and those of one thread of eight
[ -z "${BPERF_SLOW-}" ] || MANY=5000 EACH=400
copied_symbols

predicate_is_exact()
{
	trace "p:$CALLS:call_say(int i, char *text) (i % 1000 == 7) \"%d %s\", i, text" -- \
		"$CALLS" say "$MANY"
	hits $((MANY / 1000))
	events .text >"$TMP/got"
	for ((i = 7; i < MANY; i += 1000)); do echo "$i text $i"; done >"$TMP/want"
	same "$TMP/want" "$TMP/got"
}
check 'a predicate lets exactly its events through, with their values' predicate_is_exact

all_are_counted()
{
	trace 'syscall:getppid' -- "$CALLS" getppid $((2 * MANY))
	hits $((2 * MANY))
	[ "$(events 1 | wc -l)" = "$(of_probe 0 shown)" ] || fail 'shown is not what is in the file'
}
check 'each event of a storm is shown or counted as lost' all_are_counted

# With a string in the thread's memory, which makes the program one that may sleep, and without.
threads_are_exact()
{
	trace -b 4096 "r:$CALLS:call_say(int i, char *text) $1" -- "$CALLS" threads "$EACH"
	hits $((8 * EACH))
	[ "$(of_probe 0 no_start)" = 0 ] || fail 'a return without its call'
	events '.tid, (.text | split(" ")[0])' | paste - - | sort -n | awk -v each="$EACH" '
		{ sum[$1] += $2; threads += !n[$1]++ }
		END { for (t in n) if (n[t] != each || sum[t] != each * (each - 1) / 2) { print t, n[t], sum[t]; bad = 1 }
		      if (threads != 8) { print threads, "threads, not 8"; bad = 1 }
		      exit bad }' || fail 'values of threads are mixed up'
}
# shellcheck disable=SC2016 # of the spec
check 'each return knows the entry of its own call, in 8 threads' threads_are_exact '"%d", $entry(i)'
# shellcheck disable=SC2016 # of the spec
check 'exact counts with sleepable programs' threads_are_exact '"%d %s", $entry(i), $entry(text)'

# descriptors KIND: how many of this kind the processes of this test have.
descriptors()
{
	local pids

	mapfile -t pids < <(grep -alFxz "BPERF_TEST=$BPERF_TEST" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f1-3)
	find "${pids[@]/%//fd}" -lname "anon_inode:*$1*" 2>/dev/null | wc -l
}

# The kernel needs grace periods to close the event of a tracepoint, for one event after another.  The time
# is not measured: after a run that waited for them, none is open, and after one that did not, most are.
ends_before_events_are_closed()
{
	local open links specs i

	mapfile -t specs < <(for of in writeback sched timer; do "$BPERF" list "t:$of:*"; done 2>/dev/null | head -n 40)
	at_least "${#specs[@]}" 20 tracepoints
	trace --comm nobody "${specs[@]}" 0.1
	open=$(descriptors perf_event) links=$(descriptors bpf)
	at_least "$open" $((${#specs[@]} / 2)) 'events that are closed in the background'
	exactly "$links" 0 'programs and links that are kept meanwhile'
	for ((i = 0; i < 600; i++)); do
		[ "$(descriptors perf_event)" != 0 ] || return 0
		snooze 0.1
	done
	fail 'events stay open' "$(descriptors perf_event)"
}
check 'the end of a run does not wait for each tracepoint' ends_before_events_are_closed

order_is_time()
{
	trace -b 4096 "p:$CALLS:call_say" -- "$CALLS" threads $((2 * EACH))
	jq -r 'select(.type == "event" and (.late | not)) | .ts' "$TMP/trace.json" |
		awk '$1 < last { print NR, last, $1; bad = 1 } { last = $1 } END { exit bad }' ||
		fail 'not in the order of time'
}
check 'events of all CPUs are in the order of time' order_is_time

recursion_is_right()
{
	trace "r:$CALLS:call_recurse(int depth) \"%d %d\", \$entry(depth), retval" -- "$CALLS" recurse 60
	hits 60
	for ((i = 1; i <= 60; i++)); do echo "$i $i"; done >"$TMP/want"
	events .text >"$TMP/got"
	same "$TMP/want" "$TMP/got"
}
check 'recursion: each of 60 nested returns has its own entry' recursion_is_right

deep_recursion_is_counted()
{
	trace "r:$CALLS:call_recurse(int depth) (\$entry(depth) > 0)" -- "$CALLS" recurse 200
	# The kernel may take returns of deeper calls than we remember.
	[ "$(jq_last '.probes[0] | .too_deep > 0 and .map_full == 0 and .hits + .too_deep >= 200' \
		"$TMP/trace.json")" = true ] || fail "$(jq_last -c '.probes' "$TMP/trace.json")"
	exactly "$(jq_last -c '[.lost.recursion == .probes[0].too_deep, .complete]' "$TMP/trace.json")" \
		'[true,false]' 'the ledger'
	has "$TMP/err" '[0-9]+ skipped: inside other probes or calls'
}
check 'calls deeper than the kernel follows are counted' deep_recursion_is_counted

jumps_are_counted()
{
	trace "r:$CALLS:call_jump(int i) \"%d\", \$entry(i)" \
		"r:$CALLS:call_say(int i, char *s) \"%d\", \$entry(i)" -- "$CALLS" jump 10 say 5
	hits 0 0
	[ "$(of_probe 0 unreturned)" = 10 ] || fail "$(jq_last -c '.probes' "$TMP/trace.json")"
	hits 5 1
	[ "$(events .text | tr '\n' ' ')" = '0 1 2 3 4 ' ] || fail "$(events .text)"
}
check 'calls that never return are counted and mix nothing up' jumps_are_counted

structs_are_read()
{
	trace "p:$CALLS:call_point(struct timespec *p) \"%d %d\", (int)p->tv_sec, p->tv_nsec" -- \
		"$CALLS" point 3
	[ "$(events .text | tr '\n' ';')" = '0 0;1 -1;2 -2;' ] || fail "$(events .text)"
}
check 'members of user structs have their values' structs_are_read

kernel_strings_are_read()
{
	trace 'raw:sched_process_exec "%s %s", bprm->filename, $comm' -- "$CALLS" nap 1
	[ "$(events .text)" = "$CALLS calls" ] || fail "$(events .text)"
}
check 'strings of the kernel are read' kernel_strings_are_read

CAN_SLEEP=$("$BPERF" trace -v "p:$CALLS:call_page(char *text) \"%s\", text" -- true 2>&1 |
	grep 'that may sleep')

absent_pages()
{
	trace "p:$CALLS:call_page(char *text) \"%s\", text" -- "$CALLS" page 20
	hits 20
	if ! [ "$CAN_SLEEP" ]; then
		[ "$(events .text | sort -u)" = '?' ] || fail "$(events .text)"
		skip_because 'programs of user functions do not sleep on this kernel'
	fi
	for ((i = 0; i < 20; i++)); do echo "page $i"; done >"$TMP/want"
	events .text >"$TMP/got"
	same "$TMP/want" "$TMP/got"
}
check 'strings in pages that were never touched are read' absent_pages

# The longest string that is read whole; a longer one ends in "...".
long_pages()
{
	local n

	[ "$CAN_SLEEP" ] || skip_because 'programs of user functions do not sleep on this kernel'
	trace -Z 28672 "p:$CALLS:call_page(char *text) \"%s\", text" -- "$CALLS" long 1 long 4096 \
		long 20000 long 28672 long 28673
	for n in 1 4096 20000 28672; do
		printf "%${n}s\n" '' | tr ' ' x
	done >"$TMP/want"
	sed -n '$s/$/.../p' "$TMP/want" >>"$TMP/want.cut"
	cat "$TMP/want.cut" >>"$TMP/want"
	events .text >"$TMP/got"
	cmp "$TMP/want" "$TMP/got" || fail "$(events '.text | length')"
	trace -Z 13000 "p:$CALLS:call_page(char *text) \"%.*s\", 10000, text" -- "$CALLS" long 20000
	[ "$(events '.text | length')" = 10000 ] || fail "$(events '.text | length')"
	# Longer than an element of a per-CPU map may be: bperf uses slots in an ordinary map.
	trace -Z 1048576 "p:$CALLS:call_page(char *text) (text ~ \"x*\") \"%s %s\", text, text" -- "$CALLS" \
		long 28673 long 300000 long 1048576 long 1048577
	for n in 28673 300000 1048576 1048576; do
		printf '%s %s\n' "$n" "$n"
	done >"$TMP/want"
	events .text | awk -v cut="$TMP/cut" '/xxx\.\.\.$/ { print length($0) >cut }
		{ sub(/\.\.\.$/, "", $1); sub(/\.\.\.$/, "", $2); print length($1), length($2) }' >"$TMP/got"
	same "$TMP/want" "$TMP/got"
	exactly "$(cat "$TMP/cut")" 2097159 'what was cut'
}
check 'a string of many pages is read' long_pages

too_long_is_said()
{
	local z status

	for z in 14400 14800 16000 1000000 1040000 1048576; do # four times that
		status=0
		"$BPERF" trace -Z $z "p:$CALLS:call_page(char *text) \"%s %s %s %s\", text, text, \
			text, text" -- true >"$TMP/out" 2>&1 || status=$?
		((status == 64)) && grep -q 'strings take .* together, more than' "$TMP/out" || ((!status)) ||
			fail "-Z $z: status $status" "$(cat "$TMP/out")"
	done
	((status == 64)) || fail "status $status"
}
check 'strings that no program has room for are refused' too_long_is_said

# A pointer to nowhere is a '?' among the others; the rest is read.
joined_pages()
{
	local i page

	trace "p:$CALLS:call_argv(char **a) \"%s\", join(a)" -- "$CALLS" argv 20
	hits 20
	for ((i = 0; i < 20; i++)); do
		page="page $i"
		[ "$CAN_SLEEP" ] || page='?'
		echo "first $page ? last"
	done >"$TMP/want"
	events .text >"$TMP/got"
	same "$TMP/want" "$TMP/got"
	[ "$CAN_SLEEP" ] || skip_because 'programs of user functions do not sleep on this kernel'
}
check 'joined strings are read' joined_pages

joins_are_cut()
{
	trace -Z 200 "p:$CALLS:call_argv(char **a) \"%s\", join(a)" -- "$CALLS" args 0 args 1 args 16 args 17
	events '"\(.cut // [] | length) \(.text)"' >"$TMP/got"
	printf '%s\n' '0 ' '0 x' "0 $(printf 'x%.0s ' {1..15})x" "1 $(printf 'x%.0s ' {1..16})..." >"$TMP/want"
	same "$TMP/want" "$TMP/got"
	trace -Z 200 "p:$CALLS:call_argv(char **a) \"%s\", join(a, 64)" -- "$CALLS" args 64 args 65
	events .text >"$TMP/got"
	printf '%s\n' "$(printf 'x%.0s ' {1..63})x" "$(printf 'x%.0s ' {1..64})..." >"$TMP/want"
	same "$TMP/want" "$TMP/got"
}
check 'when joined strings are too many, "..." says that there are more' joins_are_cut

# Keys that are equal as far as they go: the row says that it may stand for several.
joined_keys()
{
	local join

	for join in join quoted; do
		"$BPERF" argdist -q -C "p:$CALLS:call_argv(char **a):char*:$join(a)" -o "$TMP/k.json" -o "$TMP/k.txt" -- \
			"$CALLS" args 16 args 17 args 18 || fail "exit status $?"
		exactly "$(jq -cs '([.[] | select(.type == "count") | [.value, .cut != null]] | sort), .[-1].keys_cut' \
			"$TMP/k.json" | xargs)" '[[1,false],[2,true]] 2' 'rows, and the number of keys that were cut'
		grep -qE '	2 .* "?x"? \.\.\.$' "$TMP/k.txt" || fail "$(cat "$TMP/k.txt")"
	done
}
check 'keys of which strings are left out are marked and counted' joined_keys

# The largest number that trace accepts: each may be absent, and the verifier must not try all combinations.
many_strings()
{
	local s w

	s=$(printf '%%s,%.0s' {1..48})
	w=$(printf ', text%.0s' {1..48})
	trace "p:$CALLS:call_say(int i, char *text) \"$s\"$w" -- "$CALLS" say 1
	[ "$(events .text)" = "$(printf 'text 0,%.0s' {1..48})" ] || fail "$(events .text)"
}
check 'the largest number of strings is read' many_strings

# Too long for a program that sleeps, but not for one that doesn't.
no_sleep_is_said()
{
	local s w

	s=$(printf '%%s,%.0s' {1..16})
	w=$(printf ', join(text)%.0s' {1..16})
	trace "p:$CALLS:call_say(int i, char **text) \"$s%s\"$w, *text" -- "$CALLS" say 1
	"$BPERF" trace -v "p:$CALLS:call_say(int i, char **text) \"%s\", *text" -- true 2>&1 |
		grep -q 'that may sleep' || skip_because 'programs of user functions do not sleep on this kernel'
	jq -r 'select(.type == "warn").msg' "$TMP/trace.json" | grep -q "paged-out strings print as '?'" ||
		fail "$(cat "$TMP/trace.json")"
}
check 'a program that cannot wait for pages has a warning' no_sleep_is_said

# shop::price(int) is called once, the one of a char pointer twice, shop::price(int, unsigned long)
# three times.
overloads()
{
	local cplus=$WORK/cplus name

	[ -x "$cplus" ] || skip_because 'no g++'
	trace "p:$cplus:shop::price" -- "$cplus" 0.01
	hits 6
	for name in '"shop::price(int)"' '"shop::price(char const*, std::string const&)"' \
		'"shop::price(int, unsigned long)"'; do
		"$BPERF" trace "p:$cplus:shop::price" -- true 2>&1 | grep -qF "$name" ||
			fail "not said: $name"
	done
	trace "p:$cplus:\"shop::price(int)\"(int i) \"%d\", i" \
		"r:$cplus:\"shop::price(char const *, std::string const &)\"" \
		"p:$cplus:\"shop::price(int,unsigned long)\"(int i, long n) \"%d\", n" \
		"p:$cplus:\"shop::(anonymous namespace)::secret\"" -- "$cplus" 0.01
	for name in 0:1 1:2 2:3 3:1; do
		hits "${name#*:}" "${name%:*}"
	done
	[ "$(events .text | grep -cx 7) $(events .text | grep -cx 5)" = '1 3' ] || fail "$(events .text)"
	"$BPERF" trace "p:$cplus:\"shop::price(long)\"" >"$TMP/out" 2>&1 && fail 'runs'
	grep -qF 'with other parameters: "shop::price(int)",' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'one of several C++ functions of a name is chosen by its parameters' overloads

# Whole, as nm -C and gdb show them; by a pattern of the class or namespace; operators that are words.
names_of_others()
{
	local cplus=$WORK/cplus text='std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >'
	local fill="shop::Basket<int, unsigned long>::fill" longs='std::vector<unsigned long, std::allocator<unsigned long> >'

	[ -x "$cplus" ] || skip_because 'no g++'
	while read -r name; do
		"$BPERF" trace --dry-run "p:$cplus:$name" >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
	done <<-END
		$longs::push_back
		"$fill($text const&, $longs&, double)"
		shop::Basket<int, unsigned long>::*
		std::less<int>::*
		std::*
		"operator new(unsigned long, void*)"
	END
}
check 'C++ functions are found by the names that other tools show' names_of_others

# Patterns that the symbols match, too; each line that list prints is a spec of one function.
patterns_show_names()
{
	local cplus=$WORK/cplus line

	[ -x "$cplus" ] || skip_because 'no g++'
	"$BPERF" list "p:$cplus:*secret*" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(cat "$TMP/out")" "p:$cplus:\"shop::(anonymous namespace)::secret\"" 'what list shows'
	"$BPERF" list "p:$cplus:*" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	lacks "$TMP/out" ':_ZN'
	for line in 'p:.*:shop::price' 'p:.*:"shop::Basket<int, unsigned long>::operator()"'; do
		line=$(grep -x "$line" "$TMP/out") || fail "no $line"
		"$BPERF" trace --dry-run "$line" >"$TMP/out2" 2>&1 || fail "$(cat "$TMP/out2")"
	done
	trace "p:$cplus:*price*" -- "$cplus" 0.01
	hits 6
	exactly "$(events .func | sort -u)" shop::price 'functions of a pattern'
	"$BPERF" list "p:$cplus:_ZN4shop5price*" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(grep -c ':_ZN4shop5price' "$TMP/out")" 3 'overloads by their symbols'
}
check 'patterns match and show C++ names' patterns_show_names

latency_is_time()
{
	trace 'r:syscall:clock_nanosleep "%d", $latency' -- "$CALLS" nap 30 nap 30 nap 30
	hits 3
	events .text | awk '$1 < 30000000 { exit 1 }' || fail "$(events .text)"
}
check '$latency is not shorter than the call' latency_is_time

# background ARGS...: live when this returns (BG).
background()
{
	local i

	# The output of an earlier run must not be taken for that of this one.
	rm -f "$TMP/err" "$TMP/trace.json"
	env --default-signal=INT timeout -s KILL 60 "$BPERF" trace -v -o "$TMP/trace.json" "$@" \
		>"$TMP/stdout" 2>"$TMP/err" &
	BG=$!
	for ((i = 0; i < 400; i++)); do
		contains "$TMP/err" 'bperf: tracing after' && return
		snooze 0.05
	done
	fail 'bperf does not start' "$(cat "$TMP/err")"
}

finish_background()
{
	pkill -INT -P "$BG" -x bperf
	wait "$BG" || fail "status $?" "$(cat "$TMP/err")"
}

later_processes()
{
	background "p:$CALLS:call_say(int i) \"%d\", i"
	for _ in 1 2 3; do "$CALLS" say 4; done
	finish_background
	events '"\(.pid) \(.text)"' >"$TMP/got"
	[ "$(cut -d' ' -f2- "$TMP/got" | sort | uniq -c | awk '{ print $1, $2 }' | tr '\n' ';')" = '3 0;3 1;3 2;3 3;' ] ||
		fail "$(cat "$TMP/got")"
	[ "$(cut -d' ' -f1 "$TMP/got" | sort -u | wc -l)" = 3 ] || fail 'not 3 processes'
}
check 'processes that start later are traced too' later_processes

# The process that attaches ahead of the probes.
own_process()
{
	local bperf i

	background "p:$CALLS:call_say"
	bperf=$(pgrep -P "$BG" -x bperf) || fail 'no bperf'
	for ((i = 0; i < 100; i++)); do
		pgrep -P "$bperf" >/dev/null || break
		snooze 0.05
	done
	((i < 100)) || fail 'a process of its own stays' "$(ps -o pid,ppid,stat,wchan,args --ppid "$bperf")"
	finish_background
}
check 'a process of its own stays only until the probes are there' own_process

own_process_unseen()
{
	trace "p:$CALLS:call_say" 't:sched:sched_process_exit' -- "$CALLS" nap 300 say 1
	[ "$(events .comm | sort -u)" = calls ] || fail "$(events '.comm, .probe')"
}
check 'probes of the kernel see no process of its own' own_process_unseen

shared_library()
{
	background 'p:c:usleep "%d", arg1'
	for ((i = 1; i <= 20; i++)); do "$CALLS" nap "$i" & pids+=($!); done
	wait "${pids[@]}"
	finish_background
	jq -r 'select(.type == "event" and .comm == "calls") | .args.arg1' "$TMP/trace.json" | sort -n |
		uniq >"$TMP/got"
	for ((i = 1; i <= 20; i++)); do echo $((i * 1000)); done >"$TMP/want"
	same "$TMP/want" "$TMP/got"
}
check 'a library is traced in all the processes that use it' shared_library

one_process()
{
	"$CALLS" nap 2000 say 5 &
	local one=$!

	background -p "$one" "p:$CALLS:call_say"
	"$CALLS" say 5
	wait "$one"
	finish_background
	exactly "$(events .pid | uniq -c | xargs)" "5 $one" 'events, and their process'
}
check '-p sees one process and no other' one_process

other_mounts()
{
	local inside

	need_mounts
	mkdir -p "$TMP/elsewhere"
	# shellcheck disable=SC2016 # of the inner shell
	unshare -m sh -c 'mount -t tmpfs none "$1" && cp "$2" "$1/prog" && exec "$1/prog" nap 3000 say 7' \
		- "$TMP/elsewhere" "$CALLS" &
	inside=$!
	later "kill $inside 2>/dev/null"
	for ((i = 0; i < 100; i++)); do
		[ "$(cat /proc/$inside/comm 2>/dev/null)" = prog ] && break
		snooze 0.05
	done
	background -p "$inside" "p:$TMP/elsewhere/prog:call_say(int i, char *s) \"%s\", s"
	wait "$inside"
	finish_background
	[ "$(events .text | wc -l)" = 7 ] || fail "$(events .text)" "$(cat "$TMP/err")"
}
check 'a program in a mount namespace of its own is found by -p' other_mounts

# As an upgrade does it: a running process has the deleted file, whose name now belongs to another one.
replaced_file()
{
	local running i

	cp "$CALLS" "$TMP/prog"
	"$TMP/prog" nap 3000 say 7 &
	running=$!
	later "kill $running 2>/dev/null"
	# It is executed before it is replaced.
	for ((i = 0; i < 1000; i++)); do
		[ "/proc/$running/exe" -ef "$TMP/prog" ] && break
		snooze 0.01
	done
	cp "$WORK/threads" "$TMP/new"
	mv "$TMP/new" "$TMP/prog"
	background -p "$running" "p:$TMP/prog:call_say(int i, char *s) \"%s\", s"
	wait "$running"
	finish_background
	[ "$(events .text | wc -l)" = 7 ] || fail "$(events .text)" "$(cat "$TMP/err")"
}
check 'with -p, a path means the file that the process has mapped from there' replaced_file
