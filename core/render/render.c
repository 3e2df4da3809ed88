// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/render.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "opt/formats.h"
#include "render/renderer.h"

#define X(name) &name##_renderer,
static const struct renderer *const renderers[] = { OUTPUT_FORMATS(X) };
#undef X

static const struct {
	enum report_kind kind;
	const char *plural;
} kinds_named[] = {
	{ REPORT_STACKS, "stacks" },	{ REPORT_FUNCS, "functions" },
	{ REPORT_STATES, "states" },	{ REPORT_PATHS, "paths" },
	{ REPORT_EVENTS, "events" },	{ REPORT_COUNTS, "counts" },
	{ REPORT_HEAT, "heat maps" },	{ REPORT_DISTS, "distributions" },
	{ REPORT_DIFF, "differences" }, { REPORT_THREADS, "threads" },
};

/* Other kinds of report of the same command that more formats can show, and the options for
 * them. */
static const struct {
	enum report_kind of, other;
	const char *how;
} others[] = {
	{ REPORT_DISTS, REPORT_HEAT, "histograms as a heat map can: --heat" },
	{ REPORT_DISTS, REPORT_STACKS, "by stack counts (-C) and sums (-S) can: --by '$ustack'" },
};

const struct renderer *renderer_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++)
		if (!strcmp(renderers[i]->name, name))
			return renderers[i];
	return NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), n_end = strlen(end);

	return n > n_end && !strcasecmp(text + n - n_end, end);
}

static bool has_extension(const struct renderer *r, const char *path)
{
	for (const char *const *e = r->extensions; *e; e++)
		if (ends_with(path, *e))
			return true;
	return false;
}

static void list_extensions(struct err *err)
{
	struct str list = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++) {
		str_addf(&list, "%s%s (", i ? ", " : "", renderers[i]->name);
		for (const char *const *e = renderers[i]->extensions; *e; e++)
			str_addf(&list, "%s%s", e == renderers[i]->extensions ? "" : " ", *e);
		str_addc(&list, ')');
	}
	err_hint(err, "formats: %s; -O FORMAT for any other name", str_text(&list));
	str_release(&list);
}

const struct renderer *renderer_for_file(const char *path, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++)
		if (has_extension(renderers[i], path))
			return renderers[i];
	err_set(err, ERR_USAGE, "-o '%s': no format has this extension", path);
	list_extensions(err);
	return NULL;
}

static void list_able(u32 kind, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++)
		if (renderers[i]->kinds & kind)
			str_addf(out, "%s%s", out->n ? ", " : "", renderers[i]->name);
}

static void add_others(const struct renderer *r, enum report_kind of, struct err *err)
{
	struct str list = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].of == of && r->kinds & others[i].other)
			str_addf(&list, "%s%s", list.n ? "; " : "", others[i].how);
	if (list.n)
		err_hint(err, "%s", str_text(&list));
	str_release(&list);
}

int renderer_check_kinds(const struct renderer *r, u32 kinds, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds_named); i++) {
		struct str able = { 0 };

		if (!(kinds & kinds_named[i].kind & ~r->kinds))
			continue;
		list_able(kinds_named[i].kind, &able);
		err_set(err, ERR_USAGE, "%s can't be written as %s, only as: %s",
			kinds_named[i].plural, r->name, str_text(&able));
		str_release(&able);
		add_others(r, kinds_named[i].kind, err);
		return -ERR_USAGE;
	}
	return 0;
}
