#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Pages in a browser: tests/render/html.html uses them, with their scripts, which golden files leave out.

READS=html_in_a_browser
# shellcheck source=tests/render/browser.bash
. "$(dirname "$0")/browser.bash"

for golden in golden_stacks golden_lines golden_dists golden_ratios; do
	"build/tests/unit/render/$golden" --write "$site" >/dev/null || { echo 'not ok - pages_written'; exit 1; }
done
mv "$site" "$tmp/all" && mkdir "$site" && mv "$tmp"/all/*.html "$site"
cp tests/render/html.html "$site/test.html"
serve
browse test.html
status=$?

# Every request is for a page that the test opened; Chromium itself asks for the icon.
if grep -vE '"GET /(test|[a-z-]+)\.html(\?[^ ]*)? |"GET /favicon.ico |code 404' "$tmp/asked"; then
	echo 'not ok - pages_ask_for_nothing_else'
	exit 1
fi
echo 'ok - pages_ask_for_nothing_else'
exit "$status"
