#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Heat maps, read by code that is not ours and compared with the JSON of the same reports.

READS=heat_maps_read
# shellcheck source=tests/render/golden.bash
. "$(dirname "$0")/golden.bash"

failed=0
for name in distributions-heat distributions-heat-keys; do
	python3 tests/render/heat.py "$tmp/$name.svg" "$tmp/$name.json" || failed=1
done
exit $failed
