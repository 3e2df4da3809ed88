// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/files.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/num.h"
#include "dump/call.h"
#include "model/thread.h"
#include "wait/object.h"

#define NAMED_MAX    3 /* files that are named */
#define FDINFO_BYTES (4 << 20)

/* ---- files ---- */

struct listed {
	u32 fds[NAMED_MAX];
	u32 n;		 /* all of them */
	u32 n_named;	 /* in fds, the first ones */
	bool is_unknown; /* n: the memory or the descriptor could not be read */
};

static void list_add(struct listed *l, u32 fd)
{
	if (l->n_named < NAMED_MAX)
		l->fds[l->n_named++] = fd;
	l->n++;
}

/* Descriptors below 0 are not waited for. */
static void list_poll(const struct dump_thread *t, const struct peeks *p, struct listed *out)
{
	const struct pollfd *fds = peeks_get(p, t->peeks[PEEK_FDS]);
	u32 n = (u32)t->more.args[1]; /* the kernel ignores the upper half, too */

	for (u32 i = 0; fds && i < n && i < POLL_FDS_MAX; i++)
		if (fds[i].fd >= 0)
			list_add(out, (u32)fds[i].fd);
	if (!fds || n > POLL_FDS_MAX)
		out->n = n;
}

static void list_select(const struct dump_thread *t, const struct peeks *p, struct listed *out)
{
	u32 n = (u32)t->more.args[0];

	out->is_unknown = n > 8 * PEEK_BYTES;
	for (u32 i = 0; i < 3; i++)
		out->is_unknown |=
			n && t->more.args[1 + i] && !peeks_get(p, t->peeks[PEEK_FDS + i]);
	for (u32 fd = 0; !out->is_unknown && fd < n; fd++) {
		bool is_set = false;

		for (u32 i = 0; i < 3; i++) {
			const u8 *set = peeks_get(p, t->peeks[PEEK_FDS + i]);

			is_set |= set && set[fd / 8] >> fd % 8 & 1;
		}
		if (is_set)
			list_add(out, fd);
	}
}

/* /proc/PID/fdinfo/FD: "tfd:        5 events: ..." for each file. */
static void list_epoll(const struct dump_thread *t, struct listed *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%u", t->tgid, (u32)t->more.args[0]);
	if (file_read(path, FDINFO_BYTES, &text)) {
		out->is_unknown = true;
		return;
	}
	rest = str_view(&text);
	while (view_split(&rest, '\n', &line)) {
		struct view number = { "", 0 };
		u64 fd;

		if (!view_starts(line, "tfd:"))
			continue;
		line.p += 4;
		line.n -= 4;
		while (view_split(&line, ' ', &number) && !number.n)
			;
		if (num_parse_dec(number, &fd))
			list_add(out, (u32)fd);
	}
}

static void add_timeout(const struct dump_thread *t, const struct peeks *p, struct str *out)
{
	const struct timespec *at = peeks_get(p, t->peeks[PEEK_TIME]);
	u64 ns;

	if (call_of(t) == CALL_POLL && (s32)t->more.args[2] >= 0)
		ns = (u64)(u32)t->more.args[2] * NS_PER_MS;
	else if (call_of(t) == CALL_EPOLL && (s32)t->more.args[3] >= 0)
		ns = (u64)(u32)t->more.args[3] * NS_PER_MS;
	else if (call_of(t) == CALL_PPOLL && at)
		ns = (u64)at->tv_sec * NS_PER_SEC + (u64)at->tv_nsec;
	else
		return;
	str_adds(out, ", at most ");
	duration_add(out, ns);
}

static const char *word_of(enum call call)
{
	if (call == CALL_SELECT)
		return "select";
	return call == CALL_POLL || call == CALL_PPOLL ? "poll" : "epoll";
}

static void list(const struct dump_thread *t, const struct peeks *p, enum call call,
		 struct listed *out)
{
	if (call == CALL_POLL || call == CALL_PPOLL)
		list_poll(t, p, out);
	else if (call == CALL_SELECT)
		list_select(t, p, out);
	else
		list_epoll(t, out);
}

void files_describe(const struct dump_thread *t, const struct peeks *p, struct sockets *sockets,
		    struct str *out)
{
	struct listed l = { .n = 0 };

	list(t, p, call_of(t), &l);
	str_addf(out, "%s of ", word_of(call_of(t)));
	if (l.is_unknown)
		str_adds(out, "files");
	else
		str_addf(out, "%u file%s", l.n, l.n == 1 ? "" : "s");
	for (u32 i = 0; i < l.n_named && l.n_named == l.n; i++) {
		size_t before = out->n;

		str_adds(out, i ? ", " : ": ");
		if (!wait_object_add_fd(out, t->tgid, l.fds[i], sockets)) {
			out->n = before;
			break;
		}
	}
	add_timeout(t, p, out);
}

/* ---- times ---- */

#define TIMER_ABSTIME 1

static bool is_time(const struct timespec *at)
{
	return at && at->tv_sec >= 0 && at->tv_sec < INT64_MAX / (s64)NS_PER_SEC - 1 &&
	       at->tv_nsec >= 0 && at->tv_nsec < (s64)NS_PER_SEC;
}

/* Clocks that are the same for all processes, unlike those of CPU time. */
static bool is_clock(u64 id)
{
	return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME ||
	       id == CLOCK_TAI;
}

bool files_describe_sleep(const struct dump_thread *t, const struct peeks *p, u64 age_ns,
			  struct str *out)
{
	const struct timespec *at = peeks_get(p, t->peeks[PEEK_TIME]);
	bool is_absolute = call_of(t) == CALL_CLOCK_NANOSLEEP && t->more.args[1] & TIMER_ABSTIME;
	u64 ns, passed = age_ns;

	if (!is_time(at))
		return false;
	ns = (u64)at->tv_sec * NS_PER_SEC + (u64)at->tv_nsec;
	if (is_absolute)
		passed = is_clock(t->more.args[0]) ? clock_ns((clockid_t)t->more.args[0])
						   : THREAD_AGE_UNKNOWN;
	if (passed != THREAD_AGE_UNKNOWN) {
		duration_add(out, ns > passed ? ns - passed : 0);
		str_adds(out, " left");
	}
	if (is_absolute && passed == THREAD_AGE_UNKNOWN)
		return false;
	if (!is_absolute) {
		str_adds(out, passed == THREAD_AGE_UNKNOWN ? "" : " of ");
		duration_add(out, ns);
	}
	return true;
}
