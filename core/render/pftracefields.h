/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Field numbers of Perfetto's trace format (protos/perfetto/trace/ in google/perfetto), as far as
 * render/pftrace.c writes it.
 */
#ifndef RENDER_PFTRACEFIELDS_H
#define RENDER_PFTRACEFIELDS_H

enum {
	TRACE_PACKET = 1
};
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TIMESTAMP_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_PERF_SAMPLE = 66,
	PACKET_FIRST_ON_SEQUENCE = 87,
};
/* TracePacketDefaults */
enum {
	DEFAULTS_TIMESTAMP_CLOCK_ID = 58
};
/* Values of sequence_flags. */
enum {
	SEQUENCE_CLEARED = 1, /* interned data begins here */
	SEQUENCE_NEEDED = 2   /* the packet refers to interned data */
};
enum {
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY_CLOCK = 2
};
enum {
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2
};
/* Values of clock ids. */
enum {
	BUILTIN_REALTIME = 1,
	BUILTIN_MONOTONIC = 3
};
enum {
	INTERNED_FUNCTION_NAMES = 5,
	INTERNED_FRAMES = 6,
	INTERNED_CALLSTACKS = 7,
	INTERNED_BUILD_IDS = 16,
	INTERNED_MAPPING_PATHS = 17,
	INTERNED_MAPPINGS = 19,
};
/* InternedString */
enum {
	STRING_IID = 1,
	STRING_STR = 2
};
enum {
	MAPPING_IID = 1,
	MAPPING_BUILD_ID = 2,
	MAPPING_PATH_IDS = 7
};
enum {
	FRAME_IID = 1,
	FRAME_FUNCTION = 2,
	FRAME_MAPPING = 3,
	FRAME_REL_PC = 4
};
enum {
	CALLSTACK_IID = 1,
	CALLSTACK_FRAMES = 2 /* the root first */
};
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4
};
enum {
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5
};
enum {
	PROCESS_PID = 1,
	PROCESS_NAME = 6
};
enum {
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_FLOWS = 47,
	EVENT_LAST_FLOWS = 48, /* terminating_flow_ids */
	EVENT_CALLSTACK = 56,  /* callstack_iid; older readers skip it */
};
/* Values of type. */
enum {
	EVENT_BEGIN = 1,
	EVENT_END = 2,
	EVENT_INSTANT = 3
};
enum {
	PERF_CPU = 1,
	PERF_PID = 2,
	PERF_TID = 3,
	PERF_CALLSTACK = 4,
	PERF_CPU_MODE = 5
};
/* Values of cpu_mode. */
enum {
	MODE_KERNEL = 1,
	MODE_USER = 2
};

#endif
