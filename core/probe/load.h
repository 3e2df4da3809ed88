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
#ifndef PROBE_LOAD_H
#define PROBE_LOAD_H

#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "bpf/abi/event.h"
#include "bpf/abi/fixed.h"
#include "expr/check.h"
#include "expr/format.h"
#include "gen/program.h"
#include "model/event.h"
#include "model/ledger.h"
#include "probe/dispatch.h"
#include "probe/progload.h"
#include "run/filter.h"
#include "site/plan.h"
#include "site/scope.h"
#include "syntax/spec.h"

/* A site text of a spec: the spec's own, or one of the starts and ends of its span. */
struct probe_part {
	const struct probe_spec *spec;
	const char *name; /* its site as typed */
	struct ast_signature sig;
	struct probe_plan *plan;
	struct probe_plan entries; /* of a plan of returns whose entries are wanted */
	bool has_entries;
	bool is_start;
	bool can_share; /* a program can tell the sites of the plan apart */
	u32 first;	/* what its first site is numbered among the probe's */
	u32 call_index; /* of its calls, when has_entries */
	struct attach *attach, *at_entry;
};

struct probe_group {
	struct probe_part *part;
	struct scope *scope;	      /* lives in the arena, and with it scope->entry */
	VEC(u32) sites;		      /* numbers among the probe's */
	const struct tree *predicate; /* NULL: always */
	const struct tree **values;   /* what the command computes */
	const char **names;	      /* of the values */
	u32 n_values;
	const struct tree **span_key; /* of a span's starts and ends; NULL: the thread */
	u32 n_span_key;
	const struct tree *when; /* of a span's ends: the end's own predicate */
	struct gen_plan gen;	 /* the command sets the action; probes_load the rest */
	struct gen_plan entry;	 /* at entries: what the returns' program wants to know */
	bool has_entry;
	/* A dispatcher jumps to the program, which is attached nowhere (dispatch.h). */
	bool is_dispatched, entry_is_dispatched;
	bool may_sleep; /* user memory is read: a program that sleeps can have it paged in */
	struct insns code, entry_code;
	int prog_fd, entry_fd, sites_fd; /* -1: none */
};

struct probe {
	u32 index;
	bool is_disabled;
	u64 missed_at_end; /* probe_count's, when it was disabled */
	const char *name;  /* the site as typed */
	struct probe_spec spec;
	struct probe_plan plan; /* of a span: the names of its ends' sites, attached to by parts */
	VEC(struct probe_part *) parts;	  /* one; of a span its starts, then its ends */
	struct format format;		  /* trace: when spec.has_format */
	VEC(struct probe_group *) groups; /* where events are: what commands compute */

	/* A span's. */
	VEC(struct probe_group *) start_groups;
	struct scope_starts starts; /* what the ends want of them, in order of start_groups */
	int span_fd;		    /* the map of open spans; -1: none */
	int exit_fd, exit_link_fd;  /* what gives up those of ended threads; -1: none */
};

#define SPANS_DEFAULT 65536
#define SPANS_MAX     16000000

/* Above this many CPUs each has a ring of its own: one ring is one lock. */
#define PROBES_ONE_RING_CPUS 16

struct probes_opts {
	const char *btf;       /* --btf */
	const char *method;    /* --attach; NULL: choose */
	u32 tgid;	       /* -p: whose files names are looked up in; 0: ours */
	u32 string_size;       /* -Z */
	bool binary_compare;   /* -B */
	bool wants_types;      /* of sites: plan_opts */
	bool is_offline;       /* --dump: nothing will be loaded, ask the kernel for nothing */
	u64 ring_bytes;	       /* of each ring; a power of two */
	u32 max_spans;	       /* open at a time, of each span; 0: SPANS_DEFAULT */
	u32 program_tgid;      /* of the program that we start, which is held; 0: none */
	struct filter *filter; /* wants_moved is set; else read */
	const struct u32_list *cpus;
};

struct probes {
	struct probes_opts opts;
	struct arena arena;
	struct types types;
	struct kernel *kernel;
	struct plan_ability can;
	enum attach_method method;
	struct reach reach; /* whose user code is probed, as opts.filter has it */
	u64 n_moved;	    /* filter_n_moved, when it was looked at last */
	u64 next_look_ns;   /* at the first threads of the processes */
	bool has_gap;	    /* some of their hits may be missing, nobody knows how many */
	VEC(struct probe *) v;
	struct probe_bpf *skel;
	struct bpf_object *obj; /* skel's */
	int counts_fd;		/* its map probe_counts: struct probe_count by index */
	int window_fd;		/* of bpf/abi/window.h; 0: none */
	int windows_fd;		/* a map of maps that holds it (probes_next_window); 0: none */
	u32 *window;		/* its word, mapped */
	struct fixed_code fixed;
	bool has_exchange;
	bool has_cpu_stacks;
	bool has_calls; /* some return wants to know about its entry */
	VEC(struct dispatcher *) dispatchers;
	VEC(struct probe *) call_owners; /* of call indices after the probes': spans' parts */
	u32 n_rings;			 /* 0: one, the map `events` */
	VEC(int) rings;
};

int probes_init(struct probes *p, const struct probes_opts *opts, struct err *err);
int probes_add(struct probes *p, const char *word, enum spec_form form,
	       const struct spec_opts *opts, struct err *err);
/* Kinds of sites that they are of: bits by site_kind.  Are all of user code? */
u32 probes_kinds(const struct probes *p);
bool probes_are_user(const struct probes *p);

/* Whose user code is probed, from the filter (reach.c). */
void probes_set_reach(struct probes *p);
/* May a span that begins in a process end in another?  Then its ends are everybody's: it is the
 * start that decides whose span it is. */
bool probe_ends_elsewhere(const struct probe *probe);
/* Does some probe leave code of others as it is? */
bool probes_are_limited(const struct probes *p);
/* That more processes get breakpoints than were asked for, in one sentence for all. */
void probes_say_wide(const struct probes *p);

int probes_plan(struct probes *p, struct err *err);

/* The sites of a probe that is no span, to groups. */
int probes_plan_plain(struct probes *p, struct probe *probe, struct err *err);
/* The sites of a span's parts, joined: its scopes know their starts (span.c). */
int probes_plan_span(struct probes *p, struct probe *probe, struct err *err);
/* Sites of one part to groups (group.c). */
int probes_plan_part(struct probes *p, struct probe *probe, struct probe_part *part,
		     struct err *err);
/* Once the ends' expressions are known: what starts save, what ends find. */
void probes_bind_span(struct probes *p, struct probe *probe);
/* The map of open spans, before programs are loaded; once they are attached, what keeps it tidy
 * (nothing to do for other probes). */
int probes_make_span(const struct probes *p, struct probe *probe, struct err *err);
int probes_guard_span(const struct probes *p, struct probe *probe, struct err *err);
/* Must starts be attached before ends, so that where both are at one site the end runs first? */
bool probes_starts_first(const struct probe *probe);

/* A filter that lets everything through costs nothing.  `beyond_self`: not counting that we leave
 * ourselves out. */
bool probes_has_filter(const struct probes *p, bool beyond_self);

/* Of a probe that is no span: groups whose programs would be the same are one (share.c).
 * Their plans are complete but for the guard, and for how they know their site. */
void probes_share_programs(struct probe *probe);

/* With that of its entry. */
void probes_release_scope(struct scope *scope);

/* Whose program serves this site of the plan. */
struct probe_group *probe_group_of(const struct probe *probe, u32 site);

/* The predicate of a probe, checked for a group. */
int probes_check_predicate(struct probes *p, struct probe *probe, struct probe_group *g,
			   struct err *err);
/* One expression of our own or the user's for a group. */
int probes_compile(struct probes *p, const struct text *t, struct span where, struct probe_group *g,
		   enum check_as as, const struct tree **out, struct err *err);

int probes_load(struct probes *p, struct err *err);

/* filter_n_moved, as it is now. */
u64 probes_n_moved(const struct probes *p);

/* Records need not wake the reader of the rings: he comes by himself, soon (or: no more). */
void probes_reader_comes(struct probes *p, bool does_come);

/* Stacks whose frames are sent once: the generation of their ids, and the map of those sent. */
u32 *probes_stack_generation(const struct probes *p);
int probes_stacks_sent_fd(const struct probes *p);
/* The hooks that keep tables tidy. */
int probes_attach_hooks(struct probes *p, struct err *err);
/* is_over is asked from time to time: when it is true, what is attached by then is all. */
int probes_attach(struct probes *p, bool (*is_over)(void), struct err *err);

/* From time to time: processes whose probes the kernel has let go of get them again. */
void probes_follow(struct probes *p, u64 now);
/* Sites of the plans that are limited in reach, for a process that has lost them (live.c). */
void probes_attach_again(struct probes *p, u32 tgid);

/* All at once: from here on events count, and no longer. */
void probes_begin(struct probes *p);
void probes_end(struct probes *p);
/* Events go to the other half of each table of cells from here on.  Returns the one that they went
 * to, once no program is left that began before (but for those that sleep: probes_may_sleep). */
u32 probes_next_window(struct probes *p);
/* Which half they go to. */
u32 probes_window(const struct probes *p);

/* Since the start, over all CPUs; *missed: what the kernel skipped of the probe's own programs (and
 * not of dispatchers: dispatch_missed), UINT64_MAX: not counted. */
int probes_count(struct probes *p, u32 index, struct probe_count *sum, u64 *missed,
		 struct err *err);

/* Each spec's counters into counts[] (shown and late are the caller's), their sums into the
 * ledger. */
int probes_ledger(struct probes *p, struct event_probe *counts, struct ledger *l, struct err *err);
/* In words, on stderr: what was lost, spec by spec. */
void probes_say_ledger(const struct event_probe *counts, size_t n);

/* What the programs have taken while prog_stats_enable()'s descriptor was open. */
struct probes_runs {
	u64 ns;	     /* the programs themselves */
	u64 cost_ns; /* with the kernel's way to them and back, an estimate */
};
struct probes_runs probes_runs(const struct probes *p);

/* Has the kernel BPF programs share a stack with others of their CPU (6.13)?  False without BTF. */
bool probes_has_cpu_stacks(const struct probes *p);
/* Would that be wrong for the group's programs, since threads are preempted inside of them? */
bool probes_is_preempted(const struct probes *p, const struct probe_group *g);
/* May the group's programs sleep?  At user sites that read user memory and take no stacks. */
bool probes_may_sleep(const struct probe_group *g);

/* The site of a group: number i of its sites. */
static inline const struct site *group_site(const struct probe_group *g, size_t i)
{
	return &g->part->plan->sites.items[g->sites.items[i] - g->part->first];
}

/* One loop each: break and continue do what they say. */
#define probe_for_each(var, p)                             \
	for (struct probe **var##_at = (p)->v.items, *var; \
	     var##_at && var##_at < (p)->v.items + (p)->v.n && (var = *var##_at); var##_at++)

#define part_for_each(var, of)                                                              \
	for (struct probe_part **var##_at = (of)->parts.items, *var;                        \
	     var##_at && var##_at < (of)->parts.items + (of)->parts.n && (var = *var##_at); \
	     var##_at++)

/* The first group, and the one after that: a span's starts, then the others.  NULL: there is none.
 */
static inline struct probe_group **probe_group_first(const struct probe *of)
{
	return of->start_groups.n ? of->start_groups.items : of->groups.n ? of->groups.items : NULL;
}

static inline struct probe_group **probe_group_after(const struct probe *of,
						     struct probe_group **at)
{
	at++;
	if (of->start_groups.n && at == of->start_groups.items + of->start_groups.n)
		at = of->groups.items;
	return at && at == of->groups.items + of->groups.n ? NULL : at;
}

/* Those of a span's starts too. */
#define group_for_each(var, of)                                           \
	for (struct probe_group **var##_at = probe_group_first(of), *var; \
	     var##_at && (var = *var##_at); var##_at = probe_group_after(of, var##_at))

/* Text of --dump=ast|types|bpf and of --dry-run. */
int probes_dump(struct probes *p, const char *what, struct str *out, struct err *err);
void probes_print_plan(struct probes *p, struct str *out);

/* What will cost the host dearly, said before attaching, a sentence for each part (warn.c). */
void probes_warn(const struct probes *p);

void probes_disable(struct probes *p);
void probe_release(struct probe *probe);
void probes_release(struct probes *p);

#endif
