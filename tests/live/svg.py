# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""svg.py TITLE <CAPTURE >PICTURE: what `tmux capture-pane -e -p -N` prints, as an SVG of a terminal."""

import re
import sys
from xml.sax.saxutils import escape

CELL, LINE, MARGIN, BAR = 8, 17, 12, 28
FRONT, BACK = "#d6d6d6", "#1b1d23"
# The first sixteen colours, which a terminal chooses itself.
BASE = ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
        "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"]
EDGE = "\u258f"


def color(n):
    if n < 16:
        return BASE[n]
    if n >= 232:
        return "#" + "%02x" % (8 + (n - 232) * 10) * 3
    levels = (0, 95, 135, 175, 215, 255)
    n -= 16
    return "#%02x%02x%02x" % (levels[n // 36], levels[n // 6 % 6], levels[n % 6])


class Style:
    """The state that escape sequences change."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.front = self.back = None
        self.is_bold = self.is_faint = self.is_reverse = False

    def apply(self, codes):
        codes = [int(c or 0) for c in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (38, 48):
                kind, number = codes.pop(0), codes.pop(0)
                assert kind == 5, "a colour that is not one of 256"
                if code == 38:
                    self.front = color(number)
                else:
                    self.back = color(number)
            elif code in (39, 49):
                setattr(self, "front" if code == 39 else "back", None)
            elif 30 <= code < 38 or 40 <= code < 48:
                setattr(self, "front" if code < 40 else "back", color(code % 10))
            else:
                names = {1: "is_bold", 2: "is_faint", 7: "is_reverse"}
                if code in names:
                    setattr(self, names[code], True)
                elif code == 22:
                    self.is_bold = self.is_faint = False
                elif code == 27:
                    self.is_reverse = False

    def look(self):
        front, back = self.front or FRONT, self.back or BACK
        if self.is_reverse:
            front, back = back, front
        if self.is_faint:
            front = "#8a8a8a"
        return front, back, self.is_bold


def cells(lines):
    """Rows of (character, (front, back, is bold))."""
    style = Style()
    for line in lines:
        row = []
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if part.startswith("\x1b"):
                style.apply(part[2:-1])
            else:
                row += [(c, style.look()) for c in part]
        # The cost of bperf itself differs from run to run.
        text = "".join(c for c, _ in row)
        for m in re.finditer(r"bperf: [0-9.]+ % of a CPU", text):
            row[m.start():m.end()] = [(" ", row[m.start()][1])] * (m.end() - m.start())
        yield row


def same(row, key):
    """Runs of cells that are alike: (first column, cells)."""
    first = 0
    for i in range(1, len(row) + 1):
        if i == len(row) or key(row[i]) != key(row[first]):
            yield first, row[first:i]
            first = i


def backgrounds(rows):
    paths = {}
    for y, row in enumerate(rows):
        for x, run in same(row, lambda c: c[1][1]):
            back = run[0][1][1]
            if back != BACK:
                paths.setdefault(back, []).append("M%d %dh%dv%dh-%dz" % (
                    MARGIN + x * CELL, BAR + y * LINE, len(run) * CELL, LINE, len(run) * CELL))
    for back, path in sorted(paths.items()):
        yield '<path fill="%s" d="%s"/>' % (back, "".join(path))


def edges(rows):
    """Lines in place of the characters, which fonts draw differently."""
    path = ["M%d %dv%d" % (MARGIN + x * CELL, BAR + y * LINE, LINE)
            for y, row in enumerate(rows) for x, (c, _) in enumerate(row) if c == EDGE]
    yield '<path stroke="#1b1d23" d="%s"/>' % "".join(path)


def texts(rows):
    for y, row in enumerate(rows):
        for x, run in same(row, lambda c: (c[1][0], c[1][2])):
            front, _, is_bold = run[0][1]
            text = "".join(" " if c == EDGE else c for c, _ in run)
            # Words apart from others keep their column in any font.
            for m in re.finditer(r"\S+(?: \S+)*", text):
                yield '<text x="%d" y="%d" textLength="%d"%s%s>%s</text>' % (
                    MARGIN + (x + m.start()) * CELL, BAR + y * LINE + 13, len(m.group()) * CELL,
                    "" if front == FRONT else ' fill="%s"' % front,
                    ' font-weight="bold"' if is_bold else "", escape(m.group()))


def main():
    rows = list(cells(sys.stdin.read().rstrip("\n").split("\n")))
    width = 2 * MARGIN + CELL * max(len(row) for row in rows)
    height = BAR + LINE * len(rows) + MARGIN
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">' %
          (width, height, width, height))
    print("<title>%s</title>" % escape(sys.argv[1]))
    print('<rect width="%d" height="%d" rx="8" fill="%s"/>' % (width, height, BACK))
    for i, dot in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        print('<circle cx="%d" cy="14" r="5" fill="%s"/>' % (18 + i * 18, dot))
    print('<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="13" '
          'fill="%s">' % FRONT)
    print('<text x="%d" y="18" text-anchor="middle" fill="#8a8a8a">%s</text>' %
          (width // 2, escape(sys.argv[1])))
    for part in (backgrounds, edges, texts):
        for element in part(rows):
            print(element)
    print("</g>\n</svg>")


main()
