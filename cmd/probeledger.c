// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What became of each probe's events, and what is said about it. */
#include "base/log.h"
#include "cmd/probe.h"

int probes_ledger(struct probes *p, struct event_probe *counts, struct ledger *l, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < p->v.n && !ret; i++) {
		struct probe_count c = { 0 };
		struct event_probe *out = &counts[i];
		u64 missed = 0;

		ret = probes_count(p, i, &c, &missed, err);
		out->name = p->v.items[i]->name;
		out->hits = c.hits;
		out->ring_full = c.ring_full;
		out->busy = c.busy;
		out->absent = c.absent;
		out->no_start = c.no_start;
		out->unreturned = c.missed;
		out->map_full = c.map_full;
		out->span_full = c.span_full;
		out->is_span = p->v.items[i]->spec.span != NULL;
		out->missed = missed == UINT64_MAX ? LOST_UNKNOWN : missed;
		l->lost[LOST_ring_full] += c.ring_full;
		l->lost[LOST_recursion] += c.busy;
		l->lost[LOST_map_full] += c.map_full + c.span_full;
		if (missed == UINT64_MAX || l->lost[LOST_missed] == LOST_UNKNOWN)
			l->lost[LOST_missed] = LOST_UNKNOWN;
		else
			l->lost[LOST_missed] += missed;
	}
	return ret;
}

/* What was lost, spec by spec; values that could not be read are no loss of events. */
void probes_say_ledger(const struct event_probe *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct event_probe *c = &counts[i];

		if (c->ring_full)
			log_warn("events-lost",
				 "%s: %llu of %llu events did not fit into the buffer: a "
				 "predicate, or -b with more pages",
				 c->name, c->ring_full, c->hits);
		if (c->busy)
			log_warn("events-lost", "%s: %llu events inside too many other probes",
				 c->name, c->busy);
		if (c->absent)
			log_note("%s: %llu event%s with a value that could not be read", c->name,
				 c->absent, c->absent == 1 ? "" : "s");
		if (c->no_start)
			log_note("%s: %llu %s", c->name, c->no_start,
				 c->is_span ? "ends without a start"
					    : "returns of calls from before the start");
		if (c->unreturned)
			log_note("%s: %llu %s", c->name, c->unreturned,
				 c->is_span ? "starts whose end was not met: another start had the "
					      "same key, or the thread ended"
					    : "calls never returned");
		if (c->map_full)
			log_warn("calls-lost",
				 "%s: %llu calls too many to remember, or of keys without room",
				 c->name, c->map_full);
		if (c->span_full)
			log_warn("spans-lost",
				 "%s: %llu starts found no room among the open spans: --spans with "
				 "more, or a predicate",
				 c->name, c->span_full);
		if (c->late)
			log_note("%s: %llu events came late and stand behind younger ones", c->name,
				 c->late);
	}
}
