#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs without capabilities, BTF, tracefs, or CPUs.
#
# long: a run for each set of privileges, 14 s
# kernels: 5.10 6.1 newest

# shellcheck disable=SC2016 # programs for an inner shell
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq setpriv

# The user nobody may not read the current folder, but may read this one.
chmod 755 "$TMP"
cp "$BPERF" "$TMP/bperf"
cp "$WORK/shares" "$TMP/shares"

# with_caps LIST COMMAND...: as nobody, with these capabilities ("+bpf,+perfmon" or "").
with_caps()
{
	local caps=$1

	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
		--inh-caps "-all${caps:+,$caps}" --ambient-caps "-all${caps:+,$caps}" \
		--bounding-set "-all${caps:+,$caps}" -- "$@"
}

# Some kernels ask for more at Debian's level 3 (tests/vm/env/capabilities.sh).
paranoid=/proc/sys/kernel/perf_event_paranoid
if (($(cat $paranoid) > 2)); then
	at_exit+=("echo $(cat $paranoid) >$paranoid")
	echo 2 >$paranoid
fi

none()
{
	status_is 77 with_caps '' "$TMP/bperf" profile 0.3
	has "$TMP/err" 'CAP_BPF'
	has "$TMP/err" 'CAP_PERFMON'
	lacks "$TMP/err" 'libbpf:'
	exactly "$(wc -c <"$TMP/out")" 0 'bytes on stdout'
}
check 'without privileges: status 77, and a list of missing capabilities' none

one_of_two()
{
	status_is 77 with_caps +bpf "$TMP/bperf" profile 0.3
	has "$TMP/err" 'CAP_PERFMON'
	status_is 77 with_caps +perfmon "$TMP/bperf" profile 0.3
	has "$TMP/err" 'CAP_BPF'
}
check 'with one of the two: status 77, and the other is named' one_of_two

# Before Linux 5.11 one more capability is needed, which is then named.
both=+bpf,+perfmon
if ! with_caps "$both" "$TMP/bperf" profile -q -f 0.1 >/dev/null 2>"$TMP/err" &&
	grep -q 'locked memory: CAP_SYS_RESOURCE' "$TMP/err"; then
	both+=,+sys_resource
fi

two()
{
	start chain 20
	status_is 0 with_caps "$both" timeout 30 "$TMP/bperf" profile -f -e cpu-clock -F 199 0.5
	stop
	at_least "$(total "$TMP/out" '^chain;')" 3 'samples'
	# Losses are reported: names of other users' programs, and of the kernel if it hides them.
	has "$TMP/err" 'CAP_SYS_PTRACE'
}
check 'with CAP_BPF and CAP_PERFMON it runs, and lists other missing capabilities' two

own_process()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/shares" 20 >/dev/null &
	PID=$!
	later "kill -9 $PID 2>/dev/null"
	sleep 0.2
	status_is 0 with_caps "$both" timeout 30 "$TMP/bperf" profile -f -e cpu-clock -F 199 -p "$PID" 0.5
	kill -9 "$PID"
	at_least "$(total "$TMP/out" ';burn_')" 3 'samples with names'
}
check "with the two alone, one's own processes have names" own_process

bad_btf()
{
	echo 'this is no BTF' >"$TMP/bad.btf"
	status_is 69 profile --btf "$TMP/bad.btf" 0.3
	has "$TMP/err" 'bad.btf'
	status_is 69 profile --btf "$TMP/none.btf" 0.3 2>/dev/null || status_is 66 profile --btf "$TMP/none.btf" 0.3 ||
		status_is 1 profile --btf "$TMP/none.btf" 0.3
}
check 'a --btf file without BTF is an error that names it' bad_btf

good_btf()
{
	[ -r /sys/kernel/btf/vmlinux ] || skip_because 'no kernel BTF'
	cat /sys/kernel/btf/vmlinux >"$TMP/good.btf"
	status_is 0 profile -q -f --btf "$TMP/good.btf" -I 0.3
}
check '--btf takes a file with the BTF of the kernel' good_btf

no_btf()
{
	need_mounts
	unshare -m bash -c 'mount -t tmpfs none /sys/kernel/btf && timeout 30 "$BPERF" profile -f -I 0.3' \
		>"$TMP/out" 2>"$TMP/err" && { at_least "$(total "$TMP/out")" 1 samples; return; }
	has "$TMP/err" 'BTF'
	has "$TMP/err" '--btf'
}
check 'without kernel BTF it names the problem and a way out' no_btf

no_tracefs()
{
	need_mounts
	unshare -m bash -c 'umount -l /sys/kernel/tracing 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null
		mount -t tmpfs none /sys/kernel/debug 2>/dev/null
		timeout 30 "$BPERF" profile -q -f -I -e cpu-clock -F 99 0.3' >"$TMP/out" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	at_least "$(total "$TMP/out")" 10 samples
}
check 'tracefs is not needed' no_tracefs

no_cgroupfs()
{
	need_mounts
	unshare -m bash -c 'umount -l /sys/fs/cgroup 2>/dev/null
		timeout 30 "$BPERF" profile -q -f -I -e cpu-clock -F 99 --by cgroup 0.3' >"$TMP/out" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	at_least "$(total "$TMP/out")" 10 samples
}
check 'cgroups have numbers when their file system is not mounted' no_cgroupfs

hidden_symbols()
{
	local was

	was=$(cat /proc/sys/kernel/kptr_restrict)
	later "echo $was >/proc/sys/kernel/kptr_restrict"
	echo 2 >/proc/sys/kernel/kptr_restrict || skip_because 'cannot write kptr_restrict'
	profile -f -e cpu-clock -F 299 -o "$TMP/k.folded" -o "$TMP/k.json" -- "$WORK/syscalls" 0.4 zero \
		>/dev/null 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/err" 'warning: kernel functions have no names, because /proc/kallsyms shows no addresses: run bperf with'
	[ "$(jq -r 'select(.type == "warn").code' "$TMP/k.json")" = no-kernel-names ] || fail "$(grep '"warn"' "$TMP/k.json")"
	echo "$was" >/proc/sys/kernel/kptr_restrict
	# Kernel frames are there, without names or with right ones; zeros must not become one name.
	has "$TMP/k.folded" ';read_zero;'
	lacks "$TMP/k.folded" 'fixed_percpu_data|irq_stack_backing_store|startup_64;startup_64'
	((was < 2)) || return 0
	profile -f -e cpu-clock -F 299 -- "$WORK/syscalls" 0.4 zero >/dev/null 2>"$TMP/err" || fail "exit status $?"
	lacks "$TMP/err" 'have no names'
}
check 'hidden kernel addresses give no wrong names' hidden_symbols

hotplug()
{
	local file=/sys/devices/system/cpu/cpu1/online mover

	[ -w "$file" ] || skip_because 'cpu1 cannot be taken offline here'
	later "echo 1 >$file"
	start shares 40
	start chain 40
	mover=$PID
	timeout -s KILL 60 "$BPERF" profile -q -f -I -e cpu-clock -F 99 --by cpu 4 >"$TMP/out" 2>"$TMP/err" &
	PID=$!
	sleep 0.5
	echo 0 >"$file" 2>/dev/null || { kill -9 "$PID"; skip_because 'cpu1 refuses to go offline'; }
	sleep 1
	echo 1 >"$file"
	# An idle CPU that has just come back may sleep through its timers, and through the moment
	# when it should take over work.
	taskset -pc 1 "$mover" >/dev/null
	wait "$PID" || fail "exit status $?" "$(cat "$TMP/err")"
	at_least "$(total "$TMP/out")" 100 samples
	# CPU 1 was sampled before, and again after.
	at_least "$(total "$TMP/out" '^cpu_1;')" 60 'samples of CPU 1'
	# Here bperf is started while the CPU is offline.
	echo 0 >"$file"
	status_is 0 profile -q -f -I -e cpu-clock -F 99 0.3
	echo 1 >"$file"
}
check 'CPUs may come and go' hotplug

# The CPU is offline for a moment, between two readings of the list of CPUs.
quick_hotplug()
{
	local file=/sys/devices/system/cpu/cpu1/online bperf

	[ -w "$file" ] || skip_because 'cpu1 cannot be taken offline here'
	later "echo 1 >$file"
	profile -q -f -I -e cpu-clock -F 99 --by cpu 1 4 >"$TMP/out" 2>"$TMP/err" &
	PID=$!
	sleep 1.2
	echo 0 >"$file" 2>/dev/null || { kill -9 "$PID"; skip_because 'cpu1 refuses to go offline'; }
	echo 1 >"$file"
	bperf=$PID
	start shares 40
	start chain 40
	wait "$bperf" || fail "exit status $?" "$(cat "$TMP/err")"
	# The last window, after the third empty line.
	awk '/^$/ { w++ } w == 3' "$TMP/out" >"$TMP/last"
	at_least "$(total "$TMP/last" '^cpu_1;')" 20 'samples of CPU 1 after it was away'
}
check 'a CPU that is away for a moment is sampled again' quick_hotplug

sudo_user()
{
	[ "$(id -u)" = 0 ] || skip_because 'not root'
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody profile -q -o "$TMP/x.folded" -- id -u >"$TMP/out" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	exactly "$(cat "$TMP/out")" 65534 'uid of the program under sudo'
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody profile -q --as-root -o "$TMP/x.folded" -- id -u >"$TMP/out" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	exactly "$(cat "$TMP/out")" 0 'uid of the program with --as-root'
}
check 'under sudo the program runs as the user who called sudo' sudo_user
