/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by symbolizer.c, mappings.c, data.c, forget.c, jit_hints.c and naming*.c. */
#ifndef SYM_SYMBOLIZER_INT_H
#define SYM_SYMBOLIZER_INT_H

#include "base/intern.h"
#include "base/str.h"
#include "sym/kfunctions.h"
#include "sym/locations.h"
#include "sym/mapped.h"
#include "sym/meter.h"
#include "sym/processes.h"
#include "sym/symbolizer.h"

/* A BPF program or other kernel code that was added or removed during the run. */
struct ksymbol {
	u64 addr, len;
	const char *name;
};

struct symbolizer {
	struct symbolizer_opts opts;
	struct intern strings; /* owns the paths and names that frames point to */
	struct files files;
	struct processes procs;
	struct locs locs;
	struct symbol_stats
		forgotten; /* counts of locations that symbolizer_forget() has removed */
	VEC(struct ksymbol) ksymbols;
	bool has_read_kallsyms, has_kernel_names;
	struct str
		kallsyms; /* the text as of kallsyms_ns; empty: none was given, or it is too old */
	struct kfunctions kfunctions;
	u64 kallsyms_ns;   /* CLOCK_MONOTONIC */
	u32 said[32];	   /* hints printed, by runtime */
	u32 n_costly_said; /* warnings printed about excessive cost */
	u32 n_hung;	   /* files on unknown mounts that did not answer */
	u64 make_room_ns;  /* do not try to close files before this time */
};

/* Selects which pending locations to symbolize now. */
struct naming {
	/* NULL: all */
	bool (*is_due)(const struct symbolizer *s, const struct loc *l, u64 now);
	u64 now;	     /* CLOCK_MONOTONIC */
	struct meter *meter; /* the budget */
	struct meter *names; /* limits the text of names that stays in memory; NULL: no limit */
	bool is_hasty;	     /* a run is in progress: do not wait for anything */
	bool is_first;	     /* the first file of this call: it may use all of its time */
};

/* An address in this mapping was seen for the first time: examine its file. */
void symbolizer_sight(struct symbolizer *s, const struct life *life, struct region *r);

/* Keep a file open, in which a location must be symbolized, if it may vanish. */
void symbolizer_hold(struct symbolizer *s, const struct life *life, const struct region *r);

/* Add one location to the ledger's counts. */
void symbolizer_count(struct symbol_stats *out, const struct loc *l, bool is_named);

/* True if the kernel's symbols were given and are still recent enough. */
bool naming_has_kallsyms(struct symbolizer *s, u64 now);

void naming_run(struct symbolizer *s, const struct naming *how);

#endif
