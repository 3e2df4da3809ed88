#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# pprof files read by a decoder that shares nothing with our encoder, and by go's own if it is
# there.

READS=pprof_decoded
# shellcheck source=tests/render/golden.bash
. "$(dirname "$0")/golden.bash"

failed=0
# The names of the hostile report are cleaned differently: its sums can't be compared by text.
python3 tests/render/pprof.py "$tmp/server.pb.gz" "$tmp/server.folded" || failed=1
for name in offcpu hostile options nothing wakeup chain hostile-wakers; do
	python3 tests/render/pprof.py "$tmp/$name.pb.gz" || failed=1
done
python3 tests/render/pprof.py "$tmp/offwake.pb.gz" "$tmp/offwake.folded" || failed=1

if command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1; then
	if go tool pprof -top "$tmp/server.pb.gz" 2>/dev/null | grep -q tcp_sendmsg; then
		echo 'ok - go_tool_pprof_reads_it'
	else
		echo 'not ok - go_tool_pprof_reads_it'
		failed=1
	fi
fi
exit $failed
