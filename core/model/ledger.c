// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/ledger.h"

const char *const lost_names[LOST_N_REASONS] = {
#define X(name, text) #name,
	LOST_REASONS(X)
#undef X
};

const char *const lost_texts[LOST_N_REASONS] = {
#define X(name, text) text,
	LOST_REASONS(X)
#undef X
};

const char *const truncation_names[TRUNCATION_N_REASONS] = {
#define X(name, frame, text) #name,
	TRUNCATION_REASONS(X)
#undef X
};

const char *const truncation_frames[TRUNCATION_N_REASONS] = {
#define X(name, frame, text) frame,
	TRUNCATION_REASONS(X)
#undef X
};

const char *const truncation_texts[TRUNCATION_N_REASONS] = {
#define X(name, frame, text) text,
	TRUNCATION_REASONS(X)
#undef X
};

void ledger_set_unknown(struct ledger *l)
{
	for (int i = 0; i < LOST_N_REASONS; i++)
		l->lost[i] = LOST_UNKNOWN;
}

bool ledger_is_unknown(const struct ledger *l)
{
	for (int i = 0; i < LOST_N_REASONS; i++)
		if (l->lost[i] != LOST_UNKNOWN)
			return false;
	return true;
}

u64 ledger_total(const struct ledger *l)
{
	u64 sum = 0;

	for (int i = 0; i < LOST_N_REASONS; i++)
		if (l->lost[i] != LOST_UNKNOWN && __builtin_add_overflow(sum, l->lost[i], &sum))
			return UINT64_MAX;
	return sum;
}

bool ledger_is_clean(const struct ledger *l)
{
	for (int i = 0; i < LOST_N_REASONS; i++)
		if (l->lost[i])
			return false;
	return true;
}

double ledger_complete_share(const struct ledger *l)
{
	double cut = 0;

	if (!l->stacks.user)
		return -1;
	for (int i = 0; i < TRUNCATION_N_REASONS; i++)
		cut += (double)l->stacks.user_truncated[i];
	return 1 - cut / (double)l->stacks.user;
}

void ledger_lost_since(const struct ledger *now, const struct ledger *before, struct ledger *out)
{
	for (int i = 0; i < LOST_N_REASONS; i++)
		out->lost[i] = now->lost[i] == LOST_UNKNOWN ? LOST_UNKNOWN
							    : now->lost[i] - before->lost[i];
}
