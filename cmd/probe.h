/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words of the command line to attached programs: what trace, argdist and funccount do alike.
 *
 *	probes_init     the host's facts
 *	probes_add      a word: parsed
 *	probes_plan     sites found, grouped by what they offer (struct probe_group)
 *	  the command says for each group what is computed there
 *	probes_load     compiled, verified
 *	probes_attach   live
 *
 * A group is sites that one program can serve.  Everything is owned by struct probes.
 */
#ifndef CMD_PROBE_H
#define CMD_PROBE_H

#include <bpf/libbpf.h>

#include "bpf/event.h"
#include "bpf/fixed.h"
#include "expr/check.h"
#include "expr/format.h"
#include "expr/gen.h"
#include "model/event.h"
#include "model/ledger.h"
#include "probe/attach.h"
#include "probe/offer.h"
#include "probe/plan.h"
#include "probe/spec.h"
#include "run/filter.h"
#include "run/generated.h"

struct probe_group {
	struct scope *scope;	      /* lives in the arena, and with it scope->entry */
	VEC(u32) sites;		      /* indices into the plan's */
	const struct tree *predicate; /* NULL: always */
	const struct tree **values;   /* what the command computes */
	const char **names;	      /* of the values */
	u32 n_values;
	struct gen_plan gen;   /* the command sets the action; probes_load the rest */
	struct gen_plan start; /* at entries: what the returns' program wants to know */
	bool has_start;
	bool may_sleep; /* user memory is read: a program that sleeps can have it paged in */
	struct insns code, start_code;
	int prog_fd, start_fd, sites_fd; /* -1: none */
};

struct probe {
	u32 index;
	const char *name; /* the site as typed */
	struct probe_spec spec;
	struct ast_signature sig;
	struct probe_plan plan;
	struct probe_plan entries; /* of a plan of returns whose entries are wanted */
	bool has_entries;
	struct format format; /* trace: when spec.has_format */
	VEC(struct probe_group *) groups;
	struct attach *attach, *starts;
};

struct probes_opts {
	const char *btf;     /* --btf */
	const char *method;  /* --attach; NULL: choose */
	u32 tgid;	     /* -p: whose files names are looked up in; 0: ours */
	u32 string_size;     /* -Z */
	bool binary_compare; /* -B */
	bool wants_types;    /* of sites: plan_opts */
	bool is_offline;     /* --dump: nothing will be loaded, ask the kernel for nothing */
	u64 ring_bytes;	     /* of each ring; a power of two */
	const struct filter *filter;
	const struct u32_list *cpus;
};

struct probes {
	struct probes_opts opts;
	struct arena arena;
	struct types types;
	struct kernel *kernel;
	struct plan_ability can;
	enum attach_method method;
	VEC(struct probe *) v;
	struct probe_bpf *skel;
	struct bpf_object *obj; /* skel's */
	struct fixed_code fixed[8];
	bool has_exchange;
	bool has_spans; /* some return wants to know about its entry */
	u32 n_rings;	/* 0: one, the map `events` */
	VEC(int) rings;
};

int probes_init(struct probes *p, const struct probes_opts *opts, struct err *err);
int probes_add(struct probes *p, const char *word, enum spec_form form,
	       const struct spec_opts *opts, struct err *err);
int probes_plan(struct probes *p, struct err *err);

/* Whose program serves this site of the plan. */
struct probe_group *probe_group_of(const struct probe *probe, u32 site);

/* The predicate of a probe, checked for a group. */
int probes_check_predicate(struct probes *p, struct probe *probe, struct probe_group *g,
			   struct err *err);
/* One expression of our own or the user's for a group. */
int probes_compile(struct probes *p, const struct text *t, struct span where, struct probe_group *g,
		   enum check_as as, const struct tree **out, struct err *err);

int probes_load(struct probes *p, struct err *err);
/* is_over is asked from time to time: when it is true, what is attached by then is all. */
int probes_attach(struct probes *p, bool (*is_over)(void), struct err *err);

/* Since the start, over all CPUs; *missed: what the kernel skipped, UINT64_MAX: not counted. */
int probes_count(struct probes *p, u32 index, struct probe_count *sum, u64 *missed,
		 struct err *err);

/* Each spec's counters into counts[] (shown and late are the caller's), their sums into the
 * ledger. */
int probes_ledger(struct probes *p, struct event_probe *counts, struct ledger *l, struct err *err);
/* In words, on stderr: what was lost, spec by spec. */
void probes_say_ledger(const struct event_probe *counts, size_t n);

/* Nanoseconds that the programs have run; needs prog_stats_enable(). */
u64 probes_run_ns(const struct probes *p);

/* May the group's programs sleep?  At user sites that read user memory and take no stacks. */
bool probes_may_sleep(const struct probe *probe, const struct probe_group *g);

/* Text of --dump=ast|types|bpf and of --dry-run. */
int probes_dump(struct probes *p, const char *what, struct str *out, struct err *err);
void probes_print_plan(struct probes *p, struct str *out);

/* What hot or many sites cost, said before attaching (language.md 9). */
void probes_warn(const struct probes *p);

void probes_disable(struct probes *p);
void probes_release(struct probes *p);

#endif
