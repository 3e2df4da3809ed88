/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what stands in parentheses behind a site a list of parameters or a predicate? */
#ifndef SYNTAX_SIGNATURE_H
#define SYNTAX_SIGNATURE_H

#include "base/types.h"
#include "base/view.h"

/*
 * By its shape: "(struct sock *sk, int n)" declares, "(arg3 > 20000)" doesn't.  bcc asks only
 * whether a blank stands before it; that decides where the shape doesn't: "a *b" is a declaration
 * when it touches the name.
 */
bool signature_looks_like(struct view text, bool touches);

#endif
