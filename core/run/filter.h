/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translates the user's targets (opt/target.h) into the form that the kernel side tests
 * (bpf/filter.bpf.h).  Order of use: filter_build, filter_prepare (before load), filter_fill (after
 * load).
 */
#ifndef RUN_FILTER_H
#define RUN_FILTER_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "bpf/abi/filter.h"
#include "opt/target.h"

struct filter_entry {
	u64 id;
	u32 bits; /* enum filter_bits */
};

struct filter_list {
	VEC(struct filter_entry) v;
};

struct filter {
	struct filter_conf conf; /* goes to rodata */
	struct filter_comm comm; /* goes to rodata */
	struct filter_list tgids, tids, uids, cgroups;
	VEC(u32) named;		  /* processes given by number, and those of given threads */
	VEC(char *) cgroup_paths; /* --cgroup and --container, as absolute paths */
	const char *cgroupmap, *mntnsmap; /* pinned maps, borrowed */
	bool wants_moved; /* filter_take_moved() is used; set before filter_prepare */
	struct str json;  /* the filter, for JSON's meta record */
};

/* Check and translate the target.  Fails with ERR_NOTARGET if a process does not exist. */
int filter_build(struct filter *f, const struct target *t, struct err *err);

/* Size the maps, and switch off unneeded programs.  The caller copies conf and comm into its
 * skeleton's rodata. */
int filter_prepare(const struct filter *f, struct bpf_object *obj, struct err *err);

/* Fill the maps. */
int filter_fill(const struct filter *f, struct bpf_object *obj, struct err *err);

/* Watch one more process and, with conf.follow, its children: the program that bperf starts. */
int filter_add_process(const struct filter *f, struct bpf_object *obj, u32 tgid, struct err *err);

/* With --follow: add the existing descendants of the named processes.  Call it once the fork hook
 * is attached, so that none is missed in between. */
int filter_add_descendants(const struct filter *f, struct bpf_object *obj, struct err *err);

/* true if only named processes (and, with conf.follow, their children) pass. */
bool filter_is_of_processes(const struct filter *f);

struct filter_numbers {
	VEC(u32) v;
};

/* Before load: the processes given by number, and with --follow their present descendants. */
void filter_named_now(const struct filter *f, struct filter_numbers *out);

/* The processes that the filter now accepts by number, including those that --follow has added. */
int filter_watched(const struct bpf_object *obj, struct filter_numbers *out, struct err *err);

/* The processes among them that have called exec since the last call of this, and so lost their
 * probes (filter_on_exec).  The object's filter_n_moved counts such execs. */
int filter_take_moved(const struct bpf_object *obj, struct filter_numbers *out, struct err *err);

/*
 * Before filter_prepare: list the processes that are in the cgroups now, and have the kernel side
 * list their children, because probes in user code are attached by process (site/reach.h).  The
 * cgroup still decides which tasks pass.  The object's filter_n_joined counts how often a process
 * that is not listed entered one of the cgroups.  false: not all processes are known, and probes
 * must not be attached by process.
 */
bool filter_list_members(struct filter *f);
/* Append the processes in the cgroups that are not listed yet. */
void filter_new_members(const struct filter *f, const struct bpf_object *obj,
			struct filter_numbers *out);

void filter_release(struct filter *f);

#endif
