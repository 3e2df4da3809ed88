/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints events in text and JSON; called by the renderers. */
#ifndef RENDER_EVENTS_H
#define RENDER_EVENTS_H

#include "model/event.h"
#include "render/renderer.h"

/* Print the column headings once. */
void events_text_begin(struct render *out);
void events_text(struct render *out, const struct event_row *e);

/* The same as comma-separated values. */
void events_csv(struct render *out, const struct event_row *e);
/* HH:MM:SS, in `text`. */
const char *events_clock(u64 wall_ns, char *text, size_t n);

/* Add the record that tells once how events are shown as text. */
void events_json_begin(struct render *out);
void events_json(struct render *out, const struct event_row *e);
/* Add "probes":[...], the counts of each spec, to the end record. */
struct jsonw;
void events_json_probes(struct jsonw *w, const struct event_probe *probes, size_t n);

#endif
