/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses to frames, for processes that may be gone by the time anyone reads the report.
 *
 * Two steps, as in blazesym: an address is *located* when it is seen (which file, which place in
 * it, from the process's mappings at that time), and *named* when convenient (settle() for what
 * may vanish, resolve() for the rest).  A location is a small integer that stays valid until
 * symbolizer_forget().  Knows ELF, /proc and JIT maps; must not know BPF maps or output.
 */
#ifndef SYM_SYMBOLIZER_H
#define SYM_SYMBOLIZER_H

#include "base/err.h"
#include "model/frame.h"

enum names_style {
	SYM_NAMES_SHORT,
	SYM_NAMES_FULL,
	SYM_NAMES_MANGLED
};

struct symbolizer_opts {
	const char *proc_root;	       /* NULL: "/proc"; tests point it at fixtures */
	const char *const *debug_dirs; /* NULL-terminated; NULL: /usr/lib/debug */
	enum names_style names;
	bool keep_addresses; /* -A: locations are kept apart by run-time address */
};

struct symbolizer;

int symbolizer_new(struct symbolizer **out, const struct symbolizer_opts *opts, struct err *err);
void symbolizer_free(struct symbolizer *s);

/*
 * What happens to processes, from perf's side-band records or from nothing at all: without them
 * the symbolizer reads /proc/PID/maps at the first address of a process.  `tgid` is as /proc
 * shows it.
 */
struct sym_mmap {
	u32 tgid;
	u64 start, len, pgoff; /* pgoff in bytes */
	u32 maj, min;
	u64 ino;
	const char *path; /* as the process sees it; "//anon" and "" for anonymous memory */
};
void symbolizer_on_mmap(struct symbolizer *s, const struct sym_mmap *m);
void symbolizer_on_fork(struct symbolizer *s, u32 child_tgid, u32 parent_tgid);
void symbolizer_on_exec(struct symbolizer *s, u32 tgid);
void symbolizer_on_exit(struct symbolizer *s, u32 tgid);

/* PERF_RECORD_KSYMBOL: a BPF program or trampoline that came or goes.  Keeps the names of those
 * that are gone when kallsyms is read, and gives exact bounds.  Optional. */
void symbolizer_on_ksymbol(struct symbolizer *s, u64 addr, u32 len, const char *name);

/* Has other code taken the place of some that addresses were located in, since this was asked last?
 * What is known by address alone must then be located anew. */
bool symbolizer_is_code_replaced(struct symbolizer *s);

/* Locate an address of a process's user code.  `is_return`: a caller's return address, so the
 * call before it is meant.  Never fails: an address that nothing covers is a location too. */
u32 symbolizer_user(struct symbolizer *s, u32 tgid, u64 addr, bool is_return);
u32 symbolizer_kernel(struct symbolizer *s, u64 addr, bool is_return);
/* A frame that is not a place: "[truncated]".  The text is copied. */
u32 symbolizer_note(struct symbolizer *s, const char *text);

/*
 * Name what may vanish (files of other mount namespaces, deleted files, processes that exited)
 * and close what has been open for a second.  Called a few times per second during the run, and
 * takes at most SYM_SETTLE_NS: what it does not get to comes next time, and what is too long for
 * one call stays open until symbolizer_resolve().
 */
#define SYM_SETTLE_NS (3 * NS_PER_MS)
void symbolizer_settle(struct symbolizer *s, u64 now_ns);

/* What one symbolizer_resolve() may take.  0 and NULL: the usual. */
struct sym_budget {
	u64 deadline_ns;	   /* CLOCK_MONOTONIC; 0: none */
	u64 cpu_ns;		   /* of the calling thread; 0: SYM_CPU_NS */
	const volatile bool *stop; /* becomes true when names are not wanted any more */
};
#define SYM_CPU_NS (2 * NS_PER_SEC)

/*
 * Name all that is not named yet.  It ends within some milliseconds of the deadline or of *stop
 * becoming true, whatever files and runtimes say; what is left stays address only, and is tried
 * again by the next call.  A file that alone takes more than its share is given up for good.
 * NULL: the usual budget.  Returns true when it ended by itself: another call would find no more.
 */
bool symbolizer_resolve(struct symbolizer *s, const struct sym_budget *budget);

/*
 * Forget the locations that are not `used` (one bool for each that symbolizer_frames() knows), and
 * the files, names and processes that only they needed.  Those that stay get new numbers: returned
 * is the new one of each, SYM_FORGOTTEN of what is gone; caller frees.
 */
#define SYM_FORGOTTEN UINT32_MAX
u32 *symbolizer_forget(struct symbolizer *s, const bool *used);

/* How much it knows, in things to forget: locations, files, processes. */
size_t symbolizer_size(const struct symbolizer *s);

/* All locations as frames, indexed by location; valid until the next location is made.  JIT code
 * has the module "[jit]", the vdso "[vdso]", BPF programs "[bpf]". */
const struct frame *symbolizer_frames(const struct symbolizer *s, size_t *n);

/* false: the kernel hides its addresses (no CAP_SYSLOG, kptr_restrict), kernel frames have no
 * names.  Known after the first resolve that had kernel frames; true before. */
bool symbolizer_has_kernel_names(const struct symbolizer *s);

#define SYM_COSTLY_FILES 8

/* For the ledger; of distinct locations, as named so far.  One that was forgotten and met again is
 * another one. */
struct symbol_stats {
	u64 frames;	/* user and kernel, notes left out */
	u64 symbolized; /* with a name */
	u64 stripped;	/* file known, no symbol there */
	u64 costly;	/* a name would cost too much, or there was no time for it */
	/* The first files that cost too much, owned by the symbolizer; NULL: no more. */
	const char *costly_files[SYM_COSTLY_FILES];
	u64 jit_no_map; /* code in no file, and no perf map names it */
	u64 exited;	/* process gone before its mappings could be read */
};
void symbolizer_stats(const struct symbolizer *s, struct symbol_stats *out);

/* Lines that help the user's runtimes ("java 4711: jcmd 4711 Compiler.perfmap"), each said once:
 * calls say() for each new one. */
void symbolizer_hints(struct symbolizer *s, void (*say)(const char *code, const char *text));

#endif
