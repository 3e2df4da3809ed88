// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

#define STACK_BYTES (256 << 10)

int thread_start(pthread_t *out, void *(*run)(void *ctx), void *ctx)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (!out)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = pthread_create(out ?: &thread, &attr, run, ctx);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -ret;
}
