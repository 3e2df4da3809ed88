// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many probes on one tracefs event: kprobe_events and uprobe_events accept further lines for an
 * existing event, so one perf event with one program serves all of them.
 *
 * If bperf is killed, the event stays.  The group's name identifies the owner, so that the next run
 * can remove the event.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/attach_int.h"
#include "attach/background.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/lines.h"
#include "base/num.h"
#include "host/tracefs.h"

/* Probes per event.  Progress is reported after each event, and the kernel needs milliseconds to
 * add a probe, so not too many; removing an event takes grace periods, so not too few. */
#define MAX_PROBES 500

static const char *control_file(bool is_uprobe)
{
	return is_uprobe ? "uprobe_events" : "kprobe_events";
}

/* Append, never truncate: that would remove everybody's events. */
static int open_control(const char *tracefs, bool is_uprobe)
{
	_cleanup_(free_p) char *path = mem_printf("%s/%s", tracefs, control_file(is_uprobe));
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int write_line(int fd, const char *line)
{
	size_t n = strlen(line);

	return write(fd, line, n) == (ssize_t)n ? 0 : -errno;
}

static int remove_event(const char *tracefs, bool is_uprobe, const char *name)
{
	_cleanup_(close_p) int fd = open_control(tracefs, is_uprobe);
	_cleanup_(free_p) char *line = mem_printf("-:%s\n", name);

	return fd < 0 ? fd : write_line(fd, line);
}

void made_event_remove(const struct made_event *e)
{
	const char *tracefs = tracefs_path();

	if (tracefs)
		remove_event(tracefs, e->is_uprobe, e->name);
}

/*
 * "p:bperf_12/e0 _stext+1234\n".  The kernel looks up the symbol several times for each probe,
 * before 6.2 by expanding its 100,000 names one by one; _stext is among the first.  Plain addresses
 * would all be the same probe: the kernel compares names and offsets.
 */
static char *line_of(const struct probe_plan *plan, const struct site *s, const char *event)
{
	char kind = site_is_return(s) ? 'r' : 'p';

	if (s->file && s->usdt && s->usdt->semaphore)
		return mem_printf("%c:%s %s:0x%llx(0x%llx)\n", kind, event, s->file->open_path,
				  s->file_offset, s->usdt->semaphore);
	if (s->file)
		return mem_printf("%c:%s %s:0x%llx\n", kind, event, s->file->open_path,
				  s->file_offset);
	if (!s->symbol)
		return mem_printf("%c:%s 0x%llx\n", kind, event, s->addr + s->offset);
	if (s->module)
		return mem_printf("%c:%s %s:%s+%llu\n", kind, event, s->module, s->symbol,
				  s->offset);
	if (plan->text_start && s->addr >= plan->text_start)
		return mem_printf("%c:%s _stext+%llu\n", kind, event,
				  s->addr + s->offset - plan->text_start);
	return mem_printf("%c:%s %s+%llu\n", kind, event, s->symbol, s->offset);
}

/* Define sites [from, from + n) of the group as probes of one event, leaving out those that the
 * kernel refuses.  Returns the number of probes, or -code. */
static int define(struct attaching *t, int control, const char *event, u32 from, u32 n)
{
	int n_defined = 0;

	for (u32 i = from; i < from + n; i++) {
		const struct site *s = attaching_site(t, i);
		_cleanup_(free_p) char *line = line_of(t->plan, s, event);
		int ret = write_line(control, line);

		n_defined += !ret;
		if (ret && attaching_refused(t, s, -ret))
			return -t->err->code;
	}
	return n_defined;
}

static int event_id(const char *tracefs, const char *event, u32 *id)
{
	_cleanup_(free_p) char *path = mem_printf("%s/events/%s/id", tracefs, event);
	_cleanup_(str_release) struct str text = { 0 };
	int ret = file_read(path, 64, &text);
	u64 n;

	if (ret)
		return ret;
	if (!num_parse_dec((struct view){ str_text(&text), strcspn(str_text(&text), "\n") }, &n))
		return -EINVAL;
	*id = (u32)n;
	return 0;
}

/* ---- all processes, or some ---- */

/* A refused event is removed, which is possible only when no perf event has it open. */
static void close_since(struct attach *a, size_t n_links, size_t n_events)
{
	while (a->links.n > n_links)
		close(a->links.items[--a->links.n]);
	while (a->events.n > n_events)
		close(a->events.items[--a->events.n]);
}

static int attach_in_reach(struct attaching *t, u32 id)
{
	size_t n_links = t->a->links.n, n_events = t->a->events.n;
	int ret = attach_perf_program(t, id) ?: attach_perf_reach(t, id);

	if (ret)
		close_since(t->a, n_links, n_events);
	return ret;
}

static int attach_id(struct attaching *t, u32 id)
{
	return t->plan->reach ? attach_in_reach(t, id) : attach_perf_tracepoint(t, id, 0);
}

/* ---- attaching ---- */

struct events {
	struct attaching *t;
	const char *tracefs;
	int control;
	bool is_uprobe;
};

static int attach_range(struct events *e, u32 from, u32 n)
{
	static u32 n_made;
	struct attaching *t = e->t;
	struct made_event event = { .is_uprobe = e->is_uprobe };
	char group[ATTACH_GROUP_BYTES];
	u32 id = 0;
	int ret;

	if (t->is_stopped)
		return 0;
	attach_owner_name(group, sizeof(group));
	event.name = mem_printf("%s/e%u", group, n_made++);
	vec_push(&t->a->made, event);
	ret = define(t, e->control, event.name, from, n);
	if (ret <= 0)
		return ret;
	ret = event_id(e->tracefs, event.name, &id);
	if (!ret)
		ret = attach_id(t, id);
	if (!ret) {
		t->a->made.items[t->a->made.n - 1].id = id;
		attaching_step(t, n);
		return 0;
	}
	/* The kernel checks user addresses only when the event is opened, and one bad address makes
	 * it refuse all: remove the event, and try each half. */
	remove_event(e->tracefs, e->is_uprobe, event.name);
	t->a->made.n--;
	free(event.name);
	if (n == 1)
		return attaching_refused(t, attaching_site(t, from), -ret);
	return attach_range(e, from, n / 2) ?: attach_range(e, from + n / 2, n - n / 2);
}

static int attach_event(struct attaching *t, bool is_uprobe)
{
	struct events e = { .t = t, .tracefs = tracefs_path(), .is_uprobe = is_uprobe };
	u32 n = t->group->n;
	int ret = 0;

	e.control = e.tracefs ? open_control(e.tracefs, is_uprobe) : -ENOENT;
	if (e.control < 0)
		return err_errno(t->err, -e.control, "cannot write %s", control_file(is_uprobe));
	for (u32 from = 0; from < n && !ret; from += MAX_PROBES)
		ret = attach_range(&e, from, n - from < MAX_PROBES ? n - from : MAX_PROBES);
	close(e.control);
	return ret;
}

int attach_kprobe_event(struct attaching *t)
{
	return attach_event(t, false);
}

int attach_uprobe_event(struct attaching *t)
{
	return attach_event(t, true);
}

int attach_event_more(struct attaching *t)
{
	const struct made_event *e;

	vec_for_each(e, &t->a->made) {
		int ret = e->id ? attach_perf_reach(t, e->id) : 0;

		if (ret)
			return attaching_error(t->err, t->plan->sites.items[0].name, -ret);
	}
	return 0;
}

/* ---- stale events ---- */

/* Does "p:bperf_123_.../e0 ..." belong to a process that has ended?  *event: "bperf_123_.../e0". */
static bool is_stale(struct view line, struct view *event)
{
	struct view group, rest;

	if (line.n < 2 || !view_split(&line, ':', event) || !view_split(&line, ' ', event))
		return false;
	rest = *event;
	return view_split(&rest, '/', &group) && attach_owner_is_dead(group);
}

/* Returns the number of stale events that are defined; with `remove`, of those that were removed.
 */
static u32 each_stale(const char *tracefs, bool is_uprobe, bool remove)
{
	_cleanup_(free_p) char *path = mem_printf("%s/%s", tracefs, control_file(is_uprobe));
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(free_p) char *last = NULL;
	struct lines lines;
	struct view line, event;
	u32 n = 0;

	if (fd < 0)
		return 0;
	lines_init(&lines, fd, 64 << 20);
	while (lines_next(&lines, &line)) {
		if (!is_stale(line, &event) || (last && view_eq(event, last)))
			continue;
		free(last);
		last = mem_strndup(event.p, event.n);
		n += !remove || !remove_event(tracefs, is_uprobe, last);
	}
	lines_release(&lines);
	return n;
}

static u32 all_stale(bool remove)
{
	const char *tracefs = tracefs_path();

	return tracefs ? each_stale(tracefs, false, remove) + each_stale(tracefs, true, remove) : 0;
}

u32 attach_remove_stale(void)
{
	return all_stale(true);
}

void attach_remove_stale_later(void)
{
	pid_t pid = all_stale(false) ? background_fork() : -1;

	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (pid)
		return;
	attach_remove_stale();
	_exit(0);
}
