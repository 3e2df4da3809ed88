#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# `make run` shows something on an idle host: names in the text, and pictures in the files that it names.
#
# kernels: none

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_root
[ -x "$WORK/demo" ] || { skip demo 'workloads are not built (make work)'; exit 0; }

shows_the_load()
{
	local name file

	timeout -k 5 60 tests/tools/demo.sh >"$TMP/out" 2>&1 || fail "$(tail -n 20 "$TMP/out")"
	for name in count_words sort_words 'demo (' 'bperf offcpu --states 5'; do
		grep -qF -- "$name" "$TMP/out" || fail "no '$name' in:" "$(cat "$TMP/out")"
	done
	for file in build/demo/profile.svg build/demo/chain.svg; do
		grep -qF -- "$file  " "$TMP/out" || fail "$file is not named"
		grep -q '</svg>' "$file" || fail "$file is not a picture"
	done
	! grep -q '^0 samples' "$TMP/out" || fail "$(cat "$TMP/out")"
}
check 'make run shows where a small load spends its time, and writes pictures' shows_the_load
