/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The executable mappings of a process: from the text of /proc/PID/maps, or one by one from mmap
 * events.  Knows address ranges; must not know files or symbols.
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

/* Returns false if the line is not in this format. */
bool map_line_parse(struct view line, struct map_line *out);

/* Append a path, with \012 turned back into newlines; *is_deleted tells whether a trailing "
 * (deleted)" was removed. */
void map_path_add(struct str *out, struct view path, bool *is_deleted);

/* The path of a mapping at `start`: the vdso of a 32-bit process, recognized by its address, is
 * called "[vdso32]", because its code differs from that of our own vdso. */
struct view map_path_at(struct view path, u64 start);

struct region {
	u64 start, end, off;
	u32 file;	 /* the owner's number of the file */
	bool is_sighted; /* an address was found in it, and its file was examined */
};

/* Sorted, without overlaps; shared by a process and its forked children. */
struct regions {
	u32 refs;
	u32 epoch; /* the owner's epoch in which its files were last renumbered */
	VEC(struct region) list;
};

/* The caller drops what both of these return. */
struct regions *regions_new(void);
struct regions *regions_share(struct regions *r);
void regions_drop(struct regions *r); /* NULL is fine */

/* Make *r unshared, so that it can be changed. */
void regions_own(struct regions **r);

/* Add a mapping; the overlapping parts of older mappings are removed, as by mmap(MAP_FIXED). */
void regions_add(struct regions *r, const struct region *add);

/* The index of the first region that ends above an address. */
size_t regions_above(const struct regions *r, u64 addr);

/* The region that holds an address; NULL: none.  Valid until a region is added. */
struct region *regions_find(struct regions *r, u64 addr);

/* The regions that overlap [start, end): the first of *n consecutive ones. */
struct region *regions_over(struct regions *r, u64 start, u64 end, size_t *n);

#endif
