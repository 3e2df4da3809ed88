/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file opened by a process of ours that may hang, and handed over: paths below the root of a
 * stranger can lead to a server that never answers.
 */
#ifndef BASE_HANDOVER_H
#define BASE_HANDOVER_H

#include "base/str.h"

#define HANDOVER_MAX_BYTES 8192

/*
 * Run open(ctx, said) in a helper, which has our memory as it is now and none of our descriptors.
 * It returns a descriptor or -errno, and adds to `said` (HANDOVER_MAX_BYTES at most) what else we
 * have to know.  Returned is the same, with a descriptor of ours; -ETIMEDOUT when it has waited for
 * something for a second, or worked for ten: then it is killed, and not waited for.  Where no
 * helper can be started, we do it.
 */
int handover_open(int (*open)(void *ctx, struct str *said), void *ctx, struct str *said);

#endif
