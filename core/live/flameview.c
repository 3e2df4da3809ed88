// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The flame graph on the screen: root at the top, one row for each depth.  The boxes are those of
 * the picture (render/flame.h); positions are kept as paths of names, because each window makes new
 * boxes.
 */
#include <stdlib.h>
#include <string.h>

#include "live/live_int.h"
#include "render/diff.h"
#include "render/framelabel.h"
#include "render/units.h"

#define NO_BOX SIZE_MAX

static const struct rgb match_color = { 214, 93, 214 };

/* ---- paths ---- */

static void path_clear(struct box_path *p)
{
	for (size_t i = 0; i < p->names.n; i++)
		free(p->names.items[i]);
	vec_release(&p->names);
}

static struct box_path path_copy(const struct box_path *p)
{
	struct box_path copy = { 0 };

	for (size_t i = 0; i < p->names.n; i++)
		vec_push(&copy.names, mem_strdup(p->names.items[i]));
	return copy;
}

static const struct flame_box *box_at(const struct flame_state *f, size_t i)
{
	return &f->flame.boxes.items[i];
}

static bool is_inside(const struct flame_box *in, const struct flame_box *box)
{
	return in->left >= box->left && in->left + in->value <= box->left + box->value;
}

/* The boxes of a depth: from first_of(depth) to first_of(depth + 1). */
static size_t first_of(const struct flame_state *f, u32 depth)
{
	return depth < f->levels.n ? f->levels.items[depth] : f->flame.boxes.n;
}

static size_t child_named(const struct flame_state *f, size_t at, const char *name)
{
	u32 depth = box_at(f, at)->depth + 1;

	for (size_t i = first_of(f, depth); i < first_of(f, depth + 1); i++)
		if (is_inside(box_at(f, i), box_at(f, at)) && !strcmp(f->names.items[i], name))
			return i;
	return NO_BOX;
}

/* The deepest box of the path that is there. */
static size_t find_path(const struct flame_state *f, const struct box_path *p)
{
	size_t at = 0;

	for (size_t i = 0; i < p->names.n; i++) {
		size_t child = child_named(f, at, p->names.items[i]);

		if (child == NO_BOX)
			break;
		at = child;
	}
	return at;
}

static size_t parent_of(const struct flame_state *f, size_t at)
{
	return f->parents.items[at];
}

static void path_set(const struct flame_state *f, struct box_path *p, size_t at)
{
	struct box_path up = { 0 };

	for (; box_at(f, at)->depth; at = parent_of(f, at))
		vec_push(&up.names, mem_strdup(f->names.items[at]));
	path_clear(p);
	for (size_t i = up.names.n; i-- > 0;)
		vec_push(&p->names, up.names.items[i]);
	vec_release(&up.names);
}

/* ---- boxes ---- */

static void release_boxes(struct flame_state *f)
{
	flame_release(&f->flame);
	f->flame = (struct flame){ 0 };
	vec_release(&f->names);
	vec_release(&f->levels);
	vec_release(&f->parents);
	vec_release(&f->is_match);
	str_release(&f->texts);
}

void flame_state_release(struct flame_state *f)
{
	release_boxes(f);
	path_clear(&f->selected);
	path_clear(&f->zoomed);
	for (size_t i = 0; i < f->history.n; i++)
		path_clear(&f->history.items[i]);
	vec_release(&f->history);
}

/* The texts may move while they grow, so the names are made to point to them only at the end. */
static void name_boxes(struct flame_state *f, const struct report *r)
{
	VEC(size_t) starts = { 0 };
	const struct flame_box *box;

	vec_for_each(box, &f->flame.boxes) {
		vec_push(&starts, f->texts.n);
		step_add_name(&f->texts, r, &box->step);
		str_addc(&f->texts, '\0');
	}
	for (size_t i = 0; i < starts.n; i++)
		vec_push(&f->names, f->texts.p + starts.items[i]);
	vec_release(&starts);
	for (size_t i = 0; i < f->flame.boxes.n; i++)
		while (f->levels.n <= box_at(f, i)->depth)
			vec_push(&f->levels, i);
}

/* Boxes of a depth are in the order of their left edges, and so are those above. */
static void find_parents(struct flame_state *f)
{
	size_t up = 0;

	for (size_t i = 0; i < f->flame.boxes.n; i++) {
		const struct flame_box *box = box_at(f, i);

		while (box->depth &&
		       !(box_at(f, up)->depth + 1 == box->depth && is_inside(box, box_at(f, up))))
			up++;
		vec_push(&f->parents, up);
	}
}

/* A match below another match is not counted again. */
static void find_matches(struct live *l)
{
	struct flame_state *f = &l->flame;

	f->is_match.n = 0;
	f->matched = 0;
	for (size_t i = 0; i < f->names.n; i++)
		vec_push(&f->is_match, i && live_matches(l, f->names.items[i]));
	/* Boxes are ordered by depth: a box is covered if one above it matches. */
	for (size_t i = 1; i < f->names.n; i++) {
		size_t up = i;

		if (!f->is_match.items[i])
			continue;
		do
			up = parent_of(f, up);
		while (up && !f->is_match.items[up]);
		if (!up)
			f->matched += box_at(f, i)->value;
	}
}

static bool flame_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->kind == REPORT_STACKS || s->kind == REPORT_PATHS;
}

static void flame_prepare(struct live *l)
{
	struct flame_state *f = &l->flame;

	release_boxes(f);
	flame_layout(l->shown.drawn, l->opts->delimited, 0, &f->flame);
	name_boxes(f, l->shown.drawn);
	find_parents(f);
	f->at = f->zoom = 0;
	if (f->flame.boxes.n) {
		f->zoom = find_path(f, &f->zoomed);
		f->at = find_path(f, &f->selected);
	}
	find_matches(l);
}

/* ---- drawing ---- */

struct span_of_box {
	u32 from, to; /* columns; equal: narrower than a column */
};

static struct span_of_box columns_of(const struct flame_state *f, size_t i, u32 columns)
{
	const struct flame_box *box = box_at(f, i), *zoom = box_at(f, f->zoom);
	struct span_of_box all = { 0, columns }, none = { 0, 0 };
	double scale = (double)columns / (double)zoom->value;

	if (box->depth <= zoom->depth)
		return is_inside(zoom, box) ? all : none;
	if (!is_inside(box, zoom))
		return none;
	return (struct span_of_box){
		(u32)((double)(box->left - zoom->left) * scale),
		(u32)((double)(box->left + box->value - zoom->left) * scale),
	};
}

static struct style style_of(const struct live *l, size_t i)
{
	const struct flame_state *f = &l->flame;
	const struct report *r = l->shown.drawn;
	const struct flame_box *box = box_at(f, i);
	const struct palette *p = palette_of(r->run);
	struct style style = { .has_back = true, .is_bold = i == f->at, .is_reverse = i == f->at };

	if (i < f->is_match.n && f->is_match.items[i]) {
		style.back = match_color;
		/* Seen without colors too. */
		style.is_underlined = true;
	} else if (l->shown.has_diff) {
		struct diff_change c = diff_of_box(&l->shown.diff, box);

		style.back = palette_shade(palette_of_changes(), diff_tint(&c), diff_shade(&c));
	} else {
		style.back =
			palette_shade(p, tint_of(p, r, &box->step), shade_of(f->names.items[i]));
	}
	return style;
}

/* The left edge is a thin line, so that neighbours of one color can be told apart. */
static void draw_box(struct live *l, struct area area, size_t i, struct span_of_box at)
{
	const struct flame_state *f = &l->flame;
	const char *edge = screen_has_utf8(l->screen) ? "\xe2\x96\x8f" : "|";
	u32 row = area.row + box_at(f, i)->depth - f->top, width = at.to - at.from;
	struct str text = { 0 };

	/* A box of one column is seen by its color. */
	if (width > 1 || !screen_has_color(l->screen))
		str_adds(&text, edge);
	if (width > 3)
		label_add_fitting(&text, view_of(f->names.items[i]), width - 1);
	screen_put(l->screen, row, at.from, width, str_view(&text), style_of(l, i));
	str_release(&text);
}

/* Depths with a box inside the zoomed one. */
static u32 depth_of_zoom(const struct flame_state *f)
{
	const struct flame_box *zoom = box_at(f, f->zoom);
	u32 depth = zoom->depth;

	for (size_t i = first_of(f, depth); i < f->flame.boxes.n; i++)
		if (is_inside(box_at(f, i), zoom) && box_at(f, i)->depth > depth)
			depth = box_at(f, i)->depth;
	return depth;
}

static void scroll_to_selected(struct flame_state *f, u32 rows)
{
	u32 depth = box_at(f, f->at)->depth, last = depth_of_zoom(f);

	if (f->top > depth)
		f->top = depth;
	if (depth >= f->top + rows)
		f->top = depth - rows + 1;
	if (last < f->top + rows)
		f->top = last + 1 > rows ? last + 1 - rows : 0;
}

static void draw_empty(struct live *l, struct area area)
{
	const char *text = source_is_over(current_source(l))  ? "nothing was counted"
			   : current_source(l)->n_windows > 1 ? "nothing counted yet"
							      : "waiting for the first window";

	screen_put(l->screen, area.row + area.rows / 2, 2, area.columns, view_of(text),
		   (struct style){ .is_faint = true });
}

static void flame_draw(struct live *l, struct area area)
{
	struct flame_state *f = &l->flame;

	f->area = area;
	if (!f->flame.boxes.n || !box_at(f, f->zoom)->value) {
		draw_empty(l, area);
		return;
	}
	scroll_to_selected(f, area.rows);
	for (u32 row = 0; row < area.rows; row++)
		for (size_t i = first_of(f, f->top + row); i < first_of(f, f->top + row + 1); i++) {
			struct span_of_box at = columns_of(f, i, area.columns);

			if (at.to > at.from)
				draw_box(l, area, i, at);
		}
}

/* ---- the line below ---- */

static u64 self_of(const struct flame_state *f, size_t at)
{
	const struct flame_box *box = box_at(f, at);
	u64 self = box->value;

	for (size_t i = first_of(f, box->depth + 1); i < first_of(f, box->depth + 2); i++)
		if (is_inside(box_at(f, i), box))
			self -= box_at(f, i)->value;
	return self;
}

static void add_numbers(const struct live *l, struct str *out)
{
	const struct flame_state *f = &l->flame;
	const struct flame_box *box = box_at(f, f->at);

	str_addf(out, "  %.1f %%", units_percent(box->value, f->flame.total));
	if (l->shown.has_diff) {
		struct diff_change c = diff_of_box(&l->shown.diff, box);

		str_adds(out, ", ");
		diff_add_tip(out, &l->shown.diff, box, &c);
		return;
	}
	str_adds(out, " (");
	units_add_total(out, l->shown.report.run, box->value);
	str_addf(out, "), itself %.1f %%", units_percent(self_of(f, f->at), f->flame.total));
}

/* The answer to a search comes first; a long name must not hide numbers. */
static void flame_describe(struct live *l, struct str *out)
{
	const struct flame_state *f = &l->flame;
	struct str numbers = { 0 };

	if (!f->flame.boxes.n)
		return;
	if (l->search) {
		str_adds(out, "'");
		live_add_fitting(l, out, l->search, screen_columns(l->screen));
		str_addf(out, "' %.1f %%; ", units_percent(f->matched, f->flame.total));
	}
	add_numbers(l, &numbers);
	live_add_fitting(l, out, f->names.items[f->at], out->n + numbers.n);
	str_add(out, numbers.p, numbers.n);
	str_release(&numbers);
}

/* ---- keys ---- */

static void select_box(struct flame_state *f, size_t at)
{
	f->at = at;
	path_set(f, &f->selected, at);
}

/* A box that has a column, so that a person sees it. */
static bool is_seen(const struct flame_state *f, size_t i)
{
	struct span_of_box at = columns_of(f, i, f->area.columns ? f->area.columns : 80);

	return at.to > at.from;
}

static void select_child(struct flame_state *f)
{
	const struct flame_box *box = box_at(f, f->at);
	size_t best = NO_BOX;

	for (size_t i = first_of(f, box->depth + 1); i < first_of(f, box->depth + 2); i++)
		if (is_inside(box_at(f, i), box) && is_seen(f, i) &&
		    (best == NO_BOX || box_at(f, i)->value > box_at(f, best)->value))
			best = i;
	if (best != NO_BOX)
		select_box(f, best);
}

static void select_beside(struct flame_state *f, int by)
{
	u32 depth = box_at(f, f->at)->depth;
	size_t first = first_of(f, depth), end = first_of(f, depth + 1);

	for (size_t i = f->at + (size_t)by; i >= first && i < end; i += (size_t)by)
		if (is_seen(f, i)) {
			select_box(f, i);
			return;
		}
}

static void zoom_to(struct flame_state *f, size_t at)
{
	if (at == f->zoom)
		return;
	vec_push(&f->history, path_copy(&f->zoomed));
	path_set(f, &f->zoomed, at);
	f->zoom = at;
	f->top = 0;
}

static void zoom_back(struct flame_state *f)
{
	if (!f->history.n)
		return;
	path_clear(&f->zoomed);
	f->zoomed = f->history.items[--f->history.n];
	f->zoom = find_path(f, &f->zoomed);
}

static void zoom_reset(struct flame_state *f)
{
	zoom_to(f, 0);
	for (size_t i = 0; i < f->history.n; i++)
		path_clear(&f->history.items[i]);
	f->history.n = 0;
}

static size_t box_below_mouse(const struct live *l)
{
	const struct flame_state *f = &l->flame;
	u32 row, column, depth;

	screen_mouse(l->screen, &row, &column);
	if (row < f->area.row || row >= f->area.row + f->area.rows)
		return NO_BOX;
	depth = row - f->area.row + f->top;
	for (size_t i = first_of(f, depth); i < first_of(f, depth + 1); i++) {
		struct span_of_box at = columns_of(f, i, f->area.columns);

		if (column >= at.from && column < at.to)
			return i;
	}
	return NO_BOX;
}

/* A second click on the selected box zooms. */
static void click(struct live *l)
{
	size_t at = box_below_mouse(l);

	if (at == NO_BOX)
		return;
	if (at == l->flame.at)
		zoom_to(&l->flame, at);
	select_box(&l->flame, at);
}

static void move_rows(struct flame_state *f, s32 by)
{
	for (; by < 0; by++)
		select_box(f, parent_of(f, f->at));
	for (; by > 0; by--)
		select_child(f);
}

static bool flame_key(struct live *l, s32 key)
{
	struct flame_state *f = &l->flame;

	if (!f->flame.boxes.n)
		return false;
	switch (key) {
	case KEY_ARROW_UP:
	case KEY_WHEEL_UP:
	case 'k':
		move_rows(f, -1);
		return true;
	case KEY_ARROW_DOWN:
	case KEY_WHEEL_DOWN:
	case 'j':
		move_rows(f, 1);
		return true;
	case KEY_ARROW_LEFT:
	case 'h':
		select_beside(f, -1);
		return true;
	case KEY_ARROW_RIGHT:
	case 'l':
		select_beside(f, 1);
		return true;
	case KEY_PAGE_UP:
		move_rows(f, -(s32)f->area.rows);
		return true;
	case KEY_PAGE_DOWN:
		move_rows(f, (s32)f->area.rows);
		return true;
	case KEY_TO_START:
	case 'g':
		select_box(f, 0);
		return true;
	case KEY_TO_END:
	case 'G':
		move_rows(f, (s32)f->flame.n_levels);
		return true;
	case KEY_RETURN:
		zoom_to(f, f->at);
		return true;
	case KEY_ERASE:
	case 'u':
		zoom_back(f);
		return true;
	case KEY_ESCAPE:
		zoom_reset(f);
		live_set_search(l, NULL);
		return true;
	case '#':
		live_search_name(l, f->names.items[f->at]);
		return true;
	case KEY_CLICK:
		click(l);
		return true;
	default:
		return false;
	}
}

static void flame_find(struct live *l, bool is_forward)
{
	struct flame_state *f = &l->flame;
	size_t n = f->is_match.n;

	for (size_t step = 1; step <= n; step++) {
		size_t i = (f->at + (is_forward ? step : n - step)) % n;

		if (f->is_match.items[i]) {
			if (!is_inside(box_at(f, i), box_at(f, f->zoom)))
				zoom_reset(f);
			select_box(f, i);
			return;
		}
	}
}

/* The process of the selected root box; 0 if several share it. */
static u32 flame_pid(const struct live *l)
{
	const struct flame_state *f = &l->flame;
	const struct report *r = l->shown.drawn;
	const struct stack_task *task;
	s64 pid = 0;

	if (l->only_pid > 0)
		return (u32)l->only_pid;
	for (size_t i = 0; i < r->n_tasks && f->selected.names.n; i++) {
		task = &r->tasks[i];
		if (task->pid <= 0 || task->pid == pid || !task->root ||
		    strcmp(task->root, f->selected.names.items[0]) != 0)
			continue;
		if (pid)
			return 0;
		pid = task->pid;
	}
	return (u32)pid;
}

const struct live_view flame_view = {
	.name = "flame graph",
	.fits = flame_fits,
	.prepare = flame_prepare,
	.draw = flame_draw,
	.key = flame_key,
	.describe = flame_describe,
	.search = find_matches,
	.find = flame_find,
	.pid = flame_pid,
};
