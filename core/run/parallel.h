/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads the large programs of an object at the same time as the others, each in a thread.  libbpf
 * loads one after the other, and the verifier takes half of the time in which a run starts; it
 * holds a lock only for unprivileged users (bpf_check() in kernel/bpf/verifier.c).
 *
 * libbpf 1.1 has no function for this.  It loads an empty program in place of each large one, whose
 * descriptor is then given the large one: what libbpf does with a program after loading, it does by
 * its descriptor.
 */
#ifndef RUN_PARALLEL_H
#define RUN_PARALLEL_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/types.h"

struct parallel; /* the programs of one object */

/* true if an object that is open has a large program to load. */
bool parallel_helps(const struct bpf_object *obj);

/* parallel_finish() frees it. */
struct parallel *parallel_new(void);

/* From libbpf's prepare_load handler: true if a thread, or this function if none
 * can start, loads the program with what is given in `opts`; libbpf's is now empty.  The records of
 * functions and lines (malloc) then belong to it. */
bool parallel_load(struct parallel *p, struct bpf_program *prog, struct bpf_prog_load_opts *opts);

/* After libbpf has loaded the object (`ret`): waits for the threads.  If a program was refused,
 * prints the verifier's log as libbpf does (messages_add_log).  Returns 0, `ret`, or -errno, and
 * frees `p`. */
int parallel_finish(struct parallel *p, int ret);

#endif
