// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/taskscan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "run/prog.h"
#include "wait/fpwalk.h"
#include "wait/guarded.h"
#include "wait/memwindow.h"

#define READ_BYTES 65536
#define MAX_BYTES  (1U << 30) /* pid_max is at most 4 million; a record has about 250 bytes */

/* The default limits of scan_opts. */
#define LIMIT_NS NS_PER_SEC
#define CFI_NS	 (400 * NS_PER_MS)

/* Frames of all threads: 256 MB of address space, of which only written pages take memory. */
#define MAX_FRAMES (32U << 20)

struct records {
	struct str text;
	VEC(struct scan_record *) v; /* pointers into text */
};

/* ---- the iterator ---- */

static int text_read(int fd, struct str *out)
{
	ssize_t n;

	for (;;) {
		n = read(fd, str_reserve(out, READ_BYTES), READ_BYTES);
		/* EAGAIN: the filter has skipped a million threads in a row. */
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		out->n += (size_t)n;
		if (out->n > MAX_BYTES)
			return -E2BIG;
	}
}

static void records_find(struct records *r, u32 more_bytes)
{
	char *p = r->text.p, *end = p + r->text.n;

	while ((size_t)(end - p) >= SCAN_HEADER_BYTES) {
		struct scan_record *rec = (void *)p;

		if (rec->bytes != SCAN_HEADER_BYTES + rec->n_kernel * sizeof(u64) + more_bytes ||
		    (size_t)(end - p) < rec->bytes)
			return;
		vec_push(&r->v, rec);
		p += rec->bytes;
	}
}

static int records_read(int link_fd, u32 more_bytes, struct records *r)
{
	_cleanup_(close_p) int fd = bpf_iter_create(link_fd);
	int ret;

	if (fd < 0)
		return -errno;
	ret = text_read(fd, &r->text);
	if (!ret && r->text.n)
		records_find(r, more_bytes);
	return ret;
}

static void records_release(struct records *r)
{
	vec_release(&r->v);
	str_release(&r->text);
}

/* ---- user stacks ---- */

/* The frames of one thread; `n` is written last. */
struct walked {
	u64 first; /* index into frames[] */
	u32 n;	   /* 0: not read */
	u32 end;   /* enum stack_end */
};

/* Memory shared with the helpers. */
struct shared {
	u64 n_frames;
	struct walked walked[];
};

struct walk {
	const struct records *records;
	const struct scan_opts *opts;
	struct shared *shared;
	u64 *frames; /* after shared->walked, in the same mapping */
	size_t bytes;
	u64 max_frames; /* size of frames */
	u32 per_thread;
	struct unwinder *unwinder; /* the helper has its own copy, from the time when it started */
	u64 cfi_until_ns;
};

static bool walk_init(struct walk *w, const struct records *r, const struct scan_opts *opts)
{
	u32 per_thread = opts->max_frames;
	size_t head = sizeof(struct shared) + r->v.n * sizeof(struct walked);
	void *p;

	head += -head % sizeof(u64);
	*w = (struct walk){ .records = r,
			    .opts = opts,
			    .per_thread = per_thread,
			    .unwinder = opts->unwinder,
			    .cfi_until_ns = now_ns() + (opts->cfi_ns ?: CFI_NS) };
	w->max_frames = r->v.n * (u64)per_thread;
	if (w->max_frames > MAX_FRAMES)
		w->max_frames = MAX_FRAMES;
	w->bytes = head + w->max_frames * sizeof(u64);
	p = mmap(NULL, w->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p == MAP_FAILED)
		return false;
	w->shared = p;
	w->frames = (void *)((char *)p + head);
	return true;
}

static void walk_release(struct walk *w)
{
	if (w->shared)
		munmap(w->shared, w->bytes);
}

static bool read_memory(void *ctx, u64 addr, void *out, size_t n)
{
	return !memwindow_read(ctx, addr, out, n);
}

/* Walk by call frame information, which is not read for 32-bit programs.  Returns the number of
 * frames, or 0 if it is not possible. */
static u32 walk_by_cfi(struct walk *w, const struct scan_record *rec, u64 *frames,
		       enum stack_end *end)
{
	const struct cfi_registers start = {
		.pc = rec->pc, .sp = rec->sp, .fp = rec->fp, .other = rec->other
	};
	struct memwindow memory = { .tid = rec->tid };
	u64 word;

	if (!w->unwinder || rec->word_bytes != 8 || now_ns() >= w->cfi_until_ns ||
	    memwindow_read(&memory, rec->sp, &word, sizeof(word)))
		return 0;
	return unwinder_walk(w->unwinder, rec->tgid, &start, read_memory, &memory, frames,
			     w->per_thread, end);
}

static u32 process_of(void *ctx, u32 i)
{
	const struct walk *w = ctx;

	return w->records->v.items[i]->tgid;
}

static void walk_thread(void *ctx, u32 i)
{
	struct walk *w = ctx;
	const struct scan_record *rec = w->records->v.items[i];
	struct walked *out = &w->shared->walked[i];
	const struct fpwalk start = {
		.tid = rec->tid,
		.pc = rec->pc,
		.sp = rec->sp,
		.fp = rec->fp,
		.word_bytes = rec->word_bytes,
	};
	enum stack_end end = STACK_END_UNKNOWN;
	int n;

	if (!rec->pc || (w->opts->skips && w->opts->skips(w->opts->ctx, rec)) ||
	    w->shared->n_frames + w->per_thread > w->max_frames)
		return;
	out->first = w->shared->n_frames;
	n = (int)walk_by_cfi(w, rec, w->frames + out->first, &end);
	if (!n)
		n = fpwalk(&start, w->frames + out->first, w->per_thread);
	if (n <= 0)
		return;
	w->shared->n_frames += (u32)n;
	out->end = end;
	__atomic_store_n(&out->n, (u32)n, __ATOMIC_RELEASE);
}

static void meanwhile(void *ctx)
{
	const struct walk *w = ctx;

	if (w->opts->meanwhile)
		w->opts->meanwhile(w->opts->ctx);
}

static void walk_all(struct walk *w)
{
	int ret = guarded_run(&(struct guarded){
		.n = (u32)w->records->v.n,
		.process_of = process_of,
		.read = walk_thread,
		.meanwhile = meanwhile,
		.ctx = w,
		.limit_ns = w->opts->limit_ns ?: LIMIT_NS,
	});

	if (ret)
		log_warn("no-helper",
			 "user stacks of threads that are already asleep are not read, because no "
			 "child process can be created for it (%s)",
			 strerror(-ret));
}

/* ---- threads that have moved ---- */

static int by_pid(const void *a, const void *b)
{
	const struct scan_record *x = *(const struct scan_record *const *)a;
	const struct scan_record *y = *(const struct scan_record *const *)b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* True if a thread that was off CPU has run since: it was switched out again, or is on a CPU now.
 * The switch count grows at switch-out, not at switch-in. */
static bool has_moved(const struct records *after, const struct scan_record *rec)
{
	struct scan_record *const *found =
		after->v.n ? bsearch(&rec, after->v.items, after->v.n, sizeof(rec), by_pid) : NULL;

	return !found || (*found)->on_cpu || (*found)->switches != rec->switches ||
	       (*found)->start_time != rec->start_time;
}

/* ---- the scan ---- */

static void hand_over(const struct records *r, const struct records *after, const struct walk *w,
		      const struct scan_opts *opts,
		      void (*take)(void *ctx, const struct scan_thread *t), void *ctx)
{
	for (size_t i = 0; i < r->v.n; i++) {
		const struct scan_record *rec = r->v.items[i];
		struct scan_thread t = {
			.rec = rec,
			.is_moved = !rec->on_cpu && has_moved(after, rec),
			.is_user_missing = opts->want_user && rec->pc,
			.more = (const char *)rec + rec->bytes - opts->more_bytes,
		};

		if (w->shared && w->shared->walked[i].n) {
			t.user = w->frames + w->shared->walked[i].first;
			t.n_user = w->shared->walked[i].n;
			t.end = (enum stack_end)w->shared->walked[i].end;
			t.is_user_missing = false;
		}
		take(ctx, &t);
	}
}

static void drop_kernel_stacks(struct records *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		r->v.items[i]->n_kernel = 0;
}

int scan_threads(struct bpf_program *prog, const struct scan_opts *opts,
		 void (*take)(void *ctx, const struct scan_thread *t), void *ctx, struct err *err)
{
	_cleanup_(records_release) struct records before = { 0 }, after = { 0 };
	_cleanup_(walk_release) struct walk walk = { 0 };
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	int ret;

	if (!link)
		return prog_explain(errno, "attach", "the task iterator", err);
	ret = records_read(bpf_link__fd(link), opts->more_bytes, &before);
	if (!ret && opts->want_user && walk_init(&walk, &before, opts))
		walk_all(&walk);
	if (!ret)
		ret = records_read(bpf_link__fd(link), opts->more_bytes, &after);
	bpf_link__destroy(link);
	if (ret)
		return err_errno(err, -ret, "cannot read the kernel's list of threads");
	if (after.v.n)
		qsort(after.v.items, after.v.n, sizeof(*after.v.items), by_pid);
	if (!opts->want_kernel)
		drop_kernel_stacks(&before);
	hand_over(&before, &after, &walk, opts, take, ctx);
	return 0;
}
