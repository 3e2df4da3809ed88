// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A list that is longer than the screen: its selected row exists and is seen, whatever happens. */
#include "live/list.h"

#include "live/screen.h"
#include "test.h"

static bool is_sound(const struct list *l)
{
	bool exists = l->n ? l->at < l->n : !l->at;
	bool is_seen = !l->rows || (l->at >= l->top && l->at < l->top + l->rows);

	return exists && is_seen;
}

static struct list list_of(size_t n, u32 rows)
{
	struct list l = { 0 };

	list_resize(&l, n);
	list_fit(&l, rows);
	return l;
}

static void press(struct list *l, s32 key)
{
	CHECK(list_key(l, key));
	list_fit(l, l->rows);
	CHECK(is_sound(l));
}

TEST(arrows_move_by_one_and_stop_at_the_ends)
{
	struct list l = list_of(3, 10);

	press(&l, KEY_ARROW_UP);
	CHECK(l.at == 0);
	press(&l, KEY_ARROW_DOWN);
	press(&l, 'j');
	CHECK(l.at == 2);
	press(&l, KEY_ARROW_DOWN);
	CHECK(l.at == 2);
	press(&l, 'k');
	CHECK(l.at == 1);
}

TEST(pages_leave_one_row_in_view)
{
	struct list l = list_of(100, 10);

	press(&l, KEY_PAGE_DOWN);
	CHECK(l.at == 9 && l.top == 0);
	press(&l, KEY_PAGE_DOWN);
	CHECK(l.at == 18 && l.top == 9);
	press(&l, KEY_PAGE_UP);
	CHECK(l.at == 9);
	press(&l, KEY_PAGE_UP);
	press(&l, KEY_PAGE_UP);
	CHECK(l.at == 0 && l.top == 0);
}

TEST(start_and_end)
{
	struct list l = list_of(100, 10);

	press(&l, 'G');
	CHECK(l.at == 99 && l.top == 90);
	press(&l, 'g');
	CHECK(l.at == 0 && l.top == 0);
	press(&l, KEY_TO_END);
	press(&l, KEY_TO_START);
	CHECK(l.at == 0);
}

TEST(other_keys_are_left_to_others)
{
	struct list l = list_of(100, 10);

	CHECK(!list_key(&l, 'x'));
	CHECK(!list_key(&l, KEY_RESIZED));
	CHECK(!list_key(&l, KEY_NONE));
	CHECK(l.at == 0);
}

TEST(an_empty_list_has_no_row)
{
	struct list l = list_of(0, 10);

	press(&l, KEY_ARROW_DOWN);
	press(&l, 'G');
	press(&l, KEY_PAGE_UP);
	CHECK(l.at == 0 && l.top == 0);
}

TEST(the_selection_stays_inside_when_rows_go)
{
	struct list l = list_of(100, 10);

	press(&l, 'G');
	list_resize(&l, 5);
	list_fit(&l, 10);
	CHECK(l.at == 4 && l.top == 0);
	list_resize(&l, 0);
	list_fit(&l, 10);
	CHECK(l.at == 0 && l.top == 0);
}

TEST(no_row_below_the_end_is_empty_while_there_are_rows_above)
{
	struct list l = list_of(100, 10);

	press(&l, 'G');
	list_fit(&l, 30);
	CHECK(l.top == 70 && l.at == 99);
	list_fit(&l, 200);
	CHECK(l.top == 0);
}

TEST(a_screen_without_rows)
{
	struct list l = list_of(100, 10);

	press(&l, 'G');
	list_fit(&l, 0);
	CHECK(list_key(&l, KEY_PAGE_UP));
	list_fit(&l, 1);
	CHECK(l.top == l.at && is_sound(&l));
}

/* Any sequence of sizes and keys. */
TEST(any_sequence)
{
	static const s32 keys[] = { KEY_ARROW_UP,  KEY_ARROW_DOWN, KEY_PAGE_UP,	 KEY_PAGE_DOWN,
				    KEY_TO_START,  KEY_TO_END,	   KEY_WHEEL_UP, KEY_WHEEL_DOWN,
				    KEY_CTRL('f'), KEY_CTRL('b') };
	struct list l = { 0 };

	srand(1);
	for (int i = 0; i < 100000; i++) {
		if (rand() % 5 == 0)
			list_resize(&l, (size_t)(rand() % 60));
		else if (rand() % 5 == 0)
			list_select(&l, (size_t)rand());
		else
			list_key(&l, keys[(size_t)rand() % ARRAY_SIZE(keys)]);
		list_fit(&l, (u32)(rand() % 20));
		CHECK(is_sound(&l));
	}
}
