/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Format our own man pages as text, for hosts without man.  Supports only the macros of man(7) that
 * they use (TH SH SS PP TP IP RS RE nf fi EX EE br sp, and the font macros); unknown macros are
 * skipped.
 */
#ifndef OPT_ROFF_H
#define OPT_ROFF_H

#include "base/str.h"

/* `styled`: bold and underlined, by terminal sequences. */
void roff_render(struct view source, u32 width, bool styled, struct str *out);

#endif
