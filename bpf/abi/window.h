/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One word that all compiled probes of a run read: whether events count now, and in which of two
 * tables of cells.  Probes are attached and detached one after the other; with this word they start
 * and stop counting at the same time, and a report's window is the same for all of them.
 */
#ifndef BPF_ABI_WINDOW_H
#define BPF_ABI_WINDOW_H

#define WINDOW_TABLE 1u /* index of the table: 0 or 1 */
#define WINDOW_LIVE  2u

#endif
