// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define READ_BYTES     65536
/* Keys are looked at between two such steps. */
#define STEP_BYTES     (2u << 20)
#define MESSAGES_BYTES (64u << 10)

static void set_nonblocking(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void source_init(struct live_source *s, const char *name, pid_t pid, int fd, int messages_fd)
{
	*s = (struct live_source){ .name = name, .pid = pid, .fd = fd, .messages_fd = messages_fd };
	set_nonblocking(fd);
	set_nonblocking(messages_fd);
	saved_init(&s->saved);
	if (fd >= 0)
		s->stream = saved_stream_new(&s->saved, name);
}

void source_init_files(struct live_source *s, const struct saved *saved, struct report *sum)
{
	*s = (struct live_source){
		.name = saved->files.n == 1 ? saved->files.items[0].name : "files",
		.fd = -1,
		.messages_fd = -1,
		.saved = *saved,
		.sum = *sum,
		.kind = sum->kind,
		.n_windows = (u32)saved->reports.n,
		.has_news = true,
		.end = saved_end(saved),
		.has_end = true,
	};
	*sum = (struct report){ 0 };
}

/* ---- windows ---- */

static void add_window(struct live_source *s, struct report *window, bool is_paused)
{
	s->kind = window->kind;
	saved_add(&s->saved, is_paused ? &s->held : &s->sum, window);
	if (!is_paused) {
		report_release(&s->last);
		s->last = *window;
	} else {
		report_release(window);
	}
	s->n_windows++;
}

static void take_windows(struct live_source *s, bool is_paused)
{
	struct report window;

	while (saved_stream_take(s->stream, &window)) {
		add_window(s, &window, is_paused);
		s->has_news = true;
	}
	/* The tables have moved. */
	saved_point(&s->saved, &s->sum);
	saved_point(&s->saved, &s->last);
	saved_point(&s->saved, &s->held);
	saved_point(&s->saved, &s->baseline);
}

void source_unpause(struct live_source *s)
{
	if (s->held.end_ns)
		saved_add(&s->saved, &s->sum, &s->held);
	report_release(&s->held);
	s->held = (struct report){ 0 };
	s->has_news = true;
}

void source_toggle_baseline(struct live_source *s)
{
	if (s->has_baseline) {
		struct report since = s->sum;

		s->sum = s->baseline;
		s->baseline = (struct report){ 0 };
		if (since.end_ns)
			saved_add(&s->saved, &s->sum, &since);
		report_release(&since);
	} else {
		s->baseline = s->sum;
		s->sum = (struct report){ 0 };
	}
	saved_point(&s->saved, &s->sum);
	saved_point(&s->saved, &s->baseline);
	s->has_baseline = !s->has_baseline;
	s->has_news = true;
}

static void empty(struct live_source *s, struct report *r)
{
	report_release(r);
	*r = (struct report){ 0 };
	saved_point(&s->saved, r);
}

void source_reset(struct live_source *s)
{
	empty(s, &s->sum);
	empty(s, &s->last);
	empty(s, &s->held);
	empty(s, &s->baseline);
	s->has_baseline = false;
	s->has_news = true;
}

/* ---- reading ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void at_end(struct live_source *s)
{
	close_fd(&s->fd);
	s->has_end = saved_stream_end(s->stream, &s->end);
	s->has_news = true;
}

/* false: nothing more to read now. */
static bool read_some(struct live_source *s, int *ret, struct err *err)
{
	char bytes[READ_BYTES];
	ssize_t n = read(s->fd, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR;
	if (!n) {
		at_end(s);
		return false;
	}
	*ret = saved_stream_feed(s->stream, bytes, (size_t)n, err);
	return !*ret;
}

static void read_messages(struct live_source *s)
{
	char bytes[4096];
	ssize_t n;

	while (s->messages_fd >= 0) {
		n = read(s->messages_fd, bytes, sizeof(bytes));
		if (n < 0)
			return;
		if (!n)
			close_fd(&s->messages_fd);
		str_add(&s->messages, bytes, (size_t)n);
		if (s->messages.n > MESSAGES_BYTES)
			str_drop(&s->messages, s->messages.n - MESSAGES_BYTES / 2);
		s->has_news = true;
	}
}

int source_read(struct live_source *s, bool is_paused, struct err *err)
{
	int ret = 0;

	read_messages(s);
	for (size_t n = 0; s->fd >= 0 && n < STEP_BYTES; n += READ_BYTES)
		if (!read_some(s, &ret, err))
			break;
	if (ret)
		close_fd(&s->fd);
	if (s->stream)
		take_windows(s, is_paused);
	return ret;
}

bool source_is_over(const struct live_source *s)
{
	return s->fd < 0;
}

/* ---- the process ---- */

static void reap(struct live_source *s, int flags)
{
	if (s->pid && !s->is_reaped)
		s->is_reaped = waitpid(s->pid, &s->status, flags) == s->pid;
}

u64 source_cpu_ns(const struct live_source *s)
{
	clockid_t clock;

	if (!s->pid || s->is_reaped || clock_getcpuclockid(s->pid, &clock))
		return 0;
	return clock_ns(clock);
}

void source_finish(struct live_source *s, int ms)
{
	u64 until = now_ns() + (u64)ms * NS_PER_MS;
	struct err ignored = { 0 };

	while ((s->fd >= 0 || s->messages_fd >= 0) && now_ns() < until) {
		struct pollfd fds[] = { { .fd = s->fd, .events = POLLIN },
					{ .fd = s->messages_fd, .events = POLLIN } };

		poll(fds, ARRAY_SIZE(fds), 100);
		source_read(s, false, &ignored);
	}
	close_fd(&s->fd);
	reap(s, WNOHANG);
	if (s->pid && !s->is_reaped && now_ns() >= until)
		kill(s->pid, SIGKILL);
	reap(s, 0);
}

void source_release(struct live_source *s)
{
	close_fd(&s->fd);
	close_fd(&s->messages_fd);
	report_release(&s->sum);
	report_release(&s->last);
	report_release(&s->held);
	report_release(&s->baseline);
	if (s->stream)
		saved_release(&s->saved);
	saved_stream_free(s->stream);
	str_release(&s->messages);
}
