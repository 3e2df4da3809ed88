/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef REPLAY_REPLAY_INT_H
#define REPLAY_REPLAY_INT_H

#include "render/render.h"
#include "replay/replay.h"
#include "saved/view.h"

struct early_warning {
	char *code, *message;
};

struct replay {
	const struct replay_conf *conf;
	struct saved saved;
	struct report total;
	struct output *out;
	VEC(struct early_warning) early; /* from before there is an output */
};

/* ---- change.c ---- */

bool replay_has_events(const struct replay *r);
bool replay_is_heat(const struct replay *r);
/* The files become one report. */
bool replay_is_total(const struct replay *r);
/* enum report_kind of the reports to show. */
u32 replay_kind(const struct replay *r);

/* Apply all options that change what the saved files contain. */
int replay_change(struct replay *r, struct err *err);
/* The same for one report, or the sum. */
void replay_shape(const struct replay_conf *conf, struct report *r);

/* ---- live.c ---- */

/* --live: show the files' sum, or a run whose JSON arrives on standard input. */
int replay_show_live(struct replay *r, struct err *err);

#endif
