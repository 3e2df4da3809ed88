// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

#define TICK_NS	    (100 * NS_PER_MS)
#define PROGRESS_NS (500 * NS_PER_MS)

/* epoll data: the purpose of a descriptor.  Tags of session_watch() are below these. */
enum {
	TAG_CHILD = 1 << 30,
	TAG_PIDFD
};

static const struct {
	int signo;
	enum session_stop why;
} stop_signals[] = {
	{ SIGINT, STOP_SIGINT },
	{ SIGTERM, STOP_SIGTERM },
	{ SIGHUP, STOP_SIGHUP },
};

const char *session_stop_name(enum session_stop why)
{
	static const char *const names[] = {
		[STOP_NOT_YET] = "running",	  [STOP_DONE] = "done",
		[STOP_SIGINT] = "sigint",	  [STOP_SIGTERM] = "sigterm",
		[STOP_SIGHUP] = "sighup",	  [STOP_TARGETS_EXIT] = "target_exit",
		[STOP_CHILD_EXIT] = "child_exit", [STOP_OUTPUT_GONE] = "output_gone",
		[STOP_ERROR] = "error",
	};

	return names[why];
}

static int watch(struct session *s, int fd, u64 tag, struct err *err)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = (u64)fd << 32 | tag };

	if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return err_errno(err, errno, "cannot watch a descriptor");
	return 0;
}

static int watch_processes(struct session *s, const struct target *t, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < t->pids.v.n && !ret; i++) {
		int fd = (int)syscall(SYS_pidfd_open, t->pids.v.items[i], 0);

		if (fd < 0 && errno == ESRCH) {
			vec_push(&s->pidfds, -1); /* the process has ended since filter_build() */
			continue;
		}
		if (fd < 0)
			return err_errno(err, errno, "cannot watch process %u", t->pids.v.items[i]);
		vec_push(&s->pidfds, fd);
		s->n_alive++;
		ret = watch(s, fd, TAG_PIDFD, err);
	}
	for (size_t i = 0; i < t->tids.v.n; i++)
		vec_push(&s->tids, t->tids.v.items[i]);
	return ret;
}

/* Each process of -p needs a descriptor, each CPU two; the usual soft limit of 1024 exists only for
 * programs that call select().  The child was forked before and keeps the old limit. */
static void raise_file_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int session_init(struct session *s, const struct session_ops *ops, void *ctx,
		 const struct target *t, struct err *err)
{
	*s = (struct session){ .ops = ops, .ctx = ctx, .epoll_fd = -1 };
	raise_file_limit();
	stop_catch();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write beyond ulimit -f then fails with an error */
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0)
		return err_errno(err, errno, "cannot set up the run loop");
	return watch_processes(s, t, err);
}

int session_watch(struct session *s, int fd, int tag, struct err *err)
{
	return watch(s, fd, (u64)tag, err);
}

/* The reason to stop, if a signal has arrived. */
static enum session_stop stopped_by_signal(void)
{
	int signo = stop_signal();

	for (size_t i = 0; signo && i < ARRAY_SIZE(stop_signals); i++)
		if (stop_signals[i].signo == signo)
			return stop_signals[i].why;
	return STOP_NOT_YET;
}

static void forget_pidfd(struct session *s, int fd)
{
	int *item;

	vec_for_each(item, &s->pidfds)
		if (*item == fd) {
			close(fd); /* closing removes it from the epoll set */
			*item = -1;
			s->n_alive--;
		}
}

static bool threads_are_gone(const struct session *s)
{
	const u32 *tid;

	vec_for_each(tid, &s->tids)
		if (!syscall(SYS_tkill, *tid, 0) || errno != ESRCH)
			return false;
	return true;
}

/* true if all targets given by number have ended and no program that bperf started still runs. */
static bool targets_are_gone(const struct session *s)
{
	if (!s->pidfds.n && !s->tids.n)
		return false;
	return !s->n_alive && !(s->child && s->child->pid) && threads_are_gone(s);
}

/* Wait until `until` at most, and handle what is ready.  A signal that arrives just before the wait
 * is seen after it, so no wait is longer than a tick. */
static enum session_stop wait_ready(struct session *s, u64 until)
{
	struct epoll_event events[16];
	enum session_stop why = STOP_NOT_YET;
	u64 now = now_ns();
	int timeout = until > now ? (int)((until - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
	int n = epoll_wait(s->epoll_fd, events, ARRAY_SIZE(events), timeout);

	for (int i = 0; i < n; i++) {
		int fd = (int)(events[i].data.u64 >> 32);
		u32 tag = (u32)events[i].data.u64;

		switch (tag) {
		case TAG_CHILD:
			if (child_has_ended(s->child))
				why = why ?: STOP_CHILD_EXIT;
			break;
		case TAG_PIDFD:
			forget_pidfd(s, fd);
			break;
		default:
			/* The perf event of a CPU that went offline stays in error. */
			if (!(events[i].events & EPOLLIN))
				epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
			s->ops->on_ready(s->ctx, (int)tag);
		}
	}
	return stopped_by_signal() ?: why;
}

static int report(struct session *s, u64 end_ns, bool is_snapshot, struct err *err)
{
	int ret;

	s->window.end_ns = end_ns;
	s->window.is_snapshot = is_snapshot;
	ret = s->ops->on_report(s->ctx, &s->window, err);
	s->window.is_snapshot = false;
	if (is_snapshot)
		return ret;
	s->window.index++;
	s->window.start_ns = s->window.end_ns;
	s->window.due_ns = s->window.next_due_ns;
	return ret;
}

/* A multiple of the interval, so that delays do not add up. */
u64 session_next_cut(const struct session *s, u64 now)
{
	if (!s->interval_ns)
		return UINT64_MAX;
	return s->start_ns + ((now - s->start_ns) / s->interval_ns + 1) * s->interval_ns;
}

struct loop {
	u64 tick, progress;
};

/* The window has lasted its time: report it, or end the run.  While the previous report waits for
 * its reader, the window continues, because collecting must not wait. */
static enum session_stop end_window(struct session *s, u64 now, struct err *err)
{
	if (session_is_last(s, s->window.index))
		return STOP_DONE;
	if (s->ops->is_output_full(s->ctx))
		return s->count && now - s->start_ns >= s->count * s->interval_ns ? STOP_DONE
										  : STOP_NOT_YET;
	s->window.next_due_ns = session_next_cut(s, now);
	return report(s, now, false, err) ? STOP_ERROR : STOP_NOT_YET;
}

static enum session_stop step(struct session *s, struct loop *l, struct err *err)
{
	u64 due = s->window.due_ns;
	u64 until = due < l->tick && !s->ops->is_output_full(s->ctx) ? due : l->tick;
	enum session_stop why = wait_ready(s, until), over;
	u64 now = now_ns();

	if (now >= l->tick) {
		s->ops->on_tick(s->ctx, now);
		l->tick = now + TICK_NS;
		if (!why && targets_are_gone(s))
			why = STOP_TARGETS_EXIT;
	}
	if (now >= l->progress) {
		s->ops->on_progress(s->ctx, now - s->start_ns);
		l->progress = now + PROGRESS_NS;
	}
	over = s->ops->why_over(s->ctx);
	if (over)
		return why ?: over;
	if (now >= due) {
		enum session_stop end = end_window(s, now, err);

		if (end == STOP_ERROR)
			return end;
		why = why ?: end;
	}
	if (why)
		return why;
	if (stop_take_snapshot() && report(s, now, true, err))
		return STOP_ERROR;
	return STOP_NOT_YET;
}

bool session_is_last(const struct session *s, u32 index)
{
	return s->count && index + 1 >= s->count;
}

void session_start(struct session *s)
{
	s->start_ns = s->window.start_ns = now_ns();
	s->window.due_ns = session_next_cut(s, s->start_ns);
}

int session_run(struct session *s, enum session_stop *why, struct err *err)
{
	struct loop l = { 0 };

	if (s->child && s->child->pid && s->child->pidfd >= 0 &&
	    watch(s, s->child->pidfd, TAG_CHILD, err))
		return -err->code;
	l.tick = s->start_ns + TICK_NS;
	l.progress = s->start_ns + PROGRESS_NS;
	/* Some runs have measured everything before the first wait. */
	*why = s->ops->why_over(s->ctx);
	while (*why == STOP_NOT_YET)
		*why = step(s, &l, err);
	s->window.end_ns = now_ns();
	return *why == STOP_ERROR ? -err->code : 0;
}

void session_release(struct session *s)
{
	int *fd;

	vec_for_each(fd, &s->pidfds)
		if (*fd >= 0)
			close(*fd);
	vec_release(&s->pidfds);
	vec_release(&s->tids);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
}
