#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads a trace for Perfetto with Google's decoder and holds it to its own rules: every id is defined before
it is used, slices of a track don't overlap, a flow begins once and ends once, at the same time.

pftrace.py SCHEMA_FOLDER FILE.pftrace: prints, as JSON,
	packets  how many there are
	rows     [pid, comm, state, stack from the root, waker, ns, slices]: slices that look the same
	samples  [pid, comm, stack from the root, samples]
"""
import collections
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import perfetto_pb2  # noqa: E402

trace = perfetto_pb2.Trace()
with open(sys.argv[2], "rb") as f:
    trace.ParseFromString(f.read())

paths, build_ids, mappings, names, frames, stacks = {}, {}, {}, {}, {}, {}
threads, tracks, begun, ends, flows = {}, {}, {}, {}, {}
rows, samples = collections.Counter(), collections.Counter()
counts = collections.Counter()


def must(is_true, *what):
    if not is_true:
        sys.exit("not a good trace: " + " ".join(map(str, what)))


def define(table, entries, value):
    for e in entries:
        must(e.iid and e.iid not in table, "id", e.iid, "is defined twice")
        table[e.iid] = value(e)


def frame_of(e):
    must(not e.mapping_id or e.HasField("rel_pc"), "a frame has a file and no address")
    must(not e.mapping_id or e.mapping_id in mappings, "file", e.mapping_id)
    return names[e.function_name_id]


def intern(data):
    define(paths, data.mapping_paths, lambda e: e.str.decode())
    define(build_ids, data.build_ids, lambda e: e.str.decode())
    define(mappings, data.mappings,
           lambda e: (paths[e.path_string_ids[0]], build_ids[e.build_id] if e.build_id else None))
    define(names, data.function_names, lambda e: e.str.decode())
    define(frames, data.frames, frame_of)
    define(stacks, data.callstacks, lambda e: ";".join(frames[i] for i in e.frame_ids))


def describe(track):
    tracks[track.uuid] = (track.thread.pid, track.thread.thread_name) if track.HasField("thread") \
        else (0, track.name or track.process.process_name)
    if track.HasField("thread"):
        threads[track.thread.pid, track.thread.tid] = track.thread.thread_name


def event(at, e):
    must(e.track_uuid in tracks, "track", e.track_uuid, "is not described")
    stack = stacks[e.callstack_iid] if e.callstack_iid else ""
    if e.type == e.TYPE_INSTANT:
        for flow in e.flow_ids:
            must(flow not in flows, "flow", flow, "begins twice")
            flows[flow] = (at, tracks[e.track_uuid][1])
    elif e.type == e.TYPE_SLICE_BEGIN:
        must(e.track_uuid not in begun and at >= ends.get(e.track_uuid, 0), "slices overlap",
             tracks[e.track_uuid])
        begun[e.track_uuid] = (at, e.name, stack)
    else:
        start, name, stack = begun.pop(e.track_uuid)
        must(at > start, "an empty slice")
        ends[e.track_uuid] = at
        waker = None
        for flow in e.terminating_flow_ids:
            when, waker = flows.pop(flow)
            must(when == at, "a flow of", at - when, "ns")
        key = (*tracks[e.track_uuid], name, stack, waker)
        rows[key] += at - start
        counts[key] += 1


for n, packet in enumerate(trace.packet):
    if not n:
        must(packet.first_packet_on_sequence and packet.sequence_flags & 1, "no first packet")
        must(packet.trace_packet_defaults.timestamp_clock_id == packet.clock_snapshot.primary_trace_clock ==
             packet.clock_snapshot.clocks[0].clock_id == 3, "clocks")
        continue
    must(packet.sequence_flags == 2 and packet.timestamp >= trace.packet[0].clock_snapshot.clocks[0].timestamp,
         "packet", n)
    intern(packet.interned_data)
    if packet.HasField("track_descriptor"):
        describe(packet.track_descriptor)
    elif packet.HasField("track_event"):
        event(packet.timestamp, packet.track_event)
    else:
        s = packet.perf_sample
        samples[s.pid, threads[s.pid, s.tid], stacks.get(s.callstack_iid, "")] += 1
must(not begun and not flows, "slices or flows without an end")
json.dump({"packets": len(trace.packet),
           "rows": [[*k, v, counts[k]] for k, v in rows.items()],
           "samples": [[*k, v] for k, v in samples.items()]}, sys.stdout)
