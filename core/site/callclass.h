/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of system calls, as strace's -e writes them. */
#ifndef CMD_CALLCLASS_H
#define CMD_CALLCLASS_H

#include "base/err.h"
#include "base/str.h"

/* Is it one of strace's classes ("file", "%file")? */
bool callclass_is(struct view name);

/* Add a probe of the calls that the text names: "%file,futex"; with '!' before it, of all others.
 */
int callclass_add(const char *text, struct str *probe, struct err *err);

#endif
