// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/vdso.h"

#include <elf.h>
#include <string.h>

#include "sym/elfsyms.h"

#define MAX_WORDS 4096 /* instructions; the vdso of 7.3 has 900 */

/* stp x29, x30, [sp, #-N]!; mov x29, sp; ...; ldp x29, x30, [sp], #N; [autiasp;] ret */
#define PAIR_MASK 0xffc07fff
#define PUSH_PAIR 0xa9807bfd
#define POP_PAIR  0xa8c07bfd
#define SET_FP	  0x910003fd
#define RET	  0xd65f03c0

struct code {
	u64 vaddr;
	u32 n;
	u32 words[MAX_WORDS];
	bool is_start[MAX_WORDS]; /* a function begins here */
};

static bool mark_start(void *ctx, const struct elf_symbol *s)
{
	struct code *c = ctx;
	u64 at = (s->start - c->vaddr) / 4;

	if (s->is_defined && s->start >= c->vaddr && at < c->n)
		c->is_start[at] = true;
	return true;
}

static bool read_code(const struct elf *e, struct code *c)
{
	const struct elf_segment *s;

	if (e->machine != EM_AARCH64 || e->loads.n != 1)
		return false;
	s = &e->loads.items[0];
	if (!s->is_exec || s->file_size > sizeof(c->words) ||
	    !elf_src_read(&e->src, s->off, c->words, s->file_size))
		return false;
	c->vaddr = s->vaddr;
	c->n = (u32)s->file_size / 4;
	memset(c->is_start, 0, sizeof(c->is_start));
	return elfsyms_each(e, SHT_DYNSYM, mark_start, c);
}

/* Bytes that an stp or ldp moves the stack pointer down by; its immediate counts 8 bytes. */
static s32 pushed(u32 insn)
{
	s32 n = (s32)(insn >> 15 & 0x7f);

	return -8 * (n >= 64 ? n - 128 : n);
}

/* Where the caller is, before the instruction is executed. */
struct state {
	s32 frame;  /* bytes of the function's frame; 0: it has none */
	bool is_in; /* the frame is on the stack */
	bool has_fp;
};

static struct cfi_rule rule_of(const struct state *s)
{
	if (!s->is_in)
		return (struct cfi_rule){ .cfa = CFI_SP, .ra = CFI_SAME };
	return (struct cfi_rule){ .cfa = s->has_fp ? CFI_FP : CFI_SP,
				  .off = s->frame,
				  .fp = CFI_AT_CFA,
				  .fp_words = (__s16)(-s->frame / 8),
				  .ra = CFI_AT_CFA,
				  .ra_words = (__s16)(-s->frame / 8 + 1) };
}

static void execute(struct state *s, u32 insn)
{
	if ((insn & PAIR_MASK) == PUSH_PAIR && pushed(insn) > 0)
		*s = (struct state){ .frame = pushed(insn), .is_in = true };
	else if (insn == SET_FP)
		s->has_fp = s->is_in;
	else if ((insn & PAIR_MASK) == POP_PAIR)
		s->is_in = false;
	else if (insn == RET) /* a branch around it leads on */
		s->is_in = s->has_fp;
}

/* Handlers of signals return to `sigreturn`; a walk looks up the instruction before it. */
static struct cfi_rule rule_at(const struct code *c, u32 i, u64 sigreturn, struct state *s)
{
	u64 addr = c->vaddr + 4 * (u64)i;

	if (c->is_start[i])
		*s = (struct state){ 0 };
	if (addr + 4 >= sigreturn && addr < sigreturn + 8)
		return (struct cfi_rule){ .cfa = CFI_SIGNAL };
	return rule_of(s);
}

static void put(const struct vdso_rules *rules, const struct code *c, u32 from, u32 to,
		const struct cfi_rule *rule)
{
	if (from < to && (rule->cfa == CFI_SIGNAL || !rules->is_signal_only))
		rules->rule(rules->ctx, c->vaddr + 4 * (u64)from, 4 * (to - from), rule);
}

bool unwind_vdso(const struct elf *e, const struct vdso_rules *rules)
{
	struct cfi_rule rule = { .cfa = CFI_NONE }, next;
	struct state s = { 0 };
	u64 sigreturn;
	struct code c;
	u32 start = 0;

	if (!read_code(e, &c) || !elfsyms_address(e, "__kernel_rt_sigreturn", &sigreturn))
		return false;
	for (u32 i = 0; i < c.n; i++) {
		next = rule_at(&c, i, sigreturn, &s);
		if (memcmp(&next, &rule, sizeof(rule)) != 0) {
			put(rules, &c, start, i, &rule);
			start = i;
			rule = next;
		}
		execute(&s, c.words[i]);
	}
	put(rules, &c, start, c.n, &rule);
	return true;
}
