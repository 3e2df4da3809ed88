/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel stacks, most of them read without the kernel's unwinder.
 *
 * With ORC (arch/x86/kernel/unwind_orc.c), the size of a frame follows from the return address into
 * its function: that many bytes further up is the next return address.  The kernel searches tables
 * for each frame: 2.8 us for a wake-up's 13 to 18 frames on the 6.18 test host.  Here each size is
 * learned from a stack that the kernel has walked, by finding its frames in the memory of the
 * stack, and remembered by address.  Other stacks are then read by stepping from one return address
 * to the next.
 *
 * Why the result is what the kernel would have returned:
 * - A size is learned only if both ends are known beyond doubt.  All of the stack above the hook is
 *   searched, so the true word is among those found: it is the only one, or the only one that other
 *   stacks confirm.  A program can leave words on its kernel stack that become additional
 *   candidates, but it cannot remove the true one.
 * - Nothing is learned while a tracer replaces return addresses with its trampolines; when such a
 *   stack is read, the trampolines lead nowhere.
 * - An address that was seen with two sizes has no size: its frame is aligned at run time, or its
 *   code was interrupted.  The size for do_syscall_64 is random (randomize_kstack_offset); but only
 *   the last frame follows it, and the last frame's place on the stack is fixed.
 * - A stack that was read counts only if a walk has returned exactly the same one before.  So a
 *   stack can be mistaken for another real one, but never invented.
 * - One in unwind_check is walked as well.  If the results differ, this stack and those that it
 *   stands for are counted as lost, and from then on all stacks are walked.
 *
 * One weakness remains.  A thread that knows the kernel's addresses, and makes it fault on
 * instructions of its choice, can appear at a place where it is not, but where other threads are,
 * until it is compared or the address is seen with its second size.
 */
#ifndef BPF_ORC_BPF_H
#define BPF_ORC_BPF_H

#include "bpf/abi/unwind.h"
#include "stack.bpf.h"
#include "wait_cpu.bpf.h"

#ifdef __TARGET_ARCH_x86
#define UNWIND_IS_BUILT true
#else
#define UNWIND_IS_BUILT false /* frame pointers: the kernel's walk searches no tables */
#endif

/* Sets of learned sizes, keyed by the low half of the address: all of the kernel's code is in the
 * upper 2 GiB.  All CPUs share them; an entry is one word, written at once. */
#define UNWIND_SETS	  1024
#define UNWIND_WAYS	  4
#define UNWIND_WHOLE_SETS 1024
#define UNWIND_WHOLE_WAYS 4

/*
 * The facts known about an address, stored above its low half: two numbers of words, 0 if not
 * known.  The low one is the size.  The high one is a place on the stack: that of the address
 * itself, if it belongs to the last frame; or, if the size varies, that of the last frame, which is
 * next.
 */
#define UNWIND_SIZE(what)  ((what)&0xffff)
#define UNWIND_PLACE(what) ((what) >> 16)
#define UNWIND_VARIES	   0xffff

/* One stack in this many is compared; tests set 1. */
const volatile u32 unwind_check = UNWIND_CHECK;

/* Set by user space, if this kernel is suitable (wait_can_unwind()). */
bool unwind_is_on = false;
u64 unwind_hiding[UNWIND_HIDING] = {};
/* Stacks that were both read and walked. */
u64 unwind_n_checked = 0;

u64 unwind_known[UNWIND_SETS * UNWIND_WAYS] = {};
/* Hashes of complete stacks that a walk has returned. */
u64 unwind_wholes[UNWIND_WHOLE_SETS * UNWIND_WHOLE_WAYS] = {};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct unwind_cpu);
} unwind_cpus SEC(".maps");

static __always_inline struct unwind_cpu *unwind_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&unwind_cpus, &zero);
}

/* ---- known frames ---- */

static __always_inline u64 *unwind_set(u64 address)
{
	return &unwind_known[((u32)address * 0x9e3779b1U >> 22) * UNWIND_WAYS];
}

/* Tests without branches, which return 1 or 0: in a loop, the verifier walks the code after a
 * branch once for each path that leads there. */

/* For numbers below 2^63. */
static __always_inline u64 unwind_is_less(u64 a, u64 b)
{
	u64 difference = a - b;

	asm volatile("" : "+r"(difference));
	return difference >> 63;
}

/* Compares the low halves. */
static __always_inline u64 unwind_is_same(u64 a, u64 b)
{
	u64 difference = (u32)(a ^ b);

	asm volatile("" : "+r"(difference));
	return (difference - 1) >> 63;
}

static __always_inline u64 unwind_is_equal(u64 a, u64 b)
{
	return unwind_is_same(a, b) & unwind_is_same(a >> 32, b >> 32);
}

static __always_inline u32 unwind_what(u64 address)
{
	const u64 *set = unwind_set(address);
	u64 what = 0;

	/* The first entry counts, as in unwind_learn(): two CPUs may add the same address. */
	for (u32 i = UNWIND_WAYS; i-- > 0;) {
		u64 known = *(volatile const u64 *)&set[i]; /* in one read: another CPU may write */
		u64 mask = -unwind_is_same(known, address);

		what = (what & ~mask) | (known & mask);
	}
	return what >> 32;
}

__noinline int unwind_learn(u64 address, u32 size, u32 place);
__noinline int unwind_learn(u64 address, u32 size, u32 place)
{
	u64 known = (u64)(place << 16 | UNWIND_SIZE(size)) << 32 | (u32)address;
	u64 *set = unwind_set(address);

	for (u32 i = 0; i < UNWIND_WAYS; i++) {
		if ((u32)set[i] == (u32)address) {
			set[i] = known;
			return 0;
		}
	}
	for (u32 i = UNWIND_WAYS - 1; i; i--)
		set[i] = set[i - 1];
	set[0] = known;
	return 0;
}

static __always_inline u64 *unwind_whole_set(u64 hash)
{
	return &unwind_wholes[hash % UNWIND_WHOLE_SETS * UNWIND_WHOLE_WAYS];
}

static __always_inline bool unwind_has_whole(u64 hash)
{
	const u64 *set = unwind_whole_set(hash);
	u64 is_found = 0;

	for (u32 i = 0; i < UNWIND_WHOLE_WAYS; i++)
		is_found |= unwind_is_equal(set[i], hash);
	return is_found;
}

static __always_inline void unwind_learn_whole(u64 hash)
{
	u64 *set = unwind_whole_set(hash);

	for (u32 i = UNWIND_WHOLE_WAYS - 1; i; i--)
		set[i] = set[i - 1];
	set[0] = hash;
}

static __always_inline u64 unwind_hash(u64 hash, u64 address)
{
	hash = (hash ^ address) * 0x9fb21c651e98df25ULL;
	return hash ^ hash >> 32;
}

/* ---- reading a stack ---- */

/*
 * The functions below are global if they have loops: global functions are verified once, on their
 * own, not again for each call.  On 5.10 they can only take numbers.  Loop bounds are read again
 * each time (volatile), because the verifier would otherwise track a different value at each exit.
 */

/* True if a walk has returned the stack that was read, which has this hash. */
__noinline bool unwind_is_whole(u64 hash);
__noinline bool unwind_is_whole(u64 hash)
{
	struct unwind_cpu *c = unwind_cpu();

	if (!c)
		return false;
	c->hash = hash;
	return unwind_has_whole(hash);
}

/* Frames per call: the verifier walks these once, and then a loop over all frames in such steps. */
#define UNWIND_SOME_FRAMES 6
_Static_assert((UNWIND_FRAMES - UNWIND_INNER) % UNWIND_SOME_FRAMES == 0, "whole steps");

enum unwind_progress {
	UNWIND_GOES_ON,
	UNWIND_IS_READ,
	UNWIND_STOPS, /* the stack must be walked */
};

/* Read the next frames into the record. */
__noinline int unwind_read_some(void);
__noinline int unwind_read_some(void)
{
	struct stack_record *rec = unwind_record();
	struct unwind_cpu *c = unwind_cpu();
	u32 n, at, what, varies;
	u64 hash, address;

	if (!c || !rec)
		return UNWIND_STOPS;
	hash = c->read.hash;
	at = c->read.at;
	n = c->read.n;
	for (u32 i = 0; i < UNWIND_SOME_FRAMES; i++) {
		if (at >= UNWIND_STACK_BYTES / sizeof(u64) ||
		    bpf_probe_read_kernel(&address, sizeof(address),
					  (void *)(c->stack + at * sizeof(u64))))
			return UNWIND_STOPS;
		rec->frames[n++ % UNWIND_FRAMES] = address;
		hash = unwind_hash(hash, address);
		what = unwind_what(address);
		if (UNWIND_PLACE(what) == at) {
			rec->n_kernel = n;
			return unwind_is_whole(hash) ? UNWIND_IS_READ : UNWIND_STOPS;
		}
		if (!UNWIND_SIZE(what))
			return UNWIND_STOPS;
		varies = -unwind_is_same(UNWIND_SIZE(what), UNWIND_VARIES);
		at = (UNWIND_PLACE(what) & varies) | ((at + UNWIND_SIZE(what)) & ~varies);
		if (!at)
			return UNWIND_STOPS;
	}
	c->read.hash = hash;
	c->read.at = at;
	c->read.n = n;
	return UNWIND_GOES_ON;
}

/* Read the stack into the record; false: it must be walked. */
__noinline bool unwind_read(u32 site);
__noinline bool unwind_read(u32 site)
{
	struct stack_record *rec = unwind_record();
	struct unwind_cpu *c = unwind_cpu();
	const struct unwind_leaf *leaf;
	int progress = UNWIND_GOES_ON;

	if (!c || !rec)
		return false;
	leaf = &c->leaves[site % UNWIND_N_SITES];
	if (!leaf->is_sure)
		return false;
	for (u32 i = 0; i < UNWIND_INNER; i++)
		rec->frames[i] = leaf->inner[i];
	c->read.hash = stack_seed[0];
	c->read.at = c->base + leaf->first;
	c->read.n = leaf->n_inner;
	for (u32 i = UNWIND_INNER; i < UNWIND_FRAMES; i += UNWIND_SOME_FRAMES) {
		progress = unwind_read_some();
		if (progress != UNWIND_GOES_ON)
			break;
	}
	return progress == UNWIND_IS_READ;
}

/* ---- learning from a walked stack ---- */

static __always_inline bool unwind_is_hiding(u64 word)
{
	u64 is_found = 0;

	for (u32 i = 0; i < UNWIND_HIDING; i++)
		is_found |= unwind_is_equal(word, unwind_hiding[i]);
	return is_found;
}

/* Words per call: the verifier walks these once, and then loops over all words in such steps. */
#define UNWIND_FEW  4
#define UNWIND_SOME (8 * UNWIND_FEW)

__noinline int unwind_look_at(u64 address, u32 first, u32 more);
__noinline int unwind_look_at(u64 address, u32 first, u32 more)
{
	struct unwind_cpu *c = unwind_cpu();
	u64 is_hidden = 0;

	if (!c || first > UNWIND_WORDS - UNWIND_FEW)
		return 0;
	for (u32 i = 0; i < UNWIND_FEW; i++) {
		u64 word = c->words[first + i], at = first + i;
		u64 is_in = unwind_is_less(c->slot, at) & unwind_is_less(at, c->n_words) &
			    unwind_is_same(word >> 32, 0xffffffff);

		u64 is_it = is_in & unwind_is_same(word, address);
		u16 *found = &c->found[c->n_found % UNWIND_FOUND];

		is_hidden |= is_in & unwind_is_hiding(word);
		*found = (*found & (is_it - 1)) | ((at + more) & -is_it);
		c->n_found += is_it;
	}
	if (is_hidden)
		c->n_found = UNWIND_FOUND + 1;
	return 0;
}

__noinline int unwind_look_among(u64 address, u32 first, u32 more);
__noinline int unwind_look_among(u64 address, u32 first, u32 more)
{
	const struct unwind_cpu *c = unwind_cpu();

	if (!c || first + UNWIND_SOME <= c->slot)
		return 0;
	for (u32 i = 0; i < UNWIND_SOME; i += UNWIND_FEW)
		unwind_look_at(address, first + i, more);
	return 0;
}

/* Fill c->found: for each word above c->slot that equals the address, its number + `more`. n_found
 * is too large for c->found if a trampoline may have replaced the true word. */
__noinline int unwind_search(u64 address, u32 more);
__noinline int unwind_search(u64 address, u32 more)
{
	struct unwind_cpu *c = unwind_cpu();

	if (!c)
		return 0;
	__builtin_memset(c->found, 0, sizeof(c->found));
	c->n_found = 0;
	for (u32 i = 0; i < UNWIND_WORDS; i += UNWIND_SOME) {
		if (i >= *(volatile u32 *)&c->n_words)
			break;
		unwind_look_among(address, i, more);
	}
	return 0;
}

/* Returns the number if it is in c->found, else 0. */
__noinline u32 unwind_if_found(u32 number);
__noinline u32 unwind_if_found(u32 number)
{
	const struct unwind_cpu *c = unwind_cpu();

	for (u32 i = 0; c && i < UNWIND_FOUND; i++)
		if (c->found[i] == number)
			return number;
	return 0;
}

/*
 * Returns the true number among those in c->found; 0: not known yet.  If there are several, the
 * true one will be found again next time, so the numbers are remembered under `key`, and only those
 * found each time remain.
 */
__noinline u32 unwind_decide(u64 key);
__noinline u32 unwind_decide(u64 key)
{
	struct unwind_cpu *c = unwind_cpu();
	struct unwind_doubt *doubt;

	if (!c || !c->n_found || c->n_found > UNWIND_FOUND)
		return 0;
	if (c->n_found == 1)
		return c->found[0];
	doubt = &c->doubts[(u32)key * 0x9e3779b1U >> 27];
	if (doubt->key != key) {
		doubt->key = key;
		for (u32 i = 0; i < UNWIND_FOUND; i++)
			doubt->numbers[i] = c->found[i];
		return 0;
	}
	c->n_left = c->left = 0;
	for (u32 i = 0; i < UNWIND_FOUND; i++) {
		u32 number = unwind_if_found(doubt->numbers[i]);

		doubt->numbers[i] = number;
		if (!number)
			continue;
		c->left = number;
		c->n_left++;
	}
	if (!c->n_left)
		return UNWIND_VARIES;
	return c->n_left == 1 ? c->left : 0;
}

/* Words from the frame at c->slot to the next one, learned if needed; 0: not known. */
static __always_inline u32 unwind_learn_size(struct unwind_cpu *c, u64 address, u64 next)
{
	u32 what = unwind_what(address), size = UNWIND_SIZE(what);

	if (size || !c->n_searches)
		return size;
	c->n_searches--;
	unwind_search(next, -c->slot);
	size = unwind_decide(address);
	if (size)
		unwind_learn(address, size, UNWIND_PLACE(what));
	return size;
}

/* Place of the last frame, which follows an address whose size varies. */
static __always_inline u32 unwind_learn_place(struct unwind_cpu *c, u64 address, u64 last)
{
	u32 place = UNWIND_PLACE(unwind_what(address));

	if (place || !c->n_searches)
		return place;
	c->n_searches--;
	unwind_search(last, c->base);
	place = unwind_decide(~address);
	if (place)
		unwind_learn(address, UNWIND_VARIES, place);
	return place;
}

/* Step from frame i, at word c->slot, to the next one; false: its place is not known. */
__noinline bool unwind_advance(u32 i);
__noinline bool unwind_advance(u32 i)
{
	const struct stack_record *rec = unwind_record();
	struct unwind_cpu *c = unwind_cpu();
	u64 address, next;
	u32 size, to;

	if (!c || !rec || i >= UNWIND_FRAMES - 1)
		return false;
	address = rec->frames[i];
	next = rec->frames[i + 1];
	size = unwind_learn_size(c, address, next);
	if (!size)
		return false;
	to = c->slot + size;
	if (size == UNWIND_VARIES) {
		if (i + 2 != rec->n_kernel) {
			/* The size may have varied by chance, or because of an interrupt: try again
			 * from time to time. */
			if (!(c->n_studies % UNWIND_FORGET))
				unwind_learn(address, 0, 0);
			return false;
		}
		to = unwind_learn_place(c, address, next) - c->base;
	}
	if (to >= c->n_words || to >= UNWIND_WORDS)
		return false;
	if (c->words[to] != next) {
		if (size != UNWIND_VARIES && !unwind_is_hiding(c->words[to]))
			unwind_learn(address, UNWIND_VARIES, 0);
		return false;
	}
	c->slot = to;
	return true;
}

/* Learn the place of the last frame, which is at word c->slot. */
static __always_inline void unwind_learn_end(struct unwind_cpu *c, u64 address)
{
	u32 what = unwind_what(address), place = c->base + c->slot;

	if (UNWIND_PLACE(what) != place && UNWIND_SIZE(what) != UNWIND_VARIES)
		unwind_learn(address, UNWIND_SIZE(what),
			     UNWIND_PLACE(what) ? UNWIND_VARIES : place);
}

__noinline int unwind_try_leaf(u32 slot);
__noinline int unwind_try_leaf(u32 slot)
{
	const struct stack_record *rec = unwind_record();
	struct unwind_cpu *c = unwind_cpu();

	if (!c || !rec || slot >= c->n_words || slot >= UNWIND_WORDS)
		return 0;
	for (u32 i = 1; i <= UNWIND_INNER; i++) {
		if (i >= rec->n_kernel || c->words[slot] != rec->frames[i])
			continue;
		c->n_inner = i;
		c->slot = slot;
	}
	return 0;
}

/* Find the first frame above the hook, and its place: the nearest match, if two searches in a row
 * find the same. */
__noinline bool unwind_learn_leaf(u32 site);
__noinline bool unwind_learn_leaf(u32 site)
{
	struct unwind_cpu *c = unwind_cpu();
	struct unwind_leaf *leaf;

	if (!c)
		return false;
	c->n_inner = 0;
	for (u32 i = UNWIND_LEAF_WORDS; i-- > 0;)
		unwind_try_leaf(i);
	leaf = &c->leaves[site % UNWIND_N_SITES];
	leaf->is_sure = c->n_inner && leaf->n_inner == c->n_inner && leaf->first == c->slot;
	leaf->n_inner = c->n_inner;
	leaf->first = c->slot;
	return leaf->is_sure;
}

/* Frames per call, as UNWIND_SOME_FRAMES. */
#define UNWIND_SOME_STUDIED 8

/* Learn the sizes of some frames; false: the place of one is not known. */
__noinline bool unwind_study_some(u32 first, u32 n_inner);
__noinline bool unwind_study_some(u32 first, u32 n_inner)
{
	const struct stack_record *rec = unwind_record();

	for (u32 i = 0; rec && i < UNWIND_SOME_STUDIED; i++) {
		u32 at = first + i;

		if (at + 1 >= *(volatile const u8 *)&rec->n_kernel)
			break;
		if (at >= n_inner && !unwind_advance(at))
			return false;
	}
	return true;
}

/* Learn from the stack in the record, searching all of the stack above the hook. */
__noinline int unwind_study(u32 site);
__noinline int unwind_study(u32 site)
{
	const struct stack_record *rec = unwind_record();
	struct unwind_cpu *c = unwind_cpu();
	struct unwind_leaf *leaf;
	bool is_good = true;
	u64 bytes;

	if (!c || !rec)
		return 0;
	bytes = UNWIND_STACK_BYTES - c->base * sizeof(u64);
	if (bytes > sizeof(c->words) ||
	    bpf_probe_read_kernel(c->words, bytes, (void *)(c->stack + c->base * sizeof(u64))))
		return 0;
	c->n_words = bytes / sizeof(u64);
	c->n_searches = UNWIND_SEARCHES;
	leaf = &c->leaves[site % UNWIND_N_SITES];
	if ((!leaf->is_sure || leaf->first >= UNWIND_WORDS ||
	     c->words[leaf->first] != rec->frames[leaf->n_inner % UNWIND_FRAMES]) &&
	    !unwind_learn_leaf(site))
		return 0;
	c->slot = leaf->first;
	for (u32 i = 0; i < UNWIND_FRAMES && is_good; i += UNWIND_SOME_STUDIED) {
		if (i + 1 >= *(volatile const u8 *)&rec->n_kernel)
			break;
		is_good = unwind_study_some(i, leaf->n_inner);
	}
	if (is_good)
		unwind_learn_end(c, rec->frames[(rec->n_kernel - 1U) % UNWIND_FRAMES]);
	return 0;
}

/* True if the hook was called from a different place than before, or in a different way. */
static __always_inline bool unwind_has_moved(const struct unwind_cpu *c,
					     const struct stack_record *rec,
					     const struct unwind_leaf *leaf)
{
	u64 first;

	return bpf_probe_read_kernel(&first, sizeof(first),
				     (void *)(c->stack + (c->base + leaf->first) * sizeof(u64))) ||
	       first != rec->frames[leaf->n_inner % UNWIND_FRAMES];
}

/* Frames per call, as UNWIND_SOME_FRAMES. */
#define UNWIND_SOME_HASHED 8

__noinline u64 unwind_hash_some(u64 hash, u32 first);
__noinline u64 unwind_hash_some(u64 hash, u32 first)
{
	const struct stack_record *rec = unwind_record();

	for (u32 i = 0; rec && i < UNWIND_SOME_HASHED; i++) {
		u32 at = first + i;

		if (at >= *(volatile const u8 *)&rec->n_kernel)
			break;
		hash = unwind_hash(hash, rec->frames[at % UNWIND_FRAMES]);
	}
	return hash;
}

/* The hash of the frames in the record from one on. */
__noinline u64 unwind_hash_from(u32 first);
__noinline u64 unwind_hash_from(u32 first)
{
	const struct stack_record *rec = unwind_record();
	u64 hash = stack_seed[0];

	if (!rec)
		return 0;
	for (u32 i = 0; i < UNWIND_FRAMES; i += UNWIND_SOME_HASHED) {
		if (first + i >= *(volatile const u8 *)&rec->n_kernel)
			break;
		hash = unwind_hash_some(hash, first + i);
	}
	return hash;
}

/* Compare the stack that was walked with the one that was read, or learn from it. */
__noinline int unwind_compare(u32 site, bool is_read);
__noinline int unwind_compare(u32 site, bool is_read)
{
	const struct stack_record *rec = unwind_record();
	struct unwind_cpu *c = unwind_cpu();
	struct unwind_leaf *leaf;
	u64 hash;

	/* A stack that may be truncated has no known end; if there are no frames, the walk has
	 * failed. */
	if (!c || !rec || !rec->n_kernel || rec->n_kernel > UNWIND_FRAMES ||
	    rec->n_kernel >= stack_max_frames)
		return 0;
	leaf = &c->leaves[site % UNWIND_N_SITES];
	for (u32 i = 0; i < UNWIND_INNER; i++)
		leaf->inner[i] = rec->frames[i];
	hash = unwind_hash_from(leaf->n_inner);
	if (is_read) {
		__sync_fetch_and_add(&unwind_n_checked, 1);
		if (hash == c->hash)
			return 0;
		leaf->is_sure = false;
		if (unwind_has_moved(c, rec, leaf))
			return 0;
		__sync_fetch_and_add(&lost[BPF_LOST_STACK_WRONG], unwind_check);
		unwind_is_on = false;
		return 0;
	}
	if (!unwind_has_whole(hash))
		unwind_learn_whole(hash);
	if (hash == c->hash || c->n_studies * UNWIND_STUDY > c->n_read + c->n_walked + UNWIND_FREE)
		return 0;
	c->n_studies++;
	return unwind_study(site);
}

/* Find the hook's arguments on the task's stack; false: they are on another stack, an
 * interrupt's. */
static __always_inline bool unwind_is_on_stack(void *ctx, struct unwind_cpu *c,
					       struct task_struct *task)
{
	u64 at;

	c->hash = 0;
	c->stack = (u64)TASK_READ(task, stack);
	/* Once read back from memory, it is a number to the verifier, not a pointer. */
	*(volatile u64 *)&c->at = (u64)ctx;
	at = *(volatile u64 *)&c->at - c->stack;
	c->base = at / sizeof(u64);
	return at < UNWIND_STACK_BYTES;
}

/*
 * Like stack_walk_kernel(), for a hook on the current task's own stack.  The hooks run with
 * interrupts off, so no other hook can run this on the same CPU in between.  The exception, a
 * thread that wakes itself, never calls this (on_waking()).
 */
static __always_inline void unwind_kernel(void *ctx, struct stack_record *rec,
					  struct task_struct *task, enum unwind_site site)
{
	struct unwind_cpu *c = unwind_cpu();
	bool is_ours, is_read;

	is_ours = UNWIND_IS_BUILT && !bpf_core_field_exists(task->kasan_depth) && c &&
		  unwind_is_on && unwind_is_on_stack(ctx, c, task);
	is_read = is_ours && unwind_read(site);
	if (is_read && ++c->n_uses % unwind_check) {
		c->n_read++;
		return;
	}
	stack_walk_kernel(ctx, rec);
	if (is_ours) {
		c->n_walked++;
		unwind_compare(site, is_read);
	} else if (c) {
		c->n_others++;
	}
}

#endif
