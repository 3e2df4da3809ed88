/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * struct kernel from the inside, for the files of core/host that read facts about the kernel and
 * those of core/site that look for sites in them.  Others use host/kernel.h.
 */
#ifndef HOST_KERNEL_FACTS_H
#define HOST_KERNEL_FACTS_H

#include <bpf/btf.h>

#include "base/arena.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/kernel.h"
#include "host/kfuncs.h"

struct kernel_module {
	const char *name;
	struct btf *btf; /* NULL: it has none */
};

/* Functions of one BTF by name. */
struct btf_names {
	const struct btf *btf;
	struct index index; /* of type ids */
	u32 n_lookups;
};

/* The BTF of a program, by inode. */
struct user_types {
	u64 dev, ino;
	bool is_known;
	struct btf *btf; /* NULL: unreadable */
};

struct kernel {
	struct kernel_paths paths;
	struct arena arena; /* names and formats that plans point to */
	const struct btf *btf;
	struct btf *own_btf; /* btf, unless it is somebody else's */
	bool btf_is_known;
	struct err btf_err;
	VEC(struct kernel_module) modules;
	VEC(struct btf_names) names;
	VEC(struct user_types) user_types;
	struct kfuncs funcs;
};

/* A folder of tracefs to which paths can be appended; NULL with err set. */
const char *kernel_tracefs(const struct kernel *k, struct err *err);

/* The id of a function or typedef in `btf`; 0: it has none. */
u32 kernel_btf_find(struct kernel *k, const struct btf *btf, const char *name, u32 kind);

/* The BTF that has a type of this name: vmlinux's, else the first module's.  NULL: none. */
const struct btf *kernel_btf_with(struct kernel *k, const char *name, u32 kind, u32 *id);

/* Does uprobe.multi take a process for one?  Before 6.10 it took the thread. */
bool kernel_multi_has_processes(struct kernel *k);

/* FOLDER/... of a kernel_paths root and a file, in the arena. */
const char *kernel_path(struct kernel *k, const char *root, const char *fmt, ...) PRINTF(3, 4);

#endif
