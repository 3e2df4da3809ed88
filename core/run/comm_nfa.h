/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Globs over comm (`* ? [a-z] [!x] \c`) to the automaton of bpf/abi/filter.h. */
#ifndef RUN_COMM_NFA_H
#define RUN_COMM_NFA_H

#include "base/err.h"
#include "bpf/abi/filter.h"

struct commglob {
	struct filter_comm automaton;
	u32 bits; /* states used so far, of 64 */
};

/* Add a pattern; `is_wanted` false: an exclusion.  A usage error when it can't be read, or when
 * all patterns together need more than 64 states. */
int commglob_add(struct commglob *g, const char *pattern, bool is_wanted, struct err *err);

/* What the kernel side does, for tests and for user-space filtering. */
bool commglob_wants(const struct commglob *g, bool has_wanted, const char *comm);

#endif
