#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Command lines of argdist that people know (tests/accuracy/argdist.tsv).
#
# long: a run for each question of the corpus, 25 s
# kernels: none
# Rows about the kernel's functions run where those can be probed: tests/vm/vm 6.1 corpus

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/corpus.bash
. tests/accuracy/corpus.bash

adapt()
{
	sed -E "s/-p [0-9]+/-p $busy/; s/-i (3|5|10)/-i 0.3/; s/-n [12]( |\$)/-n 1\\1/"
}

results()
{
	printf '%d rows' "$(grep -cE '"type":"(count|hist)"' "$1")"
}

must_run()
{
	case $1 in
	*t:block* | *:gets* | *t:net* | *u:pthread*) false ;;
	*"'t:"* | *p:c:* | *r:c:*) ;;
	*) false ;;
	esac
}

corpus argdist tests/accuracy/argdist.tsv -j
