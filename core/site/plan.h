/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From patterns to sites on this host: matches globs, finds libraries, follows aliases and chooses
 * attach methods.  Knows tracefs, kallsyms, BTF's function lists and symbol tables; must not know
 * what will be computed at a site.
 */
#ifndef SITE_PLAN_H
#define SITE_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "host/kernel.h"
#include "site/reach.h"
#include "site/site.h"

/* The reason why a match is not in the plan. */
enum plan_skip {
	SKIP_NOT_TRACEABLE, /* not in available_filter_functions, notrace, inlined */
	SKIP_DENIED,	    /* on the kernel's kprobe blacklist */
	SKIP_DANGEROUS,	    /* on our list: known to hang machines */
	SKIP_DUPLICATE,	    /* another match has the same address */
	SKIP_AMBIGUOUS,	    /* several functions have this name */
	SKIP_UNTYPED,	    /* fentry needs functions that BTF describes */
	SKIP_RETURN,	    /* a return probe would crash its callers */
	SKIP_VOID,	    /* no return value, but the spec uses it */
	SKIP_INSN,	    /* a uprobe cannot replace the instruction there */
	SKIP_REFUSED,	    /* the kernel refused to attach */
	SKIP_N,
};

/* The kernel's capabilities, from host/feature.h: bits of enum attach_method. */
struct plan_ability {
	u64 methods; /* 1 << ATTACH_X */
	/* Called for a method that is not in `methods` when it is needed, because trying it takes
	 * time: is it supported?  Sets *why if not: "CONFIG_KPROBES is off", or NULL if the reason
	 * is unknown.  NULL: no other method is supported. */
	bool (*ask)(enum attach_method m, const char **why);
	bool cookie_kprobe, cookie_uprobe, cookie_multi, cookie_raw_tp;
	bool has_func_ip;
};

struct plan_opts {
	enum attach_method forced; /* --attach; ATTACH_NONE: choose */
	u32 tgid; /* -p: the process in whose root and mappings names are looked up; 0: bperf */
	const struct reach *reach; /* limits user probes to processes; borrowed; NULL: no limit */
	bool is_offline;	   /* --dump: tracepoints that tracefs hides are read from BTF */
	bool wants_types;  /* look up types of sites in BTF even if they have no argument types:
			      trace, not funccount */
	bool wants_kstack; /* the kernel's stack is read at the sites */
	u32 n_specs;	   /* specs of the run */
};

struct probe_plan {
	struct arena arena;
	VEC(struct site) sites;	   /* in the order of $func's and event.site's index */
	enum attach_method method; /* the same for all sites of a plan */
	u64 text_start;		   /* address of the kernel's symbol _stext; 0: unknown */
	const struct reach *reach; /* processes that get breakpoints in user code; NULL: all */
	const char *wide_why; /* why all processes are probed although fewer were requested; NULL:
				 as requested */
	u64 n_skipped[SKIP_N];
	VEC(struct site_file *) files; /* open until plan_release */
	VEC(const char *) skipped;     /* "name: reason", for -v; the first 1000 */
	VEC(const char *) notes;       /* printed once on stderr: "__vfs_read is vfs_read here" */
	VEC(struct site) starts;       /* for the ends of a span: its starts, for $start($func) */
	/* More sites of the same pattern, which need another method; their strings belong to this
	 * plan.  Owned, unless the caller detaches it.  NULL: none. */
	struct probe_plan *next;
	bool is_one_of_many; /* other plans belong to the same spec, so that all sites of this one
				may be refused */
};

/* A flag in a site's number: the other bits are an index into `starts`. */
#define SITE_OF_START 0x40000000U

/*
 * Find the sites of the first of spec->alternatives that has any.  Returns -ERR_NOTARGET with
 * caret, similar name and reason if none has sites; a function that is named without wildcards and
 * must be skipped is an error too.
 */
int plan_build(struct kernel *k, const struct probe_spec *spec, const struct plan_ability *can,
	       const struct plan_opts *opts, struct probe_plan *out, struct err *err);
void plan_release(struct probe_plan *p);

/*
 * The entries of a plan of returns, site by site (with the same indices): the probes that $entry
 * and $latency need.  Borrows from `returns`.
 */
int plan_entries(const struct probe_plan *returns, const struct plan_ability *can,
		 struct probe_plan *out, struct err *err);

/* Is it t:syscalls:sys_exit_X, the return of a system call written as a tracepoint? */
bool site_is_syscall_exit(const struct site *s);
/* Is it the return of a system call, however it is written? */
bool site_is_syscall_return(const struct site *s);

/* --dry-run: one line for each site and how it would be attached. */
struct str;
void plan_print(const struct probe_plan *p, struct str *out);

/* "fentry", "kprobe.multi": the names that --attach accepts. */
const char *attach_method_name(enum attach_method m);

#endif
