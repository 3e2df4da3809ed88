#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions of the kernel are counted as often as they are called, by every method; all of the kernel's
# functions at once where the kernel allows that.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
copied_symbols

counts()
{
	timeout -s KILL 200 "$BPERF" funccount "$@" >"$TMP/out" 2>"$TMP/err" || {
		grep -Eq "can't be probed|has no kprobes|kprobe_events: No such|refuses .EPERM" "$TMP/err" &&
			skip_because "$(grep -m1 '^bperf: ' "$TMP/err" | sed 's/^bperf: //')"
		fail "status $? of: $*" "$(cat "$TMP/err")"
	}
}

# count_of NAME
count_of()
{
	awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }' "$TMP/out"
}

# If the kernel does not count what it skips, or has skipped some calls, a smaller count is right.
calls_are() # NAME WANT
{
	local got

	got=$(count_of "$1")
	if grep -q 'lost: none' "$TMP/err"; then
		exactly "$got" "$2" "calls of $1"
	else
		between "$got" 1 "$2" "calls of $1"
	fi
}

# dd reads and writes each block with one call; its other reads are not from /dev/zero.
blocks()
{
	counts "$@" 'p::read_zero' -- dd if=/dev/zero of=/dev/null bs=512 count=3000
	calls_are read_zero 3000
}

by_method() # METHOD
{
	counts --attach "$1" 'p::write_null' -- dd if=/dev/zero of=/dev/null bs=512 count=3000
	calls_are write_null 3000
}

for method in kprobe.multi kprobe-event kprobe fentry; do
	check "3000 calls by $method" by_method "$method"
done

# So many sleepers that the kernel has no instance for some returns (two for each CPU, 10 at least): kernels
# that count these report them, and all others are counted.
sleepers() # METHOD
{
	local missed

	timeout 20 "$BPERF" funccount --attach "$1" --dry-run r::hrtimer_nanosleep >/dev/null \
		2>"$TMP/err" || skip_because "$(grep -m1 '^bperf: ' "$TMP/err" | sed 's/^bperf: //')"
	# shellcheck disable=SC2016 # of the inner shell
	counts -j --attach "$1" 'r::hrtimer_nanosleep' -- \
		sh -c 'for i in $(seq 60); do sleep 2 & done; wait'
	missed=$(jq_last '.lost.missed' "$TMP/out")
	[ "$missed" != null ] || skip_because 'this kernel does not count what it skips'
	between "$(($(jq -s '[.[] | select(.type == "count").value] | add' "$TMP/out") + missed))" 60 70 \
		'returns, counted and missed'
}
if command -v jq >/dev/null; then
	check 'returns that the kernel has no room for are missed' sleepers kprobe
fi

returns()
{
	counts --latency --errors 'r::write_null' -- dd if=/dev/zero of=/dev/null bs=512 count=2000
	calls_are write_null 2000
}
check 'returns with their time' returns

patterns()
{
	counts 'vfs_{read,write}' 'write_nul?#null' -- dd if=/dev/zero of=/dev/null bs=512 count=2000
	calls_are null 2000
	at_least "$(count_of p::vfs_write)" "$(count_of null)" 'vfs_write'
}
check 'a set, and a label' patterns

many()
{
	counts -v 'vfs_*' --top 0 -- dd if=/dev/zero of=/dev/null bs=512 count=500
	at_least "$(grep -o '[0-9]* sites by' "$TMP/err" | cut -d' ' -f1)" 30 'functions attached'
	at_least "$(count_of vfs_write)" 1 'calls of vfs_write'
}
check 'vfs_*' many

# Where each function is attached by itself, more than some hundreds take too long.
everything()
{
	local pattern='*' least=10000

	if ! "$BPERF" funccount --attach kprobe.multi -d 0.1 p::vfs_read >/dev/null 2>"$TMP/err"; then
		has "$TMP/err" "can't be probed by kprobe.multi"
		pattern='{tcp,vfs}_*' least=300
	fi
	counts -v "$pattern" --top 3 -d 0.5
	at_least "$(grep -o '[0-9]* sites by' "$TMP/err" | cut -d' ' -f1)" "$least" 'functions attached'
}
check 'all functions at once, or hundreds' everything
