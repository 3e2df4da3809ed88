/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bare OBJECT HZ SECONDS [page-faults|switches|wake-ups|nothing]: attach the yardstick on every
 * CPU, as a sampler would, and wait.  With a fourth word it takes every page fault, every context
 * switch, or these and every wake-up, instead of sampling the CPU clock; `nothing` is called at
 * both and does nothing.
 */
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(int cpu, unsigned long hz, int is_fault)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = is_fault ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK,
		.freq = !is_fault,
	};

	if (is_fault)
		attr.sample_period = 1;
	else
		attr.sample_freq = hz;
	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* How many perf events are attached. */
static int attach_events(struct bpf_object *obj, unsigned long hz, int is_fault)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, "bare");
	int n_attached = 0, n_cpus = libbpf_num_possible_cpus();

	for (int cpu = 0; cpu < n_cpus; cpu++) {
		int fd = open_event(cpu, hz, is_fault);

		if (fd >= 0 && bpf_program__attach_perf_event(prog, fd))
			n_attached++;
	}
	return n_attached;
}

static int attach_tracepoint(struct bpf_object *obj, const char *name)
{
	return bpf_program__attach(bpf_object__find_program_by_name(obj, name)) != NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 4 ? argv[4] : "";
	struct bpf_object *obj;
	int n_attached;

	if (argc < 4)
		return 64;
	obj = bpf_object__open_file(argv[1], NULL);
	if (!obj || bpf_object__load(obj))
		return 1;
	if (!strcmp(what, "switches") || !strcmp(what, "wake-ups")) {
		n_attached = attach_tracepoint(obj, "bare_switch");
		if (*what == 'w')
			n_attached += attach_tracepoint(obj, "bare_waking");
	} else if (!strcmp(what, "nothing")) {
		n_attached = attach_tracepoint(obj, "nothing_switch");
		n_attached += attach_tracepoint(obj, "nothing_waking");
	} else {
		n_attached = attach_events(obj, strtoul(argv[2], NULL, 10), *what == 'p');
	}
	if (!n_attached)
		return 1;
	usleep((useconds_t)(atof(argv[3]) * 1e6));
	return 0;
}
