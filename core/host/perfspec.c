// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/perfspec.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "base/suggest.h"
#include "host/perfnames.h"

/* Parse "r01c4": a raw event code of the PMU. */
static bool parse_raw(const char *text, struct perf_spec *out)
{
	if (text[0] != 'r' || !num_parse_hex(view_of(text + 1), &out->config))
		return false;
	out->type = PERF_TYPE_RAW;
	out->name = text;
	return true;
}

int perf_spec_parse(const char *text, struct perf_spec *out, struct err *err)
{
	struct nearest near = { .word = text };
	size_t n;
	const struct perf_name *events = perf_names(&n);

	for (size_t i = 0; i < n; i++) {
		nearest_offer(&near, events[i].name);
		if (strcmp(text, events[i].name))
			continue;
		out->name = events[i].name;
		out->type = events[i].type;
		out->config = events[i].config;
		return 0;
	}
	if (parse_raw(text, out))
		return 0;
	err_set(err, ERR_USAGE, "there is no event '%s'", text);
	if (near.best)
		return err_hint(err, "did you mean '%s'?", near.best);
	return err_hint(err, "cpu-clock, cycles, instructions, cache-misses, page-faults, "
			     "context-switches, ... or rHEX for a raw PMU event");
}

void perf_spec_names(void (*add)(void *ctx, const char *name, const char *what), void *ctx)
{
	size_t n;
	const struct perf_name *events = perf_names(&n);

	for (size_t i = 0; i < n; i++)
		add(ctx, events[i].name, events[i].what);
}

void perf_spec_default(struct perf_spec *out)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	struct err err = { 0 };
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	perf_spec_parse(fd >= 0 || errno == EACCES || errno == EPERM ? "cycles" : "cpu-clock", out,
			&err);
	if (fd >= 0)
		close(fd);
}
