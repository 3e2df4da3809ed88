/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* USDT probes of provider bperf_work: no header of systemtap's is needed to write a note. */
#ifndef WORKLOADS_NOTE_H
#define WORKLOADS_NOTE_H

/* systemtap's note, version 3: three addresses, three strings. */
#define NOTE(name, semaphore, operands, ...)                                                     \
	__asm__ volatile("990: nop\n"                                                            \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"                           \
			 ".balign 4\n"                                                           \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                      \
			 "991: .asciz \"stapsdt\"\n"                                             \
			 "992: .balign 4\n"                                                      \
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " semaphore "\n"       \
			 ".asciz \"bperf_work\"\n.asciz \"" name "\"\n.asciz \"" operands "\"\n" \
			 "994: .balign 4\n"                                                      \
			 ".popsection\n" ::__VA_ARGS__)

__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

#endif
