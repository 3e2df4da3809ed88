#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Debian's perf_event_paranoid of 3, and nobody with CAP_BPF and CAP_PERFMON only.
#
# kernel: 6.12

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash
# shellcheck source=tests/cli/doctor.bash
. tests/cli/doctor.bash

for_nobody

with_two()
{
	as_nobody +bpf,+perfmon "$TMP/bperf" "$@"
}

# It works, or one sentence names the setting and what to do.
level_three()
{
	local status=0

	echo 3 >/proc/sys/kernel/perf_event_paranoid
	with_two profile -q -f 0.3 >"$TMP/out" 2>"$TMP/err" || status=$?
	with_two doctor -j >"$TMP/doctor.json"
	if ((status)); then
		exactly "$status" 77 'exit status'
		has "$TMP/err" 'perf_event_paranoid'
		jq -e '.fails | index("profile")' "$TMP/doctor.json" >/dev/null || fail 'doctor says it works'
	else
		jq -e '.works | index("profile")' "$TMP/doctor.json" >/dev/null || fail 'doctor says it does not'
	fi
}
check 'with perf_event_paranoid 3 it works, or names this as the reason' level_three

level_two()
{
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	status_is 0 with_two profile -q -f -I -F 99 0.5
	at_least "$(total "$TMP/out")" 10 samples
}
check 'with 2, CAP_BPF and CAP_PERFMON are enough to sample' level_two

# Reading the kernel's addresses needs CAP_SYSLOG too, and the command says so at the start.
others()
{
	local name

	with_two doctor -j >"$TMP/doctor.json" && fail 'doctor says that all works'
	jq -r '.fails[]' "$TMP/doctor.json" >"$TMP/fails"
	printf '%s\n' wakeup offwake chain >"$TMP/want"
	same "$TMP/want" "$TMP/fails"
	for name in $(commands); do
		if grep -qx "$name" "$TMP/fails"; then
			# shellcheck disable=SC2046 # words
			status_is 77 with_two "$name" $(short_run "$name")
			has "$TMP/err" CAP_SYSLOG
		else
			# shellcheck disable=SC2046 # words
			status_is 0 with_two "$name" -q $(short_run "$name")
		fi
	done
}
check 'with the two capabilities, the commands work as doctor says' others

# probe_at LEVEL: a tracepoint, a function of the kernel and one of a program, for users with few
# capabilities.
probe_at()
{
	local caps

	cp "$WORK/shares" "$TMP/shares"
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
	for caps in +bpf,+perfmon +bpf,+perfmon,+syslog,+dac_read_search +sys_admin; do
		tracefs_agrees "$caps"
		probing_agrees "$caps" k:ksys_sync 'kernel functions'
		probing_agrees "$caps" "p:$TMP/shares:main" 'user functions'
	done
}
check 'with perf_event_paranoid 3 sites are probed as doctor says' probe_at 3
check 'with perf_event_paranoid 2 sites are probed as doctor says' probe_at 2

# Fields are read through perf, which level 3 closes; doctor says so.
fields()
{
	local status=0

	echo 3 >/proc/sys/kernel/perf_event_paranoid
	as_nobody +bpf,+perfmon,+dac_read_search timeout 60 "$TMP/bperf" trace -q -M 1 t:sched:sched_switch \
		>"$TMP/out" 2>"$TMP/err" || status=$?
	as_nobody +bpf,+perfmon,+dac_read_search "$TMP/bperf" doctor >"$TMP/doctor"
	exactly "$status" 77 'exit status'
	has "$TMP/err" 'not permitted|CAP_|Operation not permitted|Permission denied'
	has "$TMP/doctor" '^no +tracepoints '
}
check 'fields of tracepoints are not readable at level 3, as doctor says' fields
