#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The JSON Schema that the binary carries: all that -j writes is checked against it by a validator that is
# not ours.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

python=
for p in python3 /usr/bin/python3; do
	"$p" -c 'import jsonschema' 2>/dev/null && python=$p && break
done

# valid FILE...: every line satisfies the schema, and the one of its type.
valid()
{
	"$python" - "$BPERF" "$@" <<'EOP'
import json, subprocess, sys
import jsonschema

def schema(*of):
    text = subprocess.run([sys.argv[1], "schema", *of], check=True, stdout=subprocess.PIPE).stdout
    return jsonschema.Draft202012Validator(json.loads(text))

of_all, of_type, bad, seen = schema(), {}, 0, {}
jsonschema.Draft202012Validator.check_schema(of_all.schema)
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as f:
        for line in f:
            record = json.loads(line)
            kind = record["type"]
            seen[kind] = seen.get(kind, 0) + 1
            if kind not in of_type:
                of_type[kind] = schema(kind)
            for error in list(of_all.iter_errors(record)) + list(of_type[kind].iter_errors(record)):
                print(path, kind, error.message[:200])
                bad += 1
print(seen)
sys.exit(bad > 0 or not seen)
EOP
}

golden_is_valid()
{
	valid tests/golden/*.json
}

output_is_valid()
{
	local by

	"$BPERF" profile -q -j -A -F 199 0.3 >"$TMP/a.json" || exit 1
	"$BPERF" profile -q -j --functions 0.3 >"$TMP/f.json" || exit 1
	"$BPERF" profile -q -j --cost 0.2 2 >"$TMP/c.json" || exit 1
	"$BPERF" funccount -q -j --by '$comm' --keys 2 'syscall:*' 0.2 2 >"$TMP/n.json" || exit 1
	"$BPERF" funccount -q -j --errors --latency 'syscall:*' 0.2 1 >"$TMP/e.json" || exit 1
	"$BPERF" funccount -q -j --wide --col 'a=b/c' syscall:read#b syscall:uselib#c 0.2 1 >"$TMP/w.json" ||
		exit 1
	"$BPERF" argdist -q -j -C 'syscall:*' -H 'r:syscall:read' -S 'r:syscall:read():u64:$latency' --by '$comm' \
		--keys 2 --table 'syscall:read[$pid] A=count(), B=max(count)' --col 'C=A/0' 0.2 2 >"$TMP/d.json" ||
		exit 1
	for by in pid tid comm cgroup cpu none; do
		"$BPERF" profile -q -j -I --by "$by" 0.2 >"$TMP/by-$by.json" || exit 1
	done
	"$BPERF" dump -q -j --comm '*' >"$TMP/t.json" || exit 1
	"$BPERF" doctor -j >"$TMP/doctor.json" # its status says whether all works
	valid "$TMP"/*.json
}

broken_is_not_valid()
{
	local stack='"type":"stack","iv":0,"count":1,"kernel":[],"user":[],"missed":null' record

	echo "{$stack,\"value\":3,\"wakers\":[{\"kind\":\"ipi\",\"kernel\":[]}],\"chain_end\":\"ipi\"}" \
		>"$TMP/whole"
	valid "$TMP/whole" || return
	for record in '"value":"3"' '"value":3,"chain_end":"irq"' '"value":3,"wakers":[]' \
		'"value":3,"wakers":[{"kind":"cpu","kernel":[]}],"chain_end":null' \
		'"value":3,"wakers":[],"chain_end":"bored"'; do
		echo "{$stack,$record}" >"$TMP/broken"
		! valid "$TMP/broken" >/dev/null || fail "$record passes"
	done
}

words()
{
	local status=0

	"$BPERF" schema stak 2>"$TMP/err" || status=$?
	[ "$status" = 64 ] && grep -q "did you mean 'stack'" "$TMP/err"
}
check 'an unknown type is refused by name' words

if [ -z "$python" ]; then
	skip 'golden reports satisfy the schema' 'python3-jsonschema is not installed'
	skip 'what -j writes satisfies the schema' 'python3-jsonschema is not installed'
	exit 0
fi
check 'the schema rejects a broken record' broken_is_not_valid
check 'golden reports satisfy the schema' golden_is_valid
if [ "$(id -u)" = 0 ]; then
	check 'what -j writes satisfies the schema' output_is_valid
else
	skip 'what -j writes satisfies the schema' 'needs root'
fi
