/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptions of a result for people: how and where it was measured, and its losses.  All texts
 * are sanitized (base/utf8.h). */
#ifndef RENDER_SUMMARY_H
#define RENDER_SUMMARY_H

#include "base/str.h"
#include "model/report.h"
#include "render/units.h"

/* "bperf profile -F 99 -- 'my program' 5" */
void about_command(struct str *out, const struct run_info *run);

/* "db7, Linux 6.18.44 x86_64, 64 CPUs"; empty for a file that does not say where it was
 * measured. */
void about_host(struct str *out, const struct run_info *run);

/* "cpu-clock at 99 Hz"; empty when the run has no event. */
void about_event(struct str *out, const struct run_info *run);

/* "5.0 s from 2026-11-20 12:17:49 UTC": the length and the start of a window; the arguments are
 * times since the start of the run. */
void about_when(struct str *out, const struct run_info *run, u64 start_ns, u64 end_ns);

/* Time that is reported apart from the rows: `whole_ns` of `total_ns` in waits that lasted through
 * the whole window, and `left_ns` that was left out.  Empty if there is none.  unit: NULL: each in
 * the unit that fits it. */
void about_apart(struct str *out, const struct unit_info *unit, u64 whole_ns, u64 total_ns,
		 u64 left_ns);

/* "lost: none", or "lost: 3 throttled by the kernel, ...; missed: 2 events not reported by the
 * kernel", or "missed: not countable here". */
void about_losses(struct str *out, const struct ledger *l);

#endif
