/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BTF as it is in memory, with an index of where each type begins.  libbpf's struct btf copies it
 * first: of the kernel's 127,000 types (5.5 MB) that takes 5 ms and more, the index alone 1.4 ms.
 */
#ifndef HOST_RAWBTF_H
#define HOST_RAWBTF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct btf_type; /* <linux/btf.h> */

/* The data after a struct btf_type: members, parameters, values, or one row of another kind. */
struct rawbtf_rows {
	const u8 *items;
	u32 n, bytes_each;
};

/* Zero-initialize. */
struct rawbtf {
	const u8 *types;
	const char *names;
	u32 types_bytes, names_bytes;
	VEC(u32) begins; /* offsets in `types` by id; the first, of void, means nothing */
};

/* Index BTF of n_bytes, which must be aligned to 4 bytes and stay until rawbtf_release.  False: it
 * is not BTF of this byte order, a type is of an unknown kind, or something reaches beyond the
 * end. */
bool rawbtf_index(struct rawbtf *b, const void *data, size_t n_bytes);
void rawbtf_release(struct rawbtf *b);

/* Ids below it exist; 0 is void. */
u32 rawbtf_count(const struct rawbtf *b);
/* NULL: there is no such type, or it is void. */
const struct btf_type *rawbtf_type(const struct rawbtf *b, u32 id);
struct rawbtf_rows rawbtf_rows(const struct btf_type *t);
/* "": no name. */
const char *rawbtf_name(const struct rawbtf *b, u32 offset);
/* The id of the first type of that name and kind (BTF_KIND_...); 0: there is none. */
u32 rawbtf_find(const struct rawbtf *b, const char *name, u32 kind);

#endif
