/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The terminal as a grid of cells, through ncurses.  Must not know what is shown.
 *
 * The terminal is restored when the process ends in any way that it can notice: screen_close(), a
 * signal that kills it, a crash.  Only SIGKILL needs somebody else (live/launch.h).
 */
#ifndef LIVE_SCREEN_H
#define LIVE_SCREEN_H

#include "base/err.h"
#include "base/view.h"
#include "render/svg.h"

struct screen;

enum screen_key {
	KEY_NONE = -1, /* nothing was typed */
	/* A character is itself.  These are above all of Unicode. */
	KEY_FIRST_SPECIAL = 0x200000,
	KEY_ARROW_UP,
	KEY_ARROW_DOWN,
	KEY_ARROW_LEFT,
	KEY_ARROW_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_TO_START,
	KEY_TO_END,
	KEY_ERASE, /* backspace, delete */
	KEY_BACK_TAB,
	KEY_CLICK, /* screen_mouse() has the place */
	KEY_WHEEL_UP,
	KEY_WHEEL_DOWN,
	KEY_RESIZED,
	KEY_OTHER,
};

#define KEY_CTRL(c) ((c)&0x1f)
#define KEY_ESCAPE  27
#define KEY_RETURN  '\n'
#define KEY_TAB	    '\t'

/* Appearance of text; zero-initialized: plain. */
struct style {
	bool is_bold, is_faint, is_reverse, is_underlined;
	bool has_back; /* dark text on this color, on terminals that have colors */
	struct rgb back;
	bool has_front; /* text in this color, on the terminal's background */
	struct rgb front;
};

/* An error that says why standard output cannot be used: no terminal, or one that cannot move its
 * cursor. */
int screen_check(struct err *err);
/* Take the terminal: standard output, with the keyboard of /dev/tty. */
int screen_open(struct screen **out, struct err *err);
/* Restore the terminal. */
void screen_close(struct screen *s);

/* Give the terminal to another program for a while, and take it back. */
void screen_pause(struct screen *s);
void screen_resume(struct screen *s);
/* Stop this process as Ctrl-Z does; returns when it is continued. */
void screen_suspend(struct screen *s);

u32 screen_rows(const struct screen *s);
u32 screen_columns(const struct screen *s);
bool screen_has_color(const struct screen *s);
/* Enough of them for a scale of colors. */
bool screen_has_many_colors(const struct screen *s);
/* Text may have characters beyond ASCII. */
bool screen_has_utf8(const struct screen *s);
/* For poll(): readable when a key can be read. */
int screen_fd(const struct screen *s);

void screen_clear(struct screen *s);
/* Write text into [column, column + width) of a row: shortened to the width, and filled with
 * blanks. What is outside the screen is left out.  The text is made clean for a terminal
 * (base/utf8.h); on one without UTF-8, other characters become '?'. */
void screen_put(struct screen *s, u32 row, u32 column, u32 width, struct view text,
		struct style style);
/* Show where text is typed; `row` beyond the screen hides the cursor. */
void screen_cursor(struct screen *s, u32 row, u32 column);
/* Send the differences from what the terminal shows.  Returns the number of bytes. */
u64 screen_show(struct screen *s);
/* Send everything the next time: something else wrote to the terminal. */
void screen_redraw(struct screen *s);

/* The next key, without waiting: a character, an enum screen_key, or KEY_NONE. */
s32 screen_key(struct screen *s);
void screen_mouse(const struct screen *s, u32 *row, u32 *column);
void screen_use_mouse(struct screen *s, bool is_on);

#endif
