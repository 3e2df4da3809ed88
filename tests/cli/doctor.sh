#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# doctor's answers agree with the commands.
#
# alone: hides the kernel's addresses from all for a moment, and looks at all programs of the host

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/cli/doctor.bash
. tests/cli/doctor.bash
need jq setpriv
need_root
copied_symbols # the tests of privileges decide who may read them

doctor()
{
	"$BPERF" doctor -j >"$TMP/doctor.json"
}

# verdict NAME: of one feature.
verdict()
{
	jq -r --arg name "$1" '.features[] | select(.name == $name) | .verdict' "$TMP/doctor.json"
}

detail()
{
	jq -r --arg name "$1" '.features[] | select(.name == $name) | .detail' "$TMP/doctor.json"
}

# If the kernel offers something to its own tracers, doctor must say so, and the other way round.
agrees()
{
	local name=$1 file=$2 pattern=$3 want=no

	[ -r "$file" ] && grep -Eq "$pattern" "$file" && want=ok
	[ "$(verdict "$name")" = "$want" ] || fail "$name: $(verdict "$name"), want $want ($file)"
}

one_object()
{
	doctor
	jq -e '.type == "doctor" and (.features | length > 20) and
		all(.features[]; (.name | test("^[a-z_]+$")) and
			(.verdict | IN("ok", "warn", "no", "unknown")) and
			((.verdict == "ok") or (.detail | length > 1)))' "$TMP/doctor.json" >/dev/null ||
		fail "$(cat "$TMP/doctor.json")"
}
check 'JSON is one object with a verdict for each feature' one_object

as_root_it_knows()
{
	[ "$(jq '[.features[] | select(.verdict == "unknown") |
		select(.name | IN("lockdown", "tracepoint", "tracefs", "jit", "runtimes") | not)] | length' "$TMP/doctor.json")" = 0 ] ||
		fail "$(jq -c '.features[] | select(.verdict == "unknown")' "$TMP/doctor.json")"
}
check 'for root no verdict is unknown, except what a file system hides' as_root_it_knows

# fits FILE: in a terminal of the usual width.
fits()
{
	! grep -E '^.{81}' "$1" || fail 'longer than 80 columns'
}

text_says_the_same()
{
	"$BPERF" doctor >"$TMP/doctor.txt"
	fits "$TMP/doctor.txt"
	jq -r '.features[] | [(if .verdict == "unknown" then "?" else .verdict end), .title] | @tsv' \
		"$TMP/doctor.json" >"$TMP/want"
	# Verdict in 6 columns, title in 20; indented lines continue.
	sed -n '2,$p' "$TMP/doctor.txt" | grep -Ev '^(works|does not work):|^ ' |
		sed -E 's/^(.{6})(.{20}).*/\1\t\2/; s/ +\t/\t/; s/ +$//' >"$TMP/got"
	same "$TMP/want" "$TMP/got" || fail 'text and JSON differ'
}
check 'text says the same as JSON' text_says_the_same

# Each command that works according to doctor runs; each other is refused with the status for it.
commands_agree()
{
	local name status want

	for name in $(commands); do
		want=fails
		status=0
		# shellcheck disable=SC2046 # words
		timeout 60 "$BPERF" "$name" -q $(short_run "$name") >"$TMP/out" 2>"$TMP/err" || status=$?
		case $status in
		0) want=works ;;
		69 | 77) ;;
		*) fail "$name: exit status $status" "$(cat "$TMP/err")" ;;
		esac
		jq -e --arg name "$name" --arg want "$want" '.[$want] | index($name)' "$TMP/doctor.json" \
			>/dev/null || fail "$name: exit status $status, but doctor says otherwise" "$(cat "$TMP/err")"
	done
}
check 'the commands work as doctor says' commands_agree

status_follows()
{
	local status=0

	"$BPERF" doctor >/dev/null || status=$?
	if [ "$(jq '.fails | length' "$TMP/doctor.json")" = 0 ]; then
		((status == 0)) || fail "exit status $status when all works"
	else
		((status == 1)) || fail "exit status $status when something does not work"
	fi
}
check 'the exit status is 0 if and only if all commands work' status_follows

functions_agree()
{
	local functions=/sys/kernel/tracing/available_filter_functions

	[ -r /proc/kallsyms ] || skip_because 'no kallsyms'
	agrees kprobe /proc/kallsyms ' register_kprobe$'
	agrees kprobe_multi /proc/kallsyms ' register_fprobe_syms$'
	[ -r "$functions" ] && [ "$(verdict fentry)" = no ] &&
		! grep -q lockdown /sys/kernel/security/lockdown 2>/dev/null &&
		echo "fentry is refused although functions can be traced: $(uname -r)"
	agrees raw_tp /proc/kallsyms ' bpf_trace_run4$'
	agrees ring_buffer /proc/kallsyms ' bpf_ringbuf_reserve$'
}
check 'features are those whose functions the kernel contains' functions_agree

# The best of five, since other processes may use the CPUs too.
is_quick()
{
	local began took i limit=1000000

	# Under emulation, grace periods and JIT take their time.
	[ "${BPERF_SLOW-}" ] && limit=10000000
	for ((i = 0; i < 5; i++)); do
		began=${EPOCHREALTIME/./}
		"$BPERF" doctor >/dev/null
		took=$((${EPOCHREALTIME/./} - began))
		((took < limit)) && return
	done
	fail "it took $((took / 1000)) ms"
}
check 'it takes less than a second' is_quick

for_nobody
# Before 5.11 programs and maps count as locked memory, of which the user nobody may have little.
ulimit -l unlimited 2>/dev/null

without_root()
{
	local status=0

	setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/bperf" doctor -j >"$TMP/nobody.json" \
		2>"$TMP/err" || status=$?
	((status == 1)) || fail "exit status $status" "$(cat "$TMP/err")"
	jq -e '.features | (.[] | select(.name == "privileges") | .verdict == "no" and
		(.detail | test("CAP_BPF.*CAP_PERFMON"))) and
		(.[] | select(.name == "raw_tp") | .verdict == "unknown") and
		(.[] | select(.name == "btf") | .verdict == "ok")' "$TMP/nobody.json" >/dev/null ||
		fail "$(cat "$TMP/nobody.json")"
	[ ! -s "$TMP/err" ] || fail "$(cat "$TMP/err")"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/bperf" doctor >"$TMP/nobody.txt"
	fits "$TMP/nobody.txt"
	# The message is there once, and not for each feature.
	[ "$(tr -s '\n ' ' ' <"$TMP/nobody.txt" | grep -o 'it takes CAP_BPF and CAP_PERFMON' | wc -l)" = 1 ] &&
		grep -Eq '^\?     .*raw tracepoints, ' "$TMP/nobody.txt" || fail "$(cat "$TMP/nobody.txt")"
}
check 'without privileges it says which answers are unknown' without_root

# in_mounts PROGRAM FUNCTION WORD...: run a function of ours in mounts of its own, in which PROGRAM of the
# shell mounts or unmounts something first.
in_mounts()
{
	local program=$1

	need_mounts
	shift
	# shellcheck disable=SC2163 # the function that it names
	export -f "$1" tracefs_agrees as_nobody verdict fail
	export TMP
	unshare -m bash -c "$program"'
		"$@"' bash "$@"
}

mounted='[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing || exit'
unmounted='umount /sys/kernel/tracing 2>/dev/null; umount -R /sys/kernel/debug 2>/dev/null'

# Files that a capability makes readable are read.
reads_tracefs()
{
	as_nobody +bpf,+perfmon,+dac_read_search "$TMP/bperf" funccount -q -d 0.2 t:sched:sched_switch \
		>"$TMP/out" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	grep -q 'sched:sched_switch' "$TMP/out" || fail "$(cat "$TMP/out")"
	as_nobody +bpf,+perfmon,+dac_read_search "$TMP/bperf" doctor -j >"$TMP/doctor.json"
	[ "$(verdict tracefs)" = ok ] || fail "tracefs: $(verdict tracefs)"
}
check 'with CAP_DAC_READ_SEARCH tracepoints are found' in_mounts "$mounted" reads_tracefs

few=('+bpf,+perfmon' +sys_admin '+sys_admin,+dac_read_search')

all_agree()
{
	local caps

	for caps; do
		tracefs_agrees "$caps"
	done
}

tracefs_is_one()
{
	in_mounts "$mounted" all_agree "${few[@]}" >"$TMP/mounted" || fail "$(cat "$TMP/mounted")"
	printf '%s\n' 'no: it may not be read without CAP_DAC_READ_SEARCH' \
		'no: it may not be read without CAP_DAC_READ_SEARCH' 'ok: /sys/kernel/tracing' >"$TMP/want"
	same "$TMP/want" "$TMP/mounted"
}
check 'tracefs that may not be read: doctor and command say the same' tracefs_is_one

tracefs_is_none()
{
	in_mounts "$unmounted" all_agree "${few[@]}" >"$TMP/unmounted" || fail "$(cat "$TMP/unmounted")"
	printf '%s\n' 'no: not mounted, and mounting it needs CAP_SYS_ADMIN' \
		'no: it may not be read without CAP_DAC_READ_SEARCH' \
		'ok: not mounted; bperf mounts it for itself' >"$TMP/want"
	same "$TMP/want" "$TMP/unmounted"
}
check 'tracefs that is not mounted: doctor and command say the same' tracefs_is_none

# says NAME PID: does doctor name this process in a row of that name, whose advice begins with RUNTIME?
says()
{
	doctor
	jq -r --arg name "$1" '.features[] | select(.name == $name) | .next // ""' "$TMP/doctor.json" |
		grep -q "^$2 $3: "
}

# start_as PROGRAM: a process of a program with this name, as process $pid.
start_as()
{
	local i

	cp "$WORK/naps" "$TMP/$1"
	"$TMP/$1" 600 100 >/dev/null &
	pid=$!
	# Until its exec is done, the process is still this shell.
	for ((i = 0; i < 500; i++)); do
		[ "$(readlink "/proc/$pid/exe")" != "$TMP/$1" ] || break
		snooze 0.01
	done
}

runtimes_are_told()
{
	local pid

	pidof java node python3.12 >/dev/null && skip_because 'there is one of these runtimes already'
	# shellcheck disable=SC2154,SC2016 # the values at the end
	trap 'kill $java $node $python' EXIT
	start_as java
	java=$pid
	start_as node
	node=$pid
	start_as python3.12
	python=$pid
	says jit java "$java" || fail 'java is not named:' "$(cat "$TMP/doctor.json")"
	says jit node "$node" || fail 'node is not named:' "$(cat "$TMP/doctor.json")"
	says interpreter python "$python" || fail 'python is not named:' "$(cat "$TMP/doctor.json")"
	[ "$(verdict jit)" = $'warn\nwarn' ] || fail "$(verdict jit)"
	[ "$(verdict interpreter)" = ok ] || fail "$(verdict interpreter)"
	: >"/tmp/perf-$java.map"
	! says jit java "$java" || fail 'java is named, with a map'
	rm "/tmp/perf-$java.map"
	detail jit | grep -qx '1 process, names from perf maps' || fail "$(detail jit)"
	says jit node "$node" || fail 'node is not named any more'
}
check 'runtimes on this host are listed, with the options to switch on' runtimes_are_told

# The build options of the C library show in all of its functions.
library_has_frames()
{
	local library want='has no frame pointers, but call frame information'

	library=$(ldconfig -p 2>/dev/null | awk '/libc\.so\.6.*x86-64/ { print $NF; exit }')
	[ "$library" ] || skip_because 'no C library for x86-64 here'
	doctor
	(($(LC_ALL=C grep -aoP '\x55\x48\x89\xe5' "$library" | wc -l) < 1000)) || want='has frame pointers'
	[ "$(detail user_stacks)" = "libc.so.6 $want" ] || fail "$(detail user_stacks), want $want"
}
check 'doctor says if the C library has frame pointers' library_has_frames

says_what_it_costs()
{
	local features='.features[] | select(.verdict == "no")'

	as_nobody +sys_ptrace "$TMP/bperf" doctor | tr -s '\n ' ' ' >"$TMP/none.txt"
	grep -q 'no privileges [^>]*-> no program may be loaded: nothing runs; ' "$TMP/none.txt" ||
		fail "$(cat "$TMP/none.txt")"
	doctor
	[ "$(jq -r "$features | select(.name | IN(\"kprobe\", \"fentry\", \"uprobe\")) |
		select(.next == null) | .name" "$TMP/doctor.json")" = '' ] || fail "$(cat "$TMP/doctor.json")"
}
check 'a missing feature is shown with the commands that need it and the remedy' says_what_it_costs

kptr_restrict()
{
	local old

	old=$(cat /proc/sys/kernel/kptr_restrict)
	# shellcheck disable=SC2064 # the value now
	trap "echo $old >/proc/sys/kernel/kptr_restrict" EXIT
	echo 2 >/proc/sys/kernel/kptr_restrict
	"$BPERF" doctor >"$TMP/hidden"
	fits "$TMP/hidden"
	tr -s '\n ' ' ' <"$TMP/hidden" >"$TMP/hidden.txt"
	grep -q 'no kernel symbols kernel.kptr_restrict 2 hides addresses from all -> .*: wakeup, offwake, chain do not run; ' \
		"$TMP/hidden.txt" || fail "$(cat "$TMP/hidden.txt")"
}
# A copy of the list hides nothing.
[ "$SYMBOLS" ] || check 'with kptr_restrict=2 doctor names the commands that do not run' kptr_restrict

bad_types()
{
	local name status

	printf '\237\353\1\0and no more' >"$TMP/broken"
	for BPERF_BTF in /etc/passwd "$TMP/broken" "$TMP/none" "$BPERF"; do
		export BPERF_BTF
		doctor && fail "doctor is content with $BPERF_BTF"
		[ "$(verdict btf)" = no ] || fail "$BPERF_BTF: $(verdict btf)"
		for name in $(commands); do
			status=0
			# shellcheck disable=SC2046 # words
			"$BPERF" "$name" -q $(short_run "$name") >"$TMP/out" 2>"$TMP/err" || status=$?
			((status == 69)) && grep -q BTF "$TMP/err" && ! grep -q 'Unknown error' "$TMP/err" ||
				fail "$name with $BPERF_BTF: exit status $status" "$(cat "$TMP/err")"
		done
	done
}
check 'a file without BTF is refused by doctor and by every command' bad_types

in_user_namespace()
{
	local name status

	unshare -Ur true 2>/dev/null || skip_because 'no user namespaces here'
	unshare -Ur "$BPERF" doctor -j >"$TMP/doctor.json" && fail 'doctor says that all works'
	jq -e '.works == [] and ([.features[] | select(.verdict == "no") | .name] |
			contains(["privileges"]) and length < 7) and
		(.features[] | select(.name == "privileges") | .detail | test("user namespace"))' \
		"$TMP/doctor.json" >/dev/null || fail "$(cat "$TMP/doctor.json")"
	for name in $(commands); do
		status=0
		# shellcheck disable=SC2046 # words
		unshare -Ur "$BPERF" "$name" -q $(short_run "$name") >"$TMP/out" 2>"$TMP/err" || status=$?
		((status == 77)) && grep -q 'user namespace' "$TMP/err" ||
			fail "$name: exit status $status" "$(cat "$TMP/err")"
	done
}
check 'in a user namespace doctor and every command name it' in_user_namespace

functions_are_probed()
{
	local caps

	cp "$WORK/shares" "$TMP/shares"
	for caps in +bpf,+perfmon +bpf,+perfmon,+sys_admin,+dac_read_search; do
		probing_agrees "$caps" "p:$TMP/shares:main" 'user functions'
		probing_agrees "$caps" k:ksys_sync 'kernel functions'
	done
}
check 'doctor says that functions cannot be probed if and only if they cannot' functions_are_probed

leaves_nothing()
{
	command -v bpftool >/dev/null || skip_because 'no bpftool here'
	"$BPERF" doctor >/dev/null
	snooze 0.1
	[ "$(bpftool -j prog show | jq 'map(select(.name == "bperf_doctor")) | length')" = 0 ] ||
		fail "$(bpftool prog show | grep bperf_doctor)"
}
check 'nothing stays attached' leaves_nothing
