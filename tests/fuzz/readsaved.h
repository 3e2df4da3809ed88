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
	for (size_t i = 0; i < r->funcs.n; i++)
		must(r->funcs.items[i].frame < r->n_frames);
	must(r->whole.value <= r->total && r->end_ns >= r->start_ns);
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
	saved_end(s);
	saved_rename(s, add_name, NULL);
	saved_group(s, SAVED_BY_NONE, &err);
	if (!saved_total(s, &total, &err)) {
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
