/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and what they have mapped, from /proc/PID/maps or from mmap, fork, exec and exit
 * events, in whichever order these come.  A life is one process from fork to exit: an id that is
 * used again is another life.  Knows /proc; must not know symbols.
 */
#ifndef SYM_PROCESSES_H
#define SYM_PROCESSES_H

#include <sys/types.h>

#include "sym/mapped.h"
#include "sym/maps.h"

#define LIFE_BUCKETS 1024

struct life {
	u32 tgid;
	u32 serial;		/* unique: owns the locations that are in no file; 0: none yet */
	struct regions *now;	/* never NULL */
	struct regions *before; /* of the program before the last exec; NULL: none */
	bool is_read;		/* `now` has been read from /proc */
	bool is_whole;		/* `now` lacks nothing: read, or followed by events from exec on */
	bool has_execed, has_exited;
	bool is_looked;	 /* the fields down to uid are known */
	bool is_foreign; /* other mount namespace or root than ours */
	u64 ns, start_ticks;
	uid_t uid;
	u32 ns_tgid; /* its id in its innermost PID namespace; 0: not known */
	u64 exited_ns, read_again_ns, read_step_ns;
	u64 jit_read_ns; /* when its perf map was read last */
	bool has_map;	 /* there was one */
	bool has_warned; /* about a map that is not used */
	bool is_hung;	 /* reading it did not end */
	bool is_costly;	 /* its map costs more than one may: given up */
	bool was_sampled;
	u32 parent;	   /* serial of the life it was forked from; 0: not known */
	struct life *next; /* in the bucket */
};

struct processes {
	const char *proc_root;
	struct files *files;
	u64 own_ns;
	u32 epoch;		      /* how often files were numbered anew */
	bool is_code_replaced;	      /* other code has taken the place of some that was located */
	VEC(struct life *) by_serial; /* [serial - 1]; NULL: forgotten */
	struct life *buckets[LIFE_BUCKETS];
};

void processes_init(struct processes *p, const char *proc_root, struct files *files);
void processes_release(struct processes *p);

/* NULL when it was never heard of. */
struct life *processes_find(const struct processes *p, u32 tgid);
/* Its serial number, given at the first call. */
u32 processes_serial(struct processes *p, struct life *l);
/* NULL when it is forgotten. */
struct life *processes_by_serial(const struct processes *p, u32 serial);

void processes_mmap(struct processes *p, u32 tgid, const struct region *r);
void processes_fork(struct processes *p, u32 child_tgid, u32 parent_tgid);
void processes_exec(struct processes *p, u32 tgid);
void processes_exit(struct processes *p, u32 tgid, u64 now_ns);

/* The mapping that holds an address, or NULL; *life is set either way.  /proc is read at first
 * sight and, not too often, when no mapping is known to hold it. */
struct region *processes_locate(struct processes *p, u32 tgid, u64 addr, struct life **life);

/* Learn what /proc says of a life beside its mappings, once, while it lasts. */
void processes_look(const struct processes *p, struct life *l);

/* Forget lives that ended before a time and are not needed by `is_needed`. */
void processes_forget(struct processes *p, u64 ended_before_ns,
		      bool (*is_needed)(void *ctx, const struct life *life), void *ctx);

/* The news of an exit may have been lost: whoever is not there any more has exited. */
void processes_miss(struct processes *p, u64 now_ns);

#endif
