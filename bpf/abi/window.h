/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One word that all compiled probes of a run look at: do events count now, and in which of two
 * tables of cells.  All attach one after the other, and are detached so; by this word they begin
 * and end at once, and a report's window is the same for all of them.
 */
#ifndef BPF_ABI_WINDOW_H
#define BPF_ABI_WINDOW_H

#define WINDOW_TABLE 1u /* which of the two: 0 or 1 */
#define WINDOW_LIVE  2u

#endif
