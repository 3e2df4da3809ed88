/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bare OBJECT HZ SECONDS [page-faults]: attach the yardstick on every CPU, as a sampler would, and
 * wait.  With a fourth word it counts every page fault instead of sampling the CPU clock.
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

int main(int argc, char **argv)
{
	struct bpf_object *obj;
	struct bpf_program *prog;
	int n_attached = 0, n_cpus = libbpf_num_possible_cpus();

	if (argc < 4)
		return 64;
	obj = bpf_object__open_file(argv[1], NULL);
	if (!obj || bpf_object__load(obj))
		return 1;
	prog = bpf_object__find_program_by_name(obj, "bare");
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		int fd = open_event(cpu, strtoul(argv[2], NULL, 10), argc > 4);

		if (fd >= 0 && bpf_program__attach_perf_event(prog, fd))
			n_attached++;
	}
	if (!n_attached)
		return 1;
	usleep((useconds_t)(atof(argv[3]) * 1e6));
	return 0;
}
