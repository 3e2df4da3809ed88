# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The slice of random expressions that is built with the tests, and always the same.

VALUES=$WORK/values
[ -x "$VALUES/values" ] || { skip 'random expressions' 'build/tests/workloads/values is not built'; exit; }

# slice WORD: what computes them, as tests/codegen/values.c names it ("check", "eval").
slice()
{
	"$VALUES/values" "$1" 1 "$(($(wc -l <"$VALUES/want") / 3))" "$VALUES/thing.o" "$VALUES/want" \
		>"$TMP/slice" || fail "$(cat "$TMP/slice")"
	sed 's/^/# /' "$TMP/slice"
}
