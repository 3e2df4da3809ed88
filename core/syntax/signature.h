/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decides whether the parentheses after a site hold parameters or a predicate. */
#ifndef SYNTAX_SIGNATURE_H
#define SYNTAX_SIGNATURE_H

#include "base/types.h"
#include "base/view.h"

/*
 * Decides by the shape of the text: "(struct sock *sk, int n)" is a declaration, "(arg3 > 20000)"
 * isn't.  If the shape is ambiguous, bcc's rule applies: "a *b" is a declaration if no blank
 * precedes the parenthesis (`touches`).
 */
bool signature_looks_like(struct view text, bool touches);

#endif
