#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Values of trace that are more than a number: stacks, paths, strings longer than a program's stack.
# And the end of a run that costs too much.
#
# long: a run for each type of value, a minute
# kernels: 5.10 6.1 6.12
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/trace.bash
. tests/accuracy/trace.bash
need jq

# ---- stacks ----

# texts REGEX: each of five events has a message that matches, and none is lost.
texts()
{
	hits 5
	[ "$(events .text | grep -Ec "$1")" = 5 ] || fail "not like $1:" "$(events .text)"
	! grep -q 'bug in bperf' "$TMP/err" || fail "$(cat "$TMP/err")"
}

own_stacks()
{
	trace 'syscall:getpid "%s|%s", $kstack, $ustack' -- "$CALLS" getpid 5
	texts '^[^|]*;?(do_syscall_64|el0_svc)[^|]*\|do_getpid;main(;|$)'
	# Neither bperf's programs nor their callers.
	events .text | grep -E 'bpf_prog|bpf_trace_run|__bpf_trace|__traceiter' && fail 'our own frames'
	[ "$(events '.args["$ustack"] | map(.func) | .[:2] | join(" ")' | sort -u)" = 'do_getpid main' ] ||
		fail "$(events .args)"
	events '.args["$kstack"] | length > 0' | grep -q false && fail 'no kernel frames'
	# They are asked for as values, not as stacks below the event.
	[ "$(events 'has("user") or has("kernel")' | sort -u)" = false ] || fail "$(events .)"
	trace "p:$CALLS:call_say \"%s\", \$ustack" -- "$CALLS" say 5
	texts '^call_say;do_say;main(;|$)'
}
check 'the stacks of an event are values of it' own_stacks
copied_symbols # after what must not see BPF programs' names

stacks_beside()
{
	trace -U 'syscall:getpid "%.3s", $kstack' -- "$CALLS" getpid 5
	[ "$(events '.user[0].func')" = "$(printf 'do_getpid\n%.0s' 1 2 3 4 5)" ] || fail "$(events .user)"
	[ "$(events 'has("kernel")' | sort -u)" = false ] || fail "$(events .kernel)"
	trace -K 'syscall:getpid "x"' -- "$CALLS" getpid 5
	events '.kernel | map(.func) | join(";")' | grep -E 'bpf_prog|bpf_trace_run' && fail 'our own frames'
	[ "$(events '.kernel | length > 0' | sort -u)" = true ] || fail "$(events .kernel)"
}
check 'stacks as values and stacks below events are kept apart' stacks_beside

saved_stacks()
{
	trace "r:syscall:getpid \"%s\", \$entry(\$ustack)" -- "$CALLS" getpid 5
	texts '^do_getpid;main(;|$)'
	trace "r:syscall:getpid \"%s\", \$entry(\$kstack)" -- "$CALLS" getpid 5
	texts '(do_syscall_64|el0_svc)'
	events .text | grep -E 'bpf_prog|bpf_trace_run' && fail 'our own frames'
	trace "r:$CALLS:call_say \"%s\", \$entry(\$ustack)" -- "$CALLS" say 5
	texts '^call_say;do_say;main(;|$)'
}
check 'a return knows the stack of its entry' saved_stacks

# The kernel's functions and variables by name: what /proc says of them, and each CPU's own.
kernel_functions()
{
	grep -q ' do_no_restart_syscall$' /proc/kallsyms || skip_because 'no /proc/kallsyms here'
	trace 'syscall:getpid (kaddr("do_no_restart_syscall") == $task->restart_block.fn) "%K",
		kaddr("do_no_restart_syscall")' -- "$CALLS" getpid 5
	hits 5
	texts '^do_no_restart_syscall$'
}
check "the kernel's functions by name" kernel_functions

kernel_variables()
{
	local cpu

	if ! grep -q ' panic_timeout$' /proc/kallsyms; then
		"$BPERF" trace 'syscall:getpid "%d", *(int *)kaddr("panic_timeout")' >"$TMP/out" 2>&1 && fail 'runs'
		grep -q 'CONFIG_KALLSYMS_ALL is off' "$TMP/out" || fail "$(cat "$TMP/out")"
		skip_because 'the kernel has no names of variables (CONFIG_KALLSYMS_ALL)'
	fi
	trace -Z 400 'syscall:getpid "%d|%s", *(int *)kaddr("panic_timeout"), (char *)kaddr("linux_banner")' -- \
		"$CALLS" getpid 5
	exactly "$(events .text | sort -u | sed 's/\\n$//')" "$(cat /proc/sys/kernel/panic)|$(cat /proc/version)" 'variables'
	for cpu in 0 $(($(nproc) - 1)); do
		trace 'syscall:getpid (kaddr("runqueues")->cpu == $cpu) "%d", kaddr("runqueues")->cpu' -- \
			taskset -c "$cpu" "$CALLS" getpid 5
		exactly "$(events .text | sort | uniq -c | tr -s ' ')" " 5 $cpu" "the run queue of CPU $cpu"
	done
}
check "the kernel's variables by name" kernel_variables

# Several depths of one stack, and of the entry's.
limited_stacks()
{
	trace "p:$CALLS:call_say \"%s|%s|%s\", ustack(1), ustack(3), \$ustack" -- "$CALLS" say 5
	texts '^call_say\|call_say;do_say;main\|call_say;do_say;main;.'
	[ "$(events '.args | [.["ustack(1)", "ustack(3)"] | length] == [1,3]' | sort -u)" = true ] || fail "$(events .args)"
	trace "r:$CALLS:call_say \"%s|%s\", \$entry(ustack(2)), \$entry(\$ustack)" -- "$CALLS" say 5
	texts '^call_say;do_say\|call_say;do_say;main'
	trace 'syscall:getpid "%s|%s", kstack(1), $kstack' -- "$CALLS" getpid 5
	[ "$(events '.text | split("|") | (.[0] | contains(";") | not) and .[0] == (.[1] | split(";")[0])' |
		sort -u)" = true ] || fail "$(events .text)"
}
check 'stacks of limited depth' limited_stacks

# Identical stacks are one when they are counted.
counted_stacks()
{
	timeout 20 "$BPERF" trace -q -A --raw "p:$CALLS:call_say \"%s\", \$ustack" -- "$CALLS" say 7 \
		>"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	grep -EA1 "^call_say;do_say;main" "$TMP/out" | grep -qx -- '-->COUNT 7' || fail "$(cat "$TMP/out")"
}
check 'events of one stack are counted together' counted_stacks

# Each round wakes once for `lock` and twice for `turn`; the program has ended when that is shown.
variables()
{
	trace 'syscall:futex (op == FUTEX_WAKE) "%U", uaddr' -- "$WORK/lock" 20 1
	exactly "$(events .text | grep -cx 'lock \[lock\]')" 20 'calls that wake for a lock'
	exactly "$(events .text | grep -cx 'turn \[lock\]')" 40 'calls that wake for a turn'
	"$BPERF" trace -q -o "$TMP/o.txt" 'syscall:futex (op == FUTEX_WAKE)' -- "$WORK/lock" 20 1 >"$TMP/lock" 2>"$TMP/err" ||
		fail "$(cat "$TMP/err")"
	exactly "$(grep -c 'uaddr=lock \[lock\] op=FUTEX_WAKE ' "$TMP/o.txt")" 20 'calls with the arguments of futex()'
	"$BPERF" argdist -q -j -o "$TMP/o.json" -C 'syscall:futex():u64:usym(uaddr):op == FUTEX_WAKE' -- "$WORK/lock" 20 1 \
		>"$TMP/lock" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(jq -c 'select(.type == "count" and .key) | [(.key | add), .value]' "$TMP/o.json" | sort | tr -d '\n')" \
		'["lock [lock]",20]["turn [lock]",40]' 'counts by variable'
}
check 'addresses of variables have their names' variables

# The program has ended when the event is shown.
addresses()
{
	trace "p:$CALLS:call_say \"%U\", %pc" -- "$CALLS" say 1
	events .text | grep -Eq '^call_say(\+0x[0-9a-f]+)? \[calls\]$' || fail "$(events .text)"
}
check 'an address of a program has its name when the program has ended' addresses

# ---- paths ----

paths()
{
	mkdir -p "$TMP/a b/deep"
	(
		cd "$TMP/a b/deep" || exit 1
		trace 'syscall:getpid "%s|%s", path($task->fs->pwd), dirname(path($task->fs->pwd))' \
			-- "$CALLS" getpid 1
	) || exit 1
	[ "$(events .text)" = "$TMP/a b/deep|$TMP/a b" ] || fail "$(events .text)"
	trace "syscall:getpid (path(\$task->fs->root) == \"/\") \"%s\", path(\$task->mm->exe_file)" \
		-- "$CALLS" getpid 1
	[ "$(events .text)" = "$(readlink -f "$CALLS")" ] || fail "$(events .text)"
	trace 'r:syscall:getpid "%s", $entry(path($task->mm->exe_file))' -- "$CALLS" getpid 1
	[ "$(events .text)" = "$(readlink -f "$CALLS")" ] || fail "$(events .text)"
}
check 'path() is the whole path of a file, and of a directory' paths

# open_files PROBE: the texts of its events while wc reads two files.
open_files()
{
	trace "$1" -- wc -l "$TMP/one" "$TMP/two"
	events .text
}

paths_of_descriptors()
{
	echo 1 >"$TMP/one"
	echo 2 >"$TMP/two"
	exactly "$(open_files 'r:syscall:read (retval == 2) "%s", path($entry(fd))' | tr '\n' ' ')" \
		"$TMP/one $TMP/two " 'files that were read'
	exactly "$(open_files 'r:syscall:openat (retval >= 0) "%s", path(retval)' | grep -c "^$TMP/")" 2 'files that were opened'
	# Beyond the table of descriptors is memory of something else.
	exactly "$(open_files 'syscall:read "%s%s%s", path(1000000), path(-1), path(4000000000)' | sort -u)" '???' \
		'descriptors that do not exist'
}
# shellcheck disable=SC2016 # of the spec
check 'path() of a descriptor is the path of its file' paths_of_descriptors

# Below a mount point, and as the process itself sees it.
path_of_a_mount()
{
	mkdir -p "$TMP/mounted"
	mount -t tmpfs none "$TMP/mounted" 2>/dev/null || skip_because 'cannot mount'
	later "umount '$TMP/mounted'"
	mkdir "$TMP/mounted/in"
	(
		cd "$TMP/mounted/in" || exit 1
		trace 'syscall:getpid "%s", path($task->fs->pwd)' -- "$CALLS" getpid 1
	) || exit 1
	[ "$(events .text)" = "$TMP/mounted/in" ] || fail "$(events .text)"
}
check 'path() crosses mount points' path_of_a_mount

# ---- strings ----

# A path that no file has: 3518 bytes, seven times a program's stack.
long=/tmp$(printf '/%0250d' {1..14})

# open_long ARGS...: trace, while that path is opened.
open_long()
{
	timeout -s KILL 120 "$BPERF" trace -q -o "$TMP/trace.json" "$@" -- cat "$long" >"$TMP/stdout" \
		2>"$TMP/err"
	grep -q '"type":"end"' "$TMP/trace.json" || fail "$(cat "$TMP/err")"
}

long_strings()
{
	# Twice in a message, with a -Z of more bytes than the string has.
	open_long -Z 4096 'syscall:openat (filename == "/tmp/0" || strncmp(filename, "/tmp/00", 7) == 0)
		"%s %s", filename, filename'
	[ "$(events .text)" = "$long $long" ] || fail "$(events .text)"
	[ "$(events .args.filename)" = "$long" ] || fail "$(events .args)"
	open_long -Z 3000 'syscall:openat (strncmp(filename, "/tmp/00", 7) == 0) "%s", filename'
	[ "$(events .text)" = "${long:0:3000}..." ] || fail "$(events '.text | length')"
	[ "$(events .cut[0])" = filename ] || fail "$(events .cut)"
	open_long -Z 3518 'syscall:openat (strncmp(filename, "/tmp/00", 7) == 0) "%s", filename'
	[ "$(events '.text, (.cut | length)')" = "$long
0" ] || fail "$(events '.text | length')"
}
check 'strings are as long as -Z lets them be, to the byte' long_strings

saved_strings()
{
	open_long -Z 4096 'r:syscall:openat ((int)retval == -2) "%s %s %E", $entry(filename), $entry(filename),
		retval'
	events .text | grep -qxF "$long $long ENOENT" || fail "$(events '.text | length')"
}
check 'a return keeps strings of its entry whole' saved_strings

too_long()
{
	local status=0

	"$BPERF" trace -Z 1048577 syscall:openat >"$TMP/out" 2>&1 || status=$?
	((status == 64)) && grep -q '1048577 is not in 1 to 1048576' "$TMP/out" || fail "$(cat "$TMP/out")"
	status=0
	"$BPERF" argdist -Z 28673 -C 'syscall:openat():char*:filename' >"$TMP/out" 2>&1 || status=$?
	((status == 64)) && grep -q 'trace reads up to 1048576 bytes' "$TMP/out" || fail "$(cat "$TMP/out")"
	status=0
	"$BPERF" trace -Z 40000 --dump=bpf 'r:syscall:openat "%s", $entry(filename)' >"$TMP/out" 2>&1 || status=$?
	((status == 64)) && grep -q 'strings that are kept take .* more than 30400' "$TMP/out" || fail "$(cat "$TMP/out")"
	status=0
	"$BPERF" trace -Z 4096 --dump=bpf 'syscall:openat (filename ~ "*x*")' >"$TMP/out" 2>&1 || status=$?
	((status == 64)) && grep -q -- '-Z makes them shorter' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'strings that are too long are refused, with a hint' too_long

# ---- formats ----

# message WANT ARGS...: what one event prints.
message()
{
	local want=$1

	shift
	timeout -s KILL 60 "$BPERF" trace -q --raw "$@" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	grep -qxF -- "$want" "$TMP/out" || fail "want $want" "$(cat "$TMP/out")"
}

# A number that has a name is compared with it, too; a system call's is looked up.
named_numbers()
{
	local site

	for site in raw:sys_enter t:raw_syscalls:sys_enter; do
		trace "$site (id == \"getpid\") \"%s\", id" -- "$CALLS" getpid 5
		[ "$(events .text | sort | uniq -c | tr -s ' ')" = ' 5 getpid' ] || fail "$site:" "$(events .text)"
	done
	"$BPERF" trace 'raw:sys_enter (id == "getpit")' >"$TMP/out" 2>&1 && fail runs
	grep -q "there is no system call 'getpit' here" "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'system call numbers are compared with names' named_numbers

# 20 is getpid there, and writev to 64-bit code: a wrong name is worse than a number.
compat_numbers()
{
	local site

	"$CALLS" compat 1 || skip_because 'no 32-bit system calls here'
	for site in raw:sys_enter t:raw_syscalls:sys_enter t:raw_syscalls:sys_exit; do
		trace "$site (id == 20) \"%s %d\", id, id" -- "$CALLS" compat 7
		[ "$(events .text | sort | uniq -c | tr -s ' ')" = ' 7 20 20' ] || fail "$site:" "$(events .text)"
		trace "$site (id == 20)" -- "$CALLS" compat 7
		[ "$(events .args.id | sort | uniq -c | tr -s ' ')" = ' 7 20' ] || fail "$site:" "$(events .args)"
		trace "$site (id == \"writev\")" -- "$CALLS" compat 7
		[ -z "$(events .args.id)" ] || fail "$site is writev:" "$(events .args)"
		trace "$site (id != \"writev\" && id == 20) \"%d\", (int)id" -- "$CALLS" compat 7
		[ "$(events .text | uniq -c | tr -s ' ')" = ' 7 20' ] || fail "$site, cast:" "$(events .text)"
		"$BPERF" argdist -C "$site():long:id" -- "$CALLS" compat 7 getppid 3 >"$TMP/out" 2>"$TMP/err" ||
			fail "$(cat "$TMP/err")"
		grep -q '	7  *id = 20$' "$TMP/out" && grep -q '	3  *id = getppid$' "$TMP/out" ||
			fail "$site as key:" "$(cat "$TMP/out")"
	done
	"$BPERF" funccount --by id raw:sys_enter -- "$CALLS" compat 7 getppid 3 >"$TMP/out" 2>"$TMP/err" ||
		fail "$(cat "$TMP/err")"
	grep -q '^sys_enter  *20  *7 ' "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" argdist --table 'raw:sys_enter[id] N=count()' -- "$CALLS" compat 7 >"$TMP/out" 2>"$TMP/err" ||
		fail "$(cat "$TMP/err")"
	grep -q '^ *7  *20$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check '32-bit system calls have no names of 64-bit ones' compat_numbers

# Expressions that bcc's parser cannot read (peers.md 2.1).
formats()
{
	message '12|   42|ab        |000000ff|0x1234|-7|FF|99|44|1|10' 'syscall:getpid
		"%d%d|%5d|%-10s|%08x|%p|%i|%X|%zu|%hhd|%hu|%o",
		1, 2, 42, "ab", 255, 0x1234, -7, 255, 99, 300, 65537, 8' -- "$CALLS" getpid 1
	message 'x|%|abc|    -5|7   |+5|0xff|?' 'syscall:getpid "%c|%%|%.3s|%*d|%-*d|%+d|%#x|%c",
		120, "abcdef", 6, -5, 4, 7, 5, 255, 27' -- "$CALLS" getpid 1
	message '1234.567|1.2|0.001|1234567|ENOENT|0|EPERM|-5000|127.0.0.1' 'syscall:getpid
		"%{us}|%.1{ms}|%{s}|%{ns}|%E|%E|%E|%E|%I",
		1234567, 1234567, 1234567, 1234567, -2, 0, -1, -5000, (u32)0x0100007f' -- "$CALLS" getpid 1
	message 'say "hi", at 100%' 'syscall:getpid "say \"hi\", at %d%%", 100' -- "$CALLS" getpid 1
	message '-1 4294967295 18446744073709551615 ffffffff' 'syscall:getpid "%d %u %llu %x", -1, -1, -1, -1' \
		-- "$CALLS" getpid 1
	message '3' 'syscall:getpid "%d" , min(3,$cpu + 7)' -- "$CALLS" getpid 1
	message '/etc/passwd' 't:syscalls:sys_enter_openat (STRCMP("/etc/pass", args->filename)) "%s",
		args->filename' -- cat /etc/passwd
}

arrays()
{
	message "$$ 0 kill" 't:raw_syscalls:sys_enter (args->id == 62 && args->args[1] == 0) "%d %d %s",
		args->args[0], args->args[1], args->id' -- bash -c 'kill -0 '$$
	timeout -s KILL 60 "$BPERF" trace -q -o "$TMP/out.json" 't:raw_syscalls:sys_enter (id == 62)' -- \
		bash -c 'kill -0 '$$ || fail
	jq -se 'map(select(.type == "event"))[0].args.args | length == 6 and .[0] == '$$ \
		"$TMP/out.json" >/dev/null || fail "$(cat "$TMP/out.json")"
	jq -r 'select(.type == "event").text' "$TMP/out.json" | grep -q "^id=kill args={$$, 0, .*}\$" ||
		fail "$(cat "$TMP/out.json")"
}
# The number of a system call is the architecture's.
[ "$(uname -m)" != x86_64 ] || check 'arrays of numbers are numbers, and args is no field' arrays

call_names()
{
	message 'kill kill' 'raw:sys_enter (id == 62) "%s kill", id' -- bash -c 'kill -0 '$$
	message '62|kill' 't:syscalls:sys_exit_kill "%d|%s", __syscall_nr, __syscall_nr' -- \
		bash -c 'kill -0 '$$
}
[ "$(uname -m)" != x86_64 ] || check 'numbers of system calls print their names with %s' call_names

addresses_of_bytes()
{
	trace 'syscall:write (fd == 1) "%I %M %s %E %E", buf(buf, 4), buf(buf, 6), mac(buf), 0xfffffffe,
		(int)0xfffffffe' -- printf '\177\0\0\001\002\003'
	[ "$(events .text)" = '127.0.0.1 7f:00:00:01:02:03 7f:00:00:01:02:03 ENOENT ENOENT' ] || fail "$(events .)"
	trace 'syscall:write (fd == 1) "%I", buf(buf, 16)' -- printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\001'
	[ "$(events .text)" = ::1 ] || fail "$(events .)"
	# They are no strings, whatever their declared type.
	"$BPERF" argdist -C 'syscall:write():char*:mac(buf):fd == 1' -- printf '\0\001\002\003\004\005' >"$TMP/out" 2>&1
	grep -q 'mac(buf) = 00:01:02:03:04:05$' "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" trace --dump=types 'syscall:write "%M", fd' >"$TMP/out" 2>&1 && fail taken
	grep -q '%M needs 6 bytes' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'bytes are printed as addresses when asked' addresses_of_bytes

# As long as the call says, and truncated as strings are; at the return, the bytes that the call has
# written.
buffers()
{
	local dd=(dd "if=$TMP/short" bs=4 count=1 status=none)

	printf 'abc\n' >"$TMP/short"
	trace 'r:syscall:read (retval == 4) "%s", buf(buf, retval)' -- "${dd[@]}"
	[ "$(events .text)" = 'abc\x0a' ] || fail "$(events .)"
	trace -Z 2 'r:syscall:read (retval == 4) "%s|", buf(buf, retval)' -- "${dd[@]}"
	[ "$(events '[.text, .cut[0]] | join(" ")')" = 'ab...| buf(buf, retval)' ] || fail "$(events .)"
	trace -Z 4 'r:syscall:read (retval == 4) "%s|", buf(buf, retval)' -- "${dd[@]}"
	[ "$(events '.text, has("cut")' | paste -sd' ')" = 'abc\x0a| false' ] || fail "$(events .)"
	"$BPERF" argdist -Z 2 -C 'syscall:write():u64:buf(buf,count):fd == 1' -- printf abcd >"$TMP/out" 2>&1
	grep -q 'buf(buf,count) = ab\.\.\.$' "$TMP/out" || fail "$(cat "$TMP/out")"
	trace 'r:syscall:read (retval == 4) "%.3s", buf' -- "${dd[@]}"
	[ "$(events .text)" = abc ] || fail "$(events .)"
	"$BPERF" trace 'r:syscall:read (retval == 4) "%s", $entry(buf)' -- "${dd[@]}" >"$TMP/out" 2>&1
	! grep -q 'could not be read' "$TMP/out" || grep -q 'buf(x, retval) reads it at the return' "$TMP/out" ||
		fail "$(cat "$TMP/out")"
	trace 'r:syscall:read (retval == 4) "%s", buf($entry(buf), retval)' -- "${dd[@]}"
	[ "$(events .text)" = 'abc\x0a' ] || fail "$(events .)"
}
check 'buffers have the length that the call says' buffers

# Without a format, no byte is left out after a NUL, and none becomes a question mark, the sign of what could
# not be read.
bytes_of_text()
{
	local dd=(dd "if=$TMP/bytes" bs=9 count=1 status=none)

	printf '\1\0\0\377abc\n?' >"$TMP/bytes"
	trace 'syscall:write (fd == 1)' -- "${dd[@]}"
	[ "$(events .text)" = 'fd=1 buf="\x01\x00\x00\xffabc\n?" count=9' ] || fail "$(events .)"
	[ "$(events '.args.buf | explode | join(" ")')" = '1 0 0 65533 97 98 99 10 63' ] || fail "$(events .)"
	trace 'r:syscall:read (retval == 9)' -- "${dd[@]}"
	[ "$(events '.text | sub(" retval.*"; "")')" = 'fd=0 buf="\x01\x00\x00\xffabc\n?" count=9' ] || fail "$(events .)"
	trace -Z 3 'syscall:write (fd == 1)' -- "${dd[@]}"
	[ "$(events '.text + .cut[0]')" = 'fd=1 buf="\x01\x00\x00"... count=9buf' ] || fail "$(events .)"
	head -c 10000 /dev/zero | tr '\0' x >"$TMP/bytes"
	trace -Z 20000 'syscall:write (fd == 1)' -- dd "if=$TMP/bytes" bs=10000 status=none
	[ "$(events '[.args.buf] | map(length) | .[0]')" = 10000 ] || fail "$(events .)"
}
check 'a buffer is printed with all its bytes' bytes_of_text

# The buffers of sockets and attributes are void *.
untyped_buffers()
{
	local site said='\x01\x00\xffabc\n\x00'

	for site in syscall: t:syscalls:sys_enter_; do
		trace "${site}sendto" -- "$CALLS" talk 1
		[ "$(events .text | grep -cF "buff=\"$said\" len=8 ")" = 2 ] || fail "$(events .text)"
	done
	[ "$(events '.args.buff | explode | join(" ")' | sort -u)" = '1 0 65533 97 98 99 10 0' ] || fail "$(events .)"
	trace 'r:syscall:recvfrom' -- "$CALLS" talk 1
	[ "$(events '.text | sub("^fd=-?[0-9]* "; "") | sub(" flags=.*retval="; " ") | sub(" latency.*"; "")')" = \
		"ubuf=\"$said\" size=8 8
ubuf=\"\\x01\\x00\\xff\" size=3 8
ubuf=\"\" size=8 -11 (EAGAIN)" ] || fail "$(events .text)"
	trace 'syscall:recvfrom' -- "$CALLS" talk 1
	[ "$(events '.args.ubuf | startswith("0x")' | sort -u)" = true ] || fail "$(events .)"
	trace 'syscall:setxattr' -- "$CALLS" talk 1
	events .text | grep -qF "value=\"$said\" size=8 " || fail "$(events .)"
	trace 'r:syscall:getxattr' -- "$CALLS" talk 1
	events .text | grep -qF 'value="" size=0 retval=-2 (ENOENT)' || fail "$(events .)"
}
check 'a buffer without a type is printed by the length that the call says' untyped_buffers

# The string of $entry is that of the entry, unlike in bcc; nothing is said where the function does not write.
entry_strings()
{
	local note='is the string that a char \* x pointed to'

	"$BPERF" trace 'r:syscall:read "%s", $entry(buf)' -- true 2>&1 >"$TMP/out" | grep -q "$note" || fail 'no note'
	"$BPERF" trace 'r:syscall:openat "%s", $entry(filename)' -- true 2>&1 >"$TMP/out" | grep "$note" && fail 'a note'
	"$BPERF" trace --dump=types 'r:syscall:read "%d", $entry(buf) + 1' >"$TMP/out" 2>&1 && fail 'a number'
	grep -q 'without $entry, an argument is the pointer' "$TMP/out" || fail "$(cat "$TMP/out")"
}
# shellcheck disable=SC2016 # of the spec
check '$entry of a char * is the string at the entry, and a note says so' entry_strings

# Flags and operations have the names of the headers, also at the tracepoint, as keys, and in JSON beside
# the number; each call has its own names.
flag_names()
{
	local site

	for site in syscall:openat t:syscalls:sys_enter_openat; do
		message 'AT_FDCWD O_RDONLY 0' "$site (filename == \"/etc/passwd\") \"%s %s %d\", dfd, flags, flags" \
			-- cat /etc/passwd
		trace "$site (filename == \"/etc/passwd\" && flags == \"O_RDONLY\")" -- cat /etc/passwd
		[ "$(events '[.args.flags, .names.flags, .names.dfd] | join(" ")')" = '0 O_RDONLY AT_FDCWD' ] ||
			fail "$(events .)"
	done
	trace 'syscall:openat (filename == "/etc/passwd" && flags == "O_RDONLY|O_NOFOLLOW")' -- \
		dd if=/etc/passwd iflag=nofollow of=/dev/null status=none
	[ "$(events .names.flags)" = 'O_RDONLY|O_NOFOLLOW' ] || fail "$(events .)"
	"$BPERF" argdist -C 'syscall:openat():char*:flags:filename == "/etc/passwd"' -- cat /etc/passwd >"$TMP/out" 2>&1
	grep -q '	1  *flags = O_RDONLY$' "$TMP/out" || fail "$(cat "$TMP/out")"
	# shellcheck disable=SC2016 # the program's
	trace 'syscall:{kill,lseek}' -- bash -c 'kill -WINCH $$; kill -0 $$; read -r line </etc/passwd'
	[ "$(events 'select(.func == "kill") | .names.sig' | paste -sd' ')" = 'SIGWINCH null' ] || fail "$(events .)"
	events 'select(.func == "lseek") | .names.whence' | grep -qx SEEK_CUR || fail "$(events .)"
	"$BPERF" argdist -C 'syscall:openat():int:flags:filename == "/etc/passwd"' -- cat /etc/passwd >"$TMP/out" \
		2>"$TMP/err" || fail "$(cat "$TMP/err")"
	grep -q '	1  *flags = O_RDONLY$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'flags and operations of system calls have names' flag_names

# Names that depend on another argument of the call, in messages, conditions, keys, and at the return.
chosen_names()
{
	local site n='[.[] | select(.type == "count" and .key) | [.key[], .value]] | sort' want

	for site in '' t:syscalls:sys_enter_; do
		trace "${site:-syscall:}setsockopt" -- "$CALLS" options 1
		want='level=SOL_SOCKET optname=SO_REUSEADDR optval=\x01\x00\x00\x00 optlen=4
level=SOL_TCP optname=TCP_NODELAY optval=\x01\x00\x00\x00 optlen=4'
		[ "$(events '.text | sub("fd=-?[0-9]* "; "")')" = "$want" ] || fail "$(events .)"
		[ "$(events '[.args.optname, .names.optname] | join(" ")' | paste -sd' ')" = '2 SO_REUSEADDR 1 TCP_NODELAY' ] ||
			fail "$(events .)"
	done
	trace 'syscall:fcntl' -- "$CALLS" options 1
	[ "$(events '.text | sub("fd=-?[0-9]* "; "")' | tail -3)" = "$(printf 'cmd=%s\n' 'F_SETFD arg=FD_CLOEXEC' \
		'F_SETFL arg=O_RDONLY|O_NONBLOCK' 'F_DUPFD arg=100')" ] || fail "$(events .)"
	message 'AF_INET IPPROTO_TCP 6' 'syscall:socket "%s %s %d", family, protocol, protocol' -- "$CALLS" options 1
	# TCP's option 2 is another one.
	trace 'syscall:setsockopt (optname == "SO_REUSEADDR" || optname != "TCP_NODELAY" && optname != "TCP_MAXSEG")' \
		-- "$CALLS" options 2
	[ "$(events .names.optname | paste -sd' ')" = 'SO_REUSEADDR SO_REUSEADDR' ] || fail "$(events .)"
	# shellcheck disable=SC2016 # the spec's
	for site in 'syscall:setsockopt():int:optname' 'r:syscall:setsockopt():int:$entry(optname)'; do
		"$BPERF" argdist -O json -C "$site" -- "$CALLS" options 3 >"$TMP/out.json" 2>"$TMP/err" ||
			fail "$(cat "$TMP/err")"
		[ "$(jq -cs "$n" "$TMP/out.json")" = '[["SO_REUSEADDR",3],["TCP_NODELAY",3]]' ] ||
			fail "$(cat "$TMP/out.json")"
	done
}
check 'names of options depend on the level, those of arguments on the command' chosen_names

# shellcheck disable=SC2016 # the spec's
compared_choices()
{
	local name

	# Option 1 of SOL_SOCKET is SO_DEBUG.
	for name in optname '$entry(optname)'; do
		trace "r:syscall:setsockopt ($name == \"SO_DEBUG\" || $name == \"TCP_NODELAY\" && level != 6)" \
			-- "$CALLS" options 2
		[ -z "$(events .)" ] || fail "$(events .)"
		trace "r:syscall:setsockopt ($name != \"SO_DEBUG\")" -- "$CALLS" options 1
		[ "$(events .names.optname | paste -sd' ')" = 'SO_REUSEADDR TCP_NODELAY' ] || fail "$(events .)"
	done
	trace 'syscall:fcntl (arg == "O_RDONLY|O_NONBLOCK")' -- "$CALLS" options 1
	[ "$(events .names.arg)" = 'O_RDONLY|O_NONBLOCK' ] || fail "$(events .)"
	# It is 6 for IPv4 and IPv6, but that of netlink is NETLINK_XFRM.
	trace 'syscall:socket (protocol == "IPPROTO_TCP")' -- "$CALLS" options 1
	[ "$(events .names.protocol)" = IPPROTO_TCP ] || fail "$(events .)"
	"$BPERF" trace --dump=types 'syscall:socket (protocol == "IPPROTO_TCP")' >"$TMP/out"
	[ "$(grep '^predicate' "$TMP/out" | grep -o ', s32 [0-9]*' | paste -sd' ')" = \
		', s32 6 , s32 2 , s32 6 , s32 10' ] || fail "$(cat "$TMP/out")"
}
check 'a name is compared only where the number has it' compared_choices

# An int that a function of unknown type returns: point returns -1, 0, 1.  A user function's -1 is not EPERM.
returned_errors()
{
	trace "r:$CALLS:call_point" -- "$CALLS" point 3
	[ "$(events '.text | sub(" latency.*"; "")' | paste -sd,)" = 'retval=-1,retval=0,retval=1' ] ||
		fail "$(events .)"
	[ "$(events '[.args.retval, .names.retval // "-"] | join(" ")' | head -1)" = '-1 -' ] || fail "$(events .)"
	message '-1 4294967295 4294967295 EPERM' "r:$CALLS:call_point \"%d %u %ld %E\", retval, retval, retval, retval" \
		-- "$CALLS" point 1
	"$BPERF" argdist -C "r:$CALLS:call_point()::retval" -- "$CALLS" point 1 >"$TMP/out" 2>&1
	grep -q 'retval = -1$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a negative int is printed as one, if the type of the function is not known' returned_errors

errors_by_name()
{
	local type want

	trace 'r:syscall:openat (retval == "ENOENT" && $entry(filename) == "/nowhere")' -- sh -c '! cat /nowhere'
	[ "$(events .names.retval)" = ENOENT ] || fail "$(events .)"
	trace 'r:syscall:openat (retval != "ENOENT" && $entry(filename) == "/nowhere")' -- sh -c '! cat /nowhere'
	[ -z "$(events .)" ] || fail "$(events .)"
	"$BPERF" trace --dump=types 'r:syscall:openat (retval == "ENOETN")' >"$TMP/out" 2>&1 && fail taken
	grep -q "there is no error named 'ENOETN'" "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" trace --dump=types 'r:syscall:openat (retval == "EPOLLIN")' >"$TMP/out" 2>&1 && fail taken
	grep -q "there is no error named 'EPOLLIN'" "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" trace --dump=types 'r:syscall:openat (retval == "ENOTSUP")' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
	for type in int:ENOENT s32:ENOENT short:ENOENT long:ENOENT s64:ENOENT u32:4294967294; do
		want=${type#*:}
		"$BPERF" argdist -C "r:syscall:openat():${type%:*}:retval:\$entry(filename) == \"/nowhere\"" -- \
			sh -c '! cat /nowhere' >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
		grep -q "	1  *retval = $want\$" "$TMP/out" || fail "$type: $(cat "$TMP/out")"
	done
	"$BPERF" argdist -C "r:$CALLS:call_point():int:retval" -- "$CALLS" point 1 >"$TMP/out" 2>&1
	grep -q 'retval = -1$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
# shellcheck disable=SC2016 # of the spec
check 'return values are compared with names of errors' errors_by_name

# How values are printed is the same on every kernel.
[ "${BPERF_SLOW-}" ] || check 'messages are printf'\''s, to the byte' formats

debug_dir()
{
	local dir debug

	dir=$(tmpdir)
	debug_path "$dir/debug" "$CALLS"
	mkdir -p "${debug%/*}"
	objcopy -S "$CALLS" "$dir/stripped" && objcopy --only-keep-debug "$CALLS" "$debug" || fail objcopy
	trace -U 'syscall:getpid "x"' -- "$dir/stripped" getpid 1
	[ "$(events '.user | map(.func) | index("do_getpid")')" = null ] || fail "$(events .user)"
	trace -U --debug-dir "$dir/debug" 'syscall:getpid "x"' -- "$dir/stripped" getpid 1
	[ "$(events '.user[0].func')" = do_getpid ] || fail "$(events .user)"
}
check '--debug-dir gives names' debug_dir

# ---- values whose type the verifier knows ----

# The verifier refuses some of fentry's arguments: pointers to numbers (5.10), to const void (5.10)
# and to pointers; they are printed all the same.
fentry()
{
	timeout -s KILL 60 "$BPERF" trace --attach fentry --raw "$@" -- \
		dd if="$TMP/blocks" of=/dev/null bs=123 count=1 skip=2 status=none >"$TMP/out" 2>"$TMP/err" && return
	grep -Eq "can't be probed|refuses .EPERM" "$TMP/err" &&
		skip_because "$(grep -m1 '^bperf: ' "$TMP/err" | sed 's/^bperf: //')"
	fail "status $? of: $*" "$(cat "$TMP/err")"
}

typed_pointers()
{
	head -c 1000 /dev/zero >"$TMP/blocks"
	fentry 'f:vfs_read (count == 123) "%d at %lld", count, *pos'
	[ "$(cat "$TMP/out")" = '123 at 246' ] || fail "$(cat "$TMP/out" "$TMP/err")"
	fentry 'r::vfs_read (count == 123) "%d, now at %lld", retval, *pos'
	[ "$(cat "$TMP/out")" = '123, now at 369' ] || fail "$(cat "$TMP/out" "$TMP/err")"
	fentry -M 1 'f:kfree (arg1 != 0) "%d", arg1 != 0'
	[ "$(cat "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out" "$TMP/err")"
}
check 'by fentry, pointers that the verifier hides are values' typed_pointers

# ---- arguments beside those that are in integer registers ----

passed()
{
	local func want

	command -v gcc >/dev/null || skip_because 'no gcc here'
	cat >"$TMP/passed.c" <<'END'
#define N __attribute__((noinline, noipa))
struct two { long a, b; };
struct big { long a[5]; };
N long floats(float f, int n, double d, int m) { asm volatile(""); return n + m; }
N long wide(long double f, int n) { asm volatile(""); return n; }
N long by_value(struct big b, int n, struct two t, int m) { asm volatile(""); return n + m; }
N struct big hidden(int n, int m) { asm volatile(""); return (struct big){ { n, m } }; }
N double real(int n, int m) { asm volatile(""); return n + m; }
int main(void)
{
	floats(1, 55, 2, 66);
	wide(1, 55);
	by_value((struct big){ { 1 } }, 55, (struct two){ 2, 3 }, 66);
	hidden(55, 66);
	real(55, 66);
}
END
	gcc -w -O1 -gbtf -o "$TMP/passed" "$TMP/passed.c" 2>/dev/null ||
		skip_because 'this gcc makes no BTF of programs'
	while read -r func want; do
		trace "p:$TMP/passed:$func" "r:$TMP/passed:$func" -- "$TMP/passed"
		[ "$(events '.args | del(.latency) | tojson' | paste -sd' ')" = "$want" ] ||
			fail "$func: $(events '.args | del(.latency) | tojson')"
	done <<-'END'
		floats {"n":55,"m":66} {"retval":121}
		wide {"n":55} {"retval":55}
		by_value {"n":55,"m":66} {"retval":121}
		hidden {"n":55,"m":66} {}
		real {"n":55,"m":66} {}
	END
	# The arguments in a signature begin after the address that the caller passes.
	trace "p:$TMP/passed:hidden(int x, int y) \"%d %d\", x, y" -- "$TMP/passed"
	[ "$(events .text)" = '55 66' ] || fail "$(events .text)"
	for want in "p:$TMP/passed:floats \"%d\", f" "r:$TMP/passed:real \"%d\", retval"; do
		! "$BPERF" trace --dump=types "$want" >"$TMP/out" 2>&1 || fail "taken: $want"
		grep -q 'floating-point register' "$TMP/out" || fail "$(cat "$TMP/out")"
	done
}
check 'integers beside floats and structs are those that were passed' in_order passed

# A function that returns nothing does not keep a pattern from those that return something.
void_functions()
{
	command -v gcc >/dev/null || skip_because 'no gcc here'
	cat >"$TMP/void.c" <<'END'
#define N __attribute__((noinline, noipa))
N int of_int(int n) { asm volatile(""); return n; }
N void of_nothing(int n) { asm volatile(""); }
N long of_long(long n) { asm volatile(""); return n; }
int main(void) { of_int(11); of_nothing(22); of_long(33); }
END
	gcc -w -O1 -gbtf -o "$TMP/void" "$TMP/void.c" 2>/dev/null ||
		skip_because 'this gcc makes no BTF of programs'
	timeout -s KILL 60 "$BPERF" trace -o "$TMP/trace.json" "r:$TMP/void:of_* \"%d\", retval" -- "$TMP/void" \
		>"$TMP/out" 2>"$TMP/err"
	[ "$(events .text | paste -sd' ')" = '11 33' ] || fail "$(events .)" "$(cat "$TMP/err")"
	grep -q '1 skipped: without a return value' "$TMP/err" || fail "$(cat "$TMP/err")"
	trace "r:$TMP/void:of_*" -- "$TMP/void"
	[ "$(events .func | paste -sd' ')" = 'of_int of_nothing of_long' ] || fail "$(events .)"
	"$BPERF" trace --dry-run "r:$TMP/void:{of_int,of_nothing} \"%d\", retval" >"$TMP/out" 2>&1 && fail taken
	grep -q 'returns nothing' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a pattern with retval leaves out functions that return nothing' void_functions

# ---- the program ----

# The calls that search for it in PATH are not the program's.
own_search()
{
	mkdir -p "$TMP/first" "$TMP/second/calls" "$TMP/third"
	ln -sf "$CALLS" "$TMP/third/calls"
	PATH=$TMP/first:$TMP/second:$TMP/third:$PATH trace 'syscall:execve "%s", filename' -- calls getpid 1
	[ "$(events .text)" = "$TMP/third/calls" ] || fail "$(events .text)"
	printf 'exit 3\n' >"$TMP/third/script"
	chmod +x "$TMP/third/script"
	PATH=$TMP/third:$PATH "$BPERF" trace -q syscall:execve -- script >"$TMP/out" 2>&1
	(($? == 3)) || fail "$(cat "$TMP/out")"
	PATH=$TMP/second:$PATH "$BPERF" trace syscall:execve -- no_such >"$TMP/out" 2>&1 && fail 'it runs'
	grep -q "cannot run 'no_such': No such file" "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a program is looked for before the run begins' own_search

# ---- cost ----

too_dear()
{
	local busy

	"$CALLS" getppid 2000000000 &
	busy=$!
	later "kill -9 $busy 2>/dev/null"
	timeout -s KILL 60 "$BPERF" trace --max-overhead 1 -p "$busy" -o "$TMP/trace.json" syscall:getppid \
		>"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	grep -Eq 'stopped: the probes and bperf used [0-9]+ % of a CPU' "$TMP/err" || fail "$(cat "$TMP/err")"
	tail -n1 "$TMP/trace.json" | jq -e '.type == "end" and .probes[0].hits > 0' >/dev/null ||
		fail "$(tail -n1 "$TMP/trace.json")"
	# The workload goes on, without probes.
	kill -0 "$busy" || fail 'the workload has ended'
}
check 'a run that costs more than --max-overhead ends, with a message' too_dear

cheap_enough()
{
	timeout -s KILL 60 "$BPERF" trace --max-overhead 10000 'r:syscall:clock_nanosleep "x"' \
		-- "$CALLS" nap 2500 >"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
	! grep -q stopped "$TMP/err" || fail "$(cat "$TMP/err")"
	[ "$(grep -c 'x$' "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
}
check 'a run that costs less goes on' cheap_enough

limits_are_checked()
{
	local limit

	for limit in off 0 10000; do
		"$BPERF" trace --dry-run --max-overhead "$limit" syscall:getppid >"$TMP/out" 2>&1 ||
			fail "refused: $limit" "$(cat "$TMP/out")"
	done
	for limit in 10001 -1 5% never; do
		! "$BPERF" trace --dry-run --max-overhead "$limit" syscall:getppid >"$TMP/out" 2>&1 ||
			fail "taken: $limit"
		grep -q 'is not a number from 0 to 10000, or off' "$TMP/out" || fail "$(cat "$TMP/out")"
	done
}
check 'a limit is a number, or off' limits_are_checked
