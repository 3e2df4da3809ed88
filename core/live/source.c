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
#define MESSAGES_STEP  (64u << 10)
#define MESSAGES_BYTES (64u << 10)

static void set_nonblocking(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void source_init(struct live_source *s, const char *name, pid_t pid, int fd, int messages_fd)
{
	*s = (struct live_source){ .name = name, .pid = pid, .fd = fd, .messages_fd = messages_fd };
	set_nonblocking(messages_fd);
	saved_init(&s->saved);
	if (fd >= 0)
		s->stream = saved_stream_new(&s->saved, name);
}

/* ---- windows ---- */

/* Nothing but histograms, which a heat map can show over time. */
static bool has_histograms(const struct report *r)
{
	const struct dist *d;

	vec_for_each(d, &r->dists)
		if (d->kind != DIST_HISTOGRAM)
			return false;
	return r->dists.n;
}

static void add_window(struct live_source *s, struct report *window)
{
	s->kind = window->kind;
	s->is_cumulative = s->is_cumulative || (window->interval && !window->start_ns);
	saved_add(&s->saved, &s->held, window);
	if (has_histograms(window))
		heat_maps_add(&s->heat, window);
	report_release(&s->held_last);
	s->held_last = *window;
	s->n_windows++;
}

/* Tables move while records are read. */
static void point_all(struct live_source *s)
{
	struct report *all[] = { &s->sum, &s->last, &s->held, &s->held_last, &s->baseline };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		saved_point(&s->saved, all[i]);
}

static void take_windows(struct live_source *s)
{
	struct report window;

	while (saved_stream_take(s->stream, &window))
		add_window(s, &window);
	point_all(s);
}

bool source_commit(struct live_source *s)
{
	if (!s->held.end_ns)
		return false;
	saved_add(&s->saved, &s->sum, &s->held);
	report_release(&s->held);
	report_release(&s->last);
	s->last = s->held_last;
	s->held = s->held_last = (struct report){ 0 };
	point_all(s);
	return true;
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
	point_all(s);
	s->has_baseline = !s->has_baseline;
}

void source_reset(struct live_source *s)
{
	struct report *all[] = { &s->sum, &s->last, &s->held, &s->held_last, &s->baseline };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		report_release(all[i]);
		*all[i] = (struct report){ 0 };
	}
	point_all(s);
	heat_maps_release(&s->heat);
	s->heat = (struct heat_maps){ 0 };
	s->has_baseline = false;
}

void source_init_files(struct live_source *s, const struct saved *saved, struct report *sum)
{
	const struct report *r;

	*s = (struct live_source){
		.name = saved->files.n == 1 ? saved->files.items[0].name : "files",
		.fd = -1,
		.messages_fd = -1,
		.saved = *saved,
		.sum = *sum,
		.kind = sum->kind,
		.n_windows = (u32)saved->reports.n,
		.end = saved_end(saved),
		.has_end = true,
	};
	vec_for_each(r, &saved->reports) {
		if (r->is_snapshot)
			continue;
		s->last = *r; /* borrowed */
		if (has_histograms(r))
			heat_maps_add(&s->heat, r);
	}
	point_all(s);
	*sum = (struct report){ 0 };
}

/* ---- reading ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Standard input is not made non-blocking: others that have it would see that. */
static bool can_read(int fd)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };

	return poll(&input, 1, 0) > 0;
}

/* false: nothing more to read now. */
static bool read_some(struct live_source *s)
{
	char bytes[READ_BYTES];
	ssize_t n;

	if (!can_read(s->fd))
		return false;
	n = read(s->fd, bytes, sizeof(bytes));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return errno == EINTR;
	if (n < 0)
		err_errno(&s->failure, errno, "cannot read %s", s->name);
	else if (n && !saved_stream_feed(s->stream, bytes, (size_t)n, &s->failure))
		return true;
	close_fd(&s->fd);
	return false;
}

void source_add_message(struct live_source *s, const char *bytes, size_t n)
{
	str_add(&s->messages, bytes, n);
	if (s->messages.n > MESSAGES_BYTES)
		str_drop(&s->messages, s->messages.n - MESSAGES_BYTES / 2);
}

/* A program can print faster than this can be read. */
static void read_messages(struct live_source *s)
{
	char bytes[4096];
	ssize_t n;

	for (size_t sum = 0; s->messages_fd >= 0 && sum < MESSAGES_STEP; sum += (size_t)n) {
		n = read(s->messages_fd, bytes, sizeof(bytes));
		if (n < 0)
			return;
		if (!n)
			close_fd(&s->messages_fd);
		source_add_message(s, bytes, (size_t)n);
	}
}

void source_read(struct live_source *s)
{
	bool was_open = s->fd >= 0;

	read_messages(s);
	for (size_t n = 0; s->fd >= 0 && n < STEP_BYTES; n += READ_BYTES)
		if (!read_some(s))
			break;
	if (!s->stream)
		return;
	take_windows(s);
	if (was_open && s->fd < 0)
		s->has_end = saved_stream_end(s->stream, &s->end);
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

	while (s->pid && (s->fd >= 0 || s->messages_fd >= 0) && now_ns() < until) {
		struct pollfd fds[] = { { .fd = s->fd, .events = POLLIN },
					{ .fd = s->messages_fd, .events = POLLIN } };
		bool was_reaped = s->is_reaped;

		poll(fds, ARRAY_SIZE(fds), 100);
		source_read(s);
		/* Programs that it started may keep its stderr open after its end. */
		if (s->fd < 0 && was_reaped)
			break;
		reap(s, WNOHANG);
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
	if (!s->stream)
		s->last = (struct report){ 0 };
	source_reset(s);
	if (s->stream)
		saved_release(&s->saved);
	saved_stream_free(s->stream);
	str_release(&s->messages);
}
