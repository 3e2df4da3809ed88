// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whole programs: the filter, the predicate, and the action. */
#include "gen/gen_int.h"

#include "base/err.h"
#include "type/build.h"

void gen_refuse(struct gen *g, struct text_range at, const char *what)
{
	if (g->err->code)
		return;
	text_error(g->text, at.n ? at : g->in->span, g->err, "%s", what);
}

/* ---- counting, maps -------------------------------------------------------------------------- */

void gen_lookup(struct gen *g, int map_fd, struct gen_place key)
{
	gen_address(g, BPF_REG_2, key);
	insns_map(g->in, BPF_REG_1, map_fd);
	gen_emit(g, INSN_CALL(BPF_FUNC_map_lookup_elem));
}

void gen_window(struct gen *g)
{
	insns_map_value(g->in, BPF_REG_0, g->plan->maps.window);
	gen_emit(g, INSN_LOAD(BPF_W, BPF_REG_0, BPF_REG_0, 0));
}

/* Add 1 to the u64 at `field` of entry `index`; if `index` is UINT32_MAX, it is in r1. */
static void add_one(struct gen *g, int map_fd, u32 index, size_t field)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place key = gen_temp(g, sizeof(u64));
	u32 none = insns_label(g->in);

	if (index == UINT32_MAX)
		gen_emit(g, INSN_STORE(BPF_W, BPF_REG_10, key.off, BPF_REG_1));
	else
		gen_emit(g, INSN_STORE_K(BPF_W, BPF_REG_10, key.off, (s32)index));
	gen_lookup(g, map_fd, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_MOV_K(BPF_REG_1, 1));
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, field, BPF_REG_1));
	insns_place(g->in, none);
	gen_temp_end(g, mark);
}

void gen_count_probe(struct gen *g, size_t field)
{
	if (g->plan->maps.probe_counts)
		add_one(g, g->plan->maps.probe_counts, g->plan->probe, field);
}

void gen_count_absent(struct gen *g, u32 absent, u32 end)
{
	if (!insns_is_used(g->in, absent))
		return;
	insns_place(g->in, absent);
	gen_count_probe(g, offsetof(struct probe_count, absent));
	gen_jump(g, INSN_JA, end);
}

static bool is_any_stack(const struct tree *const *values, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (values[i]->type->kind == TYPE_STACK)
			return true;
	return false;
}

/* Reading the clock is the most expensive part of taking a slot. */
static bool needs_time(const struct gen_plan *p)
{
	return p->work.action == GEN_EVENT || gen_is_return(p) || gen_is_end(p) ||
	       is_any_stack(p->work.key, p->work.n_key) ||
	       is_any_stack(p->work.values, p->work.n_values);
}

void gen_take(struct gen *g, u32 none)
{
	if (g->plan->work.action == GEN_NOTHING) {
		struct gen_temp_mark mark = gen_temp_begin(g);
		struct gen_place key = gen_temp(g, sizeof(u64));

		gen_emit(g, INSN_STORE_K(BPF_W, BPF_REG_10, key.off, 0));
		gen_lookup(g, g->plan->maps.result, key);
		gen_temp_end(g, mark);
	} else {
		gen_emit(g, INSN_MOV_K(BPF_REG_1, (s32)g->plan->probe));
		gen_emit(g, INSN_MOV_K(BPF_REG_2, needs_time(g->plan)));
		insns_fixed(g->in, FIXED_take);
	}
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), none);
	gen_emit(g, INSN_MOV_X(R_SCRATCH, BPF_REG_0));
}

void gen_drop(struct gen *g)
{
	if (g->plan->work.action == GEN_NOTHING)
		return;
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_SCRATCH));
	insns_fixed(g->in, FIXED_drop);
}

/* ---- finding the site ------------------------------------------------------------------------ */

void gen_site(struct gen *g, u8 reg)
{
	if (g->site == NO_SLOT)
		gen_emit(g, INSN_MOV_K(reg, (s32)g->plan->hook.site));
	else
		gen_emit(g, INSN_LOAD(BPF_DW, reg, BPF_REG_10, g->site));
}

/* Look up r0 in maps.sites and put the index into r0; jump to exit if there is no such site. */
static void look_site_up(struct gen *g)
{
	struct gen_temp_mark mark = gen_temp_begin(g);
	struct gen_place key = gen_temp(g, sizeof(u64));

	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, key.off, BPF_REG_0));
	gen_lookup(g, g->plan->maps.sites, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->exit);
	gen_emit(g, INSN_LOAD(BPF_W, BPF_REG_0, BPF_REG_0, 0));
	if (g->plan->hook.how == GEN_SITE_SYSCALL) {
		insns_imm64(g->in, BPF_REG_1, UINT32_MAX);
		gen_jump(g, INSN_JMP_X(BPF_JEQ, BPF_REG_0, BPF_REG_1), g->exit);
	}
	gen_temp_end(g, mark);
}

static void find_site(struct gen *g)
{
	const struct gen_plan *p = g->plan;

	if (p->hook.how == GEN_SITE_CONST)
		return;
	if (p->hook.key) {
		gen_value(g, p->hook.key, g->exit);
	} else {
		gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
		gen_emit(g, INSN_CALL(p->hook.how == GEN_SITE_COOKIE ? BPF_FUNC_get_attach_cookie
								     : BPF_FUNC_get_func_ip));
	}
	if (p->hook.how != GEN_SITE_COOKIE)
		look_site_up(g);
	else if (p->hook.base)
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)p->hook.base));
	g->site = insns_stack(g->in, sizeof(u64));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->site, BPF_REG_0));
}

/* ---- counting values ------------------------------------------------------------------------- */

/* The address of a row of u64 is in r0: add 1 to the first, and the held values to the others. */
void gen_add_row(struct gen *g, const struct gen_saved *values)
{
	gen_emit(g, INSN_MOV_K(BPF_REG_1, 1));
	gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, 0, BPF_REG_1));
	for (u32 i = 0; i < g->plan->work.n_values; i++) {
		u8 reg = gen_load_saved(g, &values[i], BPF_REG_1);

		gen_emit(g, INSN_ADD_ATOMIC(BPF_REG_0, (s32)((i + 1) * sizeof(u64)), reg));
	}
}

void gen_save_values(struct gen *g, struct gen_saved *out, u32 absent)
{
	for (u32 i = 0; i < g->plan->work.n_values; i++) {
		gen_value(g, g->plan->work.values[i], absent);
		out[i] = gen_save(g, BPF_REG_0);
	}
}

static void gen_count(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	struct gen_saved values[GEN_MAX_SUMS];
	u32 absent = insns_label(g->in);
	struct gen_temp_mark mark;
	struct gen_place key;

	g->skips_unstarted = true;
	gen_save_values(g, values, absent);
	mark = gen_temp_begin(g);
	key = gen_temp(g, sizeof(u64));
	gen_site(g, BPF_REG_1);
	if (p->work.index)
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_1, (s32)p->work.index));
	gen_emit(g, INSN_STORE(BPF_W, BPF_REG_10, key.off, BPF_REG_1));
	gen_lookup(g, p->maps.counts, key);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->end);
	gen_add_row(g, values);
	gen_temp_end(g, mark);
	gen_jump(g, INSN_JA, g->end);
	gen_count_absent(g, absent, g->end);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void gen_end(struct gen *g)
{
	gen_jump(g, INSN_JA, g->end);
}

struct action_row {
	void (*gen)(struct gen *g);
	bool takes_scratch;
};

static const struct action_row actions[] = {
	[GEN_EVENT] = { gen_event, true },  [GEN_COUNT] = { gen_count, false },
	[GEN_KEYED] = { gen_keyed, false }, [GEN_ENTER] = { gen_enter, false },
	[GEN_START] = { gen_start, false }, [GEN_NOTHING] = { gen_nothing, true },
	[GEN_END] = { gen_end, false },	    [GEN_DISPATCH] = { gen_dispatch, false },
};

/* A condition that may be absent.  The code at `absent` counts that, and ends. */
struct condition {
	u32 absent;
	u32 end;
};

/* The state of gen_whole, in addition to the plan. */
struct whole {
	struct condition conditions[2];
	u32 n_conditions;
	u32 drop;
};

static void need_slot(struct gen *g, struct whole *w)
{
	if (g->has_slot)
		return;
	gen_take(g, g->exit);
	g->end = w->drop;
	g->has_slot = true;
}

/* The load that a tree begins with, whatever its value; NULL: none. */
static const struct tree *first_load(const struct tree *t)
{
	switch (t->kind) {
	case TREE_LOAD:
		return t;
	case TREE_CAST:
	case TREE_LNOT:
	case TREE_BINARY:
	case TREE_AND:
	case TREE_OR:
	case TREE_COND:
		return first_load(t->a);
	default:
		return NULL;
	}
}

static bool is_in_any(const struct tree *const *trees, u32 n, const struct tree *load)
{
	for (u32 i = 0; i < n; i++)
		if (first_load(trees[i]) && tree_same(first_load(trees[i]), load))
			return true;
	return false;
}

/* Keep the load that the condition begins with, if a key needs it. */
static void keep_load(struct gen *g, const struct tree *t)
{
	const struct gen_plan *p = g->plan;
	const struct tree *load = first_load(t);

	if (!load || g->known.load)
		return;
	if (is_in_any(p->spans.key, p->spans.n_key, load) ||
	    is_in_any(p->work.key, p->work.n_key, load))
		g->known =
			(struct gen_known){ .load = load, .slot = insns_stack(g->in, sizeof(u64)) };
}

/* The code after this runs only if t is true. */
static void gen_condition(struct gen *g, struct whole *w, const struct tree *t)
{
	struct condition c;

	if (gen_needs_scratch(t))
		need_slot(g, w);
	keep_load(g, t);
	c = (struct condition){ .absent = insns_label(g->in), .end = g->end };
	g->skips_unstarted = true;
	gen_branch(g, t, g->end, false, c.absent);
	g->skips_unstarted = false;
	w->conditions[w->n_conditions++] = c;
}

/* All exits: release the slot, return. */
static void gen_ends(struct gen *g, const struct whole *w)
{
	for (u32 i = 0; i < w->n_conditions; i++)
		gen_count_absent(g, w->conditions[i].absent, w->conditions[i].end);
	if (insns_is_used(g->in, w->drop)) {
		insns_place(g->in, w->drop);
		gen_drop(g);
	}
	insns_place(g->in, g->exit);
	if (g->plan->next.number && g->plan->work.action != GEN_DISPATCH)
		gen_next(g);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	gen_emit(g, INSN_EXIT);
}

/* May the predicate be evaluated before the filter? */
static bool is_early(const struct gen_plan *p)
{
	return p->predicate && !gen_is_end(p) && !gen_is_return(p) &&
	       !gen_can_be_absent(p->predicate) && !gen_needs_scratch(p->predicate);
}

/* A return without a condition takes its slot at once, and uses the slot's time for its latency,
 * too. */
static bool is_always_taken(const struct gen_plan *p)
{
	return gen_is_return(p) && !p->predicate && !p->spans.when &&
	       actions[p->work.action].takes_scratch;
}

static void ask_filter(struct gen *g)
{
	if (g->plan->watch.only_not_tgid) {
		gen_emit(g, INSN_CALL(BPF_FUNC_get_current_pid_tgid));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_0, 32));
		gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, (s32)g->plan->watch.only_not_tgid),
			 g->exit);
		return;
	}
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
	insns_fixed(g->in, FIXED_wants);
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->exit);
}

/*
 * A tail call that is never executed.  Since 6.13 the kernel gives programs of the kprobe type a
 * stack for each CPU (kernel/bpf/verifier.c, bpf_enable_priv_stack), because they are not
 * preempted; but programs at user functions have the same type and are preempted, so that one of
 * two on the same CPU would find the other's values in its stack.  A program whose text contains a
 * tail call uses the stack of its thread.  The verifier sees that this one is unreachable, does not
 * check its map, and removes it.
 */
static void stay_on_own_stack(struct gen *g)
{
	u32 always = insns_label(g->in);

	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), always);
	gen_emit(g, INSN_CALL(BPF_FUNC_tail_call));
	insns_place(g->in, always);
}

static void ask_whether_live(struct gen *g)
{
	if (!g->plan->maps.window)
		return;
	gen_window(g);
	gen_emit(g, INSN_ALU_K(BPF_AND, BPF_REG_0, WINDOW_LIVE));
	gen_jump(g, INSN_JMP_K(BPF_JEQ, BPF_REG_0, 0), g->exit);
}

static bool action_scratch(const struct gen_plan *p)
{
	switch (p->work.action) {
	case GEN_KEYED:
		return gen_keyed_scratch(p);
	case GEN_ENTER:
		return gen_enter_scratch(p);
	case GEN_START:
		return gen_start_scratch(p);
	default:
		return actions[p->work.action].takes_scratch;
	}
}

static u32 time_uses(const struct tree *t)
{
	if (!t)
		return 0;
	return (t->kind == TREE_BUILTIN && t->builtin == BUILTIN_TIME) + time_uses(t->a) +
	       time_uses(t->b) + time_uses(t->c) + time_uses(t->length);
}

static u32 all_time_uses(const struct gen_plan *p)
{
	const struct gen_work *w = &p->work;
	u32 n = time_uses(p->predicate) + time_uses(p->spans.when) + time_uses(w->value);

	for (u32 i = 0; i < p->spans.n_key; i++)
		n += time_uses(p->spans.key[i]);
	for (u32 i = 0; i < w->n_values; i++)
		n += time_uses(w->values[i]);
	for (u32 i = 0; i < w->n_key; i++)
		n += time_uses(w->key[i]);
	for (u32 i = 0; i < w->n_more; i++)
		n += time_uses(w->more[i].value);
	return n;
}

/* An event has one $time: if it is used more than once, the code that follows uses one reading. */
static void read_time(struct gen *g)
{
	if (g->time != NO_SLOT || all_time_uses(g->plan) < 2)
		return;
	gen_emit(g, INSN_CALL(BPF_FUNC_ktime_get_ns));
	g->time = insns_stack(g->in, sizeof(u64));
	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, g->time, BPF_REG_0));
}

/* The order of the steps is described in program.h. */
static void gen_whole(struct gen *g)
{
	const struct gen_plan *p = g->plan;
	struct whole w = { .drop = insns_label(g->in) };

	gen_emit(g, INSN_MOV_X(R_CTX, BPF_REG_1));
	if (p->hook.is_preempted)
		stay_on_own_stack(g);
	ask_whether_live(g);
	find_site(g);
	if (p->hook.guard)
		gen_branch(g, p->hook.guard, g->exit, false, g->exit);
	if (is_early(p) && time_uses(p->predicate))
		read_time(g);
	if (is_early(p))
		gen_condition(g, &w, p->predicate);
	if (p->watch.has_filter)
		ask_filter(g);
	read_time(g);
	if (is_always_taken(p))
		need_slot(g, &w);
	if (gen_is_return(p))
		gen_find_entry(g);
	if (p->spans.when)
		gen_condition(g, &w, p->spans.when);
	if (gen_is_end(p)) {
		if (gen_end_scratch(p) || action_scratch(p))
			need_slot(g, &w);
		gen_end_span(g);
	}
	if (p->predicate && !is_early(p))
		gen_condition(g, &w, p->predicate);
	if (action_scratch(p))
		need_slot(g, &w);
	actions[p->work.action].gen(g);
	gen_ends(g, &w);
}

static u32 first_temp(const struct gen_plan *p)
{
	u32 record = gen_event_bytes(p), key = gen_cell_key_bytes(p->work.key, p->work.n_key);

	if (p->work.action == GEN_START || p->work.action == GEN_ENTER)
		record = gen_saved_bytes(p->work.values, p->work.n_values);
	if (key > record)
		record = key;
	return ((u32)AT_RECORD + record + 16 + 7) & ~7U;
}

static int generate(const struct gen_plan *plan, const struct text *t, struct insns *out,
		    u32 *scratch, struct err *err)
{
	struct gen g = { .in = out, .plan = plan, .text = t, .err = err };
	bool is_sent = plan->work.action == GEN_EVENT || plan->work.action == GEN_NOTHING;
	u32 max = is_sent ? GEN_MAX_SCRATCH : GEN_CPU_SCRATCH;

	g.temp = g.temp_max = first_temp(plan);
	g.exit = g.end = insns_label(out);
	gen_whole(&g);
	*scratch = g.temp_max;
	if (g.temp_max > max)
		return text_error(t, span_all(t), err,
				  "%s take %u bytes together, more than %u: -Z makes them shorter",
				  is_sent ? "the probe's strings" : "strings that are kept",
				  g.temp_max, max);
	return err->code ? -err->code : insns_finish(out, t, err);
}

int gen_program(const struct gen_plan *plan, const struct text *t, struct insns *out,
		struct err *err)
{
	u32 scratch;

	return generate(plan, t, out, &scratch, err);
}

u32 gen_scratch_bytes(const struct gen_plan *plan)
{
	struct text none = { .p = "" };
	struct err err = { 0 };
	struct insns in;
	u32 scratch;

	/* If this fails, gen_program fails in the same way, with a caret. */
	insns_init(&in);
	generate(plan, &none, &in, &scratch, &err);
	insns_release(&in);
	return scratch;
}
