// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/typed.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/types.h"
#include "host/btf.h"

/* The names of attach targets in the kernel's BTF, by section. */
static const struct kind {
	const char *section;
	enum bpf_attach_type attach;
	const char *prefix;
	u32 btf_kind;
} kinds[] = {
	{ "tp_btf+", BPF_TRACE_RAW_TP, "btf_trace_", BTF_KIND_TYPEDEF },
	{ "iter+", BPF_TRACE_ITER, "bpf_iter_", BTF_KIND_FUNC },
};

/* The attach target: the part of the section's name after the slash. */
static const char *target_of(const struct bpf_program *prog)
{
	const char *slash = strchr(bpf_program__section_name(prog), '/');

	return slash ? slash + 1 : "";
}

/*
 * libbpf does not read the BTF if a program is attached to another program, whose descriptor it
 * keeps until the load.  The target's id is stored in place of this descriptor.
 */
static int setup(struct bpf_program *prog, long kind)
{
	const struct kind *k = &kinds[kind];
	struct err ignored = { 0 };
	const struct btf *types = kernel_types(NULL, &ignored);
	char name[128];
	int id;

	snprintf(name, sizeof(name), "%s%s", k->prefix, target_of(prog));
	id = types ? btf__find_by_name_kind(types, name, k->btf_kind) : 0;
	return id > 0 ? bpf_program__set_attach_target(prog, id, NULL) : 0;
}

static int prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long kind)
{
	int id = (int)opts->attach_prog_fd;

	opts->attach_prog_fd = 0;
	if (!id)
		id = libbpf_find_vmlinux_btf_id(target_of(prog), kinds[kind].attach);
	if (id < 0)
		return id;
	opts->attach_btf_id = (u32)id;
	return 0;
}

static int attach(const struct bpf_program *prog, long kind, struct bpf_link **link)
{
	(void)kind;
	*link = bpf_program__attach_trace(prog);
	return *link ? 0 : -errno;
}

void typed_begin(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)i,
			    .prog_setup_fn = setup, .prog_prepare_load_fn = prepare,
			    .prog_attach_fn = attach);

		libbpf_register_prog_handler(kinds[i].section, BPF_PROG_TYPE_TRACING,
					     kinds[i].attach, &opts);
	}
}
