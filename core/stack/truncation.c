// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/truncation.h"

#include <stdlib.h>
#include <string.h>

/* Functions in which threads begin, or at which a walk may end without missing anything of
 * interest. */
static const char *const roots[] = {
	"_start",
	"__libc_start_main",
	"__libc_start_call_main",
	"__libc_start_main_impl",
	"main",
	"start_thread",
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"_dl_start",
	"_dl_start_user",
	"thread_start",
	"runtime.goexit",
	"runtime.mstart",
	"runtime.rt0_go",
	"_rt0_amd64_linux",
	"start_c",
};

static bool is_root(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (!strcmp(name, roots[i]))
			return true;
	return false;
}

enum truncation_reason truncations_of_end(enum stack_end end)
{
	static const enum truncation_reason reasons[STACK_END_COPY] = {
		[STACK_END_UNKNOWN] = TRUNCATION_N_REASONS,
		[STACK_END_ROOT] = TRUNCATION_N_REASONS,
		[STACK_END_NO_INFO] = TRUNCATED_no_unwind_info,
		[STACK_END_JIT] = TRUNCATED_jit,
		[STACK_END_MEMORY] = TRUNCATED_not_readable,
		[STACK_END_DEEP] = TRUNCATED_too_deep,
		[STACK_END_NO_MAPPING] = TRUNCATED_not_mapped,
		[STACK_END_LATE] = TRUNCATED_table_late,
	};

	return end < STACK_END_COPY ? reasons[end] : TRUNCATION_N_REASONS;
}

static const struct frame *frame_of(const struct report *r, u32 node)
{
	return &r->frames[r->nodes[node].frame];
}

static const struct frame *outermost(const struct report *r, u32 node)
{
	while (r->nodes[node].parent)
		node = r->nodes[node].parent;
	return frame_of(r, node);
}

/* The start code of static programs keeps no frame pointer either: the walk may continue beyond the
 * root into garbage, but everything of interest is there. */
static bool reaches_root(const struct report *r, u32 node)
{
	for (; node; node = r->nodes[node].parent)
		if (frame_of(r, node)->name && is_root(frame_of(r, node)->name))
			return true;
	return false;
}

/* The reason that a frame in brackets shows; TRUNCATION_N_REASONS: it shows something else. */
static enum truncation_reason reason_of_note(const char *note)
{
	for (int i = 0; i < TRUNCATION_N_REASONS; i++)
		if (!strcmp(note, truncation_frames[i]))
			return (enum truncation_reason)i;
	return strcmp(note, "[stack store full]") ? TRUNCATION_N_REASONS : TRUNCATED_no_room;
}

/* If the frame pointer register holds something else, the walk finds an address in no mapping.  A
 * location without a name may be the start of a stripped program, but not of a library. */
static enum truncation_reason reason_of_end(const struct frame *last)
{
	if (last->kind == FRAME_NOTE)
		return reason_of_note(last->name);
	if (last->kind == FRAME_UNKNOWN)
		return TRUNCATED_not_mapped;
	if (last->kind == FRAME_VDSO)
		return TRUNCATION_N_REASONS;
	if (last->name || (last->module && strstr(last->module, ".so")))
		return TRUNCATED_frame_pointers;
	return TRUNCATION_N_REASONS;
}

/* True if the walk met code through which it could not continue. */
static bool is_in_code(enum truncation_reason why)
{
	return why == TRUNCATED_no_unwind_info || why == TRUNCATED_jit ||
	       why == TRUNCATED_not_mapped || why == TRUNCATED_frame_pointers;
}

enum truncation_reason truncations_of_stack(const struct frame *frames, const u32 *locs, u32 n,
					    enum stack_end end)
{
	enum truncation_reason why = reason_of_end(&frames[locs[n - 1]]);

	if (end == STACK_END_ROOT)
		return TRUNCATION_N_REASONS;
	for (u32 i = 0; i < n && is_in_code(why); i++)
		if (frames[locs[i]].name && is_root(frames[locs[i]].name))
			return TRUNCATION_N_REASONS;
	return why;
}

static enum truncation_reason reason_of(const struct report *r, const struct stack_row *row)
{
	enum truncation_reason why = reason_of_end(outermost(r, row->user));

	if (row->is_rooted || (is_in_code(why) && reaches_root(r, row->user)))
		return TRUNCATION_N_REASONS;
	return why;
}

/* A note without a stack: "[asleep before start]". */
static bool is_no_stack(const struct report *r, const struct stack_row *row)
{
	const struct frame *f = frame_of(r, row->user);

	return !r->nodes[row->user].parent && f->kind == FRAME_NOTE &&
	       reason_of_note(f->name) == TRUNCATION_N_REASONS;
}

/* The file of the outermost frame that is in a file, whose caller could not be found. */
static const char *module_of(const struct report *r, u32 node)
{
	const char *module = NULL;

	for (; node; node = r->nodes[node].parent)
		if (frame_of(r, node)->module)
			module = frame_of(r, node)->module;
	return module;
}

struct module_value {
	const char *module;
	u64 value;
};

struct module_values {
	VEC(struct module_value) v;
};

static void add(struct module_values *list, const char *module, u64 value)
{
	struct module_value *m;

	vec_for_each(m, &list->v)
		if (!strcmp(m->module, module)) {
			m->value += value;
			return;
		}
	vec_push(&list->v, (struct module_value){ module, value });
}

void truncations_find(const struct report *r, struct truncations *out)
{
	struct module_values modules = { 0 };
	const struct stack_row *row;
	struct module_value *m;

	*out = (struct truncations){ 0 };
	vec_for_each(row, &r->stacks) {
		enum truncation_reason why;
		const char *module;

		if (!row->user || is_no_stack(r, row))
			continue;
		out->walked += row->value;
		why = reason_of(r, row);
		if (why == TRUNCATION_N_REASONS)
			continue;
		out->by_reason[why] += row->value;
		if (!is_in_code(why))
			continue;
		out->value += row->value;
		out->n_stacks++;
		module = module_of(r, row->user);
		if (module)
			add(&modules, module, row->value);
	}
	vec_for_each(m, &modules.v)
		if (m->value > out->in_module) {
			out->in_module = m->value;
			out->module = m->module;
		}
	vec_release(&modules.v);
}

void truncations_settle(const struct truncations *truncations, struct ledger *l)
{
	l->symbols.no_unwind_info = truncations->n_stacks;
	l->stacks.user += truncations->walked;
	for (int i = 0; i < TRUNCATION_N_REASONS; i++)
		l->stacks.user_truncated[i] += truncations->by_reason[i];
}

/* glibc's own start code keeps no frame pointer: in a static program the walk continues from there
 * through its tables, some of which look like code. */
static bool is_garbage(const struct frame *caller, const struct frame *callee)
{
	static const char start[] = "__libc_start_main";

	if (!callee->name || !is_root(callee->name) || caller->kind == FRAME_NOTE)
		return false;
	if (caller->kind == FRAME_UNKNOWN)
		return true;
	return !strcmp(callee->name, "__libc_start_call_main") &&
	       (!caller->name || strncmp(caller->name, start, sizeof(start) - 1) != 0);
}

u32 truncations_whole(const struct frame *frames, const u32 *locs, u32 n)
{
	for (u32 i = 1; i < n; i++)
		if (is_garbage(&frames[locs[i]], &frames[locs[i - 1]]))
			return i;
	return n;
}
