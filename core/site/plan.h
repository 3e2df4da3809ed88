/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From patterns to concrete sites on this host: globs matched, libraries found, aliases followed,
 * attach methods chosen.  Knows tracefs, kallsyms, BTF's function lists, symbol tables; must not
 * know what will be computed at a site.
 */
#ifndef SITE_PLAN_H
#define SITE_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "host/kernel.h"
#include "site/reach.h"
#include "site/site.h"

/* Why a match isn't in the plan. */
enum plan_skip {
	SKIP_NOT_TRACEABLE, /* not in available_filter_functions, notrace, inlined */
	SKIP_DENIED,	    /* the kernel's kprobe blacklist */
	SKIP_DANGEROUS,	    /* our list: known to hang machines */
	SKIP_DUPLICATE,	    /* another match has the same address */
	SKIP_AMBIGUOUS,	    /* several functions have this name */
	SKIP_UNTYPED,	    /* for fentry, which takes functions that BTF describes */
	SKIP_RETURN,	    /* a return probe would crash who calls it */
	SKIP_REFUSED,	    /* the kernel said no when attaching */
	SKIP_N,
};

/* What the kernel can do, from host/feature.h: bits of enum attach_method. */
struct plan_ability {
	u64 methods; /* 1 << ATTACH_X */
	/* Asked of a method that is not among them, when it is wanted, for trying takes time: is it
	 * there after all?  *why not: "CONFIG_KPROBES is off"; NULL: unknown.  NULL: none is. */
	bool (*ask)(enum attach_method m, const char **why);
	bool cookie_kprobe, cookie_uprobe, cookie_multi, cookie_raw_tp;
	bool has_func_ip;
};

struct plan_opts {
	enum attach_method forced; /* --attach; ATTACH_NONE: choose */
	u32 tgid;		   /* -p: whose root and mappings names are found in; 0: ours */
	const struct reach *reach; /* whose user code is probed; outlives the plan.  NULL: all */
	bool is_offline;	   /* --dump: what tracefs hides is taken from BTF */
	bool wants_types;	   /* sites without argument types need a look into BTF: trace, not
				    * funccount */
};

struct probe_plan {
	struct arena arena;
	VEC(struct site) sites;	   /* order of $func's and event.site's index */
	enum attach_method method; /* one for all sites of a plan */
	u64 text_start;		   /* of the kernel's code, the symbol _stext; 0: not known */
	const struct reach *reach; /* whose user code gets breakpoints; NULL: everybody's */
	const char *wide_why;	   /* everybody's though fewer were asked for; NULL: as asked */
	u64 n_skipped[SKIP_N];
	VEC(struct site_file *) files; /* open until plan_release */
	VEC(const char *) skipped;     /* "name: reason", for -v; the first 1000 */
	VEC(const char *) notes;       /* said once on stderr: "__vfs_read is vfs_read here" */
	VEC(struct site) starts;       /* of a span's ends: where it starts, for $start($func) */
	/* More sites of the same pattern, which another method reaches; their strings are this
	 * plan's.  Owned, unless somebody takes it off.  NULL: none. */
	struct probe_plan *next;
	bool is_one_of_many; /* there are such: all sites of a plan may be refused */
};

/* In a site's number: it is one of `starts`. */
#define SITE_OF_START 0x40000000U

/*
 * The sites of spec->alternatives: the first alternative that has any.  -ERR_NOTARGET with caret,
 * nearest name and reason when none has; a named function (no glob) that is skipped is an error
 * too.
 */
int plan_build(struct kernel *k, const struct probe_spec *spec, const struct plan_ability *can,
	       const struct plan_opts *opts, struct probe_plan *out, struct err *err);
void plan_release(struct probe_plan *p);

/*
 * The entries of a plan of returns, site by site (same indices): what $entry and $latency attach
 * to.  Borrows from `returns`.
 */
int plan_entries(const struct probe_plan *returns, const struct plan_ability *can,
		 struct probe_plan *out, struct err *err);

/* Is it t:syscalls:sys_exit_X, the return of a system call in a tracepoint's clothes? */
bool site_is_syscall_exit(const struct site *s);

/* --dry-run: the sites and how they would be attached, a line each. */
struct str;
void plan_print(const struct probe_plan *p, struct str *out);

/* "fentry", "kprobe.multi"; --attach takes these. */
const char *attach_method_name(enum attach_method m);

#endif
