/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks the current task's user stack by unwind tables that user space has compiled from call frame
 * information (core/unwind), and by frame pointers where a file has none (JIT code, Go).
 *
 * If it can't go on because it lacks something that user space may know (a process, a mapping, a
 * table), it returns CFI_COPY: the caller then sends registers and stack, and user space walks them
 * and fills the tables.
 *
 * Functions with loops are global, because a global function is verified once, not for each call.
 * On 5.10 they can only take numbers, so the state of a walk is in a map.
 */
#ifndef BPF_CFI_BPF_H
#define BPF_CFI_BPF_H

#include "bpf/abi/cfi.h"
#include "bpf/abi/stack.h"
#include "regs.bpf.h"
#include "task.bpf.h"

/* User space is ready to provide tables. */
bool cfi_is_on = false;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cfi_process);
} cfi_processes SEC(".maps");

/* Arrays are written through mappings (core/unwind/upload.c). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cfi_mapping);
} cfi_mappings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cfi_page);
} cfi_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cfi_rule);
} cfi_rules SEC(".maps");

struct cfi_chunk {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, CFI_ELEMENT_BYTES);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct cfi_chunk);
} cfi_chunks SEC(".maps");

/* Walks by slot.  No locking is needed: programs that walk in slot 0 do not interrupt each other on
 * a CPU (bpf/stack_count.bpf.h, bpf/wait.bpf.c); those that do have their own slots
 * (bpf/probe_walk.bpf.h). */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cfi_walk);
} cfi_walks SEC(".maps");

static __always_inline struct cfi_walk *cfi_walk(u32 slot)
{
	return bpf_map_lookup_elem(&cfi_walks, &slot);
}

/* ---- searching ---- */

#define CFI_MAPPING_STEPS 14 /* 2^14 mappings */
#define CFI_ROW_STEPS	  16

/* Sets the walk's mapping to the one that contains an address; false: there is none. */
__noinline bool cfi_find_mapping(u64 pc, u32 slot);
__noinline bool cfi_find_mapping(u64 pc, u32 slot)
{
	struct cfi_walk *w = cfi_walk(slot);
	struct cfi_mapping *m;
	u32 low, n;

	if (!w)
		return false;
	low = w->first;
	n = w->n_mappings;
	for (u32 i = 0; i < CFI_MAPPING_STEPS; i++) {
		u32 half = n >> 1, at = low + half, is_below;

		if (n <= 1)
			break;
		m = bpf_map_lookup_elem(&cfi_mappings, &at);
		if (!m)
			return false;
		/* Without a branch, which would double the paths that the verifier walks. */
		is_below = (pc - m->start) >> 63;
		asm volatile("" : "+r"(is_below));
		low += half & (is_below - 1);
		n -= half;
	}
	m = bpf_map_lookup_elem(&cfi_mappings, &low);
	if (!m || !n || pc < m->start || pc >= m->end)
		return false;
	w->mapping = *m;
	return true;
}

struct cfi_element {
	struct cfi_row rows[CFI_ELEMENT_ROWS];
};

/* The rule of a page's row at an offset.  The search has no branches, because each would double the
 * paths that the verifier walks. */
__noinline int cfi_find_row(u32 chunk, u32 first, u32 n, u32 off);
__noinline int cfi_find_row(u32 chunk, u32 first, u32 n, u32 off)
{
	u32 element = first / CFI_ELEMENT_ROWS, low = first % CFI_ELEMENT_ROWS, rule;
	struct cfi_element *e;
	void *rows;

	rows = bpf_map_lookup_elem(&cfi_chunks, &chunk);
	if (!rows)
		return 0;
	e = bpf_map_lookup_elem(rows, &element);
	if (!e)
		return 0;
	for (u32 i = 0; i < CFI_ROW_STEPS; i++) {
		u32 half = n >> 1, at = (low + half) % CFI_ELEMENT_ROWS, above;

		if (n <= 1)
			break;
		above = (u32)e->rows[at].off - off -
			1; /* negative if the row is at or before off */
		low += half & (u32)((s32)above >> 31);
		n -= half;
	}
	low %= CFI_ELEMENT_ROWS;
	rule = e->rows[low].rule;
	asm volatile("" : "+r"(rule));
	return rule;
}

/* Once found, a rule is remembered: the search takes a third of a step's time. */
static __always_inline u32 cfi_rule_at(struct cfi_walk *w, u64 pc)
{
	u64 off = pc - w->mapping.bias, known, *seen;
	u32 page = off >> CFI_PAGE_BITS, at, rule;
	struct cfi_page *p;

	if (off >> CFI_PAGE_BITS >= w->mapping.n_pages)
		return 0;
	page += w->mapping.first_page;
	off &= CFI_PAGE_BYTES - 1;
	at = page << CFI_PAGE_BITS | (u32)off;
	seen = &w->seen[at * 0x9e3779b1U >> (32 - CFI_SEEN_BITS)];
	known = *(volatile u64 *)seen;
	if ((u32)known == at && known >> 48 == w->epoch)
		return known >> 32 & 0xffff;
	p = bpf_map_lookup_elem(&cfi_pages, &page);
	if (!p || !p->n)
		return 0;
	rule = cfi_find_row(p->chunk, p->first, p->n, (u32)off);
	*(volatile u64 *)seen = at | (u64)rule << 32 | (u64)w->epoch << 48;
	return rule;
}

/* ---- steps ---- */

static __always_inline int cfi_stop(struct cfi_walk *w, enum stack_end why)
{
	w->end = why;
	return 1;
}

static __always_inline int cfi_go_on(struct cfi_walk *w, u64 pc, u64 sp, u64 fp)
{
	w->at.pc = regs_address(pc, w->address_mask);
	w->at.sp = sp;
	w->at.fp = fp;
	w->is_return = true;
	w->has_other = false;
	return w->at.pc ? 0 : cfi_stop(w, STACK_END_UNKNOWN);
}

/* Code without rules.  A frame pointer that is further away than the size of a stack is not one. */
#define CFI_FP_BYTES (1 << 20)

static __always_inline int cfi_step_fp(struct cfi_walk *w)
{
	enum stack_end end =
		w->mapping.n_pages || w->mapping.first_page ? STACK_END_NO_INFO : STACK_END_JIT;
	u64 frame[2];

	if (!w->at.fp)
		return cfi_stop(w, STACK_END_UNKNOWN);
	if (w->at.fp % 8 || w->at.fp < w->at.sp || w->at.fp - w->at.sp > CFI_FP_BYTES)
		return cfi_stop(w, end);
	if (bpf_probe_read_user(frame, sizeof(frame), (void *)w->at.fp))
		return cfi_stop(w, end);
	return cfi_go_on(w, frame[1], w->at.fp + sizeof(frame), frame[0]);
}

static __always_inline int cfi_step_signal(struct cfi_walk *w)
{
	struct cfi_registers regs;

	if (regs_of_signal(w->at.sp, &regs))
		return cfi_stop(w, STACK_END_MEMORY);
	cfi_go_on(w, regs.pc, regs.sp, regs.fp);
	w->is_return = false; /* pc is the instruction that was interrupted */
	w->at.other = regs.other;
	w->has_other = true;
	return w->at.pc ? 0 : cfi_stop(w, STACK_END_UNKNOWN);
}

/* 0: the CFA is not known. */
static __always_inline u64 cfi_cfa(const struct cfi_walk *w, const struct cfi_rule *rule)
{
	u64 at = rule->cfa == CFI_SP_DEREF ? w->at.sp : w->at.fp, value;

	switch (rule->cfa) {
	case CFI_SP:
		return w->at.sp + rule->off;
	case CFI_FP:
		return w->at.fp + rule->off;
	case CFI_PLT:
		return w->at.sp + 8 + ((w->at.pc & 15) >= (u64)rule->off ? 8 : 0);
	case CFI_R10:
		return w->has_other ? w->at.other + rule->off : 0;
	case CFI_SP_DEREF:
	case CFI_FP_DEREF:
		if (bpf_probe_read_user(&value, sizeof(value), (void *)(at + rule->off)))
			return 0;
		return value + rule->add;
	}
	return 0;
}

/* False: not readable. */
static __always_inline bool cfi_saved(const struct cfi_walk *w, u64 cfa, u8 where, s32 words,
				      u64 same, u64 *out)
{
	u64 base = where == CFI_AT_CFA ? cfa : where == CFI_AT_FP ? w->at.fp : w->at.sp;

	*out = where == CFI_SAME ? same : 0;
	if (where == CFI_SAME || where == CFI_LOST)
		return true;
	return !bpf_probe_read_user(out, sizeof(*out), (void *)(base + (s64)words * 8));
}

static __always_inline int cfi_step_rule(struct cfi_walk *w, const struct cfi_rule *rule)
{
	u64 cfa = cfi_cfa(w, rule), pc, pair[2];

	/* Stacks grow down, so each step must lead up; otherwise this is not a stack, and the walk
	 * might never end.  Leaf functions of arm64 have no frame. */
	if (cfa < w->at.sp || cfa & 7 ||
	    (cfa == w->at.sp && (rule->ra != CFI_SAME || !w->has_other)))
		return cfi_stop(w, STACK_END_NO_INFO);
	/* push %rbp; mov %rsp, %rbp: one read for both. */
	if (rule->fp == CFI_AT_CFA && rule->ra == CFI_AT_CFA &&
	    rule->fp_words + 1 == rule->ra_words) {
		if (bpf_probe_read_user(pair, sizeof(pair),
					(void *)(cfa + (s64)rule->fp_words * 8)))
			return cfi_stop(w, STACK_END_MEMORY);
		return cfi_go_on(w, pair[1], cfa, pair[0]);
	}
	if (rule->ra == CFI_SAME && !(w->has_other && regs_have_return(task_current())))
		return cfi_stop(w, STACK_END_NO_INFO);
	if (!cfi_saved(w, cfa, rule->ra, rule->ra_words, w->at.other, &pc))
		return cfi_stop(w, STACK_END_MEMORY);
	if (!cfi_saved(w, cfa, rule->fp, rule->fp_words, w->at.fp, &pair[0]))
		pair[0] = 0;
	return cfi_go_on(w, pc, cfa, pair[0]);
}

/* Did return_instance `instance` replace the return address below `sp`? */
__noinline bool cfi_is_hidden_by(u64 instance, u64 sp);
__noinline bool cfi_is_hidden_by(u64 instance, u64 sp)
{
	struct return_instance *r = (void *)instance;
	u64 at = BPF_CORE_READ(r, stack);

	return at == sp - 8 || at == sp;
}

/* The true return address, which the kernel keeps, if a uretprobe has replaced the one below `sp`
 * by its trampoline, the first byte of the page [uprobes].  0: it was not replaced. */
#define CFI_RETURN_INSTANCES 16

__noinline u64 cfi_hidden_return(u64 sp);
__noinline u64 cfi_hidden_return(u64 sp)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct return_instance *r = NULL;

	if (!bpf_core_field_exists(task->utask) || !bpf_core_field_exists(r->orig_ret_vaddr))
		return 0;
	r = BPF_CORE_READ(task, utask, return_instances);
	for (u32 i = 0; r && i < CFI_RETURN_INSTANCES; i++) {
		if (cfi_is_hidden_by((u64)r, sp))
			return BPF_CORE_READ(r, orig_ret_vaddr);
		r = BPF_CORE_READ(r, next);
	}
	return 0;
}

/* From one frame to its caller.  Returns 0 if the walk goes on. */
__noinline int cfi_step(u32 slot);
__noinline int cfi_step(u32 slot)
{
	struct cfi_walk *w = cfi_walk(slot);
	struct cfi_rule *rule;
	u64 pc, hidden;
	u32 id, n;

	if (!w)
		return 1;
	n = w->n;
	if (n >= CFI_FRAMES_MAX)
		return cfi_stop(w, STACK_END_DEEP);
	pc = w->at.pc - w->is_return;
	w->frames[n] = w->at.pc;
	w->n = n + 1;
	if ((pc < w->mapping.start || pc >= w->mapping.end) && !cfi_find_mapping(pc, slot)) {
		hidden = w->is_return && !(w->at.pc & 0xfff) ? cfi_hidden_return(w->at.sp) : 0;
		w->mapping.start = w->mapping.end = 0;
		if (hidden) {
			w->n = n;
			w->at.pc = hidden;
			return 0;
		}
		w->is_waiting = true;
		return cfi_stop(w, STACK_END_NO_MAPPING);
	}
	if (w->mapping.n_pages >= CFI_PUT_OFF) {
		w->is_waiting = w->mapping.n_pages == CFI_PENDING;
		return cfi_stop(w, STACK_END_LATE);
	}
	id = cfi_rule_at(w, pc);
	if (!id)
		return cfi_step_fp(w);
	rule = bpf_map_lookup_elem(&cfi_rules, &id);
	if (!rule)
		return cfi_stop(w, STACK_END_NO_INFO);
	if (rule->cfa == CFI_END)
		return cfi_stop(w, STACK_END_ROOT);
	if (rule->cfa == CFI_SIGNAL)
		return cfi_step_signal(w);
	return cfi_step_rule(w, rule);
}

/* ---- the walk ---- */

/* cfi_copies_left: copies of stacks that user space accepts until it sets this again, ten times a
 * second.  Each process has its own limit, because one process may keep jumping to addresses where
 * nothing is mapped.  A compiler opens 200 files while user space builds its table. */
#define CFI_COPIES_PER_PROCESS 512

s64 cfi_copies_left = 0;

static __always_inline bool cfi_may_copy(struct cfi_process *p)
{
	if (p && p->n_copies >= CFI_COPIES_PER_PROCESS)
		return false;
	if (cfi_copies_left <= 0)
		return false;
	__sync_fetch_and_add(&cfi_copies_left, -1);
	if (p)
		__sync_fetch_and_add(&p->n_copies, 1);
	return true;
}

/* A copy was not sent.  Without this, a process whose copies found the ring full would use up its
 * limit, and have no tables for the rest of the run. */
static __always_inline void cfi_give_back_copy(u32 tgid)
{
	struct cfi_process *p = bpf_map_lookup_elem(&cfi_processes, &tgid);

	__sync_fetch_and_add(&cfi_copies_left, 1);
	if (p)
		__sync_fetch_and_add(&p->n_copies, -1);
}

/* Walk the stack of the current task, whose process has the number `tgid` in /proc.  The frames are
 * then in cfi_walk(slot), which also has the registers for a copy. */
enum cfi_result {
	CFI_WALKED,
	CFI_COPY, /* user space must walk it: send a copy, or give it back */
	CFI_LATE, /* there is no table yet, and no copies are left */
	CFI_ELSE, /* not by tables: there are no 64-bit registers */
};

/* Steps per call: the verifier walks these once, and then a loop over all steps in such calls. */
#define CFI_SOME_STEPS 12

/* Returns 0 if the walk goes on. */
__noinline int cfi_some_steps(u32 slot);
__noinline int cfi_some_steps(u32 slot)
{
	for (u32 i = 0; i < CFI_SOME_STEPS; i++)
		if (cfi_step(slot))
			return 1;
	return 0;
}

/* Returns an enum cfi_result. */
__noinline u32 cfi_walk_stack(u32 tgid, u32 slot);
__noinline u32 cfi_walk_stack(u32 tgid, u32 slot)
{
	struct task_struct *task = task_current();
	struct cfi_walk *w = cfi_walk(slot);
	struct cfi_process *p;

	if (!w || !regs_of_task(task, &w->start))
		return CFI_ELSE;
	w->start_time = task_process_start();
	w->address_mask = regs_address_mask(task);
	p = bpf_map_lookup_elem(&cfi_processes, &tgid);
	if (!p || p->start_time != w->start_time ||
	    p->exec_id != (u32)TASK_READ(task, self_exec_id))
		return cfi_may_copy(NULL) ? CFI_COPY : CFI_LATE;
	w->at = w->start;
	w->first = p->first;
	w->n_mappings = p->n;
	w->epoch = p->epoch;
	w->mapping.start = w->mapping.end = 0;
	w->n = 0;
	w->is_return = w->is_waiting = false;
	w->has_other = true;
	w->end = STACK_END_DEEP;
	for (u32 i = 0; i < CFI_FRAMES_MAX / CFI_SOME_STEPS + 1; i++)
		if (cfi_some_steps(slot))
			break;
	if (w->is_waiting && cfi_may_copy(p))
		return CFI_COPY;
	return w->end == STACK_END_LATE ? CFI_LATE : CFI_WALKED;
}

#endif
