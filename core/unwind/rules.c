// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/rules.h"

#include <string.h>

#include "base/hash.h"

void unwind_rules_init(struct unwind_rules *r)
{
	*r = (struct unwind_rules){ 0 };
	vec_push(&r->list, (struct cfi_rule){ .cfa = CFI_NONE });
}

void unwind_rules_release(struct unwind_rules *r)
{
	vec_release(&r->list);
	index_release(&r->index);
}

static bool is_rule(const struct unwind_rules *r, u32 id, const struct cfi_rule *rule)
{
	return !memcmp(&r->list.items[id], rule, sizeof(*rule));
}

static u64 rule_hash(const struct cfi_rule *rule)
{
	u64 words[2];

	_Static_assert(sizeof(words) == sizeof(*rule), "all of the rule is hashed");
	memcpy(words, rule, sizeof(words));
	return hash_mix(words[0], words[1]);
}

u16 unwind_rules_id(struct unwind_rules *r, const struct cfi_rule *rule)
{
	u64 hash;
	size_t at = 0;
	u32 id;

	if (rule->cfa == CFI_NONE)
		return 0;
	if (is_rule(r, r->last, rule))
		return (u16)r->last;
	hash = rule_hash(rule);
	while (index_next(&r->index, hash, &at, &id)) {
		if (!is_rule(r, id, rule))
			continue;
		r->last = id;
		return (u16)id;
	}
	if (r->list.n == CFI_RULES_MAX) {
		r->n_full++;
		return 0;
	}
	r->last = (u32)r->list.n;
	index_add(&r->index, hash, r->last);
	vec_push(&r->list, *rule);
	return (u16)r->last;
}
