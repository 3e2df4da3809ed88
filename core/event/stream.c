// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/stream.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memlimit.h"
#include "base/stop.h"
#include "stack/truncation.h"

/* Events are held this long; later ones are marked. */
#define REORDER_NS    (50 * NS_PER_MS)
/* The share of the memory limit that held events may use, because a burst must not fill memory.
 * They are sometimes copied, and then twice as much memory is in use. */
#define REORDER_SHARE 4
/* At the end, wait 0.2 s for records that are still being written. */
#define REST_PAUSE_NS (5 * NS_PER_MS)
#define REST_TRIES    40
/* Signals, ticks and the end of the run are checked at least this often. */
#define PASS_NS	      (50 * NS_PER_MS)
/* Looking at the clock takes a tenth of the time in which an event is shown. */
#define LOOK_EVENTS   16
#define STACKS_MAX    65536

/* Flags of a held event: its stack has the maximum number of frames. */
enum held_flags {
	HELD_KERNEL_TRUNCATED = 1 << 14,
	HELD_USER_TRUNCATED = 1 << 15,
};

struct flow_stack {
	u64 id[2];
	char *text;
};

/* ---- stacks ------------------------------------------------------------------------------- */

struct stream_locs {
	u32 kernel[EVENT_MAX_FRAMES + 1], user[EVENT_MAX_FRAMES + 1];
	u32 n_kernel, n_user;
};

u64 *flow_frames(struct event *e)
{
	if (e->flags & EVENT_IS_STACK)
		return ((struct event_stack *)(void *)e)->frames;
	return (u64 *)(void *)((u8 *)e + e->bytes) - e->n_kernel - e->n_user;
}

/* A stack with the maximum number of frames may have had more. */
static u16 truncated(u32 n, u32 max, enum held_flags flag)
{
	return n && n >= max ? flag : 0;
}

/* If unwind tables were used, the end is known. */
static u16 user_truncated(const struct event *e, u32 max)
{
	return event_end(e) == STACK_END_UNKNOWN
		       ? truncated(e->n_user, user_words_max(e, max), HELD_USER_TRUNCATED)
		       : 0;
}

/* Frames end at the end of the record, but the frames of a stack that is a value begin at a fixed
 * offset. */
static u32 drop_own_frames(struct flow *f, struct event *e)
{
	u64 *frames = flow_frames(e);
	u32 n = own_frames_count(&f->own, f->probes, e, frames);

	e->n_kernel = (u8)(e->n_kernel - n);
	if (n && e->flags & EVENT_IS_STACK)
		memmove(frames, frames + n, (e->n_kernel + e->n_user) * sizeof(u64));
	return n;
}

/* The same for the word before the user frames, which may be a caller that is missing from them. */
static void place_caller(struct event *e)
{
	u64 *frames = flow_frames(e), *user = frames + e->n_kernel;

	if (!(e->flags & EVENT_HAS_CALLER) || !caller_insert(user, e->n_user))
		return;
	e->n_user--;
	if (e->flags & EVENT_IS_STACK)
		memmove(user, user + 1, e->n_user * sizeof(u64));
	else
		memmove(frames + 1, frames, e->n_kernel * sizeof(u64));
}

/*
 * Replace addresses by locations when the event arrives, not when it is shown, because its process
 * may be gone by then.
 */
static void locate(struct flow *f, struct event *e)
{
	size_t n = (size_t)e->n_kernel + e->n_user,
	       before = e->flags & EVENT_IS_STACK ? offsetof(struct event_stack, frames)
						  : sizeof(*e);
	bool is_called;
	u64 *frames;

	if (!n)
		return;
	if (before + n * sizeof(u64) > e->bytes || e->n_kernel > EVENT_MAX_FRAMES ||
	    e->n_user > EVENT_MAX_FRAMES) {
		e->n_kernel = e->n_user = 0;
		f->n_stack_faults++;
		return;
	}
	e->flags |= truncated(e->n_kernel, f->opts.max_frames, HELD_KERNEL_TRUNCATED) |
		    user_truncated(e, f->opts.max_frames);
	place_caller(e);
	is_called = drop_own_frames(f, e) != 0;
	frames = flow_frames(e);
	for (u32 i = 0; i < e->n_kernel; i++)
		frames[i] = symbolizer_kernel(f->sym, frames[i], i || is_called);
	frames += e->n_kernel;
	for (u32 i = 0; i < e->n_user; i++)
		frames[i] = symbolizer_user(f->sym, e->tgid, frames[i], i > 0);
}

static void take_locs(struct flow *f, struct event *e, struct stream_locs *out)
{
	const u64 *frames = flow_frames(e);

	for (out->n_kernel = 0; out->n_kernel < e->n_kernel; out->n_kernel++)
		out->kernel[out->n_kernel] = (u32)*frames++;
	for (out->n_user = 0; out->n_user < e->n_user; out->n_user++)
		out->user[out->n_user] = (u32)*frames++;
	if (e->flags & HELD_KERNEL_TRUNCATED)
		out->kernel[out->n_kernel++] = symbolizer_note(f->sym, "[truncated]");
	if (e->flags & HELD_USER_TRUNCATED)
		out->user[out->n_user++] = symbolizer_note(f->sym, "[truncated]");
	else if (out->n_user && truncations_of_end(event_end(e)) != TRUNCATION_N_REASONS)
		out->user[out->n_user++] = symbolizer_note(
			f->sym, truncation_frames[truncations_of_end(event_end(e))]);
}

/* The names of the locations are needed too, because they show where a stack ends. */
static void name_locs(struct flow *f, struct event *e, struct stream_locs *out)
{
	size_t n;
	u32 n_whole;

	take_locs(f, e, out);
	show_find_names(&f->show);
	n_whole = truncations_whole(symbolizer_frames(f->sym, &n), out->user, out->n_user);
	if (n_whole < out->n_user)
		out->n_user = n_whole;
}

/* ---- draining ----------------------------------------------------------------------------- */

static void take_held(struct flow *f, const struct event *e)
{
	f->n_taken += !(e->flags & EVENT_IS_STACK);
	locate(f, reorder_add(&f->reorder, e->time_ns, e, e->bytes));
}

static void take_record(struct flow *f, const struct event *e, size_t size)
{
	const struct event_stack *st;
	struct event *joined;

	if (copies_is_copy(e)) {
		st = copies_take(&f->copies, e, size);
		if (st)
			take_held(f, &st->event);
	} else if (event_end(e) == STACK_END_COPY) {
		joined = copies_join(&f->copies, e);
		take_held(f, joined);
		free(joined);
	} else {
		take_held(f, e);
	}
}

static bool on_event(void *ctx, const void *data, size_t size)
{
	struct flow *f = ctx;
	const struct event *e = data;

	if (size < sizeof(*e) || e->bytes > size || e->bytes < sizeof(*e)) {
		f->n_bad++;
		f->n_taken++;
		return true;
	}
	/* Events without frames need it too: a value may be an address in the process (%U). */
	if (f->opts.has_mappings)
		engine_apply_side(f->engine, e->time_ns);
	take_record(f, e, size);
	/* The rings are not read while events are formatted: leave the rest for the next pass. */
	return f->is_rest || reorder_bytes(&f->reorder) <= mem_limit() / REORDER_SHARE;
}

bool flow_drain(struct flow *f)
{
	u64 before = f->reorder.serial;

	while (!engine_drain(f->engine) && f->is_rest && !*stop_impatience())
		;
	return f->reorder.serial != before;
}

static u64 count_sent(const struct flow *f)
{
	struct err ignored = { 0 };
	u64 sent = 0;

	for (u32 i = 0; i < f->probes->v.n; i++) {
		struct probe_count c = { 0 };
		u64 missed;

		if (!probes_count(f->probes, i, &c, &missed, &ignored))
			sent += c.sent;
	}
	return sent;
}

u64 flow_drain_rest(struct flow *f)
{
	const struct timespec pause = { .tv_nsec = (long)REST_PAUSE_NS };
	u64 sent = 0;

	f->is_rest = true;
	/* Detaching does not wait for programs: one that was preempted may still be writing its
	 * record, and records after it in the ring cannot be read yet. */
	for (u32 i = 0; i < REST_TRIES; i++) {
		flow_drain(f);
		sent = count_sent(f);
		if (f->n_taken >= sent)
			return 0;
		if (*stop_impatience())
			break;
		nanosleep(&pause, NULL);
	}
	return sent - f->n_taken;
}

static const char *stack_text(void *ctx, const u64 id[2])
{
	struct flow *f = ctx;

	for (size_t i = f->stacks.n; i-- > 0;)
		if (f->stacks.items[i]->id[0] == id[0] && f->stacks.items[i]->id[1] == id[1])
			return f->stacks.items[i]->text;
	return NULL;
}

int flow_init(struct flow *f, const struct flow_opts *opts, struct proberun *run, struct err *err)
{
	struct probes *probes = &run->probes;
	struct engine *engine = &run->engine;

	*f = (struct flow){
		.opts = *opts,
		.probes = probes,
		.engine = engine,
		.out = engine->out,
		.sym = engine->sym,
		.run = &engine->info.run,
		.own = { .kernel = &engine->ksyms.source },
		.copies = { .unwinding = &run->unwinding },
		.show = { .sym = engine->sym, .stack = stack_text, .ctx = f },
	};
	reorder_init(&f->reorder, REORDER_NS);
	f->shown = mem_alloc(probes->v.n, sizeof(u64));
	f->unreadable = mem_alloc(probes->v.n, sizeof(u64));
	f->late = mem_alloc(probes->v.n, sizeof(u64));
	return proberun_open_rings(engine, probes, on_event, f, err);
}

void flow_release(struct flow *f)
{
	reorder_release(&f->reorder);
	str_release(&f->text);
	str_release(&f->names);
	str_release(&f->frame_texts);
	own_frames_release(&f->own);
	copies_release(&f->copies);
	for (size_t i = 0; i < f->stacks.n; i++) {
		free(f->stacks.items[i]->text);
		free(f->stacks.items[i]);
	}
	vec_release(&f->stacks);
	flow_same_release(f);
	free(f->shown);
	free(f->unreadable);
	free(f->late);
}

/* ---- stacks as values -------------------------------------------------------------------- */

/* "leaf;caller;[libc.so.6]": a stack on one line. */
static void add_stack_text(const struct flow *f, const u32 *locs, u32 n, struct str *out)
{
	size_t n_all;
	const struct frame *frames = symbolizer_frames(f->sym, &n_all);

	for (u32 i = 0; i < n; i++) {
		const struct frame *frame = &frames[locs[i]];

		str_adds(out, i ? ";" : "");
		if (frame->name)
			str_adds(out, frame->name);
		else if (frame->module && *frame->module != '[')
			str_addf(out, "[%s]", frame_base(frame->module));
		else
			str_adds(out, frame->module ? frame->module : "[unknown]");
	}
}

/* A stack that is a saved value or a key: it is sent once, and kept as text. */
static void take_stack(struct flow *f, struct event *e)
{
	const struct event_stack *st = (const void *)e;
	size_t n_frames = (size_t)e->n_kernel + e->n_user;
	struct flow_stack *stack;
	struct str text = { 0 };
	struct stream_locs locs;

	if (n_frames > EVENT_MAX_FRAMES || f->stacks.n >= STACKS_MAX || mem_is_over()) {
		f->n_stack_full++;
		return;
	}
	name_locs(f, e, &locs);
	if (e->n_kernel)
		add_stack_text(f, locs.kernel, locs.n_kernel, &text);
	else
		add_stack_text(f, locs.user, locs.n_user, &text);
	stack = mem_alloc(1, sizeof(*stack));
	memcpy(stack->id, st->id, sizeof(stack->id));
	stack->text = mem_strdup(str_text(&text));
	str_release(&text);
	vec_push(&f->stacks, stack);
}

/* How many frames of the event's stack are shown as a value of this type. */
static u32 n_shown_of(const struct stream_locs *locs, const struct type *type)
{
	u32 n = type->space == SPACE_USER ? locs->n_user : locs->n_kernel;

	return type->n && type->n < n ? type->n : n;
}

/* The event's own stacks, for values that refer to them. */
static void fill_frames(struct flow *f, const struct stream_locs *locs, struct value_view *shown,
			u32 n)
{
	size_t at = 0;

	str_clear(&f->frame_texts);
	for (u32 i = 0; i < n; i++) {
		bool is_user = shown[i].type->space == SPACE_USER;
		size_t begin = f->frame_texts.n;

		if (!shown[i].is_frames)
			continue;
		shown[i].is_absent = !(is_user ? locs->n_user : locs->n_kernel);
		add_stack_text(f, is_user ? locs->user : locs->kernel,
			       n_shown_of(locs, shown[i].type), &f->frame_texts);
		shown[i].bytes.n = f->frame_texts.n - begin;
	}
	/* Now the buffer does not move any more. */
	for (u32 i = 0; i < n; i++) {
		if (!shown[i].is_frames)
			continue;
		shown[i].bytes.p = str_text(&f->frame_texts) + at;
		at += shown[i].bytes.n;
	}
}

/* ---- messages ----------------------------------------------------------------------------- */

static void add_default(struct flow *f, const struct probe_group *g,
			const struct value_view *values)
{
	for (u32 i = 0; i < g->n_values; i++) {
		if (i)
			str_addc(&f->text, ' ');
		str_adds(&f->text, g->names[i]);
		str_addc(&f->text, '=');
		show_default(&f->show, &values[i], &f->text);
	}
}

static void make_text(struct flow *f, const struct probe *probe, const struct probe_group *g,
		      const struct value_view *values)
{
	str_clear(&f->text);
	if (probe->spec.has_format)
		show_format(&f->show, &probe->format, values, &f->text);
	else
		add_default(f, g, values);
}

static enum event_value_kind kind_of(const struct type *type)
{
	if (type->kind == TYPE_STACK || type->kind == TYPE_STRING)
		return VALUE_TEXT;
	if (type->kind == TYPE_BYTES && type->to)
		return VALUE_LIST;
	if (type->kind == TYPE_BYTES)
		return type->show == SHOW_BUFFER ? VALUE_BYTES : VALUE_TEXT;
	if (type->kind == TYPE_POINTER || type->show == SHOW_POINTER || type->show == SHOW_KSYM ||
	    type->show == SHOW_USYM)
		return VALUE_ADDRESS;
	if (type->is_bool)
		return VALUE_BOOL;
	return type->is_signed ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* A value for JSON: its number or text, and the name of the number.  Names are appended to one
 * buffer; while it grows, only their offsets are kept. */
static void make_value(struct flow *f, const char *name, const struct value_view *v,
		       struct event_value *out)
{
	size_t start = f->names.n;

	*out = (struct event_value){
		.name = name,
		.kind = v->is_frames ? VALUE_STACK : kind_of(v->type),
		.is_absent = v->is_absent,
		.is_cut = v->is_cut,
		.number = show_number(v),
	};
	if (v->is_absent || out->kind == VALUE_BOOL || v->is_frames)
		return;
	if (out->kind == VALUE_LIST) {
		out->element = kind_of(v->type->to);
		out->element_bytes = (u8)v->type->to->size;
		out->text = show_elements(v, &out->is_cut);
		return;
	}
	if ((v->type->kind == TYPE_STRING && v->type->show != SHOW_QUOTED) ||
	    v->type->show == SHOW_TEXT || out->kind == VALUE_BYTES) {
		out->text = v->bytes;
		return;
	}
	if (out->kind == VALUE_TEXT)
		show_plain(&f->show, v, &f->names);
	else
		show_name(&f->show, v, &f->names);
	out->text.n = f->names.n - start;
}

/* The text of a value that the message has as %{ms}. */
static void make_unit_text(struct flow *f, const struct probe *probe, u32 i,
			   const struct value_view *v, struct event_value *out)
{
	const struct format_piece *p;

	vec_for_each(p, &probe->format.pieces) {
		size_t start = f->names.n;

		if (p->kind != FORMAT_NS || p->value != i || v->is_absent || out->text.n)
			continue;
		show_ns(p, v->number, &f->names);
		out->text.n = f->names.n - start;
	}
}

static void make_values(struct flow *f, const struct probe *probe, const struct probe_group *g,
			const struct value_view *shown, struct event_value *out)
{
	size_t at = 0;

	str_clear(&f->names);
	for (u32 i = 0; i < g->n_values; i++) {
		make_value(f, g->names[i], &shown[i], &out[i]);
		if (f->opts.unit_texts && probe->spec.has_format)
			make_unit_text(f, probe, i, &shown[i], &out[i]);
	}
	for (u32 i = 0; i < g->n_values; i++) {
		if (out[i].text.p || !out[i].text.n)
			continue;
		out[i].text.p = str_text(&f->names) + at;
		at += out[i].text.n;
	}
}

static void place_frames(const struct stream_locs *locs, const struct value_view *shown,
			 struct event_value *values, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		if (!shown[i].is_frames)
			continue;
		values[i].stack = shown[i].type->space == SPACE_USER ? locs->user : locs->kernel;
		values[i].n_stack = n_shown_of(locs, shown[i].type);
	}
}

/* ---- one event ---------------------------------------------------------------------------- */

static bool is_wanted(const struct flow *f)
{
	return !f->opts.contains || strstr(str_text(&f->text), f->opts.contains);
}

/* Counts for the share of complete user stacks, which is printed at the end. */
static void count_user(struct flow *f, const struct event *e, const struct stream_locs *locs)
{
	enum truncation_reason why = TRUNCATED_missed;
	size_t n;

	if (e->flags & EVENT_USER_FAULT)
		f->n_stack_faults++;
	else if (locs->n_user)
		why = truncations_of_stack(symbolizer_frames(f->sym, &n), locs->user, locs->n_user,
					   event_end(e));
	else if (event_end(e) == STACK_END_LATE)
		why = TRUNCATED_table_late;
	else
		return;
	f->n_user++;
	if (why != TRUNCATION_N_REASONS)
		f->user_truncated[why]++;
}

static void show_event(struct flow *f, struct event *e, size_t n, bool is_late)
{
	struct event_value values[EVENT_MAX_VALUES];
	struct value_view shown[EVENT_MAX_VALUES];
	size_t stack_bytes = 8 * ((size_t)e->n_kernel + e->n_user), n_all;
	const struct probe_group *g;
	const struct probe *probe;
	struct stream_locs locs = { .n_kernel = 0 };
	struct event_row row;
	char comm[17] = "";

	if (e->probe >= f->probes->v.n || stack_bytes > n - sizeof(*e)) {
		f->n_bad++;
		return;
	}
	probe = f->probes->v.items[e->probe];
	g = probe_group_of(probe, e->site);
	if (e->site >= probe->plan.sites.n ||
	    !unpack_event(e, n - stack_bytes, g->values, g->n_values, shown)) {
		f->n_bad++;
		return;
	}
	f->show.plan = &probe->plan;
	f->show.tgid = e->tgid;
	if (stack_bytes)
		name_locs(f, e, &locs);
	fill_frames(f, &locs, shown, g->n_values);
	make_text(f, probe, g, shown);
	f->late[e->probe] += is_late;
	if (!is_wanted(f))
		return;
	make_values(f, probe, g, shown, values);
	place_frames(&locs, shown, values, g->n_values);
	memcpy(comm, e->comm, sizeof(e->comm));
	row = (struct event_row){
		.time_ns =
			e->time_ns > f->run->monotonic_ns ? e->time_ns - f->run->monotonic_ns : 0,
		.cpu = e->cpu,
		.tgid = e->tgid,
		.tid = e->tid,
		.uid = e->uid,
		.comm = comm,
		.probe = probe->plan.sites.items[e->site].name,
		.func = probe->plan.sites.items[e->site].func,
		.text = str_view(&f->text),
		.values = values,
		.n_values = g->n_values,
		.frames = symbolizer_frames(f->sym, &n_all),
		.kernel = locs.kernel,
		.user = locs.user,
		.n_kernel = f->opts.kernel_stacks ? locs.n_kernel : 0,
		.n_user = f->opts.user_stacks ? locs.n_user : 0,
		.wants_kernel = f->opts.kernel_stacks,
		.wants_user = f->opts.user_stacks,
		.is_user_missing = f->opts.user_stacks && e->flags & EVENT_USER_FAULT,
		.is_late = is_late,
	};
	count_user(f, e, &locs);
	if (f->opts.unique && !flow_same_count(f, e, &row))
		return;
	f->shown[e->probe]++;
	f->unreadable[e->probe] += e->absent != 0;
	f->n_shown++;
	if (f->opts.aggregate)
		flow_same_count(f, e, &row);
	else
		output_event(f->out, &row);
}

bool flow_is_full(const struct flow *f)
{
	return f->opts.max_events && f->n_shown >= f->opts.max_events;
}

static void show_one(struct flow *f, struct event *e, size_t n, bool is_late)
{
	if (e->flags & EVENT_IS_STACK)
		take_stack(f, e);
	else
		show_event(f, e, n, is_late);
}

/* Returns whether there may be more events. */
static bool show_pass(struct flow *f, u64 old_ns, u64 until_ns)
{
	struct event *e;
	bool is_late;
	size_t n;

	for (u32 i = 1; !flow_is_full(f); i++) {
		e = reorder_next(&f->reorder, old_ns, &n, &is_late);
		if (!e)
			break;
		show_one(f, e, n, is_late);
		if (!(i % LOOK_EVENTS) && now_ns() >= until_ns)
			return true;
	}
	return false;
}

static void give_up_rest(struct flow *f)
{
	struct event *e;
	bool is_late;
	size_t n;

	while ((e = reorder_next(&f->reorder, UINT64_MAX, &n, &is_late)))
		f->n_given_up += !(e->flags & EVENT_IS_STACK);
}

int flow_show(struct flow *f, u64 now, struct err *err)
{
	bool is_last = now == UINT64_MAX, has_more;
	int ret;

	/* Too many events to hold: show them early, possibly out of order, rather than use more
	 * memory. */
	if (reorder_bytes(&f->reorder) > mem_limit() / REORDER_SHARE / 2)
		now = UINT64_MAX;
	/* Hold them until the output's reader has read the earlier ones, as long as memory allows
	 * it. */
	if (!is_last && output_is_full(f->out))
		return output_flush(f->out, err);
	do {
		has_more = show_pass(f, now, now_ns() + PASS_NS);
		ret = output_flush(f->out, err);
	} while (!ret && has_more && is_last && !*stop_impatience() && !output_is_broken(f->out));
	if (is_last && has_more)
		give_up_rest(f);
	return ret;
}
