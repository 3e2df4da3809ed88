#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# dump against a program whose threads are in known states (tests/workloads/stalled.c): state, age, object,
# owner and stack of each.  A wrong owner is worse than none.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/dump.bash
. tests/accuracy/dump.bash
need awk jq
[ -x "$WORK/stalled" ] || { skip "$(this_test)" 'workloads are not built (make work)'; exit 0; }

copied_symbols

# waits NAME STATE OBJECT [ROLE TID [COMM]]: "-": none.
waits()
{
	local got other=-

	(($# <= 3)) || other=${*:4}
	[ "$TMP/waits" -nt "$TMP/d.json" ] || list '"\(.state)\t\(.object // "-")\t\(.other |
		if . then "\(.role) \(.tid // .pid) \(.comm)" else "-" end)"' >"$TMP/waits"
	got=$(listed "$1" "$TMP/waits")
	[[ $got =~ ^"$2"$'\t'($3)$'\t'"$other"$ ]] ||
		fail "state of $1, its object and what it depends on: $got, want:" "$2	$3	$other"
}

# tid NAME: as the workload printed it.
tid()
{
	truth stalled "$1_tid"
}

names='dead-a dead-b twice owner locked-0 locked-1 locked-2 pi robust rw-read rw-write condition semaphore joiner
	reader writer local tcp poller selecter epoller napper parent vforker spinner'

begin()
{
	start stalled 120
	take -p "$PID"
}

all_are_there()
{
	local name

	begin
	list '"\(.tid) \(.pid) \(.process)"' >"$TMP/ids"
	exactly "$(wc -l <"$TMP/ids")" 26 threads
	for name in $names; do
		exactly "$(listed "$name" "$TMP/ids")" "$(tid "$name") $PID stalled" "tid and process of $name"
	done
	# arm64 has no system call for pause(): there it is a poll of nothing.
	case $(uname -m) in
	x86_64) waits stalled other - ;;
	*) waits stalled poll 'poll of 0 files' ;;
	esac
}
check 'all threads are there, with their names' all_are_there

# The memory of a process with more rights than ours, where owners of locks are, is not read: it is said.
refused()
{
	command -v setpriv >/dev/null || skip_because 'no setpriv here'
	start stalled 120
	setpriv --bounding-set -sys_ptrace "$BPERF" dump -j -p "$PID" >"$TMP/d.json" 2>"$TMP/err" || fail "exit status $?"
	grep -q 'the memory of [0-9]* threads may not be read without CAP_SYS_PTRACE: owners of locks' "$TMP/err" ||
		fail "$(cat "$TMP/err")"
	exactly "$(thread pi .other)" null 'the owner of a lock'
	dump -j -p "$PID" >"$TMP/d.json" 2>"$TMP/err" || fail "exit status $?"
	! grep 'may not be read' "$TMP/err" || fail 'the same with the right to read it'
}
check 'owners of locks that may not be read' refused

locks()
{
	local name

	begin
	waits dead-a lock 'mutex second\+0x0 in stalled' owner "$(tid dead-b)" dead-b
	waits dead-b lock 'mutex first\+0x0 in stalled' owner "$(tid dead-a)" dead-a
	waits twice lock 'mutex own\+0x0 in stalled' owner "$(tid twice)" twice
	for name in locked-0 locked-1 locked-2; do
		waits "$name" lock 'mutex held\+0x0 in stalled' owner "$(tid owner)" owner
	done
	waits pi lock 'mutex pi\+0x0 in stalled' owner "$(tid owner)" owner
	# A libc without symbols has no name for the function.
	waits robust lock '(mutex|futex) robust\+0x0 in stalled' owner "$(tid owner)" owner
	for name in rw-read rw-write; do
		waits "$name" lock 'rwlock rwlock\+0x0 in stalled' owner "$(tid owner)" owner
	done
	exactly "$(thread owner .blocks)" 7 "threads that wait for the owner's locks"
	exactly "$(jq -s -c '[.[] | select(.deadlock) | .comm] | sort' "$TMP/d.json")" '["dead-a","dead-b","twice"]' \
		deadlocked
	waits condition condition 'futex condition\+0x[0-9a-f]+ in stalled'
	waits semaphore condition 'futex semaphore\+0x[0-9a-f]+ in stalled'
	waits joiner condition 'end of thread' joined "$(tid owner)" owner
}
check 'locks have their names and owners, and a deadlock is one' locks

others()
{
	local peer

	begin
	peer=$(truth stalled peer)
	waits reader pipe 'pipe:\[[0-9]+\]' peer "$peer" stall-peer
	waits writer pipe 'pipe:\[[0-9]+\]' peer "$peer" stall-peer
	waits local network 'unix:\[[0-9]+\]' peer "$peer" stall-peer
	waits poller poll 'poll of 2 files: pipe:\[[0-9]+\], unix:\[[0-9]+\], at most 10 min 00 s'
	waits selecter poll 'select of 1 file: pipe:\[[0-9]+\]'
	waits epoller poll 'epoll of 1 file: unix:\[[0-9]+\]'
	waits owner sleep '1[56] min [0-9]+ s left of 16 min 40 s'
	waits napper sleep '(8|9|10) min [0-9]+ s left'
	waits parent child 'end of child' child "$peer" stall-peer
	exactly "$(thread vforker '"\(.state) \(.letter)"')" 'child D' 'state of vforker'
	stop
	# A child of vfork() has the descriptors, too.
	start stalled 120 tame
	take -p "$PID"
	waits tcp network "tcp 127.0.0.1:$(truth stalled port) > 127.0.0.1:[0-9]+" peer "$PID" stalled
}
check 'pipes, sockets, polls, sleeps and children' others

# The workload saw each thread asleep at NAME_by, and not before NAME_from.  The clock of a run queue
# stands still for up to a tick.
ages()
{
	local name start end

	begin
	sleep 1
	take -p "$PID"
	read -r start end < <(jq -r 'select(.type == "meta").clock.monotonic_ns, select(.type == "interval").end' \
		"$TMP/d.json" | xargs)
	list .for >"$TMP/ages"
	for name in $names; do
		[ "$name" = spinner ] && continue
		listed "$name" "$TMP/ages" | awk -v start="$start" -v from="$(truth stalled "${name}_from")" \
			-v by="$(truth stalled "${name}_by")" -v name="$name" -v end="$end" '
			BEGIN { tick = 0.02 }
			{ low = (start - by) / 1e9 - tick; high = (start - from) / 1e9 + end + tick
			  if ($1 < low || $1 > high || $1 < 1)
				{ print name " for " $1 ", want " low " to " high; exit 1 } }' ||
			fail "the age of $name"
	done
}
check 'ages are the time since the wait began' ages

stacks()
{
	local name

	begin
	list '[.user[].func] | join(";")' >"$TMP/stacks"
	for name in $names; do
		listed "$name" "$TMP/stacks" >"$TMP/user"
		case $name in
		locked-?) has "$TMP/user" '(^|;)stall_locked(;|$)' ;;
		spinner) has "$TMP/user" '(^|;)stall_spin(;|$)' ;;
		*) has "$TMP/user" "(^|;)stall_${name//-/_}(;|\$)" ;;
		esac
	done
	jq -es '[.[] | select(.type == "thread" and .comm != "spinner" and (.kernel | length) == 0)] == []' \
		"$TMP/d.json" >/dev/null || fail 'threads without a kernel stack'
	[[ $(thread spinner '"\(.state) \(.letter)"') =~ ^(running|waiting)' R'$ ]] ||
		fail "the spinner: $(thread spinner '"\(.state) \(.letter)"')"
}
check 'each has its stack' stacks

without_kernel_frames()
{
	begin
	take -U -p "$PID"
	jq -es '[.[] | select(.type == "thread" and .kernel != [])] == []' "$TMP/d.json" >/dev/null ||
		fail 'kernel frames with -U'
	waits locked-0 lock 'mutex held\+0x0 in stalled' owner "$(tid owner)" owner
	waits reader pipe 'pipe:\[[0-9]+\]' peer "$(truth stalled peer)" stall-peer
	take -K -p "$PID"
	jq -es '[.[] | select(.type == "thread" and .user != [])] == []' "$TMP/d.json" >/dev/null ||
		fail 'user frames with -K'
	exactly "$(thread reader .state)" pipe 'state of the reader'
}
check '-U and -K leave out frames, but not states' without_kernel_frames

one_thread()
{
	begin
	take -t "$(tid locked-1)"
	exactly "$(jq -s '[.[] | select(.type == "thread")] | length' "$TMP/d.json")" 1 threads
	waits locked-1 lock 'mutex held\+0x0 in stalled' owner "$(tid owner)" owner
	take --comm 'locked-*' -p "$PID"
	exactly "$(jq -s '[.[] | select(.type == "thread")] | length' "$TMP/d.json")" 3 threads
}
check 'an owner that is not a target has its name' one_thread

stopped()
{
	begin
	kill -STOP "$PID"
	sleep 0.5
	take -p "$PID"
	kill -CONT "$PID"
	exactly "$(thread reader '"\(.state) \(.letter) \(.object)"')" 'stopped T null' 'a stopped thread'
	exactly "$(thread spinner '"\(.state) \(.letter)"')" 'stopped T' 'a stopped thread'
	thread spinner '[.user[].func] | join(";")' >"$TMP/user"
	has "$TMP/user" '(^|;)stall_spin(;|$)'
}
check 'a stopped process waits for no object, and has its stacks' stopped

# The target is not stopped, nor does it see a signal: a spinner runs on, and its switches are those of a
# busy machine.
undisturbed()
{
	local i before after

	begin
	before=$(awk '/^TracerPid|^SigPnd|^ShdPnd/' "/proc/$PID/status")
	for ((i = 0; i < 5; i++)); do
		dump -q -p "$PID" >/dev/null || fail "exit status $?"
		awk '$2 ~ /^[tT]/ && /^State/ { exit 1 }' "/proc/$PID/task/$(tid reader)/status" || fail 'stopped'
	done
	after=$(awk '/^TracerPid|^SigPnd|^ShdPnd/' "/proc/$PID/status")
	exactly "$after" "$before" 'status of the target'
	exactly "$(awk '/^voluntary/ { print $2 }' "/proc/$PID/task/$(tid reader)/status")" 1 'waits of the reader'
}
check 'the target is not stopped, traced or woken' undisturbed

in_a_namespace()
{
	local inner owner

	unshare --pid --fork --mount-proc true 2>/dev/null || skip_because 'no PID namespaces'
	: >"$TMP/stalled.truth"
	unshare --pid --fork --kill-child --mount-proc "$WORK/stalled" 60 >"$TMP/stalled.truth" &
	later "kill -9 $! 2>/dev/null"
	poll grep -q '^pid ' "$TMP/stalled.truth"
	inner=$(pgrep -P $! stalled) || fail 'it did not start'
	take -p "$inner"
	waits dead-a lock 'mutex second\+0x0 in stalled' owner "$(thread dead-b .tid)" dead-b
	owner=$(thread owner .tid)
	waits pi lock 'mutex pi\+0x0 in stalled' owner "$owner" owner
	waits joiner condition 'end of thread' joined "$owner" owner
	waits parent child 'end of child' child "$(pgrep -P "$inner" stall-peer)" stall-peer
	[ "$owner" != "$(tid owner)" ] || fail 'the same numbers inside and outside'
}
check 'owners in another PID namespace have the numbers of ours' in_a_namespace

# Writers to a file system that is frozen wait in state D until it thaws.
on_a_frozen_disk()
{
	local writer began

	have mkfs.ext4 fsfreeze
	modprobe loop 2>/dev/null
	truncate -s 16M "$TMP/disk"
	mkfs.ext4 -q "$TMP/disk" && mkdir "$TMP/mnt" || fail 'no file system'
	mount -o loop "$TMP/disk" "$TMP/mnt" 2>/dev/null || skip_because 'no loop device can be mounted here'
	later "umount $TMP/mnt"
	fsfreeze -f "$TMP/mnt" || fail 'it does not freeze'
	touch "$TMP/mnt/file" &
	writer=$!
	later "wait $writer"
	later "fsfreeze -u $TMP/mnt"
	until [[ $(cut -d ' ' -f 3 "/proc/$writer/stat") == D ]]; do snooze 0.05; done
	began=$EPOCHREALTIME
	sleep 0.5
	take -p "$writer"
	exactly "$(thread touch .letter)" D 'state'
	waits touch lock -
	between "$(thread touch .for)" 0.5 "$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print b - a + 0.1 }')" 'age'
	thread touch '.kernel[].func' | grep -Eq 'openat|utimensat' || fail "$(thread touch '.kernel[].func')"
}
check 'a thread in state D: a writer to a frozen file system' on_a_frozen_disk

# gdb waits forever for a thread in vfork() to stop.
same_as_gdb()
{
	have gdb
	start stalled 120 tame
	take -p "$PID"
	timeout -s KILL 60 gdb -batch -nx -ex 'thread apply all -q bt' -p "$PID" >"$TMP/gdb" 2>/dev/null || skip_because 'no ptrace here'
	list '[.user[].func] | join(";")' >"$TMP/stacks"
	for name in dead-a owner pi rw-read condition joiner reader poller napper parent; do
		listed "$name" "$TMP/stacks" | tr ';' '\n' >"$TMP/user"
		grep '^stall_' "$TMP/user" >"$TMP/ours" || fail "no stall_ in $name"
		grep -qwF -f "$TMP/ours" "$TMP/gdb" || fail "gdb lacks $(cat "$TMP/ours")"
		at_least "$(wc -l <"$TMP/user")" 3 "frames of $name"
	done
}
check 'gdb has the same functions' same_as_gdb

saved()
{
	begin
	take -p "$PID"
	"$BPERF" report -q -j "$TMP/d.json" >"$TMP/again.json" || fail "exit status $?"
	same <(sed 1d "$TMP/d.json") <(sed 1d "$TMP/again.json")
	"$BPERF" report -q --comm 'stalled' "$TMP/d.json" >"$TMP/again.txt"
	has "$TMP/again.txt" '^stalled \([0-9]+\), 1 thread'
	status_is 1 "$BPERF" report "$TMP/d.json" "$TMP/d.json"
	has "$TMP/err" "can't be added up"
}
check 'a saved dump is read again' saved
