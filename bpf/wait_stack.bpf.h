/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks of waiting threads: their owner, the object that is waited for, and sending each stack
 * once.
 */
#ifndef BPF_WAIT_STACK_BPF_H
#define BPF_WAIT_STACK_BPF_H

#include "object.bpf.h"
#include "stack.bpf.h"
#include "wait_conf.bpf.h"
#include "wait_cpu.bpf.h"

static __always_inline void wait_fill_owner(struct stack_record *rec, struct task_struct *task)
{
	u64 ids = bpf_get_current_pid_tgid();

	if (filter.pidns_inum) {
		rec->tgid = filter_tgid(task);
		rec->tid = wait_key & STACK_KEY_TID ? filter_tid(task) : 0;
	} else {
		rec->tgid = ids >> 32;
		rec->tid = wait_key & STACK_KEY_TID ? (u32)ids : 0;
	}
	rec->start_time = wait_key & STACK_KEY_TID ? TASK_READ(task, start_time) : 0;
	rec->cpu = wait_key & STACK_KEY_CPU ? bpf_get_smp_processor_id() : 0;
	rec->cgroup = wait_key & STACK_KEY_CGROUP ? bpf_get_current_cgroup_id() : 0;
	rec->exec_id = TASK_READ(task, self_exec_id);
	rec->flags = 0;
	rec->n_kernel = 0;
	rec->n_user = 0;
	rec->n_more = 0;
	rec->user_end = STACK_END_UNKNOWN;
	task_comm(task, rec->comm);
}

/* Append the object that is waited for to the stack. */
static __always_inline void wait_add_object(struct stack_record *rec, struct task_struct *task)
{
	u32 n = rec->n_kernel + rec->n_user;
	struct wait_object *object;

	if (n > 2 * STACK_MAX_FRAMES)
		return;
	object = (void *)&rec->frames[n];
	__builtin_memset(object, 0, sizeof(*object));
	object_read(task, object);
	if (object->kind)
		rec->n_more = OBJECT_WORDS;
}

/*
 * The functions below are global, because those are verified once, not per call site, and on 5.10
 * they can only take numbers.
 */

/* Words per call: the verifier walks these once, and then a loop over all words in such steps. */
#define WAIT_SOME_WORDS 19
_Static_assert(STACK_WORDS_MAX % WAIT_SOME_WORDS == 0, "the last step ends with the record");

__noinline int wait_hash_some(u32 first);
__noinline int wait_hash_some(u32 first)
{
	struct wait_cpu *cpu = wait_cpu();

	if (cpu && first <= STACK_WORDS_MAX - WAIT_SOME_WORDS)
		hash_add(cpu->rec.id.hash, (const u64 *)&cpu->rec.tgid + first,
			 stack_words(&cpu->rec) - first, WAIT_SOME_WORDS);
	return 0;
}

/* Compute the id of the stack in the CPU's record, as stack_identify() does.  Returns 0. */
__noinline int wait_identify_stack(void);
__noinline int wait_identify_stack(void)
{
	struct wait_cpu *cpu = wait_cpu();
	u32 n;

	if (!cpu)
		return 0;
	stack_complete(&cpu->rec);
	n = stack_words(&cpu->rec);
	hash_begin(cpu->rec.id.hash, stack_seed[0], stack_seed[1]);
	for (u32 i = 0; i < STACK_WORDS_MAX; i += WAIT_SOME_WORDS) {
		if (i >= n)
			break;
		wait_hash_some(i);
	}
	hash_end(cpu->rec.id.hash);
	return 0;
}

/*
 * Identify the stack in the CPU's record, and send it if user space does not have it. `last` is the
 * thread's last stack of this kind, `is_sent` says whether user space has it: most threads wait
 * again where they waited before.  The wakers' stacks change more often, so each CPU remembers
 * some, too.
 */
static __always_inline void wait_know(struct wait_cpu *cpu, struct stack_id *last, u8 *is_sent)
{
	struct stack_record *rec = &cpu->rec;
	struct stack_id *known;
	u8 one = 1;

	wait_identify_stack();
	if (*is_sent && rec->id.hash[0] == last->hash[0] && rec->id.hash[1] == last->hash[1])
		return;
	*last = rec->id;
	*is_sent = true;
	known = &cpu->known[rec->id.hash[0] % WAIT_KNOWN];
	if (known->hash[0] == rec->id.hash[0] && known->hash[1] == rec->id.hash[1])
		return;
	if (bpf_map_lookup_elem(&stack_seen, &rec->id)) {
		*known = rec->id;
		return;
	}
	/* The kind takes the place of the window, as in struct wait_record. */
	stack_fill_header(rec, WAIT_REC_STACK);
	/* If stack_seen is full, the stack is sent again whenever neither the thread nor the CPU
	 * remembers it. */
	if (!stack_send(rec)) {
		*is_sent = false;
	} else if (!stack_is_copy(rec)) {
		bpf_map_update_elem(&stack_seen, &rec->id, &one, BPF_ANY);
		*known = rec->id;
	}
}

#endif
