/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that processes have mapped: the kind of each file, how to open it again, and for how
 * long that is possible.  Knows paths, inodes and namespaces; must not know ELF or symbols.
 *
 * A file is identified by the mapping's data (device, inode, path) and, once it was examined, by
 * its modification time: a conftest of configure may get the inode of the one before it.  (Not by
 * the inode's change time, which deletion changes.)
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
	MAPPED_MEMFD, /* not known yet whether it holds a program or JIT code */
	MAPPED_ANON,  /* JIT code, if it is code */
	MAPPED_VDSO,
	MAPPED_SPECIAL, /* "[vsyscall]", "[uprobes]": no file and no names */
};

/* The part of the address space that an ELF file fills when it is mapped, zeroed data included, in
 * the file's own addresses. */
struct extent {
	bool is_known;
	u64 start, end;	    /* 0, 0: it is no such file, or it cannot be read now */
	u64 code, code_end; /* file offsets of the first executable segment */
	u64 skew;	    /* added to an address in it: the file offset */
};

struct mapped {
	const char *path; /* as the process sees it, without " (deleted)" */
	u64 ino;
	u64 mtime_ns; /* 0: not examined yet */
	u64 size;     /* bytes, as stat() reported when the file was examined */
	u32 maj, min;
	enum mapped_kind kind;
	bool is_deleted, is_foreign; /* foreign: not in our mount namespace and root */
	bool is_remote;		     /* only the helper process opens it */
	bool may_vanish;	     /* its names must be read within a second */
	u32 tgid;		     /* the process that was last seen to map it, and where */
	u64 start, end;
	u64 ns;		 /* mount namespace of that process */
	bool is_costly;	 /* given up: symbolizing costs more than one file may */
	bool is_said;	 /* the warning about its cost was printed */
	bool is_waiting; /* not finished for lack of time: stays open until it is */
	bool is_slow;	 /* too slow to be symbolized during a run */
	int fd;		 /* held open; -1: not open */
	u64 opened_ns;	 /* when, CLOCK_MONOTONIC */
	struct extent extent;
	const char *build_id; /* lower-case hex, known once the ELF headers were read; NULL: none */
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

/* The file of a mapping.  `path` is written as in /proc/PID/maps or an mmap event. */
u32 files_add(struct files *f, u32 maj, u32 min, u64 ino, struct view path);

/* A process that maps the file, and through which the file can be opened. */
struct mapping_source {
	u32 tgid;
	u64 start, end; /* bounds of the mapping */
	u64 ns;
	bool is_foreign, has_exited;
};

/* The first address in a mapping of the file was seen: examine the file while that is possible.
 * Returns the id to use from now on, which is a new one if the inode has been reused. */
u32 files_sight(struct files *f, u32 id, const struct mapping_source *where);

/* Another process maps the file too: remember it, in case the file must be opened again. */
void files_touch(struct files *f, u32 id, const struct mapping_source *where);

/* A new location in it must be symbolized: keep the file open if it may vanish.  Returns false if
 * too many files are open. */
bool files_hold(struct files *f, u32 id, u64 now);

/* Open the file, and check it against the mapping.  Returns a descriptor, which the caller owns, or
 * -errno. */
int files_open(struct files *f, u32 id);

/* The mount that holds the file, if it may hang any process that touches it; otherwise NULL. */
struct remote_mount *files_mount(struct files *f, const struct mapped *m);

/* Keep the files that are `used`, and renumber them.  Returns the new number of each file; the
 * caller frees the array.  Call files_reindex() once the paths are at their final addresses. */
u32 *files_keep(struct files *f, const bool *used);
void files_reindex(struct files *f);

/* Close the file if it is held open. */
void files_close(struct files *f, u32 id);

void files_release(struct files *f);

#endif
