/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What symbolizer.c and naming.c share; nobody else includes it. */
#ifndef SYM_SYMBOLIZER_INT_H
#define SYM_SYMBOLIZER_INT_H

#include "base/intern.h"
#include "sym/locations.h"
#include "sym/mapped.h"
#include "sym/meter.h"
#include "sym/processes.h"
#include "sym/symbolizer.h"

/* A BPF program or other code that came or went while we looked on. */
struct ksymbol {
	u64 addr, len;
	const char *name;
};

struct symbolizer {
	struct symbolizer_opts opts;
	struct intern strings; /* paths, names: all that frames point to */
	struct files files;
	struct processes procs;
	struct locs locs;
	struct symbol_stats forgotten; /* of locations that symbolizer_forget() has taken away */
	VEC(struct ksymbol) ksymbols;
	bool has_read_kallsyms, has_kernel_names;
	u32 said[32];	   /* hints given, by runtime */
	u32 n_costly_said; /* warnings about what costs too much */
	u32 n_hung;	   /* files that did not answer, on no mount that we know */
	u64 make_room_ns;  /* not before this time is room made for more open files */
};

/* Which pending locations to name now. */
struct naming {
	/* NULL: all */
	bool (*is_due)(const struct symbolizer *s, const struct loc *l, u64 now);
	u64 now;	     /* CLOCK_MONOTONIC */
	struct meter *meter; /* what it may cost */
	struct meter *names; /* how much text of names may stay; NULL: any */
	bool is_hasty;	     /* a run goes on: nothing may be waited for */
	bool is_first;	     /* the first file of this time: it has all of it */
};

/* One location, for the ledger. */
void symbolizer_count(struct symbol_stats *out, const struct loc *l, bool is_named);

void naming_run(struct symbolizer *s, const struct naming *how);

#endif
