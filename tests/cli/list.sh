#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# list shows what the kernel and the files contain.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_root

listed() # ARGS...
{
	"$BPERF" list "$@" >"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
}

shows() # LINE
{
	grep -qxF -- "$1" "$TMP/out" || fail "no line '$1':" "$(head -n 20 "$TMP/out")"
}

fields()
{
	listed -v t:sched:sched_switch
	shows 't:sched:sched_switch'
	shows '    char[16] prev_comm'
	shows '    int next_prio'
}
check 'a tracepoint has its fields' fields

values()
{
	listed -v t:irq:softirq_entry
	grep -q '^    unsigned int vec  0=HI 1=TIMER ' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'values have the names that the kernel prints' values

calls()
{
	listed -v syscall:openat
	shows '    int dfd  -100=AT_FDCWD'
	shows '    char * filename'
	shows '    returns long'
	listed -v t:syscalls:sys_exit_openat
	shows '    long ret'
	[ "$(wc -l <"$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
}
check 'a system call has its parameters' calls

# A kernel that refuses to probe its functions has names of them all the same.
unprobed()
{
	"$BPERF" list 'k:vfs_read' >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	shows 'p::vfs_read'
	if "$BPERF" trace --dry-run 'p::vfs_read' >/dev/null 2>&1; then
		[ ! -s "$TMP/err" ] || fail "$(cat "$TMP/err")"
	else
		grep -q "kernel functions are listed, but can't be probed" "$TMP/err" || fail "$(cat "$TMP/err")"
	fi
	"$BPERF" list 'e:*' 2>"$TMP/err" >"$TMP/out"
	shows e:cycles
	if "$BPERF" funccount e:cycles 0.1 >/dev/null 2>&1; then
		[ ! -s "$TMP/err" ] || fail "$(cat "$TMP/err")"
	else
		grep -q 'hardware events are listed, but not counted' "$TMP/err" || fail "$(cat "$TMP/err")"
	fi
	"$BPERF" list t:sched:sched_switch 2>"$TMP/err"
	[ ! -s "$TMP/err" ] || fail "$(cat "$TMP/err")"
}
check 'a note says that functions cannot be probed, or events not counted' unprobed

broken()
{
	local word status

	for word in '[' 'tcp_[a' '{a,b'; do
		status=0
		"$BPERF" list "$word" >"$TMP/out" 2>&1 || status=$?
		((status == 64)) || fail "$word: status $status" "$(cat "$TMP/out")"
		grep -q 'is not closed' "$TMP/out" && grep -q '\^' "$TMP/out" || fail "$word:" "$(cat "$TMP/out")"
	done
}
check 'a broken pattern is an error with its place' broken

# Users who cannot read tracefs get them from our own table.
untraced()
{
	local call

	command -v setpriv >/dev/null || skip_because 'no setpriv here'
	cp "$BPERF" "$TMP/bperf"
	chmod 755 "$TMP" "$TMP/bperf"
	for call in openat read close connect futex execve clone mmap newfstatat uname getpid lseek fcntl \
		fstat statfs ftruncate sendfile fadvise64; do
		listed -v "syscall:$call"
		setpriv --reuid 65534 --clear-groups "$TMP/bperf" list -v "syscall:$call" >"$TMP/other" 2>&1 ||
			fail "$(cat "$TMP/other")"
		diff "$TMP/out" "$TMP/other" || fail "$call has others"
	done
	setpriv --reuid 65534 --clear-groups "$TMP/bperf" trace --dump=types \
		'syscall:openat (flags & O_CREAT) "%s", filename' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
}
check 'a system call has its parameters without tracefs' untraced

returns()
{
	listed -v r:syscall:openat
	shows 'r:syscall:openat'
	shows '    returns long'
}
check 'the return of a system call has its type' returns

spans()
{
	listed 'span(syscall:read ; {syscall:write,syscall:close}[fd])'
	[ "$(cat "$TMP/out")" = "$(printf 'syscall:%s\n' read close write)" ] || fail "$(cat "$TMP/out")"
	! "$BPERF" list 'span(syscall:read;syscall:wrte)' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
	grep -q "did you mean 'write'" "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a span has the sites of its starts and ends' spans

typed()
{
	listed -v raw:sched_process_exec
	shows 'raw:sched_process_exec'
	shows '    struct linux_binprm * bprm'
}
check 'a raw tracepoint has the types of the code' typed

functions()
{
	listed -v k:vfs_read
	shows 'p::vfs_read'
	shows '    struct file * file'
	shows '    returns ssize_t'
}
check 'a kernel function has its parameters' functions

same_as_nm()
{
	command -v nm >/dev/null || skip_because 'no nm here'
	nm --defined-only "$WORK/shares" | awk '$2 == "T" || $2 == "t" { print $3 }' |
		grep '^[a-z]' | sort >"$TMP/want"
	listed "$WORK/shares:*"
	sed -n "s,^p:$WORK/shares:\([a-z].*\),\1,p" "$TMP/out" | sort >"$TMP/got"
	# Aliases are shown once.
	[ -z "$(comm -13 "$TMP/want" "$TMP/got")" ] || fail 'not in nm:' "$(comm -13 "$TMP/want" "$TMP/got")"
	grep -qx main "$TMP/got" || fail "$(cat "$TMP/got")"
}
check 'functions of a program are those of nm' same_as_nm

sorted()
{
	listed
	grep '^t:' "$TMP/out" | LC_ALL=C sort -c || fail 'not in order'
	[ "$(grep -c '^t:' "$TMP/out")" -gt 500 ] || fail "$(wc -l "$TMP/out")"
	[ "$(grep -c '^syscall:' "$TMP/out")" -gt 300 ] || fail "$(wc -l "$TMP/out")"
}
check 'without a pattern it lists tracepoints and system calls' sorted

anything()
{
	listed '*softirq_entry*'
	shows 't:irq:softirq_entry'
	shows 'raw:softirq_entry'
}
check 'a word without a kind is looked for among all kinds' anything

nothing()
{
	local status=0

	"$BPERF" list t:sched:sched_swich >"$TMP/out" 2>"$TMP/err" || status=$?
	[ "$status" = 66 ] || fail "status $status"
	grep -q "did you mean 't:sched:sched_switch'" "$TMP/err" || fail "$(cat "$TMP/err")"
	status=0
	"$BPERF" list 'retprobe:c:x' >"$TMP/out" 2>"$TMP/err" || status=$?
	[ "$status" = 64 ] || fail "status $status"
	grep -q "write 'r:'" "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'an unknown name has a caret and a guess' nothing

other_words()
{
	listed 'libc:malloc'
	shows 'p:libc:malloc'
	listed 'uprobe:c:malloc'
	shows 'p:c:malloc'
}
check "libc:malloc and bpftrace's words are accepted" other_words

in_root()
{
	local pid lib i status=0

	command -v ldd >/dev/null || skip_because 'no ldd here'
	mkdir -p "$TMP/root/bin"
	cp "$WORK/usdt" "$TMP/root/bin/only-here"
	for lib in $(ldd "$WORK/usdt" | grep -o '/[^ ]*'); do
		cp --parents -L "$lib" "$TMP/root"
	done
	"$BPERF" list only-here:main >"$TMP/out" 2>"$TMP/err" || status=$?
	[ "$status" = 66 ] || fail "status $status without -p"
	chroot "$TMP/root" /bin/only-here 1 20000 >/dev/null &
	pid=$!
	# shellcheck disable=SC2064 # this child, at the end of check's subshell
	trap "kill $pid" EXIT
	for ((i = 0; i < 100; i++)); do
		grep -q libc "/proc/$pid/maps" && grep -q only-here "/proc/$pid/maps" && break
		snooze 0.05
	done
	listed -p $pid only-here:main
	shows 'p:only-here:main'
	listed -p $pid /bin/only-here:main
	shows 'p:/bin/only-here:main'
	# Paths as bperf sees them work, too: relative ones, and links that lead nowhere in the process's
	# root.
	cd "$TMP/root/bin" || fail 'no such folder'
	listed -p $pid ./only-here:main
	shows 'p:./only-here:main'
	listed -p $pid ../bin/only-here:main
	shows 'p:../bin/only-here:main'
	listed -p $pid /proc/$pid/exe:main
	shows "p:/proc/$pid/exe:main"
	listed -p $pid "/proc/$pid/root/bin/only-here:main"
	shows "p:/proc/$pid/root/bin/only-here:main"
	listed -p $pid u:only-here
	shows 'u:only-here:guarded'
	listed -p $pid c:usleep
	shows 'p:c:usleep'
}
check 'files are those that a process sees' in_root

notes()
{
	listed -v "u:$WORK/usdt"
	shows "u:$WORK/usdt:places"
	grep -q '^    int arg1 (-4@.*7)$' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -q '^    unsigned char arg[34] (1@' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'USDT probes have their operands' notes

# C++ names hold blanks and parentheses, and those of the standard library are abbreviated.
names_are_taken()
{
	local library spec n=0

	library=$(ldconfig -p | sed -nE 's/^\tlibstdc\+\+\.so\.6 \(libc6,(x86-64|AArch64)\) => //p' | head -n 1)
	[ "$library" ] || skip_because 'no libstdc++ here'
	for pattern in '*operator*' '*iostream*' '*thunk*'; do
		"$BPERF" list "p:$library:$pattern"
	done | sort -u | awk 'NR % 3 == 0 || /operator new|:~basic_iostream/' | head -n 60 >"$TMP/names"
	while IFS= read -r spec; do
		"$BPERF" trace --dry-run "$spec" >"$TMP/out" 2>&1 || fail "$spec" "$(cat "$TMP/out")"
		n=$((n + 1))
	done <"$TMP/names"
	((n >= 10)) || fail "$n names"
}
check 'names are those that other commands take' names_are_taken
