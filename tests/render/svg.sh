#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The flame graph in a browser: tests/render/svg.html clicks it.

READS=svg_in_a_browser
# shellcheck source=tests/render/browser.bash
. "$(dirname "$0")/browser.bash"

cp tests/render/svg.html tests/golden/*.svg "$site"
serve
browse svg.html
