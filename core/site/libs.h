/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs and libraries by name: "c", "bash", "./a.out", "/usr/lib/libz.so.1", in our root or in a
 * process's root.  Knows the loader's cache and PATH; must not know symbols.
 */
#ifndef SITE_LIBS_H
#define SITE_LIBS_H

#include "site/plan.h"

/*
 * Find the file that a spec names.  The plan holds it open until it is released, so that programs
 * are attached to the file that was checked: open_path is a path to the descriptor.  tgid 0: in our
 * root.  Returns -ERR_NOTARGET if there is no such file, or none that can be probed here.
 */
int libs_find(struct kernel *k, u32 tgid, const char *name, struct probe_plan *plan,
	      struct site_file **out, struct err *err);

/* The library into which this one was merged: "pthread" is in "c" since glibc 2.34.  NULL if it was
 * not merged. */
const char *libs_heir(const char *name);

/* Is a file of this name the library with this prefix?  "libc.so.6", "libc-2.31.so" and
 * "libc.musl-x86_64.so.1" are "libc", "libcap.so.2" is not. */
bool libs_is_library(const char *base, const char *prefix);

#endif
