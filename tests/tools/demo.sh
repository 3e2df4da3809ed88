#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/tools/demo.sh: the script of `make run`.  Profiles a small load of three threads that wait for each
# other (tests/workloads/demo.c), so that there is something to see on an idle host, and prints where the
# pictures are and what to try next.

set -eu
cd "$(dirname "$0")/../.."
BPERF=${BPERF:-build/bperf}
DEMO=${WORK:-build/tests/workloads}/demo
OUT=build/demo
SECONDS_EACH=3

mkdir -p "$OUT"

# bperf gives the program to the user who called sudo; the files are that user's too.
own()
{
	[ -z "${SUDO_UID-}" ] || chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$OUT"
}

show()
{
	printf '\n$ bperf %s\n' "$*"
	"$BPERF" "$@"
}

show profile --top 4 -F 199 -o "$OUT/profile.txt" -o "$OUT/profile.svg" -- "$DEMO" "$SECONDS_EACH"
cat "$OUT/profile.txt"
show offcpu --states -- "$DEMO" "$SECONDS_EACH"
show chain -o "$OUT/chain.svg" -- "$DEMO" "$SECONDS_EACH"
own

cat <<END

Open these in a browser (click to zoom, Ctrl-F to search):
  $OUT/profile.svg   where the load spent CPU time
  $OUT/chain.svg     where it waited, and who ended each wait

Try next, as root:
  $BPERF profile 5                      CPU time of the whole host, as text
  $BPERF offcpu --states 5              what each process does: run, wait for a CPU, disk, lock
  $BPERF trace -M 5 syscall:openat      five files that somebody opens
  $BPERF doctor                         what works on this host, and why the rest does not
END
