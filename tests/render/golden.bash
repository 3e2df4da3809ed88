# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests that read our files with other programs' readers: all hand-written reports in
# every format, in the folder $tmp.  Before it is sourced, $READS names the test that is skipped
# without Python.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

command -v python3 >/dev/null || { echo "skip - $READS: no python3"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for golden in golden_stacks golden_lines golden_dists; do
	"build/tests/unit/render/$golden" --write "$tmp" >/dev/null || { echo 'not ok - reports_written'; exit 1; }
done
