/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The filter options that all commands share, as typed.  run/filter.c turns them into kernel maps.
 */
#ifndef OPT_TARGET_H
#define OPT_TARGET_H

#include "opt/opt.h"

/* Ascending, without duplicates. */
struct u32_list {
	VEC(u32) v;
};

struct target {
	struct u32_list pids, tids; /* in our own PID namespace */
	struct u32_list not_pids;
	struct opt_strings cgroups, not_cgroups; /* paths, globs or container ids */
	struct opt_strings comms, not_comms;	 /* globs, matched against the 15 bytes of comm */
	struct u32_list uids, not_uids;
	struct u32_list cpus;		  /* empty: all */
	const char *cgroupmap, *mntnsmap; /* pinned BPF maps of ids, in the format of bcc's tools */
	bool follow;			  /* include children of --pid */
	bool include_self;		  /* --self */
	bool as_root;	/* under sudo, run the program as root and not as the invoking user */
	char **program; /* after "--": NULL-terminated argv, NULL: none */
};

/*
 * Rows for OPT_INCLUDE: only long names.  A command adds bcc's letters: OPT_LETTER('p', "pid"),
 * OPT_LETTER('L', "tid"), OPT_LETTER('t', "tid").
 */
extern const struct opt target_opts[];

/* Check combinations of options, such as --follow without --pid.  Takes over rest->program. */
int target_check(struct target *t, const struct opt_rest *rest, struct err *err);

/* OPT_CALL parsers for lists in a command's own rows: parse "1,2,10-12" and add the numbers to a
 * u32_list.  Users can be names; CPUs can be "all" or bcc's -1. */
int target_parse_pids(void *field, const char *text, struct err *err);
int target_parse_cpus(void *field, const char *text, struct err *err);
int target_parse_uids(void *field, const char *text, struct err *err);

/* The first option that chooses tasks: "-p", "--comm"; NULL: none was given. */
const char *target_option(const struct target *t);

void target_release(struct target *t);

#endif
