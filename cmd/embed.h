/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that the binary carries, compressed: man pages, shell completions, the JSON schema. */
#ifndef CMD_EMBED_H
#define CMD_EMBED_H

#include "base/str.h"

struct embedded {
	const char *name; /* "profile.8", "bperf.bash" */
	const unsigned char *gz, *gz_end;
};

/* Made by the Makefile; ends with a NULL name. */
extern const struct embedded embedded_files[];

/* For that file: the bytes of `path`, and their row in the table. */
#define EMBED_FILE(n, path)                                                             \
	extern const unsigned char embed_##n[], embed_end_##n[];                        \
	__asm__(".section .rodata\n.globl embed_" #n "\nembed_" #n ":\n.incbin \"" path \
		"\"\n.globl embed_end_" #n "\nembed_end_" #n ":\n.previous\n");
#define EMBED_ROW(n, file)                     \
	{                                      \
		file, embed_##n, embed_end_##n \
	}

const struct embedded *embed_find(const char *name);
void embed_text(const struct embedded *e, struct str *out);

#endif
