// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Features that are found by trying: load the smallest program that needs the feature and, where
 * the kernel may refuse that step, attach it for a moment.  Attach types that the linked libbpf may
 * not know are requested by bpf(2) directly.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "host/btf.h"
#include "host/caps.h"
#include "host/feature_try.h"
#include "host/perfspec.h"
#include "host/tracefs.h"

/* Values of include/uapi/linux/bpf.h, some of them newer than the headers of Debian 12. */
#define ATTACH_KPROBE_MULTI	 42
#define ATTACH_UPROBE_MULTI	 48
#define HELPER_GET_STACK	 67
#define HELPER_PROBE_READ_KERNEL 113
#define HELPER_GET_ATTACH_COOKIE 174

/* A function with BTF that all supported kernels have and that is rarely called. */
#define KERNEL_FUNCTION "ksys_sync"

/* ---- loading ------------------------------------------------------------------------------ */

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV_IMM(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV_REG(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define CALL(helper)  INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define EXIT()	      INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static const struct bpf_insn does_nothing[] = { MOV_IMM(BPF_REG_0, 0), EXIT() };

struct program {
	enum bpf_prog_type type;
	u32 attach_type, btf_id;
	const struct bpf_insn *insns; /* NULL: a program that does nothing */
	size_t n_insns;
};

/* Returns a descriptor, or -1 with errno set. */
static int load(const struct program *p)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	const struct bpf_insn *insns = p->insns ? p->insns : does_nothing;
	int fd;

	opts.expected_attach_type = (enum bpf_attach_type)p->attach_type;
	opts.attach_btf_id = p->btf_id;
	fd = bpf_prog_load(p->type, "bperf_doctor", "Dual BSD/GPL", insns,
			   p->insns ? p->n_insns : ARRAY_SIZE(does_nothing), &opts);
	if (fd < 0)
		errno = -fd;
	return fd;
}

#define KERNEL_ENOTSUPP 524 /* include/linux/errno.h; it can reach user space */

static const char *errno_name(int errnum)
{
	const char *name = errnum == KERNEL_ENOTSUPP ? "ENOTSUPP" : strerrorname_np(errnum);

	return name ? name : "an error without a name";
}

/* Describe the first error of an attempt. */
static void refuse(struct feature_result *r, const char *doing)
{
	r->errnum = errno;
	if (r->errnum == EINVAL) /* the kernel's answer to everything that it does not know */
		feature_say(r, FEATURE_NO, "not in this kernel");
	else
		feature_say(r, FEATURE_NO, "%s refused (%s)", doing, errno_name(r->errnum));
}

/* For features where only loading can fail. */
static void try_load(struct feature_result *r, const struct program *p)
{
	int fd = load(p);

	if (fd < 0) {
		refuse(r, "load");
		return;
	}
	close(fd);
	feature_say(r, FEATURE_OK, "yes");
}

/* The id of a type in the kernel's BTF; 0: not found. */
static u32 kernel_type(const char *name, u32 kind)
{
	struct err ignored = { 0 };
	const struct btf *btf = kernel_types(NULL, &ignored);
	int id = btf ? btf__find_by_name_kind(btf, name, kind) : -1;
	return id > 0 ? (u32)id : 0;
}

static bool find_type(struct feature_result *r, const char *name, u32 kind, u32 *id)
{
	*id = kernel_type(name, kind);
	if (!*id)
		feature_say(r, FEATURE_NO, "'%s' is not in the kernel's BTF", name);
	return *id;
}

/* ---- attaching ---------------------------------------------------------------------------- */

/* The part of bpf(BPF_LINK_CREATE) that libbpf 1.1 has no options for. */
struct link_create {
	u32 prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			u32 flags, cnt;
			u64 syms, addrs, cookies;
		} kprobe_multi;
		struct {
			u64 path, offsets, ref_ctr_offsets, cookies;
			u32 cnt, flags, pid;
		} uprobe_multi;
		u8 room[128];
	};
};

static int create_link(struct link_create *attr)
{
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));
}

/* Set the verdict (OK if `link` is a descriptor) and close both descriptors. */
static void conclude(struct feature_result *r, int prog, int link)
{
	if (link < 0)
		refuse(r, "attach");
	else
		feature_say(r, FEATURE_OK, "yes");
	if (link >= 0)
		close(link);
	close(prog);
}

static int open_perf_event(struct perf_event_attr *attr, int pid, int cpu)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A uprobe opened through perf, and any event under Debian's perf_event_paranoid=3, needs
 * CAP_SYS_ADMIN, where other events need only CAP_PERFMON. */
static void attach_to_event(struct feature_result *r, const struct program *p,
			    struct perf_event_attr *attr, int pid, int cpu)
{
	int prog = load(p), event;

	if (prog < 0) {
		refuse(r, "load");
		return;
	}
	event = open_perf_event(attr, pid, cpu);
	if (event >= 0 && ioctl(event, PERF_EVENT_IOC_SET_BPF, prog)) {
		int errnum = errno;

		close(event);
		errno = errnum;
		event = -1;
	}
	conclude(r, prog, event);
	if (r->errnum == EACCES && !cap_have(CAP_ID_SYS_ADMIN))
		r->next = "perf events of this kind need CAP_SYS_ADMIN";
}

static void attach_raw(struct feature_result *r, const struct program *p, const char *name)
{
	int prog = load(p), link;

	if (prog < 0) {
		refuse(r, "load");
		return;
	}
	link = bpf_raw_tracepoint_open(name, prog);
	if (link < 0)
		errno = -link;
	conclude(r, prog, link);
}

static void attach_link(struct feature_result *r, const struct program *p, struct link_create *attr)
{
	int prog = load(p);

	if (prog < 0) {
		refuse(r, "load");
		return;
	}
	attr->prog_fd = (u32)prog;
	attr->attach_type = p->attach_type;
	conclude(r, prog, create_link(attr));
}

/* ---- sampling ----------------------------------------------------------------------------- */

/* As in `profile`: sample one CPU, all tasks, with a program that reads the stack. */
void probe_perf_event(struct feature_result *r)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_2, BPF_REG_10),
		ADD_IMM(BPF_REG_2, -8),
		MOV_IMM(BPF_REG_3, 8),
		MOV_IMM(BPF_REG_4, 0),
		CALL(HELPER_GET_STACK),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};
	const struct program p = { .type = BPF_PROG_TYPE_PERF_EVENT,
				   .insns = insns,
				   .n_insns = ARRAY_SIZE(insns) };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000000,
					.disabled = 1 };
	struct perf_spec spec = { 0 };

	attach_to_event(r, &p, &attr, -1, sched_getcpu());
	if (r->verdict != FEATURE_OK)
		return;
	perf_spec_default(&spec);
	feature_say(r, FEATURE_OK, "%s", spec.name);
}

/* The events from which most ratios are made (profile --ratio). */
static const struct {
	const char *name;
	u64 config;
} pmu_events[] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
};

static bool has_pmu_event(u64 config)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = config,
					.sample_period = UINT32_MAX,
					.disabled = 1 };
	int fd = open_perf_event(&attr, -1, sched_getcpu());

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Name the events that can be sampled, and those that cannot. */
void probe_pmu(struct feature_result *r)
{
	_cleanup_(str_release) struct str has = { 0 }, lacks = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(pmu_events); i++) {
		struct str *list = has_pmu_event(pmu_events[i].config) ? &has : &lacks;

		if (!i && list == &lacks)
			refuse(r, "cycles");
		str_addf(list, "%s%s", list->n ? ", " : "", pmu_events[i].name);
	}
	if (has.n)
		feature_say(r, r->errnum ? FEATURE_WARN : FEATURE_OK, "%s%s%s", str_text(&has),
			    lacks.n ? "; not: " : "", str_text(&lacks));
	else if (r->errnum == ENOENT || r->errnum == EOPNOTSUPP)
		feature_say(r, FEATURE_WARN,
			    "none, likely a virtual machine: time is sampled by cpu-clock, and "
			    "--ratio has software events only");
}

/* ---- programs ----------------------------------------------------------------------------- */

void probe_ring_buffer(struct feature_result *r)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, (u32)sysconf(_SC_PAGESIZE), NULL);

	if (fd < 0) {
		errno = -fd;
		refuse(r, "map");
		return;
	}
	close(fd);
	feature_say(r, FEATURE_OK, "yes");
}

/* No tracepoint has this name, so a kernel with raw tracepoints returns ENOENT.  Attaching to an
 * existing one and detaching would delay the next attach, to any tracepoint, by an RCU grace
 * period: 5 to 20 ms. */
void probe_raw_tp(struct feature_result *r)
{
	attach_raw(r, &(struct program){ .type = BPF_PROG_TYPE_RAW_TRACEPOINT }, "bperf_none");
	if (r->errnum != ENOENT)
		return;
	r->errnum = 0;
	feature_say(r, FEATURE_OK, "yes");
}

void probe_tp_btf(struct feature_result *r)
{
	struct program p = { .type = BPF_PROG_TYPE_TRACING, .attach_type = BPF_TRACE_RAW_TP };

	if (find_type(r, "btf_trace_sched_switch", BTF_KIND_TYPEDEF, &p.btf_id))
		attach_raw(r, &p, NULL);
}

void probe_fentry(struct feature_result *r)
{
	struct program p = { .type = BPF_PROG_TYPE_TRACING, .attach_type = BPF_TRACE_FENTRY };

	if (find_type(r, KERNEL_FUNCTION, BTF_KIND_FUNC, &p.btf_id))
		attach_raw(r, &p, NULL);
}

void probe_iter_task(struct feature_result *r)
{
	struct program p = { .type = BPF_PROG_TYPE_TRACING, .attach_type = BPF_TRACE_ITER };
	struct link_create attr = { 0 };

	if (find_type(r, "bpf_iter_task", BTF_KIND_FUNC, &p.btf_id))
		attach_link(r, &p, &attr);
}

static bool read_id(const char *path, u64 *id)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line;

	if (file_read(path, 64, &text))
		return false;
	rest = str_view(&text);
	return view_split(&rest, '\n', &line) && num_parse_dec(line, id);
}

void probe_tracepoint(struct feature_result *r)
{
	const struct program p = { .type = BPF_PROG_TYPE_TRACEPOINT };
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 };
	const char *tracefs = tracefs_path();
	_cleanup_(free_p) char *path = NULL;
	u64 id;

	if (!tracefs) {
		feature_say(r, FEATURE_UNKNOWN, "their ids are in tracefs, which cannot be read");
		return;
	}
	path = mem_printf("%s/events/sched/sched_process_exec/id", tracefs);
	if (!read_id(path, &id)) {
		feature_say(r, FEATURE_UNKNOWN, "cannot read %s", path);
		return;
	}
	attr.config = id;
	attach_to_event(r, &p, &attr, -1, sched_getcpu());
}

/* The type number of the kprobe or uprobe PMU; the kernel has none when it is built without. */
static bool probe_pmu_type(struct feature_result *r, const char *pmu, const char *option, u32 *type)
{
	_cleanup_(free_p) char *path = mem_printf("/sys/bus/event_source/devices/%s/type", pmu);
	u64 id;

	if (!read_id(path, &id)) {
		feature_say(r, FEATURE_NO, "%s is off", option);
		r->next = "use a kernel that was built with it";
		return false;
	}
	*type = (u32)id;
	return true;
}

void probe_kprobe(struct feature_result *r)
{
	const struct program p = { .type = BPF_PROG_TYPE_KPROBE };
	struct perf_event_attr attr = { .config1 = (u64)(uintptr_t)KERNEL_FUNCTION };

	if (probe_pmu_type(r, "kprobe", "CONFIG_KPROBE_EVENTS", &attr.type))
		attach_to_event(r, &p, &attr, -1, sched_getcpu());
}

void probe_kprobe_multi(struct feature_result *r)
{
	const struct program p = { .type = BPF_PROG_TYPE_KPROBE,
				   .attach_type = ATTACH_KPROBE_MULTI };
	const char *names[] = { KERNEL_FUNCTION };
	struct link_create attr = {
		.kprobe_multi = { .cnt = 1, .syms = (u64)(uintptr_t)names },
	};

	attach_link(r, &p, &attr);
	if (r->errnum == EOPNOTSUPP)
		feature_say(r, FEATURE_NO, "CONFIG_FPROBE is off");
}

/* A path that continues below a file: a kernel with uprobes looks it up and returns ENOTDIR, which
 * perf_event_open returns for no other reason.  Removing a working uprobe would take a tenth of a
 * second. */
void probe_uprobe(struct feature_result *r)
{
	const struct program p = { .type = BPF_PROG_TYPE_KPROBE };
	struct perf_event_attr attr = { .config1 = (u64)(uintptr_t) "/proc/self/exe/none" };

	if (!probe_pmu_type(r, "uprobe", "CONFIG_UPROBE_EVENTS", &attr.type))
		return;
	attach_to_event(r, &p, &attr, 0, -1);
	if (r->errnum != ENOTDIR)
		return;
	r->errnum = 0;
	feature_say(r, FEATURE_OK, "yes");
}

/* A directory has no code: kernels with uprobe.multi return EBADF, others EINVAL.  Attaching a
 * working uprobe would mean waiting for its removal. */
void probe_uprobe_multi(struct feature_result *r)
{
	const struct program p = { .type = BPF_PROG_TYPE_KPROBE,
				   .attach_type = ATTACH_UPROBE_MULTI };
	u64 offset = 0;
	struct link_create attr = {
		.uprobe_multi = { .path = (u64)(uintptr_t) "/",
				  .offsets = (u64)(uintptr_t)&offset,
				  .cnt = 1 },
	};

	attach_link(r, &p, &attr);
	if (r->errnum != EBADF)
		return;
	r->errnum = 0;
	feature_say(r, FEATURE_OK, "yes");
}

/* ---- helpers ------------------------------------------------------------------------------ */

/* In lockdown=confidentiality the helpers that read kernel memory do not exist. */
enum feature_verdict probe_kernel_read(void)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_1, BPF_REG_10),
		ADD_IMM(BPF_REG_1, -8),
		MOV_IMM(BPF_REG_2, 8),
		MOV_IMM(BPF_REG_3, 0),
		CALL(HELPER_PROBE_READ_KERNEL),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};
	struct program p = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			     .insns = insns,
			     .n_insns = ARRAY_SIZE(insns) };
	struct feature_result with = { 0 }, without = { 0 };

	try_load(&with, &p);
	if (with.verdict == FEATURE_OK)
		return FEATURE_OK;
	p.insns = NULL;
	try_load(&without, &p);
	return without.verdict == FEATURE_OK ? FEATURE_NO : FEATURE_UNKNOWN;
}

static void try_cookie(struct feature_result *r, enum bpf_prog_type type)
{
	const struct bpf_insn insns[] = {
		CALL(HELPER_GET_ATTACH_COOKIE),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};

	try_load(r,
		 &(struct program){ .type = type, .insns = insns, .n_insns = ARRAY_SIZE(insns) });
}

void probe_cookie(struct feature_result *r)
{
	try_cookie(r, BPF_PROG_TYPE_KPROBE);
}

void probe_cookie_raw_tp(struct feature_result *r)
{
	try_cookie(r, BPF_PROG_TYPE_RAW_TRACEPOINT);
}
