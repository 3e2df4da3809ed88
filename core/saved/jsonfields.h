/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields of a record with their types: a field of another type is an error that contains its place.
 * After one has failed, all return the default, and r->err is set, so that a reader checks once per
 * record.
 */
#ifndef SAVED_JSONFIELDS_H
#define SAVED_JSONFIELDS_H

#include <jansson.h>

#include "saved/saved_int.h"

/* A whole number that is not negative; `otherwise` if there is none, or null. */
u64 field_u64(struct reading *r, const json_t *o, const char *key, u64 otherwise);
/* The same up to INT64_MAX; -1 if there is none. */
s64 field_id(struct reading *r, const json_t *o, const char *key);
/* A text, interned; NULL if there is none, or null. */
const char *field_text(struct reading *r, const json_t *o, const char *key);
bool field_bool(struct reading *r, const json_t *o, const char *key);
double field_double(struct reading *r, const json_t *o, const char *key);
/* A number times `scale`, rounded; 0 if there is none, or null. */
u64 field_scaled(struct reading *r, const json_t *o, const char *key, double scale);
/* Seconds as nanoseconds. */
u64 field_seconds(struct reading *r, const json_t *o, const char *key);
/* A hexadecimal number in a string; 0 if there is none. */
u64 field_hex(struct reading *r, const json_t *o, const char *key);
/* NULL if there is none, or null. */
const json_t *field_object(struct reading *r, const json_t *o, const char *key);
const json_t *field_array(struct reading *r, const json_t *o, const char *key);

/* ---- the shared parts of records ---- */

void json_take_meta(struct reading *r, const json_t *o);
/* Read those parts of a ledger that the record contains. */
void json_take_ledger(struct reading *r, const json_t *o, struct ledger *l);
struct stack_task json_take_task(struct reading *r, const json_t *o);
/* The leaf's node for an array of frames; 0: there are none, or *is_full. */
u32 json_take_frames(struct reading *r, const json_t *o, const char *key, bool *is_full);
/* ---- counts ---- */

void json_take_count(struct reading *r, const json_t *o, struct report *report);
void json_take_columns(struct reading *r, const json_t *o, struct report *report);

/* The frame of a function record. */
u32 json_take_function(struct reading *r, const json_t *o);

#endif
