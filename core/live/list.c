// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live/list.h"

#include "live/screen.h"

void list_resize(struct list *l, size_t n)
{
	l->n = n;
	if (l->at >= n)
		l->at = n ? n - 1 : 0;
}

void list_fit(struct list *l, u32 rows)
{
	l->rows = rows;
	if (l->top > l->at)
		l->top = l->at;
	if (rows && l->at - l->top >= rows)
		l->top = l->at - rows + 1;
	if (l->n <= rows)
		l->top = 0;
	else if (l->top > l->n - rows)
		l->top = l->n - rows;
}

void list_select(struct list *l, size_t at)
{
	l->at = at;
	list_resize(l, l->n);
}

static void move_by(struct list *l, s64 by)
{
	s64 at = (s64)l->at + by;

	list_select(l, at < 0 ? 0 : (size_t)at);
}

bool list_key(struct list *l, s32 key)
{
	s64 page = l->rows > 1 ? l->rows - 1 : 1;

	switch (key) {
	case KEY_ARROW_UP:
	case KEY_WHEEL_UP:
	case 'k':
		move_by(l, -1);
		return true;
	case KEY_ARROW_DOWN:
	case KEY_WHEEL_DOWN:
	case 'j':
		move_by(l, 1);
		return true;
	case KEY_PAGE_UP:
	case KEY_CTRL('b'):
		move_by(l, -page);
		return true;
	case KEY_PAGE_DOWN:
	case KEY_CTRL('f'):
		move_by(l, page);
		return true;
	case KEY_TO_START:
	case 'g':
		list_select(l, 0);
		return true;
	case KEY_TO_END:
	case 'G':
		list_select(l, l->n);
		return true;
	default:
		return false;
	}
}
