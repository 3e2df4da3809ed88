#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The command line of bperf trace: options, columns, formats, mistakes.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# ---- mistakes: none of them needs root ----

# mistake SPEC TEXT...: refused with status 64 or 66, and every TEXT in the message.
mistake()
{
	local spec=$1 status=0 text

	shift
	"$BPERF" trace --dump=types "$spec" >"$TMP/out" 2>&1 || status=$?
	((status == 64 || status == 66)) || fail "status $status" "$(cat "$TMP/out")"
	for text; do
		grep -qF -- "$text" "$TMP/out" || fail "no '$text' in:" "$(cat "$TMP/out")"
	done
	grep -q '\^' "$TMP/out" || fail 'no caret:' "$(cat "$TMP/out")"
}

hidden_addresses()
{
	local spec='syscall:getpid "%p", kaddr("do_no_restart_syscall")'

	command -v setpriv >/dev/null || skip_because 'no setpriv'
	"$BPERF" trace --dump=types "$spec" >/dev/null 2>&1 || skip_because 'no kallsyms or BTF here'
	setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all -- "$BPERF" trace --dump=types "$spec" \
		>"$TMP/out" 2>&1 && fail "$(cat "$TMP/out")"
	grep -q 'the kernel hides its addresses' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -q 'kernel.kptr_restrict must not be 2' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'kaddr() where the kernel hides its addresses' hidden_addresses

# Names as they are printed, without quotes; the same program as with them.
value_names()
{
	local spec name

	for spec in 'futex op FUTEX_WAKE_PRIVATE' 'ioctl cmd TIOCGWINSZ' 'setsockopt optname TCP_FASTOPEN_KEY' \
		'fcntl arg F_SEAL_GROW'; do
		# shellcheck disable=SC2086 # words
		set -- $spec
		for name in "$3" "\"$3\""; do
			"$BPERF" trace --dump=types "syscall:$1 ($2 == $name)" >"$TMP/$name" 2>&1 || fail "$(cat "$TMP/$name")"
		done
		same "$TMP/\"$3\"" "$TMP/$3" || fail "$spec"
	done
}
check 'names of values need no quotes' value_names
check 'the name of a value before the operand that it is compared with' \
	mistake 'syscall:ioctl (TIOCGWINSZ == cmd)' "'TIOCGWINSZ'" 'put it in double quotes: "TIOCGWINSZ"'
check 'an unknown argument has its nearest name' \
	mistake 'syscall:openat (flag & O_CREAT)' "'flag'" "did you mean 'flags'"
check 'an unknown member has its nearest name' \
	mistake 'syscall:getpid "%d", $task->pidd' "'pidd'" "did you mean 'pid'"
check 'an unknown system call has its nearest name' mistake 'syscall:opemat' "openat"
near_cplus()
{
	local cplus=$WORK/cplus

	[ -x "$cplus" ] || skip_because 'no g++'
	mistake "p:$cplus:shop::prcie" "did you mean 'shop::price'"
	mistake "p:$cplus:\"shop::prize(int)\"" "did you mean 'shop::price'"
	mistake "p:$cplus:cpu_secnds" "did you mean 'cpu_seconds'"
}
check 'an unknown C++ function has its nearest name' near_cplus
check 'an unknown builtin is named' mistake 'syscall:openat ($pidd == 1)' '$pidd' '$pid'
check 'too few values for the format' mistake 'syscall:openat "%s %d", filename' 'no value'
check 'too many values for the format' mistake 'syscall:openat "%s", filename, flags' 'takes 1'
check 'a string for %d' mistake 'syscall:openat "%d", $comm' 'not a number'
check 'a number for %s' mistake 'syscall:close "%s", $cpu' 'needs a string' '%d'
check 'an unknown conversion' mistake 'syscall:openat "%y", flags' "'%y'"
check 'a floating point conversion' mistake 'syscall:openat "%f", flags' 'integers'
check 'an open parenthesis' mistake 'syscall:openat (flags & 1' '('
check 'an open quote' mistake 'syscall:openat "%d, flags' '"'
check 'an operator without an operand' mistake 'syscall:openat (flags & )' ')'
check 'retval at an entry' mistake 'syscall:openat "%d", retval' 'retval'
check 'a word that belongs nowhere' mistake 'syscall:openat junk "%d", flags' 'junk'
check 'a comparison of a number with a text' mistake 'syscall:close (fd == "x")' '"x"'
check 'a member of a number' mistake 'syscall:close "%d", fd->x' 'fd'
check 'an unknown tracepoint' mistake 't:sched:sched_swich' 'sched_switch'
check 'an unknown type in a signature' mistake 'p:c:open(struct nosuch s) "%d", s.x' 'nosuch'
check 'a call of an unknown function' mistake 'syscall:close (foo(fd))' 'foo'

no_such_cpu()
{
	local command status

	for command in 'trace syscall:getppid' 'argdist -C syscall:getppid():int:$pid' 'funccount syscall:getppid'; do
		status=0
		# shellcheck disable=SC2086
		"$BPERF" ${command%% *} --dry-run --cpu 0,8191 ${command#* } >"$TMP/out" 2>&1 || status=$?
		((status == 66)) || fail "$command: status $status" "$(cat "$TMP/out")"
		grep -q 'there is no CPU 8191' "$TMP/out" && grep -q 'CPUs here: 0' "$TMP/out" ||
			fail "$command:" "$(cat "$TMP/out")"
	done
}
check 'a CPU that this host cannot have is an error' no_such_cpu

# Spellings of other tools and languages: the error shows the one for bperf.
check 'a predicate without parentheses' mistake 'syscall:openat flags == 1 "%s", filename' \
	'put a predicate in parentheses: (flags == 1)'
check "a predicate between slashes" mistake 'syscall:openat /$pid == 3/' '($pid == 3)'
check 'text in a predicate without parentheses' mistake 'syscall:openat filename == "x" "%d", flags' \
	'(filename == "x")'
check 'a predicate after a word' mistake 'syscall:openat if flags == 1' ': (flags == 1)'
check 'a predicate in two pairs of parentheses' mistake 'syscall:close (fd == 3) || (fd == 4)' \
	'put the whole predicate in one pair of parentheses'
check "a format in single quotes" mistake "syscall:openat '%s', filename" \
	'put a format in double quotes: "%s", filename'
check "perf's fetch arguments" mistake 'do_sys_open filename=+0(%si):string' 'without names: "%s", arg2'
check 'two probes in one word' mistake 'syscall:read, syscall:write' "'...' 'syscall:write'"
check 'an end sign' mistake 'syscall:close (fd == 3);' "leave it out"
check "bpftrace's str()" mistake 'syscall:openat "%s", str(filename)' 'is a string as it is'
check 'a raw tracepoint with its category' mistake 'raw:sched:sched_switch' 'write raw:sched_switch'
check 'an offset that is no number' mistake 'p:c:open+x' 'open+0x10'
check 'a string of an array of structs' mistake 'syscall:getpid "%s", $task->signal->rlim' \
	'is not a string' 'write [0] after it'

# answered TEXT ARGS...: trace refuses the words, and names the command that does it.
answered()
{
	local text=$1 status=0

	shift
	"$BPERF" trace "$@" >"$TMP/out" 2>&1 || status=$?
	((status == 64)) || fail "status $status" "$(cat "$TMP/out")"
	grep -qF -- "$text" "$TMP/out" || fail "no '$text' in:" "$(cat "$TMP/out")"
}
check "strace's -e with an unknown class" answered "-e: there is no system call '%fil', and no such class" -e %fil
check "strace's -e without its end" answered "-e: a system call's name is missing" -e openat,,read
check 'two times' answered '-d conflicts with the time after the probes' syscall:openat -d 1 1 2
check 'a time before the probes' answered "'1' is not a probe" 1 syscall:openat
check 'a block' mistake 'syscall:openat { printf("%s", args->filename); }' 'a format and its values'
check 'a value without a format' mistake 'syscall:close fd' '"%d", fd'
check 'a builtin without its $' mistake 'syscall:close (pid == 3)' "did you mean '\$pid'"
check 'a tracepoint without t:' mistake 'sched:sched_switch' 'tracepoints are t:sched:EVENT'
check 'an unknown kind of site' mistake 'x:c:open' "'x:' is not a kind of site" 'the kinds are p: r: t:'
check 'a kind of other tools' mistake 'retprobe:c:open' "write 'r:'"
check 'a library that does not exist' mistake 'p:libnosuch:open' 'no library and no program libnosuch' \
	'a path works too'
check 'a system call without syscall:' mistake 'openat' 'the system call is syscall:openat'
check 'an operator in letters' mistake 'syscall:close (fd > 2 and fd < 5)' 'write &&'
check 'a regular expression' mistake 'syscall:openat (filename ~ /x/)' 'globs in quotes'
check 'a name that no argument has' mistake 'syscall:openat (whence == 1)' 'it has dfd, filename, flags, mode'
check 'a name where arguments have no names' mistake 'p:c:open (whence == 1)' 'arguments are arg1 to arg6'
check 'an assignment' mistake 'syscall:openat (flags = 1)' 'use == to compare'
check 'text without quotes' mistake 'syscall:openat ($comm == dd)' 'put text in double quotes: "dd"'
check 'a parenthesis that nothing closes' mistake 'syscall:openat (flags == 1' "a ')' is missing"
check 'a failed call'"'"'s errno' mistake 'r:syscall:close (retval < 0) "%s", errno' '"%E", retval'
check 'USDT probes of a file without any' mistake "u:$WORK/calls:open" "functions are p:$WORK/calls:FUNCTION"
check 'a script' mistake "$0:main" 'it is a script: name the program that runs it'
check 'an offset within an instruction' mistake "p:$WORK/calls:call_say+2" \
	'no instruction begins at call_say+0x2' 'the nearest begin at call_say+0x'
check 'an offset after the end of a function' mistake "p:$WORK/calls:call_say+0x1000" 'call_say ends before +0x1000'
stripped_versions()
{
	# The loader chooses code of the vdso, where there is one.
	"$BPERF" trace --dump=types p:c:gettimeofday >"$TMP/out" 2>&1 &&
		skip_because "this libc's gettimeofday is one"
	grep -qE "that code is in no file|start a program that calls it|probe the implementations: p:c:'\*gettimeofday_\*'" "$TMP/out" ||
		fail "$(cat "$TMP/out")"
	! "$BPERF" trace --dump=types 'p:c:*strlen*' >"$TMP/out" 2>&1 || return 0
	! grep -q '\*\*strlen' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'for a function with several implementations the error shows how to probe one' stripped_versions

# This shell is a process of root that calls gettimeofday().
vdso()
{
	local elf

	((EUID)) && skip_because 'needs root'
	for elf in /proc/$$/exe /lib/*-linux-gnu/libc.so.6; do
		readelf --dyn-syms -W "$elf"
	done 2>&1 | grep -E ' (UND|[0-9]+) gettimeofday(@|$)' >"$TMP/names"
	grep -q 'IFUNC' "$TMP/names" && grep -q 'UND' "$TMP/names" ||
		skip_because "the shell does not call libc's gettimeofday, or it is no indirect function"
	grep -q vdso /proc/$$/maps && [ "$EPOCHREALTIME" ] || skip_because 'no vdso here'
	mistake p:c:gettimeofday 'for which the loader chose' '(vdso)' 'probe its callers'
}
check 'an indirect function whose code is of the vdso' vdso

# memcpy@GLIBC_2.2.5 of x86-64 is a plain function, that only programs of 2010 call.
old_version()
{
	local libc old

	libc=$(ldconfig -p | sed -n 's/^\tlibc\.so\.6 .*64.* => //p' | head -n 1)
	old=$(readelf --dyn-syms -W "$libc" 2>"$TMP/err" | awk '$8 == "memcpy@GLIBC_2.2.5" { sub(/^0*/, "", $2); print $2 }')
	[ "$old" ] || skip_because 'this libc has no old memcpy'
	"$BPERF" trace --dry-run p:c:memcpy >"$TMP/out" 2>&1
	grep -qE "^p:c:memcpy by |is an indirect function \(ifunc\)" "$TMP/out" || fail "$(cat "$TMP/out")"
	! grep -q "+0x$old\$" "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" list 'p:c:gethostname*' >"$TMP/out" 2>&1
	grep -q ':gethostname$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
needs_an_ifunc()
{
	readelf --dyn-syms -W /lib/*-linux-gnu/libc.so.6 2>&1 | grep -qE 'IFUNC .* memcpy@@' ||
		skip_because "this libc's memcpy is one"
	old_version
}
# Each version of a name that has several is at the address that readelf shows.
versions()
{
	local libc name at n=0

	libc=$(ldconfig -p | sed -n 's/^\tlibc\.so\.6 .*64.* => //p' | head -n 1)
	readelf --dyn-syms -W "$libc" 2>"$TMP/err" | awk '$4 == "FUNC" && $7 != "UND" && $8 ~ /@/ { print $8, $2 }' >"$TMP/all"
	sed 's/@.*//' "$TMP/all" | sort | uniq -d | grep -v '^_' | head -n 20 >"$TMP/several"
	[ -s "$TMP/several" ] || skip_because 'no function of this libc has several versions'
	awk 'NR == FNR { is_wanted[$1] = 1; next } { split($1, name, "@") } name[1] in is_wanted' \
		"$TMP/several" "$TMP/all" >"$TMP/versions"
	while read -r name at; do
		"$BPERF" trace --dry-run "p:c:$name" >"$TMP/out" 2>&1 || fail "$name:" "$(cat "$TMP/out")"
		grep -q "^p:c:$name by .*+0x$(printf %x "0x$at")\$" "$TMP/out" || fail "$name is at $at:" "$(cat "$TMP/out")"
		n=$((n + 1))
	done <"$TMP/versions"
	((n > 1)) || fail "$n versions"
}
no_version()
{
	[ "$(uname -m)" != x86_64 ] ||
		mistake p:c:realpath@NONE "has no function 'realpath@NONE'" 'its versions: realpath@'
	# The message does not say that symbols were stripped: the file has symbols, but no versions.
	mistake "p:$WORK/calls:call_say@NONE" "has no function 'call_say@NONE'" \
		"p:$WORK/calls:call_say, without a version, means any function of this name"
}
check 'a version of a function can be probed' versions
check 'an unknown version is answered with those that exist' no_version

# A user who asks for the old version does not get calls of the current one, which the old one makes
# if it has a buffer.
version_counts()
{
	[ "$(uname -m)" = x86_64 ] || skip_because 'versions of realpath are those of x86-64'
	/usr/bin/python3 -c 'import ctypes' 2>"$TMP/err" || skip_because 'no python3 with ctypes'
	"$BPERF" funccount 'p:c:realpath@GLIBC_2.2.5#old' 'p:c:realpath@@GLIBC_2.3#new' -- /usr/bin/python3 -c '
import ctypes
libc = ctypes.CDLL("libc.so.6")
libc.dlvsym.restype = ctypes.c_void_p
libc.dlvsym.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
old = call(libc.dlvsym(None, b"realpath", b"GLIBC_2.2.5"))
for i in range(30):
    old(b"/", None)' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
	grep -q '^old  *30 ' "$TMP/out" || fail "$(cat "$TMP/out")"
	! grep -q '^new  *[3-9][0-9]' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'calls of one version are not counted for another' version_counts
a_version_has_parameters()
{
	local name

	name=$("$BPERF" trace --dry-run p:c:malloc@NOSUCH 2>&1 | sed -n 's/.*versions: malloc@@\([^,]*\).*/\1/p')
	"$BPERF" trace --dump=types "p:c:malloc@$name \"%d\", size" >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
}
check 'a version has the parameters of its function' a_version_has_parameters
check "a version that isn't there" mistake 'p:c:malloc@NOSUCH' "has no function 'malloc@NOSUCH'" 'its versions: malloc@@'
check "a version of a name that isn't there" mistake 'p:c:mallok@NOSUCH' 'has no function'
check 'names from two sources are listed once' mistake 'k:vfs_read(struct file *file) "%d", whence' \
	'it has file, buf, count, pos'
check 'BEGIN of bpftrace' mistake 'BEGIN' 'a spec is one probe'
check 'a value of bpftrace instead of a site' mistake 'nsecs' "'syscall:read \"%d\", \$time'"
check 'a value instead of a site' mistake '$comm' "'syscall:read \"%s\", \$comm'"
check 'a return value instead of a site' mistake 'retval' "'r:syscall:read \"%d\", retval'"
check 'an interval of bpftrace' mistake 'interval:s:5' 'a timer is not a site' '-i 5s' 'e:cpu-clock@1 '
check 'a short interval of bpftrace' mistake 'interval:ms:250' '-i 250ms' 'e:cpu-clock@4 '
check 'a profile of bpftrace' mistake 'profile:hz:99' 'a timer is not a site' 'e:cpu-clock@99 '
check 'a profile of bpftrace by its period' mistake 'profile:us:500' 'e:cpu-clock@2000 '
check 'a tick of DTrace' mistake 'tick-1s' 'a timer is not a site' '-i 1s'
check 'a profile of DTrace' mistake 'profile-997' 'e:cpu-clock@997 '
check 'a type after an offset' mistake 'p:c:open+4:int:$pid' 'a site ends after its offset' \
	'p:c:open+4():type:expression'
check 'the time of bpftrace' mistake 'syscall:read "%d", nsecs' 'the time is $time'
check 'a map of bpftrace' mistake 'syscall:read "%d", @count' "maps are argdist's"
check 'a parameter of bpftrace' mistake 'syscall:read "%d", $1' 'the shell substitutes them'
check 'a double in a signature' mistake 'p:c:malloc(double d, int i) "%d", i' 'in a signature leave it out'
check 'a pointer to a double' mistake 'p:c:malloc(double *d, int i) "%d", i' 'a pointer to it can: void *'
check "a struct of a program that has no types" mistake 'p:c:malloc(struct big *p) "%d", p->x' 'gcc -gbtf'

check "an old version is not taken for the one that the loader chooses" needs_an_ifunc

check "STRCMP the wrong way round" mistake 'syscall:openat (STRCMP(filename, "x"))' 'the text comes first'
check 'a type without its tag' mistake 'syscall:getpid "%d", ((task_struct *)$task)->pid' \
	"did you mean 'struct task_struct'"

needs_a_probe()
{
	local status=0

	"$BPERF" trace 2>"$TMP/err" || status=$?
	((status == 64)) || fail "status $status"
	grep -q 'nothing to trace was given' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'a return that would crash the caller' mistake 'r:c:_setjmp' 'on _setjmp would crash its callers' \
	'p:c:_setjmp'
# A pattern leaves them out: a return probe on one of them would end every shell of the host.
crashing_returns()
{
	"$BPERF" trace --dry-run 'r:c:*setjmp*' >"$TMP/out" 2>&1 && fail 'runs' "$(cat "$TMP/out")"
	grep -q 'would crash its callers' "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" trace --dry-run 'r:c:{*setjmp*,strdup}' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
	grep -q 'skipped: whose callers a return probe would crash' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -q 'setjmp by' "$TMP/out" && fail "$(cat "$TMP/out")"
	return 0
}
check 'returns that would crash the caller are skipped and counted' crashing_returns
# vpcmpeqd has the opcode of a conditional jump, vmovd that of outs; vxorps has that of a push, but is too
# long for one.  The kernel damages the first, and refuses the second and lock.
vector_functions()
{
	[ "$(uname -m)" = x86_64 ] || skip_because 'instructions of x86-64'
	cat >"$TMP/avx.s" <<-'E'
		.macro function name
		.globl \name
		.type \name,@function
		\name:
		.endm
		function damaged; vpcmpeqd %xmm0,%xmm0,%xmm0; ret
		function refused; vmovd %esi,%xmm0; vpxor %xmm1,%xmm1,%xmm1; mov %edi,%eax; ret
		function pushes; vxorps %xmm0,%xmm0,%xmm0; ret
		function loops; vmovd %esi,%xmm0; 1: dec %edi; jnz 1b; ret
		function far; vmovd %esi,%xmm0; 2: dec %edi; .skip 300, 0x90; jnz 2b; ret
		function locks; lock incl counter(%rip); ret
		function main
		push %rbx
		mov $25,%ebx
		3: mov $7,%edi
		call refused
		dec %ebx
		jnz 3b
		mov $0,%eax
		pop %rbx
		ret
		.bss
		counter: .long 0
		.section .note.GNU-stack
	E
	cc "$TMP/avx.s" -o "$TMP/avx" 2>"$TMP/err" || skip_because 'no compiler'
}
address_of() # FUNCTION: as in the file
{
	echo "0x$(nm "$TMP/avx" | awk -v f="$1" '$3 == f { sub(/^0+/, "", $1); print $1 }')"
}
refused_instructions()
{
	local name

	vector_functions
	for name in loops far locks "$(address_of refused)"; do
		"$BPERF" trace --dry-run "p:$TMP/avx:$name" >"$TMP/out" 2>&1 && fail 'runs' "$(cat "$TMP/out")"
		grep -q "the kernel cannot replace the instruction at $name" "$TMP/out" || fail "$(cat "$TMP/out")"
	done
	"$BPERF" trace --dry-run "p:$TMP/avx:$(address_of damaged)" >"$TMP/out" 2>&1 && fail 'runs' "$(cat "$TMP/out")"
	grep -q "the kernel would damage $(address_of damaged)" "$TMP/out" || fail "$(cat "$TMP/out")"
	"$BPERF" trace --dry-run "p:$TMP/avx:{damaged,refused,pushes,lo*,far}" >"$TMP/out" 2>&1 ||
		fail "$(cat "$TMP/out")"
	grep -q '2 skipped: at an instruction that the kernel cannot replace' "$TMP/out" || fail "$(cat "$TMP/out")"
	[ "$(grep -c ' by uprobe' "$TMP/out")" = 3 ] || fail "$(cat "$TMP/out")"
}
check 'an instruction that the kernel refuses or misreads is left alone' refused_instructions
# The next instruction has the probe, where the arguments are still in place.
passed_instructions()
{
	vector_functions
	"$BPERF" trace -j "p:$TMP/avx:refused \"%d\", (int)arg1" -- "$TMP/avx" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	[ "$(grep -c '"text":"7"' "$TMP/out")" = 25 ] || fail "$(cat "$TMP/out")"
	"$BPERF" funccount -j "r:$TMP/avx:refused" -- "$TMP/avx" >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	grep -q '"value":25,' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a function that begins with a refused vector instruction is traced' passed_instructions
check 'without a probe the error shows one' needs_a_probe

knows_methods()
{
	local status=0

	"$BPERF" trace --attach kpobe syscall:openat 2>"$TMP/err" || status=$?
	((status == 64)) || fail "status $status"
	grep -q "'kprobe'" "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'an unknown method has its nearest name' knows_methods

fitting_methods()
{
	! "$BPERF" trace --dry-run --attach tp_btf t:sched:sched_switch >"$TMP/out" 2>&1 || fail 'taken'
	grep -q 'sched_switch: tracepoint$' "$TMP/out" || fail "$(cat "$TMP/out")"
	! "$BPERF" trace --dry-run --attach tp_btf p:c:malloc >"$TMP/out" 2>&1 || fail 'taken'
	grep -q 'malloc: uprobe.multi, uprobe-event, uprobe$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a method for other sites is answered with the methods for these' fitting_methods

dumps()
{
	"$BPERF" trace --dump=ast 'syscall:read (count > 4096)' >"$TMP/ast" &&
		grep -qF '(> count 4096)' "$TMP/ast" || fail "$(cat "$TMP/ast")"
	"$BPERF" trace --dump=types 'syscall:read "%d", count' >"$TMP/types" &&
		grep -q '^count ' "$TMP/types" || fail "$(cat "$TMP/types")"
	"$BPERF" trace --dump=bpf 'syscall:read "%d", count' >"$TMP/bpf" &&
		grep -q 'exit' "$TMP/bpf" || fail "$(cat "$TMP/bpf")"
}
check 'dumps show each step' dumps

# The dump has the programs at the tracepoints themselves, and no program at the entry of one call, which is
# not loaded.
dumps_of_many_calls()
{
	"$BPERF" trace --dump=bpf 'r:syscall:{read,getpid}' >"$TMP/bpf" || fail "$(cat "$TMP/bpf")"
	sed -n 's/^# one program at \([a-z_]*\), .*/\1/p' "$TMP/bpf" | sort >"$TMP/hooks"
	[ "$(xargs <"$TMP/hooks")" = 'sys_enter sys_exit' ] || fail 'at other tracepoints:' "$(cat "$TMP/bpf")"
	! grep -q '^# entry' "$TMP/bpf" || fail 'an entry of its own:' "$(cat "$TMP/bpf")"
	[ "$(grep -c '^# return' "$TMP/bpf")" = 2 ] || fail 'not two returns:' "$(cat "$TMP/bpf")"
}
check 'a dump of many system calls has the programs that are loaded' dumps_of_many_calls

# ---- runs ----

need_root

# run ARGS...: stdout and stderr to files.
run()
{
	timeout 20 "$BPERF" trace "$@" >"$TMP/out" 2>"$TMP/err" || fail "status $?" "$(cat "$TMP/err")"
}

quoted_path()
{
	local file="$TMP/a b/{x}/c:at" site

	mkdir -p "${file%/*}"
	cp "$(type -P cat)" "$file"
	site="p:\"$file\":0x$(readelf -h "$file" | sed -n 's/.*Entry point address: *0x//p')"
	run -j "$site" -- "$file" /dev/null
	[ "$(jq -r 'select(.type == "event") | .probe' "$TMP/out")" = "$site" ] || fail "$(cat "$TMP/out")"
	run "${site#p:}" -- "$file" /dev/null
	[ "$(grep -c '^[0-9]' "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
}
check "a path with blanks, colons and braces, in quotes" quoted_path

default_message()
{
	run 'syscall:openat' -- cat /etc/hostname
	grep -q '^PID *TID *COMM *FUNC *-$' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -qE '^[0-9]+ +[0-9]+ +cat +openat +dfd=.* filename="/etc/hostname" flags=' "$TMP/out" ||
		fail "$(cat "$TMP/out")"
}
check 'without a format all arguments are shown' default_message

message()
{
	run 'syscall:openat (filename == "/etc/hostname") "open %s %d|%-6s|%5d|%05x", filename, 7, "ab", 42, 42' \
		-- cat /etc/hostname
	grep -q 'open /etc/hostname 7|ab    |   42|0002a$' "$TMP/out" || fail "$(cat "$TMP/out")"
	[ "$(grep -c 'open ' "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
}
check 'predicate and format' message

columns()
{
	run -T -C --print_uid 'syscall:openat "x"' -- true
	grep -qE '^TIME +CPU +UID +PID' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -qE '^[0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +true +openat +x$' \
		"$TMP/out" || fail "$(cat "$TMP/out")"
	run -t 'syscall:openat "x"' -- true
	grep -qE '^[0-9]+\.[0-9]{6} ' "$TMP/out" || fail "$(cat "$TMP/out")"
	run -tu 'syscall:openat "x"' -- true
	grep -qE '^1[0-9]{9}\.[0-9]{6} ' "$TMP/out" || fail "$(cat "$TMP/out")"
	run --raw 'syscall:openat "x"' -- true
	[ "$(sort -u "$TMP/out")" = x ] || fail "$(cat "$TMP/out")"
}
check 'columns are as asked for' columns

csv()
{
	run --csv 'syscall:getppid "%d %s %d", n=2, s="a,\"b", absent=*(u32 *)8@user' 'syscall:getpid "%d", m=-2' -- \
		"$WORK/calls" getppid 2 getpid 1
	grep -v ' ' "$TMP/out" | same - <(printf '%s\n' n,s,absent '2,"a,""b",' '2,"a,""b",' m -2)
	# Names of a heading, and times in the unit of the message.
	run --csv --heading 'N,LAT(ms)' 'syscall:getppid "%d %.1{ms}", n=2, latency=12345678' 'syscall:getpid "%d", m=-2' -- \
		"$WORK/calls" getppid 1 getpid 1
	grep -v ' ' "$TMP/out" | same - <(printf '%s\n' 'N,LAT(ms)' 2,12.3 m -2)
}
check '--csv has values below their names' csv

max_events()
{
	run -M 3 'syscall:write (fd == 1)' -- seq 100000
	[ "$(grep -c ' write ' "$TMP/out")" = 3 ] || fail "$(cat "$TMP/out")"
	# The last line is about those events, and not about all that had happened by then.
	run -M 2 'syscall:getppid "%d", *(u32 *)8@user' -- "$WORK/calls" getppid 500
	grep -q ': 2 events had a value that could not be read' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check '-M ends after that many events' max_events

# Classes of strace, and all but some.
classes()
{
	local class

	for class in %file process %network %signal %ipc %desc trace=%memory; do
		"$BPERF" trace --dry-run -e "$class" >"$TMP/out" 2>&1 || fail "$class" "$(cat "$TMP/out")"
		! grep -v '^syscall:' "$TMP/out" || fail "$class"
		sed -E 's/^syscall:([^ ]*) .*/\1/' "$TMP/out" | sort >"$TMP/calls.${class#*%}"
	done
	for class in file:execve,openat,statx process:clone,execve,wait4 network:connect,recvmsg,socket \
		signal:kill,rt_sigaction,tgkill ipc:msgget,semop,shmat desc:dup3,epoll_ctl,fcntl,mkdirat,read \
		memory:brk,mmap,shmat; do
		tr , '\n' <<<"${class#*:}" | comm -23 - "$TMP/calls.${class%:*}" | grep . && fail "$class lacks it"
	done
	! grep -E '^(fork|futex|lstat|shmat|getpid)$' "$TMP/calls.desc" || fail 'no descriptors'
	"$BPERF" trace --dry-run -e 'trace=!%desc,futex,sched*' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
	grep -q '^syscall:getpid ' "$TMP/out" || fail "$(cat "$TMP/out")"
	! grep -E '^syscall:(read|futex|sched.*) ' "$TMP/out" || fail 'not left out'
	! "$BPERF" trace --dry-run -e '%fil' >"$TMP/out" 2>&1 && grep -q '%file %process' "$TMP/out" || fail "$(cat "$TMP/out")"
	! "$BPERF" trace --dry-run -e '!futx' >"$TMP/out" 2>&1 && grep -q "no system call 'futx'" "$TMP/out" ||
		fail "$(cat "$TMP/out")"
}
check "-e takes strace's classes, and all but some" classes

events_as_in_strace()
{
	run -e trace=getppid,getpid --raw 'syscall:getsid "x"' -- "$WORK/calls" getppid 2 getpid 1
	[ "$(wc -l <"$TMP/out")" = 3 ] || fail "$(cat "$TMP/out")"
}
check '-e names system calls, as in strace' events_as_in_strace

ends_in_time()
{
	local start=$EPOCHREALTIME

	run 'syscall:getpgrp' 0.2 2
	((${EPOCHREALTIME/./} - ${start/./} >= 400000)) || fail 'ended after less than 0.4 s'
	grep -q 'watched for' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'interval and count are the time in all' ends_in_time

filters()
{
	run -f hostname 'syscall:openat "%s", filename' -- cat /etc/hostname
	[ "$(grep -c openat "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
	run -n nobodyhasthisname 'syscall:openat' -- cat /etc/hostname
	! grep openat "$TMP/out" || fail "$(cat "$TMP/out")"
}
check '-f and -n let only matching events through' filters

aggregates()
{
	run -A --raw 'syscall:getppid "once"' 'syscall:getpid "%d", 5' -- \
		"$WORK/calls" getpid 100 getppid 1
	grep -A1 '^5$' "$TMP/out" | grep -qx -- '-->COUNT 100' || fail "$(cat "$TMP/out")"
}
check '-A counts identical events' aggregates

first_ones()
{
	run --unique -M 2 --raw 'syscall:{getpid,getppid} "%s", $func' -- "$WORK/calls" getpid 100 getppid 10
	[ "$(xargs <"$TMP/out")" = 'getpid getppid' ] || fail "$(cat "$TMP/out")"
	run --unique --raw 'syscall:getpid ($comm == "calls") "of a thread"' -- sh -c "'$WORK/calls' getpid 100; '$WORK/calls' getpid 100"
	[ "$(sort "$TMP/out" | uniq -c | xargs)" = '2 of a thread' ] || fail "$(cat "$TMP/out")"
}
check '--unique shows the first of identical events' first_ones

# cat fails, and bperf exits with its status.
returns_named()
{
	timeout 20 "$BPERF" trace 'r:syscall:openat (retval < 0) "%E %d %d", retval, retval, $latency > 0' \
		-- cat /nonexistent/x >"$TMP/out" 2>"$TMP/err" && fail 'status 0'
	grep -q 'ENOENT -2 1$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a return has its value, its errno and its latency' returns_named

# A register of which no type is known: libc's read returns a ssize_t.
returns_signed()
{
	timeout 20 "$BPERF" trace 'r:c:read (retval < 0) "%d", retval' -- cat / >"$TMP/out" 2>"$TMP/err" &&
		fail 'status 0'
	[ "$(grep -c ' read ' "$TMP/out")" = 1 ] || fail "$(cat "$TMP/out")"
	grep -q ' -1$' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'a return value without a type is signed' returns_signed

# The line is printed when the sites are found and signals are held back; thousands of sites are attached
# after it.
ends_early()
{
	local pid i

	"$BPERF" trace -v 'p:c:*' >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q 'sites by' "$TMP/err" || break
		snooze 0.05
	done
	kill -INT "$pid"
	wait "$pid" || fail "status $?" "$(cat "$TMP/err")"
}
check 'Ctrl-C before all is attached is an end like any other' ends_early

stacks()
{
	run -U 'syscall:getpid "x"' -- "$WORK/calls" getpid 1
	grep -q '^        .*main' "$TMP/out" || fail "$(cat "$TMP/out")"
	run -K 'syscall:getpid "x"' -- "$WORK/calls" getpid 1
	grep -q '^        .*\[kernel\]' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check '-U and -K show stacks' stacks

json()
{
	run -j -U 'syscall:openat (filename == "/etc/hostname")' -- sh -c 'cat /etc/hostname >/dev/null'
	jq -e -s 'map(select(.type == "event")) | length == 1 and .[0].args.filename == "/etc/hostname"
		and (.[0].args.flags | type) == "number" and (.[0].user | length) > 0
		and .[0].func == "openat"' "$TMP/out" >/dev/null || fail "$(cat "$TMP/out")"
	jq_last -e '.type == "end" and (.lost | add == 0) and .probes[0].hits == 1' "$TMP/out" >/dev/null ||
		fail "$(tail -n1 "$TMP/out")"
}
if command -v jq >/dev/null; then
	check 'JSON has typed values by name' json
else
	skip 'JSON has typed values by name' 'no jq here'
fi

no_stacks_format()
{
	local status=0

	"$BPERF" trace --folded syscall:openat 2>"$TMP/err" || status=$?
	((status == 64)) || fail "status $status"
	grep -q 'events' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'folded output of events is refused' no_stacks_format

dry_run()
{
	run --dry-run 'p:c:malloc' 'syscall:openat'
	grep -q malloc "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -q openat "$TMP/out" || fail "$(cat "$TMP/out")"
}
check '--dry-run shows sites and methods' dry_run

# --dump loads nothing: the user nobody gets the same as root, without the right to read tracefs.
dump_for_nobody()
{
	local what spec

	for_nobody
	for spec in 't:sched:sched_switch (args->prev_pid > 0) "%s %d", args->next_comm, args->next_pid' \
		't:sched:sched_process_exec "%s", args->filename' \
		'syscall:openat (flags & O_CREAT) "%s", filename'; do
		for what in ast types; do
			"$BPERF" trace "--dump=$what" "$spec" >"$TMP/root" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
			as_nobody +kill "$TMP/bperf" trace "--dump=$what" "$spec" >"$TMP/nobody" 2>"$TMP/err" ||
				fail "$spec" "$(cat "$TMP/err")"
			same "$TMP/root" "$TMP/nobody"
		done
	done
}
if command -v setpriv >/dev/null; then
	check '--dump prints the same for the user nobody' dump_for_nobody
else
	skip '--dump prints the same for the user nobody' 'no setpriv here'
fi

long_specs()
{
	local spec

	spec="span(t:raw_syscalls:sys_enter($(printf 'id != 100%d && ' {0..20})id == 99999) ; t:raw_syscalls:sys_exit)"
	"$BPERF" trace "$spec" -- true >"$TMP/out" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	grep -q '^span(t:raw_syscalls:sys_enter(id.*\.\.\..* ; t:raw_syscalls:sys_exit): [0-9]* ends had no start$' "$TMP/err" ||
		fail "$(cat "$TMP/err")"
	! grep -E '^.{131}' "$TMP/err" || fail 'a long line'
}
check 'messages at the end shorten long specs' long_specs
