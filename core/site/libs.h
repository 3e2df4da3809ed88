/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs and libraries by name: "c", "bash", "./a.out", "/usr/lib/libz.so.1", in our root or a
 * process's.  Knows the loader's cache and PATH; must not know symbols.
 */
#ifndef SITE_LIBS_H
#define SITE_LIBS_H

#include "site/plan.h"

/*
 * What the user's word names.  The file is held open by the plan until it is released, and what is
 * attached to is what was looked at: open_path is the descriptor's.  tgid 0: ours.  -ERR_NOTARGET
 * when there is none, or none that can be probed here.
 */
int libs_find(struct kernel *k, u32 tgid, const char *name, struct probe_plan *plan,
	      struct site_file **out, struct err *err);

/* A library that another one has swallowed: "pthread" is in "c" since glibc 2.34.  NULL: not so. */
const char *libs_heir(const char *name);

#endif
