# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# strict.py FORMAT FILE: is it valid in its format, and harmless to a terminal?
import gzip, json, re, sys, xml.dom.minidom

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def text(data):
    found = CONTROL.search(data.decode("utf-8"))
    if found:
        sys.exit("control character %r in %r" % (found.group(), data[:4000]))


def folded(data):
    text(data)
    for line in data.decode().splitlines():
        if not re.fullmatch(r"[^;]+(;[^;]+)* [1-9][0-9]*", line):
            sys.exit("no folded stack: %r" % line)


def records(data):
    text(data)
    for line in data.decode().split("\n")[:-1]:
        json.loads(line)


def svg(data):
    text(data)
    xml.dom.minidom.parseString(data)


def pprof(data):
    data = gzip.decompress(data)
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                return value

    while at < len(data):
        tag = varint()
        n = varint()
        if tag & 7 == 2:
            if tag >> 3 == 6:
                data[at:at + n].decode("utf-8")
            at += n


data = open(sys.argv[2], "rb").read()
if not data:
    sys.exit("nothing was written")
{"txt": text, "folded": folded, "json": records, "svg": svg, "pb.gz": pprof}[sys.argv[1]](data)
