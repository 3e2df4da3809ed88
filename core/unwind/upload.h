/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes unwind tables to the kernel side's maps (bpf/cfi.bpf.h).  Rows are in chunks, which are
 * maps that are created when needed and filled one after the other.  Tables are removed all at once
 * or not at all.
 */
#ifndef UNWIND_UPLOAD_H
#define UNWIND_UPLOAD_H

#include "unwind/rules.h"
#include "unwind/table.h"

/* Descriptors of the maps, borrowed. */
struct unwind_maps {
	int processes, mappings, pages, rules, chunks;
};

struct upload {
	struct unwind_maps maps;
	u64 max_bytes;	      /* limit for all chunks together */
	u64 bytes;	      /* size of the chunks that exist */
	bool is_full;	      /* a table found no room */
	u32 n_chunks;	      /* 0: none yet */
	u32 n_rules;	      /* written so far */
	u32 n_pages;	      /* used so far */
	int chunk_fd;	      /* the last chunk; -1: none */
	u32 n_elements;	      /* that it has */
	u32 element;	      /* that is being filled */
	u32 n_rows;	      /* used in it */
	struct cfi_row *rows; /* its content */
};

void upload_init(struct upload *u, const struct unwind_maps *maps, u64 max_bytes);
void upload_release(struct upload *u);

/*
 * Write `n` items of `size` bytes to an array, from index `first` on.  The array is mapped for the
 * time of the call.  bpf(2) would take a call for each item, during which the kernel runs no
 * program of a perf event on this CPU (base/undisturbed.h). Returns 0 or -errno.
 */
int upload_write(int fd, u32 first, const void *items, u32 n, size_t size);

/* Make a process known, with mappings that are written already.  Returns 0 or -errno. */
int upload_process(const struct upload *u, u32 tgid, const struct cfi_process *p);
void upload_forget_process(const struct upload *u, u32 tgid);

/* Write a table's pages and rows, and the rules that are new; *first_page is its first page there.
 * 0; -ENOSPC: there is no room, or -errno. */
int upload_table(struct upload *u, const struct unwind_table *t, const struct unwind_rules *rules,
		 u32 *first_page);

/* Take all chunks away: tables must be written again.  The caller has removed all processes first.
 */
void upload_reset(struct upload *u);

#endif
