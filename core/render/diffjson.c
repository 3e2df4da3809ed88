// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Differences in JSON: two side records, then diff_function and diff_stack records. */
#include "render/diff.h"
#include "render/jsonrecord.h"
#include "render/stackpath.h"
#include "render/units.h"

static const char *const verdicts[] = {
	[DIFF_UNCERTAIN] = "uncertain",
	[DIFF_NOISE] = "noise",
	[DIFF_CHANGED] = "changed",
};

static u64 divisor_of(const struct render *out, const struct diff *d)
{
	return units_of(&d->run, out->opts).divisor;
}

/* null: the files do not contain it. */
static void add_lost(struct jsonw *w, const struct diff_side *side)
{
	const struct ledger *l = &side->report->ledger;

	if (side->is_unaccounted && !ledger_total(l)) {
		json_none(w, "lost");
		return;
	}
	json_open(w, "lost", '{');
	for (int i = 0; i < LOST_N_REASONS; i++) {
		if (l->lost[i] == LOST_UNKNOWN)
			json_none(w, lost_names[i]);
		else
			json_u64(w, lost_names[i], l->lost[i]);
	}
	json_close(w, '}');
}

static void add_side(struct render *out, const struct diff *d, enum diff_when when)
{
	const struct report *r = d->side[when].report;
	struct jsonw w = json_record_begin(out, "side");
	u64 divisor = divisor_of(out, d);

	json_text(&w, "side", diff_side_names[when]);
	json_text(&w, "cmd", r->run->command);
	json_text(&w, "host", r->run->host);
	json_text(&w, "event", r->run->event);
	if (d->side[when].seconds > 0)
		json_seconds(&w, "seconds", r->end_ns - r->start_ns, 9);
	else
		json_none(&w, "seconds");
	json_u64(&w, "value", (d->side[when].total + divisor / 2) / divisor);
	add_lost(&w, &d->side[when]);
	json_record_end(out, &w);
}

/* Rates are in the same unit as values. */
static void add_change(struct jsonw *w, const char *key, const struct diff *d,
		       enum diff_basis basis, const struct diff_sum sum[DIFF_N_SIDES],
		       double divisor)
{
	struct diff_change c = diff_compare(d, basis, sum);

	if (basis == DIFF_PER_SECOND && !diff_has_rates(d)) {
		json_none(w, key);
		return;
	}
	json_open(w, key, '{');
	json_decimal(w, "before", c.before / divisor, 6);
	json_decimal(w, "after", c.after / divisor, 6);
	json_decimal(w, "change", c.by / divisor, 6);
	if (c.verdict == DIFF_UNCERTAIN) {
		json_none(w, "low");
		json_none(w, "high");
	} else {
		json_decimal(w, "low", c.low / divisor, 6);
		json_decimal(w, "high", c.high / divisor, 6);
	}
	json_text(w, "verdict", verdicts[c.verdict]);
	json_close(w, '}');
}

static void add_sums(const struct render *out, struct jsonw *w, const struct diff *d,
		     const struct diff_sum sum[DIFF_N_SIDES])
{
	u64 divisor = divisor_of(out, d);

	for (int i = 0; i < DIFF_N_SIDES; i++)
		json_u64(w, diff_side_names[i], (sum[i].value + divisor / 2) / divisor);
	json_open(w, "count", '{');
	for (int i = 0; i < DIFF_N_SIDES; i++)
		json_u64(w, diff_side_names[i], sum[i].count);
	json_close(w, '}');
	add_change(w, "share", d, DIFF_SHARE, sum, 1);
	add_change(w, "per_second", d, DIFF_PER_SECOND, sum, (double)divisor);
}

static void add_func(struct render *out, const struct diff *d, const struct diff_func *f)
{
	const struct frame *frame = &d->joined.frames[f->frame];
	struct jsonw w = json_record_begin(out, "diff_function");
	struct str label = { 0 };

	label_add(&label, frame, false);
	json_view(&w, "func", str_view(&label));
	json_text(&w, "kind",
		  frame_kind_names[frame->kind]	 ? frame_kind_names[frame->kind]
		  : frame_is_kernel(frame->kind) ? "kernel"
						 : "user");
	json_text(&w, "status", diff_status(f->total) ?: "both");
	json_open(&w, "self", '{');
	add_sums(out, &w, d, f->self);
	json_close(&w, '}');
	json_open(&w, "total", '{');
	add_sums(out, &w, d, f->total);
	json_close(&w, '}');
	json_record_end(out, &w);
	str_release(&label);
}

static void add_path(struct jsonw *w, const struct diff *d, struct steps *steps, size_t i)
{
	const struct step *step;

	steps_make(steps, &d->joined, &d->joined.stacks.items[i], false);
	json_open(w, "path", '[');
	vec_for_each(step, &steps->list) {
		struct str name = { 0 };

		step_add_name(&name, &d->joined, step);
		json_view(w, NULL, str_view(&name));
		str_release(&name);
	}
	json_close(w, ']');
}

static void add_stack(struct render *out, const struct diff *d, struct steps *steps, size_t i)
{
	const struct diff_stack *s = &d->stacks.items[i];
	struct jsonw w = json_record_begin(out, "diff_stack");

	json_text(&w, "status", diff_status(s->side) ?: "both");
	add_sums(out, &w, d, s->side);
	add_path(&w, d, steps, i);
	json_record_end(out, &w);
}

void diff_json(struct render *out, const struct diff *d)
{
	struct steps steps = { 0 };
	const struct diff_func *f;

	add_side(out, d, DIFF_BEFORE);
	add_side(out, d, DIFF_AFTER);
	vec_for_each(f, &d->funcs)
		add_func(out, d, f);
	for (size_t i = 0; i < d->stacks.n; i++)
		add_stack(out, d, &steps, i);
	out->n_rows = d->stacks.n;
	out->n_records += 2 + d->funcs.n + d->stacks.n;
	steps_release(&steps);
}
