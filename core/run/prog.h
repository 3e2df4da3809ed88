/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between a skeleton and libbpf: its log kept for when it is needed, BTF from a file, failures
 * turned into sentences.  The one place that knows what an errno of bpf(2) means to a person.
 */
#ifndef RUN_PROG_H
#define RUN_PROG_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/types.h"

/* Quiet libbpf and keep its last words.  Call once, before the first skeleton is opened. */
void prog_setup(void);

/* Options for SKEL__open_opts of a skeleton's object (SKEL__elf_bytes): `btf_path` (--btf) or the
 * environment's BPERF_BTF or what it asks of the running kernel's own.  Fails when there is no BTF
 * at all.  They are good until the next call. */
int prog_open_opts(const char *btf_path, const void *object, size_t n,
		   struct bpf_object_open_opts *out, struct err *err);

/* After SKEL__load or a bpf_program__attach failed with `errnum` (positive): the reason, by
 * name, and what to do.  `doing` is "load" or "attach".  Returns -code. */
int prog_explain(int errnum, const char *doing, const char *what, struct err *err);

/* Does the kernel know atomics that return what was there (5.12)? */
bool prog_has_exchange(void);
/* May a program that calls functions of its own jump to another program?  x86-64: since 5.10,
 * arm64: since 6.0; and not where programs are interpreted. */
bool prog_has_tail_calls(void);
/* May programs at user functions sleep (6.0)? */
bool prog_has_sleep(void);

/* Memory of all maps of an object in KiB, as the kernel accounts it. */
u64 prog_map_kb(const struct bpf_object *obj);

/* Sum of runs and nanoseconds of all programs of an object; needs prog_stats_enable(). */
void prog_run_stats(const struct bpf_object *obj, u64 *runs, u64 *ns);

/* What the kernel counted as skipped for recursion, over all programs. */
u64 prog_recursion_misses(const struct bpf_object *obj);

/* Turn on the kernel's BPF run statistics while the returned descriptor is open (all BPF programs
 * on the host get slower by some 20 ns per run).  -code on failure. */
int prog_stats_enable(struct err *err);

#endif
