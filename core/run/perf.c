// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/perf.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "host/caps.h"

/* Side-band pages per CPU: the record of a mapping has about 120 bytes, and the rings are read ten
 * times a second. */
#define RING_PAGES 16

static size_t ring_bytes(void)
{
	return (RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Set the attributes that are the same for all events of a CPU, whose records are in one ring. */
static void fill_common(struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.sample_type = PERF_SAMPLE_TIME, /* time stamps in the records */
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, /* the clock of bpf_ktime_get_ns() */
		.watermark = 1,
		.wakeup_watermark = (u32)(RING_PAGES / 2 * sysconf(_SC_PAGESIZE)),
	};
}

static void fill_sampling(const struct perf_spec *spec, struct perf_event_attr *attr)
{
	attr->type = spec->type;
	attr->config = spec->config;
	attr->freq = !spec->period;
	if (spec->period)
		attr->sample_period = spec->period;
	else
		attr->sample_freq = spec->freq_hz;
}

/* The side band belongs to an event: the sampled one, or, on CPUs that are not sampled, one that
 * counts nothing.  CPUs other than those of -C need one because mappings made on them matter
 * too. */
static void fill_attr(const struct perf_spec *spec, bool is_sampled, struct perf_event_attr *attr)
{
	fill_common(attr);
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	if (is_sampled) {
		fill_sampling(spec, attr);
		return;
	}
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
}

static u64 read_sysctl(const char *path, u64 otherwise)
{
	_cleanup_(str_release) struct str text = { 0 };
	u64 v;

	if (file_read(path, 64, &text))
		return otherwise;
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	return num_parse_dec(str_view(&text), &v) ? v : otherwise;
}

static int explain(int errnum, const struct perf_spec *spec, struct err *err)
{
	u64 max = read_sysctl("/proc/sys/kernel/perf_event_max_sample_rate", UINT64_MAX);

	if (errnum == EACCES || errnum == EPERM) {
		if (caps_check(err))
			return -err->code;
		/* Level 3 exists on Debian and Android: some of their kernels then do not accept
		 * CAP_PERFMON. */
		if (read_sysctl("/proc/sys/kernel/perf_event_paranoid", 0) > 2 &&
		    !cap_have(CAP_ID_SYS_ADMIN)) {
			err_set(err, ERR_PERM,
				"cannot sample %s: kernel.perf_event_paranoid is 3 or more, and "
				"this kernel then requires CAP_SYS_ADMIN",
				spec->name);
			return err_hint(err, "run it as root, or set it to 2: sysctl "
					     "kernel.perf_event_paranoid=2");
		}
		err_set(err, ERR_PERM, "cannot sample %s: the kernel refuses perf events",
			spec->name);
		return err_hint(err, "lockdown (confidentiality), a seccomp profile or a security "
				     "module forbids perf_event_open(2)");
	}
	if (spec->freq_hz > max) {
		err_set(err, ERR_USAGE, "-F %llu: the kernel samples at most at %llu Hz",
			spec->freq_hz, max);
		return err_hint(err, "kernel.perf_event_max_sample_rate sets this limit");
	}
	if (errnum == ENOENT || errnum == EOPNOTSUPP || errnum == EINVAL || errnum == ENODEV) {
		err_set(err, ERR_KERNEL, "this machine does not count '%s'", spec->name);
		return err_hint(err, "virtual machines often have no hardware counters; cpu-clock "
				     "works everywhere: -e cpu-clock");
	}
	if (errnum == EMFILE || errnum == ENFILE) {
		err_errno(err, errnum, "cannot open an event on each CPU");
		return err_hint(err, "raise the limit of open files: ulimit -n");
	}
	return err_errno(err, errnum, "cannot sample %s", spec->name);
}

static bool is_wanted(const struct perfev *p, u32 cpu)
{
	return p->prog && (!p->only.v.n || cpus_has(&p->only, cpu));
}

static void close_cpu(struct perfev_cpu *c);

static int attach(const struct perf_spec *spec, int fd, struct bpf_program *prog, u32 cpu,
		  struct bpf_link **link, struct err *err)
{
	*link = bpf_program__attach_perf_event(prog, fd);
	return *link ? 0 : err_errno(err, errno, "cannot attach to %s on CPU %u", spec->name, cpu);
}

/*
 * Both events are one group, so that they count during the same time even if other users of the PMU
 * leave them only a part of it.  The group begins when its first event is enabled, which attaching
 * does: on 6.18 a second event never counts if cpu-clock is already running.  Records about
 * throttling go to the ring of the first.
 */
static int open_second(struct perfev *p, struct perfev_cpu *c, struct err *err)
{
	struct perf_event_attr attr;

	fill_common(&attr);
	fill_sampling(&p->second_spec, &attr);
	c->second_fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)c->cpu, c->fd,
				    PERF_FLAG_FD_CLOEXEC);
	if (c->second_fd < 0)
		return explain(errno, &p->second_spec, err);
	ioctl(c->second_fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd);
	return attach(&p->second_spec, c->second_fd, p->second_prog, c->cpu, &c->second_link, err);
}

/* Returns 0, 1 if the CPU is offline, or -code. */
static int open_cpu(struct perfev *p, u32 cpu, struct err *err)
{
	struct perfev_cpu c = { .cpu = cpu, .second_fd = -1 };
	bool is_sampled = is_wanted(p, cpu);
	struct perf_event_attr attr;
	int ret = 0;

	fill_attr(&p->spec, is_sampled, &attr);
	attr.disabled = is_sampled && p->second_prog;
	c.fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (c.fd < 0 && !p->prog)
		p->no_side_band = true;
	if (c.fd < 0 && (!is_sampled || ((errno == ENODEV || errno == ENXIO) && p->cpus.n)))
		return 1;
	if (c.fd < 0)
		return explain(errno, &p->spec, err);
	c.ring = mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, c.fd, 0);
	if (c.ring == MAP_FAILED) {
		c.ring = NULL;
		p->no_side_band = true;
	}
	if (is_sampled && p->second_prog)
		ret = open_second(p, &c, err);
	if (is_sampled && !ret)
		ret = attach(&p->spec, c.fd, p->prog, cpu, &c.link, err);
	if (ret)
		close_cpu(&c);
	else
		vec_push(&p->cpus, c);
	return ret;
}

/*
 * A CPU can go offline and come back within 90 ms, which polling the list of CPUs may miss, and the
 * events of that CPU are then dead without an error.  The kernel's uevents report it.  Returns -1
 * if they are not available.
 */
static int uevents_open(void)
{
	struct sockaddr_nl at = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || !bind(fd, (const struct sockaddr *)&at, sizeof(at)))
		return fd;
	close(fd);
	return -1;
}

void perfev_add(struct perfev *p, const struct perf_spec *spec, struct bpf_program *prog)
{
	p->second_spec = *spec;
	p->second_prog = prog;
}

int perfev_open(struct perfev *p, const struct perf_spec *spec, const u32 *cpus, size_t n_cpus,
		struct bpf_program *prog, struct err *err)
{
	const struct cpus *online = &p->online;
	int ret = 0;

	p->spec = *spec;
	p->prog = prog;
	p->is_open = true;
	for (size_t i = 0; i < n_cpus; i++)
		vec_push(&p->only.v, cpus[i]);
	p->uevents = uevents_open();
	cpus_online(&p->online);
	for (size_t i = 0; i < online->v.n && ret >= 0; i++)
		ret = open_cpu(p, online->v.items[i], err);
	if (ret >= 0 && p->no_side_band)
		log_info("this kernel sends no side-band records: mappings are read from /proc "
			 "only");
	return ret < 0 ? ret : 0;
}

void perfev_listen(struct perfev *p)
{
	struct err ignored = { 0 };

	perf_spec_default(&p->spec);
	p->is_open = true;
	p->uevents = uevents_open();
	cpus_online(&p->online);
	for (size_t i = 0; i < p->online.v.n; i++)
		open_cpu(p, p->online.v.items[i], &ignored);
	err_clear(&ignored);
	if (p->no_side_band)
		log_info("this kernel sends no side-band records: mappings are read from /proc "
			 "only");
}

static void close_one(int *fd, struct bpf_link **link)
{
	if (*link)
		bpf_link__destroy(*link); /* closes fd */
	else if (*fd >= 0)
		close(*fd);
	*link = NULL;
	*fd = -1;
}

static void close_event(struct perfev_cpu *c)
{
	close_one(&c->second_fd, &c->second_link);
	close_one(&c->fd, &c->link);
}

static void close_cpu(struct perfev_cpu *c)
{
	close_event(c);
	if (c->ring)
		munmap(c->ring, ring_bytes());
	c->ring = NULL;
}

static struct perfev_cpu *find_cpu(struct perfev *p, u32 cpu)
{
	struct perfev_cpu *c;

	vec_for_each(c, &p->cpus)
		if (c->cpu == cpu)
			return c;
	return NULL;
}

static void drop_cpu(struct perfev *p, struct perfev_cpu *c)
{
	log_info("CPU %u went offline", c->cpu);
	perfev_read_side(p);
	close_cpu(c);
	*c = p->cpus.items[--p->cpus.n];
}

static void drop_offline(struct perfev *p, const struct cpus *online)
{
	for (size_t i = p->cpus.n; i-- > 0;)
		if (!cpus_has(online, p->cpus.items[i].cpu))
			drop_cpu(p, &p->cpus.items[i]);
}

/* Parses "offline@/devices/system/cpu/cpu3", NUL, variables. */
static bool offline_parse(const char *text, u64 *cpu)
{
	static const char start[] = "offline@/devices/system/cpu/cpu";

	return !strncmp(text, start, sizeof(start) - 1) &&
	       num_parse_dec(view_of(text + sizeof(start) - 1), cpu);
}

/* Drop the events of CPUs that went offline, even if these CPUs are back; true: there were some. */
static bool drop_told(struct perfev *p)
{
	struct sockaddr_nl from = { 0 };
	socklen_t n_from = sizeof(from);
	bool has_dropped = false;
	char text[8192];
	ssize_t n;

	while ((n = recvfrom(p->uevents, text, sizeof(text) - 1, 0, (struct sockaddr *)&from,
			     &n_from)) >= 0) {
		struct perfev_cpu *c;
		u64 cpu;

		text[n] = '\0';
		n_from = sizeof(from);
		if (from.nl_pid || !offline_parse(text, &cpu)) /* 0: the kernel */
			continue;
		c = find_cpu(p, (u32)cpu);
		if (!c)
			continue;
		drop_cpu(p, c);
		has_dropped = true;
	}
	return has_dropped;
}

static void open_new(struct perfev *p, const struct cpus *online)
{
	struct err err = { 0 };

	for (size_t i = 0; i < online->v.n; i++) {
		u32 cpu = online->v.items[i];

		if (find_cpu(p, cpu))
			continue;
		if (open_cpu(p, cpu, &err) < 0)
			log_warn("cpu-not-sampled", "CPU %u came online and cannot be sampled: %s",
				 cpu, err.what);
		else
			log_info("CPU %u came online", cpu);
		err_clear(&err);
	}
}

/* Called ten times a second: with thousands of CPUs, only the comparison of two lists is cheap
 * enough.  A CPU that cannot be sampled is reported once. */
void perfev_follow_hotplug(struct perfev *p)
{
	struct cpus online = { 0 };
	bool has_dropped;

	if (!p->is_open)
		return;
	has_dropped = p->uevents >= 0 && drop_told(p);
	cpus_online(&online);
	if (!has_dropped && online.v.n == p->online.v.n &&
	    !memcmp(online.v.items, p->online.v.items, online.v.n * sizeof(*online.v.items))) {
		cpus_release(&online);
		return;
	}
	drop_offline(p, &online);
	open_new(p, &online);
	cpus_release(&p->online);
	p->online = online;
}

/* ---- side-band records ------------------------------------------------------------------- */

/* The bodies of the kinds of records, after the header; all records end with the time. */
struct mmap2_body {
	u32 pid, tid;
	u64 addr, len, pgoff;
	u32 maj, min;
	u64 ino, ino_generation;
	u32 prot, flags;
	char path[];
};

struct task_body { /* fork and exit */
	u32 pid, ppid, tid, ptid;
	u64 time;
};

struct comm_body {
	u32 pid, tid;
	char comm[];
};

struct ksymbol_body {
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[];
};

static u64 time_of(const struct perf_event_header *h)
{
	u64 t;

	memcpy(&t, (const char *)h + h->size - sizeof(t), sizeof(t));
	return t;
}

/* false for a process outside our PID namespace (0) or one that is gone (-1): several processes
 * would share that number, and so each other's mappings. */
static bool is_somebody(u32 tgid)
{
	return tgid && tgid != (u32)-1;
}

static void take_mmap(struct perfev *p, const struct perf_event_header *h)
{
	const struct mmap2_body *m = (const void *)(h + 1);
	size_t room = h->size - sizeof(*h) - sizeof(u64);

	if (room <= sizeof(*m) || !is_somebody(m->pid))
		return;
	vec_push(&p->side,
		 (struct perf_side){
			 .time_ns = time_of(h),
			 .kind = SIDEBAND_MMAP,
			 .tgid = m->pid,
			 .start = m->addr,
			 .len = m->len,
			 .pgoff = m->pgoff,
			 .maj = m->maj,
			 .min = m->min,
			 .ino = m->ino,
			 .path = intern_n(&p->paths, m->path, strnlen(m->path, room - sizeof(*m))),
		 });
}

static void take_task(struct perfev *p, const struct perf_event_header *h)
{
	const struct task_body *t = (const void *)(h + 1);
	struct perf_side side = { .time_ns = time_of(h), .tgid = t->pid, .parent_tgid = t->ppid };

	if (h->size < sizeof(*h) + sizeof(*t) + sizeof(u64) || !is_somebody(t->pid))
		return;
	if (h->type == PERF_RECORD_FORK && t->pid != t->ppid && is_somebody(t->ppid))
		side.kind = SIDEBAND_FORK;
	else if (h->type == PERF_RECORD_EXIT && t->pid == t->tid)
		side.kind = SIDEBAND_EXIT;
	else
		return; /* a thread */
	vec_push(&p->side, side);
}

static void take_comm(struct perfev *p, const struct perf_event_header *h)
{
	const struct comm_body *c = (const void *)(h + 1);

	if (!(h->misc & PERF_RECORD_MISC_COMM_EXEC) ||
	    h->size < sizeof(*h) + sizeof(*c) + sizeof(u64) || !is_somebody(c->pid))
		return;
	vec_push(&p->side, (struct perf_side){
				   .time_ns = time_of(h), .kind = SIDEBAND_EXEC, .tgid = c->pid });
}

/* A BPF program or trampoline was loaded; unloading is ignored. */
static void take_ksymbol(struct perfev *p, const struct perf_event_header *h)
{
	const struct ksymbol_body *k = (const void *)(h + 1);
	size_t room = h->size - sizeof(*h) - sizeof(u64);

	if (room <= sizeof(*k) || k->type != PERF_RECORD_KSYMBOL_TYPE_BPF ||
	    k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return;
	vec_push(&p->side,
		 (struct perf_side){
			 .time_ns = time_of(h),
			 .kind = SIDEBAND_KSYMBOL,
			 .start = k->addr,
			 .len = k->len,
			 .path = intern_n(&p->paths, k->name, strnlen(k->name, room - sizeof(*k))),
		 });
}

static void take_lost(struct perfev *p, const struct perf_event_header *h)
{
	u64 body[2]; /* id, lost */

	if (h->size < sizeof(*h) + sizeof(body))
		return;
	memcpy(body, h + 1, sizeof(body));
	if (!p->side_lost)
		log_warn("mappings-lost",
			 "mapping events arrived faster than they were read: names may be missing");
	p->side_lost += body[1];
}

static void on_record(struct perfev *p, const struct perf_event_header *h)
{
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		take_mmap(p, h);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(p, h);
		break;
	case PERF_RECORD_COMM:
		take_comm(p, h);
		break;
	case PERF_RECORD_KSYMBOL:
		take_ksymbol(p, h);
		break;
	case PERF_RECORD_LOST:
		take_lost(p, h);
		break;
	case PERF_RECORD_THROTTLE:
		p->throttled++;
		break;
	}
}

/* Copy `n` bytes at ring offset `at`, which may wrap. */
static void ring_copy(const char *data, u64 size, u64 at, void *out, size_t n)
{
	size_t first = (size_t)(size - at % size);

	if (first > n)
		first = n;
	memcpy(out, data + at % size, first);
	memcpy((char *)out + first, data, n - first);
}

static void read_ring(struct perfev *p, struct perfev_cpu *c)
{
	struct perf_event_mmap_page *page = c->ring;
	u64 size = RING_PAGES * (u64)sysconf(_SC_PAGESIZE);
	const char *data = (const char *)c->ring + sysconf(_SC_PAGESIZE);
	u64 head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	union {
		struct perf_event_header header;
		u64 words[8192]; /* header.size is 16 bits */
	} rec;

	while (tail < head) {
		ring_copy(data, size, tail, &rec.header, sizeof(rec.header));
		if (rec.header.size < sizeof(rec.header) + sizeof(u64) ||
		    tail + rec.header.size > head)
			break;
		ring_copy(data, size, tail, &rec, rec.header.size);
		on_record(p, &rec.header);
		tail += rec.header.size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	const struct perf_side *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

void perfev_read_side(struct perfev *p)
{
	size_t n_new = p->side.n - p->side_taken;
	struct perfev_cpu *c;

	p->read_ns = now_ns();
	/* Move the records that were not taken yet to the front; all records are sorted again
	 * below. */
	if (p->side_taken) {
		memmove(p->side.items, p->side.items + p->side_taken,
			n_new * sizeof(*p->side.items));
		p->side.n = n_new;
		p->side_taken = 0;
	}
	vec_for_each(c, &p->cpus)
		if (c->ring)
			read_ring(p, c);
	if (p->side.n > n_new)
		qsort(p->side.items, p->side.n, sizeof(*p->side.items), by_time);
}

const struct perf_side *perfev_next_side(struct perfev *p, u64 until_ns)
{
	/* The stack may be newer than the last read, and the records of its mappings still in the
	 * rings. */
	if (until_ns > p->read_ns && until_ns != UINT64_MAX)
		perfev_read_side(p);
	if (p->side_taken == p->side.n || p->side.items[p->side_taken].time_ns > until_ns)
		return NULL;
	return &p->side.items[p->side_taken++];
}

void perfev_detach(struct perfev *p)
{
	struct perfev_cpu *c;

	vec_for_each(c, &p->cpus)
		close_event(c);
}

void perfev_release(struct perfev *p)
{
	struct perfev_cpu *c;

	vec_for_each(c, &p->cpus)
		close_cpu(c);
	if (p->is_open)
		close_p(&p->uevents);
	vec_release(&p->cpus);
	vec_release(&p->side);
	cpus_release(&p->only);
	cpus_release(&p->online);
	intern_release(&p->paths);
}
