// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/unwinding.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"

/* Copies of stacks that may be made in a second: most have a few KiB, and take 50 us to walk. */
#define COPIES_PER_SEC	 640
/* Unused copies may be used later, up to this number.  A run begins with it: there are no tables
 * yet; and programs start in bursts, opening all of their files in their first millisecond. */
#define COPIES_AT_ONCE	 1024
/* Probes get as many at each tick. */
#define COPIES_OF_PROBES 512
/* Copies of stacks that user space already has (bpf/probe_walk.bpf.h); each takes some 5 us. */
#define REPEATS_PER_TICK 8192

/* No process is begun after this time, so that a tree of a thousand processes does not put off the
 * start.  libLLVM, the largest file of a distribution, takes a fifth of it. */
#define PREPARE_NS (500 * NS_PER_MS)

bool unwinding_wants_tables(u32 how)
{
	return how != UNWINDING_FP;
}

static int set_max(struct bpf_object *obj, const char *name, u32 n, struct err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	int ret = map ? bpf_map__set_max_entries(map, n) : -ENOENT;

	return ret ? err_errno(err, -ret, "cannot size the table %s", name) : 0;
}

int unwinding_prepare(struct bpf_object *obj, struct err *err)
{
	static const struct {
		const char *name;
		u32 n;
	} sizes[] = {
		{ "cfi_processes", CFI_PROCESSES_MAX }, { "cfi_mappings", CFI_MAPPINGS_MAX },
		{ "cfi_pages", CFI_PAGES_MAX },		{ "cfi_rules", CFI_RULES_MAX },
		{ "cfi_chunks", CFI_CHUNKS_MAX },
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(sizes); i++)
		ret = set_max(obj, sizes[i].name, sizes[i].n, err);
	/* Probes have buffers of their own. */
	if (!ret && bpf_object__find_map_by_name(obj, "stack_copyings"))
		ret = set_max(obj, "stack_copyings", (u32)libbpf_num_possible_cpus(), err);
	return ret;
}

static void allow_copies(struct unwinding *u, s64 n)
{
	__atomic_store_n(u->copies_left, n, __ATOMIC_RELAXED);
	if (u->repeats_left)
		__atomic_store_n(u->repeats_left, REPEATS_PER_TICK, __ATOMIC_RELAXED);
}

void unwinding_begin(struct unwinding *u, struct bpf_object *obj,
		     const struct unwinding_kernel *kernel, struct symbolizer *sym,
		     const struct unwind_patience *patience, u64 max_bytes)
{
	const struct unwind_maps maps = {
		.processes = bpf_object__find_map_fd_by_name(obj, "cfi_processes"),
		.mappings = bpf_object__find_map_fd_by_name(obj, "cfi_mappings"),
		.pages = bpf_object__find_map_fd_by_name(obj, "cfi_pages"),
		.rules = bpf_object__find_map_fd_by_name(obj, "cfi_rules"),
		.chunks = bpf_object__find_map_fd_by_name(obj, "cfi_chunks"),
	};

	u->unwinder = unwinder_new(sym, &maps, patience, max_bytes);
	u->copies_left = kernel->copies_left;
	u->repeats_left = kernel->repeats_left;
	u->refilled_ns = now_ns();
	allow_copies(u, u->repeats_left ? COPIES_OF_PROBES : COPIES_AT_ONCE);
	*kernel->is_on = true;
}

void unwinding_release(struct unwinding *u)
{
	unwinder_free(u->unwinder);
	u->unwinder = NULL;
}

void unwinding_prepare_processes(struct unwinding *u, const u32 *tgids, size_t n)
{
	u64 end = now_ns() + PREPARE_NS;

	for (size_t i = 0; u->unwinder && i < n && now_ns() < end && !stop_is_asked(); i++)
		unwinder_prepare(u->unwinder, tgids[i]);
}

void unwinding_tick(struct unwinding *u)
{
	u64 now = now_ns();
	s64 left, more;

	if (!u->unwinder)
		return;
	unwinder_tick(u->unwinder);
	more = (s64)((now - u->refilled_ns) * COPIES_PER_SEC / NS_PER_SEC);
	if (!more)
		return;
	u->refilled_ns = now;
	left = __atomic_load_n(u->copies_left, __ATOMIC_RELAXED);
	left = (left > 0 ? left : 0) + more;
	allow_copies(u, u->repeats_left		? COPIES_OF_PROBES
			: left > COPIES_AT_ONCE ? COPIES_AT_ONCE
						: left);
}

u32 unwinding_take(struct unwinding *u, const struct unwind_copy *copy, u64 *frames, u32 max,
		   enum stack_end *end)
{
	*end = STACK_END_LATE;
	return u->unwinder ? unwinder_take(u->unwinder, copy, frames, max, end) : 0;
}

/* Records of other kinds (struct wait_record) are shorter than a copy. */
bool unwinding_is_copy(const struct stack_record *rec, size_t size)
{
	return size >= sizeof(*rec) && rec->user_end == STACK_END_COPY;
}

static bool is_whole(const struct stack_record *rec)
{
	return rec->n_kernel <= STACK_MAX_FRAMES && !rec->n_user &&
	       rec->n_more <= STACK_MORE_WORDS && rec->n_more >= STACK_REGISTER_WORDS;
}

const struct stack_record *unwinding_walk(struct unwinding *u, const struct stack_record *rec,
					  size_t size)
{
	struct stack_record *out = &u->record;
	u32 n = rec->n_kernel, n_more = rec->n_more - STACK_REGISTER_WORDS;
	u64 more[STACK_MORE_WORDS];
	struct unwind_copy copy;
	enum stack_end end;

	if (!u->unwinder || !is_whole(rec))
		return NULL;
	*out = *rec;
	memcpy(more, &rec->frames[n], rec->n_more * sizeof(u64));
	copy = (struct unwind_copy){ .tgid = rec->tgid,
				     .exec_id = rec->exec_id,
				     .bytes = (const u8 *)(rec + 1),
				     .n = size - sizeof(*rec) };
	memcpy(&copy.regs, more + n_more, sizeof(copy.regs));
	out->n_user = (u8)unwinding_take(u, &copy, (u64 *)&out->frames[n], STACK_MAX_FRAMES, &end);
	out->user_end = (u8)end;
	out->n_more = (u8)n_more;
	memcpy(&out->frames[n + out->n_user], more, n_more * sizeof(u64));
	out->bytes = STACK_HEADER_BYTES + 8 * (STACK_FIXED_WORDS + n + out->n_user + n_more);
	return out;
}
