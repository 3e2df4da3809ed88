/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One question about a kernel symbol, and its answer (bpf/ksyms.bpf.c). */
#ifndef BPF_ABI_KSYMS_H
#define BPF_ABI_KSYMS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define KSYMS_TEXT_BYTES 256 /* a few names of Rust functions are longer */
#define KSYMS_NAME_BYTES 64

struct ksyms_question {
	__u64 addr;
	/* "name+0x10/0x50 [module]", or "0x..." if no symbol is there; n: its bytes with the NUL,
	 * even if it was truncated; negative: -errno. */
	__s64 n;
	char text[KSYMS_TEXT_BYTES];
	char name[KSYMS_NAME_BYTES]; /* a whole symbol's name, padded with zeros */
};

#endif
