/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One program where all system calls come by.  sys_enter and sys_exit are one tracepoint each: a
 * program per system call would run hundreds of them for every call of every process.  Where
 * several programs are meant for one of the two, a dispatcher is attached in their place: it asks
 * the filter, and jumps to the program of the call's number.  When several probes want the same
 * call, their programs jump to one another in the order in which the kernel would have run them.
 *
 * Included by probe.h; only load.c and live.c call this.
 */
#ifndef PROBE_DISPATCH_H
#define PROBE_DISPATCH_H

#include "base/err.h"
#include "base/mem.h"
#include "gen/program.h"

struct probe;
struct probe_group;
struct probes;

struct dispatched {
	struct probe *probe;
	struct probe_group *group;
	bool is_entry; /* the group's program at entries */
	u32 level;     /* how many programs may run before this one */
};

struct dispatcher {
	const char *hook; /* the tracepoint */
	bool has_filter;  /* asks it, so that its programs need not */
	u32 n_levels;
	VEC(struct dispatched) programs;
	struct gen_plan gen;
	int progs_fd, prog_fd, link_fd; /* -1: none */
};

/* Decides which programs are reached through dispatchers.  After the programs' plans are complete,
 * before code is generated. */
void dispatch_plan(struct probes *p);
/* Makes the maps of programs; before the programs are loaded. */
int dispatch_open(struct probes *p, struct err *err);
/* Loads the dispatchers and fills their maps; after the programs were loaded. */
int dispatch_load(struct probes *p, struct err *err);
/* Those with a filter or those without.  Ends of spans may be for everybody where starts are not,
 * and are to run first where both are at one call: dispatchers without a filter come first. */
int dispatch_attach(struct probes *p, bool has_filter, struct err *err);
/* No events from here on. */
void dispatch_disable(struct probes *p);
/* Hits that the kernel skipped of the dispatchers that lead to a probe; NULL: of all dispatchers.
 * Which system call it was is not known, and so whether anybody asked for it. */
u64 dispatch_missed(const struct probes *p, const struct probe *probe);
void dispatch_release(struct probes *p);

#endif
