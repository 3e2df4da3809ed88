// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "host/kernel_facts.h"
#include "host/tracefs.h"

struct kernel *kernel_open(const struct kernel_paths *paths)
{
	struct kernel *k = mem_alloc(1, sizeof(*k));

	if (paths)
		k->paths = *paths;
	if (!k->paths.proc)
		k->paths.proc = "/proc";
	if (!k->paths.sys)
		k->paths.sys = "/sys";
	if (!k->paths.root)
		k->paths.root = "/";
	return k;
}

void kernel_close(struct kernel *k)
{
	if (!k)
		return;
	kernel_forget_names(k);
	for (size_t i = 0; i < k->modules.n; i++)
		btf__free(k->modules.items[i].btf);
	vec_release(&k->modules);
	for (size_t i = 0; i < k->user_types.n; i++)
		btf__free(k->user_types.items[i].btf);
	vec_release(&k->user_types);
	for (size_t i = 0; i < k->files.n; i++)
		close(k->files.items[i].fd);
	vec_release(&k->files);
	btf__free(k->own_btf);
	arena_release(&k->arena);
	free(k);
}

void kernel_forget_names(struct kernel *k)
{
	for (size_t i = 0; i < k->names.n; i++)
		index_release(&k->names.items[i].index);
	vec_release(&k->names);
	kfuncs_release(&k->funcs);
}

static const struct btf *read_btf(struct kernel *k, struct err *err)
{
	const char *path =
		k->paths.btf ? k->paths.btf : kernel_path(k, k->paths.sys, "kernel/btf/vmlinux");

	if (k->paths.types)
		return k->paths.types(k->paths.btf, err);
	k->own_btf = btf__parse(path, NULL);
	if (!k->own_btf && errno == ENOENT && !k->paths.btf)
		err_set(err, ERR_KERNEL, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	else if (!k->own_btf)
		err_errno(err, errno, "cannot read BTF from %s", path);
	return k->own_btf;
}

const struct btf *kernel_btf(struct kernel *k, struct err *err)
{
	if (!k->btf_is_known)
		k->btf = read_btf(k, &k->btf_err);
	k->btf_is_known = true;
	if (!k->btf && !err->code)
		*err = k->btf_err;
	return k->btf;
}

const struct btf *kernel_module_btf(struct kernel *k, const char *module)
{
	struct kernel_module m = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < k->modules.n; i++)
		if (!strcmp(k->modules.items[i].name, module))
			return k->modules.items[i].btf;
	m.name = arena_strndup(&k->arena, module, strlen(module));
	/* The name is not trusted: it must not leave the directory. */
	if (!strchr(module, '/') && kernel_btf(k, &err))
		m.btf = btf__parse_split(kernel_path(k, k->paths.sys, "kernel/btf/%s", module),
					 (struct btf *)(uintptr_t)k->btf);
	vec_push(&k->modules, m);
	return m.btf;
}

int kernel_module_btf_fd(const char *module)
{
	u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = { .name = (u64)(uintptr_t)name,
					     .name_len = sizeof(name) };
		u32 size = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.kernel_btf &&
		    !strcmp(name, module))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* ---- names in BTF ---- */

/* A search through all types takes about a millisecond, building the index about ten. */
#define MIN_LOOKUPS 8

static bool is_wanted(const struct btf *btf, u32 id, const char *name, u32 kind)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	const char *has = t && btf_kind(t) == kind ? btf__name_by_offset(btf, t->name_off) : NULL;

	return has && !strcmp(has, name);
}

static struct btf_names *names_of(struct kernel *k, const struct btf *btf)
{
	for (size_t i = 0; i < k->names.n; i++)
		if (k->names.items[i].btf == btf)
			return &k->names.items[i];
	vec_push(&k->names, (struct btf_names){ .btf = btf });
	return &k->names.items[k->names.n - 1];
}

static void index_names(struct btf_names *n)
{
	for (u32 id = 1; id < btf__type_cnt(n->btf); id++) {
		const struct btf_type *t = btf__type_by_id(n->btf, id);
		const char *name;

		if (!btf_is_func(t) && !btf_is_typedef(t))
			continue;
		name = btf__name_by_offset(n->btf, t->name_off);
		index_add(&n->index, hash_bytes(name, strlen(name)), id);
	}
}

u32 kernel_btf_find(struct kernel *k, const struct btf *btf, const char *name, u32 kind)
{
	struct btf_names *n = names_of(k, btf);
	size_t at = 0;
	u32 id;
	s32 found;

	if (n->n_lookups++ < MIN_LOOKUPS) {
		found = btf__find_by_name_kind(btf, name, kind);
		return found > 0 ? (u32)found : 0;
	}
	if (!n->index.n)
		index_names(n);
	while (index_next(&n->index, hash_bytes(name, strlen(name)), &at, &id))
		if (is_wanted(btf, id, name, kind))
			return id;
	return 0;
}

const struct btf *kernel_btf_with(struct kernel *k, const char *name, u32 kind, u32 *id)
{
	const char *folder = kernel_path(k, k->paths.sys, "kernel/btf");
	const struct btf *btf = NULL;
	struct err err = { 0 };
	struct dirent *e;
	DIR *dir;

	*id = 0;
	if (!kernel_btf(k, &err))
		return NULL;
	*id = kernel_btf_find(k, k->btf, name, kind);
	if (*id)
		return k->btf;
	dir = k->paths.btf ? NULL : opendir(folder);
	while (dir && !btf && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "vmlinux"))
			continue;
		btf = kernel_module_btf(k, e->d_name);
		*id = btf ? kernel_btf_find(k, btf, name, kind) : 0;
		if (!*id)
			btf = NULL;
	}
	if (dir)
		closedir(dir);
	return btf;
}

bool kernel_keeps_inherited(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID,
		.inherit = 1,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The release that fixed the pid filter of uprobe.multi (6.10) also introduced kprobe sessions,
 * which can be seen in BTF. */
bool kernel_multi_has_processes(struct kernel *k)
{
	struct err err = { 0 };
	const struct btf *btf = kernel_btf(k, &err);
	s32 id = btf ? btf__find_by_name_kind(btf, "bpf_attach_type", BTF_KIND_ENUM) : 0;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;

	for (u32 i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(t)[i].name_off),
			    "BPF_TRACE_KPROBE_SESSION"))
			return true;
	return false;
}
