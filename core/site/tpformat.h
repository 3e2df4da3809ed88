/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tracepoint's format file: its id, its fields, and the names of their values. */
#ifndef SITE_TPFORMAT_H
#define SITE_TPFORMAT_H

#include "base/arena.h"
#include "base/view.h"
#include "site/site.h"

/* Returns false if the text has another format.  Everything is allocated in the arena. */
bool tp_format_parse(struct arena *a, struct view text, struct tp_format *out);

/* Take names of values from the file's `print fmt`: __print_symbolic and __print_flags
 * (tpnames.c). */
void tp_format_name_values(struct arena *a, struct view print, struct tp_format *f);

#endif
