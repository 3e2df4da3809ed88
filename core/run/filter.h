/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From what the user asked for (opt/target.h) to what the kernel tests (bpf/filter.bpf.h).
 * Order of use: filter_build, filter_prepare (before load), filter_fill (after load).
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
	VEC(u32) named; /* processes that are named by number, or have a thread that is */
	const char *cgroupmap, *mntnsmap; /* pinned maps, borrowed */
	bool wants_moved; /* filter_take_moved() will be asked; before filter_prepare */
	struct str json;  /* the filter for the meta record */
};

/* Check and translate.  A process that does not exist is ERR_NOTARGET. */
int filter_build(struct filter *f, const struct target *t, struct err *err);

/* Size the maps, switch off programs that nothing needs.  The caller copies conf and comm into
 * its skeleton's rodata. */
int filter_prepare(const struct filter *f, struct bpf_object *obj, struct err *err);

/* Put the lists into the maps. */
int filter_fill(const struct filter *f, struct bpf_object *obj, struct err *err);

/* Watch one more process and, with conf.follow, its children: the program we start. */
int filter_add_process(const struct filter *f, struct bpf_object *obj, u32 tgid, struct err *err);

/* With --follow: add the descendants that the named processes have by now.  Called once the fork
 * hook is attached, so that none slips through between. */
int filter_add_descendants(const struct filter *f, struct bpf_object *obj, struct err *err);

/* Nobody passes but the named processes (and, with conf.follow, their children)? */
bool filter_is_of_processes(const struct filter *f);

/* Has the process replaced itself from another thread than its first, since this was asked last?
 * The object's filter_n_moved counts those of all. */
bool filter_take_moved(struct bpf_object *obj, u32 tgid);

void filter_release(struct filter *f);

#endif
