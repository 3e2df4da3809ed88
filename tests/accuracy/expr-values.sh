#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Random expressions have the value that the C compiler gives them, and the verifier accepts all of them.
# The slice that is built with the tests is always the same; EXPRESSIONS=100000 generates that many others,
# from seed SEED or the time of day.  tests/codegen/eval.sh evaluates the slice without a kernel.
#
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/codegen/slice.bash
. tests/codegen/slice.bash

check 'a fixed slice of random expressions has the values of C' slice check

# As many as a compiler takes at once.
CHUNK=5000

chunk() # SEED N
{
	local how

	"$VALUES/values" c "$1" "$2" >"$TMP/$1.c" &&
		"${CC:-cc}" -O0 -w -fwrapv -fno-strict-aliasing -fsigned-char -Itests/codegen \
			-o "$TMP/$1" "$TMP/$1.c" && "$TMP/$1" >"$TMP/$1.want" || return
	for how in check eval; do
		"$VALUES/values" "$how" "$1" "$2" "$VALUES/thing.o" "$TMP/$1.want" >"$TMP/$1.out" ||
			fail "seed $1, $how:" "$(cat "$TMP/$1.out")"
	done
	rm -f "$TMP/$1".* "$TMP/$1"
}

many()
{
	local seed=${SEED:-$(date +%s)} done=0

	echo "# seed $seed"
	while ((done < EXPRESSIONS)); do
		chunk "$seed" "$CHUNK" || return
		seed=$((seed + 1)) done=$((done + CHUNK))
	done
	echo "# $done expressions"
}
[ -z "${EXPRESSIONS-}" ] || check "$EXPRESSIONS random expressions are what C says" many
