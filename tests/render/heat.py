#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""heat.py FILE.svg FILE.json: is the picture what the numbers of the same run say?

Reads a heat map as a person does, by what hovering over the cells shows, and by where they are.
"""
import collections
import json
import re
import sys
import xml.etree.ElementTree as ET

NS = "{http://www.w3.org/2000/svg}"
TITLE = re.compile(r"([0-9.]+) s to ([0-9.]+) s: (?:up to (-?\d+)|(-?\d+)(?: to (-?\d+)| and more)?)"
                   r"(?: \w+)?: (\d+) of (\d+) \(([0-9.]+) %\)")
failed = 0


def check(name, good, why=""):
    global failed
    failed += not good
    if not good:
        print("#", str(why)[:2000])
    print("ok" if good else "not ok", "-", name)


Cell = collections.namedtuple("Cell", "level x y width height start end lo n of percent")


def cell_of(rect):
    title = TITLE.fullmatch(rect.find(NS + "title").text)
    assert title, rect.find(NS + "title").text
    start, end, up_to, lo, _, n, of, percent = title.groups()
    return Cell(int(rect.get("class").removeprefix("h")),
                *(float(rect.get(a)) for a in ("x", "y", "width", "height")),
                start, end, None if up_to else int(lo), int(n), int(of), percent)


def counts_of(records):
    """(start, end, lo, n) of all buckets that hold something."""
    windows = {r["iv"]: r for r in records if r["type"] == "interval"}
    times = {iv: [f"{int(w[k] * 1000 + 1e-6) / 1000:.3f}" for k in ("start", "end")]
             for iv, w in windows.items()}
    return collections.Counter((*times[r["iv"]], b["lo"], b["n"]) for r in records
                               if r["type"] == "hist" for b in r["buckets"] if b["n"])


def main():
    svg, records = ET.parse(sys.argv[1]).getroot(), [json.loads(l) for l in open(sys.argv[2])]
    name = sys.argv[1].rsplit("/", 1)[-1].removesuffix(".svg")
    maps = [[cell_of(r) for r in g] for g in svg.iter(NS + "g") if g.get("class") == "cells"]
    cells = [c for m in maps for c in m]
    drawn = collections.Counter((c.start, c.end, c.lo, c.n) for c in cells)
    counted = counts_of(records)
    is_cut = "not drawn" in svg.find(NS + "desc").text

    check(f"{name}_cells_are_what_was_counted",
          drawn <= counted if is_cut else drawn == counted, (drawn - counted, counted - drawn))
    check(f"{name}_hotter_holds_more",
          all(a.level <= b.level for m in [sorted(cells, key=lambda c: c.n)]
              for a, b in zip(m, m[1:])), cells)
    check(f"{name}_the_hottest_is_in_the_legend", not cells or max(c.level for c in cells) == 8)
    check(f"{name}_parts_are_of_their_column",
          all(c.percent == f"{100 * c.n / c.of:.2f}" for c in cells) and
          all(sum(c.n for c in m if c.start == start) == of
              for m in maps for start, of in {(c.start, c.of) for c in m}), cells)
    check(f"{name}_time_runs_to_the_right",
          all((a.x < b.x and a.x + a.width <= b.x + 0.1) == (float(a.start) < float(b.start))
              for m in maps for a in m for b in m), cells)
    check(f"{name}_values_grow_upwards",
          all((a.y > b.y) == (a.lo is None or a.lo < b.lo)
              for m in maps for a in m for b in m if a.lo != b.lo and b.lo is not None), cells)
    check(f"{name}_cells_are_in_the_picture",
          all(c.x >= 96 and c.x + c.width <= 1184.1 and c.width > 0 and c.height > 0
              for c in cells), cells)
    check(f"{name}_runs_and_fetches_nothing",
          not list(svg.iter(NS + "script")) and
          not any(a.startswith("on") or "href" in a for e in svg.iter() for a in e.attrib) and
          not any(re.search(r"url\(|@import|https?:", e.text or "") for e in svg.iter()))
    sys.exit(failed != 0)


main()
