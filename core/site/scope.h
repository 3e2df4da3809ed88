/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a site offers to expressions: its scope, by kind of site and attach method.  The one place
 * where sites and expressions meet.
 */
#ifndef SITE_SCOPE_H
#define SITE_SCOPE_H

#include "site/plan.h"
#include "type/scope.h"

/*
 * The scope of plan->sites[i].  `sig` is the user's signature over `t` (sig->at.n == 0: none); it
 * wins over BTF, which wins over registers alone.  For a return, out->entry is made too (the same
 * arena; scope_release both).
 */
int site_scope(struct kernel *k, const struct probe_plan *plan, u32 i, struct types *types,
	       const struct text *t, const struct ast_signature *sig, struct scope *out,
	       struct err *err);

#endif
