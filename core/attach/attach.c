// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attach/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/attach_int.h"
#include "attach/background.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/thread.h"
#include "host/feature.h"

/* Up to this many events are closed in the foreground: each may wait for a tenth of a second. */
#define FEW_EVENTS	4
/* Threads that close links at the same time, in addition to the caller. */
#define DISABLE_THREADS 31

static const struct method {
	u32 prog_type, attach_type;
	bool is_one_per_site;
	bool is_through_perf; /* the kernel skips it while another program runs on the CPU */
	int (*attach)(struct attaching *t);
} methods[ATTACH_METHOD_N] = {
	[ATTACH_RAW_TP] = { BPF_PROG_TYPE_RAW_TRACEPOINT, 0, false, false, attach_raw },
	[ATTACH_TP_BTF] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, true, false, attach_fentry },
	[ATTACH_TRACEPOINT] = { BPF_PROG_TYPE_TRACEPOINT, 0, false, true, attach_tracepoints },
	[ATTACH_FENTRY] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, true, false, attach_fentry },
	[ATTACH_KPROBE_MULTI] = { BPF_PROG_TYPE_KPROBE, TRACE_KPROBE_MULTI, false, false,
				  attach_kprobe_multi },
	[ATTACH_KPROBE_EVENT] = { BPF_PROG_TYPE_KPROBE, 0, false, true, attach_kprobe_event },
	[ATTACH_KPROBE] = { BPF_PROG_TYPE_KPROBE, 0, false, true, attach_kprobes },
	[ATTACH_UPROBE_MULTI] = { BPF_PROG_TYPE_KPROBE, TRACE_UPROBE_MULTI, false, false,
				  attach_uprobe_multi },
	[ATTACH_UPROBE_EVENT] = { BPF_PROG_TYPE_KPROBE, 0, false, true, attach_uprobe_event },
	[ATTACH_UPROBE] = { BPF_PROG_TYPE_KPROBE, 0, false, true, attach_uprobes },
	[ATTACH_PERF] = { BPF_PROG_TYPE_PERF_EVENT, 0, false, true, attach_perf },
	[ATTACH_SYSCALL_RAW] = { BPF_PROG_TYPE_RAW_TRACEPOINT, 0, false, false, attach_raw },
	[ATTACH_SYSCALL_EVENT] = { BPF_PROG_TYPE_TRACEPOINT, 0, false, true,
				   attach_syscall_events },
};

static bool has_cookie(enum attach_method m, const struct plan_ability *can)
{
	switch (m) {
	case ATTACH_RAW_TP:
		return can->cookie_raw_tp;
	case ATTACH_KPROBE_MULTI:
	case ATTACH_UPROBE_MULTI:
		return can->cookie_multi;
	case ATTACH_TRACEPOINT:
	case ATTACH_SYSCALL_EVENT:
	case ATTACH_KPROBE:
	case ATTACH_PERF:
		return can->cookie_kprobe;
	case ATTACH_UPROBE:
		return can->cookie_uprobe;
	default:
		return false;
	}
}

struct attach_kind attach_kind(const struct probe_plan *plan, const struct plan_ability *can)
{
	const struct method *m = &methods[plan->method];
	struct attach_kind kind = {
		.prog_type = m->prog_type,
		.expected_attach_type = m->attach_type,
		.is_one_per_site = m->is_one_per_site,
		.has_cookie = has_cookie(plan->method, can),
	};

	if (plan->method == ATTACH_FENTRY && plan->sites.items[0].kind == SITE_FUNC_RET)
		kind.expected_attach_type = BPF_TRACE_FEXIT;
	return kind;
}

/* ---- raw tracepoints, fentry ---- */

/* BPF_RAW_TRACEPOINT_OPEN with a cookie (6.10); libbpf's wrapper has none yet. */
static int raw_open(const char *name, int prog_fd, u64 cookie)
{
	struct {
		u64 name;
		u32 prog_fd, pad;
		u64 cookie;
	} attr = { (u64)(uintptr_t)name, (u32)prog_fd, 0, cookie };
	size_t size = cookie ? sizeof(attr) : offsetof(__typeof__(attr), pad);
	long fd = syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, size);

	return fd < 0 ? -errno : (int)fd;
}

static const char *raw_name(const struct attaching *t, const struct site *s)
{
	if (t->plan->method == ATTACH_RAW_TP)
		return s->func;
	return site_is_syscall_return(s) ? "sys_exit" : "sys_enter";
}

/* All system calls of a group share one tracepoint: the program tells them apart. */
int attach_raw(struct attaching *t)
{
	bool is_syscall = t->plan->method == ATTACH_SYSCALL_RAW;
	u32 n = is_syscall ? 1 : t->group->n;

	for (u32 i = 0; i < n; i++) {
		const struct site *s = attaching_site(t, i);
		u64 cookie = !is_syscall && n > 1 ? t->group->sites[i] : 0;
		int fd = raw_open(raw_name(t, s), t->group->prog_fd, cookie);

		if (fd >= 0)
			vec_push(&t->a->links, fd);
		else if (attaching_refused(t, s, -fd))
			return -t->err->code;
	}
	attaching_step(t, t->group->n);
	return 0;
}

/* The program was loaded for its function (attach_btf_id), so no name is passed. */
int attach_fentry(struct attaching *t)
{
	int fd = raw_open(NULL, t->group->prog_fd, 0);

	if (fd >= 0)
		vec_push(&t->a->links, fd);
	else if (attaching_refused(t, attaching_site(t, 0), -fd))
		return -t->err->code;
	attaching_step(t, 1);
	return 0;
}

/* ---- opening and closing ---- */

#define LINK_INFO_WORDS 32 /* more words than any kernel's struct bpf_link_info contains */

/*
 * Events that did not reach the program, as its link counts them: a probe inside another probe's
 * handler, or a return without a free instance (the kernel keeps two per CPU, at least 10).  The
 * structure is read as words, because headers of older systems lack the field.  Kernels without the
 * field leave 0.
 */
static u64 link_missed(int fd)
{
	enum {
		WORD_OF_MULTI = 4, /* kprobe_multi.missed of struct bpf_link_info */
		WORD_OF_PERF = 6,  /* perf_event.kprobe.missed */
		LINK_PERF = 7,	   /* BPF_LINK_TYPE_PERF_EVENT, _KPROBE_MULTI */
		LINK_MULTI = 8,
		PERF_KPROBE = 3, /* BPF_PERF_EVENT_KPROBE, _KRETPROBE */
		PERF_KRETPROBE = 4,
	};
	u64 info[LINK_INFO_WORDS] = { 0 };
	u32 len = sizeof(info), type;

	if (bpf_obj_get_info_by_fd(fd, info, &len))
		return 0;
	type = (u32)info[2];
	if ((u32)info[0] == LINK_MULTI)
		return info[WORD_OF_MULTI];
	if ((u32)info[0] == LINK_PERF && (type == PERF_KPROBE || type == PERF_KRETPROBE))
		return info[WORD_OF_PERF];
	return 0;
}

/*
 * Links to events in tracefs are not queried: to answer, the kernel walks the list of these events
 * without its lock (bpf_get_uprobe_info() and bpf_get_kprobe_info() in kernel/trace/), and crashes
 * when another process adds or removes one (seen on 6.18).
 */
static bool is_in_tracefs(const struct attach *a)
{
	return a->method == ATTACH_KPROBE_EVENT || a->method == ATTACH_UPROBE_EVENT;
}

static u64 links_missed(const struct attach *a)
{
	u64 sum = a->link_missed;

	for (size_t i = 0; i < a->links.n && !is_in_tracefs(a); i++)
		sum += link_missed(a->links.items[i]);
	return sum;
}

/* Does the kernel count misses of programs on perf events?  The release that began to count them
 * also made bpf_link_info longer. */
static bool links_count_missed(const struct attach *a)
{
	u64 info[LINK_INFO_WORDS] = { 0 };
	u32 len = sizeof(info);

	return a->links.n && !bpf_obj_get_info_by_fd(a->links.items[0], info, &len) &&
	       len > 6 * sizeof(u64);
}

static bool counts_missed(const struct attach *a)
{
	if (!methods[a->method].is_through_perf || attach_is_empty(a))
		return true;
	/* bpf_overflow_handler() in kernel/events/core.c does not count the samples it skips. */
	if (a->method == ATTACH_PERF)
		return false;
	if (!is_in_tracefs(a))
		return links_count_missed(a);
	/* Only the link knows how many events a kprobe has missed.  Raw tracepoints got cookies
	 * after the kernel had begun to count missed events of programs. */
	return a->method == ATTACH_UPROBE_EVENT && feature_has(FEATURE_COOKIE_RAW_TP);
}

bool attach_is_empty(const struct attach *a)
{
	return !a->links.n && !a->events.n;
}

/* Stops early, without an error, when progress returns false. */
static int attach_groups(struct attaching *t, const struct attach_group *groups, u32 n)
{
	t->done = t->all = 0;
	for (u32 i = 0; i < n; i++)
		t->all += groups[i].n;
	for (u32 i = 0; i < n && !t->is_stopped; i++) {
		t->group = &groups[i];
		if (methods[t->plan->method].attach(t))
			return -t->err->code;
	}
	return 0;
}

/* attach_missed() reads the programs' recursion_misses. */
static void keep_programs(struct attach *a, const struct attach_group *groups, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		int prog = dup(groups[i].prog_fd);

		if (prog >= 0)
			vec_push(&a->progs, prog);
	}
}

int attach_more(struct attach *a, struct probe_plan *plan, const struct attach_group *groups, u32 n,
		const struct plan_ability *can, struct err *err)
{
	struct attaching t = { .a = a, .plan = plan, .can = can, .err = err };
	const u32 *tgid;

	if (a->method == ATTACH_UPROBE_EVENT)
		return attach_event_more(&t);
	vec_for_each(tgid, &plan->reach->tgids)
		attach_multi_drop(a, *tgid);
	return attach_groups(&t, groups, n);
}

int attach_open(struct probe_plan *plan, const struct attach_group *groups, u32 n,
		const struct plan_ability *can, bool (*progress)(void *ctx, u64 done, u64 all),
		void *ctx, struct attach **out, struct err *err)
{
	struct attach *a = mem_alloc(1, sizeof(*a));
	struct attaching t = {
		.a = a,
		.plan = plan,
		.can = can,
		.progress = progress,
		.ctx = ctx,
		.err = err,
	};

	a->method = plan->method;
	*out = a;
	keep_programs(a, groups, n);
	if (attach_groups(&t, groups, n)) {
		attach_close(&a, 1);
		*out = NULL;
		return -err->code;
	}
	if (t.is_stopped)
		return 0;
	/* If the processes have ended, nothing is attached, but nothing was refused either. */
	if (attach_is_empty(a) && !plan->is_one_of_many && !(plan->reach && !a->refused_errnum)) {
		int errnum = a->refused_errnum;

		attach_close(&a, 1);
		*out = NULL;
		if (attaching_is_permission(errnum))
			return attaching_error(err, plan->sites.items[0].name, errnum);
		return err_set(err, ERR_KERNEL, "the kernel refused all %zu sites of '%s'",
			       plan->sites.n, plan->sites.items[0].name);
	}
	a->counts_missed = counts_missed(a);
	return 0;
}

u64 attach_missed(const struct attach *a)
{
	u64 sum = links_missed(a);

	if (!a->counts_missed)
		return UINT64_MAX;
	for (size_t i = 0; i < a->progs.n; i++) {
		struct bpf_prog_info info = { 0 };
		u32 len = sizeof(info);

		if (!bpf_obj_get_info_by_fd(a->progs.items[i], &info, &len))
			sum += info.recursion_misses;
	}
	return sum;
}

/* The descriptors whose closing waits for one or two grace periods each. */
static size_t n_slow(const struct attach *a)
{
	return methods[a->method].is_through_perf ? a->links.n + a->events.n : 0;
}

static void close_links(struct attach *a)
{
	const int *fd;

	vec_for_each(fd, &a->links)
		close(*fd);
	a->links.n = 0;
}

static void disable(struct attach *a)
{
	if (n_slow(a) > FEW_EVENTS)
		return;
	a->link_missed = links_missed(a);
	close_links(a);
}

struct disabling {
	struct attach *const *items;
	size_t n, next;
};

static void *disable_some(void *ctx)
{
	struct disabling *d = ctx;
	size_t i;

	while ((i = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) < d->n)
		disable(d->items[i]);
	return NULL;
}

void attach_disable(struct attach *const *items, size_t n)
{
	struct disabling d = { .items = items, .n = n };
	pthread_t threads[DISABLE_THREADS];
	size_t n_threads = 0;

	while (n_threads < DISABLE_THREADS && n_threads + 1 < n &&
	       !thread_start(&threads[n_threads], disable_some, &d))
		n_threads++;
	disable_some(&d);
	for (size_t i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
}

/* Attachments that are closed together. */
struct closing {
	struct attach *const *items;
	size_t n, n_slow, n_made;
};

static struct closing closing_of(struct attach *const *items, size_t n)
{
	struct closing c = { .items = items, .n = n };

	for (size_t i = 0; i < n; i++) {
		c.n_slow += n_slow(items[i]);
		c.n_made += items[i]->made.n;
	}
	return c;
}

/* Links first: their programs stop at once. */
static void close_all(const struct closing *c)
{
	const int *fd;

	for (size_t i = 0; i < c->n; i++)
		close_links(c->items[i]);
	for (size_t i = 0; i < c->n; i++) {
		vec_for_each(fd, &c->items[i]->events)
			close(*fd);
		c->items[i]->events.n = 0;
	}
}

static void remove_made(const struct closing *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->items[i]->made.n; k++)
			made_event_remove(&c->items[i]->made.items[k]);
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The child must not keep alive what bperf has closed at its end: a pipe whose reader waits for the
 * end of file, or programs and maps.  (Maps that are mapped, as rings are, stay until it ends.) */
static void close_others(const struct closing *c)
{
	VEC(int) kept = { 0 };
	const int *fd;
	int first = 0;

	for (size_t i = 0; i < c->n; i++) {
		vec_for_each(fd, &c->items[i]->links)
			vec_push(&kept, *fd);
		vec_for_each(fd, &c->items[i]->events)
			vec_push(&kept, *fd);
	}
	if (kept.n)
		qsort(kept.items, kept.n, sizeof(*kept.items), compare_fds);
	vec_for_each(fd, &kept) {
		if (*fd > first)
			syscall(SYS_close_range, first, *fd - 1, 0);
		first = *fd + 1;
	}
	syscall(SYS_close_range, first, ~0U, 0);
	vec_release(&kept);
}

/* Until an enabled event is closed, its CPU fills in records that are never read. */
static void disable_events(const struct closing *c)
{
	const int *fd;

	for (size_t i = 0; i < c->n; i++)
		vec_for_each(fd, &c->items[i]->events)
			ioctl(*fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void close_as_child(const struct closing *c, int gate)
{
	char byte;

	while (read(gate, &byte, 1) < 0 && errno == EINTR)
		;
	/* A mount of tracefs may be one of the other descriptors. */
	if (!c->n_made)
		close_others(c);
	disable_events(c);
	close_all(c);
	remove_made(c);
	_exit(0);
}

/*
 * Closing a tracepoint's event waits for grace periods of up to a tenth of a second, and the kernel
 * holds a lock meanwhile (event_mutex), so that threads would not help: 40 events took 1.8 s by one
 * thread, 1.7 s by 8, 1.6 s by 32 and 1.4 s by 64 (6.18).  So a child does it.  The child has
 * copies of the descriptors: we close ours, then the child closes the last ones and removes the
 * events in tracefs.  False: no child was started.
 */
static bool close_in_background(const struct closing *c)
{
	int gate[2];
	pid_t pid;

	if ((c->n_slow <= FEW_EVENTS && !c->n_made) || pipe(gate))
		return false;
	pid = background_fork();
	if (!pid) {
		close(gate[1]);
		close_as_child(c, gate[0]);
	}
	if (pid > 0)
		close_all(c);
	else if (c->n_slow > FEW_EVENTS)
		log_warn("slow-end",
			 "detaching the probes takes a while, because no child process "
			 "can be created for it (%s)",
			 strerror(errno));
	close(gate[0]);
	close(gate[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return pid > 0;
}

static void release(struct attach *a)
{
	for (size_t i = 0; i < a->made.n; i++)
		free(a->made.items[i].name);
	for (size_t i = 0; i < a->progs.n; i++)
		close(a->progs.items[i]);
	vec_release(&a->links);
	vec_release(&a->owners);
	vec_release(&a->events);
	vec_release(&a->made);
	vec_release(&a->progs);
	free(a);
}

void attach_close(struct attach *const *items, size_t n)
{
	const struct closing c = closing_of(items, n);

	if (!close_in_background(&c)) {
		close_all(&c);
		remove_made(&c);
	}
	for (size_t i = 0; i < n; i++)
		release(items[i]);
}
