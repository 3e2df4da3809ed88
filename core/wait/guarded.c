// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/guarded.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/subprocess.h"

/* A helper that makes no progress for this long is hung. */
#define STALL_NS (200 * NS_PER_MS)
#define POLL_MS	 5

struct run {
	const struct guarded *g;
	u32 *at; /* shared: the item that is being read; g->n: all are done */
	u32 from;
	VEC(u32) given_up; /* processes whose memory hangs */
};

static bool is_given_up(const struct run *r, u32 tgid)
{
	const u32 *t;

	vec_for_each(t, &r->given_up)
		if (*t == tgid)
			return true;
	return false;
}

/* Runs in the helper. */
static bool read_items(void *ctx, int out_fd, int held_fd)
{
	const struct run *r = ctx;
	const struct guarded *g = r->g;

	(void)out_fd;
	(void)held_fd;
	for (u32 i = r->from; i < g->n; i++) {
		__atomic_store_n(r->at, i, __ATOMIC_RELEASE);
		if (!is_given_up(r, g->process_of(g->ctx, i)))
			g->read(g->ctx, i);
	}
	__atomic_store_n(r->at, g->n, __ATOMIC_RELEASE);
	return true;
}

/* Wait until the helper has ended (true) or hangs (false). */
static bool wait_for(const struct run *r, const struct helper *h, u64 deadline)
{
	u64 moved = now_ns();
	u32 last = r->from;

	for (;;) {
		struct pollfd p = { .fd = h->fd, .events = POLLIN };
		u32 at = __atomic_load_n(r->at, __ATOMIC_ACQUIRE);
		u64 now = now_ns();

		if (at != last) {
			last = at;
			moved = now;
		}
		/* A runnable helper does not hang: it waits for a CPU. */
		if (now >= deadline || (now - moved >= STALL_NS && !helper_is_runnable(h)))
			return false;
		if (poll(&p, 1, POLL_MS) > 0)
			return true;
		if (r->g->meanwhile)
			r->g->meanwhile(r->g->ctx);
	}
}

static int run(struct run *r)
{
	const struct guarded *g = r->g;
	u64 deadline = now_ns() + g->limit_ns;

	while (r->from < g->n && now_ns() < deadline) {
		struct helper h;
		int ret;

		*r->at = r->from;
		ret = helper_start(&h, -1, read_items, r);
		if (ret)
			return ret;
		helper_end(&h, !wait_for(r, &h, deadline));
		r->from = __atomic_load_n(r->at, __ATOMIC_ACQUIRE);
		if (r->from < g->n)
			vec_push(&r->given_up, g->process_of(g->ctx, r->from));
	}
	return 0;
}

int guarded_run(const struct guarded *g)
{
	struct run r = { .g = g };
	int ret;

	r.at = mmap(NULL, sizeof(*r.at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.at == MAP_FAILED)
		return -errno;
	ret = run(&r);
	munmap(r.at, sizeof(*r.at));
	vec_release(&r.given_up);
	return ret;
}
