/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perf events on every CPU: samples, and side-band records (mappings, forks, execs, exits), which
 * tell what an address meant when it was sampled.
 */
#ifndef RUN_PERF_H
#define RUN_PERF_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/types.h"
#include "host/cpus.h"
#include "host/perfspec.h"

enum perf_side_kind {
	SIDEBAND_MMAP,
	SIDEBAND_FORK,
	SIDEBAND_EXEC,
	SIDEBAND_EXIT,
	SIDEBAND_KSYMBOL
};

/* One side-band record.  Process ids are those of our own PID namespace. */
struct perf_side {
	u64 time_ns; /* CLOCK_MONOTONIC */
	enum perf_side_kind kind;
	u32 tgid, parent_tgid;
	u64 start, len, pgoff;
	u32 maj, min;
	u64 ino;
	const char *path; /* as the process sees it; SIDEBAND_KSYMBOL: the symbol's name */
};

struct perfev_cpu {
	u32 cpu;
	int fd;		       /* -1: closed */
	void *ring;	       /* side-band records; NULL: not permitted */
	struct bpf_link *link; /* NULL: not sampled, side band only */
	/* The second event, if there is one. */
	int second_fd;
	struct bpf_link *second_link;
};

struct perfev {
	struct perf_spec spec;
	struct cpus only;	  /* CPUs that were requested; empty: all */
	struct cpus online;	  /* when last checked */
	struct bpf_program *prog; /* NULL: nothing is sampled */
	/* A second event, which counts when the first does; its program is NULL if there is none.
	 */
	struct perf_spec second_spec;
	struct bpf_program *second_prog;
	bool is_open;
	int uevents; /* uevents, which report CPUs that went offline; -1: not available */
	VEC(struct perfev_cpu) cpus;
	VEC(struct perf_side) side; /* records read but not taken yet, sorted by time */
	size_t side_taken;
	u64 read_ns; /* time at which the rings were last read */
	struct intern paths;
	u64 throttled;	   /* how often the kernel stopped sampling for a tick */
	u64 side_lost;	   /* side-band records that were lost */
	bool no_side_band; /* the rings could not be mapped */
};

/* Before perfev_open(): sample a second event on the same CPUs, with its own program. */
void perfev_add(struct perfev *p, const struct perf_spec *spec, struct bpf_program *prog);

/* Open events on the given CPUs (n_cpus 0: all that are online), and attach.  CPUs that go offline
 * during this are skipped. */
int perfev_open(struct perfev *p, const struct perf_spec *spec, const u32 *cpus, size_t n_cpus,
		struct bpf_program *prog, struct err *err);

/* Only read the side-band records of all CPUs, without samples.  If the kernel refuses that,
 * mappings are read from /proc only. */
void perfev_listen(struct perfev *p);

/* Open events on CPUs that came online, close those of CPUs that went offline. */
void perfev_follow_hotplug(struct perfev *p);

/* Read all side-band records that are in the rings. */
void perfev_read_side(struct perfev *p);

/* The next record that is not newer than `until_ns`, or NULL; valid until the next call of this
 * function or of perfev_read_side.  The rings are read first if they were last read before
 * `until_ns`. */
const struct perf_side *perfev_next_side(struct perfev *p, u64 until_ns);

/* Stop sampling; side-band records can still be read. */
void perfev_detach(struct perfev *p);

void perfev_release(struct perfev *p);

#endif
