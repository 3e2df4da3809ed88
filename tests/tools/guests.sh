#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The results of tests/vm/vm for guests that end in odd ways, with a script in place of the machine.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need python3

cat >"$TMP/tale.py" <<'EOF'
import runpy, sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/vm")
import debian
import machine


class Kernel:
    def __init__(self, name, arch):
        self.name, self.arch = name, arch
        self.version, self.release = "0.0", "0.0.0-tale"


class Machine(machine.Machine):
    def __init__(self, kernel, **more):
        self.boots = iter(TALE)

    def boot(self, command, add_files, on_output, timeout):
        result = machine.Result()
        result.is_started, result.status, result.log, said = next(self.boots)
        on_output(0, said.replace(b"COMMAND", command.encode()))
        return result


debian.Kernel, machine.Machine = Kernel, Machine
TALE = eval(sys.argv[1])
sys.argv[1:] = sys.argv[2:]
runpy.run_path("tests/vm/vm", run_name="__main__")
EOF

# tell STATUS TALE ARGUMENTS...: each boot is given as (started?, status, kernel log, output).  COMMAND in its
# output stands for what the guest is told to run.
tell()
{
	local want=$1 status=0

	shift
	python3 "$TMP/tale.py" "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == want)) || fail "exit status $status, want $want" "$(cat "$TMP/out" "$TMP/err")"
}

# says FILE REGEX
says()
{
	grep -Eq "$2" "$1" || fail "not said: $2" "$(cat "$1")"
}

fails_alone()
{
	tell 1 '[(True, 3, "", b"")]' 6.1 cli/list
	says "$TMP/out" '^not ok - 0.0: 0 results, and exit status 3'
	tell 1 '[(True, 0, "", b"")]' 6.1 cli/list
	says "$TMP/out" '^not ok - 0.0: 0 results'
	tell 1 '[(True, 1, "", b"ok - x\n")]' 6.1 cli/list
	says "$TMP/out" '^not ok - 0.0: 1 results, and exit status 1'
}
check 'a guest without results, or that fails without a message, is a failure' fails_alone

# scripts ARGUMENTS...: the scripts that a guest runs.
scripts()
{
	tell 1 '[(True, 0, "", b"ok - x\n# COMMAND")]' "$@"
	grep -o 'tests/[a-z]*/[a-z-]*\.sh' "$TMP/out" | grep -v guest.sh
}

halves_are_the_whole()
{
	scripts 6.1 | sort >"$TMP/whole"
	(($(wc -l <"$TMP/whole") > 10)) || fail "$(cat "$TMP/out")"
	{ scripts --part 1of2 6.1; scripts --part 2of2 6.1; } | sort >"$TMP/halves"
	same "$TMP/whole" "$TMP/halves"
}
check 'two halves of a guest run all of its scripts, each once' halves_are_the_whole

without_doctor()
{
	tell 1 '[(True, 0, "", b"ok - x\n")]' 6.1 cli/list
	says "$TMP/out" '^not ok - 0.0: features are as recorded'
	tell 1 '[(True, 0, "", b"# doctor: \nok - x\n")]' 6.1 cli/list
	says "$TMP/out" '^not ok - 0.0: features are as recorded'
}
check 'a guest in which doctor prints nothing is a failure' without_doctor

kernel_complains()
{
	local line

	for line in 'Call trace:' 'Call Trace:' 'Internal error: Oops: 96000004' \
		'refcount_t: underflow; use-after-free.' 'WARNING: CPU: 0 PID: 1'; do
		tell 1 "[(True, 0, '[ 1.0] $line', b'')]" 6.1 -- true
		says "$TMP/err" "kernel log: .*$line"
	done
	tell 7 '[(True, 7, "WARNING: CPU", b"")]' 6.1 -- 'exit 7'
	tell 0 '[(True, 0, "[ 1.0] all is well", b"")]' 6.1 -- true
}
check 'a complaint of the kernel fails the command too' kernel_complains

booted_again()
{
	tell 0 '[(False, None, "", b""), (True, 0, "", b"")]' 6.1 -- true
	says "$TMP/err" '0.0.0-tale died before the command began, and was booted again: 1 of 2 boots'
}
check 'a guest that was booted again is reported' booted_again

# An archive that replaces a kernel by its successor after a list of it was kept.
cat >"$TMP/archive.py" <<'EOF'
import os, sys, time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/vm")
import debian

HAS, LISTED, NETWORK = "6.12.2", "6.12.1", True


def call(*command, **more):
    global LISTED
    words = " ".join(command)
    if command[0] == "apt-cache":
        return "linux-image-%s-cloud-amd64\n" % LISTED
    if " update" in words:
        if not NETWORK:
            raise debian.Failure("no network")
        LISTED = HAS
    if " download " in words and (not NETWORK or HAS not in words):
        raise debian.Failure("404 Not Found")
    assert command[0] != "apt-get" or "APT::Get::AllowUnauthenticated=false" in command
    assert command[0] != "apt-get" or "Acquire::AllowInsecureRepositories=false" in command
    return ""


def kernel(**more):
    return debian.Kernel("6.12", "amd64", **more).release


debian.call = call
debian.archive = lambda: ("http://archive", "trixie")
debian.unpacked = lambda files, match: [("boot/vmlinuz", type("M", (), {"isreg": lambda self: True})(), b"")]
memo = debian.CACHE + "/kernels/6.12-amd64.json"
apt = debian.Apt("trixie", "amd64")  # reads the list of today
LISTED = "6.12.1"                    # ... which is one of yesterday
assert kernel() == "6.12.2-cloud-amd64", "what is gone has no successor"

HAS = "6.12.3"
assert kernel() == "6.12.2-cloud-amd64", "what is there is not taken"
os.utime(memo, (0, 0))
assert kernel() == "6.12.3-cloud-amd64", "an old note is trusted"
HAS = "6.12.4"
assert kernel(is_fresh=True) == "6.12.4-cloud-amd64", "--fetch is content with what is there"

NETWORK = False
os.utime(memo, (0, 0))
assert kernel() == "6.12.4-cloud-amd64", "without a network what is there does not do"
assert time.time() - os.path.getmtime(memo) < 60, "it is asked for at each start"
EOF

stale_list()
{
	XDG_CACHE_HOME=$TMP/cache python3 "$TMP/archive.py"
}
check 'a kernel that is gone from the archive has a successor, a new one is noticed' stale_list
