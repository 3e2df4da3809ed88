/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A concrete place to attach to, and what it offers to expressions.  Plain data, owned by the plan
 * it is in.  What names its arguments have is scope.c's business.
 */
#ifndef SITE_SITE_H
#define SITE_SITE_H

#include "base/types.h"
#include "syntax/spec.h"

struct btf;

/* How a program is brought there; the methods' table is in attach/attach.c.  Order of preference is
 * the table's business (kernels.md section 4). */
enum attach_method {
	ATTACH_NONE,
	ATTACH_RAW_TP,	     /* raw tracepoint, arguments as u64 words */
	ATTACH_TP_BTF,	     /* the same, loaded as tp_btf */
	ATTACH_TRACEPOINT,   /* perf event of the tracepoint; the record as ctx */
	ATTACH_FENTRY,	     /* fentry, fexit: one program per function */
	ATTACH_KPROBE_MULTI, /* kprobe.multi, kretprobe.multi */
	ATTACH_KPROBE_EVENT, /* many probes in one tracefs event */
	ATTACH_KPROBE,	     /* perf kprobe, one by one */
	ATTACH_UPROBE_MULTI,
	ATTACH_UPROBE_EVENT,
	ATTACH_UPROBE,
	ATTACH_PERF,	    /* perf_event_open of e: */
	ATTACH_SYSCALL_RAW, /* raw tracepoints sys_enter, sys_exit: the number is the site */
	ATTACH_METHOD_N,
};

/* A field of a tracepoint's format file. */
struct tp_field {
	const char *name, *c_type;
	u32 offset, size;
	bool is_signed;
	u8 loc;			     /* 0 plain, 1 __data_loc, 2 __rel_loc */
	const struct tp_name *names; /* from print fmt; NULL: none */
	u32 n_names;
	bool names_are_flags;
};

struct tp_name {
	u64 value;
	const char *name;
	const char *enumerator; /* whose value it is, in the kernel's BTF; NULL: `value` */
};

struct tp_format {
	u32 id;
	struct tp_field *fields; /* without the common_ ones */
	u32 n_fields;
	struct tp_field *common;
	u32 n_common;
};

/* One operand of a USDT location. */
struct usdt_operand {
	u8 kind; /* enum: 0 const, 1 register, 2 memory, 3 not readable */
	u8 size;
	bool is_signed, has_index;
	s64 value; /* constant or displacement */
	char reg[8], index[8];
	u32 scale;
	const char *text; /* as in the note, for messages */
};

#define USDT_MAX_OPERANDS 12

struct usdt_location {
	const char *provider, *name;
	u64 offset;    /* in the file */
	u64 semaphore; /* file offset; 0: none */
	struct usdt_operand operands[USDT_MAX_OPERANDS];
	u32 n_operands;
};

/* A file with user code, through the target's root: what the kernel attaches to is its inode. */
struct site_file {
	const char *name;      /* as the user wrote it: "c" */
	const char *path;      /* as it was found: "/usr/lib/x86_64-linux-gnu/libc.so.6" */
	const char *open_path; /* what we looked at, whatever becomes of the path: its descriptor */
	int fd;		       /* the plan's */
	u64 dev, ino;
	bool is_go;   /* return probes would crash it */
	bool has_btf; /* a .BTF section */
};

/* A parameter known as text: system calls, alias tables. */
struct site_param {
	const char *c_type, *name;
};

struct site {
	enum site_kind kind;
	const char *name; /* as shown: "p:c:malloc", "t:sched:sched_switch" */
	const char *func; /* function, event or probe: $func */
	u32 pattern;	  /* index of the spec's alternative that it came from */

	/* Kernel functions. */
	u64 addr; /* 0: not known (kptr_restrict) */
	u64 offset;
	const char *symbol;    /* the kernel's name: "vfs_read.isra.0" */
	const char *module;    /* NULL: vmlinux */
	const struct btf *btf; /* borrowed from struct kernel; NULL: no type is known */
	u32 btf_id;	       /* BTF_KIND_FUNC; of raw: the FUNC_PROTO of btf_trace_X */
	u32 attach_btf_id;     /* what fentry (the FUNC) and tp_btf (the typedef) are loaded with */
	u32 btf_skip;	       /* parameters of it that are not arguments: 1 for raw tracepoints */
	bool is_by_address;    /* its name isn't enough */
	bool is_syscall_wrapper;	/* arguments are in the pt_regs that arg1 points to */
	const struct func_alias *alias; /* the name was mapped from another; NULL: no */

	/* Tracepoints. */
	const char *category;
	const struct tp_format *format; /* NULL: not readable */

	/* User functions and USDT. */
	const struct site_file *file;
	u64 file_offset;
	bool is_start; /* where a function of 64-bit code begins */
	const struct usdt_location *usdt;

	/* System calls. */
	u32 nr;
	const struct site_param *params;
	u32 n_params;

	/* Perf events. */
	u32 perf_type;
	u64 perf_config, period, rate_hz;
};

/* A function that has another name today: its old arguments in terms of the new one's. */
struct func_alias {
	const char *from, *to;
	const char *const *args; /* each old argument over the new one's names; NULL: the same */
	u32 n_args;
	const char *note; /* what to say beside the new name; may be NULL */
	bool is_hollow;	  /* the old one may still be there, but nobody calls it any more */
};

#endif
