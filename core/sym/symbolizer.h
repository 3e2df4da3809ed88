/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns addresses into frames, for processes that may be gone before the report is made.
 *
 * Two steps, as in blazesym: an address is *located* when it is seen (which file and offset, by the
 * process's mappings at that time), and *symbolized* when convenient (settle() for files that may
 * vanish, resolve() for the rest).  A location is a small integer that is valid until
 * symbolizer_forget().  Knows ELF, /proc and JIT maps; must not know BPF maps or output.
 */
#ifndef SYM_SYMBOLIZER_H
#define SYM_SYMBOLIZER_H

#include "base/err.h"
#include "base/str.h"
#include "model/frame.h"
#include "sym/ksyms.h"

enum names_style {
	SYM_NAMES_SHORT,
	SYM_NAMES_FULL,
	SYM_NAMES_MANGLED
};

struct symbolizer_opts {
	const char *proc_root;		  /* NULL: "/proc"; tests point it at fixtures */
	const char *const *debug_dirs;	  /* NULL-terminated; NULL: /usr/lib/debug */
	const struct ksym_source *kernel; /* borrowed; NULL: names are in kallsyms only */
	enum names_style names;
	bool keep_addresses; /* -A: locations with different run-time addresses are different */
};

struct symbolizer;

int symbolizer_new(struct symbolizer **out, const struct symbolizer_opts *opts, struct err *err);
void symbolizer_free(struct symbolizer *s);

/*
 * Events of processes, from perf's side band.  They are optional: without them, the symbolizer
 * reads /proc/PID/maps at the first address of a process.  `tgid` is as in /proc.
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

/* PERF_RECORD_KSYMBOL: a BPF program or trampoline was added or removed.  It preserves names that
 * are gone by the time kallsyms is read, and has exact bounds for them.  Optional. */
void symbolizer_on_ksymbol(struct symbolizer *s, u64 addr, u32 len, const char *name);

/* Take over the text of /proc/kallsyms, which was read just now: for a second, names are looked up
 * in it, because reading it again would take 40 ms.  Empties `text`. */
void symbolizer_give_kallsyms(struct symbolizer *s, struct str *text);

/* Has code in which addresses were located been replaced by other code since the last call?
 * Locations that were cached by address alone must then be located again. */
bool symbolizer_is_code_replaced(struct symbolizer *s);

/* Locate an address of a process's user code.  `is_return`: it is a return address, so the call
 * before it is located.  Never fails: an address in no mapping gets a location too. */
u32 symbolizer_user(struct symbolizer *s, u32 tgid, u64 addr, bool is_return);
u32 symbolizer_kernel(struct symbolizer *s, u64 addr, bool is_return);
/* Locate an address of data in a file.  false: no file has data there. */
bool symbolizer_data(struct symbolizer *s, u32 tgid, u64 addr, u32 *loc);
/* Locate an address of either: code if any is known there. */
u32 symbolizer_address(struct symbolizer *s, u32 tgid, u64 addr);
/* A note that tells which futex a thread waits for: "[futex m+0x0 in app]" if it is in a file's
 * data and that has a symbol, "[futex 0x4060 in app]" if it has none, "[futex 0x7f30c4000b20]" in
 * other memory. */
u32 symbolizer_futex(struct symbolizer *s, u32 tgid, u64 addr);
/* A frame that is not code, such as "[truncated]".  The text is copied. */
u32 symbolizer_note(struct symbolizer *s, const char *text);

/*
 * Symbolize locations whose source may vanish (files of other mount namespaces, deleted files,
 * processes that exited) and close files that have been open for a second.  Called a few times per
 * second during the run; takes at most SYM_SETTLE_NS: the next call does the remaining work, and
 * work that is too long for one call is left, with its file open, to symbolizer_resolve().
 */
#define SYM_SETTLE_NS (3 * NS_PER_MS)
void symbolizer_settle(struct symbolizer *s, u64 now_ns);

/* The budget of one symbolizer_resolve(). 0 and NULL: the default. */
struct sym_budget {
	u64 deadline_ns;	   /* CLOCK_MONOTONIC; 0: none */
	u64 cpu_ns;		   /* CPU time of the calling thread; 0: SYM_CPU_NS */
	const volatile bool *stop; /* set to true when names are no longer wanted */
};
#define SYM_CPU_NS (2 * NS_PER_SEC)

/*
 * Symbolize all remaining locations.  It ends within some milliseconds of the deadline, or of *stop
 * becoming true, no matter what files contain; the remaining locations stay addresses, and the next
 * call tries them again.  A file that alone exceeds its share is given up for good.  NULL: the
 * default budget.  Returns true if it ended by itself, so that another call would find no more.
 */
bool symbolizer_resolve(struct symbolizer *s, const struct sym_budget *budget);

/*
 * Forget the locations that are not `used` (one bool for each location in symbolizer_frames()), and
 * the files, names and processes that only they needed.  The others are renumbered.  Returns the
 * new number of each, SYM_FORGOTTEN for those that are gone; the caller frees the array.
 */
#define SYM_FORGOTTEN UINT32_MAX
u32 *symbolizer_forget(struct symbolizer *s, const bool *used);

/* The number of objects that it stores: locations, files, processes. */
size_t symbolizer_size(const struct symbolizer *s);

/* All locations as frames, indexed by location; valid until the next location is added.  JIT code
 * has the module "[jit]", the vdso "[vdso]", BPF programs "[bpf]". */
const struct frame *symbolizer_frames(const struct symbolizer *s, size_t *n);

/* Returns false if kernel frames have no names, because the kernel hides its addresses (no
 * CAP_SYSLOG, kptr_restrict) or there is no kallsyms.  Known when a resolve has read all of it;
 * true before. */
bool symbolizer_has_kernel_names(const struct symbolizer *s);

#define SYM_COSTLY_FILES 8

/* Counts of distinct locations for the ledger, as symbolized so far.  A location that was forgotten
 * and then seen again counts twice. */
struct symbol_stats {
	u64 frames;	/* user and kernel, without notes */
	u64 symbolized; /* have a name */
	u64 stripped;	/* the file is known, but has no symbol for it */
	u64 costly;	/* a name would cost too much, or there was not enough time */
	/* The first files that cost too much, owned by the symbolizer; the rest are NULL. */
	const char *costly_files[SYM_COSTLY_FILES];
	u64 jit_no_map; /* code in no file, without a name in a perf map */
	u64 exited;	/* the process was gone before its mappings could be read */
};
void symbolizer_stats(const struct symbolizer *s, struct symbol_stats *out);

/* Limits of symbolizer_request_maps(). */
struct sym_request {
	u64 deadline_ns;	      /* CLOCK_MONOTONIC */
	const volatile bool *stop;    /* set to true when names are no longer wanted */
	void (*meanwhile)(void *ctx); /* called every 10 ms; NULL: nothing */
	void *ctx;
};
#define SYM_REQUEST_NS (2 * NS_PER_SEC) /* for one process at most */

/* Have processes write the perf maps of their code without names, if their runtime does so on
 * request (HotSpot JVMs): each one gets a signal.  Calls say() for each process that does not write
 * one. */
void symbolizer_request_maps(struct symbolizer *s, const struct sym_request *how,
			     void (*say)(const char *code, const char *text));

/* Call say() once for each new line of advice about a process's runtime ("java 4711: jcmd 4711
 * Compiler.perfmap"). */
void symbolizer_hints(struct symbolizer *s, void (*say)(const char *code, const char *text));

#endif
