/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files on file systems that can hang any process that touches them (FUSE, network).  Found from
 * /proc/PID/mountinfo, because statfs() would hang as well.
 */
#ifndef SYM_MOUNTS_H
#define SYM_MOUNTS_H

#include "base/intern.h"
#include "base/lines.h"
#include "base/mem.h"

struct remote_mount {
	u32 maj, min;
	const char *point; /* as seen in its namespace */
	bool is_hung;	   /* the helper hung there */
};

struct mount_ns {
	u64 ns;	     /* inode number of the namespace */
	u64 read_ns; /* when it was read, CLOCK_MONOTONIC */
	u64 took_ns; /* duration of the reading */
	VEC(struct remote_mount) remote;
	VEC(u32) local; /* minors of devices without a disk (major 0) that cannot hang */
};

/* Zero-initialize, then set proc_root. */
struct mounts {
	const char *proc_root;
	VEC(struct mount_ns) list;
	struct intern strings;
	int own_fd; /* our mountinfo, which signals changes */
	bool is_watched;
};

/* The remote mount that holds a file, or NULL: by device, or by path (overlay and btrfs report
 * other devices).  `tgid` is a process in the namespace; 0 is this one. */
struct remote_mount *mounts_remote(struct mounts *m, u64 ns, u32 tgid, u32 maj, u32 min,
				   const char *path);

/*
 * Is the file system of this device known?  A device without a disk that is not mounted in that
 * namespace or in ours may belong to a FUSE mount that was added just now, or that was removed
 * while its files are in use.
 */
bool mounts_knows(struct mounts *m, u64 own_ns, u64 ns, u32 tgid, u32 maj, u32 min);

void mounts_release(struct mounts *m);

/* Read a namespace's list of mounts from its text. */
void mount_ns_read(struct mount_ns *n, struct lines *text, struct intern *strings);

#endif
