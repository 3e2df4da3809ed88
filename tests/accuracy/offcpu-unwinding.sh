#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Kernel stacks that bperf finds without the kernel's unwinder (bpf/orc.bpf.h): they are those that the
# kernel itself shows for the same threads, and none of those that are compared differs.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

grep -Eq ' t (__)?orc_find' /proc/kallsyms ||
	{ skip "$(this_test)" "this kernel's unwinder is not ORC: it walks all stacks"; exit 0; }

# The kernel leaves these functions out of a sleeping thread's stack; bperf does not.
awk '$3 ~ /^__(sched|lock)_text_start$/ { is_in = 1 } $3 ~ /^__(sched|lock)_text_end$/ { is_in = 0 }
	is_in { sub(/\..*/, "", $3); print $3 }' "${SYMBOLS:-/proc/kallsyms}" | sort -u >"$TMP/left-out"

# numbers COMMAND: the stacks that the command reported, "READ WALKED COMPARED DIFFERED OTHERS".
numbers()
{
	sed -n 's/^bperf: kernel stacks: \([0-9]*\) read, \([0-9]*\) walked, \([0-9]*\) of these compared, \([0-9]*\) differed; \([0-9]*\) were not to be read$/\1 \2 \3 \4 \5/p' "$TMP/err"
}

# Most stacks are read, the expected number is compared, and all of those are the same.
are_read()
{
	local read walked compared differed others

	read -r read walked compared differed others < <(numbers)
	at_least "${compared:-0}" 20 'compared'
	# Nine threads block 400 times each, unless their event has already happened.
	between "$((read + walked + others))" 2500 20000 'stacks'
	exactly "$differed" 0 'differed'
	exactly "$(jq_last '.lost.stack_wrong' "$TMP/w.json")" 0 'stacks that may be wrong'
	at_least "$read" "$((3 * walked))" "read, where $walked were walked"
	between "$compared" "$((read / 60 - 10))" "$((read / 60 + 10))" "compared, of $read read"
}

traced()
{
	local command=$1

	shift
	bp "$command" --verbose "$@" -K -o "$TMP/w.json" -- "$WORK/blocks" 400 2 >"$TMP/blocks.truth" 2>"$TMP/err" ||
		fail "exit status $? of $command" "$(cat "$TMP/err")"
}

# The stack where a thread was most often, as words, leaf first, less what the kernel leaves out.
own_stack()
{
	jq -rs --arg comm "$1" '[.[] | select(.type == "stack" and .comm == $comm)] | max_by(.count) |
		.kernel[]?.func' "$TMP/w.json" | sed 's/\..*//' | grep -Fvxf "$TMP/left-out" | tr '\n' ' '
}

same_as_the_kernel()
{
	local word name stack own n=0

	traced offcpu
	are_read
	while read -r word name stack; do
		[ "$word" = stack ] || continue
		own=$(own_stack "$name")
		stack=$(tr ' ' '\n' <<<"$stack" | sed 's/\..*//' | tr '\n' ' ')
		[ "$own" = "$stack" ] || fail "$name is not where the kernel says" "$own" "$stack"
		n=$((n + 1))
	done <"$TMP/blocks.truth"
	exactly "$n" 9 'threads whose stack the kernel told'
}
check 'stacks of sleepers are those that the kernel shows' same_as_the_kernel

# The waker calls a different function for each file.
wakers()
{
	local name call

	traced wakeup
	are_read
	while read -r name call; do
		jq -es --arg name "$name" --arg call "$call" '[.[] | select(.type == "stack" and .comm == $name) |
			select(.wakers[0].comm == "b-waker")] |
			length > 0 and all(.[]; [.wakers[0].kernel[].func] |
				any(.[]; contains($call)) and any(.[]; endswith("_write")) and
				(.[-1] | startswith("entry_SYSCALL_64")))' "$TMP/w.json" >/dev/null ||
			fail "$name was not woken through $call" "$(jq -c "select(.comm == \"$name\")" "$TMP/w.json")"
	done <<-EOF
		b-pipe pipe_write
		b-eventfd eventfd_write
		b-unix unix_stream_sendmsg
		b-unixread unix_stream_sendmsg
	EOF
}
check "wakers' stacks are whole" wakers

# Other programs at the same hook, or statistics of programs, change how ours are called.
company()
{
	local i

	for ((i = 0; i < 3; i++)); do
		bp funccount -q --cost -d 0.1 raw:sched_switch raw:sched_waking
	done >/dev/null 2>&1 &
	traced offcpu
	wait
	are_read
}
check 'another tracer comes to the same hooks and goes' company

# Each stack that is read is walked by the kernel as well, for everything that runs on this machine.
every_stack()
{
	local command read walked compared differed others

	start lives 8 3
	start messages 2 10 2000
	for command in offcpu chain; do
		BPERF_WAIT_FAULTS=check-stacks=1 traced "$command"
		read -r read walked compared differed others < <(numbers)
		echo "$command: ${read:-0} read, $walked walked, $compared compared, $others not to be read"
		exactly "$read" 0 'read and not walked'
		at_least "${compared:-0}" "$((walked / 2))" "compared, of $walked walked"
		exactly "$differed" 0 'differed'
		exactly "$(jq_last '.lost.stack_wrong' "$TMP/w.json")" 0 'stacks that may be wrong'
	done
}
check 'every stack that is read is the one that the kernel walks' every_stack

kernel_unwinder()
{
	local read walked compared differed others

	traced offcpu --kernel-unwinder
	read -r read walked compared differed others < <(numbers)
	exactly "$read $walked $compared $differed" '0 0 0 0' 'read, walked, compared and differed'
	at_least "$others" 2500 'that the kernel walked'
}
check '--kernel-unwinder: the kernel walks all' kernel_unwinder
