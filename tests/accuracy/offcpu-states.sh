#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kinds of waiting, and that all of a thread's time is in the report.
#
# long: a run for each state of a thread, 55 s
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/waits.bash
. tests/accuracy/waits.bash
need awk jq

split_of_rivals()
{
	local i off delayed

	watch offcpu '--split --by tid' contend 1
	for i in 0 1; do
		off=$(rows ".tid == $(truth contend "tid-$i") and has(\"rival_burn\")" value)
		in_bounds "$off" "$(($(truth contend "wall-$i") - $(truth contend "ran-$i")))" \
			"$(truth contend "wall-$i")" "$(truth contend "forced-$i")" "rival-$i off the CPU"
		# All of it is preempted time, and the kernel's own count of waits for a CPU agrees.
		exactly "$(total "$TMP/w.folded" "^rival-$i.*;rival_burn(;.*)?;\[preempted\] ")" "$off" \
			"preempted time of rival-$i"
		delayed=$(truth contend "delayed-$i")
		between "$off" "$((delayed * 95 / 100000 - 5000))" "$((delayed * 105 / 100000 + 5000))" \
			"preempted time of rival-$i beside schedstat's (us)"
	done
	has "$TMP/w.folded" ';contend_nap;.*;\[blocked\] '
	lacks "$TMP/w.folded" ';contend_nap;.*;\[preempted\] '
}
check '--split: rivals for a CPU are preempted, and only that' split_of_rivals

split_of_priorities()
{
	watch offcpu '--split' contend 1 15
	awk -v a="$(total "$TMP/w.folded" '^rival-0.*;rival_burn(;.*)?;\[preempted\] ')" \
		-v b="$(total "$TMP/w.folded" '^rival-1.*;rival_burn(;.*)?;\[preempted\] ')" 'BEGIN { exit !(b > a) }' ||
		fail 'the one that yields is preempted less'
	in_bounds "$(total "$TMP/w.folded" '^rival-1.*;rival_burn(;.*)?;\[preempted\] ')" \
		"$(($(truth contend wall-1) - $(truth contend ran-1)))" "$(truth contend wall-1)" \
		"$(truth contend forced-1)" 'the nice one'
}
check '--split: a nice thread is preempted for longer' split_of_priorities

split_adds_up()
{
	local off blocked

	watch offcpu '--split' spinners 1 5
	off=$(total "$TMP/w.folded" '^sleeper;.*;nap_here;')
	off_is "$off" spinners nap
	# It is blocked until the timer expires, then waits for a CPU: these are all parts.
	blocked=$(total "$TMP/w.folded" '^sleeper;.*;nap_here;.*;\[blocked\] ')
	slept_is "$blocked" spinners
	exactly "$((blocked + $(total "$TMP/w.folded" '^sleeper;.*;nap_here;.*;\[(waiting for CPU|preempted)\] ')))" \
		"$off" 'parts of the naps'
}
check '--split: the parts of a wait add up to the wait' split_adds_up

newborns()
{
	can_run births
	watch offcpu '--split' births 20 10
	between "$(total "$TMP/w.folded" '^newborn;.*\[waiting for CPU\] ')" "$(($(truth births least_ns) * 95 / 100000))" \
		"$(($(truth births first_ns) / 1000 + 100000))" 'waits of the new before their first run (us)'
	at_least "$(total "$TMP/w.folded" '^newborn;.*\[waiting for CPU\] ')" \
		"$((20 * $(total "$TMP/w.folded" '^newborn;.*\[blocked\] ')))" 'that, beside their blocked time'
}
check 'new threads wait for a CPU' newborns

# mixed_thread NAME STATE: compare the thread's row with its own measurement.
mixed_thread()
{
	local is wall ran delayed slack got_wall got_ran got_queued got_waits got_kind

	is=".tid == $(truth mixed "tid-$1")"
	wall=$(($(truth mixed "wall-$1") / 1000))
	ran=$(($(truth mixed "ran-$1") / 1000))
	delayed=$(($(truth mixed "delayed-$1") / 1000))
	# The hooks' own time is in one or the other state; in an emulator that is a lot.
	slack=$(($(truth mixed "switches-$1") * ${BPERF_SLOW:+50}0))
	# A thread's start and end are outside its own measurement: some milliseconds where the machine is
	# busy.
	read -r got_wall got_ran got_queued got_waits got_kind < <(states "$is" .wall '.states.user + .states.system' \
		'.states.preempted + .states.waiting' '.states.disk + .states.network + .states.lock + .states.condition +
		.states.futex + .states.pipe + .states.sleep + .states.poll + .states.child + .states.fault + .states.other' \
		".states.${2-other}")
	between "$got_wall" "$((wall - 2000))" "$((wall * 102 / 100 + 150000))" "wall time of $1 (us)"
	between "$got_ran" "$((ran * 95 / 100 - 2000 - slack))" \
		"$((ran * 105 / 100 + 30000 + slack))" "running time of $1 (us)"
	between "$got_queued" "$((delayed * 95 / 100 - 3000 - slack))" \
		"$((delayed * 105 / 100 + 100000 + slack))" "time of $1 in the run queue (us)"
	[ -z "${2-}" ] && return
	# The waiting time, without the run queue, is of that kind and of no other.
	at_least "$got_kind" "$((got_waits * 80 / 100 - 20000))" "$2 time of $1"
	at_least "$got_kind" 1000 "$2 time of $1"
}

mixed()
{
	local user system

	watch offcpu '--states --threads' mixed 1.5
	states_add_up
	mixed_thread mx-user
	mixed_thread mx-system
	mixed_thread mx-sleep sleep
	mixed_thread mx-pipe pipe
	mixed_thread mx-net network
	mixed_thread mx-poll poll
	mixed_thread mx-lock lock
	mixed_thread mx-cond condition
	mixed_thread mx-futex futex
	mixed_thread mx-child child
	mixed_thread mx-feeder sleep
	exactly "$(jq -r 'select(.type == "state" and .tid != .pid).comm' "$TMP/w.json" | sort | paste -sd ' ')" \
		'mx-child mx-cond mx-feeder mx-futex mx-lock mx-net mx-pipe mx-poll mx-sleep mx-system mx-user' 'names that they took'
	read -r user system < <(states ".tid == $(truth mixed tid-mx-user)" .states.user .states.system)
	at_least "$user" "$system" 'user time beside system time of mx-user'
	read -r user system < <(states ".tid == $(truth mixed tid-mx-system)" .states.user .states.system)
	at_least "$system" "$user" 'system time beside user time of mx-system'
}

check '--states: rows add up to wall time, each wait has its state' mixed

whole_system()
{
	start mixed 300
	bp offcpu -q --states --threads -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	states_add_up 8
	at_least "$(state 1 true)" 20 'threads'
	exactly "$(state 1 '.comm | startswith("swapper")')" 0 'idle tasks'
	# No thread's wall time is above the window, and no more CPUs run than there are.
	between "$(jq -s '[.[] | select(.type == "state").wall] | max' "$TMP/w.json")" 1 "$(($(window_us 0) + 2))" 'longest row (us)'
	# A thread that is hidden from tracing half of the time seems to keep running.
	jq_last -e '.lost.missed > 0' "$TMP/w.json" >/dev/null ||
		between "$(state '.states.user + .states.system' true)" 1 \
			"$(($(window_us 0) * $(nproc) * 101 / 100))" 'running time of all (us)'
	bp offcpu -q --states --top 0 1 >"$TMP/out" 2>"$TMP/err" || fail "exit status $?"
	has "$TMP/out" ' wall .*(user|system)\*'
	# The number is on the row's second line if there is no room beside the name.
	has "$TMP/out" '  mixed($| \([0-9]+\))'
	has "$TMP/out" '  (mixed )?\([0-9]+\), [0-9]+ threads$'
}
check '--states of the whole system' whole_system

# A thread that can run all the time and is never scheduled: no switch shows it.
never_scheduled()
{
	local i user ran

	"$WORK/starved" 0.1 >"$TMP/starved.truth" 2>&1 || skip_because "$(tail -n 1 "$TMP/starved.truth")"
	start starved 6
	bp offcpu -q --states --threads -p "$PID" -o "$TMP/w.json" 0.5 2 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	states_add_up
	for i in 0 1; do
		whole "$(state '.states.preempted + .states.waiting' ".iv == $i and .comm == \"starved\" and .tid != .pid")" \
			"$(window_us "$i")" "who waits for a CPU in window $i"
		# No switch shows a thread either that has a CPU all the time: its states are known all the
		# same.
		read -r user ran < <(states ".iv == $i and .comm == \"hog\"" .states.user '.states.user + .states.system')
		at_least "$user" "$((ran * 9 / 10))" "user time in window $i"
		at_least "$user" 100000 'of it (us)'
	done
	stop
	# It sleeps at the start, is woken, and does not get the CPU either.
	watch offcpu '--states --threads' starved 1
	states_add_up
	at_least "$(state '.states.preempted + .states.waiting' ".tid == $(truth starved tid-starved)")" \
		"$(($(truth starved starved_ns) * 99 / 100000 - 2000))" 'time in the run queue (us)'
}
check '--states: a thread that is never scheduled has a row' never_scheduled

storm_of_states()
{
	local wall

	bp offcpu -q --states -o "$TMP/w.json" -- "$WORK/storm" 200 5 fork >"$TMP/storm.truth" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	states_add_up
	wall=$(state .states.sleep '.comm == "storm-child" or .comm == "storm"')
	in_bounds "$wall" "$(truth storm nominal_ns)" "$(truth storm nap_ns)" 200 'time asleep of those that are gone'
}
check '--states of processes that are gone' storm_of_states

# Two lives of 200 ms under one thread id, with time between them in which there was no such thread.
lives_of_one_number()
{
	local options

	for options in '' --threads; do
		watch offcpu "--states $options" again 200 300
		states_add_up
		exactly "$(state 1 ".pid == $(truth again first)")" 2 'rows of the number'
		exactly "$(state .threads ".pid == $(truth again first)")" 2 'threads in them'
		between "$(jq -s "[.[] | select(.type == \"state\" and .pid == $(truth again first)).wall] | min" "$TMP/w.json")" \
			190000 "$(($(truth again first_ns) / 1000 + 20000))" 'the shorter life (us)'
	done
}
check '--states: an id that is reused has a row for each life' lives_of_one_number

disk_waits()
{
	local file=$TMP/file us

	if [ -e /sys/block/nullb0 ] || modprobe null_blk irqmode=2 completion_nsec=2000000 2>/dev/null; then
		file=/dev/nullb0
	else
		dd if=/dev/urandom of="$file" bs=4096 count=32 conv=fsync 2>/dev/null
	fi
	"$WORK/disk" "$file" 4 >"$TMP/disk.truth" 2>&1 || skip_because "$(tail -n 1 "$TMP/disk.truth")"
	(($(truth disk disk_off) > 100000)) || skip_because 'nothing here waits for a disk'
	watch offcpu '--states' disk "$file" 50
	states_add_up
	at_least "$(state .states.disk '.comm == "disk"')" "$(($(truth disk disk_blocked) * 80 / 100000 - 5000))" 'disk time (us)'
	watch offcpu '--state D' disk "$file" 50
	us=$(total "$TMP/w.folded" '^disk;.*;main;disk_read;')
	in_bounds "$us" "$(truth disk disk_blocked)" "$(truth disk disk_ns)" 50 'uninterruptible waits'
	has "$TMP/w.folded" ';disk_read;.*io_schedule'
	watch offcpu '--state D --waits' disk "$file" 50
	has "$TMP/w.folded" ";disk_read;.*;\\[file ([^]]*/)?${file##*/}\\] "
	watch offwake '' disk "$file" 50
	at_least "$(total "$TMP/w.folded" ';disk_read;.*;--;')" "$(($(truth disk disk_blocked) * 80 / 100000 - 5000))" 'blocked time (us)'
	at_least "$((10 * $(total "$TMP/w.folded" \
		';disk_read;.*;--;.*;(irq:[^;]*|softirq:[^;]*|timer|ipi|k?[a-z]+[^;]*) ')))" \
		"$((8 * $(total "$TMP/w.folded" ';disk_read;.*;--;')))" 'ten times what somebody known has ended, beside eight times all'
	lacks "$TMP/w.folded" ';disk_read;.*;--;.*disk_read'
	# ksoftirqd runs the work that interrupts have left.
	lacks "$TMP/w.folded" ';disk_read;.*;--;.*ksoftirqd/'
}
check 'waits for a disk' disk_waits

page_fault_waits()
{
	can_run uffd
	watch offcpu '--states --threads' uffd 100 2
	states_add_up
	between "$(state .states.fault '.comm == "toucher"')" "$(($(truth uffd fault_blocked) / 1000 / 2 - 3000))" \
		"$(($(truth uffd fault_ns) / 1000 + 1000))" 'page fault time (us)'
}
check 'waits for a page' page_fault_waits

# The folder of the cgroup that limits CPU time, of either version; LIMIT is set to what limits it.
limited_cgroup()
{
	local root dir

	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [ "$root" ] && grep -qw cpu "$root/cgroup.controllers"; then
		echo +cpu >"$root/cgroup.subtree_control" 2>/dev/null
		dir=$root/bperf-test-$$
		mkdir "$dir" 2>/dev/null && [ -e "$dir/cpu.max" ] && echo '5000 100000' >"$dir/cpu.max" && LIMIT=$dir && return
		rmdir "$dir" 2>/dev/null
	fi
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/mounts)
	dir=$root/bperf-test-$$
	[ "$root" ] && mkdir "$dir" 2>/dev/null && echo 100000 >"$dir/cpu.cfs_period_us" &&
		echo 5000 >"$dir/cpu.cfs_quota_us" && LIMIT=$dir && return
	rmdir "$dir" 2>/dev/null
	skip_because 'no cgroup limits CPU time here'
}

throttled()
{
	local off ran wall rivals us

	limited_cgroup
	later "rmdir '$LIMIT' 2>/dev/null"
	cat >"$TMP/limited" <<-EOF2
		#!/bin/bash
		echo \$\$ >"$LIMIT/cgroup.procs" || exit 3
		exec "\$@"
	EOF2
	chmod +x "$TMP/limited"
	bp offcpu -q --states --threads -o "$TMP/w.json" -- "$TMP/limited" "$WORK/contend" 1.5 >"$TMP/contend.truth" \
		2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	states_add_up
	wall=$(($(truth contend wall-0) + $(truth contend wall-1)))
	ran=$(($(truth contend ran-0) + $(truth contend ran-1)))
	rivals=".tid == $(truth contend tid-0) or .tid == $(truth contend tid-1)"
	off=$(state '.states.preempted + .states.waiting + .states.throttled' "$rivals")
	# Throttled at their births and ends too, some periods each.
	in_bounds "$off" "$((wall - ran))" "$((wall + 1000000000))" 200 'time that the two could not run'
	# Two rivals with a twentieth of a CPU: each was throttled for as long as the kernel reports for their
	# group.
	us=$(awk '/^throttled_usec/ { print $2 } /^throttled_time/ { print int($2 / 1000) }' "$LIMIT/cpu.stat")
	((us > 300000)) || skip_because 'the machine is too busy for anybody to exceed a limit'
	at_least "$(state .states.throttled "$rivals")" "$us" 'throttled time of both (us)'
}
check 'a cgroup that has used up its CPU time is throttled' throttled

with_cpu()
{
	local us off on

	start joined 60 futex
	bp offcpu -q --with-cpu -p "$PID" -o "$TMP/w.folded" -o "$TMP/w.json" 2 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	us=$(window_us 0)
	whole "$(total "$TMP/w.folded" '^(\[whole window\];)?joined;.*;wait_for_worker')" "$us" 'main, which waits'
	off=$(total "$TMP/w.folded" '^worker;.*\[(blocked|preempted|waiting for CPU|throttled)\] ')
	on=$(total "$TMP/w.folded" '^worker;.*;worker_burn(;.*)?;\[on CPU\] ')
	at_least "$on" "$((us / 50))" 'worker on the CPU (us)'
	between "$((off + on))" "$((us * 80 / 100))" "$((us * 120 / 100))" 'worker on and off the CPU (us)'
}
check '--with-cpu: the wall time of a process in one graph' with_cpu

decoded_waits()
{
	watch offcpu '--waits' loopback 50 2
	has "$TMP/w.folded" "client_recv.*127\.0\.0\.1:$(truth loopback port)"
	watch offcpu '--waits' relay 20 10
	has "$TMP/w.folded" '^relay-3;.*relay_read.*pipe'
	watch offcpu '--waits' lock 20 10
	has "$TMP/w.folded" 'wait_for_lock.*\[futex lock\+0x0 in lock\]'
}
check '--waits names the objects of waits' decoded_waits

# waits_of_script SCRIPT ARGS...: of its first thread, once it has said that it is ready.
waits_of_script()
{
	: >"$TMP/ready"
	python3 "$@" >"$TMP/ready" &
	PID=$!
	later "kill -9 $PID 2>/dev/null"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -s "$TMP/ready" ] || sleep 0.3
	done
	bp offcpu -q --waits -t "$PID" -o "$TMP/w.folded" 2.5 2>"$TMP/err" || fail "exit status $?"
}

# A second between two bytes: it sleeps when the run begins, and again and again later.
one_name_for_a_socket()
{
	local kind

	have python3
	cat >"$TMP/talk.py" <<-'EOF2'
		import socket, sys, threading, time
		family = {'4': socket.AF_INET, '6': socket.AF_INET6, 'unix': socket.AF_UNIX}[sys.argv[1]]
		address = {'4': ('127.0.0.1', 0), '6': ('::1', 0), 'unix': sys.argv[2]}[sys.argv[1]]
		server = socket.socket(family)
		server.bind(address)
		server.listen()
		client = socket.socket(family)
		client.connect(server.getsockname())
		end, _ = server.accept()
		def talk():
		    while True:
		        time.sleep(1)
		        client.send(b'x')
		threading.Thread(target=talk, daemon=True).start()
		print('pid', flush=True)
		while True:
		    end.recv(1)
	EOF2
	for kind in 4 6 unix; do
		waits_of_script "$TMP/talk.py" "$kind" "$TMP/talk"
		has "$TMP/w.folded" ";\\[(tcp 127.0.0.1:[0-9]+ > 127.0.0.1:[0-9]+|tcp \\[::1\\]:[0-9]+ > \\[::1\\]:[0-9]+|unix $TMP/talk)\\] "
		exactly "$(grep -o ';\[\(tcp\|unix\|socket\).*\] ' "$TMP/w.folded" | sort -u | wc -l)" 1 'names of the socket'
		stop
	done
}
check '--waits: a socket has one name, open at the start or not' one_name_for_a_socket

one_name_for_a_file()
{
	local kind

	have python3
	cat >"$TMP/tick.py" <<-'EOF2'
		import ctypes, os, sys, threading, time
		kind, path = sys.argv[1:]
		if kind == 'eventfd':
		    fd = ctypes.CDLL(None).eventfd(0, 0)
		else:
		    os.mkfifo(path)
		    fd = os.open(path, os.O_RDWR)
		if kind == 'gone':
		    os.unlink(path)
		def tick():
		    while True:
		        time.sleep(1)
		        os.write(fd, b'\1\0\0\0\0\0\0\0')
		threading.Thread(target=tick, daemon=True).start()
		print('pid', flush=True)
		while True:
		    os.read(fd, 8)
	EOF2
	for kind in fifo gone eventfd; do
		waits_of_script "$TMP/tick.py" "$kind" "$TMP/$kind"
		has "$TMP/w.folded" ";\\[(file $TMP/fifo|file $TMP/gone \\(deleted\\)|anon_inode:\\[eventfd\\])\\] "
		exactly "$(grep -o ';\[\(file\|pipe\|anon_inode\).*\] ' "$TMP/w.folded" | sort -u | wc -l)" 1 'names of the file'
		stop
	done
}
check '--waits: a file has one name, open at the start or not' one_name_for_a_file

# Waits whose records did not fit in the ring are in the sum, as a row without thread and stack.
unseen()
{
	local i all

	for i in 1 2 3 4 5; do
		BPERF_WAIT_FAULTS=ring=4096 bp offcpu -q --split -o "$TMP/w.folded" -o "$TMP/w.json" -- \
			"$WORK/storm" 2000 1 thread 32 >"$TMP/storm.truth" 2>"$TMP/err" ||
			fail "exit status $?" "$(cat "$TMP/err")"
		(($(jq_last '.lost.ring_full' "$TMP/w.json") > 20)) && break
	done
	(($(jq_last '.lost.ring_full' "$TMP/w.json") > 20)) || skip_because 'a ring of 4 KB did not fill'
	all=$(total "$TMP/w.folded" '(storm_nap|\[unseen\]|\[stack not taken\])')
	at_least "$(total "$TMP/w.folded" ';\[unseen\];')" 1 'time that is unseen (us)'
	at_least "$all" "$(($(truth storm nap_blocked) * 99 / 100000))" 'time of naps, seen or unseen (us)'
}
check '--split: time that a full ring has lost is unseen' unseen

# queued OPTION...: a report from $TMP/q.json whose window lies within the time in which all threads of the
# workload wait.
queued()
{
	local pid from until i

	# Below the thread that takes one CPU, above all that use the other.
	chrt -f -p 1 $BASHPID 2>/dev/null || skip_because 'real-time threads are not allowed here'
	for i in 1 2 3 4 5; do
		: >"$TMP/queued.truth"
		"$WORK/queued" >>"$TMP/queued.truth" &
		pid=$!
		until [ -s "$TMP/queued.truth" ] || ! kill -0 $pid 2>/dev/null; do snooze 0.01; done
		[ -s "$TMP/queued.truth" ] || skip_because 'real-time threads are not allowed here'
		bp offcpu "$@" -p $pid -o "$TMP/q.json" 0.1 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
		wait $pid
		read -r _ from until <"$TMP/queued.truth"
		jq -es --argjson from "$from" --argjson until "$until" '.[0].clock.monotonic_ns as $zero |
			.[] | select(.type == "interval") | ($zero | tonumber) + .start * 1e9 > $from and
			($zero | tonumber) + .end * 1e9 < $until' "$TMP/q.json" >/dev/null && return
	done
	skip_because 'five windows began too late'
}

# Woken, created or preempted before the window, and on no CPU since.
queued_before()
{
	queued --split --by tid
	jq -es '[.[] | select(.type == "stack") | { (.comm): .kernel[0].func }] | add |
		.preempted == "[preempted]" and .woken == "[waiting for CPU]" and .created == "[waiting for CPU]"' \
		"$TMP/q.json" >/dev/null || fail "$(cat "$TMP/q.json")"
	queued --states --threads
	jq -es '[.[] | select(.type == "state") | { (.comm): .states }] | add |
		.preempted.preempted > 99000 and .woken.waiting > 99000 and .created.waiting > 99000' \
		"$TMP/q.json" >/dev/null || fail "$(cat "$TMP/q.json")"
}
[ "${BPERF_SLOW-}" ] || check 'threads that waited for a CPU when the window began were preempted, or woken' queued_before

sampled()
{
	local us truth n

	bp offcpu -q --sample 1/8 -o "$TMP/w.json" -o "$TMP/w.folded" -- "$WORK/naps" 2000 1 >"$TMP/naps.truth" \
		2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	jq -es "$jq_defs"' [.[] | stacks | select(has("nap_here"))] | length > 0 and all(.[]; .stderr > 0)' "$TMP/w.json" >/dev/null ||
		fail 'no standard error' "$(jq -c 'select(.type == "stack") | [.value, .count, .stderr]' "$TMP/w.json")"
	us=$(rows 'has("nap_here")' value)
	n=$(rows 'has("nap_here")' count)
	# 2000 of which one in eight is taken: five sigma of the number are 30 %, and lengths differ.
	# (Sleeps of 0 ms do not leave the CPU on 7.3: the timer has expired before it is waited for.)
	truth=$(truth naps nap_off)
	between "$us" "$((truth * 55 / 100000))" "$(($(truth naps nap_ns) * 150 / 100000))" 'scaled time (us)'
	between "$n" 1100 3000 'scaled number'
}
check '--sample 1/8 scales, and reports its error' sampled

# A process that is watched under one name only has lived for as long as it had that name.
states_of_a_name()
{
	local name

	for name in old new exec; do
		watch offcpu "--states --comm $name-name" renamed 20 20
		states_add_up
		in_bounds "$(state .wall ".comm == \"$name-name\"")" "$(truth renamed "$name-name_off")" \
			"$(($(truth renamed "$name-name_ns") + 100000000))" 20 "wall time of $name-name"
	done
}
check '--states --comm: wall time is that under the name' states_of_a_name

# Process 1 of some hosts is an agent that is hidden from tracing, but not from /proc.
hidden_threads()
{
	local all ran

	# shellcheck disable=SC2012 # numbers
	all=$(ls /proc/1/task | wc -l)
	ran=$(cat /proc/1/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f", n / 1000 }')
	bp offcpu --states --threads -p 1 -o "$TMP/w.json" 1 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	states_add_up
	(($(state 1 true) < all)) || skip_because 'no thread of process 1 is hidden'
	has "$TMP/err" 'watched threads (is|are) hidden from tracing'
	# Time that was not seen is not reported.
	ran=$(($(cat /proc/1/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f", n / 1000 }') - ran))
	between "$(state '.states.user + .states.system' true)" 0 "$((ran + 50000))" 'running time (us)'
}
check '--states reports how many threads were hidden from it' hidden_threads
