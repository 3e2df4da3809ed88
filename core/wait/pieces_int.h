/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Single waits with their times, for outputs that show them (conf.keeps_times).  What is added to
 * the values of a window is kept as pieces too, so that both have the same sums.  Private to
 * core/wait.
 */
#ifndef WAIT_PIECES_INT_H
#define WAIT_PIECES_INT_H

#include "wait/intervals.h"

/* Keep the stretch from `from` to `to`, if it is not empty. */
void waits_keep_piece(struct waits *w, const struct wait_def *d, u64 from, u64 to,
		      enum wait_part part);

/* Defs were forgotten: to[i] is the new index of def i, plus 1; 0: it is gone.  NULL: there are no
 * pieces. */
void waits_move_pieces(struct waits *w, const u32 *to);

/* Give the pieces before the cut to the report, whose rows w->rows tells, ordered by time.  They
 * are forgotten unless it is a snapshot. */
void waits_report_pieces(struct waits *w, bool is_snapshot, struct report *out);

#endif
