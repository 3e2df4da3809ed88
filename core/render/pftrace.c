// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Single waits and samples as a trace for the Perfetto UI (ui.perfetto.dev) and trace_processor.
 *
 * A thread is a track.  A wait is a slice on it, named by the state of the thread, with the stack
 * that waits.  The waker is an instant on its own track, with its stack, and a flow leads from it
 * to the wait that it ends.  An interrupt that wakes has a track by its name.  Samples on a CPU are
 * those of perf.
 *
 * Names, files, frames and stacks are written once ("interned"), in the packet of the event that
 * first needs them.  The frames of two reports are not compared: each report has entries of its
 * own.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/intern.h"
#include "base/utf8.h"
#include "render/framelabel.h"
#include "render/pftracefields.h"
#include "render/protow.h"
#include "render/renderer.h"
#include "render/singles.h"
#include "render/stackpath.h"

struct mapping {
	const char *module, *build_id; /* interned; NULL: none */
};

struct track {
	u64 uuid;
	const char *name; /* interned; NULL: not known */
};

/* State of a file. */
struct pftrace {
	u64 n_names, n_frames, n_stacks; /* ids given so far */
	u64 n_flows;
	struct intern texts;
	VEC(struct mapping) mappings; /* id i + 1, which its path and its build id have too */
	struct index by_mapping;
	VEC(struct track) tracks; /* those that were described */
	struct index by_track;
};

/* State of a report. */
struct writer {
	struct render *out;
	struct pftrace *trace;
	const struct report *report;
	u64 *frames;				   /* ids by frame; 0: none yet */
	u64 *stacks, *wakers;			   /* ids of callstacks by row, and by link */
	struct str interned;			   /* definitions for the next packet */
	struct str packet, event, nested, scratch; /* under construction */
	VEC(u64) ids;
};

/* ---- packets ---- */

static void add_packet(struct render *out, struct view fields)
{
	struct str *buf = &out->sink->buf;
	size_t before = buf->n;

	proto_bytes(buf, TRACE_PACKET, fields);
	out->n_bytes += buf->n - before;
	sink_spill(out->sink);
}

/* Write a packet with w->event and the interned data that it needs.  `ns`: since the start of the
 * run. */
static void add_event(struct writer *w, u32 field, u64 ns)
{
	struct str *packet = &w->packet;

	str_clear(packet);
	proto_u64(packet, PACKET_TIMESTAMP, w->report->run->monotonic_ns + ns);
	proto_u64(packet, PACKET_SEQUENCE_ID, 1);
	proto_u64(packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDED);
	if (w->interned.n)
		proto_bytes(packet, PACKET_INTERNED_DATA, str_view(&w->interned));
	proto_bytes(packet, field, str_view(&w->event));
	add_packet(w->out, str_view(packet));
	str_clear(&w->interned);
	str_clear(&w->event);
}

static void add_clock(struct str *snapshot, u64 id, u64 ns)
{
	struct str clock = { 0 };

	proto_u64(&clock, CLOCK_ID, id);
	proto_u64(&clock, CLOCK_TIMESTAMP, ns);
	proto_bytes(snapshot, SNAPSHOT_CLOCKS, str_view(&clock));
	str_release(&clock);
}

/* Times are those of CLOCK_MONOTONIC. */
static void add_header(struct render *out, const struct run_info *run)
{
	struct str packet = { 0 }, nested = { 0 };

	proto_u64(&packet, PACKET_SEQUENCE_ID, 1);
	proto_u64(&packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	proto_u64(&packet, PACKET_FIRST_ON_SEQUENCE, 1);
	proto_u64(&nested, DEFAULTS_TIMESTAMP_CLOCK_ID, BUILTIN_MONOTONIC);
	proto_bytes(&packet, PACKET_DEFAULTS, str_view(&nested));
	str_clear(&nested);
	add_clock(&nested, BUILTIN_MONOTONIC, run->monotonic_ns);
	add_clock(&nested, BUILTIN_REALTIME, run->realtime_ns);
	proto_u64(&nested, SNAPSHOT_PRIMARY_CLOCK, BUILTIN_MONOTONIC);
	proto_bytes(&packet, PACKET_CLOCK_SNAPSHOT, str_view(&nested));
	add_packet(out, str_view(&packet));
	str_release(&packet);
	str_release(&nested);
}

/* ---- interned data ---- */

/* Add w->nested to the interned data of the next packet. */
static void add_interned(struct writer *w, u32 field)
{
	proto_bytes(&w->interned, field, str_view(&w->nested));
	str_clear(&w->nested);
}

static void add_string(struct writer *w, u32 field, u64 iid, struct view text)
{
	str_clear(&w->scratch);
	utf8_add_clean(&w->scratch, text);
	proto_u64(&w->nested, STRING_IID, iid);
	proto_bytes(&w->nested, STRING_STR, str_view(&w->scratch));
	add_interned(w, field);
}

static u64 mapping_id(struct writer *w, const struct frame *f)
{
	struct pftrace *t = w->trace;
	struct mapping m = { .module = intern(&t->texts, f->module) };
	u64 hash, id;
	size_t at = 0;
	u32 i;

	if (f->build_id)
		m.build_id = intern(&t->texts, f->build_id);
	hash = hash_mix((u64)(uintptr_t)m.module, (u64)(uintptr_t)m.build_id);
	while (index_next(&t->by_mapping, hash, &at, &i))
		if (t->mappings.items[i].module == m.module &&
		    t->mappings.items[i].build_id == m.build_id)
			return i + 1;
	index_add(&t->by_mapping, hash, (u32)t->mappings.n);
	vec_push(&t->mappings, m);
	id = t->mappings.n;
	add_string(w, INTERNED_MAPPING_PATHS, id, view_of(m.module));
	if (m.build_id)
		add_string(w, INTERNED_BUILD_IDS, id, view_of(m.build_id));
	proto_u64(&w->nested, MAPPING_IID, id);
	proto_u64(&w->nested, MAPPING_BUILD_ID, m.build_id ? id : 0);
	proto_u64(&w->nested, MAPPING_PATH_IDS, id);
	add_interned(w, INTERNED_MAPPINGS);
	return id;
}

static u64 frame_id(struct writer *w, u32 frame)
{
	const struct frame *f = &w->report->frames[frame];
	struct str label = { 0 };
	u64 *id = &w->frames[frame], name, mapping;

	if (*id)
		return *id;
	*id = ++w->trace->n_frames;
	name = ++w->trace->n_names;
	mapping = f->module && f->vaddr && f->kind != FRAME_NOTE ? mapping_id(w, f) : 0;
	label_add(&label, f, true);
	add_string(w, INTERNED_FUNCTION_NAMES, name, str_view(&label));
	proto_u64(&w->nested, FRAME_IID, *id);
	proto_u64(&w->nested, FRAME_FUNCTION, name);
	proto_u64(&w->nested, FRAME_MAPPING, mapping);
	proto_u64(&w->nested, FRAME_REL_PC, mapping ? f->vaddr : 0);
	add_interned(w, INTERNED_FRAMES);
	str_release(&label);
	return *id;
}

static void find_frames(struct writer *w, u32 node)
{
	for (; node; node = w->report->nodes[node].parent)
		vec_push(&w->ids, frame_id(w, w->report->nodes[node].frame));
}

/* The id of a stack, kept in *id; 0: it has no frames. */
static u64 callstack_id(struct writer *w, u64 *id, u32 kernel, u32 user)
{
	if (*id || !(kernel | user))
		return *id;
	w->ids.n = 0;
	find_frames(w, kernel);
	find_frames(w, user);
	for (size_t i = 0, j = w->ids.n - 1; i < j; i++, j--) {
		u64 frame = w->ids.items[i];

		w->ids.items[i] = w->ids.items[j];
		w->ids.items[j] = frame;
	}
	*id = ++w->trace->n_stacks;
	proto_u64(&w->nested, CALLSTACK_IID, *id);
	proto_packed(&w->nested, CALLSTACK_FRAMES, w->ids.items, w->ids.n);
	add_interned(w, INTERNED_CALLSTACKS);
	return *id;
}

static u64 row_stack(struct writer *w, u32 row)
{
	const struct stack_row *r = &w->report->stacks.items[row];

	return callstack_id(w, &w->stacks[row], r->kernel, r->user);
}

/* ---- tracks ---- */

/* True if the track must be described: it is new, or its name has changed (exec). */
static bool is_news(struct pftrace *t, u64 uuid, const char *name)
{
	struct track *track;
	size_t at = 0;
	u32 i;

	name = name ? intern(&t->texts, name) : NULL;
	while (index_next(&t->by_track, uuid, &at, &i)) {
		track = &t->tracks.items[i];
		if (track->uuid != uuid)
			continue;
		if (!name || track->name == name)
			return false;
		track->name = name;
		return true;
	}
	index_add(&t->by_track, uuid, (u32)t->tracks.n);
	vec_push(&t->tracks, (struct track){ uuid, name });
	return true;
}

static void add_text(struct writer *w, struct str *out, u32 field, const char *text)
{
	str_clear(&w->scratch);
	utf8_add_clean(&w->scratch, view_of(text));
	proto_bytes(out, field, str_view(&w->scratch));
}

static void describe_process(struct writer *w, u32 pid, const char *name)
{
	proto_u64(&w->nested, PROCESS_PID, pid);
	add_text(w, &w->nested, PROCESS_NAME, name);
	proto_u64(&w->event, TRACK_UUID, hash_mix(pid, 0) | 1);
	proto_bytes(&w->event, TRACK_PROCESS, str_view(&w->nested));
	str_clear(&w->nested);
	add_event(w, PACKET_TRACK_DESCRIPTOR, 0);
}

/* The track of a thread; name NULL: not known.  A process has the name of its first thread.
 * Readers use the last name that they meet. */
static u64 thread_track(struct writer *w, u32 pid, u32 tid, const char *name)
{
	u64 uuid = hash_mix(pid, (u64)tid + 1) | 1;

	if (!is_news(w->trace, uuid, name))
		return uuid;
	if (pid == tid && name)
		describe_process(w, pid, name);
	proto_u64(&w->nested, THREAD_PID, pid);
	proto_u64(&w->nested, THREAD_TID, tid);
	if (name)
		add_text(w, &w->nested, THREAD_NAME, name);
	proto_u64(&w->event, TRACK_UUID, uuid);
	proto_bytes(&w->event, TRACK_THREAD, str_view(&w->nested));
	str_clear(&w->nested);
	add_event(w, PACKET_TRACK_DESCRIPTOR, 0);
	return uuid;
}

static u64 interrupt_track(struct writer *w, struct view name)
{
	u64 uuid = hash_bytes(name.p, name.n) | 1;

	if (!is_news(w->trace, uuid, NULL))
		return uuid;
	str_clear(&w->scratch);
	utf8_add_clean(&w->scratch, name);
	proto_u64(&w->event, TRACK_UUID, uuid);
	proto_bytes(&w->event, TRACK_NAME, str_view(&w->scratch));
	add_event(w, PACKET_TRACK_DESCRIPTOR, 0);
	return uuid;
}

static const char *name_of(const struct stack_task *task)
{
	return task->comm ? task->comm : task->root;
}

/* ---- events ---- */

static void add_sample(struct writer *w, u64 ns, u32 row, u32 pid, u32 tid, u32 cpu)
{
	const struct stack_row *r = &w->report->stacks.items[row];

	if (singles_are_over(w->out))
		return;
	thread_track(w, pid, tid, name_of(report_task(w->report, r)));
	proto_u64(&w->event, PERF_CPU, cpu);
	proto_u64(&w->event, PERF_PID, pid);
	proto_u64(&w->event, PERF_TID, tid);
	proto_u64(&w->event, PERF_CALLSTACK, row_stack(w, row));
	proto_u64(&w->event, PERF_CPU_MODE, r->kernel ? MODE_KERNEL : MODE_USER);
	add_event(w, PACKET_PERF_SAMPLE, ns);
	w->out->n_records++;
}

static void begin_event(struct writer *w, u64 type, u64 track)
{
	proto_u64(&w->event, EVENT_TYPE, type);
	proto_u64(&w->event, EVENT_TRACK, track);
}

/* The track of the nearest waker; 0: it is not known. */
static u64 waker_track(struct writer *w, const struct timed_wait *wait,
		       const struct waker_link *link)
{
	struct str name = { 0 };
	u64 track;

	if (link->kind == WAKER_THREAD)
		return wait->waker_tid ? thread_track(w, wait->waker_pid, wait->waker_tid,
						      name_of(&w->report->tasks[link->task]))
				       : 0;
	waker_add_name(&name, link->kind, link->name);
	track = interrupt_track(w, str_view(&name));
	str_release(&name);
	return track;
}

/* The wake-up that ends the wait.  Returns the flow from it; 0: the waker is not known. */
static u64 add_waker(struct writer *w, const struct timed_wait *wait)
{
	const struct report *r = w->report;
	const struct waker_chain *chain = report_chain(r, r->stacks.items[wait->row].chain);
	const struct waker_link *link = chain->n ? report_link(r, chain, 0) : NULL;
	u64 track = link && wait->is_over ? waker_track(w, wait, link) : 0;

	if (!track)
		return 0;
	begin_event(w, EVENT_INSTANT, track);
	proto_bytes(&w->event, EVENT_CATEGORIES, view_of("wakeup"));
	add_text(w, &w->event, EVENT_NAME, "wakes up");
	proto_fixed64(&w->event, EVENT_FLOWS, ++w->trace->n_flows);
	proto_u64(&w->event, EVENT_CALLSTACK,
		  callstack_id(w, &w->wakers[chain->first], link->kernel, link->user));
	add_event(w, PACKET_TRACK_EVENT, wait->to_ns);
	return w->trace->n_flows;
}

static void add_wait(struct writer *w, const struct timed_wait *wait)
{
	const struct stack_row *row = &w->report->stacks.items[wait->row];
	u64 track, flow;

	if (singles_are_over(w->out))
		return;
	track = thread_track(w, wait->pid, wait->tid, name_of(report_task(w->report, row)));
	begin_event(w, EVENT_BEGIN, track);
	proto_bytes(&w->event, EVENT_CATEGORIES, view_of("wait"));
	add_text(w, &w->event, EVENT_NAME, wait->state);
	proto_u64(&w->event, EVENT_CALLSTACK, row_stack(w, wait->row));
	add_event(w, PACKET_TRACK_EVENT, wait->from_ns);
	flow = add_waker(w, wait);
	begin_event(w, EVENT_END, track);
	if (flow)
		proto_fixed64(&w->event, EVENT_LAST_FLOWS, flow);
	add_event(w, PACKET_TRACK_EVENT, wait->to_ns);
	w->out->n_records++;
}

/* ---- the renderer ---- */

static void pftrace_release(struct render *out)
{
	struct pftrace *t = out->pftrace;

	if (!t)
		return;
	intern_release(&t->texts);
	vec_release(&t->mappings);
	vec_release(&t->tracks);
	index_release(&t->by_mapping);
	index_release(&t->by_track);
	free(t);
	out->pftrace = NULL;
}

static void pftrace_begin(struct render *out)
{
	pftrace_release(out);
	out->pftrace = mem_alloc(1, sizeof(*out->pftrace));
	out->n_bytes = out->n_left = 0;
	add_header(out, out->run);
}

static void pftrace_report(struct render *out, const struct report *r)
{
	struct writer w = { .out = out, .trace = out->pftrace, .report = r };
	const struct timed_sample *sample;
	const struct timed_wait *wait;

	/* The report at the end of the window has all this again. */
	if (r->is_snapshot)
		return;
	w.frames = mem_alloc(r->n_frames + 1, sizeof(*w.frames));
	w.stacks = mem_alloc(r->stacks.n + 1, sizeof(*w.stacks));
	w.wakers = mem_alloc(r->n_links + 1, sizeof(*w.wakers));
	vec_for_each(sample, &r->samples)
		add_sample(&w, sample->time_ns, sample->row, sample->pid, sample->tid, sample->cpu);
	vec_for_each(wait, &r->waits) {
		if (wait->state)
			add_wait(&w, wait);
		else
			add_sample(&w, wait->to_ns, wait->row, wait->pid, wait->tid, 0);
	}
	singles_end_report(out, r);
	free(w.frames);
	free(w.stacks);
	free(w.wakers);
	str_release(&w.interned);
	str_release(&w.packet);
	str_release(&w.event);
	str_release(&w.nested);
	str_release(&w.scratch);
	vec_release(&w.ids);
}

static const char *const extensions[] = { ".pftrace", ".perfetto-trace", NULL };

const struct renderer pftrace_renderer = {
	.name = "pftrace",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_PATHS,
	.is_binary = true,
	.needs_samples = true,
	.takes_waits = true,
	.begin = pftrace_begin,
	.report = pftrace_report,
	.release = pftrace_release,
};
