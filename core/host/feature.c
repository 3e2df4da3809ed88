// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/feature.h"

#include <errno.h>
#include <stdio.h>

#include "host/caps.h"
#include "host/feature_try.h"

#define NO_KERNEL_FUNCTIONS "kernel functions cannot be probed, tracepoints can"
#define NO_USER_FUNCTIONS   "user functions cannot be probed"

static const struct {
	struct feature_info info;
	void (*probe)(struct feature_result *r);
} features[FEATURE_N] = {
	[FEATURE_BTF] = { { .key = "btf",
			    .title = "kernel BTF",
			    .loss = "programs cannot be fitted to the kernel",
			    .next = "give a BTF file made for this kernel: --btf FILE or BPERF_BTF" },
			  probe_btf },
	[FEATURE_PRIVILEGES] = { { .key = "privileges",
				   .title = "privileges",
				   .loss = "no program may be loaded",
				   .next = "run it with sudo, or give the file these capabilities (setcap)" },
				 probe_privileges },
	[FEATURE_LOCKDOWN] = { { .key = "lockdown",
				 .title = "lockdown",
				 .loss = "BPF programs cannot read the kernel's memory",
				 .next = "boot with lockdown=integrity or none" },
			       probe_lockdown },
	[FEATURE_PERF_EVENT] = { { .key = "perf_event",
				   .title = "CPU sampling",
				   .loss = "CPUs cannot be sampled",
				   .next = "sysctl kernel.perf_event_paranoid=2, or run it as root" },
				 probe_perf_event },
	[FEATURE_PMU] = { { .key = "pmu",
			    .title = "hardware counters",
			    .loss = "time is sampled by cpu-clock" },
			  probe_pmu },
	[FEATURE_RING_BUFFER] = { { .key = "ring_buffer",
				    .title = "ring buffer",
				    .loss = "no stack can be sent" },
				  probe_ring_buffer },
	[FEATURE_RAW_TP] = { { .key = "raw_tp",
			       .title = "raw tracepoints",
			       .loss = "forks and switches cannot be seen" },
			     probe_raw_tp },
	[FEATURE_TP_BTF] = { { .key = "tp_btf",
			       .title = "typed tracepoints",
			       .loss = "raw ones are used" },
			     probe_tp_btf },
	[FEATURE_TRACEPOINT] = { { .key = "tracepoint",
				   .title = "tracepoints",
				   .loss = "t: probes are counted, but have no fields",
				   .others = FEATURE_BIT(RAW_TP),
				   .last_loss = "t: probes cannot be used" },
				 probe_tracepoint },
	[FEATURE_KPROBE] = { { .key = "kprobe",
			       .title = "kprobes",
			       .loss = "only begins and returns of kernel functions can be probed",
			       .others = FEATURE_BIT(KPROBE_MULTI) | FEATURE_BIT(FENTRY),
			       .last_loss = NO_KERNEL_FUNCTIONS },
			     probe_kprobe },
	[FEATURE_KPROBE_MULTI] = { { .key = "kprobe_multi",
				     .title = "kprobe.multi",
				     .loss = "many kernel functions attach and detach slowly",
				     .next = "newer kernels with CONFIG_FPROBE have it",
				     .others = FEATURE_BIT(KPROBE) | FEATURE_BIT(FENTRY),
				     .last_loss = NO_KERNEL_FUNCTIONS },
				   probe_kprobe_multi },
	[FEATURE_FENTRY] = { { .key = "fentry",
			       .title = "fentry/fexit",
			       .loss = "arguments of kernel functions are read from registers",
			       .next = "newer kernels with CONFIG_FUNCTION_TRACER have it",
			       .others = FEATURE_BIT(KPROBE) | FEATURE_BIT(KPROBE_MULTI),
			       .last_loss = NO_KERNEL_FUNCTIONS },
			     probe_fentry },
	[FEATURE_UPROBE] = { { .key = "uprobe",
			       .title = "uprobes, USDT",
			       .loss = "user functions are probed by uprobe.multi alone",
			       .others = FEATURE_BIT(UPROBE_MULTI),
			       .last_loss = NO_USER_FUNCTIONS },
			     probe_uprobe },
	[FEATURE_UPROBE_MULTI] = { { .key = "uprobe_multi",
				     .title = "uprobe.multi",
				     .loss = "many user functions attach and detach slowly",
				     .others = FEATURE_BIT(UPROBE),
				     .last_loss = NO_USER_FUNCTIONS },
				   probe_uprobe_multi },
	[FEATURE_COOKIE] = { { .key = "cookie",
			       .title = "attach cookies",
			       .loss = "probes are told apart by address" },
			     probe_cookie },
	[FEATURE_COOKIE_RAW_TP] = { { .key = "cookie_raw_tp",
				      .title = "raw_tp cookies",
				      .loss = "one program per raw tracepoint" },
				    probe_cookie_raw_tp },
	[FEATURE_ITER_TASK] = { { .key = "iter_task",
				  .title = "task iterator",
				  .loss = "threads asleep before the start have no kernel stack" },
				probe_iter_task },
	[FEATURE_TRACEFS] = { { .key = "tracefs",
				.title = "tracefs",
				.loss = "t: probes cannot be used, and the kernel functions that can be "
					"probed are not known in advance" },
			      probe_tracefs },
	[FEATURE_KALLSYMS] = { { .key = "kallsyms",
				 .title = "kernel symbols",
				 .loss = "kernel functions have no names",
				 .next = "run it with CAP_SYSLOG, and sysctl kernel.kptr_restrict=1" },
			       probe_kallsyms },
	[FEATURE_BPF_JIT] = { { .key = "bpf_jit",
				.title = "BPF JIT",
				.loss = "BPF programs are interpreted: slow",
				.next = "sysctl net.core.bpf_jit_enable=1" },
			      probe_bpf_jit },
	[FEATURE_LIMITS] = { { .key = "limits", .title = "limits" }, probe_limits },
};

static struct {
	struct feature_result result;
	bool is_known;
} known[FEATURE_N];

const struct feature_info *feature_info(enum feature f)
{
	return &features[f].info;
}

static bool is_any_left(u64 others)
{
	for (u32 i = 0; i < FEATURE_N; i++)
		if (others >> i & 1 && !feature_is_missing((enum feature)i))
			return true;
	return false;
}

const char *feature_loss(enum feature f)
{
	const struct feature_info *info = feature_info(f);

	return !info->others || is_any_left(info->others) ? info->loss : info->last_loss;
}

const char *feature_next(enum feature f)
{
	const char *here = feature_result(f)->next;

	return here ? here : feature_info(f)->next;
}

/* EPERM says nothing about the kernel if the capabilities are missing. */
static void soften(struct feature_result *r)
{
	bool is_refusal = r->errnum == EPERM || r->errnum == EACCES;

	if (r->verdict == FEATURE_NO && is_refusal &&
	    !(cap_have(CAP_ID_BPF) && cap_have(CAP_ID_PERFMON)))
		feature_say(r, FEATURE_UNKNOWN, "it takes CAP_BPF and CAP_PERFMON%s to find out",
			    caps_are_confined() ? " of the host" : "");
}

const struct feature_result *feature_result(enum feature f)
{
	if (!known[f].is_known) {
		known[f].is_known = true;
		features[f].probe(&known[f].result);
		soften(&known[f].result);
	}
	return &known[f].result;
}

/* true if the failure is a missing permission, not a missing kernel feature. */
static bool is_forbidden(enum feature f)
{
	int errnum = feature_result(f)->errnum;

	return f == FEATURE_PRIVILEGES || f == FEATURE_LOCKDOWN || errnum == EPERM ||
	       errnum == EACCES;
}

int feature_require(u64 needs, struct err *err)
{
	for (u32 i = 0; i < FEATURE_N; i++) {
		enum feature f = (enum feature)i;
		const struct feature_info *info = &features[f].info;
		const char *next;

		if (!(needs >> f & 1) || !feature_is_missing(f))
			continue;
		err_clear(err);
		err_set(err, is_forbidden(f) ? ERR_PERM : ERR_KERNEL, "%s: %s -> %s", info->title,
			feature_result(f)->detail, feature_loss(f));
		next = feature_next(f);
		return err_hint(err, "%s", next ? next : "bperf doctor shows what works here");
	}
	return 0;
}
