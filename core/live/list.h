/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A list that is longer than the screen: the selected row, and the first row that is seen. */
#ifndef LIVE_LIST_H
#define LIVE_LIST_H

#include "base/types.h"

struct list {
	size_t n, at, top;
	u32 row, rows; /* rows of the screen where it was drawn last */
};

/* Set the number of rows; the selection stays inside. */
void list_resize(struct list *l, size_t n);
/* Fit the list into this many rows of the screen, so that the selected one is visible. */
void list_fit(struct list *l, u32 rows);
void list_select(struct list *l, size_t at);
/* Arrows, pages, start and end, as in less and vi.  false: another key. */
bool list_key(struct list *l, s32 key);

#endif
