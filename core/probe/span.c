// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Spans: plans starts and ends together, checks that their keys match, and creates the map of open
 * spans (bpf/abi/span.h).
 *
 * A span belongs to the thread that starts it: the filter is checked at the start.  An end is
 * looked up without a filter, unless its key contains the process.
 */
#include "probe/needs.h"
#include "probe/probes_int.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/log.h"
#include "run/prog.h"
#include "syntax/parse.h"
#include "type/build.h"

#define MAX_KEYS 8

/* ---- keys --------------------------------------------------------------------------------- */

/* Addresses of user memory have a meaning in one process only. */
static bool is_of_process(const struct probe *probe)
{
	bool is_user = true;

	group_for_each(g, probe)
		is_user &= g->scope->is_user;
	return is_user && !probe->spec.span->is_shared;
}

static bool is_by_thread(const struct probe *probe)
{
	return !probe->parts.items[0]->spec->key.n;
}

/* Numbers are equal if their bits are equal: a pid may be an int at one site and unsigned at
 * another. */
static const struct tree *as_key(struct probes *p, const struct tree *t)
{
	if (!type_is_scalar(t->type))
		return t;
	return tree_cast(&p->types, t, type_int(&p->types, t->type->size, false));
}

static bool is_same_key(const struct tree *a, const struct tree *b)
{
	if (type_is_scalar(a->type) && type_is_scalar(b->type))
		return a->type->size == b->type->size;
	return a->type->kind == b->type->kind && a->type->size == b->type->size;
}

static int keys_differ(const struct probe *probe, const struct probe_group *g,
		       const struct tree *key, const struct type *first, struct err *err)
{
	char here[128], there[128];

	text_error(&probe->spec.text, key->at, err, "the key is '%s' here and '%s' at %s",
		   type_text(key->type, here, sizeof(here)), type_text(first, there, sizeof(there)),
		   probe->parts.items[0]->name);
	if (type_is_scalar(key->type) && type_is_scalar(first))
		return err_hint(err, "a cast makes them one type: (%s)...", there);
	return err_hint(err, "%s: keys of both sides must have the same type", g->part->name);
}

/* Either all parts must have a key, or none. */
static int check_key_given(const struct probe *probe, const struct probe_part *part,
			   struct err *err)
{
	if (!part->spec->key.n == is_by_thread(probe))
		return 0;
	text_error(&probe->spec.text, part->spec->site, err,
		   "%s has %s key, unlike the span's first site", part->name,
		   part->spec->key.n ? "a" : "no");
	return err_hint(err, "give all of them a [key], or none: the thread is then the key");
}

/* The expressions of [key], preceded by the process if that is part of the key. */
static int compile_key(struct probes *p, const struct probe *probe, struct probe_group *g,
		       struct err *err)
{
	const struct text *t = &probe->spec.text, own = text_of("$tgid");
	struct check_opts opts = { 0 };
	struct ast **exprs;
	u32 n;
	int ret = parse_exprs(&p->arena, t, g->part->spec->key, &exprs, &n, err);

	if (ret)
		return ret;
	if (n > MAX_KEYS)
		return text_error(t, exprs[MAX_KEYS]->at, err, "more than %d keys", MAX_KEYS);
	g->span_key = arena_alloc(&p->arena, n + 1, sizeof(*g->span_key));
	if (is_of_process(probe))
		ret = probes_compile(p, &own, span_all(&own), g, CHECK_KEY,
				     &g->span_key[g->n_span_key++], err);
	for (u32 i = 0; i < n && !ret; i++)
		ret = expr_check(t, exprs[i], g->scope, CHECK_KEY, &opts,
				 &g->span_key[g->n_span_key++], err);
	return ret;
}

static int compare_key(const struct probe *probe, const struct probe_group *g, struct err *err)
{
	const struct probe_group *first = *probe_group_first(probe);

	if (g->n_span_key != first->n_span_key)
		return text_error(&probe->spec.text, g->part->spec->key, err,
				  "the key has a different number of parts than that of %s",
				  first->part->name);
	for (u32 i = 0; i < g->n_span_key; i++)
		if (!is_same_key(g->span_key[i], first->span_key[i]))
			return keys_differ(probe, g, g->span_key[i], first->span_key[i]->type, err);
	return 0;
}

static int compile_keys(struct probes *p, const struct probe *probe, struct err *err)
{
	int ret = 0;

	part_for_each(part, probe)
		ret = ret ?: check_key_given(probe, part, err);
	if (is_by_thread(probe))
		return ret;
	group_for_each(g, probe)
		ret = ret ?: compile_key(p, probe, g, err);
	group_for_each(g, probe)
		ret = ret ?: compare_key(probe, g, err);
	group_for_each(g, probe)
		for (u32 i = 0; i < g->n_span_key && !ret; i++)
			g->span_key[i] = as_key(p, g->span_key[i]);
	return ret;
}

/* ---- planning ----------------------------------------------------------------------------- */

static int compile_condition(struct probes *p, const struct probe *probe, struct probe_group *g,
			     struct err *err)
{
	const struct probe_spec *spec = g->part->spec;
	const struct tree **to = g->part->is_start ? &g->predicate : &g->when;

	if (!spec->has_predicate)
		return 0;
	return probes_compile(p, &probe->spec.text, spec->predicate, g, CHECK_PREDICATE, to, err);
}

static int plan_part(struct probes *p, struct probe *probe, struct probe_part *part,
		     struct err *err)
{
	const struct site *site;
	int ret;

	part->first = part->is_start ? SITE_OF_START + (u32)probe->plan.starts.n
				     : (u32)probe->plan.sites.n;
	ret = probes_plan_part(p, probe, part, err);
	if (ret)
		return ret;
	vec_for_each(site, &part->plan->sites)
		if (part->is_start)
			vec_push(&probe->plan.starts, *site);
		else
			vec_push(&probe->plan.sites, *site);
	if (!part->is_start)
		probe->plan.method = part->plan->method;
	return 0;
}

/* The start to which the filter does not apply; NULL: it applies. */
static const char *unfiltered_start(const struct probes *p, const struct probe *probe)
{
	if (asked_for_targets(p, probe))
		return NULL;
	for (size_t i = 0; i < probe->start_groups.n; i++)
		if (probe->start_groups.items[i]->scope->is_any_task)
			return probe->start_groups.items[i]->part->name;
	return NULL;
}

/* Once for all results and columns of the same spans. */
static void say_unfiltered(const struct probes *p, const struct probe *probe)
{
	const char *name = unfiltered_start(p, probe);

	if (!name || !probes_has_filter(p, true))
		return;
	probe_for_each(before, p) {
		const char *other;

		if (before == probe)
			break;
		other = unfiltered_start(p, before);
		if (other && !strcmp(other, name))
			return;
	}
	log_note("%s is about a task other than the one that is running when it happens: spans of "
		 "all tasks are recorded",
		 name);
}

int probes_plan_span(struct probes *p, struct probe *probe, struct err *err)
{
	struct scope_starts *starts = &probe->starts;
	int ret = 0;

	part_for_each(part, probe)
		ret = ret ?: plan_part(p, probe, part, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < probe->groups.n; i++)
		probe->groups.items[i]->scope->no_entry =
			"put a condition on the span after it: span(START ; END) ($latency > 1ms)";
	ret = compile_keys(p, probe, err);
	group_for_each(g, probe)
		ret = ret ?: compile_condition(p, probe, g, err);
	if (ret)
		return ret;
	starts->n = (u32)probe->start_groups.n;
	starts->scopes = arena_alloc(&p->arena, starts->n, sizeof(struct scope *));
	for (u32 i = 0; i < starts->n; i++) {
		struct probe_group *g = probe->start_groups.items[i];

		starts->scopes[i] = g->scope;
		g->scope->is_update = g->part->is_update;
	}
	for (size_t i = 0; i < probe->groups.n; i++)
		probe->groups.items[i]->scope->starts = starts;
	say_unfiltered(p, probe);
	return 0;
}

/* ---- programs ----------------------------------------------------------------------------- */

static void bind_key(const struct probe *probe, struct probe_group *g)
{
	g->gen.spans.by = is_by_thread(probe) ? GEN_SPAN_THREAD : GEN_SPAN_KEY;
	g->gen.spans.key = (const struct tree *const *)g->span_key;
	g->gen.spans.n_key = g->n_span_key;
	g->gen.spans.keeps_first = probe->spec.span->keep_first;
}

static void bind_start(struct probes *p, const struct probe *probe, struct probe_group *g, u32 k)
{
	u32 n = (u32)probe->starts.saved.n;
	const struct tree **values = arena_alloc(&p->arena, n + 1, sizeof(struct tree *));

	for (u32 i = 0; i < n; i++)
		values[i] = probe->starts.saved.items[i][k];
	bind_key(probe, g);
	g->gen.work.action = GEN_START;
	g->gen.spans.is_update = g->part->is_update;
	g->gen.work.values = (const struct tree *const *)values;
	g->gen.work.n_values = n;
	g->gen.watch.has_filter = g->gen.watch.has_filter && !g->scope->is_any_task;
	g->entry.watch.has_filter = g->gen.watch.has_filter;
}

static void bind_end(const struct probes *p, const struct probe *probe, struct probe_group *g)
{
	const struct gen_plan *start = &probe->start_groups.items[0]->gen;
	bool beyond_self = probes_has_filter(p, true);
	bool is_same_process = is_by_thread(probe) || is_of_process(probe);

	bind_key(probe, g);
	g->gen.spans.when = g->when;
	g->gen.spans.kept =
		(struct gen_kept){ .values = start->work.values, .n = start->work.n_values };
	if (p->opts.cpus->v.n || (!is_same_process && (beyond_self || g->scope->is_any_task)))
		g->gen.watch.has_filter = false;
	g->gen.spans.ignores_unstarted = beyond_self && !g->gen.watch.has_filter;
	g->entry.watch.has_filter = g->gen.watch.has_filter;
}

#define BINS_BYTES    (256U << 10) /* for each probe */
#define BINS_MAX_BITS 12

/* The number of bins as a power of two; 0: there are none.  Bins are not used with --spans, because
 * they would hold more spans than it permits, nor with --open, which looks for spans only in the
 * table. */
static u32 bin_bits(const struct probes *p, const struct probe *probe)
{
	u32 bytes = gen_bin_bytes(&probe->start_groups.items[0]->gen), bits = BINS_MAX_BITS;

	if (!p->has_exchange || !bytes || p->opts.max_spans || probe->spec.span->n_updates)
		return 0;
	for (size_t i = 0; i < probe->groups.n; i++)
		if (probe->groups.items[i]->gen.work.action == GEN_END)
			return 0;
	while (bits && bytes << bits > BINS_BYTES)
		bits--;
	return bits;
}

void probes_bind_span(struct probes *p, struct probe *probe)
{
	u32 bits;

	for (u32 k = 0; k < probe->start_groups.n; k++)
		bind_start(p, probe, probe->start_groups.items[k], k);
	for (size_t i = 0; i < probe->groups.n; i++)
		bind_end(p, probe, probe->groups.items[i]);
	bits = bin_bits(p, probe);
	group_for_each(g, probe)
		g->gen.spans.bin_bits = bits;
}

int probes_make_span(const struct probes *p, struct probe *probe, struct err *err)
{
	const struct gen_plan *start = &probe->start_groups.items[0]->gen;
	u32 key = is_by_thread(probe) ? (u32)sizeof(u64)
				      : gen_key_bytes(start->spans.key, start->spans.n_key);

	probe->span_fd =
		bpf_map_create(BPF_MAP_TYPE_HASH, "spans", key,
			       gen_saved_bytes(start->work.values, start->work.n_values),
			       p->opts.max_spans ? p->opts.max_spans : SPANS_DEFAULT, NULL);
	if (probe->span_fd < 0)
		return prog_explain(errno, "create", "the table of open spans", err);
	if (!start->spans.bin_bits)
		return 0;
	probe->bins_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "span_bins", sizeof(u32),
					gen_bin_bytes(start), 1U << start->spans.bin_bits, NULL);
	if (probe->bins_fd < 0)
		return prog_explain(errno, "create", "the table of open spans", err);
	return 0;
}

/* Drop the spans of threads that exit, because their ids are reused. */
int probes_guard_span(const struct probes *p, struct probe *probe, struct err *err)
{
	const struct generated_opts opts = {
		.name = "span_on_exit",
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	};
	struct gen_plan plan = {
		.probe = probe->index,
		.maps.probe_counts = p->counts_fd,
		.work.action = GEN_END,
	};
	const struct text *t = &probe->spec.text;
	struct insns code;
	int ret;

	if (!probe->spec.span || !probe->parts.n || !is_by_thread(probe))
		return 0;
	plan.spans = probe->groups.items[0]->gen.spans;
	insns_init(&code);
	ret = gen_forget_thread(&plan, t, &code, err);
	if (!ret) {
		probe->exit_fd = generated_load(&code, NULL, t, &opts, err);
		ret = probe->exit_fd < 0 ? probe->exit_fd : 0;
	}
	insns_release(&code);
	if (ret)
		return ret;
	probe->exit_link_fd = bpf_raw_tracepoint_open("sched_process_exit", probe->exit_fd);
	if (probe->exit_link_fd < 0)
		return prog_explain(errno, "attach", "the hook that follows threads", err);
	return 0;
}

/* ---- attaching ---------------------------------------------------------------------------- */

/* A tracepoint runs its programs in the order of attachment; a function runs the latest one
 * first. */
static bool is_last_first(enum attach_method m)
{
	return m != ATTACH_RAW_TP && m != ATTACH_TP_BTF && m != ATTACH_TRACEPOINT &&
	       !attach_method_is_syscall(m);
}

static bool is_same_place(const struct site *a, const struct site *b)
{
	bool is_same_file =
		a->file == b->file || (a->file && b->file && a->file->ino == b->file->ino &&
				       a->file->dev == b->file->dev);

	return a->kind == b->kind && is_same_file && a->file_offset == b->file_offset &&
	       a->addr == b->addr && !strcmp(a->func, b->func);
}

static bool ends_at(const struct site *start, const struct probe *probe)
{
	part_for_each(part, probe) {
		const struct site *site;

		if (part->is_start || !is_last_first(part->plan->method))
			continue;
		vec_for_each(site, &part->plan->sites)
			if (is_same_place(start, site))
				return true;
	}
	return false;
}

/* Otherwise, ends are attached first: a span that started before its ends were attached would seem
 * to be still open. */
bool probes_starts_first(const struct probe *probe)
{
	const struct site *site;

	vec_for_each(site, &probe->plan.starts)
		if (ends_at(site, probe))
			return true;
	return false;
}
