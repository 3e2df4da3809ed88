#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The front door: names, links, help, errors, exit statuses, closed descriptors.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# says STATUS STDERR COMMAND...: the exit status, and the whole text on stderr; stdout is empty.
says()
{
	local status=0 want=$1 text=$2

	shift 2
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
	((status == want)) || fail "exit status $status, not $want" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail 'something on stdout:' "$(cat "$TMP/out")"
	printf '%s\n' "$text" | same - "$TMP/err"
}

# prints PATTERN COMMAND...: status 0, a line on stdout that matches, nothing on stderr.
prints()
{
	local pattern=$1

	shift
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null || fail "exit status $?"
	[ ! -s "$TMP/err" ] || fail 'something on stderr:' "$(cat "$TMP/err")"
	grep -qE -- "$pattern" "$TMP/out" || fail "no line like '$pattern':" "$(cat "$TMP/out")"
}

# ---- what bperf says about itself -------------------------------------------------------------

check '--help goes to stdout' prints '^Usage: bperf COMMAND' "$BPERF" --help
check '-h is --help' prints '^Usage: bperf COMMAND' "$BPERF" -h
check '--version names the linked libraries' prints '^  libbpf  .*BSD-2-Clause$' "$BPERF" --version
check '-V is --version' prints '^bperf [0-9]' "$BPERF" -V
check '--list names the commands' prints '^profile$' "$BPERF" --list
# Those below "The commands that measure:" in bperf(8).
all_that_measure()
{
	sed -n '/^The commands that measure:/,/^\.PP/p' cmd/bperf.8 | sed -nE '/^\.TP/{n;s/^\.BR? ([a-z]+).*/\1/p}' \
		>"$TMP/want"
	"$BPERF" --list | sed '/^$/,$d' | sort | same <(sort "$TMP/want") -
}
check '--list names all commands that measure' all_that_measure
check 'a command has --help' prints '^Usage: bperf profile' "$BPERF" profile --help
check 'a name of Debian for a tool of bcc' prints '^Usage: bperf biolatency' "$BPERF" biolatency-bpfcc --help
check 'a name of Debian for a command of bcc' prints '^Usage: bperf offcpu' "$BPERF" offcputime-bpfcc --help
check 'a file of bpftrace' prints '^Usage: bperf runqlat' "$BPERF" runqlat.bt --help
check 'a command has -h anywhere' prints '^Usage: bperf profile' "$BPERF" profile 5 -fh
check 'a command has --version' prints '^bperf [0-9]' "$BPERF" profile --version
check 'help shows the manual' prints '^BPERF-PROFILE\(8\)' "$BPERF" help profile
check 'help alone is about bperf' prints '^BPERF\(8\)' "$BPERF" help
check 'help shows other pages' prints '^BPERF-OUTPUT\(5\)' "$BPERF" help output

alone()
{
	local status=0

	"$BPERF" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == 64)) && [ ! -s "$TMP/out" ] && grep -q '^Usage: bperf' "$TMP/err" &&
		[ "$(wc -l <"$TMP/err")" -le 38 ]
}
check 'without arguments: one screen on stderr, status 64' alone

in_a_pager()
{
	command -v script >/dev/null || skip_because 'no script(1) here'
	TERM=xterm PAGER="cat >$TMP/paged" timeout 20 script -qec "$BPERF help profile" /dev/null \
		</dev/null >/dev/null
	grep -q $'\033\\[1mNAME' "$TMP/paged"
}
check 'help is shown in a pager on a terminal' in_a_pager

without_pager()
{
	command -v script >/dev/null || skip_because 'no script(1) here'
	TERM=dumb PAGER=/nonexistent/pager timeout 20 script -qec "$BPERF help profile" /dev/null \
		</dev/null | grep -q '^OPTIONS'
}
check 'help is shown without a pager' without_pager

narrow_ledger()
{
	local columns

	command -v script >/dev/null || skip_because 'no script(1) here'
	"$BPERF" report tests/golden/server.json 2>"$TMP/ledger" >/dev/null
	for columns in {30..80}; do
		timeout 20 script -qec "stty cols $columns; $BPERF report tests/golden/server.json >/dev/null" \
			/dev/null </dev/null | tr -d '\r' >"$TMP/folded"
		awk -v n="$columns" 'length > n { exit 1 }' "$TMP/folded" || fail "$columns columns:" "$(cat "$TMP/folded")"
		paste -sd' ' "$TMP/folded" | tr -s ' ' | same "$TMP/ledger" -
	done
}
check 'the ledger is folded at the width of the terminal' narrow_ledger

# ---- errors -----------------------------------------------------------------------------------

check 'an unknown command is 127, with the nearest name' says 127 \
	"bperf: unknown command 'profil'
  did you mean 'profile'?" "$BPERF" profil
check 'an unknown command may have no near name' says 127 \
	"bperf: unknown command 'zzzzzz'
  bperf --help lists the commands" "$BPERF" zzzzzz
check 'version is an option' says 127 \
	"bperf: unknown command 'version'
  bperf --version prints it" "$BPERF" version
# has_it_as LINE WORDS...: the words of another tool are answered with the line of bperf.
has_it_as()
{
	local status=0 line=$1

	shift
	timeout 20 "$BPERF" "$@" >"$TMP/out" 2>&1 || status=$?
	((status == 127 || status == 64)) || fail "status $status" "$(cat "$TMP/out")"
	sed -n 2p "$TMP/out" | same - <(printf '  bperf has it as: %s\n' "$line")
}
others()
{
	has_it_as 'bperf profile 10' record -g &&
		has_it_as 'bperf profile -- ./prog 1' record ./prog 1 &&
		has_it_as 'bperf profile -p 12' record -g -p 12 &&
		has_it_as 'bperf profile -F 99 10' perf record -ag -F99 -- sleep 10 &&
		has_it_as 'bperf profile --cpu 0 5' perf record -C 0 sleep 5 &&
		has_it_as 'bperf profile --uid 7 5' perf record -u 7 sleep 5 &&
		has_it_as 'bperf profile --tid 7 5' perf record --tid 7 sleep 5 &&
		has_it_as 'bperf profile -e cycles -O json -c 1000 -- ls' record -c 1000 -e cycles -o - ls &&
		has_it_as "bperf profile -F 99 -o my.json -- ls -l 'a b'" \
			record --freq=99 --call-graph dwarf -o my.data ls -l 'a b' &&
		has_it_as 'bperf profile -e cycles -U -- ls' record -e cycles:u ls &&
		has_it_as 'bperf stackcount t:sched:sched_switch 1' record -e sched:sched_switch -a sleep 1 &&
		has_it_as 'bperf offcpu --states -- ls -l' stat -d ls -l &&
		has_it_as 'bperf profile -e cycles -- ls' stat -e cycles ls &&
		has_it_as 'bperf funccount syscall:read e:page-faults:1 t:sched:sched_switch -p 12 3' \
			stat -e syscalls:sys_enter_read,page-faults -e sched:sched_switch -p 12 sleep 3 &&
		has_it_as 'bperf offcpu --states 3' perf sched record -- sleep 3 &&
		has_it_as 'bperf offcpu --waits -- ls' perf lock contention ls &&
		has_it_as 'perf script -i x.data | bperf report -' script -i x.data &&
		has_it_as 'bperf trace r:/bin/bash:readline' probe -x /bin/bash readline%return &&
		has_it_as 'bperf trace p::tcp_sendmsg' probe --add tcp_sendmsg &&
		has_it_as 'bperf trace p::tcp_sendmsg' perf probe -a 'mine=tcp_sendmsg size=%dx' &&
		has_it_as "bperf trace 'syscall:*' -- ls" perf trace --duration 1 ls &&
		has_it_as 'bperf top -p 12' perf top -p 12 &&
		has_it_as 'bperf trace -e openat -- ls' perf trace -e openat ls &&
		has_it_as 'bperf trace -e openat,read --follow -p 12' strace -f -e trace=openat,read -p 12 &&
		has_it_as 'bperf trace -e file -- ls' strace -e trace=file ls &&
		has_it_as "bperf trace -e '!futex' -- ls" strace -e '!futex' ls &&
		has_it_as 'bperf funccount '"'syscall:{msgctl,msgget,msgrcv,msgsnd,semctl,semget,semop,semtimedop,shmat,shmctl,shmdt,shmget}'"' -- ls' \
			strace -c -e trace=%ipc ls &&
		has_it_as 'bperf trace -e read -T -U -- ls' strace -tt -k -T -yy -e read ls &&
		sed -n 3p "$TMP/out" | same - <(echo '  without a counterpart, left out: -T -y') &&
		has_it_as "bperf funccount 'syscall:*' -- ls \$'a\\033[31m'" strace -c ls $'a\e[31m' &&
		has_it_as 'bperf trace -e openat --follow -p 12' strace --follow-forks --trace=openat --attach 12 &&
		has_it_as "bperf trace 'syscall:*' -- ls" strace -e signal=none -e trace= ls &&
		has_it_as 'bperf trace c:malloc c:free -- ls' ltrace -e malloc,free ls &&
		has_it_as 'bperf trace c:malloc c:free -- ls' ltrace -e malloc+free ls &&
		has_it_as "bperf trace libc:malloc -p 12 'a b'" libc:malloc -p 12 'a b'
}
check 'commands of perf, strace and ltrace are answered with the whole line' others

one_liners()
{
	has_it_as "bperf funccount tracepoint:sched:sched_switch --by 'prev_comm, \$tgid'" \
		bpftrace -e 'tracepoint:sched:sched_switch { @[args->prev_comm, pid] = count(); }' &&
		has_it_as "bperf trace 'kprobe:vfs_read (\$comm == \"pid\" && arg3 > 5)' -p 7 -- ls -l" \
			bpftrace -e 'kprobe:vfs_read /comm == "pid" && arg2 > 5/ { printf("x"); }' -p 7 -c 'ls  -l' &&
		has_it_as "bperf funccount 'kprobe:a (\$tgid == 1)' 'kprobe:b (\$tgid == 1)'" \
			bpftrace -e 'kprobe:a,kprobe:b/pid == 1/{ @ = count(); }' &&
		has_it_as "bperf trace 'uprobe:/bin/sh:main (\$tgid == 1)'" bpftrace -e 'uprobe:/bin/sh:main/pid == 1/{}' &&
		has_it_as "bperf argdist -H 'uprobe:/bin/sh:main():u64:arg1 / 2'" \
			bpftrace -e 'uprobe:/bin/sh:main { @ = hist(arg0 / 2); }' &&
		has_it_as "bperf argdist -H 'kretprobe:f():u64:retval:retval > 0' --linear 0,2000,200 --by '\$comm'" \
			bpftrace -e 'kretprobe:f /retval > 0/ { @b[comm] = lhist(retval, 0, 2000, 200); }' &&
		has_it_as "bperf argdist -S 't:sched:sched_stat_wait():u64:delay' --by '\$tgid, \$cpu'" \
			bpftrace -e 't:sched:sched_stat_wait { @[pid, cpu] = avg(args.delay); }' &&
		has_it_as "bperf argdist -H 'kretprobe:f():u64:\$latency' --by '\$comm'" bpftrace -e \
			'kprobe:f { @s[tid] = nsecs; } kretprobe:f /@s[tid]/ { @[comm] = hist(nsecs - @s[tid]); }' &&
		has_it_as 'bperf trace kprobe:f' bpftrace -e 'kprobe:f { @ = hist() }' &&
		has_it_as "bperf funccount kprobe:f --by '(char *)(arg2), \$probe'" \
			bpftrace -e 'kprobe:f { @[str(arg1), probe] = count(); }' &&
		has_it_as 'bperf profile -F 99' bpftrace -e 'profile:hz:99 { @[ustack(5)] = count(); }' &&
		has_it_as "bperf profile -F '\$(id)'" bpftrace -e 'profile:hz:$(id) { @[kstack] = count(); }' &&
		has_it_as "bperf funccount e:cpu-clock@99 --by '\$comm'" \
			bpftrace -e 'profile:hz:99 { @[comm] = count(); }' &&
		has_it_as 'bperf stackcount tracepoint:syscalls:sys_enter_openat' \
			-e 'tracepoint:syscalls:sys_enter_openat{@[kstack]=count()}' &&
		has_it_as "bperf list 'kprobe:vfs_*'" bpftrace -l 'kprobe:vfs_*'
}
check "bpftrace's one-liners are answered with the line for bperf" one_liners

half_words()
{
	has_it_as 'bperf profile 10' record -p && has_it_as 'bperf profile 10' record -e &&
		has_it_as "bperf profile -- ''" record '' || return
	for words in bpftrace '-e' '-e interval:s:1' 'perf' 'perf nosuch' 'bpftrace -e' 'bpftrace -e x' 'bpftrace -e a:/b' '-e {' '-e a:{@[' '-e a:{@]['; do
		# shellcheck disable=SC2086 # words
		"$BPERF" $words >"$TMP/out" 2>&1 && fail "no error: $words"
		(($(wc -l <"$TMP/out") == 2)) || fail "not two lines: $words" "$(cat "$TMP/out")"
	done
}
check 'half of such a line does no harm' half_words
check 'an empty word is no command' says 127 \
	"bperf: unknown command ''
  bperf --help lists the commands" "$BPERF" ''
check 'an unknown option before the command' says 64 \
	"bperf: unknown option '--frequency'
  the command must come first; bperf --help lists them" "$BPERF" --frequency 5
check 'an unknown option' says 64 \
	"bperf: unknown option '--frequncy'
  did you mean '--frequency'?" "$BPERF" profile --frequncy 5
check 'an abbreviated option' says 64 \
	"bperf: unknown option '--freq'
  did you mean '--frequency'?" "$BPERF" profile --freq 5
check 'garbage for a number' says 64 \
	"bperf: -F: '49x' is not a whole number
  bperf profile --help lists the options" "$BPERF" profile -F 49x
check 'garbage for an interval' says 64 \
	"bperf: interval: '5x' is not a time
  a number, fractions allowed, with ns, us, ms, s, m or h after it" "$BPERF" profile 5x
check 'a program without its dashes' says 64 \
	"bperf: 'sleep': an interval was expected here
  put the program to run after two dashes: bperf profile -- sleep 5" "$BPERF" profile sleep 5
check 'the words of such a program are quoted' says 64 \
	"bperf: unknown option '-x'
  put the program to run after two dashes: bperf offcpu -p 1 -- sleep \$'a\\033[31m\\'b' '\$(id)' -x" \
	"$BPERF" offcpu -p 1 sleep $'a\e[31m\'b' '$(id)' -x
check "perf's --call-graph takes its argument" says 64 \
	"bperf: 'ls': an interval was expected here
  put the program to run after two dashes: bperf profile -g --call-graph dwarf -- ls" \
	"$BPERF" profile -g --call-graph dwarf ls
check 'a word that is no program' says 64 \
	"bperf: 'nosuchprogram': an interval was expected here
  put the program to run after two dashes: -- nosuchprogram 'a b'" "$BPERF" profile nosuchprogram 'a b'
check 'a folder is no program' says 64 \
	"bperf: '/usr': an interval was expected here
  it is a folder: nothing here takes one" "$BPERF" chain --path /usr 1
check 'a third number is no program' says 64 \
	"bperf: '3': no word may follow interval and count
  bperf profile --help lists the options" "$BPERF" profile 1 2 3
check 'a third number after probes' says 64 \
	"bperf: '3': no word may follow interval and count
  bperf trace --help lists the options" "$BPERF" trace syscall:getpid 1 2 3
check 'a program for a tool' says 64 \
	"bperf: opensnoop: 'sleep' is one word too many
  put the program to run after two dashes: bperf opensnoop -- sleep 1" "$BPERF" opensnoop sleep 1
check 'a program as an option of bcc' says 64 \
	"bperf: unknown option '-c'
  put the program to run after two dashes: bperf memleak -a 5 -- ls -l /tmp" "$BPERF" memleak -a -c 'ls -l /tmp' 5
check 'an option that no program follows' says 64 \
	"bperf: unknown option '--command'
  bperf memleak --help lists the options" "$BPERF" memleak --command nosuchprogram
check 'a program where options follow' says 64 \
	"bperf: unknown option '-l'
  put the program to run after two dashes: bperf trace 'syscall:*' -- ls -l" "$BPERF" trace ls -l
check 'a program instead of what to measure' says 64 \
	"bperf: 'sleep' has no option that says what to do with it
  put the program to run after two dashes: bperf argdist -C 'syscall:*' -- sleep 1" "$BPERF" argdist sleep 1
check 'dashes without a program' says 64 \
	"bperf: --: no program follows it
  bperf profile --help lists the options" "$BPERF" profile 5 --
check 'two options that contradict' says 64 \
	"bperf: -U conflicts with -K
  bperf profile --help lists the options" "$BPERF" profile -UK
check 'two values for one option' says 64 \
	"bperf: --frequency: already given as -F
  bperf profile --help lists the options" "$BPERF" profile -F 9 --frequency 99
check 'an unknown page' says 64 \
	"bperf: help: there is no page about 'profle'
  did you mean 'profile'?" "$BPERF" help profle
check 'an unknown shell' says 64 \
	"bperf: completion: no file for the shell 'tcsh'
  bperf completion bash, zsh or fish" "$BPERF" completion tcsh
check 'control bytes do not reach the terminal' says 127 \
	"bperf: unknown command '?[31m?ä?'
  bperf --help lists the commands" "$BPERF" $'\e[31m\xffä\xc2\x9b'

numbers_are_strict()
{
	local words status

	for words in '-F 0' '-F -1' '-F 99999999999999999999' '-F 1e3' '-F 0x' '-F ,' '-c 0' '-p 0' \
		'-p 1,' '-p x' '-p 5-' '-C 99999' '--uid nobody-here' '--top -1' '--by zebra' '0' '-1' \
		'1 0' '1 -1' '1 1.5' '1 2 3' '1s2' 'nan' 'inf' '1e1' '99999h'; do
		status=0
		# shellcheck disable=SC2086 # words
		timeout 10 "$BPERF" profile $words >"$TMP/out" 2>&1 || status=$?
		((status == 64)) || fail "status $status for: $words" "$(cat "$TMP/out")"
		(($(wc -l <"$TMP/out") <= 3)) || fail "too many lines for: $words" "$(cat "$TMP/out")"
	done
}
check 'numbers are read whole and in range' numbers_are_strict

# ---- links ------------------------------------------------------------------------------------

ln -s "$BPERF" "$TMP/bperf-profile"
ln -s "$BPERF" "$TMP/profile"
ln -s "$BPERF" "$TMP/bperf-0.1.0-linux-x86_64"
check 'a link bperf-profile is profile' prints '^Usage: bperf profile' "$TMP/bperf-profile" --help
check 'a link profile is profile' prints '^Usage: bperf profile' "$TMP/profile" --help
check 'any other name is bperf' prints '^Usage: bperf COMMAND' \
	"$TMP/bperf-0.1.0-linux-x86_64" --help

no_name()
{
	(exec -a '' "$BPERF") 2>&1 | grep -q '^Usage'
}
check 'an empty argv does not crash' no_name

# ---- install ----------------------------------------------------------------------------------

installs()
{
	mkdir "$TMP/a" && "$BPERF" install "$TMP/a" >"$TMP/out" || return
	"$TMP/a/bperf-profile" --help | grep -q '^Usage: bperf profile' || return
	[ ! -e "$TMP/a/profile" ] && [ ! -e "$TMP/a/bperf-help" ] && grep -q profile "$TMP/out" &&
		"$BPERF" install "$TMP/a"
}
check 'install makes links, and again' installs

installs_bare()
{
	mkdir "$TMP/b" && "$BPERF" install --bare "$TMP/b" &&
		"$TMP/b/profile" --help | grep -q '^Usage: bperf profile'
}
check 'install --bare makes bare links' installs_bare

installs_beside()
{
	mkdir "$TMP/c" && cp "$BPERF" "$TMP/c/bperf" && "$TMP/c/bperf" install "$TMP/c" || return
	[ "$(readlink "$TMP/c/bperf-profile")" = bperf ]
}
check 'links beside the file survive a move' installs_beside

spares_others()
{
	local status=0

	mkdir "$TMP/d" && echo mine >"$TMP/d/bperf-profile"
	"$BPERF" install "$TMP/d" 2>"$TMP/err" || status=$?
	((status == 1)) && [ "$(cat "$TMP/d/bperf-profile")" = mine ] &&
		grep -q 'another file has that name' "$TMP/err" || return
	ln -sf /bin/sh "$TMP/d/bperf-profile" && ! "$BPERF" install "$TMP/d" &&
		[ "$(readlink "$TMP/d/bperf-profile")" = /bin/sh ]
}
check 'install never replaces a file of others' spares_others
check 'install --help is not a directory' prints '^Usage: bperf install' "$BPERF" install --help
check 'install needs a directory' says 64 \
	"bperf: install: one directory is needed
  bperf install --help lists the options" "$BPERF" install
check 'install needs a directory that exists' says 1 \
	"bperf: cannot link into '/nonexistent': No such file or directory" \
	"$BPERF" install /nonexistent

# ---- descriptors ------------------------------------------------------------------------------

full()
{
	local status=0

	"$BPERF" --help >/dev/full 2>"$TMP/err" || status=$?
	((status == 1)) && grep -q 'No space left' "$TMP/err"
}
check 'a full disk is an error' full

closed()
{
	local status=0

	"$BPERF" --help >&- 2>"$TMP/err" || status=$?
	((status == 1)) && grep -q 'Bad file descriptor' "$TMP/err"
}
check 'a closed stdout is an error' closed

all_closed()
{
	local status=0

	"$BPERF" profile --bogus <&- >&- 2>&- || status=$?
	((status == 64))
}
check 'all descriptors closed: the status stays' all_closed

not_reused()
{
	# Otherwise the first file to be opened would become descriptor 1 and get the report.
	((EUID)) && skip_because 'needs root'
	local status=0

	"$BPERF" profile -I -F 199 -o "$TMP/report.txt" 0.3 >&- 2>"$TMP/err" || status=$?
	((status == 0)) && [ -s "$TMP/report.txt" ]
}
check 'a file we open does not become stdout' not_reused

reader_gone()
{
	local i

	for ((i = 0; i < 20; i++)); do
		"$BPERF" help profile 2>&1 | head -n 1 >/dev/null
		((PIPESTATUS[0] == 0 || PIPESTATUS[0] == 141)) || return
	done
}
check 'a reader that leaves is no error' reader_gone
