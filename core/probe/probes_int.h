/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From specs to attached programs and back, in the order in which probe/run.c calls:
 *
 *	probes_init                 facts about the host; the processes whose user code is probed
 *	probes_add                  a spec is parsed, for each word (probes.h)
 *	probes_plan                 sites are found, and grouped by their scopes
 *	  the command sets the values that each group computes
 *	probes_warn                 expensive probes are announced
 *	probes_load                 programs are compiled and verified
 *	probes_attach               programs are attached
 *	probes_attach_descendants   with --follow: in threads that were missed
 *	probes_begin                events count from here on
 *	  probes_reattach           at each tick
 *	probes_end                  events do not count any more
 *	probes_disable              programs are detached
 *	probes_ledger               what was counted, and what was lost
 *	probes_release
 */
#ifndef PROBE_PROBES_INT_H
#define PROBE_PROBES_INT_H

#include "probe/probes.h"

int probes_init(struct probes *p, const struct probes_opts *opts, struct err *err);
void probes_release(struct probes *p);
void probe_release(struct probe *probe);

/* ---- reach.c: the processes whose user code is probed ---- */

/* The kinds of the probes' sites, as bits by site_kind.  probes_are_user: are all of them in user
 * code? */
u32 probes_kinds(const struct probes *p);
bool probes_are_user(const struct probes *p);
/* Derive the processes from the filter. */
void probes_set_reach(struct probes *p);
/* Do the same for the processes in the filter's cgroups; they are listed only if user code is
 * probed. */
void probes_reach_members(struct probes *p);
/* Are all sites of a spec in user code? */
bool probe_is_in_user_code(const struct probe_spec *spec);
/* May a span that starts in one process end in another?  Then ends are probed in all processes: the
 * start decides whether the filter matches. */
bool probe_ends_elsewhere(const struct probe *probe);
/* Does any probe leave the code of other processes unchanged? */
bool probes_are_limited(const struct probes *p);
/* Does the filter reject anything?  `beyond_self`: apart from bperf itself. */
bool probes_has_filter(const struct probes *p, bool beyond_self);
/* Warn, in one sentence, that more processes get breakpoints than were requested. */
void probes_say_wide(const struct probes *p);

/* ---- object.c ---- */

/* The variant of the fixed functions, at least `level`, that has all that the code calls. */
u32 probes_level_of(const struct insns *code, u32 level);
/* Open, size and load the object with that variant; it is in *p then, also after an error. */
int probes_load_object(struct probes *p, u32 level, struct err *err);
void probes_release_object(struct probes *p);
/* The table of the values that entries keep. */
int probes_saved_fd(const struct probes *p);

/* ---- keytext.c ---- */

/* Strings that are parts of the key and nothing else are kept by the entry as such parts.  Call it
 * when all values are set; returns true if there are any. */
bool probes_keep_key_parts(struct probe_group *g);

/* ---- plan.c, group.c: sites and groups ---- */

int probes_plan(struct probes *p, struct err *err);
/* Group the sites of a probe that is not a span. */
int probes_plan_plain(struct probes *p, struct probe *probe, struct err *err);
/* Group the sites of one part. */
int probes_plan_part(struct probes *p, struct probe *probe, struct probe_part *part,
		     struct err *err);
/* Release the scope and that of its entry. */
void probes_release_scope(struct scope *scope);
/* The text of --dump=ast|types|bpf and of --dry-run. */
int probes_dump(struct probes *p, const char *what, struct str *out, struct err *err);
void probes_print_plan(struct probes *p, struct str *out);

/* ---- span.c: in the order of calls; for other probes, all but the first do nothing ---- */

/* Group the sites of a span's parts, together: the scopes of ends know the starts. */
int probes_plan_span(struct probes *p, struct probe *probe, struct err *err);
/* Call it when the ends' expressions are known: sets the values that starts save and ends read. */
void probes_bind_span(struct probes *p, struct probe *probe);
/* Create the map of open spans, before programs are loaded. */
int probes_make_span(const struct probes *p, struct probe *probe, struct err *err);
/* Attach the program that cleans up the map, after programs were attached. */
int probes_guard_span(const struct probes *p, struct probe *probe, struct err *err);
/* Must starts be attached before ends, so that the end runs first if both are at one site? */
bool probes_starts_first(const struct probe *probe);

/* ---- load.c ---- */

/* For a probe that is not a span: merge groups whose programs would be the same (share.c).  Their
 * plans are complete except for the guard and the way to find the site. */
void probes_share_programs(struct probe *probe);
/* A further column of a table's row: have the program of the first one fill it, if that is
 * possible. */
bool probes_share_row(struct probe *first, struct probe *column);
/* Release what is loaded for the probe, which keeps its name and its sites. */
void probe_release_work(struct probe *probe);
/* Close everything that was attached, at once or in the background. */
void probes_detach(struct probes *p);
int probes_load(struct probes *p, struct err *err);
/* The current values of filter_n_moved and filter_n_joined. */
u64 probes_n_moved(const struct probes *p);
u64 probes_n_joined(const struct probes *p);
/* The variables by which the kernel side learns of unwind tables. */
struct unwinding_kernel probes_unwinding(const struct probes *p);
/* Do BPF programs share a stack with others on their CPU (6.13)?  Returns false without BTF. */
bool probes_has_cpu_stacks(const struct probes *p);
/* Would that be wrong for the group's programs because threads are preempted inside them? */
bool probes_is_preempted(const struct probes *p, const struct probe_group *g);

/* ---- warn.c, live.c, follow.c: attaching ---- */

/* Warn about expensive probes before they are attached, one sentence for each part. */
void probes_warn(const struct probes *p);
/* Attach the hooks that clean up the tables. */
int probes_attach_hooks(struct probes *p, struct err *err);
/* is_over is called repeatedly: if it returns true, attaching stops. */
int probes_attach(struct probes *p, bool (*is_over)(void), struct err *err);
/* Attach the sites of plans with limited reach in further processes, or again in those that have
 * lost them.  A failure is a warning, and a gap. */
void probes_attach_more(struct probes *p, const struct reach *reach);
/* With --follow: attach in threads that were started before their parent thread was attached to. */
int probes_attach_descendants(struct probes *p, struct err *err);
/* Attach probes again in processes that have lost theirs. */
void probes_reattach(struct probes *p, u64 now);
/* Start, or stop, counting events at all probes at once. */
void probes_begin(struct probes *p);
void probes_end(struct probes *p);
void probes_disable(struct probes *p);

/* ---- ledger.c, live.c: what was counted ---- */

/* Copy each spec's counters to counts[] (the caller sets shown and late), and their sums to the
 * ledger. */
int probes_ledger(struct probes *p, struct event_probe *counts, struct ledger *l, struct err *err);
/* Join the columns of each table, which see the same events, into one.  Returns how many are left.
 */
size_t probes_join_columns(struct event_probe *counts, size_t n);
/* Print losses on stderr, spec by spec. */
void probes_say_ledger(const struct event_probe *counts, size_t n);

/* The run time of the programs while prog_stats_enable()'s descriptor was open. */
struct probes_runs {
	u64 ns;	     /* the programs themselves */
	u64 cost_ns; /* including an estimate of the kernel's path to them and back */
};
struct probes_runs probes_runs(const struct probes *p);

#endif
