// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/landmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/nametable.h"
#include "base/num.h"

#define MAX_KALLSYMS_BYTES (256 << 20)
#define MAX_NAME_BYTES	   128 /* longer names are truncated */

/* A trampoline occupies a page or part of one (bpf_trampoline_image_setup). */
#define MAX_TRAMPOLINE_BYTES 4096

/* The most frames between the leaf and the caller of BPF programs: a program, its subprograms and
 * the helper that reads the stack. */
#define MAX_PROGRAM_FRAMES 12

/* One of the first lines of kallsyms must have an address: per-CPU symbols at its start have small
 * addresses, and the very first line has 0. */
#define LINES_TO_LOOK_AT 4096

/*
 * The first row that matches a name counts.  Functions that a kernel does not have are not found,
 * so that no row names a version.  Exceptions (asm_exc_*, asm_int80_*) are not listed, because they
 * are the task's own work; nor are functions that switch to another stack (call_on_irq_stack,
 * asm_call_on_stack, do_softirq_own_stack), because a task that runs softirqs inline calls them
 * too.
 */
static const struct rule {
	const char *glob; /* a glob as in base/nametable.h */
	enum landmark_kind kind;
	const char *label;
} rules[] = {
	{ "asm_common_interrupt", LANDMARK_IRQ, NULL },
	{ "asm_spurious_interrupt", LANDMARK_IRQ, NULL },
	{ "asm_exc_xen_hypervisor_callback", LANDMARK_IRQ, NULL },
	/* System vectors (arch/x86/include/asm/idtentry.h); FRED's entries are looked up by
	 * these names. */
	{ "asm_sysvec_apic_timer_interrupt", LANDMARK_TIMER, NULL },
	{ "asm_sysvec_hyperv_stimer0", LANDMARK_TIMER, NULL },
	{ "asm_sysvec_*_ipi", LANDMARK_IPI, NULL },
	{ "asm_sysvec_call_function*", LANDMARK_IPI, NULL },
	{ "asm_sysvec_irq_work", LANDMARK_IPI, NULL },
	{ "asm_sysvec_irq_move_cleanup", LANDMARK_IPI, NULL },
	{ "asm_sysvec_reboot", LANDMARK_IPI, NULL },
	{ "asm_sysvec_hyperv_callback", LANDMARK_IRQ, "vmbus" },
	{ "asm_sysvec_kvm_asyncpf_interrupt", LANDMARK_IRQ, "kvm_asyncpf" },
	{ "asm_sysvec_thermal", LANDMARK_IRQ, "thermal" },
	{ "asm_sysvec_*", LANDMARK_IRQ, NULL },
	{ "fred_extint", LANDMARK_IRQ, NULL },

	/* arm64: arch/arm64/kernel/entry.S, and entry-common.c, parts of which may be inlined. */
	{ "el1_irq", LANDMARK_IRQ, NULL },
	{ "el0_irq*", LANDMARK_IRQ, NULL },
	{ "el1h_64_irq*", LANDMARK_IRQ, NULL },
	{ "el1h_64_fiq*", LANDMARK_IRQ, NULL },
	{ "el0t_*_irq*", LANDMARK_IRQ, NULL },
	{ "el0t_*_fiq*", LANDMARK_IRQ, NULL },
	{ "el1_interrupt", LANDMARK_IRQ, NULL },
	{ "el0_interrupt", LANDMARK_IRQ, NULL },
	{ "__el1_irq", LANDMARK_IRQ, NULL },
	{ "__el0_irq*", LANDMARK_IRQ, NULL },
	{ "__el0_fiq*", LANDMARK_IRQ, NULL },

	/* Interrupts that arrive through an entry shared by all. */
	{ "hrtimer_interrupt", LANDMARK_IN_TIMER, NULL },
	{ "tick_handle_periodic", LANDMARK_IN_TIMER, NULL },
	{ "tick_nohz_handler", LANDMARK_IN_TIMER, NULL },
	{ "tick_nohz_lowres_handler", LANDMARK_IN_TIMER, NULL },
	{ "tick_handle_oneshot_broadcast", LANDMARK_IN_TIMER, NULL },
	{ "tick_handle_periodic_broadcast", LANDMARK_IN_TIMER, NULL },
	{ "arch_timer_handler_*", LANDMARK_IN_TIMER, NULL },
	{ "xen_timer_interrupt", LANDMARK_IN_TIMER, NULL },
	{ "handle_IPI", LANDMARK_IN_IPI, NULL },
	{ "do_handle_IPI", LANDMARK_IN_IPI, NULL },
	{ "ipi_handler", LANDMARK_IN_IPI, NULL },
	{ "xen_reschedule_interrupt", LANDMARK_IN_IPI, NULL },
	{ "xen_call_function_interrupt", LANDMARK_IN_IPI, NULL },
	{ "xen_call_function_single_interrupt", LANDMARK_IN_IPI, NULL },
	{ "xen_irq_work_interrupt", LANDMARK_IN_IPI, NULL },

	/* kernel/entry/common.c, and arm64's own code before 6.17. */
	{ "irqentry_exit", LANDMARK_RETURN, NULL },
	{ "irqentry_exit_to_user_mode", LANDMARK_RETURN, NULL },
	{ "exit_to_user_mode_loop", LANDMARK_RETURN, NULL },
	{ "exit_to_user_mode_prepare", LANDMARK_RETURN, NULL },
	{ "do_notify_resume", LANDMARK_RETURN, NULL },

	{ "handle_softirqs", LANDMARK_SOFTIRQ, NULL },
	{ "__do_softirq", LANDMARK_SOFTIRQ, NULL },

	/* Handlers of the vectors, and the functions that they call last: often that is a tail
	 * call, and the handler itself is then not on the stack. */
	{ "tasklet_hi_action", LANDMARK_VECTOR, "hi" },
	{ "run_timer_softirq", LANDMARK_VECTOR, "timer" },
	{ "run_timer_base", LANDMARK_VECTOR, "timer" },
	{ "__run_timers", LANDMARK_VECTOR, "timer" },
	{ "tmigr_handle_remote", LANDMARK_VECTOR, "timer" },
	{ "net_tx_action", LANDMARK_VECTOR, "net_tx" },
	{ "xfrm_dev_backlog", LANDMARK_VECTOR, "net_tx" },
	{ "net_rx_action", LANDMARK_VECTOR, "net_rx" },
	{ "net_rps_action_and_irq_enable", LANDMARK_VECTOR, "net_rx" },
	{ "blk_done_softirq", LANDMARK_VECTOR, "block" },
	{ "blk_complete_reqs", LANDMARK_VECTOR, "block" },
	{ "irq_poll_softirq", LANDMARK_VECTOR, "irq_poll" },
	{ "tasklet_action", LANDMARK_VECTOR, "tasklet" },
	/* Shares its tail with tasklet_hi_action, which few drivers use. */
	{ "tasklet_action_common", LANDMARK_VECTOR, "tasklet" },
	{ "run_rebalance_domains", LANDMARK_VECTOR, "sched" },
	{ "rebalance_domains", LANDMARK_VECTOR, "sched" },
	{ "sched_balance_softirq", LANDMARK_VECTOR, "sched" },
	{ "sched_balance_domains", LANDMARK_VECTOR, "sched" },
	{ "hrtimer_run_softirq", LANDMARK_VECTOR, "hrtimer" },
	{ "rcu_core_si", LANDMARK_VECTOR, "rcu" },
	{ "rcu_core", LANDMARK_VECTOR, "rcu" },
	{ "rcu_process_callbacks", LANDMARK_VECTOR, "rcu" }, /* tiny RCU */

	{ "bpf_trace_run[0-9]*", LANDMARK_TRACE, NULL },
	{ "__bpf_trace_*", LANDMARK_TRACE, NULL },
	{ "__traceiter_*", LANDMARK_TRACE, NULL },
	/* Generated for fentry and fexit; bpf_trampoline_get and others manage them. */
	{ "bpf_trampoline_[0-9]*", LANDMARK_TRACE, NULL },
	{ "trace_call_bpf", LANDMARK_TRACE, NULL },

	/* arch/x86/kernel/unwind_orc.c, with everything that is inlined there. */
	{ "__orc_find", LANDMARK_ORC, NULL },
	{ "orc_find*", LANDMARK_ORC, NULL },
	{ "return_to_handler", LANDMARK_HIDING, NULL },	      /* ftrace's function graph */
	{ "arch_rethook_trampoline", LANDMARK_HIDING, NULL }, /* 5.18 */
	{ "__kretprobe_trampoline", LANDMARK_HIDING, NULL },  /* 5.16 */
	{ "kretprobe_trampoline", LANDMARK_HIDING, NULL },
};

_Static_assert(ARRAY_SIZE(rules) <= GLOBS_MAX_ROWS, "one more than base/globs can number");

static const struct rule *rule_of(const struct globs *g, struct view name)
{
	static const char fred[] = "fred_sysvec_", plain[] = "asm_sysvec_";
	char text[MAX_NAME_BYTES];

	if (!view_starts(name, fred))
		return globs_find(g, name);
	snprintf(text, sizeof(text), "%s%.*s", plain, (int)(name.n - sizeof(fred) + 1),
		 name.p + sizeof(fred) - 1);
	return globs_find(g, view_of(text));
}

/* ---- kallsyms ---- */

/* "ffffffff81000000 T _stext", "ffffffffc0201000 t name\t[module]".  Returns false for lines that
 * do not name code.  Modules' symbols are left out, because their order does not tell where a
 * function ends. */
static bool line_split(struct view line, struct view *addr, struct view *name, bool *is_bpf)
{
	static const char bpf[] = "\t[bpf]";
	const char *tab;

	if (line.n < 20 || line.p[16] != ' ' || line.p[18] != ' ' || !strchr("tTwW", line.p[17]))
		return false;
	*addr = (struct view){ line.p, 16 };
	*name = (struct view){ line.p + 19, line.n - 19 };
	tab = memchr(name->p, '\t', name->n);
	*is_bpf = false;
	if (!tab)
		return true;
	*is_bpf = (size_t)(line.p + line.n - tab) == sizeof(bpf) - 1 &&
		  !memcmp(tab, bpf, sizeof(bpf) - 1);
	name->n = (size_t)(tab - name->p);
	return *is_bpf;
}

/* The bounds of two ranges of kernel code. */
static const struct {
	const char *name;
	size_t at;
} ends[] = {
	{ "__sched_text_start", offsetof(struct landmarks, sleeps.start) },
	{ "__sched_text_end", offsetof(struct landmarks, sleeps.end) },
	{ "__lock_text_start", offsetof(struct landmarks, locks.start) },
	{ "__lock_text_end", offsetof(struct landmarks, locks.end) },
};

static u64 *end_of(struct landmarks *p, size_t i)
{
	return (u64 *)(void *)((char *)p + ends[i].at);
}

static u64 *range_end(struct landmarks *p, struct view name)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends) && view_starts(name, "__"); i++)
		if (view_eq(name, ends[i].name))
			return end_of(p, i);
	return NULL;
}

/* Symbols of the kernel itself are sorted by address: the symbol after a landmark is its end.  BPF
 * symbols are not sorted. */
static void landmarks_stream(struct landmarks *out, struct lines *text)
{
	size_t n_closed = 0;
	struct globs globs;
	struct view line;

	globs_init(&globs, rules, ARRAY_SIZE(rules), sizeof(*rules));
	while (lines_next(text, &line)) {
		struct view addr_text, name;
		const struct rule *rule;
		u64 addr = 0;
		bool is_bpf;
		u64 *end;

		if (!line_split(line, &addr_text, &name, &is_bpf))
			continue;
		end = range_end(out, name);
		if (end && !num_parse_hex(addr_text, end))
			*end = 0;
		rule = rule_of(&globs, name);
		if (!rule && n_closed == out->v.n)
			continue;
		if (!num_parse_hex(addr_text, &addr) || !addr)
			continue;
		for (; n_closed < out->v.n && out->v.items[n_closed].start < addr; n_closed++)
			if (out->v.items[n_closed].end > addr)
				out->v.items[n_closed].end = addr;
		if (rule)
			vec_push(&out->v,
				 (struct landmark){ .start = addr,
						    .end = is_bpf ? addr + MAX_TRAMPOLINE_BYTES
								  : UINT64_MAX,
						    .kind = rule->kind,
						    .label = rule->label });
	}
}

static int by_start(const void *a, const void *b)
{
	const struct landmark *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int kallsyms_open(const char *proc_root, struct err *err)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/kallsyms", proc_root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT) {
		err_set(err, ERR_KERNEL, "cannot tell interrupts from tasks: no %s", path);
		return err_hint(err, "the kernel needs CONFIG_KALLSYMS");
	}
	return err_errno(err, errno, "cannot tell interrupts from tasks: %s", path);
}

enum shown {
	SHOWN,
	HIDDEN,
	UNREAD, /* no line could be read */
};

static enum shown how_shown(struct lines *text)
{
	enum shown found = UNREAD;
	struct view line;
	u64 addr;

	for (int i = 0; i < LINES_TO_LOOK_AT && lines_next(text, &line); i++) {
		line.n = line.n < 16 ? line.n : 16;
		found = HIDDEN;
		if (num_parse_hex(line, &addr) && addr)
			return SHOWN;
	}
	return found;
}

static enum shown look(int fd)
{
	_cleanup_(lines_release) struct lines text = { 0 };

	lines_init(&text, fd, MAX_KALLSYMS_BYTES);
	return how_shown(&text);
}

int landmarks_check(const char *proc_root, struct err *err)
{
	_cleanup_(close_p) int fd = kallsyms_open(proc_root, err);
	enum shown how;

	if (fd < 0)
		return fd;
	how = look(fd);
	if (how == UNREAD && !lseek(fd, 0, SEEK_SET)) /* a busy kernel may refuse a read */
		how = look(fd);
	if (how == SHOWN)
		return 0;
	if (how == UNREAD)
		return err_set(err, ERR_FAIL,
			       "cannot tell interrupts from tasks: %s/kallsyms cannot be read",
			       proc_root);
	err_set(err, ERR_PERM, "cannot tell interrupts from tasks: the kernel hides its addresses");
	return err_hint(err, "run it with CAP_SYSLOG; sysctl kernel.kptr_restrict must not be 2");
}

int landmarks_read(const char *proc_root, struct symtext *kept, struct landmarks *out,
		   struct err *err)
{
	_cleanup_(lines_release) struct lines text = { .fd = -1 };
	_cleanup_(close_p) int fd = -1;
	int ret = landmarks_check(proc_root, err);
	bool is_whole = true;

	*out = (struct landmarks){ 0 };
	if (ret)
		return ret;
	fd = kallsyms_open(proc_root, err);
	if (fd < 0)
		return fd;
	if (!kept) {
		lines_init(&text, fd, MAX_KALLSYMS_BYTES);
	} else {
		is_whole = !symtext_end(kept, proc_root);
		lines_init_text(&text, str_view(&kept->text));
	}
	landmarks_stream(out, &text);
	if (kept && !is_whole)
		str_release(&kept->text);
	if (out->v.n)
		qsort(out->v.items, out->v.n, sizeof(*out->v.items), by_start);
	return 0;
}

void landmarks_release(struct landmarks *p)
{
	vec_release(&p->v);
	vec_release(&p->met);
}

/* ---- asking for single symbols ---- */

/* Functions that are kept: a kernel has 60,000, stacks some thousands of them. */
#define MAX_MET (1 << 14)

/* Symbols of .entry.text and .noinstr.text, some hundreds. */
#define MAX_SECTION_SYMBOLS 8192

static bool is_entry(enum landmark_kind kind)
{
	return kind <= LANDMARK_IPI || kind == LANDMARK_RETURN;
}

static void add_symbol(struct landmarks *out, const struct rule *rule, u64 start, u64 end)
{
	vec_push(&out->v,
		 (struct landmark){
			 .start = start, .end = end, .kind = rule->kind, .label = rule->label });
}

static bool is_pattern(const struct rule *rule)
{
	return strpbrk(rule->glob, "*[");
}

static void add_by_name(struct landmarks *out, const struct rule *rule)
{
	u64 addr = is_pattern(rule) ? 0 : out->source->find(out->source->ctx, rule->glob);
	const char *text = addr ? out->source->name(out->source->ctx, addr) : NULL;
	struct ksym symbol;

	if (text && ksym_parse(text, addr, &symbol))
		add_symbol(out, rule, addr, symbol.end);
}

/* Functions of rules with a pattern are searched for in the sections that contain them.  Not all
 * functions of FRED are there, but all are called by fred_extint, which has a rule of its own. */
static void add_section(struct landmarks *out, const struct globs *globs, const char *start,
			const char *end)
{
	u64 addr = out->source->find(out->source->ctx, start);
	u64 end_addr = out->source->find(out->source->ctx, end);

	for (u32 i = 0; i < MAX_SECTION_SYMBOLS && addr && addr < end_addr; i++) {
		const char *text = out->source->name(out->source->ctx, addr);
		const struct rule *rule;
		struct ksym symbol;

		if (!text || !ksym_parse(text, addr, &symbol) || symbol.end <= addr)
			return;
		rule = rule_of(globs, symbol.name);
		if (rule && is_entry(rule->kind) && is_pattern(rule))
			add_symbol(out, rule, addr, symbol.end);
		addr = symbol.end;
	}
}

static bool has_entries(const struct landmarks *p)
{
	const struct landmark *l;

	vec_for_each(l, &p->v)
		if (l->kind <= LANDMARK_IPI)
			return true;
	return false;
}

bool landmarks_ask(struct landmarks *out, const struct ksym_source *source, bool wants_entries)
{
	struct globs globs;

	*out = (struct landmarks){ .source = source };
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		*end_of(out, i) = source->find(source->ctx, ends[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].kind == LANDMARK_ORC || rules[i].kind == LANDMARK_HIDING ||
		    (wants_entries && is_entry(rules[i].kind)))
			add_by_name(out, &rules[i]);
	if (wants_entries) {
		globs_init(&globs, rules, ARRAY_SIZE(rules), sizeof(*rules));
		add_section(out, &globs, "__entry_text_start", "__entry_text_end");
		add_section(out, &globs, "__noinstr_text_start", "__noinstr_text_end");
	}
	if (out->v.n)
		qsort(out->v.items, out->v.n, sizeof(*out->v.items), by_start);
	return out->sleeps.end && out->locks.end && (!wants_entries || has_entries(out));
}

/* The function at an address, as a landmark. */
static struct landmark meet(const struct landmarks *p, u64 addr)
{
	struct landmark met = { .start = addr, .end = addr + 1, .kind = LANDMARK_NONE };
	const char *text = p->source->name(p->source->ctx, addr);
	const struct rule *rule;
	struct ksym symbol;
	struct globs globs;

	if (!text || !ksym_parse(text, addr, &symbol))
		return met;
	globs_init(&globs, rules, ARRAY_SIZE(rules), sizeof(*rules));
	/* Modules have functions of the same names. */
	rule = symbol.module.n ? NULL : rule_of(&globs, symbol.name);
	met.start = symbol.start;
	met.end = symbol.end > addr ? symbol.end : addr + 1;
	if (rule) {
		met.kind = rule->kind;
		met.label = rule->label;
	}
	return met;
}

static const struct landmark *find_in(const struct landmark *v, size_t n, u64 addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < v[lo - 1].end ? &v[lo - 1] : NULL;
}

static const struct landmark *met_before(struct landmarks *p, u64 addr)
{
	const struct landmark *known = find_in(p->met.items, p->met.n, addr);
	struct landmark met;
	size_t at;

	if (known)
		return known;
	if (p->met.n == MAX_MET)
		p->met.n = 0;
	met = meet(p, addr);
	vec_push(&p->met, met);
	for (at = p->met.n - 1; at && p->met.items[at - 1].start > met.start; at--)
		p->met.items[at] = p->met.items[at - 1];
	p->met.items[at] = met;
	return &p->met.items[at];
}

/* ---- queries ---- */

static bool is_in(const struct landmark_range *r, u64 addr)
{
	return addr >= r->start && addr < r->end;
}

bool landmarks_is_gap(const struct landmarks *p, u64 addr)
{
	return is_in(&p->sleeps, addr) || is_in(&p->locks, addr);
}

const struct landmark *landmarks_find(struct landmarks *p, u64 addr)
{
	const struct landmark *found =
		p->source ? met_before(p, addr) : find_in(p->v.items, p->v.n, addr);

	return found && found->kind != LANDMARK_NONE ? found : NULL;
}

static bool is_trace(struct landmarks *p, u64 addr)
{
	const struct landmark *landmark = landmarks_find(p, addr);

	return landmark && landmark->kind == LANDMARK_TRACE;
}

u32 landmarks_trim(struct landmarks *p, const u64 *frames, u32 n)
{
	u32 i = 0;

	while (i < n && i < MAX_PROGRAM_FRAMES && !is_trace(p, frames[i]))
		i++;
	if (i == n || i == MAX_PROGRAM_FRAMES)
		return 0;
	while (i < n && is_trace(p, frames[i]))
		i++;
	return i;
}

u32 landmarks_doubled(const u64 *frames, u32 n)
{
	return n > 1 && frames[0] == frames[1];
}
