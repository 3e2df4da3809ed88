/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The executable mappings of a process: from /proc/PID/maps text or one by one from mmap events.
 * Knows address ranges; must not know files or symbols.
 */
#ifndef SYM_MAPS_H
#define SYM_MAPS_H

#include "base/mem.h"
#include "base/str.h"
#include "base/types.h"

/* One line of /proc/PID/maps, as text. */
struct map_line {
	u64 start, end, off; /* off: into the file, bytes */
	u64 ino;
	u32 maj, min;
	bool is_exec;
	struct view path; /* as written, with \012 for a newline */
};

/* false: not a line of the format. */
bool map_line_parse(struct view line, struct map_line *out);

/* Add a path with \012 turned back into a newline; *is_deleted: " (deleted)" stood after it and
 * was cut. */
void map_path_add(struct str *out, struct view path, bool *is_deleted);

/* The path of a mapping at `start`: the vdso of a 32-bit process, recognised by its address, is
 * called "[vdso32]", for it is not the one that we have. */
struct view map_path_at(struct view path, u64 start);

struct region {
	u64 start, end, off;
	u32 file;	 /* whose, for the owner of the list */
	bool is_sighted; /* an address was found in it, and its file looked at */
};

/* Sorted, without overlaps; shared by a process and the children it forked. */
struct regions {
	u32 refs;
	u32 epoch; /* of the owner: when its files were numbered last */
	VEC(struct region) list;
};

struct regions *regions_new(void);
struct regions *regions_share(struct regions *r);
void regions_drop(struct regions *r); /* NULL is fine */

/* Make *r one that nobody shares, so that it can be changed. */
void regions_own(struct regions **r);

/* Add a mapping; what lies under it is cut away, as mmap(MAP_FIXED) does. */
void regions_add(struct regions *r, const struct region *add);

struct region *regions_find(struct regions *r, u64 addr);

/* Those that overlap [start, end): the first of *n in a row. */
struct region *regions_over(struct regions *r, u64 start, u64 end, size_t *n);

#endif
