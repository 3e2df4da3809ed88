/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwind tables of all files, each built once, when a stack first leads through the file.
 * Files are untrusted: each has a budget, and all of them together get a share of the time.
 *
 * Building the table of libLLVM takes 60 to 150 ms, during which no record would be read.  Tables
 * of large files are therefore built on a thread, one at a time, and have an allowance of their
 * own: small files, which take 1 ms, do not wait for them.  A stack that needs such a file waits
 * for it as long as the caller has patience.
 */
#ifndef UNWIND_TABLES_H
#define UNWIND_TABLES_H

#include "base/index.h"
#include "sym/mappings.h"
#include "unwind/code.h"
#include "unwind/job.h"
#include "unwind/search.h"
#include "unwind/table.h"

enum unwind_file_state {
	UNWIND_FILE_LATE,  /* there was no time to build it yet */
	UNWIND_FILE_NONE,  /* it has no table: it lacks call frame information, or costs too much */
	UNWIND_FILE_BUILT, /* `table` */
};

struct unwind_file {
	struct sym_file_id id;
	enum unwind_file_state state;
	struct unwind_table table;
	struct unwind_code code;
	bool is_loaded; /* the kernel side has the table, from this page on: */
	u32 first_page;
	bool is_searched;	      /* an attempt was made at: */
	struct unwind_search *search; /* used while there is no table; NULL: none */
};

/* CPU time that may be spent on building, ns. */
struct unwind_allowance {
	s64 left_ns;  /* negative: the last table took more time than was left */
	u64 given_ns; /* when it was last added to (CLOCK_MONOTONIC) */
};

/* Asked every millisecond while the table of a large file is built: can the caller wait for it?
 * All zeros: it cannot. */
struct unwind_patience {
	bool (*can_wait)(void *ctx);
	void *ctx;
};

struct unwind_tables {
	struct symbolizer *sym; /* borrowed */
	struct unwind_patience patience;
	struct unwind_rules rules;
	VEC(struct unwind_file) files;
	struct index index;
	u64 max_rows; /* limit for all tables together */
	u64 n_rows;
	u64 version;		/* grows whenever a file's state changes */
	bool is_refused;	/* a table did not fit */
	u64 large_bytes;	/* files from this size on are large */
	struct unwind_job *job; /* the large file that is being built; NULL: none */
	struct unwind_allowance small, large;
};

void unwind_tables_init(struct unwind_tables *t, struct symbolizer *sym,
			const struct unwind_patience *patience, u64 max_bytes);
void unwind_tables_release(struct unwind_tables *t);

/* Call it from time to time: it takes over the table of a large file when it is done. */
void unwind_tables_tick(struct unwind_tables *t);

/* No more files or rows fit. */
bool unwind_tables_are_full(const struct unwind_tables *t);

/* The file of a mapping whose file was examined, with its table if there is time to build it.  The
 * result is valid until the next call. */
struct unwind_file *unwind_tables_file(struct unwind_tables *t, const struct sym_mapping *m);

/* The same for a file that is already known; NULL: it is not. */
struct unwind_file *unwind_tables_find(struct unwind_tables *t, u32 file);

/* The rule at an address within a mapping by the search of its file, if its table is not built;
 * CFI_NONE if walks do not support it.  false: ask unwind_tables_file(). */
bool unwind_tables_search(struct unwind_tables *t, const struct sym_mapping *m, u64 addr,
			  struct cfi_rule *rule);

#endif
