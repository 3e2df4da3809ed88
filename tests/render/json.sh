#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# JSON Lines and the SVG's XML, read by parsers that are not ours.

READS=json_parsed
# shellcheck source=tests/render/golden.bash
. "$(dirname "$0")/golden.bash"

python3 - "$tmp" <<'EOP'
import glob, json, sys, xml.dom.minidom

failed = 0

def check(name, good, why=""):
    global failed
    failed += not good
    if not good:
        print("#", why)
    print(("ok" if good else "not ok"), "-", name)

LOST = {"ring_full", "map_full", "stack_full", "stack_fault", "stack_wrong", "throttled", "missed",
        "recursion", "exited"}
# Every field of a record, always of the same type.
TYPES = {
    "stack": {"iv": int, "value": int, "count": int, "kernel": list, "user": list},
    "state": {"iv": int, "threads": int, "wall": int, "states": dict},
    "process": {"iv": int, "value": int},
    "function": {"iv": int, "func": str, "kind": str, "self": int, "total": int},
    "events": {"columns": list},
    "event": {"ts": float, "cpu": int, "comm": str, "pid": int, "tid": int, "uid": int,
              "probe": str, "func": str, "args": dict, "text": str},
    "count": {"iv": int, "probe": str, "value": int, "per_s": float},
    "dist": {"dist": int, "kind": str, "signed": bool, "keys": list, "stacks": bool},
    "hist": {"iv": int, "dist": int, "probe": str, "value": str, "scale": str, "count": int, "buckets": list},
    "stats": {"iv": int, "dist": int, "probe": str, "value": str, "count": int, "sum": int,
              "min": int, "max": int, "percentiles": dict, "buckets": list},
    "table": {"iv": int, "dist": int, "columns": dict, "count": int},
    "columns": {"iv": int, "columns": dict},
    "interval": {"iv": int, "start": float, "end": float, "records": int, "lost": dict},
    "end": {"reason": str, "elapsed": float, "intervals": int, "records": int, "complete": bool,
            "lost": dict, "symbols": dict, "stacks": dict, "cost": dict},
    "meta": {"schema": str, "tool": str, "cmd": str, "argv": list, "host": dict, "clock": dict,
             "plan": dict, "value": dict, "frames": str},
}

def records(path):
    text = open(path, "rb").read().decode("utf-8")
    assert not any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 for c in text), "control"
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]

def conform(r):
    for key, kind in TYPES[r["type"]].items():
        assert type(r[key]) is kind, f"{r['type']}.{key} is {r[key]!r}"
    assert next(iter(r)) == "type"
    if "lost" in r:
        assert set(r["lost"]) == LOST
        assert all(v is None or type(v) is int for v in r["lost"].values())

for path in sorted(glob.glob(sys.argv[1] + "/*.json")):
    name = path.rsplit("/", 1)[-1].removesuffix(".json")
    try:
        all_records = records(path)
        for r in all_records:
            conform(r)
        assert all_records[0]["type"] == "meta" and all_records[-1]["type"] == "end"
        rows = [r for r in all_records
                if r["type"] not in ("meta", "dist", "events", "warn", "interval", "end")]
        assert len(rows) == all_records[-1]["records"], "records"
        has_addr = any("addr" in f or "off" in f and r["type"] != "event"
                       for r in rows for f in r.get("user", []))
        assert has_addr == name.endswith("options"), "off and addr only with -A"
        check(f"json_of_{name}", True)
    except (AssertionError, KeyError, ValueError) as e:
        check(f"json_of_{name}", False, e)

hostile = records(sys.argv[1] + "/hostile.json")
comms = {r.get("comm_hex") for r in hostile if r["type"] == "stack"}
check("a_comm_that_is_not_utf8_is_kept_in_hex", bytes.hex(b"c\xff;o\x1bm 1") in comms, comms)
events = [r for r in records(sys.argv[1] + "/hostile-events.json") if r["type"] == "event"]
check("an_events_text_is_kept_but_for_what_is_no_text",
      events[0]["args"]["bad"] == "\ufffd" * 6 + " cut " + "\ufffd" * 2 and
      events[0]["args"]['a"b\\c\n'] == "\033]0;owned\a\"\\\r\n\t\0end", events[0])
check("an_events_text_ends_where_it_ends", events[2]["text"] == "a\0b", events[2])
values = [r for r in records(sys.argv[1] + "/events.json") if r["type"] == "event"]
check("the_widest_numbers_are_whole", [values[0]["args"][k] for k in ("least", "most")] ==
      [-2**63, 2**64 - 1], values[0])
check("what_could_not_be_read_is_null", set(values[1]["args"].values()) == {None} and
      "names" not in values[1] and "cut" not in values[1], values[1])
columns = [r["columns"] for r in records(sys.argv[1] + "/counts-lines.json")
           if r["type"] == "columns"]
check("what_cannot_be_computed_is_null", columns[0]["a column wider than others"] is None and
      columns[1]["a column wider than others"] is None, columns)
times = records(sys.argv[1] + "/offcpu.json")
check("microseconds_sum_to_the_rounded_total",
      sum(r["value"] for r in times if r["type"] == "stack") == 5010)

check("a_rows_standard_error_is_in_its_unit",
      [r["stderr"] for r in times if "stderr" in r] == [1], times)
paths = [r for r in records(sys.argv[1] + "/paths.json") if r["type"] == "stack"]
check("links_take_no_more_than_the_wait",
      all(sum(w["us"] for w in r["wakers"]) <= r["value"] for r in paths), paths)
chains = [r for r in records(sys.argv[1] + "/chain.json") if r["type"] == "stack"]
check("waits_of_the_whole_window_are_marked",
      [r["open"] for r in times
       if r["type"] == "stack" and r.get("whole_window")] == [6] and
      [r["whole_window"] for r in times if r["type"] == "interval"] == [{"open": 6, "value": 5000}], times)
check("links_have_times_only_with_path", not any("us" in w for r in chains for w in r["wakers"]))
check("a_chain_says_why_it_ends",
      [r["chain_end"] for r in chains] == ["irq", "open", "running", "cycle", "depth", "open"], chains)
states = [r for r in records(sys.argv[1] + "/states.json") if r["type"] == "state"]
check("states_sum_to_the_wall_time",
      all(abs(sum(r["states"].values()) - r["wall"]) <= 1 for r in states), states)

for path in sorted(glob.glob(sys.argv[1] + "/*.svg")):
    name = path.rsplit("/", 1)[-1].removesuffix(".svg")
    try:
        xml.dom.minidom.parse(path)
        check(f"svg_of_{name}_is_xml", True)
    except Exception as e:
        check(f"svg_of_{name}_is_xml", False, e)
sys.exit(failed != 0)
EOP
