#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Names when files are deleted, when code changes and in other namespaces; and never a wrong name.
# Languages and kinds of files, which do not depend on the kernel, are tested in profile-symbols.sh.
#
# long: programs that live for 47 s in all
# kernels: 5.10
# shared: its counts do not depend on the CPU time that it gets

# shellcheck disable=SC2016 # programs for an inner shell
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq

fast=(-q -U -e cpu-clock -F 299)

gone()
{
	local dir

	dir=$(tmpdir)
	cp "$WORK/gone" "$dir/gone"
	profile "${fast[@]}" -o "$TMP/g.folded" -- "$dir/gone" 0.5 "$1" >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/g.folded" ';gone_work')" 20 'samples with names'
}
check 'a program that deletes its own file keeps its names' gone unlink
check 'a program whose file is replaced keeps its names' gone replace
check 'a program that runs from memory keeps its names' gone memfd

late()
{
	local n

	profile "${fast[@]}" -o "$TMP/l.folded" -- "$WORK/late" 0.8 >/dev/null || fail "exit status $?"
	n=$(total "$TMP/l.folded" ';(before_load|plug_)')
	share "$(total "$TMP/l.folded" ';plug_work;plug_hidden')" "$n" 0.5 'samples in the library'
	start late 3
	profile "${fast[@]}" -f -p "$PID" 20 >"$TMP/l.folded" 2>/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/l.folded" ';plug_work;plug_hidden')" 50 'samples in the library (-p)'
}
check 'a library that is loaded later has names' late

# The same address is another function later: a library closed and another opened in its place.
remapped()
{
	local dir n

	have objcopy
	dir=$(tmpdir)
	cp "$WORK/plug.so" "$dir/one.so"
	objcopy --redefine-sym plug_hidden=other_hidden "$WORK/plug.so" "$dir/two.so" || fail objcopy
	profile "${fast[@]}" -o "$TMP/rm.folded" -- "$WORK/late" 3.6 "$dir/one.so" "$dir/two.so" \
		>"$TMP/late.truth" || fail "exit status $?"
	[ "$(grep '^at' "$TMP/late.truth" | sort -u | wc -l)" = 1 ] || skip_because 'not at the same address'
	n=$(total "$TMP/rm.folded" ';(before_load|plug_hidden|other_hidden)')
	# A third each, but samples from before the new mapping is noticed still have the old names.
	between "$(total "$TMP/rm.folded" ';plug_hidden')" $((n / 5)) $((n / 2)) 'samples in the first library'
	between "$(total "$TMP/rm.folded" ';other_hidden')" $((n / 6)) $((n / 2)) 'samples in the second library'
}
check 'a library in the place of another has its own names' remapped

# Two programs of one name in one process, both at fixed addresses: exec changes the names.
reexecuted()
{
	local dir one n

	have cc
	dir=$(tmpdir)
	for one in first second; do
		mkdir "$dir/$one"
		cat >"$dir/$one.c" <<-EOF
			#include <time.h>
			#include <unistd.h>
			static void ${one}_work(void)
			{
				while (clock() < CLOCKS_PER_SEC * (${#one} - 4) / 3)
					for (volatile int i = 0; i < 1000000; i++)
						;
			}
			int main(int argc, char **argv)
			{
				${one}_work();
				return argc > 1 ? execl(argv[1], "prog", (char *)0) : 0;
			}
		EOF
		cc -O0 -fno-omit-frame-pointer -static -no-pie -o "$dir/$one/prog" "$dir/$one.c" 2>/dev/null ||
			skip_because 'cannot link static programs here'
	done
	profile "${fast[@]}" -o "$TMP/re.folded" -- "$dir/first/prog" "$dir/second/prog" >/dev/null ||
		fail "exit status $?"
	n=$(total "$TMP/re.folded" ';(first|second)_work')
	share "$(total "$TMP/re.folded" ';first_work')" "$n" 0.5 'samples of the first program'
}
check 'exec changes the names at the same addresses' reexecuted

jit()
{
	local n hot

	profile "${fast[@]}" -o "$TMP/j.folded" -o "$TMP/j.json" -- "$WORK/jit" "$(slow 0.8)" map >/dev/null || fail "exit status $?"
	n=$(total "$TMP/j.folded" ';jit_(hot|cold)')
	hot=$(total "$TMP/j.folded" ';run_jit;jit_hot')
	at_least "$n" 50 'samples with JIT names'
	share "$hot" "$n" 0.75 jit_hot
	jq -es 'any(.[]; .type == "stack" and any(.user[]?; .func == "jit_hot" and .kind == "jit"))' "$TMP/j.json" \
		>/dev/null || fail 'jit_hot is not of kind jit'
	profile "${fast[@]}" -o "$TMP/j.folded" -o "$TMP/j.json" -- "$WORK/jit" 0.4 nomap >/dev/null || fail "exit status $?"
	lacks "$TMP/j.folded" 'jit_hot'
	at_least "$(total "$TMP/j.folded" ';run_jit;\[')" 20 'samples in unnamed code'
	jq_last -e '.symbols.jit_no_map > 0' "$TMP/j.json" >/dev/null || fail "$(tail -n 1 "$TMP/j.json")"
}
at_exit+=('grep -ls jit_cold /tmp/perf-*.map | xargs -r rm -f')
check 'JIT code has the names of its perf map, and a message if there is none' jit

# A program that looks like a JVM, because it has mapped a file with the name of the JVM's library; its
# process is $PID.
jvm()
{
	local dir

	dir=$(tmpdir)
	cp "$WORK/jit" "$dir/libjvm.so"
	"$dir/libjvm.so" 60 "$1" >/dev/null &
	PID=$!
	later "kill -9 $PID 2>/dev/null; rm -f /tmp/.java_pid$PID"
	sleep 0.3
}

# ask HOW: profile it with --jit-maps.
ask()
{
	jvm "$1"
	profile -U -e cpu-clock -F 299 -o "$TMP/jvm.folded" --jit-maps -p "$PID" "$(slow 0.4)" 2>"$TMP/err" ||
		fail "exit status $?" "$(cat "$TMP/err")"
	kill -0 "$PID" || fail 'it does not run any more'
	[ ! -e "/tmp/.attach_pid$PID" ] || fail 'the file that asks is left'
}

asks()
{
	ask ask
	at_least "$(total "$TMP/jvm.folded" ';jit_hot')" 20 'samples with names'
	lacks "$TMP/err" 'jit-maps'
}
check '--jit-maps: a JVM writes the names of its code when it is asked' asks

# refuses HOW WHY
refuses()
{
	ask "$1"
	has "$TMP/err" "java $PID: no names by --jit-maps: $2"
}
check '--jit-maps: a JVM that does not know the request' refuses old 'it does not know the request'
check '--jit-maps: a JVM that does not answer' refuses deaf 'it did not answer in time'
# It has no handler for the signal, which would end it.
check '--jit-maps: a JVM that takes no signals gets none' refuses nomap 'it takes no requests'

unasked()
{
	local dir

	dir=$(tmpdir)
	cp "$WORK/jit" "$dir/libjvm.so"
	profile "${fast[@]}" -o "$TMP/jvm.folded" -- "$dir/libjvm.so" "$(slow 0.4)" ask >"$TMP/jvm.truth" ||
		fail "exit status $?"
	has "$TMP/jvm.truth" 'signals 0'
	lacks "$TMP/jvm.folded" 'jit_hot'
}
check 'a JVM gets no signal unless --jit-maps is given' unasked

# The PLT has no symbols; each architecture and linker has entries of its own.
plt()
{
	profile -q -U -e page-faults -c 1 -o "$TMP/plt.folded" -- "$WORK/plt" 300 >/dev/null || fail "exit status $?"
	exactly "$(total "$TMP/plt.folded" ';tolower@plt ')" 300 'samples in the PLT'
	# Before the calls begin, other calls go through the PLT once.
	between "$(total "$TMP/plt.folded" '@plt')" 300 302 'samples in the PLT, of whatever name'
	lacks "$TMP/plt.folded" '\[plt\]'
}
check 'calls through the PLT have names there' plt

mount_namespace()
{
	local dir

	need_mounts
	dir=$(tmpdir)
	mkdir "$dir/app"
	# The same path outside holds another program, whose names would be wrong ones.
	cp "$WORK/chain" "$dir/app/prog"
	profile "${fast[@]}" -o "$TMP/mnt.folded" -- unshare -m bash -c '
		exec 5<"$2"
		mount -t tmpfs none /tmp && mkdir -p "$1/app" && cat <&5 >"$1/app/prog" || exit
		chmod +x "$1/app/prog"
		"$1/app/prog" "$3" map' sh "$dir" "$WORK/jit" "$(slow 0.5)" >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/mnt.folded" '^prog;.*;run_jit;jit_hot')" 20 'samples with names'
	lacks "$TMP/mnt.folded" '^prog;.*(bottom|step_)'
}
check 'files and perf map of a mount namespace are those inside it' mount_namespace

container()
{
	local dir

	unshare -mpf --mount-proc true 2>/dev/null || skip_because 'no namespaces'
	dir=$(tmpdir)
	mkdir "$dir/app"
	cat >"$dir/run" <<-'EOF'
		exec 5<"$2"
		mount -t tmpfs none /tmp && mkdir -p "$1/app" && cat <&5 >"$1/app/inner" || exit
		chmod +x "$1/app/inner"
		"$1/app/inner" 20 map
	EOF
	unshare -mpf --kill-child --mount-proc bash "$dir/run" "$dir" "$WORK/jit" >/dev/null &
	later "kill -9 $! 2>/dev/null"
	sleep 1
	profile "${fast[@]}" -f --comm inner 0.8 >"$TMP/in.folded" || fail "exit status $?"
	at_least "$(total "$TMP/in.folded" '^inner;.*;run_jit;jit_hot')" 10 'samples with names'
}
check 'a perf map in a container is found by its own pid' container

kernel_names()
{
	profile -q -e cpu-clock -F 299 -K -o "$TMP/k.json" -- "$WORK/syscalls" 0.4 zero >/dev/null || fail "exit status $?"
	jq -es '[.[] | select(.type == "stack") | .kernel[]?] |
		(map(select(.func != null)) | length) >= 0.95 * length and length > 0' "$TMP/k.json" >/dev/null ||
		fail 'kernel frames without names' "$(head -n 3 "$TMP/k.json")"
}
check 'kernel frames have names' kernel_names

ours_are_cut()
{
	profile -q -e cpu-clock -F 299 0.4 -f >"$TMP/o.folded" || fail "exit status $?"
	lacks "$TMP/o.folded" 'bpf_prog_[0-9a-f]{16}_profile|bpf_overflow_handler|perf_swevent_hrtimer'
	profile -q -f -e page-faults -c 1 -o "$TMP/o.folded" -- "$WORK/faults" 100 >/dev/null || fail "exit status $?"
	lacks "$TMP/o.folded" 'bpf_prog_[0-9a-f]{16}_profile|bpf_overflow_handler|___perf_sw_event|__perf_event_overflow'
}
check "bperf's own frames are not in the stacks" ours_are_cut
