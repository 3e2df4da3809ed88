/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What all records of bperf/1 are made of. */
#ifndef RENDER_JSONRECORD_H
#define RENDER_JSONRECORD_H

#include "render/framelabel.h"
#include "render/jsonw.h"
#include "render/renderer.h"

struct jsonw json_record_begin(struct render *out, const char *type);
void json_record_end(struct render *out, struct jsonw *w);

/* Of frames; NULL: the array ("user", "kernel") says it already. */
extern const char *const json_kind_names[FRAME_N_KINDS];
/* The kernel by its name; everything else as the process sees it. */
const char *json_module_name(const struct frame *f);

/* A frame's object, without its position in a record. */
void json_record_frame(struct str *out, const struct frame *f, const struct render_opts *opts);

/* "kernel", "user": frames leaf first; "missed": which of them should be there.  Texts: made by
 * json_record_frame. */
void json_record_stack(struct jsonw *w, struct texts *texts, const struct stack_row *row);

/* "comm": bytes that are not UTF-8 are shown as U+FFFD and kept in hex. */
void json_record_comm(struct jsonw *w, const char *comm);

#endif
