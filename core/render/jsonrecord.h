/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts that several records of bperf/1 have. */
#ifndef RENDER_JSONRECORD_H
#define RENDER_JSONRECORD_H

#include "model/key.h"
#include "render/framelabel.h"
#include "render/jsonw.h"
#include "render/renderer.h"

struct jsonw json_record_begin(struct render *out, const char *type);
void json_record_end(struct render *out, struct jsonw *w);

/* For the kernel its own name, otherwise the path as the process sees it. */
const char *json_module_name(const struct frame *f);

/* Add a frame as a JSON object without its position in a record, so that one text serves all
 * stacks. */
void json_record_frame(struct str *out, const struct frame *f, const struct render_opts *opts);

/* Add "kernel" and "user", with frames leaf first, and "missed", which lists the stacks that are
 * absent.  `texts` caches json_record_frame. */
void json_record_stack(struct jsonw *w, struct texts *texts, const struct stack_row *row);

/* Add "key", an object of texts by name; "key_hex", those that are not UTF-8; and "cut" and
 * "unreadable", the names of those that are marked so.  A name that comes again is followed by its
 * position: "comm#2". */
void json_record_key(struct jsonw *w, const char *const *names, u32 n, const char *const *key,
		     struct key_marks marks);

/* Add bytes that are not UTF-8 in hex; nothing if they are. */
void json_record_hex(struct jsonw *w, const char *key, struct view bytes);

/* Add "comm"; bytes that are not UTF-8 become U+FFFD, and the original is added in hex. */
void json_record_comm(struct jsonw *w, const char *comm);

#endif
