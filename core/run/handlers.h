/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes to programs of our objects while libbpf loads them: dead code is removed
 * (run/deadcode.h), large ones are loaded at the same time (run/parallel.h), and the attach targets
 * of typed programs (tp_btf, iter) are found without libbpf's own copy of the kernel's BTF. libbpf
 * would read and parse 5 MB (8 ms on the 6.18 test host) only to find their ids.
 */
#ifndef RUN_HANDLERS_H
#define RUN_HANDLERS_H

#include <bpf/libbpf.h>

#include "base/types.h"

/* From now on, for objects that are opened.  If `types_are_ours`, kernel_types_raw(NULL) has the
 * running kernel's types. */
void handlers_begin(bool types_are_ours);

/* Loads the programs of a skeleton: 0 or -errno. */
int handlers_load(struct bpf_object_skeleton *s);

/*
 * Detach its programs, the last one first.  Where two programs are attached to a tracepoint, as all
 * our objects do at sched_process_fork, the kernel waits for the end of an RCU grace period if the
 * first one is detached first: 8 to 15 ms on an idle host.  (tracepoint_remove_func() in
 * kernel/tracepoint.c, TP_TRANSITION_SYNC_N_2_1)
 */
void handlers_detach(struct bpf_object_skeleton *s);

/* For a handler of another section: remove the dead code of a program that is loaded by
 * handlers_load(). */
int handlers_prune(struct bpf_program *prog, struct bpf_prog_load_opts *opts);

#endif
