/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys of rows as texts. */
#ifndef MODEL_KEY_H
#define MODEL_KEY_H

/* The end of a text that was truncated. */
#define KEY_CUT "..."

/* A key, or a part of one, that could not be read. */
#define KEY_UNREADABLE "[unreadable]"

#endif
