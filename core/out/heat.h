/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Histograms over time: a line for each report. */
#ifndef OUT_HEAT_H
#define OUT_HEAT_H

#include "out/renderer.h"

/* The report's histograms, a line each; scales come again when they change. */
void heat_text(struct render *out, const struct report *r);

#endif
