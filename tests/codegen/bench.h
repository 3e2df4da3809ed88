/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bench on which whole compiled probes are tried: the fixed functions and maps of probe.bpf.c,
 * a scope, and BPF_PROG_TEST_RUN that hits a program with arguments of our choice: a stack pointer
 * that says which call this is, a key, a value, an address.
 */
#ifndef BENCH_H
#define BENCH_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpf/abi/cells.h"
#include "bpf/abi/filter.h"
#include "bpf/abi/fixed.h"
#include "expr/check.h"
#include "gen/program.h"
#include "probe/progload.h"
#include "tests/unit/test.h"

#define MAX_CPUS   256
#define MAX_EVENTS 64
#define STRINGS	   81 /* bytes of a string, its end included */

extern struct fixed_code fixed;
extern bool has_atomics; /* fetch-and-add, compare-and-exchange: from 5.12 on */
extern struct types types;
extern struct scope scope;
extern struct generated_opts load_opts; /* for the programs that load() loads */

/* Load the fixed part and make the scopes; skips where that needs root. */
void begin(void);

const struct tree *compile(const char *text, enum check_as as);
const struct tree *value(const char *text);

/* A plan of probe 1, to be filled in.  load() returns its program's descriptor, which the caller
 * owns. */
struct gen_plan plan_of(enum gen_action action);
int load(const struct gen_plan *plan);

/* The map in which calls keep what their entry saved. */
int saved_fd(void);

void hit(int prog, u64 sp, u64 key, u64 number, const char *text);

/* The counts of probe 1, over all CPUs. */
struct probe_count counted(void);

/* One event as it came through the ring. */
struct got {
	struct event event;
	u8 data[2000];
};

extern struct got got[MAX_EVENTS];
extern u32 n_got;

/* Read all events of the ring: got[0] to got[n_got - 1]. */
void drain(void);

/* Number i of an event. */
u64 scalar(const struct got *g, u32 i);

/* Is string i after n_scalars numbers `want`, with `flags` (EVENT_CUT) and zeros up to its end? */
bool rest_is(const struct got *g, u32 n_scalars, u32 i, const char *want, u32 flags);

#endif
