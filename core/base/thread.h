/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads for work that would otherwise delay reading the rings.  Each thread owns the data it
 * works on until it ends, and shares nothing else.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* Start a thread that gets no signals: they must reach the thread that waits for them.  `out` NULL:
 * it is not joined.  Returns 0 or -errno. */
int thread_start(pthread_t *out, void *(*run)(void *ctx), void *ctx);

#endif
