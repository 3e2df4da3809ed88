/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes the wire format of protocol buffers into a buffer.  Fields with the value 0 are omitted,
 * as in proto3. */
#ifndef RENDER_PROTOW_H
#define RENDER_PROTOW_H

#include "base/str.h"

void proto_u64(struct str *out, u32 field, u64 v);
/* Written even if it is 0. */
void proto_fixed64(struct str *out, u32 field, u64 v);
/* A string or a nested message. */
void proto_bytes(struct str *out, u32 field, struct view bytes);
/* Repeated integers in one field; omitted if there are none. */
void proto_packed(struct str *out, u32 field, const u64 *v, size_t n);

#endif
