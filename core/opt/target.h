/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who to watch: the filter set that all commands share, as typed.  run/filter.c turns it into
 * kernel maps.
 */
#ifndef OPT_TARGET_H
#define OPT_TARGET_H

#include "opt/opt.h"

/* Ascending, each number once. */
struct u32_list {
	VEC(u32) v;
};

struct target {
	struct u32_list pids, tids; /* as seen in our own PID namespace */
	struct u32_list not_pids;
	struct opt_strings cgroups, not_cgroups; /* path, glob or container id */
	struct opt_strings comms, not_comms;	 /* globs over the 15 bytes of comm */
	struct u32_list uids, not_uids;
	struct u32_list cpus;		  /* empty: all */
	const char *cgroupmap, *mntnsmap; /* pinned BPF maps of ids, as bcc's tools take them */
	bool follow;			  /* children of --pid too */
	bool include_self;		  /* --self */
	bool as_root;			  /* run the program with our own identity under sudo */
	char **program;			  /* after "--": NULL-terminated argv, NULL: none */
};

/*
 * Rows for OPT_INCLUDE: long names only.  A command gives them bcc's letters with rows of its own:
 * OPT_LETTER('p', "pid"), OPT_LETTER('L', "tid"), OPT_LETTER('t', "tid").
 */
extern const struct opt target_opts[];

/* What no single row can see: --follow without --pid.  Takes over rest->program. */
int target_check(struct target *t, const struct opt_rest *rest, struct err *err);

/* OPT_CALL parsers for lists in a command's own rows: "1,2,10-12" into a u32_list, added to what is
 * there.  Users may be names, cpus may be "all" or bcc's -1. */
int target_parse_pids(void *field, const char *text, struct err *err);
int target_parse_cpus(void *field, const char *text, struct err *err);
int target_parse_uids(void *field, const char *text, struct err *err);

void target_release(struct target *t);

#endif
