// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events of several files, one after the other in the order of time. */
#include <stdlib.h>

#include "saved/saved_int.h"

/* The events of a file that are still to be taken. */
struct source {
	size_t at, end;
	u64 since_ns; /* from the start of the first run to that of this */
};

static int check(const struct saved *s, struct err *err)
{
	const struct saved_file *f;
	const struct event_row *e;

	vec_for_each(f, &s->files)
		if (!f->realtime_ns)
			return err_set(err, ERR_FAIL,
				       "%s does not tell when its events were: it can't be joined "
				       "with others",
				       f->name);
	vec_for_each(e, &s->events)
		if (e->count)
			return err_set(err, ERR_FAIL,
				       "events that were counted (-A) can't be joined");
	return 0;
}

static u64 first_start(const struct saved *s)
{
	const struct saved_file *f;
	u64 first = UINT64_MAX;

	vec_for_each(f, &s->files)
		first = f->realtime_ns < first ? f->realtime_ns : first;
	return first;
}

/* The source whose next event is the earliest; NULL: there is none.  A file keeps its own order, in
 * which late events are. */
static struct source *earliest(const struct saved *s, struct source *sources)
{
	struct source *best = NULL;

	for (size_t i = 0; i < s->files.n; i++) {
		struct source *one = &sources[i];

		if (one->at < one->end &&
		    (!best || s->events.items[one->at].time_ns < s->events.items[best->at].time_ns))
			best = one;
	}
	return best;
}

/* Times since the start of the first run. */
static struct source *find_sources(struct saved *s)
{
	struct source *sources = mem_alloc(s->files.n, sizeof(*sources));
	u64 start = first_start(s);
	size_t at = 0;

	for (size_t i = 0; i < s->files.n; i++) {
		const struct saved_file *f = &s->files.items[i];

		sources[i] = (struct source){ at, at + f->n_events, f->realtime_ns - start };
		for (; at < sources[i].end; at++)
			s->events.items[at].time_ns += sources[i].since_ns;
	}
	return sources;
}

/* Let the run begin at an earlier time.  Its monotonic clock becomes 0 if that is before the boot:
 * the earlier file is from another host or another boot. */
static void set_start(struct run_info *run, u64 realtime_ns)
{
	u64 before = run->realtime_ns - realtime_ns;

	run->monotonic_ns = run->monotonic_ns > before ? run->monotonic_ns - before : 0;
	run->realtime_ns = realtime_ns;
}

int saved_merge_events(struct saved *s, struct err *err)
{
	struct source *sources, *next;
	struct event_row *merged;
	struct saved_warning *w;
	size_t n = 0;

	if (s->files.n < 2 || !(s->kinds & REPORT_EVENTS))
		return 0;
	if (check(s, err))
		return -err->code;
	sources = find_sources(s);
	merged = mem_alloc(s->events.n + 1, sizeof(*merged));
	while ((next = earliest(s, sources)))
		merged[n++] = s->events.items[next->at++];
	free(s->events.items);
	s->events.items = merged;
	s->events.cap = s->events.n + 1;
	set_start(&s->run, first_start(s));
	vec_for_each(w, &s->warnings)
		w->event = 0;
	free(sources);
	return 0;
}
