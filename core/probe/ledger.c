// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ledger of each probe's events, and the messages about it. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/shorten.h"
#include "bpf/abi/span.h"
#include "probe/probes_int.h"

#define KEPT_HINT                                                                                   \
	" ($entry(x) reads a string at the entry, or later if x is a const char *; buf(x, retval) " \
	"reads it at the return)"

#define CALL_HINT " (a page that was not in memory yet: at r:syscall:..., $entry(x) reads it, too)"

/* Bytes of a spec in a message: those of tools are up to a thousand long. */
#define SPEC_MAX 96

static u64 add_missed(u64 sum, u64 n)
{
	return sum == LOST_UNKNOWN || n == LOST_UNKNOWN ? LOST_UNKNOWN : sum + n;
}

/* Does the probe use $entry(x) of a char pointer? */
static bool keeps_strings(const struct probe *probe)
{
	for (size_t i = 0; i < probe->groups.n; i++) {
		const struct scope *s = probe->groups.items[i]->scope;

		for (size_t k = 0; k < s->saved.n; k++)
			if (s->saved.items[k]->kind == TREE_STRING)
				return true;
	}
	return false;
}

static bool reads_at_call(const struct probe *probe)
{
	for (size_t i = 0; i < probe->groups.n; i++)
		if (probes_reads_unpaged(probe->groups.items[i]))
			return true;
	return false;
}

static void keep_greater(u64 *n, u64 other)
{
	if (*n < other)
		*n = other;
}

/* An event is counted by the program of each column, unless that column alone cannot read it. */
static void add_column(struct event_probe *out, const struct event_probe *column)
{
	keep_greater(&out->hits, column->hits);
	keep_greater(&out->shown, column->shown);
	keep_greater(&out->ring_full, column->ring_full);
	keep_greater(&out->busy, column->busy);
	keep_greater(&out->absent, column->absent);
	keep_greater(&out->no_start, column->no_start);
	keep_greater(&out->unreturned, column->unreturned);
	keep_greater(&out->map_full, column->map_full);
	keep_greater(&out->span_full, column->span_full);
	keep_greater(&out->too_deep, column->too_deep);
	keep_greater(&out->late, column->late);
	keep_greater(&out->missed, column->missed);
	out->keeps_strings |= column->keeps_strings;
	out->reads_at_call |= column->reads_at_call;
}

size_t probes_join_columns(struct event_probe *counts, size_t n)
{
	size_t n_out = 0;

	for (size_t i = 0; i < n; i++)
		if (n_out && counts[i].is_column)
			add_column(&counts[n_out - 1], &counts[i]);
		else
			counts[n_out++] = counts[i];
	return n_out;
}

static struct event_probe event_probe_of(const struct probe *probe, const struct probe_count *c,
					 u64 missed)
{
	return (struct event_probe){
		.name = probe->name,
		.hits = c->hits,
		.ring_full = c->ring_full,
		.busy = c->busy,
		.absent = c->absent,
		.no_start = c->no_start,
		.unreturned = c->missed,
		.map_full = c->map_full,
		.span_full = c->span_full,
		.too_deep = c->too_deep,
		.missed = missed == UINT64_MAX ? LOST_UNKNOWN : missed,
		.is_span = probe->spec.span != NULL,
		.is_column = probe->is_column,
		.keeps_strings = keeps_strings(probe),
		.reads_at_call = reads_at_call(probe),
	};
}

static void add_losses(const struct event_probe *counts, size_t n, struct ledger *l)
{
	_cleanup_(free_p) struct event_probe *joined = mem_alloc(n + 1, sizeof(*joined));
	u64 *missed = &l->lost[LOST_missed];

	for (size_t i = 0; i < n; i++)
		joined[i] = counts[i];
	n = probes_join_columns(joined, n);
	for (size_t i = 0; i < n; i++) {
		const struct event_probe *c = &joined[i];

		l->lost[LOST_ring_full] += c->ring_full;
		l->lost[LOST_recursion] += c->busy + c->too_deep;
		l->lost[LOST_map_full] += c->map_full + c->span_full;
		*missed = add_missed(*missed, c->missed);
	}
}

int probes_ledger(struct probes *p, struct event_probe *counts, struct ledger *l, struct err *err)
{
	u64 *all_missed = &l->lost[LOST_missed];

	for (u32 i = 0; i < p->v.n; i++) {
		struct probe_count c = { 0 };
		u64 missed = 0;
		int ret = probes_count(p, i, &c, &missed, err);

		if (ret)
			return ret;
		counts[i] = event_probe_of(p->v.items[i], &c, missed);
	}
	add_losses(counts, p->v.n, l);
	/* Only once, because several probes may share a dispatcher. */
	*all_missed = add_missed(*all_missed, dispatch_missed(p, NULL));
	for (u32 i = 0; i < p->v.n; i++)
		counts[i].missed = add_missed(counts[i].missed, dispatch_missed(p, p->v.items[i]));
	return 0;
}

/* "3 events", or "3 of 10 events" if all are known. */
static const char *some(char *text, size_t size, u64 n, const char *one, const char *many)
{
	snprintf(text, size, "%llu %s", n, n == 1 ? one : many);
	return text;
}

/* Report losses of events, spec by spec; values that could not be read are not losses of events. */
void probes_say_ledger(const struct event_probe *counts, size_t n)
{
	char text[96];

#define SOME(n, one, many) some(text, sizeof(text), n, one, many)
	for (size_t i = 0; i < n; i++) {
		const struct event_probe *c = &counts[i];
		_cleanup_(free_p) char *spec = mem_strdup(c->name);

		shorten(spec, SPEC_MAX);
		if (c->ring_full)
			log_warn("events-lost",
				 "%s: %llu of %s did not fit into the buffer: use a predicate, or "
				 "-b with more pages",
				 spec, c->ring_full, SOME(c->hits, "event", "events"));
		if (c->busy)
			log_warn("events-lost", "%s: %s skipped inside too many other probes", spec,
				 SOME(c->busy, "event", "events"));
		if (c->absent)
			log_note("%s: %s had a value that could not be read%s", spec,
				 SOME(c->absent, "event", "events"),
				 c->keeps_strings   ? KEPT_HINT
				 : c->reads_at_call ? CALL_HINT
						    : "");
		if (c->no_start && c->is_span)
			log_note("%s: %s had no start", spec, SOME(c->no_start, "end", "ends"));
		else if (c->no_start)
			log_note("%s: %s from calls begun before the run", spec,
				 SOME(c->no_start, "return is", "returns are"));
		if (c->unreturned && c->is_span)
			log_note("%s: %s was not seen: another start had the same key, or the "
				 "thread ended",
				 spec, SOME(c->unreturned, "start whose end", "starts whose end"));
		else if (c->unreturned)
			log_note("%s: %s never returned", spec,
				 SOME(c->unreturned, "call", "calls"));
		if (c->map_full)
			log_warn("calls-lost", "%s: %s did not fit into the kernel's table", spec,
				 SOME(c->map_full, "call", "calls"));
		if (c->too_deep)
			log_warn("calls-lost",
				 "%s: %s exceeded the limit of %d nested calls in a thread", spec,
				 SOME(c->too_deep, "call", "calls"), SPAN_MAX_DEPTH);
		if (c->span_full)
			log_warn(
				"spans-lost",
				"%s: %s did not fit into the table of open spans: raise --spans, or "
				"use a predicate",
				spec, SOME(c->span_full, "start", "starts"));
		if (c->late)
			log_note("%s: %s came late and are printed after later ones", spec,
				 SOME(c->late, "event", "events"));
	}
#undef SOME
}
