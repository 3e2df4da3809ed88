// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/peek.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "wait/guarded.h"

#define LIMIT_NS NS_PER_SEC

u32 peeks_add(struct peeks *p, u32 tgid, u32 tid, u64 at, u32 n)
{
	vec_push(&p->v, (struct peek){ .tgid = tgid,
				       .tid = tid,
				       .at = at,
				       .n = n < PEEK_BYTES ? n : PEEK_BYTES });
	return (u32)p->v.n;
}

static u32 process_of(void *ctx, u32 i)
{
	const struct peek *shared = ctx;

	return shared[i].tgid;
}

/* Runs in a helper. */
static void read_piece(void *ctx, u32 i)
{
	struct peek *piece = (struct peek *)ctx + i;
	struct iovec to = { piece->bytes, piece->n };
	struct iovec from = { (void *)(uintptr_t)piece->at, piece->n };

	if (process_vm_readv((pid_t)piece->tid, &to, 1, &from, 1, 0) == (ssize_t)piece->n)
		__atomic_store_n(&piece->n_got, piece->n, __ATOMIC_RELEASE);
	else
		piece->is_refused = errno == EPERM;
}

void peeks_read(struct peeks *p)
{
	size_t bytes = p->v.n * sizeof(*p->v.items);
	struct peek *shared;

	if (!bytes)
		return;
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return;
	memcpy(shared, p->v.items, bytes);
	/* If no helper can be started, it remains unknown what the threads wait for. */
	guarded_run(&(struct guarded){ .n = (u32)p->v.n,
				       .process_of = process_of,
				       .read = read_piece,
				       .ctx = shared,
				       .limit_ns = LIMIT_NS });
	memcpy(p->v.items, shared, bytes);
	munmap(shared, bytes);
}

u32 peeks_n_refused(const struct peeks *p)
{
	const struct peek *piece;
	u32 n = 0, last = 0;

	vec_for_each(piece, &p->v) {
		if (!piece->is_refused || piece->tid == last)
			continue;
		last = piece->tid;
		n++;
	}
	return n;
}

const void *peeks_get(const struct peeks *p, u32 id)
{
	return id && p->v.items[id - 1].n_got ? p->v.items[id - 1].bytes : NULL;
}

void peeks_release(struct peeks *p)
{
	vec_release(&p->v);
}
