/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and their mappings, from /proc/PID/maps or from mmap, fork, exec and exit events, in
 * any order.  A life is one process from fork to exit: a reused id is another life.  Knows /proc;
 * must not know symbols.
 */
#ifndef SYM_PROCESSES_H
#define SYM_PROCESSES_H

#include <sys/types.h>

#include "sym/mapped.h"
#include "sym/maps.h"

#define LIFE_BUCKETS 1024

struct life {
	u32 tgid;
	u32 serial; /* unique; owns the locations that are in no file; 0: not assigned yet */
	struct regions *now;	/* never NULL */
	struct regions *before; /* mappings of the program before the last exec; NULL: none */
	bool is_read;		/* `now` has been read from /proc */
	bool is_whole;		/* `now` is complete: read, or followed by events since exec */
	bool has_execed, has_exited;
	bool is_looked;	 /* the fields from here to ns_tgid are known */
	bool is_foreign; /* in another mount namespace or root than ours */
	u64 ns, start_ticks;
	uid_t uid;
	u32 ns_tgid; /* id in its innermost PID namespace; 0: not known */
	u64 exited_ns, read_again_ns, read_step_ns;
	u64 jit_read_ns;  /* when its perf map was last read */
	bool has_map;	  /* it had a perf map */
	bool has_warned;  /* a warning about an unusable map was printed */
	bool has_refused; /* it did not write a map when it was asked */
	bool is_hung;	  /* reading the map hung */
	bool is_costly;	  /* given up: its map costs more than one process may */
	bool was_sampled;
	u32 parent;  /* serial of its parent's life; 0: not known */
	u64 version; /* changes with `now`; lives have different versions, unless they share `now`
		      */
	struct life *next; /* next in the bucket */
};

struct processes {
	const char *proc_root;
	struct files *files;
	u64 own_ns;
	u32 epoch;		      /* how often files were renumbered */
	u64 n_changes;		      /* changes of mappings so far, in all lives */
	bool is_code_replaced;	      /* located code was replaced by other code */
	VEC(struct life *) by_serial; /* [serial - 1]; NULL: forgotten */
	struct life *buckets[LIFE_BUCKETS];
};

void processes_init(struct processes *p, const char *proc_root, struct files *files);
void processes_release(struct processes *p);

/* NULL if the process is unknown.  Lives stay where they are until processes_forget(). */
struct life *processes_find(const struct processes *p, u32 tgid);
/* Its serial number, assigned at the first call. */
u32 processes_serial(struct processes *p, struct life *l);
/* NULL if it was forgotten. */
struct life *processes_by_serial(const struct processes *p, u32 serial);

/* Events of the side band, in any order (symbolizer_on_mmap() and others). */
void processes_mmap(struct processes *p, u32 tgid, const struct region *r);
void processes_fork(struct processes *p, u32 child_tgid, u32 parent_tgid);
void processes_exec(struct processes *p, u32 tgid);
void processes_exit(struct processes *p, u32 tgid, u64 now_ns);

/* The mapping that holds an address, or NULL; *life is set in both cases. /proc is read at the
 * first address and, at a limited rate, if no known mapping holds the address. */
struct region *processes_locate(struct processes *p, u32 tgid, u64 addr, struct life **life);

/* The process with its mappings, which are read from /proc unless they are known. */
struct life *processes_get(struct processes *p, u32 tgid);

/* Read the other facts about a life from /proc, apart from its mappings; once, while the process
 * exists. */
void processes_look(const struct processes *p, struct life *l);

/* true if this process is alive, not only a later one with its id. */
bool processes_is_alive(const struct processes *p, const struct life *l);

/* Forget lives that ended before this time, unless `is_needed` says otherwise. */
void processes_forget(struct processes *p, u64 ended_before_ns,
		      bool (*is_needed)(void *ctx, const struct life *life), void *ctx);

/* Exit events may have been lost: treat processes that no longer exist as exited. */
void processes_miss(struct processes *p, u64 now_ns);

#endif
