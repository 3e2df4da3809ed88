#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Lines of perf script as their readers take them: the import code of speedscope, in a browser, and that
# of stackvis.  Both are npm's packages of these names.

READS=perf_script_read
# shellcheck source=tests/render/browser.bash
. "$(dirname "$0")/browser.bash"

for tool in node npm; do
	command -v "$tool" >/dev/null || { echo "skip - $READS: no $tool"; exit 0; }
done
for package in speedscope stackvis carrier; do
	mkdir -p "$tmp/node_modules/$package"
	(cd "$tmp" && tar=$(timeout 120 npm pack --silent "$package") &&
		tar -xzf "$tar" -C "node_modules/$package" --strip-components=1) 2>/dev/null ||
		{ echo "skip - $READS: npm has no $package here"; exit 0; }
done

build/tests/unit/render/golden_stacks --write "$site" >/dev/null || { echo 'not ok - perf_written'; exit 1; }
failed=0

# Five stacks of nginx; the sixth is of a thread whose name looks like three words.
cat >"$tmp/read.js" <<'EOJ'
const { reader } = require('stackvis/lib/input-perf'), counts = {};
const input = new reader(process.stdin, { warn: text => { throw text; } });
input.on('stack', (stack, n) => {
	const key = stack.join(';');
	counts[key] = (counts[key] || 0) + n;
});
input.on('end', () => {
	const got = JSON.stringify(Object.entries(counts).sort());
	console.log((got === process.argv[2] ? 'ok' : '# ' + got + '\nnot ok') + ' - stackvis_reads_perf_script');
});
EOJ
NODE_PATH=$tmp/node_modules node "$tmp/read.js" \
	'[["java`LambdaForm$MH.invoke+0x18",1],["nginx`main+0x10;nginx`__write+0x50;nginx`do_syscall_64+0x34;nginx`tcp_sendmsg+0x10",5]]' \
	<"$site/timeline.perf" || failed=1

cp -r "$tmp/node_modules/speedscope/dist/release" "$site/speedscope"
cat >"$site/test.html" <<'EOH'
<!DOCTYPE html>
<meta charset="utf-8">
<pre id="results"></pre>
<iframe id="page" width="1200" height="800"></iframe>
<script>
'use strict';
const results = document.getElementById('results'), frame = document.getElementById('page');
const wait = ms => new Promise(done => setTimeout(done, ms));

// The table of functions of the first thread, as lines of text.
async function table() {
	const doc = frame.contentDocument;
	for (let i = 0; i < 100; i++) {
		const rows = Array.from(doc.querySelectorAll('tr')).map(r => r.innerText);
		if (rows.some(r => r.includes('tcp_sendmsg')))
			return rows;
		Array.from(doc.querySelectorAll('div')).filter(e => e.innerText.endsWith('Sandwich'))
			.forEach(e => e.click());
		await wait(200);
	}
	return [doc.body.innerText];
}

frame.onload = async () => {
	const rows = await table(), text = frame.contentDocument.body.innerText;
	const is_read = ['tcp_sendmsg', '__write', 'main'].every(n => rows.some(r => r.includes(n))) &&
		text.includes('nginx pid: 1200 tid: 1203 (1/3)');
	results.textContent = (is_read ? 'ok' : '# ' + rows.join('|') + text + '\nnot ok') +
		' - speedscope_reads_perf_script\ndone\n';
};
frame.src = 'speedscope/index.html#profileURL=/timeline.perf';
</script>
EOH
serve
browse test.html || failed=1
exit "$failed"
