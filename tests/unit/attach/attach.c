// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sites that are really attached to: a program that counts what this process does, at this
 * process's own functions.  Needs root.
 */
#include "attach/attach_int.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/str.h"
#include "host/tracefs.h"
#include "test.h"

#define N_CALLS 1000

long attached_one(long x);
long attached_two(long x);

__attribute__((noinline)) long attached_one(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) long attached_two(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

/* The kernel puts no breakpoint where there is one already, or on bytes that it cannot decode. */
#ifdef __aarch64__
__asm__(".globl attached_refused\n.type attached_refused,%function\nattached_refused: brk #4\nret\n"
	".size attached_refused, .-attached_refused\n");
#else
__asm__(".globl attached_refused\n.type attached_refused,@function\nattached_refused: .byte 0xc5, 0xf9, 0\nret\n"
	".size attached_refused, .-attached_refused\n");
#endif

void attached_refused(void);

/* The linker keeps functions that may be called. */
static void *volatile kept[] = { attached_one, attached_two, attached_refused };

static struct plan_ability can;
static enum attach_method forced;
static bool (*progress)(void *ctx, u64 done, u64 all);

/* r0 = this process's hits in array `map` + 1. */
static int load_counter(int map, const struct attach_kind *kind)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .imm = 32 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .off = 9, .imm = getpid() },
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = 10, .off = -4 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = -4 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = 1,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map },
		{ 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 1 },
		{ .code = BPF_STX | BPF_XADD | BPF_DW, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = kind->expected_attach_type);

	return bpf_prog_load((enum bpf_prog_type)kind->prog_type, "test", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

static void calls(void)
{
	CHECK(kept[0]);
	/* A probe of the test before may still be there, and its return is a system call. */
	for (long i = 0; i < N_CALLS; i++) {
		if (forced != ATTACH_SYSCALL_RAW && forced != ATTACH_RAW_TP)
			attached_one(i);
		syscall(SYS_getppid);
	}
}

struct outcome {
	u64 count, n_sites, n_refused, missed;
	struct err err;
};

static u64 value_of(int map)
{
	u64 value = 0;
	u32 zero = 0;

	CHECK(!bpf_map_lookup_elem(map, &zero, &value));
	return value;
}

static void attach_all(struct probe_plan *plan, struct outcome *o)
{
	struct attach_kind kind = attach_kind(plan, &can);
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "count", 4, 8, 1, NULL);
	u32 sites[64];
	struct attach_group group = { sites, (u32)plan->sites.n, load_counter(map, &kind) };
	struct attach *a;

	CHECK(map >= 0 && plan->sites.n <= ARRAY_SIZE(sites));
	if (group.prog_fd < 0) {
		printf("# %s: %s\n", attach_method_name(plan->method), strerror(errno));
		SKIP("the kernel has no such program type, or we may not load it");
	}
	for (u32 i = 0; i < group.n; i++)
		sites[i] = i;
	o->n_sites = plan->sites.n;
	if (!attach_open(plan, &group, 1, &can, progress, NULL, &a, &o->err)) {
		calls();
		o->count = value_of(map);
		o->missed = attach_missed(a);
		attach_disable(&a, 1);
		attach_close(&a, 1);
	}
	o->n_refused = plan->n_skipped[SKIP_REFUSED];
}

static struct outcome outcome_of(const char *text)
{
	struct outcome o = { 0 };
	struct kernel *k = kernel_open(NULL);
	const struct plan_opts opts = { .forced = forced };
	struct arena arena = { 0 };
	struct probe_plan plan = { 0 };
	struct probe_spec spec;

	if (geteuid())
		SKIP("needs root");
	can.methods = ~0ULL;
	if (!probe_parse(&arena, text, SPEC_FUNCCOUNT, NULL, &spec, &o.err) &&
	    !plan_build(k, &spec, &can, &opts, &plan, &o.err))
		attach_all(&plan, &o);
	plan_release(&plan);
	probe_spec_release(&spec);
	arena_release(&arena);
	kernel_close(k);
	return o;
}

static void counts(const char *text, enum attach_method method)
{
	struct outcome o;

	forced = method;
	o = outcome_of(text);
	if (o.err.code)
		printf("# %s\n", o.err.what);
	CHECK(!o.err.code);
	CHECK_U64(o.count, N_CALLS);
}

TEST(a_user_function_by_uprobe_multi)
{
	counts("/proc/self/exe:attached_one", ATTACH_UPROBE_MULTI);
}

TEST(its_return_by_uprobe_multi)
{
	counts("r:/proc/self/exe:attached_one", ATTACH_UPROBE_MULTI);
}

TEST(a_user_function_by_uprobe)
{
	counts("/proc/self/exe:attached_one", ATTACH_UPROBE);
}

TEST(its_return_by_uprobe)
{
	counts("r:/proc/self/exe:attached_one", ATTACH_UPROBE);
}

TEST(a_user_function_by_an_event)
{
	counts("/proc/self/exe:attached_one", ATTACH_UPROBE_EVENT);
}

TEST(its_return_by_an_event)
{
	counts("r:/proc/self/exe:attached_one", ATTACH_UPROBE_EVENT);
}

TEST(a_system_call_by_raw_tracepoint)
{
	struct outcome o;

	forced = ATTACH_SYSCALL_RAW;
	o = outcome_of("syscall:getppid");
	CHECK(!o.err.code);
	/* This program doesn't ask which call it is. */
	CHECK(o.count >= N_CALLS && o.count < N_CALLS + 50);
	o = outcome_of("r:syscall:getppid");
	CHECK(o.count >= N_CALLS && o.count < N_CALLS + 50);
	CHECK_U64(o.missed, 0);
}

TEST(a_system_call_by_tracepoint)
{
	counts("t:syscalls:sys_enter_getppid", ATTACH_TRACEPOINT);
}

TEST(a_tracepoint_without_its_record)
{
	struct outcome o;

	forced = ATTACH_RAW_TP;
	o = outcome_of("t:raw_syscalls:sys_enter");
	CHECK(!o.err.code);
	CHECK(o.count >= N_CALLS && o.count < N_CALLS + 50);
}

TEST(several_functions_share_a_program)
{
	struct outcome o;

	forced = ATTACH_NONE;
	o = outcome_of("/proc/self/exe:attached_{one,two}");
	CHECK(!o.err.code);
	CHECK_U64(o.n_sites, 2);
	CHECK_U64(o.count, N_CALLS);
}

static void leaves_out(enum attach_method method)
{
	struct outcome o;

	forced = method;
	o = outcome_of("/proc/self/exe:attached_*");
	if (o.err.code)
		printf("# %s: %s\n", o.err.what, o.err.hint);
	CHECK(!o.err.code);
	CHECK_U64(o.n_refused, 1);
	CHECK_U64(o.count, N_CALLS);
}

TEST(refused_sites_of_a_pattern_are_left_out)
{
	leaves_out(ATTACH_UPROBE_MULTI);
	leaves_out(ATTACH_UPROBE);
	leaves_out(ATTACH_UPROBE_EVENT);
}

TEST(a_refused_site_that_was_named_is_an_error)
{
	static const enum attach_method methods[] = { ATTACH_UPROBE_MULTI, ATTACH_UPROBE,
						      ATTACH_UPROBE_EVENT };

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		struct outcome o;

		forced = methods[i];
		o = outcome_of("/proc/self/exe:attached_refused");
		CHECK(o.err.code);
		CHECK(strstr(o.err.what, "attached_refused"));
	}
}

/* From here on the kernel returns EPERM, as it does for a sampler of irq_vectors:irq_work_exit. */
static bool forbid_events(void *ctx, u64 done, u64 all)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };

	(void)ctx, (void)done, (void)all;
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog));
	progress = NULL;
	return true;
}

TEST(tracepoints_that_are_not_permitted_are_left_out)
{
	struct outcome o;

	forced = ATTACH_TRACEPOINT;
	progress = forbid_events;
	o = outcome_of("t:syscalls:sys_{enter,exit}_getppid");
	if (o.err.code)
		printf("# %s\n", o.err.what);
	CHECK(!o.err.code);
	CHECK_U64(o.n_refused, 1);
	CHECK_U64(o.count, N_CALLS);
}

TEST(when_no_tracepoint_is_permitted_that_is_the_error)
{
	struct outcome o;

	if (geteuid())
		SKIP("needs root");
	forced = ATTACH_TRACEPOINT;
	forbid_events(NULL, 0, 0);
	o = outcome_of("t:syscalls:sys_{enter,exit}_getppid");
	CHECK_U64(o.err.code, ERR_PERM);
	CHECK(strstr(o.err.what, "getppid"));
}

/* ---- what dead ones leave ---- */

static bool is_defined(const char *event)
{
	char path[256], line[512];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/uprobe_events", tracefs_path());
	f = fopen(path, "re");
	CHECK(f);
	while (fgets(line, sizeof(line), f))
		found |= strstr(line, event) != NULL;
	fclose(f);
	return found;
}

static void command(const char *what, const char *event, const char *tail)
{
	char path[256], line[256];
	int n = snprintf(line, sizeof(line), "%s:%s%s\n", what, event, tail), fd;

	snprintf(path, sizeof(path), "%s/uprobe_events", tracefs_path());
	fd = open(path, O_WRONLY | O_APPEND);
	CHECK(fd >= 0 && write(fd, line, (size_t)n) == n);
	close(fd);
}

TEST(events_of_the_dead_are_removed)
{
	char dead[64], ours[64], reused[64], elsewhere[64];
	unsigned long long start, space;
	unsigned pid;
	char *rest;

	if (geteuid() || !tracefs_path())
		SKIP("needs root and tracefs");
	attach_owner_name(ours, sizeof(ours));
	CHECK(!strncmp(ours, "bperf_", 6));
	pid = (unsigned)strtoul(ours + 6, &rest, 10);
	CHECK(pid == (unsigned)getpid() && *rest == '_');
	start = strtoull(rest + 1, &rest, 10);
	CHECK(*rest == '_');
	space = strtoull(rest + 1, &rest, 10);
	CHECK(!*rest);
	snprintf(reused, sizeof(reused), "bperf_%u_%llu_%llu/e1", pid, start - 1, space);
	snprintf(elsewhere, sizeof(elsewhere), "bperf_%u_%llu_%llu/e2", pid, start - 1, space + 1);
	pid = (unsigned)fork();
	if (!pid)
		_exit(0);
	/* Also while nobody has waited for the process. */
	waitid(P_PID, pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	snprintf(dead, sizeof(dead), "bperf_%u_%llu_%llu/e0", pid, start, space);
	strcat(ours, "/e9");
	command("p", dead, " /proc/self/exe:0x1000");
	command("p", reused, " /proc/self/exe:0x1000");
	command("p", elsewhere, " /proc/self/exe:0x1000");
	command("p", ours, " /proc/self/exe:0x1000");
	CHECK(is_defined(dead) && is_defined(ours));
	CHECK(attach_remove_stale() >= 2);
	CHECK(!is_defined(dead));
	CHECK(!is_defined(reused));
	CHECK(is_defined(ours));
	CHECK(is_defined(elsewhere));
	command("-", ours, "");
	command("-", elsewhere, "");
	waitpid((pid_t)pid, NULL, 0);
}

TEST(our_events_are_removed_at_the_end)
{
	char event[64];

	forced = ATTACH_UPROBE_EVENT;
	CHECK(!outcome_of("/proc/self/exe:attached_one").err.code);
	snprintf(event, sizeof(event), "bperf_%d_", (int)getpid());
	for (int i = 0; i < 100 && is_defined(event); i++)
		usleep(50000);
	CHECK(!is_defined(event));
}
