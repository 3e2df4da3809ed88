/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One program for the tracepoints of all system calls.  sys_enter and sys_exit are one tracepoint
 * each: with a program per system call, every call of every process would run hundreds of programs.
 * If several programs are meant for one of the two, a dispatcher is attached instead: it checks the
 * filter and tail-calls the program for the call's number.  If several probes are at the same call,
 * their programs call one another in the order in which the kernel would have run them.
 *
 * Included by probes.h; only load.c, live.c, ledger.c and dump.c call this.
 */
#ifndef PROBE_DISPATCH_H
#define PROBE_DISPATCH_H

#include "base/err.h"
#include "base/mem.h"
#include "gen/program.h"

struct probe;
struct probe_group;
struct probes;
struct str;

struct dispatched {
	struct probe *probe;
	struct probe_group *group;
	bool is_entry; /* true: the group's program for entries */
	u32 level;     /* the most programs that may run before this one */
};

struct dispatcher {
	const char *hook;  /* the tracepoint */
	bool has_filter;   /* it checks the filter, so that its programs need not */
	bool is_one_entry; /* it does the work of all its programs, which are not loaded */
	u32 n_levels;
	VEC(struct dispatched) programs;
	struct gen_plan gen;
	int progs_fd;	      /* the table of programs; -1: none */
	int sites_fd;	      /* by number of the call: is it one of theirs?  -1: none */
	int prog_fd, link_fd; /* -1: none */
};

/* Decide which programs are reached through dispatchers.  Call it when the programs' plans are
 * complete, and before code is generated. */
void dispatch_plan(struct probes *p);
/* Create the maps of programs, before the programs are loaded. */
int dispatch_open(struct probes *p, struct err *err);
/* Load the dispatchers and fill their maps, after the programs were loaded. */
int dispatch_load(struct probes *p, struct err *err);
/* --dump: the code of the dispatchers.  Call it after dispatch_plan(); it needs no maps. */
int dispatch_dump(const struct probes *p, struct str *out, struct err *err);
/* Attach the dispatchers with a filter, or those without.  Ends of spans may have no filter
 * although starts have one, and must run first where both are at the same call: attach the
 * dispatchers without a filter first. */
int dispatch_attach(struct probes *p, bool has_filter, struct err *err);
/* After this, no events are recorded any more. */
void dispatch_disable(struct probes *p);
/* Hits that the kernel skipped at the dispatchers that lead to a probe; NULL: at all dispatchers.
 * The system call of a skipped hit is unknown, so a probe may not have wanted the hit. */
u64 dispatch_missed(const struct probes *p, const struct probe *probe);
void dispatch_release(struct probes *p);

#endif
