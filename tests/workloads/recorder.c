/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * recorder [SECONDS]: the scheduler's events, recorded without any code of bperf: tracepoints that
 * are read through perf_event_open.  Prints "pid N" when it records, and at the end one line per
 * event:
 *
 *	switch NS CPU PREV STATE NEXT
 *	waking NS CPU PID
 *	new NS CPU PID
 *	exec NS CPU PID OLD
 *
 * by thread, in the order of each CPU; and "lost N".  Ends at SIGTERM.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include "work.h"

#define EVENTS	  "/sys/kernel/tracing/events/sched/"
#define RING_SIZE (16u << 20) /* bytes: a second of 200,000 events on one CPU */
#define MAX_CPUS  64
#define MAX_ARGS  3

static const struct kind {
	const char *name, *word, *fields[MAX_ARGS];
} kinds[] = {
	{ "sched_switch", "switch", { "prev_pid", "prev_state", "next_pid" } },
	{ "sched_waking", "waking", { "pid" } },
	{ "sched_wakeup_new", "new", { "pid" } },
	{ "sched_process_exec", "exec", { "pid", "old_pid" } },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The offsets and sizes of an event's fields. */
static struct layout {
	unsigned int id, offset[MAX_ARGS], size[MAX_ARGS];
} layouts[N_KINDS];

static struct ring {
	int fd;
	struct perf_event_mmap_page *page;
} rings[MAX_CPUS];

static volatile sig_atomic_t is_over;
static u64 n_lost;

static void die(const char *what)
{
	printf("%s: %m\n", what);
	exit(77);
}

static void read_layout(u32 k)
{
	char path[128], line[256], name[64];
	unsigned int offset, size;
	FILE *f;

	snprintf(path, sizeof(path), EVENTS "%s/format", kinds[k].name);
	f = fopen(path, "r");
	if (!f)
		die(path);
	while (fgets(line, sizeof(line), f)) {
		char *end = strchr(line, ';');

		sscanf(line, "ID: %u", &layouts[k].id);
		if (!end || sscanf(end, "; offset:%u; size:%u", &offset, &size) != 2)
			continue;
		*end = '\0';
		snprintf(name, sizeof(name), "%s", strrchr(line, ' ') + 1);
		for (u32 i = 0; i < MAX_ARGS && kinds[k].fields[i]; i++)
			if (!strcmp(name, kinds[k].fields[i])) {
				layouts[k].offset[i] = offset;
				layouts[k].size[i] = size;
			}
	}
	fclose(f);
}

static int open_event(u32 k, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = layouts[k].id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.wakeup_events = 1000,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void open_cpu(int cpu)
{
	struct ring *r = &rings[cpu];

	for (u32 k = 0; k < N_KINDS; k++) {
		int fd = open_event(k, cpu);

		if (fd < 0)
			die("perf_event_open");
		if (!k)
			r->fd = fd;
		else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd))
			die("PERF_EVENT_IOC_SET_OUTPUT");
		if (k)
			continue;
		r->page = mmap(NULL, RING_SIZE + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (r->page == MAP_FAILED)
			die("mmap");
	}
}

static unsigned long long field(const unsigned char *raw, const struct layout *l, u32 i)
{
	unsigned long long v = 0;

	memcpy(&v, raw + l->offset[i], l->size[i]);
	return v;
}

static void print_sample(int cpu, u64 time, const unsigned char *raw)
{
	unsigned short id;

	memcpy(&id, raw, sizeof(id));
	for (u32 k = 0; k < N_KINDS; k++) {
		if (layouts[k].id != id)
			continue;
		printf("%s %llu %d", kinds[k].word, (unsigned long long)time, cpu);
		for (u32 i = 0; i < MAX_ARGS && kinds[k].fields[i]; i++)
			printf(" %llu", field(raw, &layouts[k], i));
		putchar('\n');
	}
}

/* One record at `at`, which may wrap around the ring's end. */
static u32 print_record(int cpu, u64 at)
{
	const unsigned char *ring = (const void *)((const char *)rings[cpu].page + 4096);
	static unsigned char buf[65536];
	struct perf_event_header *h = (void *)buf;
	u64 time, lost;

	for (u32 i = 0; i < sizeof(*h); i++)
		buf[i] = ring[(at + i) % RING_SIZE];
	for (u32 i = sizeof(*h); i < h->size; i++)
		buf[i] = ring[(at + i) % RING_SIZE];
	if (h->type == PERF_RECORD_SAMPLE) {
		memcpy(&time, buf + sizeof(*h), sizeof(time));
		print_sample(cpu, time, buf + sizeof(*h) + sizeof(time) + sizeof(u32));
	} else if (h->type == PERF_RECORD_LOST) {
		memcpy(&lost, buf + sizeof(*h) + 8, sizeof(lost));
		n_lost += lost;
	}
	return h->size;
}

static void on_term(int sig)
{
	(void)sig;
	is_over = 1;
}

/* Nothing is printed while it records: that would be events of its own. */
static void print_all(int cpu)
{
	struct perf_event_mmap_page *page = rings[cpu].page;
	u64 head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

	for (u64 at = page->data_tail; at < head;)
		at += print_record(cpu, at);
}

/* If tracefs is not mounted, mount it for this process only. */
static void mount_tracefs(void)
{
	if (!access(EVENTS "sched_switch/format", R_OK))
		return;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL))
		die("cannot mount tracefs");
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 10), start = wall_ns();
	int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

	mount_tracefs();
	for (u32 k = 0; k < N_KINDS; k++)
		read_layout(k);
	for (int cpu = 0; cpu < n_cpus && cpu < MAX_CPUS; cpu++)
		open_cpu(cpu);
	signal(SIGTERM, on_term);
	printf("pid %d\n", getpid());
	fflush(stdout);
	while (!is_over && wall_ns() - start < ns)
		poll(NULL, 0, 20);
	for (int cpu = 0; cpu < n_cpus && cpu < MAX_CPUS; cpu++)
		ioctl(rings[cpu].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	for (int cpu = 0; cpu < n_cpus && cpu < MAX_CPUS; cpu++)
		print_all(cpu);
	printf("lost %llu\n", (unsigned long long)n_lost);
	return 0;
}
