/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes unwind tables to the kernel side's maps (bpf/cfi.bpf.h).  Rows are stored in chunks: maps
 * that are created when needed and filled one after the other.  Tables are removed all at once or
 * not at all.
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
	u16 epoch;	      /* as in struct cfi_process */
	bool is_full;	      /* a table did not fit */
	u32 n_chunks;	      /* 0: none yet */
	u32 n_rules;	      /* written so far */
	u32 n_pages;	      /* used so far */
	int chunk_fd;	      /* the last chunk; -1: none */
	u32 n_elements;	      /* elements of that chunk */
	u32 element;	      /* the element that is being filled */
	u32 n_rows;	      /* rows used in that element */
	struct cfi_row *rows; /* the element's content */
};

void upload_init(struct upload *u, const struct unwind_maps *maps, u64 max_bytes);
void upload_release(struct upload *u);

/*
 * Write `n` items of `size` bytes to an array, from index `first` on.  The array is mapped during
 * the call.  bpf(2) would need a call for each item, during which the kernel does not run programs
 * of perf events on this CPU (base/no_preempt.h).  Returns 0 or -errno.
 */
int upload_write(int fd, u32 first, const void *items, u32 n, size_t size);

/* Make a process known whose mappings have been written.  Returns 0 or -errno. */
int upload_process(const struct upload *u, u32 tgid, const struct cfi_process *p);
void upload_forget_process(const struct upload *u, u32 tgid);

/* Write a table's pages and rows, and the new rules; *first_page is its first page in the kernel's
 * map.  Returns 0, -ENOSPC if it does not fit, or -errno. */
int upload_table(struct upload *u, const struct unwind_table *t, const struct unwind_rules *rules,
		 u32 *first_page);

/* Remove all chunks: tables must be written again.  The caller must have removed all processes
 * before. */
void upload_reset(struct upload *u);

#endif
