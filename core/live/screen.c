// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ncurses, linked statically, needs two things from the host: a description of the terminal and a
 * locale.  A host without a terminfo database, or whose database does not have this terminal, gets
 * fallback.ti, which is in the binary: it has what all terminals of today have in common.  A host
 * without the locale C.UTF-8 (a static glibc cannot read musl's, and brings none) gets ASCII.
 *
 * Tried and not used: termbox (not maintained), notcurses and libtickit (both need terminfo and
 * have no way to bring an entry).
 */
#include "live/screen.h"

/* Macros of curses.h have common names, such as "timeout". */
#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <ctype.h>
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "fallback.h"

#define PAIRS_MAX	240 /* fits into 8 bits, as on terminals with few pairs */
/* How long an escape character may be the start of a key's sequence. */
#define ESCAPE_MS	50
/* Codes of our own for reports of the mouse. */
#define KEY_REPORT	(KEY_MAX + 1)
#define KEY_OLD_REPORT	(KEY_MAX + 2)
#define WRITTEN		"wchar: "
#define BYTES_UNKNOWN	4000		/* for a kernel that does not count bytes */
#define MOUSE_MODIFIERS (4u | 8u | 16u) /* shift, alt, control */

struct screen {
	SCREEN *curses;
	FILE *in, *out;
	int io; /* /proc/self/io; -1: this kernel has none */
	bool has_color, has_utf8, has_mouse;
	int n_colors;
	struct color_pair {
		short front, back;
	} pairs[PAIRS_MAX];
	short n_pairs;
	u32 mouse_row, mouse_column;
	struct str clean;
	wchar_t *wide;
	size_t wide_cap;
};

/* ---- a crash ---- */

/* Written by the handlers of deadly signals, which may call nothing of curses. */
static struct {
	struct termios modes;
	bool is_open;
	char leave[128]; /* ends the alternate screen, shows the cursor, ends attributes and mouse
			  */
	size_t n;
} restore;

static const int deadly[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT, SIGSYS };

static void on_deadly(int sig)
{
	ssize_t n;

	if (restore.is_open) {
		n = write(STDOUT_FILENO, restore.leave, restore.n);
		(void)n;
		tcsetattr(STDOUT_FILENO, TCSADRAIN, &restore.modes);
	}
	/* The default action was restored by SA_RESETHAND. */
	raise(sig);
}

static void add_leave(const char *sequence)
{
	size_t n = sequence ? strlen(sequence) : 0;

	if (restore.n + n > sizeof(restore.leave))
		return;
	memcpy(restore.leave + restore.n, sequence ? sequence : "", n);
	restore.n += n;
}

/* curses.h spells "not there" as -1 too. */
static const char *capability(const char *name)
{
	const char *text = tigetstr(name);

	return text == (const char *)-1 ? NULL : text;
}

static void catch_deadly(void)
{
	struct sigaction sa = { .sa_handler = on_deadly, .sa_flags = (int)SA_RESETHAND };

	restore.n = 0;
	add_leave("\033[?1000l\033[?1006l");
	add_leave(capability("sgr0"));
	add_leave(capability("rmcup"));
	add_leave(capability("cnorm"));
	restore.is_open = true;
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		sigaction(deadly[i], &sa, NULL);
}

/* ---- the start ---- */

static bool wants_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		value = getenv(names[i]);
		if (value && value[0])
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* A locale that the host names but does not have is no reason to do without UTF-8. */
static bool choose_locale(void)
{
	static const char *const locales[] = { "", "C.UTF-8", "en_US.UTF-8" };

	if (!wants_utf8())
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(locales); i++)
		if (setlocale(LC_CTYPE, locales[i]) && MB_CUR_MAX > 1)
			return true;
	setlocale(LC_CTYPE, "C");
	return false;
}

static const char *terminal_name(void)
{
	const char *term = getenv("TERM");

	return term && term[0] ? term : "unknown";
}

static int refuse(struct err *err)
{
	err_set(err, ERR_USAGE, "the live view: the terminal '%s' cannot move its cursor",
		terminal_name());
	return err_hint(err, "without --live it works, and -j writes JSON");
}

int screen_check(struct err *err)
{
	if (!isatty(STDOUT_FILENO)) {
		err_set(err, ERR_USAGE, "the live view: standard output is not a terminal");
		return err_hint(err, "-j writes JSON, which bperf report --live - shows");
	}
	return strcmp(terminal_name(), "dumb") ? 0 : refuse(err);
}

/* The entry of the host's database, or ours under its own name. */
static int open_curses(struct screen *s, struct err *err)
{
	s->curses = newterm(terminal_name(), s->out, s->in);
	if (s->curses)
		return 0;
	setenv("TERMINFO", FALLBACK_ENTRY, 1);
	s->curses = newterm(FALLBACK_NAME, s->out, s->in);
	unsetenv("TERMINFO");
	return s->curses ? 0 : refuse(err);
}

static int open_files(struct screen *s, struct err *err)
{
	int in, out;

	in = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (in < 0)
		return err_errno(err, errno, "the live view: cannot read keys from /dev/tty");
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	s->in = fdopen(in, "r");
	s->out = out < 0 ? NULL : fdopen(out, "w");
	if (s->in && s->out)
		return 0;
	return err_errno(err, errno, "the live view: cannot open the terminal");
}

static void set_modes(struct screen *s)
{
	const char *no_color = getenv("NO_COLOR");

	raw();
	noecho();
	nonl();
	keypad(stdscr, true);
	nodelay(stdscr, true);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	leaveok(stdscr, false);
	define_key("\033[<", KEY_REPORT);
	define_key("\033[M", KEY_OLD_REPORT);
	if ((!no_color || !no_color[0]) && has_colors()) {
		start_color();
		use_default_colors();
		s->has_color = COLORS >= 8;
		s->n_colors = COLORS;
	}
}

int screen_open(struct screen **out, struct err *err)
{
	struct screen *s = mem_alloc(1, sizeof(*s));
	int ret = screen_check(err) ?: open_files(s, err);

	s->io = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	s->has_utf8 = choose_locale();
	if (!ret) {
		tcgetattr(STDOUT_FILENO, &restore.modes);
		ret = open_curses(s, err);
	}
	if (!ret && !capability("cup"))
		ret = refuse(err);
	if (ret) {
		screen_close(s);
		s = NULL;
	} else {
		set_modes(s);
		catch_deadly();
	}
	*out = s;
	return ret;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	if (s->curses) {
		screen_use_mouse(s, false);
		endwin();
		restore.is_open = false;
		delscreen(s->curses);
	}
	if (s->io >= 0)
		close(s->io);
	if (s->in)
		fclose(s->in);
	if (s->out)
		fclose(s->out);
	str_release(&s->clean);
	free(s->wide);
	free(s);
}

void screen_pause(struct screen *s)
{
	bool had_mouse = s->has_mouse;

	screen_use_mouse(s, false);
	s->has_mouse = had_mouse;
	endwin();
	restore.is_open = false;
}

void screen_resume(struct screen *s)
{
	bool has_mouse = s->has_mouse;

	/* If somebody else has stopped the process, the terminal's modes are set again only if the
	 * screen is left first. */
	if (restore.is_open)
		screen_pause(s);
	restore.is_open = true;
	clearok(stdscr, true);
	refresh();
	screen_use_mouse(s, has_mouse);
}

/* raw() makes Ctrl-Z a character.  A shell that waits for this process continues its job; in a
 * script, all of it is stopped.  Without a shell, the signal does nothing. */
void screen_suspend(struct screen *s)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL }, old;

	screen_pause(s);
	sigaction(SIGTSTP, &dfl, &old);
	kill(getpgrp() == getpid() ? getpid() : 0, SIGTSTP);
	sigaction(SIGTSTP, &old, NULL);
	screen_resume(s);
}

/* ---- cells ---- */

u32 screen_rows(const struct screen *s)
{
	(void)s;
	return LINES > 0 ? (u32)LINES : 1;
}

u32 screen_columns(const struct screen *s)
{
	(void)s;
	return COLS > 0 ? (u32)COLS : 1;
}

bool screen_has_color(const struct screen *s)
{
	return s->has_color;
}

bool screen_has_many_colors(const struct screen *s)
{
	return s->has_color && s->n_colors >= 256;
}

bool screen_has_utf8(const struct screen *s)
{
	return s->has_utf8;
}

int screen_fd(const struct screen *s)
{
	return fileno(s->in);
}

void screen_clear(struct screen *s)
{
	(void)s;
	erase();
}

/* The nearest color of the 6x6x6 cube that terminals with 256 colors have; else of the first 8. */
static short color_number(const struct screen *s, struct rgb c)
{
	static const u8 limits[] = { 48, 115, 155, 195, 235 };
	const u8 parts[] = { c.r, c.g, c.b };
	short n = 0;

	if (s->n_colors < 256)
		return (short)((c.r > 150) | (c.g > 150) << 1 | (c.b > 150) << 2);
	for (int i = 0; i < 3; i++) {
		short level = 0;

		while (level < (short)ARRAY_SIZE(limits) && parts[i] >= limits[level])
			level++;
		n = (short)(n * 6 + level);
	}
	return (short)(16 + n);
}

/* Pairs are numbered from 1; 0 is plain, and stands for those that have no room. */
static short pair_of(struct screen *s, short front, short back)
{
	for (short i = 0; i < s->n_pairs; i++)
		if (s->pairs[i].front == front && s->pairs[i].back == back)
			return (short)(i + 1);
	if (s->n_pairs >= PAIRS_MAX || s->n_pairs + 1 >= COLOR_PAIRS)
		return 0;
	if (init_pair((short)(s->n_pairs + 1), front, back) == ERR)
		return 0;
	s->pairs[s->n_pairs++] = (struct color_pair){ front, back };
	return s->n_pairs;
}

/* Text that can be read on this color.  Color 16 is black even where a theme has changed the first
 * ones. */
static short pair_on(struct screen *s, short back)
{
	if (s->n_colors >= 256)
		return pair_of(s, 16, back);
	return pair_of(s, back == COLOR_BLUE || back == COLOR_RED ? COLOR_WHITE : COLOR_BLACK,
		       back);
}

static attr_t attributes(struct screen *s, struct style style, short *pair)
{
	attr_t a = A_NORMAL;

	*pair = 0;
	if (s->has_color && style.has_back)
		*pair = pair_on(s, color_number(s, style.back));
	else if (s->has_color && style.has_front)
		*pair = pair_of(s, color_number(s, style.front), -1);
	if (style.is_bold)
		a |= A_BOLD;
	if (style.is_faint && s->has_color)
		a |= A_DIM;
	if (style.is_reverse)
		a |= A_REVERSE;
	if (style.is_underlined)
		a |= A_UNDERLINE;
	return a;
}

/* Exactly `width` wide characters, each of one column. */
static void widen(struct screen *s, struct view text, u32 width)
{
	struct view rest;
	u32 n = 0;

	if (s->wide_cap <= width) {
		s->wide_cap = width + 1;
		s->wide = mem_realloc(s->wide, s->wide_cap, sizeof(*s->wide));
	}
	str_clear(&s->clean);
	utf8_add_clean(&s->clean, text);
	rest = str_view(&s->clean);
	while (rest.n && n < width) {
		u32 cp = utf8_next(&rest);

		if (cp > 126 && (!s->has_utf8 || wcwidth((wchar_t)cp) != 1))
			cp = '?';
		s->wide[n++] = (wchar_t)cp;
	}
	while (n < width)
		s->wide[n++] = L' ';
	s->wide[n] = L'\0';
}

void screen_put(struct screen *s, u32 row, u32 column, u32 width, struct view text,
		struct style style)
{
	short pair;
	attr_t a;

	if (row >= screen_rows(s) || column >= screen_columns(s) || !width)
		return;
	if (width > screen_columns(s) - column)
		width = screen_columns(s) - column;
	widen(s, text, width);
	a = attributes(s, style, &pair);
	attr_set(a, pair, NULL);
	mvaddnwstr((int)row, (int)column, s->wide, (int)width);
	attr_set(A_NORMAL, 0, NULL);
}

void screen_cursor(struct screen *s, u32 row, u32 column)
{
	bool is_shown = row < screen_rows(s) && column < screen_columns(s);

	curs_set(is_shown);
	if (is_shown)
		move((int)row, (int)column);
}

/* "rchar: 17\nwchar: 5\n...": what this process has written so far; 0: unknown. */
static u64 written(const struct screen *s)
{
	struct view rest, line = { "", 0 };
	char text[512];
	ssize_t n = pread(s->io, text, sizeof(text), 0);
	u64 bytes;

	rest = (struct view){ text, n > 0 ? (size_t)n : 0 };
	while (view_split(&rest, '\n', &line))
		if (view_starts(line, WRITTEN))
			break;
	line.p += line.n < strlen(WRITTEN) ? line.n : strlen(WRITTEN);
	line.n -= line.n < strlen(WRITTEN) ? line.n : strlen(WRITTEN);
	return num_parse_dec(line, &bytes) ? bytes : 0;
}

u64 screen_show(struct screen *s)
{
	u64 before = written(s);

	refresh();
	return before ? written(s) - before : BYTES_UNKNOWN;
}

void screen_redraw(struct screen *s)
{
	(void)s;
	clearok(stdscr, true);
}

/* ---- keys ---- */

/*
 * Reports of the mouse are decoded here: curses joins a press and a release that arrive together to
 * a click of its own kind, and then loses one or makes two.
 */
void screen_use_mouse(struct screen *s, bool is_on)
{
	static const char on[] = "\033[?1000h\033[?1006h", off[] = "\033[?1000l\033[?1006l";
	ssize_t n;

	s->has_mouse = is_on;
	n = is_on ? write(fileno(s->out), on, sizeof(on) - 1)
		  : write(fileno(s->out), off, sizeof(off) - 1);
	(void)n;
}

void screen_mouse(const struct screen *s, u32 *row, u32 *column)
{
	*row = s->mouse_row;
	*column = s->mouse_column;
}

/* The next byte of a report, which can arrive late. */
static int report_byte(void)
{
	wint_t c;

	wtimeout(stdscr, ESCAPE_MS);
	if (get_wch(&c) == ERR)
		c = 0;
	nodelay(stdscr, true);
	return (int)c;
}

/* "\033[<BUTTON;COLUMN;ROW" and M for a press, m for a release. */
static s32 mouse_key(struct screen *s)
{
	u32 numbers[3] = { 0 }, n = 0;
	int c;

	while ((c = report_byte()) == ';' || isdigit(c)) {
		if (c == ';')
			n++;
		else if (n < ARRAY_SIZE(numbers) && numbers[n] < 10000)
			numbers[n] = numbers[n] * 10 + (u32)(c - '0');
	}
	s->mouse_column = numbers[1] - 1;
	s->mouse_row = numbers[2] - 1;
	if (c != 'M' || n != 2 || !numbers[1] || !numbers[2])
		return KEY_OTHER;
	switch (numbers[0] & ~MOUSE_MODIFIERS) {
	case 0:
		return KEY_CLICK;
	case 64:
		return KEY_WHEEL_UP;
	case 65:
		return KEY_WHEEL_DOWN;
	default:
		return KEY_OTHER;
	}
}

/* The report of a terminal that does not know the format above: three bytes. */
static s32 skip_old_report(void)
{
	for (int i = 0; i < 3; i++)
		report_byte();
	return KEY_OTHER;
}

static const struct {
	wint_t code;
	s32 key;
} special[] = {
	{ KEY_UP, KEY_ARROW_UP },	{ KEY_DOWN, KEY_ARROW_DOWN }, { KEY_LEFT, KEY_ARROW_LEFT },
	{ KEY_RIGHT, KEY_ARROW_RIGHT }, { KEY_PPAGE, KEY_PAGE_UP },   { KEY_NPAGE, KEY_PAGE_DOWN },
	{ KEY_HOME, KEY_TO_START },	{ KEY_END, KEY_TO_END },      { KEY_BACKSPACE, KEY_ERASE },
	{ KEY_DC, KEY_ERASE },		{ KEY_BTAB, KEY_BACK_TAB },   { KEY_ENTER, KEY_RETURN },
	{ KEY_RESIZE, KEY_RESIZED },
};

s32 screen_key(struct screen *s)
{
	wint_t c;
	int kind = get_wch(&c);

	if (kind == ERR)
		return KEY_NONE;
	if (kind == KEY_CODE_YES && c == KEY_REPORT)
		return mouse_key(s);
	if (kind == KEY_CODE_YES && c == KEY_OLD_REPORT)
		return skip_old_report();
	if (kind == KEY_CODE_YES) {
		for (size_t i = 0; i < ARRAY_SIZE(special); i++)
			if (special[i].code == c)
				return special[i].key;
		return KEY_OTHER;
	}
	if (c == 127 || c == KEY_CTRL('h'))
		return KEY_ERASE;
	return c == '\r' ? KEY_RETURN : (s32)c;
}
