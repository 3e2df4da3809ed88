#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Filters: processes, threads, trees, names, users, cgroups, CPUs, namespaces.
#
# long: a run for each filter, 38 s
# kernels: 5.10

# shellcheck disable=SC2016 # programs for an inner shell
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

# User frames are enough to identify the process, and save each report the lookup of kernel names.
fast=(-q -f -U -e cpu-clock -F 299)

window=0.6 # in seconds, some 180 samples; 60 where each costs ten times as much
[ -z "${BPERF_SLOW-}" ] || window=0.2

by_pid()
{
	local first second

	start shares 20
	first=$PID
	start chain 20
	second=$PID
	profile "${fast[@]}" -p "$first" "$window" >"$TMP/p.folded" || fail "exit status $?"
	at_least "$(total "$TMP/p.folded" ';burn_')" 5 "of pid $first"
	lacks "$TMP/p.folded" bottom
	profile "${fast[@]}" -p "$first,$second" "$window" >"$TMP/p.folded" || fail "exit status $?"
	has "$TMP/p.folded" 'bottom'
	has "$TMP/p.folded" 'burn_'
	profile "${fast[@]}" --by pid --not-pid "$first" "$window" >"$TMP/p.folded" || fail "exit status $?"
	lacks "$TMP/p.folded" "^shares-$first;"
	has "$TMP/p.folded" "^chain-$second;.*bottom"
	kill -9 "$first" "$second"
}
check '-p takes those processes, --not-pid leaves them out' by_pid

by_comm()
{
	local pid

	start shares 20
	pid=$PID
	start chain 20
	profile "${fast[@]}" --comm 'sha?es' "$window" >"$TMP/c.folded" || fail "exit status $?"
	exactly "$(cut -d';' -f1 "$TMP/c.folded" | sort -u)" shares 'names seen'
	profile "${fast[@]}" --comm '*s' --comm 'ch*' "$window" >"$TMP/c.folded" || fail "exit status $?"
	has "$TMP/c.folded" '^shares;'
	has "$TMP/c.folded" '^chain;'
	profile "${fast[@]}" --not-comm 'sh*' "$window" >"$TMP/c.folded" || fail "exit status $?"
	lacks "$TMP/c.folded" '^shares;'
	has "$TMP/c.folded" '^chain;'
	kill -9 "$pid" "$PID"
}
check '--comm and --not-comm match names by glob' by_comm

changed_names()
{
	local n after

	profile "${fast[@]}" -o "$TMP/n.folded" -- "$WORK/names" 1 change >/dev/null || fail "exit status $?"
	n=$(total "$TMP/n.folded" ';name_work')
	after=$(total "$TMP/n.folded" '^after;.*;name_work')
	share "$after" "$n" 0.667 'samples under the second name'
	exactly "$((after + $(total "$TMP/n.folded" '^before;.*;name_work')))" "$n" 'samples of both names'
}
check 'a process that changes its name has both, each for its time' changed_names

by_thread()
{
	local tid n

	start threads 20 2
	tid=$(awk '$1 == "tid" && $3 == "wk-1" { print $2 }' "$TMP/threads.truth")
	[ "$tid" ] || { sleep 0.5; tid=$(awk '$1 == "tid" && $3 == "wk-1" { print $2 }' "$TMP/threads.truth"); }
	profile "${fast[@]}" --by tid -L "$tid" "$window" >"$TMP/t.folded" || fail "exit status $?"
	n=$(total "$TMP/t.folded")
	at_least "$n" 5 "samples of thread $tid"
	exactly "$(total "$TMP/t.folded" "^wk-1.*$PID/$tid;")" "$n" 'samples of that thread'
	stop
}
check '-L takes one thread, named and numbered with --by tid' by_thread

thread_shares()
{
	local n

	profile "${fast[@]}" -o "$TMP/t.folded" -- "$WORK/threads" 1.2 3 >/dev/null || fail "exit status $?"
	n=$(total "$TMP/t.folded" ';thread_work')
	share "$(total "$TMP/t.folded" '^wk-0;.*;thread_work')" "$n" 0.1667 wk-0
	share "$(total "$TMP/t.folded" '^wk-1;.*;thread_work')" "$n" 0.3333 wk-1
	share "$(total "$TMP/t.folded" '^wk-2;.*;thread_work')" "$n" 0.5 wk-2
}
check 'named threads have their shares' thread_shares

the_tree()
{
	local n want

	# A second tree that must not be seen.
	start shares 20
	profile "${fast[@]}" -o "$TMP/tree.folded" -- "$WORK/tree" 1 >"$TMP/tree.truth" || fail "exit status $?"
	stop
	lacks "$TMP/tree.folded" 'burn_'
	n=$(total "$TMP/tree.folded" ';tree_work')
	want=$(awk '/^cpu_ns/ { printf "%.0f", $2 / 1e9 * 299 }' "$TMP/tree.truth")
	between "$n" "$(awk "BEGIN { print $want * 0.6 - 10 }")" \
		"$(awk "BEGIN { print $want * 1.05 + 10 }")" 'samples of five processes'
	share "$(total "$TMP/tree.folded" '^tree-leaf;')" "$n" 0.4 'two grandchildren'
	share "$(total "$TMP/tree.folded" '^tree-first;')" "$n" 0.2 'the first child'
	share "$(total "$TMP/tree.folded" '^tree;.*tree_work')" "$n" 0.2 'the main process'
}
check '-- program takes its process tree and nothing else' the_tree

statuses()
{
	local status

	for status in 0 3 255; do
		status_is "$status" profile -q -f -o "$TMP/x.folded" -- "$WORK/tree" 0.05 "$status"
	done
	status_is 143 profile -q -f -o "$TMP/x.folded" -- "$WORK/tree" 0.05 -15
	status_is 137 profile -q -f -o "$TMP/x.folded" -- "$WORK/tree" 0.05 -9
}
check "the program's exit status becomes ours" statuses

no_such_program()
{
	local status=0

	profile -q -f -- "$TMP/there is no such program" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status != 0)) || fail 'exit status 0'
	has "$TMP/err" 'there is no such program'
	exactly "$(wc -l <"$TMP/out")" 0 'lines on stdout'
}
check 'a program that cannot be run is an error that names it' no_such_program

follow()
{
	start tree "$(slow 2)"
	profile "${fast[@]}" -p "$PID" 2 >"$TMP/alone.folded" 2>"$TMP/err" || fail "exit status $?"
	wait "$PID" 2>/dev/null
	lacks "$TMP/alone.folded" '^tree-second;'
	start tree "$(slow 2)"
	profile "${fast[@]}" -p "$PID" --follow 20 >"$TMP/follow.folded" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/follow.folded" '^tree;.*tree_work'
	has "$TMP/follow.folded" '^tree-second;.*tree_work'
	has "$TMP/follow.folded" '^tree-leaf;.*tree_work'
}
check '--follow takes the children that -p forks' follow

by_uid()
{
	profile "${fast[@]}" --uid 65534 -o "$TMP/u.folded" -- "$WORK/uids" 0.8 65534 >/dev/null ||
		fail "exit status $?"
	at_least "$(total "$TMP/u.folded" ';uid_after')" 10 'samples as 65534'
	lacks "$TMP/u.folded" 'uid_before'
	profile "${fast[@]}" --not-uid 65534 -o "$TMP/u.folded" -- "$WORK/uids" 0.8 65534 >/dev/null ||
		fail "exit status $?"
	at_least "$(total "$TMP/u.folded" ';uid_before')" 10 'samples as root'
	lacks "$TMP/u.folded" 'uid_after'
}
check '--uid and --not-uid follow a process that changes its user' by_uid

by_cgroup()
{
	local root dir inside window=$window

	# The window is long enough for each of two processes that share a CPU to run.
	[ -z "${BPERF_SLOW-}" ] || window=0.8
	root=$(cgroup_root)
	[ "$root" ] || skip_because 'no cgroup2 is mounted'
	dir=$root/bperf-test-$$
	mkdir -p "$dir/inner" 2>/dev/null || skip_because "cannot make a cgroup in $root"
	later "rmdir '$dir/inner' '$dir' 2>/dev/null"
	start shares 20
	inside=$PID
	echo "$inside" >"$dir/inner/cgroup.procs" || skip_because 'cannot move a process'
	start chain 20
	profile "${fast[@]}" --cgroup "$dir" "$window" >"$TMP/g.folded" || fail "exit status $?"
	has "$TMP/g.folded" burn_
	lacks "$TMP/g.folded" bottom
	profile "${fast[@]}" --cgroup "$dir/inn*" --by cgroup "$window" >"$TMP/g.folded" || fail "exit status $?"
	has "$TMP/g.folded" "^[^;]*bperf-test-$$/inner;.*burn_"
	# As in a shell, the current folder.
	(cd "$dir/inner" && profile "${fast[@]}" --cgroup .. --by cgroup "$window") >"$TMP/dots.folded" ||
		fail "exit status $?"
	has "$TMP/dots.folded" "^[^;]*bperf-test-$$/inner;.*burn_"
	profile "${fast[@]}" --by pid --not-cgroup "$dir" "$window" >"$TMP/g.folded" || fail "exit status $?"
	lacks "$TMP/g.folded" "^shares-$inside;"
	has "$TMP/g.folded" "^chain-$PID;.*bottom"
	status_is 66 profile -q --cgroup "$dir/nothing" 0.2
	kill -9 "$inside" "$PID"
	wait "$inside" "$PID" 2>/dev/null
	rmdir "$dir/inner" "$dir"
}
check '--cgroup by path and glob, --not-cgroup, --by cgroup' by_cgroup

by_hierarchy()
{
	local root=/sys/fs/cgroup name=bperf-test-$$ second inside

	[ -d $root/unified ] && [ -d $root/cpu ] || skip_because 'this host has one cgroup hierarchy'
	mkdir $root/unified/$name $root/cpu/$name || skip_because 'cannot make cgroups'
	later "rmdir $root/unified/$name $root/cpu/$name 2>/dev/null"
	start shares 20
	inside=$PID
	echo "$inside" >$root/unified/$name/cgroup.procs || skip_because 'cannot move a process'
	start chain 20
	second=$PID
	echo "$second" >$root/cpu/$name/cgroup.procs || skip_because 'cannot move a process'
	profile -f -U -e cpu-clock -F 299 --cgroup $name "$window" >"$TMP/h.folded" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	has "$TMP/h.folded" burn_
	lacks "$TMP/h.folded" bottom
	grep -Eq "is in [0-9]+ more hierarch(y|ies) than $root/unified" "$TMP/err" || fail "$(cat "$TMP/err")"
	profile "${fast[@]}" --cgroup $root/cpu/$name "$window" >"$TMP/h.folded" || fail "exit status $?"
	has "$TMP/h.folded" bottom
	lacks "$TMP/h.folded" burn_
	kill -9 "$inside" "$second"
	wait "$inside" "$second" 2>/dev/null
	rmdir $root/unified/$name $root/cpu/$name
	[ -d $root/systemd ] || return 0
	status_is 66 profile -q --cgroup $root/systemd 0.2
}
check '--cgroup in several hierarchies takes version 2, and says so' by_hierarchy

pid_namespace()
{
	unshare -pf --mount-proc true 2>/dev/null || skip_because 'no PID namespaces'
	unshare -pf --mount-proc bash -c '
		"$WORK/shares" 20 >/dev/null & inner=$!
		"$WORK/chain" 20 >/dev/null & other=$!
		sleep 0.2
		timeout -s KILL 60 "$BPERF" profile -q -f -e cpu-clock -F 299 --by pid -p $inner '"$window"'; status=$?
		echo "inner $inner" >&2
		kill -9 $inner $other
		exit $status' >"$TMP/ns.folded" 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	at_least "$(total "$TMP/ns.folded" ';burn_')" 5 'samples inside'
	lacks "$TMP/ns.folded" bottom
	has "$TMP/ns.folded" "^shares-$(awk '/^inner/ { print $2 }' "$TMP/err");"
}
check 'inside a PID namespace pids are those of the namespace' pid_namespace

child_namespace()
{
	unshare -pf --mount-proc true 2>/dev/null || skip_because 'no PID namespaces'
	profile "${fast[@]}" -o "$TMP/ns.folded" -- unshare -pf --mount-proc "$WORK/shares" 0.6 >/dev/null ||
		fail "exit status $?"
	at_least "$(total "$TMP/ns.folded" '^shares;.*;burn_')" 20 'samples with names'
}
check 'a process in a PID namespace of its own is seen from outside, with names' child_namespace

pid_is_used_again()
{
	local first

	start reuse "$(slow 0.3)"
	first=$(truth reuse first)
	profile -q -f -e cpu-clock -F 299 -p "$PID,$first" >"$TMP/reuse.folded" || fail "exit status $?"
	[ "$(truth reuse second)" = "$first" ] || skip_because 'the pid was not given again'
	at_least "$(total "$TMP/reuse.folded" ';first_owner')" 5 'samples of the process asked for'
	lacks "$TMP/reuse.folded" second_owner
}
check 'a pid that is used again is another process' pid_is_used_again

status_where_children_are_ignored()
{
	local status=0

	# env --ignore-signal: as daemons start their children.
	timeout -s KILL 20 env --ignore-signal=CHLD "$BPERF" profile -q -- sh -c 'exit 3' >/dev/null ||
		status=$?
	exactly "$status" 3 'exit status'
}
check 'the program has a status where SIGCHLD is ignored' status_where_children_are_ignored

self_is_left_out()
{
	local windows=${BPERF_SLOW:+8}

	# Reporting keeps bperf busy: short windows, many of them.
	start shares 20
	bash -c 'echo $$ >"$1"; shift; exec "$@"' sh "$TMP/self.pid" \
		"$BPERF" profile "${fast[@]}" --by pid 0.1 8 >"$TMP/self.folded" || fail "exit status $?"
	lacks "$TMP/self.folded" "^bperf-$(cat "$TMP/self.pid");"
	bash -c 'echo $$ >"$1"; shift; exec "$@"' sh "$TMP/self.pid" \
		"$BPERF" profile "${fast[@]}" --self --by pid 0.05 "${windows:-30}" >"$TMP/self.folded" || fail "exit status $?"
	stop
	has "$TMP/self.folded" "^bperf-$(cat "$TMP/self.pid");"
}
check 'bperf is not in its own picture, unless asked for' self_is_left_out
