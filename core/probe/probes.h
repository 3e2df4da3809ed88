/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probes of trace, argdist and funccount, as the rooms of these commands use them: specs are
 * added, the values of each group are set, and what the programs counted is read.  probe/run.h has
 * the run around that; the steps between are private (probe/probes_int.h).
 *
 * A group is a set of sites that one program can serve.  struct probes owns everything.
 */
#ifndef PROBE_PROBES_H
#define PROBE_PROBES_H

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
#include "stack/unwinding.h"
#include "syntax/spec.h"

/* One site pattern of a spec: the spec's only one, or one of the starts and ends of its span. */
struct probe_part {
	const struct probe_spec *spec;
	const char *name; /* its site pattern as typed */
	struct ast_signature sig;
	struct probe_plan *plan;
	struct probe_plan entries; /* the entries for a plan of returns, if they are needed */
	bool has_entries;
	bool is_start;
	bool is_update; /* a start that replaces values of open spans, and opens none */
	bool can_share; /* one program can serve all sites of the plan */
	u32 first;	/* number of its first site among the probe's */
	u32 call_index; /* index of its calls, if has_entries */
	struct attach *attach, *at_entry;
};

struct probe_group {
	struct probe_part *part;
	struct scope *scope;	      /* allocated in the arena, together with scope->entry */
	VEC(u32) sites;		      /* numbers among the probe's sites */
	const struct tree *predicate; /* NULL: always */
	const struct tree **values;   /* the values that the command computes */
	const char **names;	      /* names of the values */
	u32 n_values;
	const struct tree **span_key; /* key of a span's starts and ends; NULL: the thread */
	u32 n_span_key;
	const struct tree *when; /* at ends of a span: the end's own predicate */
	struct gen_plan gen;	 /* the command sets `work`; probes_load sets the rest */
	struct gen_plan entry;	 /* at entries: the values that the returns' program needs */
	bool has_entry;
	/* The program is tail-called by a dispatcher, and not attached itself (dispatch.h). */
	bool is_dispatched, entry_is_dispatched;
	bool entry_is_shared; /* the dispatcher does the entry's work: it is not loaded */
	bool may_sleep;	      /* it reads user memory, which a sleepable program can page in */
	struct insns code, entry_code;
	int prog_fd, entry_fd, sites_fd; /* -1: none */
};

struct probe {
	u32 index;
	bool is_disabled;
	bool is_column;	   /* fills a further column of a table, at the sites of the probe before */
	u64 missed_at_end; /* probe_count's missed when it was disabled */
	const char *name;  /* the site pattern as typed */
	struct probe_spec spec;
	struct probe_plan plan;		  /* a span: names of its ends; its parts are attached */
	VEC(struct probe_part *) parts;	  /* one part; a span has its starts, then its ends */
	struct format format;		  /* trace: when spec.has_format */
	VEC(struct probe_group *) groups; /* the groups that produce events */

	/* Groups of a span's starts. */
	VEC(struct probe_group *) start_groups;
	struct scope_starts
		starts; /* the values that ends need from starts, in the order of start_groups */
	int span_fd;	/* the map of open spans; -1: none */
	int bins_fd;	/* and the bins before it; -1: none */
	int exit_fd, exit_link_fd; /* program and link that drop spans of ended threads; -1: none */
};

#define SPANS_DEFAULT 65536
#define SPANS_MAX     16000000

/* Above this many CPUs each CPU has its own ring, because a ring has a single lock. */
#define PROBES_ONE_RING_CPUS 16

struct probes_opts {
	const char *btf;       /* --btf */
	const char *method;    /* --attach; NULL: choose */
	u32 tgid;	       /* -p: the process in whose files names are looked up; 0: bperf */
	const char *target;    /* target_option(): the first filter; NULL: none */
	u32 string_size;       /* -Z */
	u32 key_string_size;   /* the same for keys */
	bool binary_compare;   /* -B */
	bool wants_types;      /* that of plan_opts */
	bool wants_kstack;     /* that of plan_opts */
	bool wants_tables;     /* walk user stacks by unwind tables */
	bool is_offline;       /* --dump: nothing will be loaded, do not ask the kernel */
	u64 ring_bytes;	       /* size of each ring; a power of two */
	u32 max_spans;	       /* open spans, for each span probe; 0: SPANS_DEFAULT */
	u32 program_tgid;      /* the program that bperf starts and holds; 0: none */
	struct filter *filter; /* wants_moved is set by us; otherwise only read */
	const struct u32_list *cpus;
};

struct probes {
	struct probes_opts opts;
	struct arena arena;
	struct types types;
	struct kernel *kernel;
	struct plan_ability can;
	enum attach_method method;
	struct reach reach; /* the processes whose user code is probed, as in opts.filter */
	u64 n_moved;	    /* filter_n_moved when it was last checked */
	u64 n_joined;	    /* the same for filter_n_joined */
	u64 next_look_ns;   /* when to check the first threads of the processes again */
	bool has_gap;	    /* an unknown number of its hits may be missing */
	VEC(struct probe *) v;
	struct probe_bpf *skel;
	struct bpf_object *obj; /* the skeleton's object */
	int counts_fd;		/* its map probe_counts: struct probe_count by index */
	int window_fd;		/* map of bpf/abi/window.h; 0: none */
	int windows_fd;		/* a map of maps that contains it (probes_next_window); 0: none */
	u32 *window;		/* the window word, mapped */
	struct fixed_code fixed;
	bool has_exchange;
	bool has_cpu_stacks;
	bool has_calls;	     /* some return needs its entry */
	bool has_kept_texts; /* some entry keeps a string that is kept apart (bpf/abi/keytext.h) */
	bool has_tables;     /* user stacks are walked by unwind tables: unwinding_begin() */
	VEC(struct dispatcher *) dispatchers;
	VEC(struct probe *)
	call_owners; /* probes of the call indices after the probes' own: parts of spans */
	u32 n_rings; /* 0: a single one, the map `events` */
	VEC(int) rings;
};

/* ---- specs and expressions ---- */

/* Parse a spec, "word", and add it. */
int probes_add(struct probes *p, const char *word, enum spec_form form,
	       const struct spec_opts *opts, struct err *err);

/* The group whose program serves this site of the plan. */
struct probe_group *probe_group_of(const struct probe *probe, u32 site);

/* Check the predicate of a probe for a group. */
int probes_check_predicate(struct probes *p, struct probe *probe, struct probe_group *g,
			   struct err *err);
/* Check one expression, the user's or one of bperf's own, for a group. */
int probes_compile(struct probes *p, const struct text *t, struct text_range where,
		   struct probe_group *g, enum check_as as, const struct tree **out,
		   struct err *err);

/* May the group's programs sleep?  At user sites that read user memory and record no stacks. */
bool probes_may_sleep(const struct probe_group *g);

/* Does the group read a process's memory at the entry of a system call, where it cannot be paged
 * in? */
bool probes_reads_unpaged(const struct probe_group *g);

/* ---- while programs run ---- */

/* While the reader polls the rings often enough, records need not wake it. */
void probes_set_polling(struct probes *p, bool is_polling);

/* Stacks whose frames are sent only once: the generation of their ids, and the map of those
 * sent. */
u32 *probes_stack_generation(const struct probes *p);
int probes_stacks_sent_fd(const struct probes *p);
/* A part of a key: strings that may be long get a type that keeps them apart. */
const struct tree *probe_key_part(const struct types *types, const struct tree *t);
/* The tables of bpf/abi/keytext.h, by number; NULL: there are no more, or no key needs them. */
const struct bpf_map *probes_key_texts(const struct probes *p, u32 i);
int probes_key_texts_known_fd(const struct probes *p);

/* Switch events to the other half of each table of cells.  Returns the half used before, once all
 * programs that began earlier have ended (except sleepable ones: probes_may_sleep). */
u32 probes_next_window(struct probes *p);
/* The half that events go to now. */
u32 probes_window(const struct probes *p);

/* Counts since the start, summed over all CPUs; *missed: hits that the kernel skipped at the
 * probe's own programs (without dispatchers: dispatch_missed), UINT64_MAX: unknown. */
int probes_count(struct probes *p, u32 index, struct probe_count *sum, u64 *missed,
		 struct err *err);

/* ---- walks ---- */

/* Site number i of a group. */
static inline const struct site *group_site(const struct probe_group *g, size_t i)
{
	return &g->part->plan->sites.items[g->sites.items[i] - g->part->first];
}

/* Each is a single loop, so that break and continue work as usual. */
#define probe_for_each(var, p)                             \
	for (struct probe **var##_at = (p)->v.items, *var; \
	     var##_at && var##_at < (p)->v.items + (p)->v.n && (var = *var##_at); var##_at++)

#define part_for_each(var, of)                                                              \
	for (struct probe_part **var##_at = (of)->parts.items, *var;                        \
	     var##_at && var##_at < (of)->parts.items + (of)->parts.n && (var = *var##_at); \
	     var##_at++)

/* The first group, and the next one: a span's starts, then the others.  NULL: there is none. */
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

/* Includes groups of a span's starts. */
#define group_for_each(var, of)                                           \
	for (struct probe_group **var##_at = probe_group_first(of), *var; \
	     var##_at && (var = *var##_at); var##_at = probe_group_after(of, var##_at))

#endif
