/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the JSON of a run while the run goes on: the caller gives the bytes as they arrive, and
 * takes each report when it is complete.  As for files (saved/saved.h), every byte is hostile.
 */
#ifndef SAVED_STREAM_H
#define SAVED_STREAM_H

#include "saved/saved.h"

struct saved_stream;

/* Reports go to `s`, which was initialized, holds nothing else, and must outlive the stream.
 * `name` is for errors. */
struct saved_stream *saved_stream_new(struct saved *s, const char *name);

/* Take the bytes that have arrived.  Returns -code for a record that cannot be read; then the
 * stream is useless. */
int saved_stream_feed(struct saved_stream *st, const char *bytes, size_t n, struct err *err);

/* The run has begun: s->run describes it. */
bool saved_stream_has_begun(const struct saved_stream *st);
/* Take the oldest complete report from s->reports, where an empty one stays; the caller releases
 * *out with report_release().  Snapshots are dropped.  false: there is none. */
bool saved_stream_take(struct saved_stream *st, struct report *out);

/* No more bytes will come.  *end: the record at the end of the run; false if it is missing. */
bool saved_stream_end(struct saved_stream *st, struct run_end *end);

void saved_stream_free(struct saved_stream *st);

#endif
