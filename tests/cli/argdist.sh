#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of bperf argdist: specs, options, bcc's letters, mistakes.  tests/accuracy tests its
# numbers.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# ---- mistakes: none of them needs root ----

# mistake STATUS TEXT ARGS...: refused with the status, the text is in the message, no result.
mistake()
{
	local want=$1 text=$2 status=0

	shift 2
	timeout 20 "$BPERF" argdist "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == want)) || fail "status $status, want $want, of: $*" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail "a result in spite of the error: $*"
	grep -qF -- "$text" "$TMP/err" || fail "no '$text' in:" "$(cat "$TMP/err")"
}

check 'without a spec the error shows one' mistake 64 'for example  bperf argdist'
check 'numbers alone are no spec' mistake 64 'nothing to measure was given' 1 5
check 'a spec without -C, -H or -S' mistake 64 'put -C, -H, -S or --table before' 'syscall:read'
check 'an interval twice' mistake 64 '-i conflicts with the interval' -C syscall:read -i 1 1
check 'a count twice' mistake 64 '-n conflicts with the count' -C syscall:read -n 1 1 5
check 'two ways to make buckets' mistake 64 '--linear' --linear 0,10,1 --buckets 1,2 -H syscall:read
check 'a scale of two numbers' mistake 64 'is not MIN,MAX,STEP' --linear 0,10 -H syscall:read
check 'a scale upside down' mistake 64 'is not MIN,MAX,STEP' --linear 10,0,1 -H syscall:read
check 'a step of nothing' mistake 64 'is not MIN,MAX,STEP' --linear 0,10,0 -H syscall:read
check 'a scale too fine' mistake 64 '1000 at most' --linear 0,1000000,1 -H syscall:read
check 'bounds out of order' mistake 64 'above the one before' --buckets 1,3,2 -H syscall:read
check 'a bound that is no number' mistake 64 'x' --buckets x -H syscall:read
check 'a percentile of 0' mistake 64 'a number from 0.001 to 100' --pct 0 -S syscall:read
check 'a percentile beyond 100' mistake 64 'a number from 0.001 to 100' --pct 101 -S syscall:read
check 'percentiles of counts' mistake 64 '--pct needs -S' --pct 50 -C syscall:read
check 'a scale of counts' mistake 64 'need -H' --linear 0,10,1 -C syscall:read
check 'bounds of counts' mistake 64 'need -H' --buckets 1,2 -C syscall:read
check 'a percentile with a unit' mistake 64 'is not a percentile' --pct 50s -S syscall:read

# caret ARGS...: refused, with a caret.
caret()
{
	mistake "$@"
	grep -q '\^' "$TMP/err" || fail 'no caret:' "$(cat "$TMP/err")"
}

check 'a filter with an unknown name' caret 64 "did you mean 'count'" --dump=types \
	-C 'syscall:read():int:fd:cuont > 1'
check 'a key with an unknown name' caret 64 '$com' --dump=types --by '$com' -C syscall:read
check 'a histogram of nothing' caret 64 'nothing to measure was given' --dump=types -H syscall:read
check 'a histogram of two values' caret 64 'a histogram takes one value' --dump=types \
	-H 'syscall:read():int,int:fd,count'
check 'a histogram of texts' caret 64 'only numbers' --dump=types -S 'syscall:openat():char*:filename'
check 'more types than expressions' caret 64 '2 types for 1 expression' --dump=types \
	-C 'syscall:read():int,int:fd'
check 'types alone' caret 64 'types without expressions' --dump=types -C 'syscall:read():int'
check 'an expression without parentheses before it' caret 64 'parentheses are missing' --dump=types \
	-H 'r:syscall:read:u64:$latency'
check 'a function that does not exist' caret 66 "did you mean 'call_value'" --dump=types \
	-C "$WORK/spread:call_valeu"
check 'too many keys' caret 64 'more than 16' --dump=types \
	--by '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17' -C syscall:read

check 'a heat map by stack' caret 64 'without --heat' --dump=types --heat --by '$ustack' \
	-H "p:$WORK/spread:call_value(long v):long:v"
check 'a table of a stack and of none' caret 64 'the same stacks as keys' --dump=types \
	--table 'syscall:read[$ustack] A=count()' --table 'syscall:write[$comm] B=count()'
check 'a caller without a stack' mistake 64 '--caller needs a stack as key' --dump=types --caller x -C syscall:read
check 'a stack beside another spec' caret 64 'allows only one spec' --dump=types --by '$ustack' \
	-C "p:$WORK/spread:call_value" -C "p:$WORK/spread:call_alloc"

open_place()
{
	local spec="span(p:$WORK/spread:call_value(long v)[v] ; p:$WORK/spread:call_keyed(int key, long v)[v])"

	caret 64 'an open span has not ended' --dump=types --open 0 -C "$spec:long:\$start(v):\$start(v) > 3 && key"
	[ "$(grep -o '^ *^' "$TMP/err" | wc -c)" = "$(($(grep -m1 -o '^.*&& key' "$TMP/err" | wc -c) - 2))" ] ||
		fail 'a caret elsewhere:' "$(cat "$TMP/err")"
}
check 'a value of the end is refused for open spans' open_place

# programs N ARGS...: N programs that differ in more than their site.
programs()
{
	local n=$1

	shift
	"$BPERF" argdist --dump=bpf "$@" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	[ "$(grep -c ': exit$' "$TMP/out")" = "$n" ] || fail "want $n:" "$(cat "$TMP/out")"
}
check 'calls whose arguments have different names, one program' programs 1 \
	-C 'syscall:{getpgid,read,openat}():long:arg1:arg2 > 0' --by '$func'
check 'calls whose arguments have the same name, one program' programs 1 -C 'syscall:{read,pread64,write}()::fd:count > 0'
check 'and one for entries if their values are used' programs 2 \
	-S 'r:syscall:{read,pread64,write}():u64:$latency' --by '$entry(fd)'
check 'the same with untyped arguments' programs 2 \
	-S 'r:syscall:{getpgid,read,openat}():u64:$latency' --by '$entry(arg1)'
check 'arguments of different types, a program each, and one that dispatches' programs 3 \
	-C 'syscall:{read,pread64,mmap}()::fd'
check 'number, sum and maximum of the same events, one program for starts and one for ends' programs 2 \
	--table 'span(t:irq:softirq_entry[$cpu] ; t:irq:softirq_exit[$cpu])[vec] N=count(), SUM=sum($latency), MOST=max($latency)'
check 'columns whose value may be unreadable, a program each' programs 2 \
	--table "p:$WORK/spread:call_keyed(int key, char *v)[key] N=count(), SUM=sum(*v)"
check 'columns of one value that may be unreadable, one program' programs 2 \
	--table "p:$WORK/spread:call_keyed(int key, char *v)[key] N=count(), SUM=sum(*v), MOST=max(*v), A=avg(*v)"
# Each fits into a program's stack, but not all together.
DEEP=$(for ((i = 1, e = 0; i <= 16; i++)); do e="(v-$i)*(key+($e))"; done && echo "$e")
check 'columns of long expressions, as many as fit into one program' programs 2 \
	--table "p:$WORK/spread:call_keyed(int key, long v)[key] N=count(), M=max(v), A=sum($DEEP), B=sum(1+$DEEP)"

# dumps WHAT LINES ARGS...
dumps()
{
	local what=$1 lines=$2

	shift 2
	"$BPERF" argdist --dump="$what" "$@" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	[ "$(grep -v '^#' "$TMP/out" | awk '{ print $1 }' | xargs)" = "$lines" ] ||
		fail "want $lines:" "$(cat "$TMP/out")"
}

KEYED_SPEC="p:$WORK/spread:call_keyed(int key, long v):long:v:key > 1"
check 'the types of a count and its key' dumps types 'predicate by by' --by '$comm' -C "$KEYED_SPEC"
check 'the types of a value and its key' dumps types 'predicate by value' --by '$comm' -H "$KEYED_SPEC"
check 'the syntax of values' dumps ast 'predicate value' -S "$KEYED_SPEC"

check 'a table of unlike keys' caret 64 'as many keys: this one has 2, the first 1' --dump=types \
	--table 'syscall:read[$pid] A=count()' --table 'syscall:write[$pid,$tid] B=count()'
check 'a derived column with an unknown name' caret 64 "no column has the name 'C'" --dump=types \
	--table 'syscall:read[$pid] A=count()' --col 'B=A/C'
check 'a spec that may be of two kinds' mistake 64 "'syscall:write' has no option that says what to do with it" \
	-C syscall:read -H syscall:open syscall:write
check 'a table sorted by an unknown column' mistake 64 "no column has the name 'B'" --dump=types \
	--table 'syscall:read[$pid] A=count()' --sort B
check 'the error names the columns' caret 64 'it has A, D' --dump=types \
	--table 'syscall:read[$pid] A=count(), D=sum(count)' --col 'B=A/C'
check 'an option where the probe should be' mistake 64 "-H: a probe is expected, not '--linear=0,20,5'" \
	-H --linear=0,20,5 syscall:read
check 'an option with a word where the probe should be' mistake 64 "-S: a probe is expected, not '--by'" \
	-S --by '$pid' syscall:read
check 'the error names the columns to sort by' mistake 64 'it has A' --dump=types \
	--table 'syscall:read[$pid] A=count()' --sort B
check 'open spans as columns' mistake 64 '--open needs' --open 1s --table 'syscall:read[$pid] A=count()'
check 'a heat map of counts' mistake 64 '--heat needs -H' --dump=types --heat -C syscall:read
check 'a derived column without a table' mistake 64 'need --table' --col 'B=1' -C syscall:read

if [ "$(id -u)" != 0 ]; then
	skip 'runs' 'needs root'
	exit
fi

check 'folded numbers' mistake 64 "distributions can't be written as folded" --folded -C syscall:read

# ---- runs ----

# measure ARGS...: to $TMP/out and $TMP/err; the workload writes there too.
measure()
{
	: >"$TMP/out"
	timeout -s KILL 60 "$BPERF" argdist "$@" >>"$TMP/out" 2>"$TMP/err" ||
		fail "status $? of: $*" "$(cat "$TMP/err")"
}

# regexp N ARGS...: N calls are counted of functions whose whole names match.
regexp()
{
	local n=$1

	shift
	"$BPERF" argdist -q -j --regexp "$@" -- "$WORK/calls" getpid 4 getppid 5 >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	[ "$(jq_values '[.[] | select(.type == "table" or .type == "hist") | .count] | add' "$TMP/out")" = "$n" ] ||
		fail "want $n:" "$(cat "$TMP/out")"
}
check '--regexp: names of a table' regexp 9 --table 'syscall:get(p|pp)id [$func] ($comm == "calls") N=count()'
check '--regexp: names of a histogram' regexp 5 -H 'syscall:getp{2}id ():u64:arg1 * 0:$comm == "calls"'
check '-r: the same, as funccount has it' mistake 66 'no such system call' -r -C 'syscall:(get|set)pi'
check '--regexp: a part of a name does not match' mistake 66 'no such system call' --regexp -C 'syscall:(get|set)pi'

# has TEXT...: each is a line of the result, apart from blanks at its ends.
has()
{
	local line

	for line; do
		sed 's/^[ \t]*//; s/ *$//' "$TMP/out" | grep -qxF -- "$line" ||
			fail "no line '$line' in:" "$(cat "$TMP/out" "$TMP/err")"
	done
}

# How many reports there are.
reports()
{
	grep -c '^--- ' "$TMP/out"
}

VALUE="$WORK/spread:call_value(long v):long:v"
KEYED="$WORK/spread:call_keyed(int key, long v):long:v"

as_bcc_prints_it()
{
	measure -C "p:$VALUE" -- "$WORK/spread" 1 5:2 7:1
	has "p:$VALUE" 'COUNT      EVENT' '1          v = 7' '2          v = 5'
	measure -C "p:$WORK/spread:call_value()#all of them" -- "$WORK/spread" 1 5:2
	has 'all of them' '2          total calls'
	measure -C "p:$WORK/spread:call_value();all of them" -- "$WORK/spread" 1 5:2
	has 'all of them'
	measure -C "r:$WORK/spread:call_value()" -- "$WORK/spread" 1 -5:2
	has '2          retval = -5'
	measure -H "p:$VALUE" -- "$WORK/spread" 1 5:2
	has 'v : count     distribution' \
		'4 -> 7 : 2        |****************************************|'
}
check 'as bcc prints it' as_bcc_prints_it

many_specs()
{
	measure -H "p:$VALUE#first" -C "p:$VALUE#second" -S "p:$VALUE#third" -- "$WORK/spread" 1 5:2
	[ "$(grep -oE '^ *(first : count|second|third)' "$TMP/out" | xargs)" = 'first : count second third' ] ||
		fail "$(cat "$TMP/out")"
}
check 'results come in the order of the options' many_specs

top()
{
	measure -T 1 -C "p:$VALUE" -- "$WORK/spread" 1 5:3 7:1
	has '... 1 more key, 25.0 % of events' '3          v = 5'
	! grep -q 'v = 7' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check '-T leaves keys out, and says how many' top

times()
{
	measure -C "p:$VALUE" -i 0.1 -n 2 -- "$WORK/spread" 1 5:3 wait:3000
	(($(reports) == 2)) || fail "$(cat "$TMP/out")"
	measure -C "p:$VALUE" -i 0.1 -d 0.25 -- "$WORK/spread" 1 5:3 wait:3000
	(($(reports) == 3)) || fail "$(cat "$TMP/out")"
	measure -C "p:$VALUE" 0.1 2 -- "$WORK/spread" 1 5:3 wait:3000
	(($(reports) == 2)) || fail "$(cat "$TMP/out")"
	measure -C "p:$VALUE" -n 1 -- "$WORK/spread" 1 5:3 wait:3000
	has '3          v = 5'
	measure --timestamp -C "p:$VALUE" 0.1 1 -- "$WORK/spread" 1 5:3 wait:3000
	grep -qxE '[0-9]{2}:[0-9]{2}:[0-9]{2}' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'intervals, counts and durations' times

of_a_thread()
{
	local pid

	"$WORK/spread" 1 wait:2000 5:9 wait:9000 >/dev/null &
	pid=$!
	measure -p $pid -C "p:$VALUE" -i 3.5 -n 1
	kill $pid
	has '9          v = 5'
}
check '-p is the process' of_a_thread

# Tracepoints within perf's own work cannot be sampled, and are counted all the same.
all_of_irq_vectors()
{
	has_tracepoint irq_vectors:irq_work_exit || skip_because 'no irq_vectors here'
	measure -C 't:irq_vectors:*()' -- true
	! grep -q skipped "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'tracepoints that cannot be sampled' all_of_irq_vectors

strings()
{
	measure -z 2 -C "p:$WORK/spread:call_text(char *s):char*:s" -- "$WORK/spread" 1 text:4
	has '2          s = ev...' '2          s = od...'
	measure -I kernel/sched/sched.h -C "p:$WORK/spread:call_text(char *s):char*:s" -- \
		"$WORK/spread" 1 text:4
	has '2          s = even' '2          s = odd'
	grep -q 'not needed' "$TMP/err"
}
check '-z bounds strings, -I is not needed' strings

# "odd" fits into three bytes; what an entry has saved is truncated as well.
truncated_keys()
{
	local n

	measure -z 3 -C "r:$WORK/spread:call_text(char *s):char*:\$entry(s)" -- "$WORK/spread" 1 text:4
	has '2          entry(s) = eve...' '2          entry(s) = odd'
	grep -q 'lost: none; 2 events with truncated keys' "$TMP/err" || fail "$(cat "$TMP/err")"
	measure -j -z 3 --by '$entry(s)' -H "r:$WORK/spread:call_text(char *s):long:1" -- "$WORK/spread" 1 text:4
	[ "$(jq -cs '[.[] | select(.type == "hist") | [.key["entry(s)"], .cut]] | sort' \
		<(grep '^{' "$TMP/out"))" = '[["eve",["entry(s)"]],["odd",null]]' ] || fail "$(cat "$TMP/out")"
	n=$(grep '"type":"end"' "$TMP/out" | jq '.keys_cut')
	((n == 2)) || fail "$n keys_cut"
}
check 'truncated keys are marked and counted' truncated_keys

# Names that are equal in their first 200 bytes are different keys, with nothing asked for.
long_names()
{
	local same

	same=$(printf '%0200d' 0)
	mkdir -p "$TMP/$same"
	touch "$TMP/$same/0end1" "$TMP/$same/0end2"
	measure -j -C 't:syscalls:sys_enter_openat():char*:filename:filename ~ "*0end?"' -- \
		cat "$TMP/$same/0end1" "$TMP/$same/0end2" "$TMP/$same/0end2"
	[ "$(grep '^{' "$TMP/out" | jq -cs --arg at "$TMP/$same/" \
		'[.[] | select(.type == "count") | [(.key.filename | ltrimstr($at)), .value, .cut]] | sort')" \
		= '[["0end1",1,null],["0end2",2,null]]' ] || fail "$(cat "$TMP/out")"
}
if has_tracepoint syscalls:sys_enter_openat; then
	check 'long names are keys as a whole' long_names
fi

# JSON keeps a text as it is; in text output, a line break in it does not end the line.
strange_texts()
{
	local spec="p:$WORK/spread:call_value(long v):char*:\"a\\nb\\tc\""

	measure -j -C "$spec" -- "$WORK/spread" 1 5:2
	grep -qF '"key":{' "$TMP/out" && grep -qF '"a\nb\tc"}' "$TMP/out" || fail "$(cat "$TMP/out")"
	measure -C "$spec" -- "$WORK/spread" 1 5:2
	grep -qF '= a?b?c' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'line breaks in keys' strange_texts

by_key()
{
	measure -H "p:$KEYED" --by 'key,$comm' -- "$WORK/spread" 1 1:5:2 2:9:1
	has 'key = 1, comm = spread' 'key = 2, comm = spread'
	measure -S "p:$KEYED" --by key --pct 50,99.9 -- "$WORK/spread" 1 1:5:2 2:9:1
	tr -s ' ' <"$TMP/out" >"$TMP/squeezed"
	grep -q 'COUNT SUM MEAN MIN P50 P99.9 MAX key' "$TMP/squeezed" &&
		grep -q '^ *2 10 5.0 5 5 5 5 1$' "$TMP/squeezed" || fail "$(cat "$TMP/out")"
}
check '--by has a result for each key' by_key

# Two values in the one window, whose buckets are ten apart; nothing in the other.
heat()
{
	measure --heat -H "p:$VALUE" -i 1 -n 2 -- "$WORK/spread" 1 1:3 1024:6 wait:3000
	grep -qx "p:$VALUE" "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -qxE ' +v  1       16      256' "$TMP/out" || fail 'the scale:' "$(cat "$TMP/out")"
	grep -qxE ' +[0-9.]+ s \|\+\+ {18}@@\| 9' "$TMP/out" || fail 'the first line:' "$(cat "$TMP/out")"
	grep -qxE ' +[0-9.]+ s \| +\| 0' "$TMP/out" || fail 'the second line:' "$(cat "$TMP/out")"
}
check '--heat is a line for each report' heat

# The picture of a run is compared with its JSON; once for all events and once for each key.
heat_picture()
{
	measure --heat -H "p:$VALUE" -H "p:$KEYED" --by '$comm' -i 0.1 -n 3 -o "$TMP/heat.svg" \
		-o "$TMP/heat.html" -o "$TMP/heat.json" -- "$WORK/spread" 1 1:3 1024:6 1:5:3 2:100:1 wait:1000
	grep -q '</svg>' "$TMP/heat.svg" || fail 'no picture' "$(cat "$TMP/err")"
	/usr/bin/python3 tests/render/heat.py "$TMP/heat.svg" "$TMP/heat.json" >"$TMP/heat.read" ||
		fail "$(cat "$TMP/heat.read")"
	[ "$(grep -c '<title>.*: 6 of 9 (66.67 %)</title>' "$TMP/heat.svg")" = 1 ] ||
		fail "$(grep title "$TMP/heat.svg")"
	diff <(grep '<title>.*(.*%)' "$TMP/heat.svg") <(grep '<title>.*(.*%)' "$TMP/heat.html") ||
		fail 'the page has another picture'
}
check '--heat is a picture, too' heat_picture

# A page has the same numbers as the text of the same run.
page()
{
	measure -H "p:$VALUE" -S "p:$VALUE" -o "$TMP/dist.html" -- "$WORK/spread" 1 1:3 1024:6
	grep -qF '<td class="n">1</td><td class="n">3</td>' "$TMP/dist.html" &&
		grep -qF '<td class="n">1024 → 2047</td><td class="n">6</td>' "$TMP/dist.html" &&
		grep -qF '<td class="n">9</td><td class="n">6147</td><td class="n">683.0</td>' "$TMP/dist.html" ||
		fail "$(sed -n '/<main>/,$p' "$TMP/dist.html")"
}
check 'histograms and statistics are drawn as a page' page

heat_refused()
{
	local status=0

	"$BPERF" argdist -H "p:$VALUE" -i 1 -n 2 -o "$TMP/no.svg" 2>"$TMP/err" || status=$?
	((status == 64)) && grep -q "distributions can't be written as svg" "$TMP/err" ||
		fail "status $status" "$(cat "$TMP/err")"
	[ ! -e "$TMP/no.svg" ]
}
check 'a histogram without --heat is no picture' heat_refused

scales()
{
	measure -H "p:$VALUE" --linear -10,10,10 -- "$WORK/spread" 1 -11:1 -10:2 0:3 9:1 10:5
	has '... -> -11 : 1        |********                                |' \
		'-10 -> -1  : 2        |****************                        |' \
		'0 -> 9   : 4        |********************************        |' \
		'10 -> ... : 5        |****************************************|'
	measure -H "p:$VALUE" --buckets 0,1us -- "$WORK/spread" 1 -11:1 999:1 1000:1
	has '... -> -1  : 1        |****************************************|' \
		'0 -> 999 : 1        |****************************************|' \
		'1000 -> ... : 1        |****************************************|'
}
check 'buckets of the same width, and of any' scales

full()
{
	local status=0

	: >"$TMP/out"
	timeout 60 "$BPERF" argdist --strict --keys 3 -C "p:$KEYED" -- "$WORK/spread" 1 keys:10 \
		>>"$TMP/out" 2>"$TMP/err" || status=$?
	((status == 1)) || fail "status $status" "$(cat "$TMP/err")"
	has '7          [other]'
	grep -q '7 calls did not fit' "$TMP/err" && grep -q 'lost: 7' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'keys without room are [other], and lost' full

table()
{
	measure --table "$WORK/spread:call_keyed(int key, long v)[key] HITS=count(), MEAN=avg(v)" \
		--col 'DOUBLE=2*HITS' --sort MEAN -- "$WORK/spread" 1 1:5:3 1:6:3 2:100:1
	[ "$(grep -v ^nap "$TMP/out" | tr -s ' ' ' ' | sed 's/^ //' | head -n3 | xargs -d '\n')" = \
		'HITS MEAN DOUBLE key 6 5.5 12 1 1 100.0 2 2' ] || fail "$(cat "$TMP/out")"
}
check 'a table, sorted, with a derived column' table

# Two sites, of which the second has no letter of its own.
two_sites()
{
	measure --table "$WORK/spread:call_keyed(int key, long v)[key] HITS=count()" \
		"r:$WORK/spread:call_keyed(int key, long v)[\$entry(key)] SUM=sum(\$entry(v))" \
		--sort HITS -- "$WORK/spread" 1 1:5:3 1:6:3 2:100:1
	[ "$(grep -v ^nap "$TMP/out" | tr -s ' ' ' ' | sed 's/^ //' | head -n3 | xargs -d '\n')" = \
		'HITS SUM key 1 100 2 6 33 1' ] || fail "$(cat "$TMP/out")"
}
check 'a table of two sites after one --table' two_sites

hot_site()
{
	measure --table 'p:c:malloc[$pid] N=count(), S=sum(arg1), A=avg(arg1)' 0.1 1
	[ "$(grep -c 'is called very often' "$TMP/err")" = 1 ] || fail "$(cat "$TMP/err")"
}
check 'a hot site of several columns is warned of once' hot_site

stacks()
{
	measure -C "p:$WORK/spread:call_alloc():stack:\$ustack" -- "$WORK/spread" 1 small:3 big:1
	has call_alloc take_small take_big '3  75.0 %' '1  25.0 %'
	measure -S "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$ustack' \
		-o "$TMP/mem.svg" -o "$TMP/mem.pb.gz" -o "$TMP/mem.folded" -- "$WORK/spread" 1 small:3 big:1
	grep -qE ';take_big;(take;)?call_alloc 4096$' "$TMP/mem.folded" || fail "$(cat "$TMP/mem.folded")"
	grep -q '<title>take_small (48 of size, 1.16 %)</title>' "$TMP/mem.svg" ||
		fail "$(grep title "$TMP/mem.svg")"
	[ -s "$TMP/mem.pb.gz" ]
	measure -H "p:$WORK/spread:call_alloc(size_t size):size_t:size" --by '$comm,$ustack' -- \
		"$WORK/spread" 1 small:3 big:1
	has take_small '-                comm = spread' \
		'16 -> 31 : 3        |****************************************|'
	measure --table "p:$WORK/spread:call_alloc(size_t size)[\$comm,\$ustack] N=count()" -- \
		"$WORK/spread" 1 small:3 big:1
	has 'N  comm    stack' '3  spread  call_alloc' take_small
	mistake 64 'counts (-C) and sums (-S) can' --folded --by '$ustack' -H "p:$VALUE" -d 1
}
check 'a flame graph of the stacks that allocate memory' stacks

unread()
{
	measure -C "p:$WORK/spread:call_text(char *s):char*:s" -- "$WORK/spread" 1 text:4 fault:3
	! grep -q '?' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -q '3 events had a value that could not be read' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'values that cannot be read are not counted' unread

errors_by_name()
{
	for other in 'errno(0)' 0; do
		measure -C "r:syscall:openat()::retval < 0 ? errno(retval) : $other" -- sh -c 'cat /no/file; true'
		grep -q '= ENOENT$' "$TMP/out" || fail "$(cat "$TMP/out")"
	done
	mistake 64 'becomes text only when it is shown' -C 'r:syscall:openat()::retval < 0 ? errno(retval) : "ok"'
}
check 'an error that is chosen by a condition keeps its name' errors_by_name

# A call that began before the run has no entry, which is told once, and not as an unreadable value, too.
begun_before()
{
	local nap=r:syscall:clock_nanosleep

	sleep 3 &
	"$BPERF" argdist -C "$nap():u32:\$entry(which_clock)" -H "$nap():u64:\$latency" \
		-C "$nap():u64:retval:\$latency > 5" -p $! >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(grep -c ': 1 return is from calls begun before the run' "$TMP/err")" 3 'specs that lack the entry'
	! grep 'could not be read' "$TMP/err" || exit 1
}
check 'calls that began before the run' begun_before

# Advice that is followed already is not given.
advice()
{
	local condition

	for condition in '' ':size_t:arg1:arg1 > 100000'; do
		measure -C "p:c:malloc()$condition" -- "$WORK/calls" getpid 1
		sed -n 's/.*is called very often, and each call costs [^:]*//p' "$TMP/err" >>"$TMP/advice"
	done
	printf '%s\n' ': a condition saves part of that' '' | diff - "$TMP/advice" || fail 'other advice'
}
check 'no advice that is followed already' advice

# A note about a span is printed once for all its columns and results.
noted_once()
{
	local span='span(t:sched:sched_wakeup[pid] ; t:sched:sched_switch[next_pid])'

	measure --table "${span}[\$pid] A=count(), B=max(\$latency)" -H "$span:u64:\$latency" -- sleep 0.1
	[ "$(grep -c 'spans of all tasks are recorded' "$TMP/err")" = 1 ] || fail "$(cat "$TMP/err")"
}
check 'a note about a span, once' noted_once

# An event has one time, however often it is used.
one_time()
{
	measure -C 'syscall:getpid()::$time - $time' -- "$WORK/calls" getpid 30
	has '30         time - $time = 0'
	measure --table 'syscall:getpid[$comm] N=count(), AVG=avg($time - $task->start_time), MOST=max($time - $task->start_time)' \
		-- "$WORK/calls" getpid 1
	awk '$1 == 1 && $2 == $3 { found = 1 } END { exit !found }' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'an event has one time' one_time

aggregates()
{
	"$BPERF" argdist -A 'syscall:getpid' -- "$WORK/calls" getpid 30 >"$TMP/out" 2>"$TMP/err" ||
		fail "$(cat "$TMP/err")"
	grep -qw 30 "$TMP/out" || fail "$(cat "$TMP/out")"
}
check '-A counts values, as -C' aggregates
