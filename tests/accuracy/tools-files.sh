#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about processes and files report what happened: in programs that do a known amount of work.
#
# long: a run for each tool of this family, 40 s
# kernels: 5.10 newest
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
copied_symbols

# ---- processes --------------------------------------------------------------------------------

execs()
{
	tool execsnoop -x -- sh -c '/bin/echo one "two words"; /bin/echo three; /nonexistent/four; true'
	exactly "$(values ret args | grep -E '^[0-9A-Z]+ (/bin/echo|/nonexistent)')" \
		"$(printf '%s\n' '0 /bin/echo one two words' '0 /bin/echo three' 'ENOENT /nonexistent/four')" programs
	tool execsnoop -l two -- sh -c '/bin/echo one "two words"; /bin/echo three; true'
	exactly "$(values args | grep -c ^/bin/echo)" 1 'with two in their arguments'
	tool execsnoop -q --max-args 4 -- sh -c '/bin/echo "two words" "" "\"q\\" five; /bin/echo ""; true'
	exactly "$(values args | grep '^"/bin/echo')" '"/bin/echo" "two words" "" "\"q\\" ...
"/bin/echo" ""' 'quoted arguments'
	tool execsnoop -M -C -- sh -c '/bin/echo one; true'
	exactly "$(values pcomm ppcomm args | grep ^echo)" 'echo sh /bin/echo one' 'the parent'
	tool execsnoop --max-args 2 -- sh -c '/bin/echo one two three; /bin/echo four'
	exactly "$(values args | grep ^/bin/echo | xargs -d '\n' printf '%s|')" '/bin/echo one ...|/bin/echo four|' 'two words of each'
}
check 'execsnoop: programs, their arguments, what failed' execs

exits()
{
	tool exitsnoop -- sh -c 'sh -c "exit 7"; true; exec true'
	exactly "$(values code signal | sort | xargs)" '0 0 7 0' 'codes and signals'
	tool exitsnoop -x -- sh -c 'sh -c "kill -TERM \$\$"; exit 0'
	exactly "$(values code signal)" '0 15' 'those that failed'
	"$BPERF" exitsnoop -- sh -c 'sh -c "kill -TERM \$\$"; sh -c "exit 7"; exit 0' >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk '{ sub(/.*[0-9]\.[0-9]+ */, ""); sub(/.* EXIT/, "EXIT"); print }' "$TMP/stdout")" \
		'EXIT_CODE
signal 15 (TERM)
code 7
0' 'exit codes as text'
	tool exitsnoop -T --label here -- "${PY[@]}" '
import threading
for i in range(3):
	t = threading.Thread(target=int)
	t.start()
	t.join()'
	exactly "$(values label | uniq -c | xargs)" '4 here' 'threads, with a label'
	tool exitsnoop -- "${PY[@]}" '
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
def late():
	libc.prctl(15, b"late", 0, 0, 0)
	time.sleep(0.2)
	os._exit(0)
threading.Thread(target=late).start()
open("/proc/self/comm", "w").write("first")
libc.syscall(60 if os.uname().machine == "x86_64" else 93, 0)'
	exactly "$(got '[.[] | select(.type == "event") | [.args.pcomm, .args.tid == .args.pid]]')" '[["first",true]]' \
		'a process whose first thread has ended before another'
}
check 'exitsnoop: each process that ends, its code, its signal' exits

threads()
{
	tool threadsnoop -- "${PY[@]}" '
import threading
for i in range(6):
	t = threading.Thread(target=lambda: 0)
	t.start()
	t.join()'
	exactly "$(values pid | wc -l)" 6 threads
}
check 'threadsnoop: each thread' threads

lines()
{
	[[ $(nm -D /bin/bash 2>/dev/null) == *' T readline'* ]] || skip_because 'bash without readline'
	tool bashreadline -s /bin/bash -- /usr/bin/python3 -I -c '
import os, pty, sys
pid, fd = pty.fork()
if not pid:
	os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], {"PS1": "$ ", "TERM": "dumb", "HISTFILE": ""})
os.write(fd, b"true first line\ntrue second\nexit 0\n")
try:
	while os.read(fd, 4096): pass
except OSError: pass
os.waitpid(pid, 0)'
	exactly "$(values command | xargs -d '\n' printf '%s|')" 'true first line|true second|exit 0|' 'what was typed'
}
check 'bashreadline: each line that was typed' lines

# A terminal of a program that writes to it, and to another one, when $TMP/go is there.
cat >"$TMP/terminal.py" <<EOF2
import os, pty, time
master, slave = pty.openpty()
other, elsewhere = pty.openpty()
print(os.ttyname(slave), flush=True)
while not os.path.exists("$TMP/go"): time.sleep(0.02)
os.write(slave, b"one \x1b[1mbold\n")
os.write(elsewhere, b"not here\n")
os.write(slave, b"x" * 300)
os.rename("$TMP/go", "$TMP/gone")
EOF2

terminals()
{
	local name i

	need_kernel_functions
	for i in path number; do
		"${PY[@]::3}" "$TMP/terminal.py" >"$TMP/name.$i" &
		poll test -s "$TMP/name.$i" || fail 'no terminal'
		name=$(<"$TMP/name.$i")
		[ $i = path ] || name=${name#/dev/pts/}
		tool_beside ttysnoop -s 100 -c 2 "$name" // sh -c ": >'$TMP/go'; until [ -e '$TMP/gone' ]; do sleep 0.05; done"
		wait %1
		rm "$TMP/gone"
		exactly "$(got '[.[] | select(.type == "event") | .args | [.comm, .bytes, (.data | rtrimstr("..."))]]')" \
			"[[\"python3\",13,\"one \\u001b[1mbold\\n\"],[\"python3\",300,\"$(printf 'x%.0s' {1..200})\"]]" "writes, by $i"
	done
	! "$BPERF" ttysnoop /dev/null 2>"$TMP/err" || fail 'it took /dev/null for a terminal'
	grep -q "there is no terminal '/dev/null'" "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'ttysnoop: what is written to one terminal' terminals

kills='
import os, signal
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
for i in range(7): os.kill(os.getpid(), signal.SIGUSR1)
try: os.kill(2**22 + 7, signal.SIGTERM)
except OSError: pass'

signals()
{
	tool killsnoop -- "${PY[@]}" "$kills"
	exactly "$(values sig result | sort | uniq -c | xargs)" '1 SIGTERM ESRCH 7 SIGUSR1 0' signals
	tool killsnoop -x -- "${PY[@]}" "$kills"
	exactly "$(values sig tpid)" 'SIGTERM 4194311' 'those that failed'
	tool killsnoop 10 -- "${PY[@]}" "$kills"
	exactly "$(values sig | sort | uniq -c | xargs)" '7 SIGUSR1' 'of one number'
	local tgkill='
import signal, threading
for i in range(3): signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)'
	tool killsnoop 10 -- "${PY[@]}" "$kills$tgkill"
	exactly "$(values sig | sort | uniq -c | xargs)" '10 SIGUSR1' 'also by tgkill'
	tool killsnoop -k 10 -- "${PY[@]}" "$kills$tgkill"
	exactly "$(values sig | sort | uniq -c | xargs)" '7 SIGUSR1' 'by kill only'
	"$BPERF" killsnoop -n -x -- "${PY[@]}" "$kills" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk '$5 == 4194311 { print $4, $6 }' "$TMP/stdout")" 'SIGTERM -3' 'the name of a signal'
}
check 'killsnoop: sender, target, signal and result' signals

generated()
{
	tool sigsnoop -s 12 -- "${PY[@]}" '
import os, signal
signal.signal(signal.SIGUSR2, lambda *a: 0)
for i in range(5): os.kill(os.getpid(), signal.SIGUSR2)'
	exactly "$(values sig | xargs)" 'SIGUSR2 SIGUSR2 SIGUSR2 SIGUSR2 SIGUSR2' signals
	tool sigsnoop -s 28 --tcomm thonx -- "${PY[@]}" 'import os; os.kill(os.getpid(), 28)'
	exactly "$(values sig)" '' 'to threads of another name'
	tool sigsnoop -k -- "${PY[@]}" "$kills"
	exactly "$(values sig result | sort | uniq -c | xargs)" '1 SIGTERM ESRCH 7 SIGUSR1 0' 'what was sent by calls'
	tool sigsnoop -k -x -- "${PY[@]}" "$kills"
	exactly "$(values sig tpid)" 'SIGTERM 4194311' 'what could not be sent'
	"$BPERF" sigsnoop -n -s 28 -- sh -c 'kill -WINCH $$' >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk '$3 == "sh" { print $4 }' "$TMP/stdout")" SIGWINCH 'the name of a signal'
}
check 'sigsnoop: each signal of a number' generated
check 'sigsnoop: columns in order' headings sigsnoop '' 'TIME PID COMM SIG TPID RESULT TCOMM CODE'
check 'exitsnoop: columns in order' headings exitsnoop '' 'PCOMM PID PPID TID AGE(s) EXIT_CODE'
check 'execsnoop: columns in order' headings execsnoop -T 'TIME PCOMM PID PPID RET ARGS'
check 'opensnoop: columns in order' headings opensnoop -U 'UID PID COMM FD ERR PATH'
check 'statsnoop: columns in order' headings statsnoop '' 'PID COMM FD ERR PATH'

pids()
{
	tool execpid python3 -- sh -c 'for i in 1 2 3; do /usr/bin/python3 -c "import os; print(os.getpid())"; done'
	exactly "$(values pid | xargs)" "$(grep -xE '[0-9]+' "$TMP/stdout" | xargs)" pids
}
check 'execpid: the pid of each process of a name' pids

# ---- files ------------------------------------------------------------------------------------

opens()
{
	local program="
import os
for i in range(20):
	os.close(os.open('$TMP/there', os.O_RDONLY))
	try: os.open('$TMP/missing', os.O_RDONLY)
	except OSError: pass
os.close(os.open('$TMP/there', os.O_WRONLY))"

	echo x >"$TMP/there"
	tool opensnoop -- "${PY[@]}" "$program"
	exactly "$(values err path | grep -c "^0 $TMP/there\$")" 21 'files that are there'
	exactly "$(values fd err path | grep -c "^-1 2 $TMP/missing\$")" 20 'files that are not'
	tool opensnoop -x -- "${PY[@]}" "$program"
	exactly "$(values path | grep -c "^$TMP/")" 20 'those that failed'
	tool opensnoop -f O_WRONLY -e -- "${PY[@]}" "$program"
	exactly "$(values path | grep "^$TMP/")" "$TMP/there" 'those to be written'
	tool opensnoop -f O_WRONLY -f O_CREAT -- "${PY[@]}" "
import os
for flags in 0, os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_RDWR | os.O_CREAT: os.open('$TMP/there', flags, 0o640)"
	exactly "$(values path | grep -cx "$TMP/there")" 3 'with one of two flags'
	tool opensnoop -f O_RDONLY -e -- "${PY[@]}" "
import os
for flags in 0, os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_RDWR | os.O_CREAT: os.open('$TMP/there', flags, 0o640)"
	exactly "$(got "[.[] | select(.type == \"event\" and .args.path == \"$TMP/there\") | .args | [.flags % 524288, .mode]]")" '[[0,0],[64,416]]' \
		'to be read only: their flags, and the mode if they may make the file'
	tool opensnoop -n nothing-like-it -- "${PY[@]}" "$program"
	exactly "$(values path | wc -l)" 0 'threads of another name'
	ln -s there "$TMP/link"
	tool opensnoop -F -- sh -c "cd '$TMP'; cat link missing; true"
	exactly "$(values err path | grep -E '(there|link|missing)$' | xargs -d '\n' printf '%s|')" "0 $TMP/there|2 missing|" \
		'whole paths'
}
check 'opensnoop: each open, its file, its result' opens

stats()
{
	local program="
import os
for i in range(12):
	try: os.stat('$TMP/missing')
	except OSError: pass
os.stat('$TMP')"

	tool statsnoop -- "${PY[@]}" "$program"
	exactly "$(values fd err path | grep -c "^-1 2 $TMP/missing\$")" 12 'files that are not there'
	exactly "$(values fd err path | grep -c "^0 0 $TMP\$")" 1 'one that is'
	tool statsnoop -x -- "${PY[@]}" "$program"
	exactly "$(values path | grep -c "^$TMP\$")" 0 'one that is, with -x'
	tool statsnoop -s -- "${PY[@]}" "$program"
	exactly "$(values call path | grep -cE "^[a-z]*stat[a-z]* $TMP/missing\$")" 12 'with their names'
}
check 'statsnoop: each call, its file, its result' stats

mounts()
{
	need_mounts
	mkdir -p "$TMP/mnt"
	local program="
import ctypes
c = ctypes.CDLL(None)
assert not c.unshare(0x20000) and not c.mount(b'none', b'/', None, 0x44000, None)
assert not c.mount(b'source', b'$TMP/mnt', b'tmpfs', 0, None)
assert not c.umount2(b'$TMP/mnt', 2)"

	tool mountsnoop -- "${PY[@]}" "$program"
	exactly "$(values call ret source target type | grep "$TMP/mnt")" \
		"$(printf '%s\n' "mount 0 source $TMP/mnt tmpfs" "umount 0 null $TMP/mnt null")" calls
	exactly "$(values mnt_ns target | grep -c "^[1-9][0-9]* $TMP/mnt")" 2 'calls in a mount namespace'
	tool mountsnoop -P -- sh -c '"$@"; true' x "${PY[@]}" "$program"
	exactly "$(values call target pcomm | grep "$TMP/mnt" | xargs)" "mount $TMP/mnt sh umount $TMP/mnt sh" parents
	"$BPERF" mountsnoop -d -- "${PY[@]}" "$program" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(sed -n '/^OP: *mount/,/^$/p' "$TMP/stdout" | sed -n 's/^SOURCE: //p; s/^FS: *//p; s/^RET: *//p; s/^DATA: *//p' | xargs)" \
		'0 none 0 source tmpfs' 'a line for each value'
}
check 'mountsnoop: mount and umount, with their arguments' mounts

# A mount by the calls that Linux 5.2 added, whose numbers are the same on all architectures.
new_mounts()
{
	need_mounts
	mkdir -p "$TMP/mnt"
	"$BPERF" mountsnoop -- "${PY[@]}" "
import ctypes, os
c = ctypes.CDLL(None)
assert not c.unshare(0x20000) and not c.mount(b'none', b'/', None, 0x44000, None)
fs = c.syscall(430, b'tmpfs', 1)
assert not c.syscall(431, fs, 1, b'size', b'2m', 0) and not c.syscall(431, fs, 6, None, None, 0)
mount = c.syscall(432, fs, 1, 3)
print(fs, mount, flush=True)
assert not c.syscall(429, mount, b'', -100, b'$TMP/mnt', 4)
os.close(mount)
os.close(c.syscall(428, -100, b'$TMP/mnt', 1))
os.close(c.syscall(433, -100, b'$TMP/mnt', 1))
c.umount2(b'$TMP/mnt', 8); c.umount2(b'$TMP/mnt', 8)" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	local fs mount

	read -r fs mount < <(grep "^[0-9]* [0-9]*\$" "$TMP/stdout")
	exactly "$(sed -n 's/^python3 .* [0-9]*  *\([a-z_]*(.*\)/\1/p' "$TMP/stdout" | sed 's/ = [1-9][0-9]*$/ = FD/')" \
		"mount(\"none\", \"/\", \"\", MS_REC|MS_PRIVATE, \"\") = 0
fsopen(\"tmpfs\", FSOPEN_CLOEXEC) = FD
fsconfig($fs, FSCONFIG_SET_STRING, \"size\", \"2m\", 0) = 0
fsconfig($fs, FSCONFIG_CMD_CREATE, \"\", \"\", 0) = 0
fsmount($fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY|MOUNT_ATTR_NOSUID) = FD
move_mount($mount, \"\", AT_FDCWD, \"$TMP/mnt\", MOVE_MOUNT_F_EMPTY_PATH) = 0
open_tree(AT_FDCWD, \"$TMP/mnt\", OPEN_TREE_CLONE) = FD
fspick(AT_FDCWD, \"$TMP/mnt\", FSPICK_CLOEXEC) = FD
umount(\"$TMP/mnt\", UMOUNT_NOFOLLOW) = 0
umount(\"$TMP/mnt\", UMOUNT_NOFOLLOW) = EINVAL" 'calls as in source'
}
check 'mountsnoop: a mount by several calls' new_mounts

syncs()
{
	tool syncsnoop -- "${PY[@]}" "
import os
fd = os.open('$TMP/synced', os.O_RDWR | os.O_CREAT)
for i in range(4): os.fsync(fd)
for i in range(3): os.fdatasync(fd)"
	exactly "$(values call | sort | uniq -c | xargs)" '3 fdatasync 4 fsync' calls
}
check 'syncsnoop: each of its kind' syncs

writes()
{
	tool writesnoop -- dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none
	exactly "$(got '[.[] | select(.type == "count" and .key.COMM == "dd") | .value]')" '[5000]' writes
}
check 'writesnoop: writes by program' writes

reads()
{
	tool readdist -- dd if=/dev/zero of=/dev/null bs=100000 count=70 status=none
	exactly "$(got '[.[] | select(.type == "hist" and .key.COMM == "dd") | .buckets[] | select(.lo == 65536) | .n]')" \
		'[70]' 'reads of 100000 bytes'
}
check 'readdist: sizes of reads by program' reads

loaded()
{
	printf '#!/bin/sh\ntrue\n' >"$TMP/script"
	chmod 755 "$TMP/script"
	tool elfsnoop -- sh -c "'$TMP/script'; /bin/echo"
	exactly "$(values file called | grep -E "^(/bin/sh $TMP|/bin/echo)" | xargs)" "/bin/sh $TMP/script /bin/echo /bin/echo" files
	exactly "$(values file inode | sed -n 's,^/bin/echo ,,p')" "$(stat -L -c %i /bin/echo)" 'the inode'
}
check 'elfsnoop: each program, what was loaded' loaded

arguments()
{
	tool argv-of echo -- sh -c '/bin/echo one "two words"; /bin/true; /bin/echo three'
	exactly "$(values args | xargs -d '\n' printf '%s|')" '/bin/echo one two words|/bin/echo three|' 'arguments'
}
check 'argv-of: arguments of programs of a name' arguments
