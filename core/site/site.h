/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A concrete point to attach to, and its data for expressions.  Plain data, owned by the plan that
 * contains it.  scope.c defines the names of its arguments.
 */
#ifndef SITE_SITE_H
#define SITE_SITE_H

#include "base/types.h"
#include "syntax/spec.h"

struct btf;

/* How a program is attached; the order of preference is in site/choose.c, the code in
 * attach/attach.c. */
enum attach_method {
	ATTACH_NONE,
	ATTACH_RAW_TP,	     /* raw tracepoint, arguments as u64 words */
	ATTACH_TP_BTF,	     /* the same, loaded as tp_btf */
	ATTACH_TRACEPOINT,   /* perf event of the tracepoint; ctx is the record */
	ATTACH_FENTRY,	     /* fentry, fexit: one program per function */
	ATTACH_KPROBE_MULTI, /* kprobe.multi, kretprobe.multi */
	ATTACH_KPROBE_EVENT, /* many probes in one tracefs event */
	ATTACH_KPROBE,	     /* perf kprobe, one at a time */
	ATTACH_UPROBE_MULTI,
	ATTACH_UPROBE_EVENT,
	ATTACH_UPROBE,
	ATTACH_PERF,	      /* perf_event_open of e: */
	ATTACH_SYSCALL_RAW,   /* raw tracepoints sys_enter, sys_exit; the number selects the site */
	ATTACH_SYSCALL_EVENT, /* perf events of sys_enter_X, sys_exit_X; ctx is the record */
	ATTACH_METHOD_N,
};

/* Are the sites of this method system calls, however they are written? */
static inline bool attach_method_is_syscall(enum attach_method m)
{
	return m == ATTACH_SYSCALL_RAW || m == ATTACH_SYSCALL_EVENT;
}

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
	const char *enumerator; /* the enumerator in the kernel's BTF that has the value; NULL: use
				   `value` */
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
	u64 offset;    /* file offset */
	u64 semaphore; /* file offset; 0: none */
	struct usdt_operand operands[USDT_MAX_OPERANDS];
	u32 n_operands;
};

/* A file with user code, found through the target's root: the kernel attaches to its inode. */
struct site_file {
	const char *name;      /* as the user wrote it: "c" */
	const char *path;      /* as found: "/usr/lib/x86_64-linux-gnu/libc.so.6" */
	const char *open_path; /* path to the descriptor of the file that was checked */
	int fd;		       /* owned by the plan */
	u64 dev, ino;
	bool is_go;   /* return probes would crash it */
	bool has_btf; /* has a .BTF section */
};

/* A parameter known as text, from the tables of system calls and aliases. */
struct site_param {
	const char *c_type, *name;
};

struct site {
	enum site_kind kind;
	const char *name; /* as shown: "p:c:malloc", "t:sched:sched_switch" */
	const char *func; /* function, event or probe: $func */
	u32 pattern;	  /* index of the spec's alternative that matched */

	/* Kernel functions. */
	u64 addr; /* 0: not known (kptr_restrict) */
	u64 offset;
	const char *symbol;    /* the kernel's name: "vfs_read.isra.0" */
	const char *module;    /* NULL: vmlinux */
	const struct btf *btf; /* borrowed from struct kernel; NULL: no type is known */
	u32 btf_id;	   /* BTF_KIND_FUNC; for raw tracepoints the FUNC_PROTO of btf_trace_X */
	u32 attach_btf_id; /* id with which fentry (the FUNC) and tp_btf (the typedef) are loaded */
	u32 btf_skip;	   /* leading parameters that are not arguments: 1 for raw tracepoints */
	bool is_by_address;		/* must be attached by address: its name is not unique */
	bool is_syscall_wrapper;	/* arguments are in the pt_regs that arg1 points to */
	const struct func_alias *alias; /* the alias by which the name was found; NULL: none */

	/* Tracepoints. */
	const char *category;
	const struct tp_format *format; /* NULL: not readable */

	/* User functions and USDT. */
	const struct site_file *file;
	u64 file_offset;
	bool is_start; /* the address is the start of a 64-bit function */
	const struct usdt_location *usdt;

	/* System calls. */
	u32 nr;
	const struct site_param *params;
	u32 n_params;
	u32 enter_id, exit_id; /* ids of its tracepoints, for ATTACH_SYSCALL_EVENT */

	/* Perf events. */
	u32 perf_type;
	u64 perf_config, period, rate_hz;
};

/* A function that was renamed: its old arguments in terms of the new function's arguments. */
struct func_alias {
	const char *from, *to;
	const char *const *args; /* each old argument in terms of the new names; NULL: unchanged */
	u32 n_args;
	const char *note; /* printed beside the new name; may be NULL */
	bool is_hollow;	  /* the old function may still exist, but has no callers */
};

#endif
