// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/handlers.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/btf.h"
#include "host/rawbtf.h"
#include "run/deadcode.h"
#include "run/parallel.h"

/* The sections of our programs; for typed ones, the names of attach targets in the kernel's BTF. */
static const struct kind {
	const char *section;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	const char *prefix;
	u32 btf_kind;
} kinds[] = {
	{ "tp_btf/", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, "btf_trace_", BTF_KIND_TYPEDEF },
	{ "iter/", BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, "bpf_iter_", BTF_KIND_FUNC },
	{ "raw_tp/", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, NULL, 0 },
	{ "perf_event", BPF_PROG_TYPE_PERF_EVENT, 0, NULL, 0 },
};

static struct {
	bool is_on;
	bool types_are_ours;
	const struct bpf_object *loading;
	struct parallel *parallel;   /* its large programs */
	void *func_info, *line_info; /* those of the program being loaded */
} state;

/* ---- attach targets -------------------------------------------------------------------------- */

/* The part of the section's name after the slash. */
static const char *target_of(const struct bpf_program *prog)
{
	const char *slash = strchr(bpf_program__section_name(prog), '/');

	return slash ? slash + 1 : "";
}

/*
 * libbpf does not read the BTF if a program is attached to another program, whose descriptor it
 * keeps until the load.  The target's id is stored in place of this descriptor.
 */
static int setup(struct bpf_program *prog, long cookie)
{
	const struct kind *k = &kinds[cookie];
	const struct rawbtf *types;
	char name[128];
	u32 id;

	if (!k->prefix || !state.types_are_ours)
		return 0;
	types = kernel_types_raw(NULL);
	snprintf(name, sizeof(name), "%s%s", k->prefix, target_of(prog));
	id = types ? rawbtf_find(types, name, k->btf_kind) : 0;
	return id ? bpf_program__set_attach_target(prog, (int)id, NULL) : 0;
}

/* Targets that kernel_types_raw() does not contain are left to libbpf. */
static int set_target(const struct bpf_program *prog, struct bpf_prog_load_opts *opts,
		      const struct kind *k)
{
	int id = (int)opts->attach_prog_fd;

	opts->attach_prog_fd = 0;
	if (!id)
		id = libbpf_find_vmlinux_btf_id(target_of(prog), k->attach);
	if (id < 0)
		return id;
	opts->attach_btf_id = (u32)id;
	return 0;
}

/* ---- dead code ------------------------------------------------------------------------------- */

/* Records of functions or lines begin with the index of an instruction.  If several now describe
 * the same instruction, the last of them is right; those at the end describe none. */
static u32 move_records(void *records, u32 n, size_t size, const u32 *kept, u32 end)
{
	u8 *to = records;
	u32 n_left = 0;

	for (u32 i = 0; i < n; i++) {
		const u8 *from = (const u8 *)records + i * size;
		u32 at, last;

		memcpy(&at, from, sizeof(at));
		at = kept[at];
		if (at == end)
			break;
		if (n_left) {
			memcpy(&last, to + (n_left - 1) * size, sizeof(last));
			n_left -= last == at;
		}
		memmove(to + n_left * size, from, size);
		memcpy(to + n_left * size, &at, sizeof(at));
		n_left++;
	}
	return n_left;
}

static const void *moved(void **copy, const void *records, u32 *n, size_t size, const u32 *kept,
			 u32 end)
{
	free(*copy);
	*copy = mem_alloc(*n + 1, size);
	if (*n)
		memcpy(*copy, records, *n * size);
	*n = move_records(*copy, *n, size, kept, end);
	return *copy;
}

/* The options of a run: the read-only maps of the object. */
static size_t find_data(struct deadcode_data *out, size_t max)
{
	struct bpf_map *map;
	size_t n = 0;

	bpf_object__for_each_map(map, state.loading) {
		size_t size;
		const void *bytes = bpf_map__initial_value(map, &size);

		if (bytes && n < max && (bpf_map__map_flags(map) & BPF_F_RDONLY_PROG))
			out[n++] = (struct deadcode_data){ bpf_map__fd(map), bytes, size };
	}
	return n;
}

int handlers_prune(struct bpf_program *prog, struct bpf_prog_load_opts *opts)
{
	u32 n = (u32)bpf_program__insn_cnt(prog);
	struct deadcode_data data[8];
	struct bpf_insn *insns;
	u32 *kept;
	int ret;

	if (!state.loading)
		return 0;
	insns = mem_alloc(n, sizeof(*insns));
	kept = mem_alloc(n + 1, sizeof(*kept));
	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	n = deadcode_remove(insns, n, data, find_data(data, ARRAY_SIZE(data)), kept);
	ret = bpf_program__set_insns(prog, insns, n);
	if (!ret) {
		opts->func_info = moved(&state.func_info, opts->func_info, &opts->func_info_cnt,
					opts->func_info_rec_size, kept, n);
		opts->line_info = moved(&state.line_info, opts->line_info, &opts->line_info_cnt,
					opts->line_info_rec_size, kept, n);
	}
	free(kept);
	free(insns);
	return ret;
}

/* ---- libbpf ---------------------------------------------------------------------------------- */

static int prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct kind *k = &kinds[cookie];
	int ret = k->prefix ? set_target(prog, opts, k) : 0;

	ret = ret ?: handlers_prune(prog, opts);
	if (!ret && state.parallel && parallel_load(state.parallel, prog, opts))
		state.func_info = state.line_info = NULL;
	return ret;
}

static int attach(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	*link = kinds[cookie].prefix ? bpf_program__attach_trace(prog)
				     : bpf_program__attach_raw_tracepoint(prog, target_of(prog));
	return *link ? 0 : -errno;
}

void handlers_begin(bool types_are_ours)
{
	state.types_are_ours = types_are_ours;
	if (state.is_on)
		return;
	state.is_on = true;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)i,
			    .prog_setup_fn = setup, .prog_prepare_load_fn = prepare,
			    .prog_attach_fn = attach);

		libbpf_register_prog_handler(kinds[i].section, kinds[i].type, kinds[i].attach,
					     &opts);
	}
}

int handlers_load(struct bpf_object_skeleton *s)
{
	int ret;

	state.loading = *s->obj;
	state.parallel = parallel_helps(*s->obj) ? parallel_new() : NULL;
	ret = bpf_object__load_skeleton(s);
	if (state.parallel)
		ret = parallel_finish(state.parallel, ret);
	state.parallel = NULL;
	state.loading = NULL;
	kernel_types_release_index();
	free(state.func_info);
	free(state.line_info);
	state.func_info = state.line_info = NULL;
	return ret;
}

void handlers_detach(struct bpf_object_skeleton *s)
{
	for (int i = s->prog_cnt - 1; i >= 0; i--) {
		const struct bpf_prog_skeleton *p =
			(const void *)((const char *)s->progs + i * s->prog_skel_sz);

		bpf_link__destroy(*p->link);
		*p->link = NULL;
	}
}
