/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sections of an HTML page.  Each function writes nothing if the report has nothing for its
 * section. */
#ifndef RENDER_HTML_H
#define RENDER_HTML_H

#include "render/renderer.h"

/* ---- htmlrows.c: functions of stacks or of --functions, wait states, counts ---- */

/* `has_graph`: a click on a function searches for it in the flame graph. */
void html_functions(struct render *out, const struct report *r, bool has_graph);
void html_states(struct render *out, const struct report *r);
void html_counts(struct render *out, const struct report *r);

/* ---- htmldist.c ---- */

void html_dists(struct render *out, const struct report *r);

/* ---- htmltimeline.c: the samples of a report of stacks over time ---- */

void html_timeline(struct render *out, const struct report *r);

/* ---- htmlledger.c ---- */

/* `end`: NULL for a snapshot, in the middle of the run. */
void html_ledger(struct render *out, const struct ledger *l, const struct run_end *end);

/* From assets.c, NUL-terminated. */
extern const char html_style[], html_script[], html_timeline_script[];

#endif
