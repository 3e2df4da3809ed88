#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The purposes of other tools, each written as one command (tests/accuracy/recipes.tsv): each row
# compiles, loads and attaches, or names the thing that this host lacks.  The result of each is
# printed in a table.
#
# long: a run for each recipe, 23 s
# kernels: 5.10 newest
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/recipes.bash
. tests/accuracy/recipes.bash
need jq

modprobe ext4 2>/dev/null
copied_symbols
functions=
! has_kernel_functions || functions=1

# A program or a file that may be missing here, a tracepoint that the kernel may lack.
must_run()
{
	case $1 in
	*r:bash:* | *:ssl:* | *e:cache* | *'t:exceptions:'*) return 1 ;;
	*k:filemap_add_folio*) grep -q ' filemap_add_folio$' /proc/kallsyms || return 1 ;;
	*t:lock:*) has_tracepoint lock:contention_begin || return 1 ;;
	*t:filemap:*) has_tracepoint filemap:mm_filemap_add_to_page_cache || return 1 ;;
	esac
	case $1 in
	*[\'\ \(]k:* | *[\'\ \(]kr:*) [ "$functions" ] ;;
	esac
}

said() # NAME COMMAND
{
	local name=$1 command=$2 status=0 reason

	eval "set -f; set -- $(stand_in <<<"$command")"
	timeout -s KILL 120 "$BPERF" "$@" -- true >"$TMP/out" 2>"$TMP/err" || status=$?
	reason=$(sed -n '/^bperf: warning/d; s/^bperf: //p' "$TMP/err" | head -n1)
	case $status in
	0) reason=runs ;;
	66 | 69 | 77) ! must_run "$command" || fail "status $status" "$(cat "$TMP/err")" ;;
	*) fail "status $status" "$(cat "$TMP/err")" ;;
	esac
	[ "$reason" ] || fail "status $status without a reason" "$(cat "$TMP/err")"
	printf '%-20s %s\n' "$name" "$reason" >>"$TMP/table"
	! contains "$TMP/err" 'a bug in bperf' || fail "$(cat "$TMP/err")"
}

while IFS='	' read -r name command <&3; do
	[[ $name == '#'* ]] || check "$name can be said" said "$name" "$command"
done 3<"$RECIPES"
sed 's/^/# /' "$TMP/table"
