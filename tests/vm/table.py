#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The table of kernels and features, from what `bperf doctor` measured in the guests.

  tests/vm/table.py --record   build/vm/*.json (left there by tests/vm/vm) into features.tsv
  tests/vm/table.py --update   features.tsv into the README
  tests/vm/table.py --check    is the README's table that one?  0 or 1
"""
import glob
import json
import os
import sys

sys.dont_write_bytecode = True
from debian import SUITES  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
RECORD = HERE + "/features.tsv"
README = TOP + "/README.md"
BEGIN, END = "<!-- kernels: made by tests/vm/table.py --update -->\n", "<!-- end of kernels -->\n"

# Rows that depend on the machine or on the user, not on the kernel.
NOT_THE_KERNEL = {"privileges", "lockdown", "pmu", "limits", "kallsyms", "bpf_jit", "tracefs", "user_stacks",
                  "jit", "interpreter", "runtimes"}


def column_of(doctor):
    """("6.1", "6.1.0-50-cloud-amd64", {key: (title, verdict)}) from doctor's output."""
    version = ".".join(doctor["kernel"].split("-")[0].split("+")[0].split(".")[:2])
    if doctor["arch"] != "x86_64":
        version += " arm64"
    features = {f["name"]: (f["title"], f["verdict"]) for f in doctor["features"]
                if f["name"] not in NOT_THE_KERNEL}
    return version, doctor["kernel"], features


def order(version):
    number, _, arch = version.partition(" ")
    return arch, [int(n) for n in number.split(".")]


def read_record():
    """{version: {key: verdict}}, and the titles in their order."""
    if not os.path.exists(RECORD):
        return {}, {}
    with open(RECORD) as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    versions, titles = rows[0][2:], {row[0]: row[1] for row in rows[1:]}
    return {v: {row[0]: row[2 + i] for row in rows[1:]} for i, v in enumerate(versions)}, titles


def forget_older(columns, version):
    """The newest kernel of an architecture replaces the one that was the newest before."""
    number, _, arch = version.partition(" ")
    for other in list(columns) if number not in SUITES else []:
        other_number, _, other_arch = other.partition(" ")
        if other_arch == arch and other_number not in SUITES:
            del columns[other]


def record():
    columns, titles = read_record()
    for path in sorted(glob.glob(TOP + "/build/vm/*.json")):
        with open(path) as f:
            version, _, features = column_of(json.load(f))
        forget_older(columns, version)
        columns[version] = {key: verdict for key, (_, verdict) in features.items()}
        titles.update({key: title for key, (title, _) in features.items()})
    versions = sorted(columns, key=order)
    with open(RECORD, "w") as f:
        f.write("\t".join(["feature", "title"] + versions) + "\n")
        for key, title in titles.items():
            f.write("\t".join([key, title] + [columns[v].get(key, "unknown") for v in versions]) + "\n")


def differences(doctor):
    """Differences of a kernel from its record, one line each; None if it is not recorded."""
    version, _, features = column_of(doctor)
    recorded = read_record()[0].get(version)
    if recorded is None:
        return None
    return ["%s: %s, recorded: %s" % (key, verdict, recorded.get(key, "nothing"))
            for key, (_, verdict) in features.items() if verdict != recorded.get(key)]


def table():
    words = {"ok": "yes", "warn": "yes", "no": "-", "unknown": "?"}
    columns, titles = read_record()
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for key, title in titles.items():
        lines.append("| %s | " % title + " | ".join(words[columns[v][key]] for v in columns) + " |")
    return "\n".join(lines) + "\n"


def readme(text=None):
    """The README's table; with a text, replace it by that."""
    with open(README) as f:
        before, _, rest = f.read().partition(BEGIN)
    old, end, after = rest.partition(END)
    if not end:
        sys.exit("README.md has no place for the table: " + BEGIN.strip())
    if text is not None:
        with open(README, "w") as f:
            f.write(before + BEGIN + text + END + after)
    return old


def main():
    what = sys.argv[1:]
    if what == ["--record"]:
        record()
    elif what == ["--update"]:
        readme(table())
    elif what == ["--check"]:
        if readme() != table():
            print("the README's table of kernels is not that of tests/vm/features.tsv")
            print("tests/vm/table.py --update writes it")
            return 1
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    return 0


if __name__ == "__main__":
    sys.exit(main())
