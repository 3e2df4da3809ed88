// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What this host can do (run/feature.h), as the choice of attach methods wants to know it. */
#include "cmd/ability.h"

#include <stdio.h>

#include "run/feature.h"

/* A method works where all its features do; asked in order, for the first that is missing. */
static const struct {
	enum attach_method method;
	enum feature needs[2];
	u32 n_needs;
	u32 kinds; /* 1 << enum site_kind: who may use it */
} methods[] = {
#define KIND(name)   (1U << SITE_##name)
#define KERNEL_FUNCS (KIND(FUNC) | KIND(FUNC_RET) | KIND(SYSCALL) | KIND(SYSCALL_RET))
#define USER_FUNCS   (KIND(UFUNC) | KIND(UFUNC_RET) | KIND(USDT))
#define TRACEPOINTS  (KIND(TRACEPOINT) | KIND(RAW) | KIND(SYSCALL) | KIND(SYSCALL_RET))
	{ ATTACH_RAW_TP, { FEATURE_RAW_TP }, 1, TRACEPOINTS },
	{ ATTACH_TP_BTF, { FEATURE_TP_BTF }, 1, KIND(RAW) | KIND(TRACEPOINT) },
	{ ATTACH_TRACEPOINT, { FEATURE_TRACEPOINT }, 1, TRACEPOINTS },
	{ ATTACH_FENTRY, { FEATURE_FENTRY }, 1, KERNEL_FUNCS },
	{ ATTACH_KPROBE_MULTI, { FEATURE_KPROBE_MULTI }, 1, KERNEL_FUNCS },
	{ ATTACH_KPROBE_EVENT, { FEATURE_KPROBE, FEATURE_TRACEFS }, 2, KERNEL_FUNCS },
	{ ATTACH_KPROBE, { FEATURE_KPROBE }, 1, KERNEL_FUNCS },
	{ ATTACH_UPROBE_MULTI, { FEATURE_UPROBE_MULTI }, 1, USER_FUNCS },
	{ ATTACH_UPROBE_EVENT, { FEATURE_UPROBE, FEATURE_TRACEFS }, 2, USER_FUNCS },
	{ ATTACH_UPROBE, { FEATURE_UPROBE }, 1, USER_FUNCS },
	{ ATTACH_PERF, { FEATURE_PERF_EVENT }, 1, KIND(PERF) },
	{ ATTACH_SYSCALL_RAW, { FEATURE_RAW_TP }, 1, TRACEPOINTS | KERNEL_FUNCS },
};

static void measure(struct plan_ability *can, size_t i)
{
	for (u32 n = 0; n < methods[i].n_needs; n++) {
		enum feature f = methods[i].needs[n];

		if (!feature_is_missing(f))
			continue;
		can->missing[methods[i].method] = feature_result(f)->detail;
		return;
	}
	can->methods |= 1ULL << methods[i].method;
}

void ability_measure(u32 kinds, struct plan_ability *can)
{
	u32 probes = KERNEL_FUNCS | USER_FUNCS;

	*can = (struct plan_ability){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (methods[i].kinds & kinds)
			measure(can, i);
	if (kinds & probes)
		can->cookie_kprobe = can->cookie_uprobe = can->has_func_ip =
			feature_has(FEATURE_COOKIE);
	can->cookie_multi =
		can->methods & (1ULL << ATTACH_KPROBE_MULTI | 1ULL << ATTACH_UPROBE_MULTI);
	if (kinds & TRACEPOINTS)
		can->cookie_raw_tp = feature_has(FEATURE_COOKIE_RAW_TP);
}

void ability_assume(struct plan_ability *can)
{
	*can = (struct plan_ability){
		.methods = ~0ULL,
		.cookie_kprobe = true,
		.cookie_uprobe = true,
		.cookie_multi = true,
		.cookie_raw_tp = true,
		.has_func_ip = true,
	};
}
