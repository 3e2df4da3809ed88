/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the wire format of protocol buffers, of which render/protow.h writes a part. */
#ifndef SAVED_PROTOR_H
#define SAVED_PROTOR_H

#include "base/view.h"

struct proto_field {
	u32 number;
	bool is_bytes;	   /* `bytes` is set, otherwise `value` */
	u64 value;	   /* a varint, or a number of fixed size */
	struct view bytes; /* text, a message, or packed numbers; borrowed */
};

enum proto_next {
	PROTO_FIELD,
	PROTO_END,
	PROTO_BAD, /* not a message, or cut off */
};

/* Remove the next field from the message. */
enum proto_next proto_next(struct view *message, struct proto_field *out);
/* Remove the next number from packed numbers.  PROTO_END: there are no more. */
enum proto_next proto_next_packed(struct view *packed, u64 *out);

#endif
