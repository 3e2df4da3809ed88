/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses one alternative of a site into a pattern.  Only spec.c includes this. */
#ifndef SYNTAX_SPEC_SITE_H
#define SYNTAX_SPEC_SITE_H

#include "syntax/spec.h"

/* Read the site at `at`.  The results live in the arena, except the vectors. */
int site_pattern_parse(struct arena *a, const struct text *t, struct text_range at, bool is_regex,
		       struct site_pattern *out, struct err *err);
void site_pattern_release(struct site_pattern *p);

#endif
