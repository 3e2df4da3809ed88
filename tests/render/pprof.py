#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Decodes a pprof file with a reader of its own and holds it to what its readers demand: pprof's
own rules (every id known, string 0 empty), Parca's (ids 1, 2, 3, ...; as many values as types;
labels with a key), Go's (UTF-8), and ours (time last, kernel mapping last, ledger in comments).

pprof.py FILE [FOLDED]: with FOLDED, the same report as folded stacks, the sums must agree.
"""
import collections
import gzip
import sys

USER_MODULES = ("[vdso]", "[vsyscall]", "[jit]", "[anon]", "[stack]", "[heap]")
WHOLE = "[whole window];"
FIELDS = {
    "profile": {1: ("sample_type", "value_type"), 2: ("sample", "sample"),
                3: ("mapping", "mapping"), 4: ("location", "location"),
                5: ("function", "function"), 6: ("string_table", "bytes"),
                9: ("time_nanos", "int"), 10: ("duration_nanos", "int"),
                11: ("period_type", "value_type"), 12: ("period", "int"),
                13: ("comment", "ints"), 14: ("default_sample_type", "int")},
    "value_type": {1: ("type", "int"), 2: ("unit", "int")},
    "sample": {1: ("location_id", "ints"), 2: ("value", "ints"), 3: ("label", "label")},
    "label": {1: ("key", "int"), 2: ("str", "int"), 3: ("num", "int"), 4: ("num_unit", "int")},
    "mapping": {1: ("id", "int"), 2: ("start", "int"), 3: ("limit", "int"), 4: ("offset", "int"),
                5: ("filename", "int"), 6: ("build_id", "int"), 7: ("has_functions", "int")},
    "location": {1: ("id", "int"), 2: ("mapping_id", "int"), 3: ("address", "int"),
                 4: ("line", "line")},
    "line": {1: ("function_id", "int"), 2: ("line", "int")},
    "function": {1: ("id", "int"), 2: ("name", "int"), 3: ("system_name", "int"),
                 4: ("filename", "int")},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def integers(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def decode(kind, data):
    message, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        field, wire = tag >> 3, tag & 7
        name, of = FIELDS[kind][field]  # an unknown field is a failure: we write none
        value, at = varint(data, at)
        if wire == 0:
            assert of in ("int", "ints"), f"{kind}.{name} is no integer"
            message[name].append(value)
            continue
        assert wire == 2, f"{kind}.{name} has wire type {wire}"
        piece, at = data[at:at + value], at + value
        assert len(piece) == value, f"{kind}.{name} is cut"
        if of == "ints":
            message[name] += integers(piece)
        else:
            message[name].append(piece if of == "bytes" else decode(of, piece))
    return message


def one(message, name):
    values = message[name]
    assert len(values) <= 1, f"{name} twice"
    return values[0] if values else 0


class Profile:
    def __init__(self, path):
        raw = open(path, "rb").read()
        assert raw[4:8] == b"\0\0\0\0", "gzip time is not zero"
        assert not raw[3], "gzip header has a name"
        self.p = decode("profile", gzip.decompress(raw))
        self.strings = [s.decode("utf-8") for s in self.p["string_table"]]
        self.types = [self.type_of(t) for t in self.p["sample_type"]]
        self.names = [self.strings[one(f, "name")] for f in self.p["function"]]

    def type_of(self, t):
        return self.strings[one(t, "type")] + "/" + self.strings[one(t, "unit")]

    def name_of(self, location):
        if location["line"]:
            return self.names[one(location["line"][0], "function_id") - 1]
        file = self.strings[one(self.p["mapping"][one(location, "mapping_id") - 1], "filename")]
        return "[" + file.rsplit("/", 1)[-1] + "]"

    def check_strings(self):
        assert self.strings[0] == "", "string 0 is not empty"
        assert len(set(self.strings)) == len(self.strings), "a string twice"

    def check_ids(self):
        for table in ("mapping", "location", "function"):
            ids = [one(m, "id") for m in self.p[table]]
            assert ids == list(range(1, len(ids) + 1)), f"{table} ids are not 1, 2, 3, ..."

    def check_references(self):
        n_strings, n_maps = len(self.strings), len(self.p["mapping"])
        for m in self.p["mapping"]:
            assert 0 < one(m, "filename") < n_strings
        for f in self.p["function"]:
            assert 0 < one(f, "name") < n_strings and 0 < one(f, "system_name") < n_strings
        for location in self.p["location"]:
            assert one(location, "mapping_id") <= n_maps
            assert location["line"] or one(location, "mapping_id"), "a location of nothing"
            for line in location["line"]:
                assert 0 < one(line, "function_id") <= len(self.names)

    def check_samples(self):
        for s in self.p["sample"]:
            assert len(s["value"]) == len(self.types), "values and types differ in number"
            assert all(0 < i <= len(self.p["location"]) for i in s["location_id"])
            assert all(one(label, "key") for label in s["label"]), "a label without a key"

    def check_types(self):
        default = self.strings[one(self.p, "default_sample_type")]
        assert default == self.types[-1].split("/")[0], "the default type is not the last"
        assert one(self.p, "period") > 0 and self.p["period_type"]

    def check_mappings(self):
        files = [self.strings[one(m, "filename")] for m in self.p["mapping"]]
        kernel = [f.startswith("[") and f not in USER_MODULES for f in files]
        assert kernel == sorted(kernel), f"kernel mappings are not last: {files}"
        for m, file in zip(self.p["mapping"], files):
            build_id = self.strings[one(m, "build_id")]
            assert all(c in "0123456789abcdef" for c in build_id), f"{file}: {build_id}"

    def check_comments(self):
        comments = [self.strings[i] for i in self.p["comment"]]
        assert comments[0].startswith("bperf "), "no command line"
        assert any(c.startswith("lost: ") for c in comments), "no losses"
        assert any("ring_full=" in c for c in comments), "no counters"

    def stacks(self):
        """Root first, joined as in folded output, without the root frame; in what folded counts:
        samples, or microseconds not yet rounded."""
        is_time = self.types[0] == "events/count"
        out = collections.Counter()
        for s in self.p["sample"]:
            frames = [self.name_of(self.p["location"][i - 1]) for i in s["location_id"]]
            out[";".join(reversed(frames))] += s["value"][1] / 1000 if is_time else s["value"][0]
        return out


def folded_stacks(path):
    out = collections.Counter()
    for line in open(path, encoding="utf-8"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        branch = WHOLE if stack.startswith(WHOLE) else ""
        out[branch + stack[len(branch) :].partition(";")[2]] += int(count)
    return out


def check(name, fn):
    try:
        fn()
    except (AssertionError, IndexError, KeyError, UnicodeDecodeError) as e:
        print(f"# {type(e).__name__}: {e}")
        print(f"not ok - {name}")
        return 1
    print(f"ok - {name}")
    return 0


def main():
    path = sys.argv[1]
    label = path.rsplit("/", 1)[-1].removesuffix(".pb.gz")
    p = Profile(path)
    failed = 0
    for rule in ("strings", "ids", "references", "samples", "types", "mappings", "comments"):
        failed += check(f"{label}_{rule}", getattr(p, f"check_{rule}"))

    def agree():
        mine, theirs = p.stacks(), folded_stacks(sys.argv[2])
        apart = {k for k in mine | theirs if abs(mine[k] - theirs[k]) >= 1}
        assert not apart, f"{apart}"

    if len(sys.argv) > 2:
        failed += check(f"{label}_says_what_folded_says", agree)
    return failed != 0


sys.exit(main())
