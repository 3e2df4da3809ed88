/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fields of tracepoints from BTF, for users who cannot read tracefs.  Private to core/site. */
#ifndef SITE_TPBTF_INT_H
#define SITE_TPBTF_INT_H

#include "base/str.h"

struct btf;

/*
 * The format of an event from the struct of its record, trace_event_raw_EVENT.  It lacks the
 * event's id and the names of values.  Returns false if there is no such struct.  BTF does not show
 * which events share another event's record (DEFINE_EVENT), nor the type of __data_loc fields, most
 * of which are strings.
 */
bool tp_format_by_btf(const struct btf *btf, const char *event, struct str *out);

#endif
