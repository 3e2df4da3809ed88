/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The scope of a site: the names that expressions may use there, by kind of site and attach method.
 * Sites and expressions are connected only here.
 */
#ifndef SITE_SCOPE_H
#define SITE_SCOPE_H

#include "site/plan.h"
#include "type/scope.h"

/*
 * The scope of plan->sites[i].  `sig` is the user's signature over `t` (sig->at.n == 0: none); it
 * overrides BTF, which overrides plain registers.  For a return, out->entry is created too (in the
 * same arena; call scope_release for both).
 */
int site_scope(struct kernel *k, const struct probe_plan *plan, u32 i, struct types *types,
	       const struct text *t, const struct ast_signature *sig, struct scope *out,
	       struct err *err);

#endif
