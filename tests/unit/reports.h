/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports written by hand, for the tests of model/ and out/. */
#ifndef REPORTS_H
#define REPORTS_H

#include "model/report.h"

/* A report that is being built: its frames and stacks, all on one table. */
struct sample {
	struct run_info run;
	struct report report;
	VEC(struct stack_node) nodes;
	VEC(struct stack_task) tasks;
	VEC(struct waker_chain) chains;
	VEC(struct waker_link) links;
};

/* Frame indexes, leaf first, ended by NONE. */
#define NONE UINT32_MAX

/* The path's leaf; every stack has nodes of its own, so that joining them is tested too. */
static inline u32 sample_path(struct sample *s, const u32 *frames)
{
	u32 n = 0, node = 0;

	while (frames && frames[n] != NONE)
		n++;
	while (n-- > 0) {
		vec_push(&s->nodes, (struct stack_node){ .parent = node, .frame = frames[n] });
		node = (u32)s->nodes.n - 1;
	}
	s->report.nodes = s->nodes.items;
	s->report.n_nodes = s->nodes.n;
	return node;
}

static inline void sample_add_row(struct sample *s, const struct stack_task *task,
				  struct stack_row row)
{
	row.task = (u32)s->tasks.n;
	vec_push(&s->tasks, *task);
	s->report.tasks = s->tasks.items;
	s->report.n_tasks = s->tasks.n;
	vec_push(&s->report.stacks, row);
	s->report.total += row.value;
}

static inline u32 sample_task(struct sample *s, const char *comm, s64 pid)
{
	vec_push(&s->tasks,
		 (struct stack_task){
			 .root = comm, .comm = comm, .pid = pid, .tid = pid, .cpu = -1 });
	s->report.tasks = s->tasks.items;
	s->report.n_tasks = s->tasks.n;
	return (u32)s->tasks.n - 1;
}

/* A chain without links so far; of the row that was added last, if there is one. */
static inline void sample_chain(struct sample *s, enum chain_end end)
{
	if (!s->chains.n)
		vec_push(&s->chains, (struct waker_chain){ 0 });
	if (s->report.stacks.n)
		s->report.stacks.items[s->report.stacks.n - 1].chain = (u32)s->chains.n;
	vec_push(&s->chains, (struct waker_chain){ .first = (u32)s->links.n, .end = end });
	s->report.chains = s->chains.items;
	s->report.n_chains = s->chains.n;
}

/* The next link of the last chain. */
static inline void sample_link(struct sample *s, struct waker_link link)
{
	vec_push(&s->links, link);
	s->chains.items[s->chains.n - 1].n++;
	s->report.links = s->links.items;
	s->report.n_links = s->links.n;
}

static inline void sample_waker(struct sample *s, const char *comm, s64 pid, const u32 *kernel,
				const u32 *user, u64 value)
{
	sample_link(s, (struct waker_link){
			       .kind = WAKER_THREAD,
			       .task = sample_task(s, comm, pid),
			       .kernel = sample_path(s, kernel),
			       .user = sample_path(s, user),
			       .value = value,
		       });
}

static inline void sample_interrupt(struct sample *s, enum waker_kind kind, const char *name,
				    const u32 *kernel, u64 value)
{
	sample_link(s, (struct waker_link){
			       .kind = kind,
			       .name = name,
			       .kernel = sample_path(s, kernel),
			       .value = value,
		       });
}

/* A stack of `comm` (pid); its root frame is the comm. */
static inline void sample_add(struct sample *s, const char *comm, s64 pid, u64 value,
			      const u32 *kernel, const u32 *user)
{
	const struct stack_task task = {
		.root = comm, .comm = comm, .pid = pid, .tid = -1, .cpu = -1
	};

	sample_add_row(s, &task,
		       (struct stack_row){
			       .kernel = sample_path(s, kernel),
			       .user = sample_path(s, user),
			       .value = value,
			       .count = s->run.unit == UNIT_NS ? value / 1000000 + 1 : value,
		       });
}

/* The row that was added last lasted through the whole window. */
static inline void sample_whole(struct sample *s)
{
	struct stack_row *row = &s->report.stacks.items[s->report.stacks.n - 1];

	row->n_open = row->count;
	row->count = 0;
	row->is_whole = true;
	report_count_whole(&s->report, row);
	s->report.n_open += row->n_open;
}

#define PATH(...) ((const u32[]){ __VA_ARGS__, NONE })

static char *sample_argv[] = { (char *)"profile", (char *)"-F",	    (char *)"99",
			       (char *)"--comm",  (char *)"my app", (char *)"5" };

static inline void sample_init(struct sample *s, const struct frame *frames, size_t n)
{
	*s = (struct sample){ 0 };
	s->run = (struct run_info){
		.command = "profile",
		.title = "CPU profile",
		.argv = sample_argv,
		.argc = 6,
		.version = "0.0.0",
		.value_name = "samples",
		.event = "cpu-clock",
		.freq_hz = 99,
		.filter = "{}",
		.host = "db7",
		.kernel = "6.18.44",
		.arch = "x86_64",
		.boot_id = "00000000-0000-4000-8000-000000000000",
		.cpus_online = 4,
		.realtime_ns = 1795177069123456789ULL,
		.monotonic_ns = 1740365439944ULL,
	};
	s->report = (struct report){
		.run = &s->run,
		.kind = REPORT_STACKS,
		.end_ns = 5000312000ULL,
		.frames = frames,
		.n_frames = n,
	};
	vec_push(&s->nodes, (struct stack_node){ 0 });
	s->report.nodes = s->nodes.items;
	s->report.n_nodes = 1;
	s->report.ledger.stacks.complete = 6;
	s->report.ledger.symbols.frames = 10;
	s->report.ledger.symbols.symbolized = 9;
}

static inline void sample_release(struct sample *s)
{
	report_release(&s->report);
	vec_release(&s->nodes);
	vec_release(&s->tasks);
	vec_release(&s->chains);
	vec_release(&s->links);
}

/* From here on a report of time, as `command` makes it. */
static inline void sample_waits(struct sample *s, char *command, enum shape shape)
{
	static char *argv[1];

	argv[0] = command;
	s->run.command = command;
	s->run.title = shape == SHAPE_STACK ? "Off-CPU time" : "Blocked time";
	s->run.value_name = shape == SHAPE_STACK ? "offcpu" : "blocked";
	s->run.argv = argv;
	s->run.argc = 1;
	s->run.unit = UNIT_NS;
	s->run.shape = shape;
	s->run.event = NULL;
	s->run.freq_hz = 0;
}

/* ---- a web server, as people see them ---- */

enum {
	F_MAIN,
	F_WORKER,
	F_HANDLE,
	F_PUSH_BACK,
	F_LIBSSL,
	F_WRITE,
	F_SYSCALL,
	F_TCP,
	F_NFT,
	F_JIT,
	F_MISSED,
	F_BPF,
	F_VDSO,
	F_UNKNOWN,
	F_N,
};

static const struct frame server_frames[F_N] = {
	[F_MAIN] = { .name = "main",
		     .module = "/usr/sbin/nginx",
		     .build_id = "8713b9c3",
		     .vaddr = 0x1010,
		     .off = 0x10,
		     .kind = FRAME_USER },
	[F_WORKER] = { .name = "worker_cycle",
		       .module = "/usr/sbin/nginx",
		       .build_id = "8713b9c3",
		       .vaddr = 0x2020,
		       .off = 0x20,
		       .kind = FRAME_USER },
	[F_HANDLE] = { .name = "handle_request",
		       .module = "/usr/sbin/nginx",
		       .build_id = "8713b9c3",
		       .vaddr = 0x3030,
		       .off = 0x30,
		       .kind = FRAME_USER },
	[F_PUSH_BACK] = { .name = "std::vector<int>::push_back(int&&)",
			  .linkage = "_ZNSt6vectorIiE9push_backEOi",
			  .module = "/usr/sbin/nginx",
			  .build_id = "8713b9c3",
			  .vaddr = 0x4040,
			  .off = 0x40,
			  .kind = FRAME_USER },
	[F_LIBSSL] = { .module = "/usr/lib/x86_64-linux-gnu/libssl.so.3",
		       .build_id = "c0ffee",
		       .vaddr = 0x31234,
		       .off = 0x31234,
		       .kind = FRAME_USER },
	[F_WRITE] = { .name = "__write",
		      .module = "/usr/lib/x86_64-linux-gnu/libc.so.6",
		      .build_id = "abcdef",
		      .vaddr = 0xf5050,
		      .off = 0x50,
		      .kind = FRAME_USER },
	[F_SYSCALL] = { .name = "do_syscall_64",
			.module = "[kernel]",
			.addr = 0xffffffff81001234,
			.vaddr = 0xffffffff81001234,
			.off = 0x34,
			.kind = FRAME_KERNEL },
	[F_TCP] = { .name = "tcp_sendmsg",
		    .module = "[kernel]",
		    .addr = 0xffffffff81800010,
		    .vaddr = 0xffffffff81800010,
		    .off = 0x10,
		    .kind = FRAME_KERNEL },
	[F_NFT] = { .name = "nft_do_chain",
		    .module = "nf_tables",
		    .addr = 0xffffffffc0100008,
		    .vaddr = 0xffffffffc0100008,
		    .off = 8,
		    .kind = FRAME_MODULE },
	[F_JIT] = { .name = "LambdaForm$MH.invoke",
		    .addr = 0x7f0012345678,
		    .vaddr = 0x7f0012345678,
		    .off = 0x18,
		    .kind = FRAME_JIT },
	[F_MISSED] = { .name = FRAME_MISSED_USER, .kind = FRAME_NOTE },
	[F_BPF] = { .name = "bpf_prog_1234_filter",
		    .module = "[bpf]",
		    .addr = 0xffffffffa0000010,
		    .vaddr = 0xffffffffa0000010,
		    .off = 0x10,
		    .kind = FRAME_BPF },
	[F_VDSO] = { .name = "__vdso_clock_gettime",
		     .module = "[vdso]",
		     .vaddr = 0xb10,
		     .off = 0x10,
		     .kind = FRAME_VDSO },
	[F_UNKNOWN] = { .addr = 0x7fff00000010, .vaddr = 0x7fff00000010, .kind = FRAME_UNKNOWN },
};

static inline void sample_server(struct sample *s)
{
	sample_init(s, server_frames, F_N);
	sample_add(s, "nginx", 1200, 310, PATH(F_TCP, F_SYSCALL),
		   PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(s, "nginx", 1201, 95, PATH(F_TCP, F_SYSCALL),
		   PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(s, "nginx", 1200, 240, NULL, PATH(F_PUSH_BACK, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(s, "nginx", 1200, 88, PATH(F_NFT, F_TCP, F_SYSCALL),
		   PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(s, "nginx", 1200, 41, NULL, PATH(F_LIBSSL, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(s, "nginx", 1201, 12, NULL, PATH(F_VDSO, F_WORKER, F_MAIN));
	sample_add(s, "java", 77, 160, NULL, PATH(F_JIT, F_JIT));
	sample_add(s, "java", 77, 35, PATH(F_BPF, F_SYSCALL), PATH(F_UNKNOWN, F_JIT));
	sample_add(s, "kworker/3:1", 88, 19, PATH(F_TCP), PATH(F_MISSED));
	s->report.ledger.lost[LOST_stack_fault] = 19;
	s->report.ledger.lost[LOST_missed] = LOST_UNKNOWN;
}

#endif
