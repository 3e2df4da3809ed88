// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/checklist.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "render/jsonw.h"

static const struct {
	const char *mark; /* in text */
	const char *name; /* in JSON */
	bool has_loss, has_next;
} verdicts[] = {
	[CHECKLIST_OK] = { "ok", "ok", false, false },
	[CHECKLIST_WARN] = { "warn", "warn", false, true },
	[CHECKLIST_NO] = { "no", "no", true, true },
	[CHECKLIST_UNKNOWN] = { "?", "unknown", false, false },
};

#define ALL_COLUMNS   80
#define TITLE_COLUMN  6
#define DETAIL_COLUMN 26

/* Print a text word by word from the current `column`; words that do not fit continue on further
 * lines, indented by `indent`. */
static void wrap(const char *text, size_t column, size_t indent, FILE *f)
{
	bool is_first = true;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (!is_first && column + 1 + n > ALL_COLUMNS) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
			is_first = true;
		}
		fprintf(f, "%s%.*s", is_first ? "" : " ", (int)n, text);
		column += n + !is_first;
		is_first = false;
		text += n + (text[n] == ' ');
	}
	fputc('\n', f);
}

/* Features that could not be tested for the same reason share a row. */
static bool is_alike(const struct checklist_row *a, const struct checklist_row *b)
{
	return a->verdict == CHECKLIST_UNKNOWN && b->verdict == CHECKLIST_UNKNOWN &&
	       !strcmp(a->detail, b->detail);
}

/* Add " -> kernel functions have no names; wakeup, offwake, chain do not run". */
static void add_loss(struct str *text, const struct checklist *list,
		     const struct checklist_row *row)
{
	bool is_all = row->needed_by.v.n == list->works.v.n + list->fails.v.n;
	const char **name;
	u32 n = 0;

	if (row->loss)
		str_addf(text, " -> %s", row->loss);
	if (!row->needed_by.v.n)
		return;
	str_adds(text, row->loss ? ": " : " -> ");
	if (is_all)
		str_adds(text, "nothing");
	else
		vec_for_each(name, &row->needed_by.v)
			str_addf(text, "%s%s", n++ ? ", " : "", *name);
	str_adds(text, row->needed_by.v.n == 1 || is_all ? " runs" : " do not run");
}

/*
 * no    kprobes             CONFIG_KPROBE_EVENTS is off -> kernel functions cannot be
 *                           probed one by one
 * ?     ring buffer, raw tracepoints: it takes CAP_BPF and CAP_PERFMON to find out
 */
static void text_row(const struct checklist *list, const struct checklist_row *row, FILE *f)
{
	_cleanup_(str_release) struct str titles = { 0 }, text = { 0 };
	const struct checklist_row *other;
	u32 n = 0;

	vec_for_each(other, &list->rows) {
		if (other != row && !is_alike(other, row))
			continue;
		if (other < row)
			return; /* already printed */
		str_addf(&titles, "%s%s", n++ ? ", " : "", other->title);
	}
	fprintf(f, "%-*s", TITLE_COLUMN, verdicts[row->verdict].mark);
	if (n > 1) {
		str_addf(&titles, ": %s", row->detail);
		wrap(str_text(&titles), TITLE_COLUMN, TITLE_COLUMN, f);
		return;
	}
	str_adds(&text, row->detail);
	if (verdicts[row->verdict].has_loss)
		add_loss(&text, list, row);
	if (row->next && verdicts[row->verdict].has_next)
		str_addf(&text, "; %s", row->next);
	fprintf(f, "%-*s ", DETAIL_COLUMN - TITLE_COLUMN - 1, row->title);
	wrap(str_text(&text), DETAIL_COLUMN, DETAIL_COLUMN, f);
}

static void text_names(const char *title, const struct checklist_names *names, FILE *f)
{
	_cleanup_(str_release) struct str text = { 0 };
	const char **name;

	if (!names->v.n)
		return;
	str_adds(&text, title);
	vec_for_each(name, &names->v)
		str_addf(&text, " %s", *name);
	wrap(str_text(&text), 0, TITLE_COLUMN, f);
}

void checklist_text(const struct checklist *list, FILE *f)
{
	struct checklist_row *row;

	fprintf(f, "bperf %s  %s  kernel %s  host %s\n", list->version, list->arch, list->kernel,
		list->host);
	vec_for_each(row, &list->rows)
		text_row(list, row, f);
	text_names("works:", &list->works, f);
	text_names("does not work:", &list->fails, f);
}

static void json_names(struct jsonw *w, const char *key, const struct checklist_names *names)
{
	const char **name;

	json_open(w, key, '[');
	vec_for_each(name, &names->v)
		json_text(w, NULL, *name);
	json_close(w, ']');
}

static void json_row(struct jsonw *w, const struct checklist_row *row)
{
	json_open(w, NULL, '{');
	json_text(w, "name", row->key);
	json_text(w, "title", row->title);
	json_text(w, "verdict", verdicts[row->verdict].name);
	json_text(w, "detail", row->detail);
	json_text(w, "loss", row->loss);
	json_text(w, "next", row->next);
	json_names(w, "needed_by", &row->needed_by);
	json_close(w, '}');
}

void checklist_json(const struct checklist *list, FILE *f)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct jsonw w = { .out = &text };
	struct checklist_row *row;

	json_open(&w, NULL, '{');
	json_text(&w, "type", "doctor");
	json_text(&w, "schema", "bperf/1.0");
	json_text(&w, "version", list->version);
	json_text(&w, "arch", list->arch);
	json_text(&w, "kernel", list->kernel);
	json_text(&w, "host", list->host);
	json_open(&w, "features", '[');
	vec_for_each(row, &list->rows)
		json_row(&w, row);
	json_close(&w, ']');
	json_names(&w, "works", &list->works);
	json_names(&w, "fails", &list->fails);
	json_close(&w, '}');
	str_addc(&text, '\n');
	fwrite(str_text(&text), 1, text.n, f);
}

void checklist_release(struct checklist *list)
{
	struct checklist_row *row;

	vec_for_each(row, &list->rows)
		vec_release(&row->needed_by.v);
	vec_release(&list->rows);
	vec_release(&list->works.v);
	vec_release(&list->fails.v);
}
