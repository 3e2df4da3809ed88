/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The order of the names of one function: first the one by which programs most likely call it. */
#ifndef SYM_ALIASORDER_H
#define SYM_ALIASORDER_H

#include "base/view.h"

/*
 * Less than 0: `a` is before `b`.  The public name is before the internal one (read, __read), the
 * standard one before the one it replaced (strchr, index), the shorter one before the longer one
 * (strtol, strtoimax; lseek, lseek64), the one in small letters before the other (_exit, _Exit);
 * then alphabetical order, so that the choice does not depend on the order of the table.
 */
int alias_order(struct view a, struct view b);

#endif
