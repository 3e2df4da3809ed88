#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The flame graph in a browser: tests/render/svg.html clicks it, in headless Chromium, served from
# this machine only.

set -u
cd "$(dirname "$0")/../.." || exit 1

for tool in chromium python3; do
	command -v "$tool" >/dev/null || { echo "skip - svg_in_a_browser: no $tool"; exit 0; }
done

tmp=$(mktemp -d)
mkdir "$tmp/site" "$tmp/profile"
cp tests/render/svg.html tests/golden/*.svg "$tmp/site"
# Port 0: whichever is free; the first line says which.
python3 -u - "$tmp/site" >"$tmp/port" 2>/dev/null <<'EOP' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1])
server.serve_forever()
EOP
server=$!
trap 'kill "$server"; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do
	[ -s "$tmp/port" ] && break
	sleep 0.1
done

# Virtual time runs as fast as the page does, so that the budget is no wait.
timeout -k 5 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
	--disable-background-networking --disable-component-update --disable-sync \
	--disable-dev-shm-usage --user-data-dir="$tmp/profile" --window-size=1280,900 \
	--virtual-time-budget=60000 --dump-dom \
	"http://127.0.0.1:$(cat "$tmp/port")/svg.html" >"$tmp/dom" 2>"$tmp/log"

sed -n '/<pre id="results">/,/<\/pre>/p' "$tmp/dom" | sed 's/.*<pre id="results">//; s/<\/pre>.*//' |
	sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$tmp/results"
grep -v '^done$' "$tmp/results"
if ! grep -q '^done$' "$tmp/results"; then
	sed 's/^/# /' "$tmp/log" | tail -n 5
	echo 'not ok - the_page_ran_to_its_end'
	exit 1
fi
! grep -q '^not ok' "$tmp/results"
