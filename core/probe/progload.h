/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads programs made by gen/program.c: appends the fixed functions, has the kernel verify the
 * program and, if the kernel refuses it, finds the user's expression at fault.
 */
#ifndef PROBE_PROGLOAD_H
#define PROBE_PROGLOAD_H

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/source.h"
#include "gen/insns.h"

/* The fixed functions, taken from a `fixed_*` program. */
struct fixed_code {
	const struct bpf_insn *insns; /* borrowed from the object, or from `caught` */
	u32 n;
	u32 *entries; /* n_entries: the start of each function */
	u32 n_entries;
	struct bpf_insn *caught;
	u32 n_caught;
	/* Types of the functions, by their first instruction. */
	int btf_fd; /* borrowed from the object */
	struct bpf_func_info *func_info;
	u32 n_func_info;
	int handler; /* libbpf's id for it; 0: none */
};

/* Until fixed_code_release(), an empty program is loaded instead of each `fixed_*` one, because
 * verifying and compiling programs that never run takes a millisecond.  Call it before the object
 * is opened; *f must not move. */
int fixed_code_catch(struct fixed_code *f, struct err *err);
/* Call it after the object was loaded. */
int fixed_code_init(struct fixed_code *f, const struct bpf_program *prog, u32 n_fns,
		    struct err *err);
void fixed_code_release(struct fixed_code *f);

struct generated_opts {
	const char *name; /* the program's; 15 bytes are kept */
	u32 prog_type, expected_attach_type;
	u32 attach_btf_id;
	int attach_btf_obj_fd; /* module; 0: vmlinux */
	bool is_sleepable;
};

/* Returns a descriptor, or -code: if the verifier refuses the program, the error shows the text at
 * fault with a caret (the log is printed with -v). */
int generated_load(const struct insns *in, const struct fixed_code *fixed, const struct text *t,
		   const struct generated_opts *opts, struct err *err);

#endif
