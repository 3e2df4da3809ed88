#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The examples in --help, man pages and README run as they are printed, except for process ids and
# durations, which differ on each host or would take too long.
#
# long: every example of the man pages, a minute

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_root

mkdir -p "$TMP/bin" "$TMP/work" "$TMP/home/.zsh" "$TMP/home/.config/fish/completions" \
	"$TMP/home/.local/share/bash-completion/completions" "$TMP/links" "$TMP/tools"
ln -s "$BPERF" "$TMP/bin/bperf"
seq 100000 >"$TMP/work/big.log"
# Activity to measure, on a fifth of a CPU, for 300 s of its time at most.  It sleeps without a process.
(ulimit -t 300 && exec bash -c 'exec 3<> <(:)
	while :; do for ((n = 0; n < 2000; n++)); do :; done; read -rt 0.03 -u 3; done') &
busy=$!
at_exit+=("kill $busy")

# Saved reports for report and diff.
"$BPERF" profile -q -o "$TMP/work/run.json" -o "$TMP/work/run.folded" -o "$TMP/work/heap.pb.gz" 0.3
for name in old new before after a1 a2 b1 db1 db2 monday-1 tuesday-1; do
	cp "$TMP/work/run.json" "$TMP/work/$name.json"
	cp "$TMP/work/run.folded" "$TMP/work/$name.folded"
done
if command -v perf >/dev/null; then
	perf record -q -e cpu-clock -F 99 -g -o "$TMP/work/perf.data" -p "$busy" -- sleep 0.3
fi

# Lines "where<TAB>command".
from_help()
{
	local name

	sed -n 's/^COMMAND(\(.*\))$/\1/p' cmd/commands.def | while read -r name; do
		"$BPERF" "$name" --help | sed -n '/^Examples:/,$ s/^  \(bperf .*\)/\1/p' |
			sed "s/^/--help	/"
	done
	"$BPERF" --help | sed -n '/^Examples:/,$ s/^  \(bperf .*\)/\1/p' | sed "s/  .*//; s/^/--help	/"
}

from_pages()
{
	local page

	for page in cmd/*.[1-8]; do
		sed -n '/^\.EX/,/^\.EE/ s/^[#$] //p' "$page" | sed 's/\\-/-/g; s/\\e/\\/g' |
			sed "s,^,${page#cmd/}	,"
	done
}

from_readme()
{
	# shellcheck disable=SC2016 # backticks of Markdown
	sed -n '/^```console/,/^```$/ s/^[#$] //p' README.md | sed 's/^/README	/'
}

# Replace the parts that differ on each host.  A report of 10 seconds is as valid after a third of a second.
adapt()
{
	sed -E "s/^ssh [a-z0-9]+ //; s/-p 185/-p $busy/; s,instructions/cycles -c 2000000,page-faults:1/cpu-clock -F 199,; s/make -j8/sleep 0.2/; s/--value alloc_space/--value samples/; s,/usr/local/bin,$TMP/links,; s,/opt/bperf/bin,$TMP/tools,
		/^bperf trace/ { s/make -j8/true/; /-- |--dump|--dry-run/! { s/\$/ -- ls/; s/ -p [0-9]+//; s/-M [0-9]+/-M 1/ } }
		/^bperf funccount/ { /-- |--dump|--dry-run/! { s/ -d [0-9]+//; s/ (1|5)( [0-9]+)?\$//; s/ -p [0-9]+//; s/\$/ -d 0.3/ } }
		/^bperf argdist/ { /-- |--dump|--dry-run/! { s/ -d [0-9]+//; s/ -p [0-9]+//; s/ (1|5)( [0-9]+)?( \|.*)?\$/\3/; s/( \|.*)?\$/ -d 0.3\1/ } }
		s/^(bperf (profile|offcpu|wakeup|offwake|chain).*) 1 [0-9]+( [|>].*)?\$/\1 0.2 2\3/
		s/^(bperf (profile|offcpu|wakeup|offwake|chain).*) (5|10|60)( [|>].*)?\$/\1 0.3\4/"
}

# find_tools COMMANDS: the first word of each command in a pipe, into $tools.
find_tools()
{
	local part word

	tools=()
	while IFS= read -rd '|' part; do
		read -r word _ <<<"$part"
		[[ $word != source && $word =~ ^[a-z.]+$ ]] && tools+=("$word")
	done <<<"$1|"
}

# Print where a run hangs, before it is killed.
watch()
{
	local pid

	snooze 30
	for pid in $(pgrep -x bperf); do
		echo "bperf $pid hangs: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
		cat "/proc/$pid/stack" "/proc/$pid/syscall"
		grep -E '^(State|SigPnd|ShdPnd|SigBlk)' "/proc/$pid/status"
	done
}

is_live()
{
	[[ $1 == 'bperf top'* || $1 == *' --live'* ]]
}

has_screen() # the tabs of its views
{
	grep -qE '1 (states|flame graph|functions|counts|distributions)' typescript 2>/dev/null
}

# On a terminal of its own, on which q is typed once the screen is there.
run_live() # COMMAND
{
	local pid status=0

	rm -f typescript keys
	mkfifo keys
	TERM=xterm script -qefc "$1" typescript <keys >/dev/null &
	pid=$!
	exec 4>keys
	for _ in {1..200}; do
		if has_screen || ! kill -0 "$pid"; then
			break
		fi
		snooze 0.1
	done
	printf q >&4
	wait "$pid" || status=$?
	exec 4>&-
	has_screen || cat typescript
	return "$status"
}

run_example()
{
	local tool tools watcher status=0 shell=(bash -o pipefail)

	[[ $1 == *'| source' ]] && shell=(fish)
	command -v "${shell[0]}" >/dev/null || skip_because "no ${shell[0]} here"
	find_tools "${1#ssh * }"
	for tool in "${tools[@]}"; do
		PATH=$TMP/bin:$PATH command -v "$tool" >/dev/null || skip_because "no $tool here"
	done
	cd "$TMP/work" || return
	[ ! -e big.log.gz ] || rm big.log.gz
	watch &
	watcher=$!
	if is_live "$2"; then
		PATH=$TMP/bin:$PATH run_live "$2" || status=$?
	else
		HOME=$TMP/home PATH=$TMP/bin:$PATH timeout -s INT -k 20 20 \
			"${shell[@]}" -c "$2" </dev/null || status=$?
	fi
	kill "$watcher" 2>/dev/null
	# The host may well have nothing that calls the example's function.
	((status == 66)) && [[ $1 == *--callers* ]] && status=0
	((status == 69)) && [[ $1 == *vfs_* ]] && skip_because 'no functions of the kernel here'
	return $status
}

{ from_help; from_pages; from_readme; } | sort -t '	' -k 2 -u >"$TMP/examples"
[ "$(wc -l <"$TMP/examples")" -ge 20 ] || not_ok 'examples are found' "$(cat "$TMP/examples")"
cut -f 2 "$TMP/examples" | adapt >"$TMP/adapted"
while IFS='	' read -r where line <&3 && IFS= read -r adapted <&5; do
	check "$where: $line" run_example "$line" "$adapted"
done 3<"$TMP/examples" 5<"$TMP/adapted"
