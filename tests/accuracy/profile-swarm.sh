#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Processes that have ended before their names can be looked up.
#
# kernels: 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

# few N: prints N, or a third of it on slow machines, where each process lives longer (slow).
few()
{
	local part=${BPERF_SLOW:+3}

	echo $(($1 / ${part:-1}))
}

# An emulated CPU builds the tables of libc for 0.2 s, and 64 stacks of that time are copied.
rate=$(few 499)

# all_named FOLDED PERCENT: at least PERCENT of the children's samples have no frame in brackets, which
# stands for a frame without a name, or one that was not found.  Some samples are in the loader, or in the
# exit when no user stack is left; most are in brief_work.  The function of libc that calls main() has a
# name only where libc6-dbg is installed, as on this host and not in a guest.
all_named()
{
	local n unnamed

	n=$(total "$1" '^swarm-child;')
	sed 's/;\[libc\.so\.6\];main;/;main;/' "$1" >"$TMP/names"
	unnamed=$(total "$TMP/names" '^swarm-child;.*\[')
	at_least "$(total "$1" '^swarm-child;.*;brief_work')" "$((n * 3 / 4))" 'samples in brief_work'
	((unnamed * 100 <= n * (100 - $2))) ||
		fail "$unnamed of $n samples lack names" "$(grep '^swarm-child;.*\[' "$TMP/names" | head -n 5)"
}

# swarm HOW
swarm()
{
	profile -q -e cpu-clock -F "$rate" -o "$TMP/swarm.folded" -o "$TMP/swarm.json" -- \
		"$WORK/swarm" "$(few 40)" "$(slow 50)" "$1" 2 >"$TMP/swarm.truth" || fail "exit status $?"
	at_least "$(total "$TMP/swarm.folded" '^swarm-child;')" 300 'samples of the swarm'
	all_named "$TMP/swarm.folded" 98
}
check 'processes of 50 ms that only fork: 98 % of the samples have names' swarm fork
check 'processes of 50 ms that exec: 98 % of the samples have names' swarm exec

# Files of their own, each gone together with its process.
vanished()
{
	local dir n named

	dir=$(tmpdir)
	cat >"$dir/run" <<-'EOF'
		#!/bin/bash
		for i in $(seq 1 "$3"); do
			cp "$WORK/shares" "$1/gone-$i" && "$1/gone-$i" "$2" >/dev/null
			rm -f "$1/gone-$i"
		done
	EOF
	chmod +x "$dir/run"
	profile -q -e cpu-clock -F "$rate" -o "$TMP/v.folded" -- "$dir/run" "$dir" "$(slow 0.3)" "$(few 6)" >/dev/null || fail "exit status $?"
	n=$(total "$TMP/v.folded" '^gone-[0-9]*;')
	named=$(total "$TMP/v.folded" '^gone-[0-9]*;.*;(burn_|main)')
	at_least "$n" 100 samples
	awk -v k="$named" -v n="$n" 'BEGIN { exit !(k >= 0.9 * n) }' ||
		fail "$named of $n samples have names" "$(grep -v burn_ "$TMP/v.folded" | head -n 8)"
}
check 'a file that is deleted with its process still gives names' vanished

# A system-wide profile: bperf is not told that these processes are of interest.
unannounced()
{
	local bg

	"$WORK/swarm" 30 "$(slow 50)" exec 2 >/dev/null &
	bg=$!
	later "kill -9 $bg 2>/dev/null"
	profile -q -f -e cpu-clock -F "$rate" 1 >"$TMP/all.folded" || fail "exit status $?"
	kill -9 "$bg"
	at_least "$(total "$TMP/all.folded" '^swarm-child;')" 50 'samples of the swarm'
	all_named "$TMP/all.folded" 95
}
check 'a swarm in a system-wide profile has names too' unannounced
