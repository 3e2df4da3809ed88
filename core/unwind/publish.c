// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/publish.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/no_preempt.h"
#include "base/thread.h"

#define LOOK_AGAIN_NS (200 * 1000)
#define GIVE_UP_NS    NS_PER_SEC

/* Shared by the caller and the thread, which may still run when the caller has given up. */
struct publishing {
	int outer_fd, inner_fd; /* owned */
	u32 at;
	int error; /* errno of the call */
	int n_users;
};

static void put(struct publishing *p)
{
	if (__atomic_sub_fetch(&p->n_users, 1, __ATOMIC_ACQ_REL))
		return;
	close_p(&p->outer_fd);
	close_p(&p->inner_fd);
	free(p);
}

static int make_call(const struct publishing *p)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;

	no_preempt_begin(&guard);
	return bpf_map_update_elem(p->outer_fd, &p->at, &p->inner_fd, BPF_ANY) ? errno : 0;
}

static void *run_thread(void *ctx)
{
	struct publishing *p = ctx;

	__atomic_store_n(&p->error, make_call(p), __ATOMIC_RELEASE);
	put(p);
	return NULL;
}

static bool is_there(const struct publishing *p, u32 id)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;
	u32 there;

	no_preempt_begin(&guard);
	return !bpf_map_lookup_elem(p->outer_fd, &p->at, &there) && there == id;
}

/* Wait until the outer map contains the map with this id. */
static int wait_for(const struct publishing *p, u32 id)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	u64 until = now_ns() + GIVE_UP_NS;
	int error;

	for (;;) {
		if (is_there(p, id))
			return 0;
		error = __atomic_load_n(&p->error, __ATOMIC_ACQUIRE);
		if (error)
			return -error;
		if (now_ns() > until)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
}

int publish_map(int outer_fd, u32 at, int inner_fd)
{
	struct bpf_map_info info = { 0 };
	u32 size = sizeof(info);
	struct publishing *p;
	int ret;

	if (bpf_obj_get_info_by_fd(inner_fd, &info, &size))
		return -errno;
	p = mem_alloc(1, sizeof(*p));
	*p = (struct publishing){
		.outer_fd = fcntl(outer_fd, F_DUPFD_CLOEXEC, 0),
		.inner_fd = fcntl(inner_fd, F_DUPFD_CLOEXEC, 0),
		.at = at,
		.n_users = 2,
	};
	if (thread_start(NULL, run_thread, p)) {
		p->n_users = 1;
		ret = -make_call(p);
	} else {
		ret = wait_for(p, info.id);
	}
	put(p);
	return ret;
}
