/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The members of struct kernel, for the files of core/host that read facts about the kernel and
 * those of core/site that search these facts for sites.  Others use host/kernel.h.
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

/* Index of the functions and typedefs of one BTF by name. */
struct btf_names {
	const struct btf *btf;
	struct index index; /* by hash of the name to type id */
	u32 n_lookups;
};

/* BTF of a program, by inode. */
struct user_types {
	u64 dev, ino;
	bool is_known;
	struct btf *btf; /* NULL: unreadable */
};

/* A program or library as it was found, for the next spec that names it: a search in a process's
 * root takes a millisecond. */
struct known_file {
	const char *name, *path; /* as in a spec, and as in that root */
	u32 tgid;		 /* 0: our own root */
	int fd;
};

struct kernel {
	struct kernel_paths paths;
	struct arena arena; /* owns names and formats that plans point to */
	const struct btf *btf;
	struct btf *own_btf; /* `btf` if it was read here; NULL if it is shared */
	bool btf_is_known;
	struct err btf_err;
	VEC(struct kernel_module) modules;
	VEC(struct btf_names) names;
	VEC(struct user_types) user_types;
	VEC(struct known_file) files;
	struct kfuncs funcs;
};

/* A directory of tracefs to which paths can be appended; NULL with err set. */
const char *kernel_tracefs(const struct kernel *k, struct err *err);

/* The id of a function or typedef in `btf`; 0: not found. */
u32 kernel_btf_find(struct kernel *k, const struct btf *btf, const char *name, u32 kind);

/* Find the BTF that has a type of this name: vmlinux's, otherwise the first module's.  NULL: not
 * found. */
const struct btf *kernel_btf_with(struct kernel *k, const char *name, u32 kind, u32 *id);

/* Does the pid filter of uprobe.multi match a whole process?  Before 6.10 it matched one thread. */
bool kernel_multi_has_processes(struct kernel *k);

/*
 * Do perf events that children inherit stay with the children?  When the kernel switches between
 * two threads that have inherited the same events, it swaps the events instead of switching them,
 * and the exit of one thread then closes the events of the other.  It does not swap events whose
 * samples would tell the two threads apart, which it accepts since 6.13.
 */
bool kernel_keeps_inherited(void);

/* ROOT/... in the arena, with a root from struct kernel_paths. */
const char *kernel_path(struct kernel *k, const char *root, const char *fmt, ...) PRINTF(3, 4);

#endif
