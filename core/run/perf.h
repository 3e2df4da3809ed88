/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perf events on every CPU: what samples, and the side-band records (mappings, forks, execs,
 * exits) that tell what an address meant when it was sampled.
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
	SIDE_MMAP,
	SIDE_FORK,
	SIDE_EXEC,
	SIDE_EXIT,
	SIDE_KSYMBOL
};

/* One side-band record.  Process ids are those of our own PID namespace. */
struct perf_side {
	u64 time_ns; /* CLOCK_MONOTONIC */
	enum perf_side_kind kind;
	u32 tgid, parent_tgid;
	u64 start, len, pgoff;
	u32 maj, min;
	u64 ino;
	const char *path; /* as the process sees it; SIDE_KSYMBOL: the name */
};

struct perfev_cpu {
	u32 cpu;
	int fd;		       /* -1: closed */
	void *ring;	       /* side-band; NULL: not allowed */
	struct bpf_link *link; /* NULL: not sampled, only listened to */
};

struct perfev {
	struct perf_spec spec;
	struct cpus only;	  /* CPUs asked for; empty: all */
	struct cpus online;	  /* when it was last looked at */
	struct bpf_program *prog; /* NULL: nothing is sampled */
	bool is_open;
	int uevents; /* where the kernel tells of CPUs that went; -1: nowhere */
	VEC(struct perfev_cpu) cpus;
	VEC(struct perf_side) side; /* read, not yet taken; by time */
	size_t side_taken;
	u64 read_ns; /* when the rings were read last */
	struct intern paths;
	u64 throttled;	   /* times that the kernel stopped sampling for a tick */
	u64 side_lost;	   /* side-band records that did not fit */
	bool no_side_band; /* the rings could not be mapped */
};

/* Open on the given CPUs, all that are online when n_cpus is 0, and attach.  CPUs that go offline
 * meanwhile are skipped. */
int perfev_open(struct perfev *p, const struct perf_spec *spec, const u32 *cpus, size_t n_cpus,
		struct bpf_program *prog, struct err *err);

/* Only the side-band records of all CPUs, no samples.  Where they are refused, names are found by
 * /proc alone. */
void perfev_listen(struct perfev *p);

/* Open on CPUs that came online, close on those that went. */
void perfev_follow_hotplug(struct perfev *p);

/* Read all side-band records that are there by now. */
void perfev_read_side(struct perfev *p);

/* The next record not younger than `until_ns`, or NULL; valid until the next call of this or of
 * perfev_read_side.  The rings are read when `until_ns` is younger than their last reading. */
const struct perf_side *perfev_next_side(struct perfev *p, u64 until_ns);

/* Stop sampling; side-band records stay readable. */
void perfev_detach(struct perfev *p);

void perfev_release(struct perfev *p);

#endif
