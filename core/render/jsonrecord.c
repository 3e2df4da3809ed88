// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/jsonrecord.h"

#include <string.h>

#include "base/utf8.h"
#include "model/key.h"

struct jsonw json_record_begin(struct render *out, const char *type)
{
	struct jsonw w = { .out = &out->sink->buf };

	json_open(&w, NULL, '{');
	json_text(&w, "type", type);
	return w;
}

void json_record_end(struct render *out, struct jsonw *w)
{
	json_close(w, '}');
	str_addc(w->out, '\n');
	sink_spill(out->sink);
}

const char *json_module_name(const struct frame *f)
{
	return f->kind == FRAME_KERNEL ? "kernel" : f->module;
}

void json_record_frame(struct str *out, const struct frame *f, const struct render_opts *opts)
{
	struct jsonw w = { .out = out };
	struct str label = { 0 };

	label_add(&label, f, true);
	json_open(&w, NULL, '{');
	json_view(&w, "func", str_view(&label));
	if ((opts->addresses || opts->offsets) && f->kind != FRAME_NOTE)
		json_u64(&w, "off", f->off);
	json_text(&w, "mod", json_module_name(f));
	if (f->build_id)
		json_text(&w, "build_id", f->build_id);
	if (opts->addresses && f->kind != FRAME_NOTE)
		json_hex(&w, "addr", f->addr ? f->addr : f->vaddr);
	if (opts->addresses && f->addr && f->vaddr != f->addr)
		json_hex(&w, "vaddr", f->vaddr);
	if (frame_kind_names[f->kind])
		json_text(&w, "kind", frame_kind_names[f->kind]);
	if (f->linkage)
		json_text(&w, "linkage", f->linkage);
	json_close(&w, '}');
	str_release(&label);
}

static void add_frames(struct jsonw *w, const char *key, struct texts *texts, const u32 *frames,
		       u32 n)
{
	json_open(w, key, '[');
	for (u32 i = 0; i < n; i++)
		json_raw(w, NULL, texts_get(texts, frames[i]));
	json_close(w, ']');
}

void json_record_hex(struct jsonw *w, const char *key, struct view bytes)
{
	if (!utf8_is_valid(bytes))
		json_hex_bytes(w, key, bytes);
}

void json_record_comm(struct jsonw *w, const char *comm)
{
	struct view text = view_of(comm);

	json_view(w, "comm", text);
	json_record_hex(w, "comm_hex", text);
}

static bool has_note(const struct report *r, const u32 *frames, u32 n, const char *name)
{
	return n == 1 && r->frames[frames[0]].kind == FRAME_NOTE &&
	       !strcmp(r->frames[frames[0]].name, name);
}

static void add_missed(struct jsonw *w, const struct report *r, const struct stack_frames *f)
{
	bool user = has_note(r, f->user, f->n_user, FRAME_MISSED_USER);
	bool kernel = has_note(r, f->kernel, f->n_kernel, FRAME_MISSED_KERNEL);

	json_text(w, "missed", user && kernel ? "both" : user ? "user" : kernel ? "kernel" : NULL);
}

void json_record_stack(struct jsonw *w, struct texts *texts, const struct stack_row *row)
{
	struct stack_frames f;

	report_frames(texts->report, row, &f);
	add_frames(w, "kernel", texts, f.kernel, f.n_kernel);
	add_frames(w, "user", texts, f.user, f.n_user);
	add_missed(w, texts->report, &f);
}

/* The name of a key in its object, where two with the same name would be one. */
static const char *key_name(const char *const *names, u32 i, struct str *out)
{
	bool is_taken = false;

	for (u32 k = 0; k < i; k++)
		is_taken |= !strcmp(names[k], names[i]);
	str_clear(out);
	str_adds(out, names[i]);
	if (is_taken)
		str_addf(out, "#%u", i + 1);
	return str_text(out);
}

/* Without the mark of one that was truncated. */
static struct view key_text(const char *const *key, u32 i, u32 cut)
{
	struct view text = view_of(key[i]);

	if (cut >> i & 1)
		text.n -= strlen(KEY_CUT);
	return text;
}

static void add_key_hex(struct jsonw *w, const char *const *names, u32 n, const char *const *key,
			u32 cut)
{
	struct str name = { 0 };

	json_open(w, "key_hex", '{');
	for (u32 i = 0; i < n; i++)
		json_record_hex(w, key_name(names, i, &name), key_text(key, i, cut));
	json_close(w, '}');
	str_release(&name);
}

/* Add the list `field` of names whose bit is set, unless there are none. */
static void add_marked(struct jsonw *w, const char *field, const char *const *names, u32 n,
		       u32 marked)
{
	struct str name = { 0 };

	if (!marked)
		return;
	json_open(w, field, '[');
	for (u32 i = 0; i < n; i++)
		if (marked >> i & 1)
			json_text(w, NULL, key_name(names, i, &name));
	json_close(w, ']');
	str_release(&name);
}

void json_record_key(struct jsonw *w, const char *const *names, u32 n, const char *const *key,
		     struct key_marks marks)
{
	struct str name = { 0 };
	bool is_text = true;

	json_open(w, "key", '{');
	for (u32 i = 0; i < n; i++) {
		struct view text = key_text(key, i, marks.cut);

		json_view(w, key_name(names, i, &name), text);
		is_text &= utf8_is_valid(text);
	}
	json_close(w, '}');
	str_release(&name);
	if (!is_text)
		add_key_hex(w, names, n, key, marks.cut);
	add_marked(w, "cut", names, n, marks.cut);
	add_marked(w, "unreadable", names, n, marks.unreadable);
}
