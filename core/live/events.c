// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Signals, and the wait for keys and for what the sources have to say. */
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "live/live_int.h"

/* ---- signals ---- */

static volatile sig_atomic_t asked;

/* The process was stopped, and something else may have used the terminal. */
static volatile sig_atomic_t was_continued;

static void on_signal(int sig)
{
	asked = sig;
}

static void on_continued(int sig)
{
	(void)sig;
	was_continued = 1;
}

void live_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);
	sa.sa_handler = on_continued;
	sigaction(SIGCONT, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, SIG_IGN); /* a snapshot, for a run without --live */
}

bool live_is_asked(void)
{
	return asked;
}

bool live_was_continued(void)
{
	bool was = was_continued;

	was_continued = 0;
	return was;
}

/* ---- keys and sources ---- */

void live_read_messages(struct live *l)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(l->messages_fd, bytes, sizeof(bytes))) > 0)
		source_add_message(&l->sources[0], bytes, (size_t)n);
}

static void read_source(struct live *l, struct live_source *s)
{
	bool was_over = source_is_over(s);
	size_t n_bytes = s->messages.n;

	source_read(s);
	if (s->messages.n != n_bytes)
		l->must_draw = true;
	if (!was_over && source_is_over(s))
		l->must_draw = true;
	/* If it is the source that is shown, the first line of the screen says so. */
	if (!was_over && source_is_over(s) && !s->has_end && s != current_source(l))
		live_notice(l, "%s ended unexpectedly", s->name);
	if (!was_over && s->failure.code) {
		live_notice(l, "%s", s->failure.what);
		if (s->pid)
			kill(s->pid, SIGTERM);
	}
	if (s == current_source(l))
		shown_point(l);
}

void live_wait(struct live *l, int ms)
{
	struct pollfd fds[2 + 2 * LIVE_SOURCES_MAX] = {
		{ .fd = screen_fd(l->screen), .events = POLLIN },
		{ .fd = l->messages_fd, .events = POLLIN },
	};
	nfds_t n = 2;

	for (size_t i = 0; i < l->n_sources; i++) {
		fds[n++] = (struct pollfd){ .fd = l->sources[i].fd, .events = POLLIN };
		fds[n++] = (struct pollfd){ .fd = l->sources[i].messages_fd, .events = POLLIN };
	}
	if (poll(fds, n, ms) < 0)
		return;
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		l->is_leaving = true;
	for (size_t i = 0; i < l->n_sources; i++)
		read_source(l, &l->sources[i]);
	live_read_messages(l);
}
