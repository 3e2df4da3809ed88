// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/call.h"

#include <poll.h>
#include <sys/syscall.h>
#include <time.h>

/* arm64 has no calls that newer ones replace. */
static const struct {
	s64 nr;
	enum call call;
} calls[] = {
	{ SYS_futex, CALL_FUTEX },
	{ SYS_ppoll, CALL_PPOLL },
	{ SYS_pselect6, CALL_SELECT },
	{ SYS_epoll_pwait, CALL_EPOLL },
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, CALL_EPOLL_TIMED },
#endif
	{ SYS_nanosleep, CALL_NANOSLEEP },
	{ SYS_clock_nanosleep, CALL_CLOCK_NANOSLEEP },
	{ SYS_wait4, CALL_WAIT4 },
	{ SYS_waitid, CALL_WAITID },
	{ SYS_clone, CALL_VFORK },
	{ SYS_clone3, CALL_VFORK },
	{ SYS_write, CALL_WRITE },
	{ SYS_writev, CALL_WRITE },
	{ SYS_pwritev2, CALL_WRITE },
#ifdef SYS_poll
	{ SYS_poll, CALL_POLL },
	{ SYS_select, CALL_SELECT },
	{ SYS_epoll_wait, CALL_EPOLL },
	{ SYS_vfork, CALL_VFORK },
#endif
};

enum call call_of(const struct dump_thread *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].nr == t->more.call)
			return calls[i].call;
	return CALL_OTHER;
}

bool call_has_files(enum call call)
{
	return call == CALL_POLL || call == CALL_PPOLL || call == CALL_SELECT ||
	       call == CALL_EPOLL || call == CALL_EPOLL_TIMED;
}

static u32 ask(struct peeks *p, const struct dump_thread *t, u64 at, u64 n)
{
	if (!at || !n)
		return 0;
	return peeks_add(p, t->tgid, t->tid, at, n < PEEK_BYTES ? (u32)n : PEEK_BYTES);
}

static void peek_poll(struct dump_thread *t, struct peeks *p)
{
	u64 n = t->more.args[1] < POLL_FDS_MAX ? t->more.args[1] : POLL_FDS_MAX;

	t->peeks[PEEK_FDS] = ask(p, t, t->more.args[0], n * sizeof(struct pollfd));
}

static void peek_select(struct dump_thread *t, struct peeks *p)
{
	for (u32 i = 0; i < 3; i++)
		t->peeks[PEEK_FDS + i] =
			ask(p, t, t->more.args[1 + i], ((u64)(u32)t->more.args[0] + 7) / 8);
}

void call_peek(struct dump_thread *t, struct peeks *p)
{
	const u64 *args = (const u64 *)t->more.args;

	if (t->on_cpu || !t->state)
		return;
	switch (call_of(t)) {
	case CALL_FUTEX:
		t->peeks[PEEK_WORD] = ask(p, t, args[0], sizeof(u32));
		t->peeks[PEEK_LOCK] = ask(p, t, args[0], LOCK_BYTES);
		if (args[0] % 8) /* a mutex of musl */
			t->peeks[PEEK_BEFORE] = ask(p, t, args[0] - sizeof(u32), sizeof(u32));
		break;
	case CALL_PPOLL:
		t->peeks[PEEK_TIME] = ask(p, t, args[2], sizeof(struct timespec));
		peek_poll(t, p);
		break;
	case CALL_POLL:
		peek_poll(t, p);
		break;
	case CALL_SELECT:
		peek_select(t, p);
		break;
	case CALL_NANOSLEEP:
		t->peeks[PEEK_TIME] = ask(p, t, args[0], sizeof(struct timespec));
		break;
	case CALL_CLOCK_NANOSLEEP:
		t->peeks[PEEK_TIME] = ask(p, t, args[2], sizeof(struct timespec));
		break;
	default:
		break;
	}
}
