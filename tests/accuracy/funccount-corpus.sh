#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Command lines of funccount that people know (tests/accuracy/funccount.tsv).
#
# long: a run for each question of the corpus
# kernels: none
# Rows about the kernel's functions run where those can be probed: tests/vm/vm 6.1 corpus
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/corpus.bash
. tests/accuracy/corpus.bash

cp "$WORK/counted" "$TMP/contentions"

adapt()
{
	sed -E "s/-p [0-9]+/-p $busy/; s,/home/ubuntu/contentions,$TMP/contentions,
		s,(^|[ '])contentions:,\\1$TMP/contentions:,; s,\./test:read,$TMP/contentions:call_,
		s/-d (5|10)/-d 0.5/; s/-(T?)i (1|5)/-\\1i 0.2/; s/count=500k/count=5k/"
}

results()
{
	printf '%d rows' "$(grep -c '"type":"count"' "$1")"
}

must_run()
{
	case $1 in
	*t:block* | *t:sched:sched_fork*) false ;;
	*' t:'* | *c:* | *contentions* | *./test*) ;;
	*) false ;;
	esac
}

corpus funccount tests/accuracy/funccount.tsv -j
