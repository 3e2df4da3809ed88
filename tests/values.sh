#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Random expressions have the value that the C compiler gives them where bperf computes them itself
# (--open, of what programs have left in maps).  The slice of tests/truth/expr-values.sh.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
VALUES=$WORK/values
[ -x "$VALUES/values" ] || { skip 'random expressions' 'build/tests/work/values is not built'; exit; }

slice()
{
	"$VALUES/values" eval 1 "$(($(wc -l <"$VALUES/want") / 3))" "$VALUES/thing.o" "$VALUES/want" \
		>"$TMP/slice" || fail "$(cat "$TMP/slice")"
	sed 's/^/# /' "$TMP/slice"
}
check 'a fixed slice of random expressions is what C says' slice
