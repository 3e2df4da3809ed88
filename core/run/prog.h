/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layer between a skeleton and libbpf: keeps libbpf's log until it is needed, reads BTF from a
 * file, and explains failures.  Only this file knows what an errno of bpf(2) means.
 */
#ifndef RUN_PROG_H
#define RUN_PROG_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/types.h"

/* Silence libbpf and keep its last messages.  Call once, before the first skeleton is opened. */
void prog_setup(void);

/* An object that the binary carries compressed (tests/tools/skel.awk). */
struct prog_packed {
	const unsigned char *gz, *end;
	void *object; /* NULL until it is used */
	size_t n;
};

/* The object and its size, valid until prog_drop_object(): libbpf needs none of its bytes once it
 * is open. */
const void *prog_unpack(struct prog_packed *p, size_t *n);
void prog_drop_object(void);

/*
 * Options for SKEL__open_opts.  BTF is read from `btf_path` (--btf) or the environment's BPERF_BTF;
 * otherwise, the parts of the running kernel's BTF that the object (SKEL__elf_bytes) needs are
 * used.  Fails if there is no BTF.  The options are valid until the next call.
 */
int prog_open_opts(const char *btf_path, const void *object, size_t n,
		   struct bpf_object_open_opts *out, struct err *err);

/* After SKEL__load or a bpf_program__attach failed with `errnum` (positive): set an error with the
 * reason by name and advice.  `doing` is "load" or "attach".  Returns -code. */
int prog_explain(int errnum, const char *doing, const char *what, struct err *err);

/* true if BPF has atomics that return the old value (5.12). */
bool prog_has_exchange(void);
/* true if a program that calls functions of its own can also do a tail call: x86-64 since 5.10,
 * arm64 since 6.0; not with the BPF interpreter. */
bool prog_has_tail_calls(void);
/* true if uprobe programs may sleep (6.0). */
bool prog_has_sleep(void);

/* Memory of all maps of an object in KiB, as the kernel accounts it. */
u64 prog_map_kb(const struct bpf_object *obj);

/* Sum of runs and nanoseconds of all programs of an object; needs prog_stats_enable(). */
void prog_run_stats(const struct bpf_object *obj, u64 *runs, u64 *ns);

/* Runs that the kernel skipped because of recursion, over all programs: also while a thread is
 * preempted in the program (7.0).  The two that follow children count as one. */
u64 prog_recursion_misses(const struct bpf_object *obj);

/* Upper bound of the number of children that are not followed, and whose descendants are not
 * followed either: the runs of both fork programs (bpf/filter.bpf.h) that the kernel skipped.  A
 * fork that one of them saw is not missed. */
u64 prog_missed_forks(const struct bpf_object *obj);

/* Turn on the kernel's BPF run statistics while the returned descriptor is open (every run of a BPF
 * program on the host takes some 20 ns longer).  Returns -code on failure. */
int prog_stats_enable(struct err *err);

#endif
