#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Folded lines as their readers parse them: speedscope's pattern, flamegraph.pl's columns and its chain
# palette, which changes everything after the first ";--;".

READS=folded_read
# shellcheck source=tests/render/golden.bash
. "$(dirname "$0")/golden.bash"

python3 - "$tmp" <<'EOP'
import glob, re, sys

failed = 0

def check(name, bad):
    global failed
    failed += bool(bad)
    if bad:
        print("#", bad)
    print("not ok" if bad else "ok", "-", name)

# The end of a waker's part: its name, or the reason why it has none.
END = re.compile(r"(timer|ipi|irq(:.*)?|softirq(:.*)?|\[(running|cycle|depth|unknown waker|not over)\])$")

def read(path):
    return [l for l in open(path, encoding="utf-8").read().split("\n") if l]

def broken(line):
    match = re.fullmatch(r"(.+) ([1-9]\d*)", line)
    if not match or re.search(r" \d+(\.\d*)?$", match[1]):
        return "not one count"
    if any(not c.isprintable() for c in line):
        return "control characters"
    frames = match[1].split(";")
    if "" in frames:
        return "an empty frame"
    if any(f.endswith("_[w]") for f in frames):
        return "flamegraph.pl's own annotation"

def broken_chain(line):
    sleeper, *wakers = re.sub(r" \d+$", "", line).split(";--;")
    if not wakers:
        return "no waker"
    frames = [f for w in wakers for f in w.split(";")]
    if any(f in ("-", "--") for f in frames):
        return "a separator in a waker's stack"
    if any(re.search(r"_\[[kij]\]$", f) for f in frames):
        return "an annotation after the wakers' mark"
    if any(END.search(w.split(";")[-1]) and "x_1" not in w for w in wakers[:-1]):
        return "more after the end"

chains = ("offwake", "chain", "chain-options", "hostile-wakers", "paths")
for path in sorted(glob.glob(sys.argv[1] + "/*.folded")):
    name = path.rsplit("/", 1)[-1].removesuffix(".folded")
    lines = read(path)
    check(f"{name}_is_one_count_behind_each_stack", [(l, broken(l)) for l in lines if broken(l)])
    check(f"{name}_has_no_line_twice", len(lines) - len(set(lines)))
    if name in chains:
        check(f"{name}_has_its_wakers_apart",
              [(l, broken_chain(l)) for l in lines if broken_chain(l)])
    else:
        check(f"{name}_has_no_wakers", [l for l in lines if ";--;" in l])

sums = {n: sum(int(l.rsplit(" ", 1)[1]) for l in read(f"{sys.argv[1]}/{n}.folded"))
        for n in ("offwake", "wakeup")}
check("both_sides_sum_to_the_same", len(set(sums.values())) - 1)
sys.exit(failed != 0)
EOP
