/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that processes have mapped: what each is, how to get at it again, and for how long.
 * Knows paths, inodes and namespaces; must not know ELF or symbols.
 *
 * A file is named by what the mapping says (device, inode, path) and, once looked at, when its
 * contents changed: a compiler's conftest may get the inode of the one before it.  (Not the
 * inode's change time, which deleting changes.)
 */
#ifndef SYM_MAPPED_H
#define SYM_MAPPED_H

#include <sys/stat.h>

#include "base/index.h"
#include "base/intern.h"
#include "base/mem.h"
#include "sym/mounts.h"

#define FILES_MAX_HELD 256

enum mapped_kind {
	MAPPED_FILE,
	MAPPED_MEMFD, /* nobody has looked whether it holds a program or JIT code */
	MAPPED_ANON,  /* JIT code, if it is code */
	MAPPED_VDSO,
	MAPPED_SPECIAL, /* "[vsyscall]", "[uprobes]": no file, no names */
};

struct mapped {
	const char *path; /* as the process sees it, without " (deleted)" */
	u64 ino;
	u64 mtime_ns; /* 0: not looked at */
	u64 size;     /* bytes, as the file claims when looked at */
	u32 maj, min;
	enum mapped_kind kind;
	bool is_deleted, is_foreign; /* foreign: not in our mount namespace and root */
	bool is_remote;		     /* only the helper process touches it */
	bool may_vanish;	     /* its names are read within a second */
	u32 tgid;		     /* who was seen to map it last, and where */
	u64 start, end;
	u64 ns;		      /* mount namespace of that process */
	bool is_costly;	      /* its names cost more than a file's may: given up */
	bool is_said;	      /* that names are missing for their cost */
	bool is_waiting;      /* names were begun and had no time: stays open for them */
	bool is_slow;	      /* too slow to be named while a run goes on */
	int fd;		      /* held open; -1: not */
	u64 opened_ns;	      /* when, CLOCK_MONOTONIC */
	const char *build_id; /* lower-case hex, once its ELF headers were read; NULL: none */
};

struct files {
	const char *proc_root;
	struct intern *strings; /* borrowed */
	VEC(struct mapped) list;
	struct index index;
	struct mounts mounts;
	u64 own_ns;
	size_t n_held;
};

/* The file of a mapping.  `path` as /proc/PID/maps or an mmap event writes it. */
u32 files_add(struct files *f, u32 maj, u32 min, u64 ino, struct view path);

/* Who maps it, for getting at it. */
struct sighting {
	u32 tgid;
	u64 start, end; /* of the mapping */
	u64 ns;
	bool is_foreign, has_exited;
};

/* The first address was seen in a mapping of it: look at the file while it can be looked at.
 * Returns the id to use from now on: another one when the inode has been reused since. */
u32 files_sight(struct files *f, u32 id, const struct sighting *where);

/* Somebody else maps it too: remember who, in case it has to be opened again. */
void files_touch(struct files *f, u32 id, const struct sighting *where);

/* Something new has to be named in it: keep it open if it may vanish.  false: too many are open. */
bool files_hold(struct files *f, u32 id, u64 now);

/* Open it, checked against the mapping.  Returns a descriptor of the caller's or -errno. */
int files_open(struct files *f, u32 id);

/* The mount it lies on if that may hang whoever touches it, or NULL. */
struct remote_mount *files_mount(struct files *f, const struct mapped *m);

/* Keep the files that are `used`, with new numbers: returned is the new one of each; caller frees.
 * Then, when the paths are where they will stay, files_reindex(). */
u32 *files_keep(struct files *f, const bool *used);
void files_reindex(struct files *f);

/* Close what is held. */
void files_close(struct files *f, u32 id);

void files_release(struct files *f);

#endif
