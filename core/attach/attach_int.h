/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files of core/attach only: struct attach and the methods. */
#ifndef ATTACH_ATTACH_INT_H
#define ATTACH_ATTACH_INT_H

#include "attach/attach.h"

#define TRACE_KPROBE_MULTI 42 /* BPF_TRACE_KPROBE_MULTI, since 5.18 */
#define TRACE_UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI, since 6.6 */

/* BPF_LINK_CREATE as in 6.6: older headers lack uprobe_multi. */
struct link_attr {
	u32 prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			u32 flags, cnt;
			u64 syms, addrs, cookies;
		} kprobe;
		struct {
			u64 path, offsets, ref_ctr_offsets, cookies;
			u32 cnt, flags, pid;
		} uprobe;
	};
};

/* The link's descriptor, or -errno. */
int link_create(const struct link_attr *attr);

/* An event in tracefs that we created. */
struct made_event {
	bool is_uprobe;
	char *name; /* "bperf_123/e0"; owned */
	u32 id;	    /* the tracepoint's; 0: not attached */
};

struct attach {
	enum attach_method method;
	bool counts_missed;
	int refused_errnum; /* why the first site was left out; 0: none was */
	u64 link_missed;    /* sum over closed links */
	VEC(int) links;	    /* closing one stops its program at once */
	VEC(u32) owners;    /* uprobe.multi: the process of each link, as multi.tgid */
	VEC(int) events;    /* perf events: closing one waits for a grace period */
	VEC(struct made_event) made;
	VEC(int) progs; /* to read their recursion_misses */
};

/* State while the groups of a plan are attached. */
struct attaching {
	struct attach *a;
	struct probe_plan *plan;
	const struct attach_group *group;
	const struct plan_ability *can;
	bool (*progress)(void *ctx, u64 done, u64 all);
	void *ctx;
	u64 done, all;
	bool is_stopped; /* progress returned false */
	struct err *err;
};

static inline const struct site *attaching_site(const struct attaching *t, u32 i)
{
	return &t->plan->sites.items[t->group->sites[i]];
}

/* Report `n` more sites as done.  False: leave out the others. */
bool attaching_step(struct attaching *t, u64 n);

/* The kernel refused a site (errnum): count it if it is from a pattern, otherwise set the error.
 * 0 or -code. */
int attaching_refused(struct attaching *t, const struct site *s, int errnum);

/* Set the error that makes attaching fail, naming one site.  Returns -code. */
int attaching_error(struct err *err, const char *name, int errnum);
bool attaching_is_permission(int errnum);

static inline bool site_is_return(const struct site *s)
{
	return site_kind_is_function_return(s->kind);
}

/* The methods: each attaches all sites of the group. */
int attach_raw(struct attaching *t);	      /* attach.c */
int attach_fentry(struct attaching *t);	      /* attach.c */
int attach_kprobe_multi(struct attaching *t); /* multi.c */
int attach_uprobe_multi(struct attaching *t);
/* Close the links of a PID: an old link would also run in a new process with the same PID, in
 * addition to that process's own link (6.18). */
void attach_multi_drop(struct attach *a, u32 tgid);
int attach_tracepoints(struct attaching *t); /* perf.c */
int attach_syscall_events(struct attaching *t);
int attach_kprobes(struct attaching *t);
int attach_uprobes(struct attaching *t);
int attach_perf(struct attaching *t);
int attach_kprobe_event(struct attaching *t); /* event.c */
int attach_uprobe_event(struct attaching *t);
/* Open the events that exist in the processes of plan->reach. */
int attach_event_more(struct attaching *t);

/* Open a perf event on the tracepoint `id` and attach the group's program.  0 or -errno. */
int attach_perf_tracepoint(struct attaching *t, u32 id, u64 cookie);

/* The same for some processes only: attach_perf_program() attaches the program to an event on our
 * own thread.  The program then runs in each process of plan->reach, for which attach_perf_reach()
 * opens events of that id.  Processes that have ended are left out.  0 or -errno. */
int attach_perf_program(struct attaching *t, u32 id);
int attach_perf_reach(struct attaching *t, u32 id);

/* The name of the group of our events in tracefs, which identifies the process that owns them
 * (owner.c).  attach_owner_is_dead() is false for groups that are not bperf's, and for those of
 * other PID namespaces, where we can't tell. */
#define ATTACH_GROUP_BYTES 64
void attach_owner_name(char *to, size_t size);
bool attach_owner_is_dead(struct view group);

void made_event_remove(const struct made_event *e);

#endif
