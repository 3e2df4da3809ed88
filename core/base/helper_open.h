/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open a file in a helper process and receive its descriptor: a path below another process's root
 * can lead to a file server that never answers.
 */
#ifndef BASE_HELPER_OPEN_H
#define BASE_HELPER_OPEN_H

#include "base/str.h"

#define HELPER_MAX_BYTES 8192

/*
 * Run open(ctx, said) in a helper, which has a copy of our memory and none of our descriptors.
 * open returns a descriptor or -errno, and appends further results to `said` (at most
 * HELPER_MAX_BYTES).  Returns the same, with the descriptor received from the helper; -ETIMEDOUT
 * after the helper was blocked for a second or ran for ten, and was killed.  If no helper can be
 * started, open is called directly.
 */
int helper_open(int (*open)(void *ctx, struct str *said), void *ctx, struct str *said);

#endif
