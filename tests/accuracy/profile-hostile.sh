#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Process names with control bytes, quotes, ';', '<' and invalid UTF-8, in every format.
#
# long: a run for each format, 10 s
# kernels: 6.1

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq python3
copied_symbols

if ! profile -q -e cpu-clock -F 499 -o "$TMP/n.folded" -o "$TMP/n.json" -o "$TMP/n.txt" -o "$TMP/n.svg" \
	-o "$TMP/n.pb.gz" --top 0 -- "$WORK/names" 1.5 >"$TMP/names.truth" 2>"$TMP/err"; then
	not_ok 'a run with hostile names' "$(cat "$TMP/err")"
	exit 1
fi

folded_lines()
{
	LC_ALL=C grep -Evn '^[^;]+(;[^;]+)* [1-9][0-9]*$' "$TMP/n.folded" && fail 'lines that are no folded stacks'
	LC_ALL=C grep -n '[[:cntrl:]]' "$TMP/n.folded" && fail 'control bytes'
	has "$TMP/n.folded" '^semi:colon;'
	has "$TMP/n.folded" '^trail[_ ]42;'
	has "$TMP/n.folded" '^-p;'
	at_least "$(grep -c ';name_work ' "$TMP/n.folded")" 12 'names'
}
check 'folded lines stay lines' folded_lines

json_is_json()
{
	python3 - "$TMP/n.json" "$TMP/names.truth" <<'PY'
import json, sys
hexes = set()
names = set()
for line in open(sys.argv[1], "rb"):
    r = json.loads(line.decode("utf-8"))  # strict
    if r["type"] == "stack":
        names.add(r["comm"])
        raw = bytes.fromhex(r["comm_hex"]) if "comm_hex" in r else r["comm"].encode()
        hexes.add(raw.hex())
want = {l.split()[1][:30] for l in open(sys.argv[2]) if l.startswith("hex ") and len(l.split()) > 1}
missing = want - hexes
if missing:
    sys.exit("names that are missing: %s of %s" % (sorted(missing), sorted(hexes)))
PY
}
check 'JSON is valid UTF-8 and keeps every byte of a name' json_is_json

text_is_safe()
{
	LC_ALL=C grep -n "$(printf '[\001-\010\013-\037\177]')" "$TMP/n.txt" && fail 'control bytes reach the terminal'
	has "$TMP/n.txt" 'trail 42'
}
check 'control bytes do not reach a terminal' text_is_safe

svg_is_xml()
{
	python3 - "$TMP/n.svg" <<'PY'
import sys, xml.dom.minidom as m
d = m.parse(sys.argv[1])
text = d.toxml()
assert "name_work" in text
for s in d.getElementsByTagName("script"):
    assert not s.getAttribute("href") and not s.getAttribute("xlink:href"), "a script from elsewhere"
    code = "".join(c.data for c in s.childNodes)
    assert "&amp;" not in code or "<script>&amp;" not in code, "a name inside the script"
PY
}
check 'the SVG is valid XML' svg_is_xml

pprof_is_utf8()
{
	python3 - "$TMP/n.pb.gz" <<'PY'
import gzip, sys
b = gzip.open(sys.argv[1]).read()
i = 0
def varint():
    global i
    v = s = 0
    while True:
        v |= (b[i] & 127) << s
        s += 7
        i += 1
        if b[i - 1] < 128:
            return v
strings = []
while i < len(b):
    t = varint()
    if t & 7 == 2:
        n = varint()
        if t >> 3 == 6:
            strings.append(b[i:i + n])
        i += n
    elif t & 7 == 0:
        varint()
    else:
        sys.exit("wire type")
for s in strings:
    s.decode("utf-8")
assert any(b"name_work" == s for s in strings)
PY
}
check 'pprof strings are UTF-8' pprof_is_utf8

hostile_files()
{
	local dir name

	dir=$(tmpdir)
	name=$'a;b <c> "d"\e[1m\n\xff'
	cp "$WORK/shares" "$dir/$name" || skip_because 'no such file names here'
	strip -s "$dir/$name" 2>/dev/null
	profile -q -e cpu-clock -F 299 -o "$TMP/f.folded" -o "$TMP/f.json" -o "$TMP/f.txt" -- "$dir/$name" 0.3 >/dev/null ||
		fail "exit status $?"
	LC_ALL=C grep -Evn '^[^;]+(;[^;]+)* [1-9][0-9]*$' "$TMP/f.folded" && fail 'lines that are no folded stacks'
	LC_ALL=C grep -n "$(printf '[\001-\010\013-\037\177]')" "$TMP/f.txt" "$TMP/f.folded" && fail 'control bytes'
	python3 -c 'import json, sys
for l in open(sys.argv[1], "rb"): json.loads(l.decode("utf-8"))' "$TMP/f.json" || fail 'no JSON'
}
check 'file names cannot break the output' hostile_files

# Real-time threads on all CPUs: bperf cannot end its window before it gets a CPU.
starved()
{
	local i

	chrt -r 50 true 2>/dev/null || skip_because 'real-time threads are not allowed here'
	for ((i = 0; i < 3 * $(nproc); i++)); do
		chrt -r 50 timeout "$(slow 5)" "$WORK/shares" 30 >/dev/null 2>&1 &
	done
	sleep 0.3
	profile -e cpu-clock -o "$TMP/late.json" 0.5 2>"$TMP/err" || fail "exit status $?" "$(cat "$TMP/err")"
	pkill -P $BASHPID timeout
	wait
	jq_last -e '.elapsed < 0.75' "$TMP/late.json" >/dev/null || has "$TMP/err" 'the run took .* instead of 0.500 s'
}
check 'a run that ends late says so' starved
