// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Perf events with one program each: tracepoints, single kprobes and uprobes, samples. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/attach_int.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

/* An event for one thread on any CPU, or (tid 0) for all threads on one CPU. */
static int perf_open(struct perf_event_attr *attr, u32 tid, int cpu)
{
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, tid ? (int)tid : -1, tid ? -1 : cpu, -1,
		     PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Attach by a link if the kernel has links for perf events (5.15), also if the program needs no
 * cookie: closing it stops the program at once, and the kernel counts what it has missed.  0 or
 * -errno. */
static int link_program(struct attaching *t, int event, u64 cookie, bool has_cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = has_cookie ? cookie : 0);
	int fd = bpf_link_create(t->group->prog_fd, event, BPF_PERF_EVENT, &opts);

	if (fd >= 0)
		vec_push(&t->a->links, fd);
	else if (ioctl(event, PERF_EVENT_IOC_SET_BPF, t->group->prog_fd))
		return -errno;
	return ioctl(event, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* Attach the program to `event`, and keep or close it.  A negative `event` is an -errno. */
static int take_event(struct attaching *t, int event, u64 cookie, bool has_cookie)
{
	int ret;

	if (event < 0)
		return event;
	ret = link_program(t, event, cookie, has_cookie);
	if (ret)
		close(event);
	else
		vec_push(&t->a->events, event);
	return ret;
}

/* ---- tracepoints ---- */

/* No sample period: programs run without one, and tracepoints inside perf's own work
 * (irq_work_exit) refuse sampling.  Opened on one CPU, the program runs on all. */
static struct perf_event_attr tracepoint_attr(u32 id)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.disabled = 1,
	};
}

static int open_tracepoint(u32 id, u32 tid)
{
	struct perf_event_attr attr = tracepoint_attr(id);

	return perf_open(&attr, tid, 0);
}

/* Children have the event from their birth on.  The event is never read: see
 * kernel_keeps_inherited() for the reason of this sample type. */
static int open_inherited(u32 id, u32 tid)
{
	struct perf_event_attr attr = tracepoint_attr(id);

	attr.inherit = 1;
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
	return perf_open(&attr, tid, 0);
}

int attach_perf_tracepoint(struct attaching *t, u32 id, u64 cookie)
{
	return take_event(t, open_tracepoint(id, 0), cookie, t->can->cookie_kprobe);
}

int attach_perf_program(struct attaching *t, u32 id)
{
	return take_event(t, open_tracepoint(id, (u32)gettid()), 0, t->can->cookie_kprobe);
}

/* A negative `event` is an -errno. */
static int keep_event(struct attaching *t, int event)
{
	if (event >= 0)
		vec_push(&t->a->events, event);
	return event >= 0 || event == -ESRCH ? 0 : event;
}

int attach_perf_reach(struct attaching *t, u32 id)
{
	const struct reach *r = t->plan->reach;
	const u32 *n;
	int ret = 0;

	if (r->has_children)
		vec_for_each(n, &r->tids)
			ret = ret ?: keep_event(t, open_inherited(id, *n));
	else
		vec_for_each(n, &r->tgids)
			ret = ret ?: keep_event(t, open_tracepoint(id, *n));
	return ret;
}

static int attach_each_tracepoint(struct attaching *t, u32 (*id_of)(const struct site *s))
{
	for (u32 i = 0; i < t->group->n; i++) {
		const struct site *s = attaching_site(t, i);
		int ret = attach_perf_tracepoint(t, id_of(s), t->group->sites[i]);

		if (ret && attaching_refused(t, s, -ret))
			return -t->err->code;
		if (!attaching_step(t, 1))
			break;
	}
	return 0;
}

static u32 id_of_format(const struct site *s)
{
	return s->format->id;
}

int attach_tracepoints(struct attaching *t)
{
	return attach_each_tracepoint(t, id_of_format);
}

static u32 id_of_call(const struct site *s)
{
	return site_is_syscall_return(s) ? s->exit_id : s->enter_id;
}

int attach_syscall_events(struct attaching *t)
{
	return attach_each_tracepoint(t, id_of_call);
}

/* ---- kprobes and uprobes ---- */

/* The PMU's type number, or the first bit of a field of config: "config:0", "config:32-63". */
static int pmu_number(const char *pmu, const char *what, u64 *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	char path[128];
	struct view v;
	int ret;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, what);
	ret = file_read(path, 64, &text);
	if (ret)
		return ret;
	v = (struct view){ str_text(&text), strcspn(str_text(&text), "\n-") };
	if (view_starts(v, "config:"))
		v = (struct view){ v.p + 7, v.n - 7 };
	return num_parse_dec(v, out) ? 0 : -EINVAL;
}

struct pmu {
	u64 type, return_bit, counter_shift;
};

static int pmu_find(struct attaching *t, const char *name, struct pmu *out)
{
	int ret;

	*out = (struct pmu){ 0 };
	ret = pmu_number(name, "type", &out->type);
	if (!ret)
		ret = pmu_number(name, "format/retprobe", &out->return_bit);
	if (pmu_number(name, "format/ref_ctr_offset", &out->counter_shift))
		out->counter_shift = 32;
	if (!ret)
		return 0;
	return err_errno(t->err, -ret, "this kernel has no %ss", name);
}

static int open_kprobe(const struct pmu *pmu, const struct site *s, u32 tid)
{
	struct perf_event_attr attr = { .type = (u32)pmu->type, .disabled = 1 };

	if (site_is_return(s))
		attr.config |= 1ULL << pmu->return_bit;
	if (!s->addr) {
		attr.kprobe_func = (u64)(uintptr_t)s->symbol;
		attr.probe_offset = s->offset;
	} else {
		attr.kprobe_addr = s->addr + s->offset;
	}
	return perf_open(&attr, tid, 0);
}

static int open_uprobe(const struct pmu *pmu, const struct site *s, u32 tid)
{
	struct perf_event_attr attr = { .type = (u32)pmu->type, .disabled = 1 };

	if (site_is_return(s))
		attr.config |= 1ULL << pmu->return_bit;
	if (s->usdt)
		attr.config |= s->usdt->semaphore << pmu->counter_shift;
	attr.uprobe_path = (u64)(uintptr_t)s->file->open_path;
	attr.probe_offset = s->file_offset;
	return perf_open(&attr, tid, 0);
}

struct single {
	const char *pmu_name;
	int (*open)(const struct pmu *pmu, const struct site *s, u32 tid);
	bool has_cookie;
};

/* An event for each process, or one for all. */
static int attach_single(struct attaching *t, const struct single *how, const struct pmu *pmu,
			 u32 i)
{
	const struct reach *reach = t->plan->reach;
	const struct site *s = attaching_site(t, i);
	u64 cookie = t->group->sites[i];
	const u32 *tgid;
	int ret = 0;

	if (!reach)
		return take_event(t, how->open(pmu, s, 0), cookie, how->has_cookie);
	vec_for_each(tgid, &reach->tgids) {
		ret = take_event(t, how->open(pmu, s, *tgid), cookie, how->has_cookie);
		if (ret && ret != -ESRCH) /* the process has ended */
			return ret;
	}
	return 0;
}

static int attach_each(struct attaching *t, const struct single *how)
{
	struct pmu pmu;

	if (pmu_find(t, how->pmu_name, &pmu))
		return -t->err->code;
	for (u32 i = 0; i < t->group->n; i++) {
		int ret = attach_single(t, how, &pmu, i);

		if (ret && attaching_refused(t, attaching_site(t, i), -ret))
			return -t->err->code;
		if (!attaching_step(t, 1))
			break;
	}
	return 0;
}

int attach_kprobes(struct attaching *t)
{
	return attach_each(t, &(struct single){ "kprobe", open_kprobe, t->can->cookie_kprobe });
}

int attach_uprobes(struct attaching *t)
{
	return attach_each(t, &(struct single){ "uprobe", open_uprobe, t->can->cookie_uprobe });
}

/* ---- samples ---- */

struct sampling {
	struct attaching *t;
	const struct site *s;
	u32 site;
	int ret;
	u32 n_open;
};

static void sample_cpu(void *ctx, u64 cpu)
{
	struct sampling *p = ctx;
	const struct site *s = p->s;
	struct perf_event_attr attr = {
		.type = s->perf_type,
		.config = s->perf_config,
		.freq = s->rate_hz != 0,
		.disabled = 1,
	};
	int ret;

	if (attr.freq)
		attr.sample_freq = s->rate_hz;
	else
		attr.sample_period = s->period;
	ret = take_event(p->t, perf_open(&attr, 0, (int)cpu), p->site, p->t->can->cookie_kprobe);
	p->n_open += !ret;
	/* A CPU may have gone offline since the list was read. */
	if (ret && ret != -ENODEV)
		p->ret = ret;
}

static int no_event(struct attaching *t, const struct site *s, int errnum)
{
	if (errnum != ENOENT && errnum != EOPNOTSUPP && errnum != ENODEV)
		return attaching_refused(t, s, errnum);
	return err_set(
		t->err, ERR_KERNEL,
		"'%s' can't be counted here: no hardware counts it (likely a virtual machine)",
		s->name);
}

int attach_perf(struct attaching *t)
{
	_cleanup_(str_release) struct str online = { 0 };

	if (file_read("/sys/devices/system/cpu/online", 4096, &online))
		return err_set(t->err, ERR_FAIL, "cannot tell which CPUs there are");
	if (online.n && online.p[online.n - 1] == '\n')
		online.p[--online.n] = '\0';
	for (u32 i = 0; i < t->group->n; i++) {
		struct sampling p = { .t = t,
				      .s = attaching_site(t, i),
				      .site = t->group->sites[i] };

		if (num_ranges(str_text(&online), 1 << 20, "CPU", sample_cpu, &p, t->err) < 0)
			return -t->err->code;
		if ((p.ret || !p.n_open) && no_event(t, p.s, p.ret ? -p.ret : ENODEV))
			return -t->err->code;
		if (!attaching_step(t, 1))
			break;
	}
	return 0;
}
