// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Events: bcc's columns as text,
 *
 * PID     TID     COMM            FUNC             -
 * 2740    2740    bash            do_sys_openat2   filename="/etc/passwd" ...
 *
 * and one JSON object per event.
 */
#include "render/events.h"

#include <time.h>

#include "base/utf8.h"
#include "render/framelabel.h"
#include "render/jsonrecord.h"

#define STACK_INDENT "        "

/* ---- text --------------------------------------------------------------------------------- */

static bool has(const struct render *out, u32 column)
{
	return out->opts->event_columns & column;
}

void events_text_begin(struct render *out)
{
	struct str *buf = &out->sink->buf;

	if (has(out, EVENT_RAW | EVENT_CSV))
		return;
	if (has(out, EVENT_COLUMN_WALL))
		str_addf(buf, "%-9s", "TIME");
	if (has(out, EVENT_COLUMN_UNIX))
		str_addf(buf, "%-18s", "TIME");
	if (has(out, EVENT_COLUMN_SINCE))
		str_addf(buf, "%-13s", "TIME");
	if (has(out, EVENT_COLUMN_CPU))
		str_addf(buf, "%-4s", "CPU");
	if (has(out, EVENT_COLUMN_UID))
		str_addf(buf, "%-8s", "UID");
	if (out->opts->heading)
		str_addf(buf, "%s\n", out->opts->heading);
	else
		str_addf(buf, "%-7s %-7s %-15s %-16s %s\n", "PID", "TID", "COMM", "FUNC", "-");
	sink_spill(out->sink);
}

/* Seconds since 1970 or since the start of the run. */
static void add_seconds(struct str *buf, u64 ns, int width)
{
	struct str text = { 0 };

	str_addf(&text, "%llu.%06llu", ns / NS_PER_SEC, ns % NS_PER_SEC / NS_PER_US);
	str_addf(buf, "%-*s ", width, str_text(&text));
	str_release(&text);
}

const char *events_clock(u64 wall_ns, char *text, size_t n)
{
	time_t at = (time_t)(wall_ns / NS_PER_SEC);
	struct tm tm;

	text[0] = '\0';
	if (localtime_r(&at, &tm))
		strftime(text, n, "%H:%M:%S", &tm);
	return text;
}

static void add_time(struct render *out, u64 since_ns)
{
	struct str *buf = &out->sink->buf;
	u64 wall_ns = out->run->realtime_ns + since_ns;
	char text[16];

	if (has(out, EVENT_COLUMN_WALL))
		str_addf(buf, "%-8s ", events_clock(wall_ns, text, sizeof(text)));
	if (has(out, EVENT_COLUMN_UNIX))
		add_seconds(buf, wall_ns, 17);
	if (has(out, EVENT_COLUMN_SINCE))
		add_seconds(buf, since_ns, 12);
}

static void add_padded(struct str *buf, const char *text, size_t columns)
{
	struct str clean = { 0 };
	size_t n;

	n = utf8_plain_bytes(view_of(text));
	if (!text[n]) {
		str_add(buf, text, n);
		while (n++ < columns)
			str_addc(buf, ' ');
		str_addc(buf, ' ');
		return;
	}
	utf8_add_clean(&clean, view_of(text));
	n = utf8_columns(str_view(&clean));
	str_add(buf, str_text(&clean), clean.n);
	str_addf(buf, "%*s ", n < columns ? (int)(columns - n) : 0, "");
	str_release(&clean);
}

/* Clean the text, but keep the line breaks and tabs of the user's format. */
static void add_message(struct str *buf, struct view text)
{
	size_t plain = utf8_plain_bytes(text);

	str_add(buf, text.p, plain);
	text.p += plain;
	text.n -= plain;
	while (text.n) {
		size_t n = 0;

		while (n < text.n && text.p[n] != '\n' && text.p[n] != '\t')
			n++;
		utf8_add_clean(buf, (struct view){ text.p, n });
		if (n < text.n)
			str_addc(buf, text.p[n++]);
		text.p += n;
		text.n -= n;
	}
}

static void add_frame(const struct render *out, const struct frame *f)
{
	struct str *buf = &out->sink->buf;
	struct str raw = { 0 };

	str_adds(buf, STACK_INDENT);
	if (out->opts->addresses && f->kind != FRAME_NOTE)
		str_addf(buf, "%16llx ", f->addr ? f->addr : f->vaddr);
	label_add(&raw, f, true);
	if (f->name && f->kind != FRAME_NOTE && f->off)
		str_addf(&raw, "+0x%llx", f->off);
	if (f->name && f->module && f->kind != FRAME_NOTE)
		str_addf(&raw,
			 f->kind == FRAME_KERNEL	   ? " [kernel]"
			 : frame_base(f->module)[0] == '[' ? " %s"
							   : " [%s]",
			 frame_base(f->module));
	utf8_add_clean(buf, str_view(&raw));
	str_addc(buf, '\n');
	str_release(&raw);
}

static void add_stacks(const struct render *out, const struct event_row *e)
{
	struct str *buf = &out->sink->buf;

	if (!e->wants_kernel && !e->wants_user)
		return;
	for (u32 i = 0; i < e->n_kernel; i++)
		add_frame(out, &e->frames[e->kernel[i]]);
	for (u32 i = 0; i < e->n_user; i++)
		add_frame(out, &e->frames[e->user[i]]);
	if (e->is_user_missing)
		str_addf(buf, "%s%s\n", STACK_INDENT, FRAME_MISSED_USER);
	str_addc(buf, '\n');
}

/* "%-7u " without printf, for speed: it is printed twice per line. */
static void add_id(struct str *buf, u32 id)
{
	size_t start = buf->n;

	str_add_dec(buf, id);
	while (buf->n - start < 7)
		str_addc(buf, ' ');
	str_addc(buf, ' ');
}

void events_text(struct render *out, const struct event_row *e)
{
	struct str *buf = &out->sink->buf;

	if (!has(out, EVENT_RAW)) {
		add_time(out, e->time_ns);
		if (has(out, EVENT_COLUMN_CPU))
			str_addf(buf, "%-3u ", e->cpu);
		if (has(out, EVENT_COLUMN_UID))
			str_addf(buf, "%-7u ", e->uid);
	}
	if (!has(out, EVENT_RAW) && !out->opts->heading) {
		add_id(buf, e->tgid);
		add_id(buf, e->tid);
		add_padded(buf, e->comm, 15);
		add_padded(buf, e->func, 16);
	}
	add_message(buf, e->text);
	while (buf->n && buf->p[buf->n - 1] == ' ')
		buf->p[--buf->n] = 0;
	if (e->is_late)
		str_adds(buf, " (late)");
	str_addc(buf, '\n');
	add_stacks(out, e);
	if (e->count)
		str_addf(buf, "-->COUNT %llu\n\n", e->count);
	out->n_records++;
	sink_spill(out->sink);
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* Text has offsets in any case. */
static void json_frames(struct jsonw *w, const struct render *out, const char *key,
			const struct frame *frames, const u32 *ids, u32 n)
{
	struct render_opts opts = *out->opts;

	opts.offsets = true;
	json_open(w, key, '[');
	for (u32 i = 0; i < n; i++) {
		struct str text = { 0 };

		json_record_frame(&text, &frames[ids[i]], &opts);
		json_raw(w, NULL, str_view(&text));
		str_release(&text);
	}
	json_close(w, ']');
}

static void json_value(struct jsonw *w, const struct render *out, const struct event_row *e,
		       const struct event_value *v);

static void json_list(struct jsonw *w, const struct render *out, const struct event_row *e,
		      const struct event_value *v)
{
	struct event_value element = { .kind = v->element };

	json_open(w, v->name, '[');
	for (size_t i = 0; i + v->element_bytes <= v->text.n; i += v->element_bytes) {
		element.number =
			event_element(v->text.p + i, v->element_bytes, v->element == VALUE_SIGNED);
		json_value(w, out, e, &element);
	}
	json_close(w, ']');
}

static void json_value(struct jsonw *w, const struct render *out, const struct event_row *e,
		       const struct event_value *v)
{
	if (v->is_absent) {
		json_none(w, v->name);
		return;
	}
	switch (v->kind) {
	case VALUE_SIGNED:
		json_s64(w, v->name, (s64)v->number);
		break;
	case VALUE_UNSIGNED:
		json_u64(w, v->name, v->number);
		break;
	case VALUE_BOOL:
		json_bool(w, v->name, v->number);
		break;
	case VALUE_ADDRESS:
		json_hex(w, v->name, v->number);
		break;
	case VALUE_TEXT:
		json_view(w, v->name, v->text);
		break;
	case VALUE_BYTES:
		json_hex_bytes(w, v->name, v->text);
		break;
	case VALUE_STACK:
		json_frames(w, out, v->name, e->frames, v->stack, v->n_stack);
		break;
	case VALUE_LIST:
		json_list(w, out, e, v);
		break;
	case VALUE_N_KINDS:
		break;
	}
}

static bool has_symbol(const struct event_value *v)
{
	return !v->is_absent && v->text.n && v->kind != VALUE_TEXT && v->kind != VALUE_BYTES &&
	       v->kind != VALUE_LIST;
}

/* Symbolic names of numbers are in a separate object, because the type of a field must not depend
 * on its value. */
static void json_names(struct jsonw *w, const struct event_row *e)
{
	bool is_open = false;

	for (u32 i = 0; i < e->n_values; i++) {
		const struct event_value *v = &e->values[i];

		if (!has_symbol(v))
			continue;
		if (!is_open)
			json_open(w, "names", '{');
		is_open = true;
		json_view(w, v->name, v->text);
	}
	if (is_open)
		json_close(w, '}');
}

/* Names of the strings that were truncated at the limit of -Z. */
static void json_cut(struct jsonw *w, const struct event_row *e)
{
	bool is_open = false;

	for (u32 i = 0; i < e->n_values; i++) {
		const struct event_value *v = &e->values[i];

		if (!v->is_cut || v->is_absent)
			continue;
		if (!is_open)
			json_open(w, "cut", '[');
		is_open = true;
		json_text(w, NULL, v->name);
	}
	if (is_open)
		json_close(w, ']');
}

void events_json_begin(struct render *out)
{
	struct jsonw w = json_record_begin(out, "events");

	json_open(&w, "columns", '[');
	for (u32 i = 0; i < EVENT_N_COLUMNS; i++)
		if (out->opts->event_columns >> i & 1)
			json_text(&w, NULL, event_column_names[i]);
	json_close(&w, ']');
	json_text(&w, "heading", out->opts->heading);
	json_record_end(out, &w);
}

void events_json(struct render *out, const struct event_row *e)
{
	struct jsonw w = json_record_begin(out, "event");

	json_seconds(&w, "ts", e->time_ns, 9);
	json_u64(&w, "cpu", e->cpu);
	json_record_comm(&w, e->comm);
	json_u64(&w, "pid", e->tgid);
	json_u64(&w, "tid", e->tid);
	json_u64(&w, "uid", e->uid);
	json_text(&w, "probe", e->probe);
	json_text(&w, "func", e->func);
	json_open(&w, "args", '{');
	for (u32 i = 0; i < e->n_values; i++)
		json_value(&w, out, e, &e->values[i]);
	json_close(&w, '}');
	json_names(&w, e);
	json_cut(&w, e);
	json_view(&w, "text", e->text);
	json_record_hex(&w, "text_hex", e->text);
	if (e->wants_kernel)
		json_frames(&w, out, "kernel", e->frames, e->kernel, e->n_kernel);
	if (e->wants_user)
		json_frames(&w, out, "user", e->frames, e->user, e->n_user);
	if (e->is_user_missing)
		json_text(&w, "missed", "user");
	if (e->is_late)
		json_bool(&w, "late", true);
	if (e->count)
		json_u64(&w, "count", e->count);
	json_record_end(out, &w);
	out->n_records++;
}

void events_json_probes(struct jsonw *w, const struct event_probe *probes, size_t n)
{
	json_open(w, "probes", '[');
	for (size_t i = 0; i < n; i++) {
		const struct event_probe *p = &probes[i];

		json_open(w, NULL, '{');
		json_text(w, "probe", p->name);
		json_u64(w, "hits", p->hits);
		json_u64(w, "shown", p->shown);
		json_u64(w, "ring_full", p->ring_full);
		json_u64(w, "busy", p->busy);
		json_u64(w, "absent", p->absent);
		json_u64(w, "no_start", p->no_start);
		json_u64(w, "unreturned", p->unreturned);
		json_u64(w, "map_full", p->map_full);
		json_u64(w, "span_full", p->span_full);
		json_u64(w, "too_deep", p->too_deep);
		json_u64(w, "late", p->late);
		if (p->missed == LOST_UNKNOWN)
			json_none(w, "missed");
		else
			json_u64(w, "missed", p->missed);
		if (p->is_span)
			json_bool(w, "span", true);
		json_close(w, '}');
	}
	json_close(w, ']');
}
