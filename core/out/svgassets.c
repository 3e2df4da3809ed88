// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The flame graph's style sheet and script, put into the program as they are.  Paths are from the
 * repository's root, where make runs.
 */
#include "out/svg.h"

#define ASSET(symbol, path)                                                           \
	__asm__(".section .rodata\n.globl " #symbol "\n" #symbol ":\n.incbin \"" path \
		"\"\n.byte 0\n.previous\n")

ASSET(svg_style, "core/out/flame.css");
ASSET(svg_script, "core/out/flame.js");
