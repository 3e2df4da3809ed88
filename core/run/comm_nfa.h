/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compiles globs over comm (`* ? [a-z] [!x] \c`) to the automaton of bpf/abi/filter.h. */
#ifndef RUN_COMM_NFA_H
#define RUN_COMM_NFA_H

#include "base/err.h"
#include "bpf/abi/filter.h"

struct commglob {
	struct filter_comm automaton;
	u32 bits; /* states used so far, of 64 */
};

/* Add a pattern; `is_wanted` false: an exclusion.  Fails with a usage error if it cannot be parsed,
 * or if all patterns together need more than 64 states. */
int commglob_add(struct commglob *g, const char *pattern, bool is_wanted, struct err *err);

/* Does what the kernel side does, for tests and for filtering in user space. */
bool commglob_wants(const struct commglob *g, bool has_wanted, const char *comm);

#endif
