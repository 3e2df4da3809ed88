/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields of a record with their types: a field of another type is an error that contains its place.
 * After one has failed, all return the default, and r->err is set, so that a reader checks once per
 * record.
 */
#ifndef SAVED_JSONFIELDS_H
#define SAVED_JSONFIELDS_H

#include <jansson.h>

#include "model/key.h"
#include "saved/saved_int.h"

/* A whole number that is not negative; `otherwise` if there is none, or null. */
u64 field_u64(struct reading *r, const json_t *o, const char *key, u64 otherwise);
/* The same up to INT64_MAX; -1 if there is none. */
s64 field_id(struct reading *r, const json_t *o, const char *key);
/* A text, interned; NULL if there is none, or null. */
const char *field_text(struct reading *r, const json_t *o, const char *key);
bool field_bool(struct reading *r, const json_t *o, const char *key);
double field_double(struct reading *r, const json_t *o, const char *key);
/* A whole number of 64 bits, negative if is_signed; 0 if there is none, or null. */
u64 field_number(struct reading *r, const json_t *o, const char *key, bool is_signed);
/* The same of a value.  One that jansson does not take is {"": "18446744073709551615"} (json.c). */
bool json_take_number(const json_t *v, bool is_signed, u64 *out);
/* The position of a text in a list; another text is an error. */
u32 field_choice(struct reading *r, const json_t *o, const char *key, const char *const *names,
		 u32 n);
/* A number times `scale`, rounded; 0 if there is none, or null. */
u64 field_scaled(struct reading *r, const json_t *o, const char *key, double scale);
/* Seconds as nanoseconds. */
u64 field_seconds(struct reading *r, const json_t *o, const char *key);
/* A hexadecimal number in a string; 0 if there is none. */
u64 field_hex(struct reading *r, const json_t *o, const char *key);
/* The bytes of a text that is not UTF-8, which are there in hexadecimal; false: there are none. */
bool field_bytes(struct reading *r, const json_t *o, const char *key, struct str *out);
/* NULL if there is none, or null. */
const json_t *field_object(struct reading *r, const json_t *o, const char *key);
const json_t *field_array(struct reading *r, const json_t *o, const char *key);

/* ---- the shared parts of records ---- */

void json_take_meta(struct reading *r, const json_t *o);
/* Read those parts of a ledger that the record contains. */
void json_take_ledger(struct reading *r, const json_t *o, struct ledger *l);
/* The fates of each probe's events. */
void json_take_probes(struct reading *r, const json_t *o, struct run_end *end);
/* The comm's bytes, interned; NULL if there is none. */
const char *json_take_comm(struct reading *r, const json_t *o);
struct stack_task json_take_task(struct reading *r, const json_t *o);
/* The leaf's node for an array of frames; 0: there are none, or *is_full. */
u32 json_take_frames(struct reading *r, const json_t *o, const char *key, bool *is_full);

/* ---- keys ---- */

/* The names and texts of a row's key in tables of `max`, and how they are marked; returns the
 * number of them. */
u32 json_take_key(struct reading *r, const json_t *o, u32 max, const char **names,
		  const char **texts, struct key_marks *marks);

/* ---- threads ---- */

void json_take_thread(struct reading *r, const json_t *o, struct report *report);

/* ---- counts ---- */

void json_take_count(struct reading *r, const json_t *o, struct report *report);
void json_take_columns(struct reading *r, const json_t *o, struct report *report);

/* ---- distributions ---- */

/* One more distribution of the report, and of all reports after it. */
void json_take_dist(struct reading *r, const json_t *o, struct report *report);
/* A row of one of them: a record of this kind. */
void json_take_row(struct reading *r, const json_t *o, enum dist_kind kind, struct report *report);

/* ---- events ---- */

/* How events are shown. */
void json_take_events(struct reading *r, const json_t *o);
void json_take_event(struct reading *r, const json_t *o);

/* ---- frames ---- */

/* SAVED_NONE: there is no room. */
u32 json_take_frame(struct reading *r, const json_t *o);

#endif
