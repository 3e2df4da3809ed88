/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracepoints' fields by BTF, where tracefs may not be read.  Only core/site. */
#ifndef SITE_TPBTF_H
#define SITE_TPBTF_H

#include "base/str.h"

struct btf;

/*
 * The format of an event as tracefs has it, but for its number (none has this one) and what its
 * values mean, from the struct of its record, trace_event_raw_EVENT.  false: there is none.  BTF
 * does not say which events share another one's record (DEFINE_EVENT), nor what __data_loc fields
 * hold: strings, most of them.
 */
bool tp_format_by_btf(const struct btf *btf, const char *event, struct str *out);

#endif
