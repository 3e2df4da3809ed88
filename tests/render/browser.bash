# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests that use our pictures in headless Chromium: serve "$site", a folder, from this
# machine only; open a page of it, and print the result lines that it wrote into its #results.  What
# was asked of the server is in "$tmp/asked".  Before it is sourced, $READS names the test that is
# skipped without a browser.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

for tool in chromium python3; do
	command -v "$tool" >/dev/null || { echo "skip - $READS: no $tool"; exit 0; }
done

tmp=$(mktemp -d)
site=$tmp/site
mkdir "$site" "$tmp/profile"

serve()
{
	# Port 0: whichever is free; the first line says which.
	python3 -u - "$site" >"$tmp/port" 2>"$tmp/asked" <<-'EOP' &
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
}

# Fails if the page did not come to its end, or a test in it failed.  Virtual time runs as fast as the page
# does, so that the budget costs no time.
browse()
{
	timeout -k 5 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-dev-shm-usage --user-data-dir="$tmp/profile" --window-size=1280,900 \
		--virtual-time-budget=60000 --dump-dom \
		"http://127.0.0.1:$(cat "$tmp/port")/$1" >"$tmp/dom" 2>"$tmp/log"
	sed -n '/<pre id="results">/,/<\/pre>/p' "$tmp/dom" |
		sed 's/.*<pre id="results">//; s/<\/pre>.*//' |
		sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$tmp/results"
	grep -v '^done$' "$tmp/results"
	if ! grep -q '^done$' "$tmp/results"; then
		sed 's/^/# /' "$tmp/log" | tail -n 5
		echo 'not ok - the_page_ran_to_its_end'
		return 1
	fi
	! grep -q '^not ok' "$tmp/results"
}
