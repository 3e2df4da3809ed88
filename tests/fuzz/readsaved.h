/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the fuzzers of saved reports: a file of any bytes, read in one format. */
#ifndef FUZZ_READSAVED_H
#define FUZZ_READSAVED_H

#include <fcntl.h>
#include <sys/mman.h>

#include "base/log.h"
#include "saved/saved.h"
#include "saved/view.h"
#include "tests/fuzz/fuzz.h"

/* A file with these bytes; its path is /proc/self/fd/N. */
static inline int file_of(const u8 *data, size_t size, char path[32])
{
	int fd = memfd_create("saved", MFD_CLOEXEC);

	must(fd >= 0 && (!size || write(fd, data, size) == (ssize_t)size));
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Renderers rely on all of this. */
static inline void check_dist(const struct report *r, const struct dist *d)
{
	const struct dist_row *row;
	u64 sum = 0;

	must(d->kind != DIST_HISTOGRAM || (d->title && d->value_name));
	must(d->kind != DIST_TABLE || d->n_columns);
	vec_for_each(row, &d->rows) {
		must(row->kernel < r->n_nodes && row->user < r->n_nodes);
		must(!row->n || (row->buckets && row->first + row->n <= DIST_FINE_N + 1000));
		for (u32 i = 0; d->kind == DIST_HISTOGRAM && i < row->n; i++)
			dist_bucket_at(&d->scale, d->is_signed, row->first + i);
		for (u32 i = 0; d->kind == DIST_STATISTICS && i < d->n_percentiles; i++)
			dist_percentile(d, row, d->percentiles[i]);
		dist_mean(d, row);
		sum += row->count;
	}
	must(sum == d->total);
	free(dist_order(d));
}

/* Every index that renderers follow leads somewhere, parents come before their children, and the
 * rows add up to the total. */
static inline void check_report(const struct report *r)
{
	const struct stack_row *row;
	u64 sum = 0;

	for (size_t i = 1; i < r->n_nodes; i++)
		must(r->nodes[i].parent < i && r->nodes[i].frame < r->n_frames);
	for (size_t i = 0; i < r->n_links; i++)
		must(r->links[i].kernel < r->n_nodes && r->links[i].user < r->n_nodes &&
		     r->links[i].task < r->n_tasks);
	vec_for_each(row, &r->stacks) {
		must(row->task < r->n_tasks && row->kernel < r->n_nodes && row->user < r->n_nodes &&
		     row->chain < r->n_chains);
		must(report_chain(r, row->chain)->n <= CHAIN_MAX_LINKS);
		sum += row->value;
	}
	must(!(r->kind & (REPORT_STACKS | REPORT_PATHS)) || sum == r->total);
	for (size_t i = 0; i < r->counts.n; i++)
		must(r->counts.items[i].name && r->counts.items[i].probe);
	for (size_t i = 0; i < r->dists.n; i++)
		check_dist(r, &r->dists.items[i]);
	for (size_t i = 0; i < r->funcs.n; i++)
		must(r->funcs.items[i].frame < r->n_frames);
	must(r->whole.value <= r->total && r->end_ns >= r->start_ns);
}

/* An index that leads nowhere is found by the sanitizer. */
static inline void check_ids(const struct event_row *e, const u32 *ids, u32 n)
{
	for (u32 i = 0; i < n; i++)
		must(e->frames[ids[i]].kind < FRAME_N_KINDS);
}

static inline void check_event(const struct event_row *e)
{
	must(e->comm && e->probe && e->func && e->text.p);
	check_ids(e, e->kernel, e->n_kernel);
	check_ids(e, e->user, e->n_user);
	for (u32 i = 0; i < e->n_values; i++) {
		const struct event_value *v = &e->values[i];

		must(v->name && v->kind < VALUE_N_KINDS);
		must(v->kind != VALUE_LIST || v->element_bytes == sizeof(u64));
		check_ids(e, v->stack, v->n_stack);
	}
}

static inline void add_name(void *ctx, const char *symbol, struct str *out)
{
	(void)ctx;
	str_adds(out, symbol);
}

static inline void look_at(struct saved *s)
{
	struct err err = { 0 };
	struct report total;
	struct merged m;

	for (size_t i = 0; i < s->reports.n; i++)
		check_report(&s->reports.items[i]);
	for (size_t i = 0; i < s->events.n; i++)
		check_event(&s->events.items[i]);
	saved_end(s);
	saved_rename(s, add_name, NULL);
	saved_group(s, SAVED_BY_NONE, &err);
	err_clear(&err);
	saved_merge_events(s, &err);
	err_clear(&err);
	if (!saved_total(s, &total, &err)) {
		check_report(&total);
		report_merge(&total, BY_NAME, &m);
		merged_release(&m);
		if (total.kind == REPORT_STACKS)
			report_functions(&total);
	}
	report_release(&total);
}

static inline int fuzz_saved(const u8 *data, size_t size, enum saved_format format)
{
	const struct saved_opts opts = { .format = format };
	char path[32], *paths[] = { path, path };
	int fd = file_of(data, size, path);
	struct err err = { 0 };
	struct saved s;

	log_set_level(LOG_QUIET);
	for (size_t n = 1; n <= 2; n++) {
		saved_init(&s);
		if (!saved_read(&s, paths, n, &opts, &err))
			look_at(&s);
		else
			must(err.code && err.what[0]);
		saved_release(&s);
		err_clear(&err);
	}
	close(fd);
	return 0;
}

#endif
