#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Saved reports: a report that is made from a file again is the one that the run wrote, and every broken
# file is an error that says where.  Needs no root.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

G=tests/golden

report() # ARGS...: its output in $TMP/out
{
	"$BPERF" report "$@" >"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
}

refused() # PATTERN ARGS...: exit status 1, and a message
{
	local status=0 pattern=$1

	shift
	"$BPERF" report "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == 1)) || fail "status $status of report $*" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail 'a result all the same:' "$(head "$TMP/out")"
	grep -qE -- "$pattern" "$TMP/err" || fail "no '$pattern':" "$(cat "$TMP/err")"
}

# ---- JSON ----

same_text()
{
	local name

	for name in server offcpu offwake wakeup chain paths states functions intervals; do
		report "$G/$name.json" --color never
		same "$G/$name.txt" "$TMP/out" || fail "$name"
	done
}
check 'text from JSON is the text of the run' same_text

# As in a run that had the option: rows with their part of the total, instead of a sum with a hint.
whole_window()
{
	report "$G/offcpu.json"
	grep -q 'not in the percentages; --whole-window lists them$' "$TMP/out" || fail "$(cat "$TMP/out")"
	report --whole-window "$G/offcpu.json"
	! grep 'lists them' "$TMP/out" || fail 'still a hint'
	grep -q '^        5.000 ms  99.8 %  6 waits, mean 0.833 ms, 6 not over$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'waits through the whole window are listed on request' whole_window

same_folded()
{
	local name

	for name in server offcpu offwake wakeup chain paths intervals; do
		report -f "$G/$name.json"
		same "$G/$name.folded" "$TMP/out" || fail "$name"
	done
}
check 'folded stacks from JSON are those of the run' same_folded

# The command line is in the picture, and in the first record.
same_svg()
{
	local name

	for name in server offcpu wakeup chain; do
		report "$G/$name.json" -o "$TMP/again.svg"
		diff "$G/$name.svg" "$TMP/again.svg" | grep '^[<>]' | grep -v 'bperf [a-z]' >"$TMP/diff"
		[ ! -s "$TMP/diff" ] || fail "$name" "$(head "$TMP/diff")"
	done
}
check 'a flame graph from JSON equals that of the run' same_svg

same_json()
{
	local name

	for name in server offcpu chain paths states functions intervals; do
		report -j "$G/$name.json"
		sed 's/"argv":\[[^]]*\]/"argv":[]/' "$TMP/out" >"$TMP/again"
		sed 's/"argv":\[[^]]*\]/"argv":[]/' "$G/$name.json" >"$TMP/want"
		same "$TMP/want" "$TMP/again" || fail "$name"
	done
}
check 'JSON from JSON is the same' same_json

gzipped()
{
	gzip -c "$G/server.json" >"$TMP/server.gz"
	report "$TMP/server.gz" --color never
	same "$G/server.txt" "$TMP/out"
	report - --color never <"$TMP/server.gz"
	same "$G/server.txt" "$TMP/out"
}
check 'gzipped files and standard input' gzipped

made_of_stacks()
{
	report --functions "$G/server.json" --color never
	same "$G/functions.txt" "$TMP/out"
	report --callers tcp_sendmsg "$G/server.json" --color never
	same "$G/callers.txt" "$TMP/out"
	report -f --callers tcp_sendmsg "$G/server.json"
	same "$G/callers.folded" "$TMP/out"
}
check 'functions and callers of saved stacks are those of a run' made_of_stacks

cut()
{
	head -n 3 "$G/server.json" >"$TMP/cut.json"
	report -j "$TMP/cut.json"
	grep -q 'cut.json ends too early' "$TMP/err" || fail "$(cat "$TMP/err")"
	[ "$(grep -c '"type":"stack"' "$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
	grep -q '"reason":"incomplete"' "$TMP/out" || fail "$(tail -n 1 "$TMP/out")"
	# The part that is missing had the losses.
	jq -se 'all(.[] | select(.lost) | .lost[]; . == null)' "$TMP/out" >/dev/null || fail "$(cat "$TMP/out")"
	report "$TMP/cut.json"
	grep -q 'lost: not known' "$TMP/err" || fail "$(cat "$TMP/err")"
	head -c 1500 "$G/server.json" >"$TMP/cut.json"
	report -j "$TMP/cut.json"
	grep -q '"reason":"incomplete"' "$TMP/out" || fail "$(tail -n 1 "$TMP/out")"
	gzip -c "$G/server.json" | head -c 700 >"$TMP/cut.gz"
	report -j "$TMP/cut.gz"
	grep -q '"reason":"incomplete"' "$TMP/out" || fail "$(tail -n 1 "$TMP/out")"
	! "$BPERF" report -q --strict "$TMP/cut.json" >/dev/null 2>&1 || fail '--strict passes it'
}
check 'a file that is cut off is read as far as it goes, with a message' cut

broken_json()
{
	sed '2s/"value":[0-9]*/"value":-1/' "$G/server.json" >"$TMP/bad.json"
	refused 'bad.json:2: .value. is not a whole number' "$TMP/bad.json"
	sed '2s/"func"/"fun"/' "$G/server.json" >"$TMP/bad.json"
	refused 'bad.json:2: a frame has no .func.' "$TMP/bad.json"
	sed '3s/}$//' "$G/server.json" >"$TMP/bad.json"
	refused 'bad.json:3: not JSON' "$TMP/bad.json"
	sed '1s,bperf/1.0,bperf/2.0,' "$G/server.json" >"$TMP/bad.json"
	refused 'bad.json:1: the schema is .bperf/2.0.' "$TMP/bad.json"
	sed 1d "$G/server.json" >"$TMP/bad.json"
	refused 'bad.json:1: the first record is .stack., not .meta.' "$TMP/bad.json"
	cat "$G/server.json" "$G/server.json" >"$TMP/bad.json"
	refused 'bad.json:[0-9]*: a record follows the end' "$TMP/bad.json"
	sed '3s/"args":/"arg":/' "$G/events.json" >"$TMP/bad.json"
	refused "bad.json:3: 'args' is not an object" "$TMP/bad.json"
	sed '/"dist","dist":0/d' "$G/distributions-heat.json" >"$TMP/bad.json"
	refused "bad.json:2: a record 'hist' comes without the record 'dist'" "$TMP/bad.json"
	sed '2s/"squares":/"squares":-/' "$G/ratio.json" >"$TMP/bad.json"
	refused "bad.json:2: 'squares' is not a number" "$TMP/bad.json"
	sed '1s/"unit":"samples"/"unit":"us"/' "$G/ratio.json" >"$TMP/bad.json"
	refused 'bad.json:1: the run has a second event without samples of a first one' "$TMP/bad.json"
	sed '1s/off-cpu/moon/' "$G/share.json" >"$TMP/bad.json"
	refused "bad.json:1: colors by 'moon' are unknown" "$TMP/bad.json"
}
check 'broken JSON is an error with its line' broken_json

# ---- folded ----

folded()
{
	printf 'nginx;main;serve 10\nnginx;main 5\r\njava;run;Main.go_[j];sys_read_[k] 3\n' >"$TMP/a.folded"
	report -f "$TMP/a.folded"
	printf 'nginx;main;serve 10\nnginx;main 5\njava;run;Main.go_[j];sys_read_[k] 3\n' |
		same - "$TMP/out"
	report --functions "$TMP/a.folded"
	grep -qE '^ +10 +55.6 % +10 +55.6 %  serve$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'folded stacks keep their annotations' folded

folded_chains()
{
	local name

	for name in chain wakeup offwake intervals; do
		report -f "$G/$name.folded"
		same "$G/$name.folded" "$TMP/out" || fail "$name"
	done
}
check 'folded waits with wakers come back as they were' folded_chains

broken_folded()
{
	printf 'a;b 1\na;c\n' >"$TMP/bad"
	refused 'bad:2: the line does not end with a count' "$TMP/bad"
	printf 'a;b 1 2\n' >"$TMP/bad"
	refused 'bad:1: two counts' "$TMP/bad"
	printf 'a;b 1.5\n' >"$TMP/bad"
	refused 'bad:1: the count .1.5. is not a whole number' "$TMP/bad"
	printf 'a;b 1\na;b 18446744073709551615\n' >"$TMP/bad"
	refused 'bad:2: the sum of the values does not fit' "$TMP/bad"
	: >"$TMP/bad"
	refused 'bad is empty' "$TMP/bad"
}
check 'a broken folded file is an error with its line' broken_folded

deep()
{
	{
		for ((i = 0; i < 3000; i++)); do
			printf 'f%d;' "$i"
		done
		echo 'leaf 7'
	} >"$TMP/deep.folded"
	report -f "$TMP/deep.folded"
	grep -q '^\[truncated\];.*;leaf 7$' "$TMP/out" || fail "$(cut -c 1-100 "$TMP/out")"
	grep -q '1 stack truncated' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'a stack that is too deep loses its root, and is in the ledger' deep

# Records that would need hundreds of megabytes are refused before they are parsed.
too_large()
{
	head -n 1 "$G/server.json" >"$TMP/large.json"
	awk 'BEGIN { printf "{\"type\":\"stack\",\"user\":["
		for (i = 0; i < 600000; i++) printf "{\"a\":0},"
		print "{}]}" }' >>"$TMP/large.json"
	refused 'large.json:2: a record of more than 1048576 values' "$TMP/large.json"
	head -n 1 "$G/server.json" >"$TMP/large.json"
	awk 'BEGIN { printf "\""; for (i = 0; i < 1700000; i++) printf "aaaaaaaaaa"; print "\"" }' >>"$TMP/large.json"
	refused 'large.json:2: a line of more than 16 MB' "$TMP/large.json"
}
check 'a record that is too large to be one is an error' too_large

# ---- pprof ----

pprof()
{
	report "$G/server.json" -o "$TMP/a.pb.gz"
	report -f "$TMP/a.pb.gz"
	same "$G/server.folded" "$TMP/out" || fail 'folded'
	report -j "$TMP/a.pb.gz"
	grep -q '"freq_hz":99,' "$TMP/out" || fail "$(head -n 1 "$TMP/out")"
	report "$TMP/a.pb.gz" -o "$TMP/b.pb.gz"
	gzip -dc "$TMP/a.pb.gz" | head -c 2000 | cmp - <(gzip -dc "$TMP/b.pb.gz" | head -c 2000) ||
		echo '(the comments differ)'
	report "$G/offcpu.json" -o "$TMP/a.pb.gz"
	report -f "$TMP/a.pb.gz"
	grep -v '^\[whole' "$G/offcpu.folded" >"$TMP/want"
	grep -v '^\[whole' "$TMP/out" >"$TMP/got"
	same "$TMP/want" "$TMP/got"
}
check 'pprof that bperf wrote has the same stacks' pprof

broken_pprof()
{
	report "$G/server.json" -o "$TMP/a.pb.gz"
	gzip -dc "$TMP/a.pb.gz" | head -c 900 >"$TMP/cut.pb"
	refused 'cut.pb: .* not a profile of pprof' "$TMP/cut.pb"
	head -c 4000 "$BPERF" | tail -c 3000 >"$TMP/junk"
	refused 'junk: .* not a profile of pprof' "$TMP/junk"
	refused "has no values of type 'x'" --value x "$TMP/a.pb.gz"
}
check 'a broken profile is an error' broken_pprof

# ---- perf script ----

perf_text()
{
	cat <<'END'
# ========
# hostname : db7
# os release : 6.1.0
# arch : x86_64
# nrcpus online : 4
# ========
Web Content 1200/1203 [002]  100.000001:   10101010 cpu-clock:pppH: 
	ffffffff81000010 do_syscall_64+0x10 ([kernel.kallsyms])
	    7f0000001234 operator new(unsigned long)+0x14 (/usr/lib/libstdc++.so.6)
	    55d000000010 [unknown] (/tmp/a b (deleted))

swapper     0 [000]  101.500001:   10101010 cpu-clock:pppH: 
	ffffffffc0000010 nft_do_chain+0x10 ([nf_tables])

Web Content 1200/1204 [002]  102.000001:   10101010 cpu-clock:pppH: 
	ffffffff81000012 do_syscall_64+0x12 ([kernel.kallsyms])
	    7f0000001238 operator new(unsigned long)+0x18 (/usr/lib/libstdc++.so.6)
	    55d000000010 [unknown] (/tmp/a b (deleted))

x 1 [000]  103.000000:   1 page-faults:u: 
	55d000000010 main+0x1 (/tmp/x)

END
}

perf_script()
{
	perf_text >"$TMP/perf.txt"
	report -f "$TMP/perf.txt"
	printf '%s\n' 'Web Content;[a b (deleted)];operator new(unsigned long);do_syscall_64 2' \
		'swapper;nft_do_chain 1' | same - "$TMP/out"
	grep -q '1 sample of another event than cpu-clock:pppH is left out' "$TMP/err" ||
		fail "$(cat "$TMP/err")"
	report -j "$TMP/perf.txt"
	for want in '"name":"db7"' '"freq_hz":99' '"event":"cpu-clock"' '"end":2.000000000' '"pid":1200' \
		'"mod":"nf_tables","kind":"module"'; do
		grep -qF -- "$want" "$TMP/out" || fail "no $want" "$(cat "$TMP/out")"
	done
	report -f --value page-faults:u "$TMP/perf.txt"
	echo 'x;main 1' | same - "$TMP/out"
	refused "no sample of the event 'foo'" --value foo "$TMP/perf.txt"
	report -f --comm 'Web*' "$TMP/perf.txt"
	[ "$(wc -l <"$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
}
check 'the text of perf script is read' perf_script

# ---- several files ----

several()
{
	printf 'a;b 1\n' >"$TMP/one"
	printf 'a;b 2\na;c 5\n' >"$TMP/two"
	report -f "$TMP/one" "$TMP/two"
	printf 'a;c 5\na;b 3\n' | same - "$TMP/out"
	report -f --by file "$TMP/one" "$TMP/two"
	printf '%s\n' "$TMP/two;a;c 5" "$TMP/two;a;b 2" "$TMP/one;a;b 1" | same - "$TMP/out"
	refused 'offcpu in nanoseconds.*samples of cpu-clock at 99 Hz' "$G/offcpu.json" "$G/server.json"
	refused 'has functions, and the files before have stacks' "$G/server.json" "$G/functions.json"
	refused 'samples of cycles, one in 2000000, and .* has samples of cycles, one in 2000000, with instructions' \
		<(sed '1s/"second":{[^}]*},//; s/"ratio":{.*}},//' "$G/ratio.json") "$G/ratio.json"
	report -j "$G/ratio.json" "$G/ratio.json"
	diff <(jq -c 'select(.type == "stack").ratio | [.value, .first.events, .second.events]' "$TMP/out") \
		<(jq -c 'select(.type == "stack").ratio | [.value, 2 * .first.events, 2 * .second.events]' \
			"$G/ratio.json") || fail 'ratios of two files'
	report -j "$G/ratio-functions.json" "$G/ratio-functions.json"
	diff <(jq -c 'select(.type == "function") | [.func, .total_ratio.second.count]' "$TMP/out") \
		<(jq -c 'select(.type == "function") | [.func, 2 * .total_ratio.second.count]' \
			"$G/ratio-functions.json") || fail 'functions of two files'
	[ "$(jq -c 'select(.type == "interval").ratio.second.count' "$TMP/out")" = 2836 ] ||
		fail "$(tail -n 2 "$TMP/out")"
	report --total -f "$G/intervals.json"
	[ "$(awk '{ n += $NF } END { print n }' "$TMP/out")" = 16 ] || fail "$(cat "$TMP/out")"
	report -j "$G/intervals.json" "$G/intervals.json"
	grep -q '"end":2.000000000' "$TMP/out" || fail 'the same time counted twice:' "$(cat "$TMP/out")"
}
check 'several files add up, and files that do not are refused' several

# ---- other views ----

grouped()
{
	report -f --by pid "$G/server.json"
	grep -q '^nginx-1200;' "$TMP/out" || fail "$(cat "$TMP/out")"
	report -f --by none "$G/server.json"
	! grep -q '^nginx' "$TMP/out" || fail "$(cat "$TMP/out")"
	refused 'does not say the cgroups' --by cgroup "$G/server.json"
	refused 'does not say the threads' --by tid "$G/server.json"
	report -f -p 1201 "$G/server.json"
	[ "$(awk '{ n += $NF } END { print n }' "$TMP/out")" = 107 ] || fail "$(cat "$TMP/out")"
	refused 'does not say the processes' -p 1 "$G/chain.folded"
	refused 'functions, each summed' -p 1 "$G/functions.json"
	refused 'the file has functions, and no stacks' --callers main "$G/functions.json"
	refused 'the files have no addresses' -A "$G/server.json"
	report -U -f "$G/server.json"
	! grep -q do_syscall_64 "$TMP/out" || fail "$(cat "$TMP/out")"
	report --names mangled -f "$G/server.json"
	grep -q '_ZNSt6vectorIiE9push_backEOi' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'other groups, parts and names, as far as the file has them' grouped

refused_by_format() # PATTERN ARGS...: exit status 64
{
	local status=0 pattern=$1

	shift
	"$BPERF" report "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == 64)) && grep -qE -- "$pattern" "$TMP/err" || fail "$status of $*" "$(cat "$TMP/err")"
}

# argdist's results: added up, chosen by key, as a heat map.
distributions()
{
	report --color never "$G/distributions.json"
	grep -q '^.120 *comm = bash, fd = 3$' "$TMP/out" || fail "$(cat "$TMP/out")"
	report --color never "$G/distributions-heat.json" "$G/distributions-heat.json" -q -O json
	[ "$(grep -c '"type":"hist"' "$TMP/out")" = 1 ] && grep -q '"count":2740,' "$TMP/out" || fail "$(cat "$TMP/out")"
	report --comm 'ba*' "$G/distributions-cut.json"
	grep -q '^.120 ' "$TMP/out" && ! grep -q 'dd, fd' "$TMP/out" || fail "$(cat "$TMP/out")"
	refused "has no key 'comm'" --comm bash "$G/distributions.json"
	refused "columns of --col can't be added up" "$G/distributions.json" "$G/distributions.json"
	refused 'has distributions, and no report of stacks' --by none "$G/distributions.json"
	refused 'one of the files has distributions, and no' --by file "$G/distributions-heat.json" "$G/distributions-heat.json"
	refused 'the file has more than histograms' --heat "$G/distributions.json"
	refused 'the file has no histograms' --heat "$G/server.json"
	refused_by_format 'histograms as a heat map can: --heat' "$G/distributions.json" -o "$TMP/x.svg"
	sed '1s/,"heat":true//' "$G/distributions-heat.json" >"$TMP/plain.json"
	report --heat --color never "$TMP/plain.json"
	same "$G/distributions-heat.txt" "$TMP/out" || fail 'a heat map'
}
check 'distributions: added up, by key, as a heat map' distributions

# trace's events: of some processes, of several files.
events()
{
	report --color never "$G/events.json"
	same "$G/events.txt" "$TMP/out" || fail 'events'
	report --comm 'six*' -O json "$G/events.json"
	[ "$(grep -c '"type":"event"' "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
	report -p 1,2740 -O json "$G/events.json"
	[ "$(grep -c '"type":"event"' "$TMP/out")" = 5 ] || fail "$(cat "$TMP/out")"
	grep -v '"count":18' "$G/events.json" >"$TMP/one.json"
	sed '1s/:49\.123456789Z/:48.623456789Z/' "$TMP/one.json" >"$TMP/two.json"
	report -O json "$TMP/one.json" "$TMP/two.json"
	grep -q '"realtime":"2026-11-20T12:17:48.623456789Z"' "$TMP/out" || fail "$(cat "$TMP/out")"
	[ "$(sed -n 's/.*"type":"event","ts":\([0-9.]*\),.*/\1/p' "$TMP/out" | tr '\n' ' ')" = \
		'1.002003456 1.002003456 1.002003456 1.002003456 0.000000000 1.502003456 1.502003456 1.502003456 1.502003456 0.500000000 ' ] ||
		fail "$(cat "$TMP/out")"
	refused "events that were counted \(-A\) can't be joined" "$G/events.json" "$G/events.json"
	refused "can't be added up" "$TMP/one.json" "$G/counts.json"
	refused 'has events, and no report of stacks' --by comm "$G/events.json"
	refused 'the file has events, and no stacks' --functions "$G/events.json"
	refused 'the file has events, and no histograms' --heat "$G/events.json"
	refused_by_format "events can't be written as svg" "$G/events.json" -o "$TMP/x.svg"
}
check 'events: of some processes, and of several files in the order of time' events

# The rows of a page's data: samples, then bin and samples, again and again.
data_of() # PAGE
{
	sed -n '/id="stacks-by-time"/,/<.script>/p' "$1" | tr -d ' \n' | sed 's/.*time">//; s/<.script>//'
}

timelines()
{
	report "$G/timeline.json" -o "$TMP/json.html" -o "$TMP/json.json"
	[ "$(data_of "$TMP/json.html")" = "$(data_of "$G/timeline.html")" ] || fail "$(data_of "$TMP/json.html")"
	[ "$(grep -o '"bins":[^}]*' "$TMP/json.json")" = "$(grep -o '"bins":[^}]*' "$G/timeline.json")" ] ||
		fail "$(cat "$TMP/json.json")"
	report --timeline "$G/timeline.perf" -o "$TMP/perf.html" -o "$TMP/again.perf"
	# The first sample is the start of this run, 10 ms after that of the run that wrote it.
	[ "$(data_of "$TMP/perf.html")" = '[[1,18,1],[5,0,3,19,1,99,1]]' ] || fail "$(data_of "$TMP/perf.html")"
	diff <(grep -E '^\S' "$G/timeline.perf" | grep -v '^#') <(grep -E '^\S' "$TMP/again.perf" | grep -v '^#') ||
		fail 'other samples'
	# 8 MB, of which 1 MB is written.
	yes "$G/timeline.perf" | head -n 5000 | xargs cat >"$TMP/many.perf"
	report --max-file 1M "$TMP/many.perf" -o "$TMP/some.perf"
	n_left=$(sed -nE 's/.* ([0-9]+) samples or .*/\1/p' "$TMP/err")
	n=$(stat -c %s "$TMP/some.perf")
	((n >= 1 << 20 && n < 1050000)) || fail "$n bytes with --max-file 1M"
	n=$(grep -c '^[^#[:space:]]' "$TMP/some.perf")
	((n + n_left == 30000)) || fail "$n samples written, $n_left left out of 30000"
	refused 'something was lost' --strict --max-file 1M "$TMP/many.perf" -o "$TMP/some.perf"
	refused 'has no samples with their time' --timeline "$G/server.json"
	refused_by_format 'needs single samples' "$G/timeline.json" -o "$TMP/x.perf"
	sed 's/\[0,2\]/[0,4]/' "$G/timeline.json" >"$TMP/more.json"
	refused 'a bin of time is not' "$TMP/more.json"
	sed 's/\[0,2\]/[-1,2]/' "$G/timeline.json" >"$TMP/more.json"
	refused 'a bin of time is not' "$TMP/more.json"
}
check 'samples over time, of JSON and of perf script' timelines

strangers()
{
	printf 'PERFILE2xxxx' >"$TMP/s"
	refused "looks like perf's own data" "$TMP/s"
	printf '{"traceEvents":[]}' >"$TMP/s"
	refused 'looks like a trace of Chrome' "$TMP/s"
	printf '{"$schema":"https://www.speedscope.app/x"}' >"$TMP/s"
	refused "looks like speedscope's JSON" "$TMP/s"
	refused 'looks like XML' "$G/server.svg"
	report "$G/timeline.perf" -o "$TMP/s.pftrace"
	refused 'looks like a trace for Perfetto' "$TMP/s.pftrace"
	refused 'the line does not end with a count' /etc/passwd
	refused 'it is a directory' /tmp
	refused 'No such file' "$TMP/nothing"
}
check 'files of other tools are recognized' strangers

words()
{
	local status=0

	"$BPERF" report >/dev/null 2>"$TMP/err" || status=$?
	((status == 64)) && grep -q 'needs a file' "$TMP/err" || fail "$status" "$(cat "$TMP/err")"
	"$BPERF" __complete report '' | grep -qx ':file' || fail 'files are not completed'
	"$BPERF" __complete report --by f | grep -q '^file' || fail '--by is not completed'
}
check 'report needs a file, and completes files and values' words

output_gone()
{
	local status=0

	"$BPERF" report "$G/server.json" -O text -o /dev/full -o "$TMP/whole.txt" 2>"$TMP/err" || status=$?
	((status == 1)) && grep -q 'No space left' "$TMP/err" || fail "status $status" "$(cat "$TMP/err")"
	same "$G/server.txt" "$TMP/whole.txt"
}
check 'an output that fails is an error, and the others are whole' output_gone

# A reader that leaves early is not an error; files are written all the same.
reader_gone()
{
	awk 'BEGIN { for (i = 0; i < 50000; i++) printf "p;f%d;a_function_with_a_long_name_%d 1\n", i % 7, i }' \
		>"$TMP/long.folded"
	(
		status=0
		"$BPERF" report -q -O folded -o - -o "$TMP/copy" "$TMP/long.folded" || status=$?
		echo "$status" >"$TMP/status"
	) | head -n 1 >/dev/null
	[ "$(cat "$TMP/status")" = 0 ] || fail "status $(cat "$TMP/status")"
	[ "$(wc -l <"$TMP/copy")" = 50000 ] || fail "$(wc -l <"$TMP/copy") lines"
}
check 'a reader that leaves early is not an error' reader_gone

# ---- memory ----

# 24 MB of stacks that are all different do not fit into 32 MB of memory, most of which is taken.
bounded()
{
	awk 'BEGIN { for (i = 0; i < 400000; i++)
		printf "p;f%d;g%d;a_function_with_a_long_name_%d;h%d %d\n", i % 7, i % 101, i, i * 7, 1 }' \
		>"$TMP/many.folded"
	report -f --max-memory 48M "$TMP/many.folded"
	grep -q '^\[other stacks\] ' "$TMP/out" || fail 'everything had room'
	[ "$(awk '{ n += $NF } END { print n }' "$TMP/out")" = 400000 ] || fail 'something is missing'
	grep -q 'counted without their stack' "$TMP/err" || fail "$(cat "$TMP/err")"
}
bounded_json()
{
	"$BPERF" report -q -j "$TMP/many.folded" >"$TMP/many.json"
	report -f --max-memory 48M "$TMP/many.json"
	grep -q '^\[other stacks\] ' "$TMP/out" || fail 'everything had room'
	[ "$(awk '{ n += $NF } END { print n }' "$TMP/out")" = 400000 ] || fail 'something is missing'
	grep -q 'counted without their stack' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'stacks over --max-memory are folded into one, and counted' bounded
check 'stacks of JSON over --max-memory are, too' bounded_json

# Frames and nodes are stored once: memory does not follow the size of the file.
big()
{
	need_python
	awk 'BEGIN { srand(5)
		for (n = 0; n < 100000000; n += length(line) + 1) {
			d = 5 + int(rand() * 40)
			k = int(rand() * (d < last ? d : last))
			for (i = k; i < d; i++)
				f[i] = "do_thing_" int(rand() * rand() * 20000) "_handler"
			last = d
			line = "nginx;main;worker_cycle"
			for (i = 0; i < d; i++)
				line = line ";" f[i]
			print line " " 1 + int(rand() * 1000)
		} }' >"$TMP/big.folded"
	python3 -c '
import os, sys
pid = os.spawnlp(os.P_NOWAIT, sys.argv[1], sys.argv[1], "report", "-q", sys.argv[2], "-O", "text", "-o", "/dev/null")
_, status, usage = os.wait4(pid, 0)
print(f"status {status}, {usage.ru_maxrss >> 10} MB, {usage.ru_utime + usage.ru_stime:.2f} s of CPU time")
sys.exit(status != 0 or usage.ru_maxrss > 100 << 10)' "$BPERF" "$TMP/big.folded"
}

need_python()
{
	command -v python3 >/dev/null || skip_because 'no python3 here'
}
case $BPERF in
*/san/*) skip 'a folded file of 100 MB takes less than 100 MB of memory' 'sanitizers take memory' ;;
*) check 'a folded file of 100 MB takes less than 100 MB of memory' big ;;
esac

# Four times as many intervals take some four times as long: 16 times if each one looks at all of them.
many_intervals()
{
	local n seconds=()

	for n in 4000 16000; do
		awk -v n="$n" 'NR == 1 { print } /"type":"stack"/ && !stack { stack = $0 }
			/"type":"interval"/ && !end { end = $0 }
			END { for (i = 0; i < n; i++) {
				line = stack; sub(/"iv":0/, "\"iv\":" i, line); print line
				line = end; sub(/"iv":0/, "\"iv\":" i, line)
				sub(/"start":[0-9.]*,"end":[0-9.]*/, "\"start\":" i ",\"end\":" i + 1, line); print line
			} }' "$G/intervals.json" >"$TMP/intervals.json"
		TIMEFORMAT=%U
		seconds+=("$({ time "$BPERF" report -q --total "$TMP/intervals.json" >"$TMP/out" 2>"$TMP/err"; } 2>&1)")
	done
	awk -v few="${seconds[0]}" -v many="${seconds[1]}" 'BEGIN { exit many > 0.1 + 9 * few }' || fail "${seconds[*]} s"
}
check 'the time that a file takes follows its size, however many intervals it has' many_intervals

# Losses of a file may be any numbers: their sum must not come round to none.
huge_losses()
{
	local status=0

	sed -E 's/"(ring|map)_full":[0-9]+/"\1_full":9223372036854775807/g; s/"stack_full":[0-9]+/"stack_full":2/' \
		"$G/server.json" >"$TMP/huge.json"
	report "$TMP/huge.json"
	grep -q 'lost: 9,223,372,036,854,775,807 not sent' "$TMP/err" || fail "$(cat "$TMP/err")"
	report -j "$TMP/huge.json" "$TMP/huge.json" "$TMP/huge.json"
	cp "$TMP/out" "$TMP/sum.json"
	grep -q '"ring_full":9223372036854775807' "$TMP/sum.json" || fail "$(tail -n 1 "$TMP/sum.json")"
	report "$TMP/sum.json"
	"$BPERF" report -q --strict "$TMP/huge.json" >/dev/null 2>&1 || status=$?
	((status == 1)) || fail "status $status with --strict"
}
check 'losses of more than 64 bits are losses' huge_losses

# Names of events come from whoever wrote the file.
ratio_names()
{
	sed '1s/"event":"cycles"/"event":"<b>\&\\u001b[2J"/; 1s/"event":"instructions"/"event":"<i>"/' \
		tests/golden/ratio.json >"$TMP/names.json"
	"$BPERF" report -q "$TMP/names.json" -o "$TMP/names.svg" -o "$TMP/names.html" -o "$TMP/names.txt" ||
		fail "exit status $?"
	! grep -E '<(b|i)>' "$TMP/names.svg" "$TMP/names.html" || fail 'a name is not escaped'
	grep -q '&lt;i&gt;/&lt;b&gt;&amp;' "$TMP/names.svg" || fail 'no names in the SVG'
	! grep $'\33' "$TMP/names.txt" "$TMP/names.svg" "$TMP/names.html" || fail 'an escape sequence'
}
check 'the names of events are escaped' ratio_names
# Records that are shown as they come cannot be changed: an option must not be ignored in silence.
live_input()
{
	local option status

	for option in '--comm nginx' '-p 1' '--by pid' -U '--functions' '--callers main' '--from perf'; do
		status=0
		# shellcheck disable=SC2086 # words
		"$BPERF" report --live $option - <"$G/server.json" >"$TMP/out" 2>"$TMP/err" || status=$?
		((status == 64)) || fail "status $status with $option" "$(cat "$TMP/err")"
		grep -q 'standard input is shown as it arrives' "$TMP/err" || fail "$option" "$(cat "$TMP/err")"
	done
}
check 'report --live - refuses filters and changes' live_input
