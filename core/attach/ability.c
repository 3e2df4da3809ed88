// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Features of this host (host/feature.h), in the form that the choice of attach methods needs. */
#include "attach/ability.h"

#include <stdio.h>

#include "host/feature.h"

#define KIND(name)   (1U << SITE_##name)
#define KERNEL_FUNCS (KIND(FUNC) | KIND(FUNC_RET) | KIND(SYSCALL) | KIND(SYSCALL_RET))
#define USER_FUNCS   (KIND(UFUNC) | KIND(UFUNC_RET) | KIND(USDT))
#define TRACEPOINTS  (KIND(TRACEPOINT) | KIND(RAW) | KIND(SYSCALL) | KIND(SYSCALL_RET))

/* A method needs all its features; the first missing one is reported.  Whether tracepoints accept
 * programs is not tested: the test takes as long as attaching, which gives the same answer. */
static const struct {
	enum attach_method method;
	enum feature needs[2];
	u32 n_needs;
} methods[] = {
	{ ATTACH_RAW_TP, { FEATURE_RAW_TP }, 1 },
	{ ATTACH_TP_BTF, { FEATURE_TP_BTF }, 1 },
	{ ATTACH_TRACEPOINT, { FEATURE_TRACEFS }, 1 },
	{ ATTACH_FENTRY, { FEATURE_FENTRY }, 1 },
	{ ATTACH_KPROBE_MULTI, { FEATURE_KPROBE_MULTI }, 1 },
	{ ATTACH_KPROBE_EVENT, { FEATURE_KPROBE, FEATURE_TRACEFS }, 2 },
	{ ATTACH_KPROBE, { FEATURE_KPROBE }, 1 },
	{ ATTACH_UPROBE_MULTI, { FEATURE_UPROBE_MULTI }, 1 },
	{ ATTACH_UPROBE_EVENT, { FEATURE_UPROBE, FEATURE_TRACEFS }, 2 },
	{ ATTACH_UPROBE, { FEATURE_UPROBE }, 1 },
	{ ATTACH_PERF, { FEATURE_PERF_EVENT }, 1 },
	{ ATTACH_SYSCALL_RAW, { FEATURE_RAW_TP }, 1 },
	{ ATTACH_SYSCALL_EVENT, { FEATURE_COOKIE_RAW_TP, FEATURE_TRACEFS }, 2 },
};

static bool ask(enum attach_method m, const char **why)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		if (methods[i].method != m)
			continue;
		for (u32 n = 0; n < methods[i].n_needs; n++) {
			if (!feature_is_missing(methods[i].needs[n]))
				continue;
			*why = feature_result(methods[i].needs[n])->detail;
			return false;
		}
		return true;
	}
	return false;
}

void ability_measure(u32 kinds, struct plan_ability *can)
{
	/* Kernels that have kprobe.multi or uprobe.multi also have its cookies. */
	*can = (struct plan_ability){ .ask = ask, .cookie_multi = true };
	if (kinds & (KERNEL_FUNCS | USER_FUNCS))
		can->cookie_kprobe = can->cookie_uprobe = can->has_func_ip =
			feature_has(FEATURE_COOKIE);
	if (kinds & TRACEPOINTS)
		can->cookie_raw_tp = feature_has(FEATURE_COOKIE_RAW_TP);
}

void ability_assume(struct plan_ability *can)
{
	*can = (struct plan_ability){
		.methods = ~(1ULL << ATTACH_SYSCALL_EVENT),
		.cookie_kprobe = true,
		.cookie_uprobe = true,
		.cookie_multi = true,
		.cookie_raw_tp = true,
		.has_func_ip = true,
	};
}
