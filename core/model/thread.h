/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads at one moment: the rows of `bperf dump`. */
#ifndef MODEL_THREAD_H
#define MODEL_THREAD_H

#include "base/mem.h"
#include "base/types.h"

/* The other thread or process that a thread depends on. */
enum thread_role {
	THREAD_NOBODY,
	THREAD_OWNER,  /* has the lock */
	THREAD_PEER,   /* has the other end of the pipe or socket */
	THREAD_CHILD,  /* the child whose end is awaited */
	THREAD_JOINED, /* the thread whose end is awaited */
	THREAD_N_ROLES,
};

/* As in JSON; [THREAD_NOBODY] is NULL. */
extern const char *const thread_role_names[THREAD_N_ROLES];

struct thread_other {
	enum thread_role role;
	s64 pid, tid;	  /* tid -1: the whole process */
	const char *comm; /* NULL: not known */
	u32 n_more;	  /* further processes that have the role */
};

#define THREAD_AGE_UNKNOWN UINT64_MAX

struct thread_row {
	u32 stack; /* index into report.stacks */
	s64 pid, tid;
	const char *comm, *process; /* its own name, and that of the first thread */
	const char *state;	    /* "running", "waiting", "lock", "stopped", ... */
	char letter;		    /* as in ps: R S D T t I P */
	u64 age_ns;		    /* for how long it has been in it; THREAD_AGE_UNKNOWN */
	const char *object;	    /* waited for; NULL: nothing, or not known */
	struct thread_other other;
	/* By report_relate_threads(). */
	u32 owner;     /* index + 1 of the row that owns the lock; 0: none */
	u32 n_blocked; /* rows that wait for a lock that it owns */
	bool is_deadlocked;
};

struct report;

/* Find the owners of locks among the rows, and the circles of threads that wait for each other. */
void report_relate_threads(struct report *r);

/* Threads of one process that look the same to the reader: state, frames, and what they wait for
 * except for its address. */
struct thread_group {
	u32 first, n; /* in thread_groups.order */
	u64 youngest_ns, oldest_ns;
};

struct thread_groups {
	u32 *order; /* indexes of rows: by process, then those with work or trouble first */
	VEC(struct thread_group) v;
};

/* `by_thread`: each row is a group of its own. */
void report_group_threads(const struct report *r, bool by_thread, struct thread_groups *out);
void thread_groups_release(struct thread_groups *g);

#endif
