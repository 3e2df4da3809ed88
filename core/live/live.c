// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live/live.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "live/live_int.h"

#define KEYS_AT_ONCE   256
/* Adding up and laying out windows takes at most this part (1/N) of the time. */
#define PREPARE_SHARE  100
#define PREPARE_MAX_NS (10 * NS_PER_SEC)
#define WAIT_MS	       1000 /* the cost and the clock are updated */
#define FINISH_MS      5000
#define BEGIN_MS       1000
#define SAID_LINES     12 /* messages that are printed at the end */

/* ---- a line that is typed ---- */

static void add_character(struct str *out, u32 c)
{
	if (c < 0x80) {
		str_addc(out, (char)c);
	} else if (c < 0x800) {
		str_addc(out, (char)(0xc0 | c >> 6));
		str_addc(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		str_addc(out, (char)(0xe0 | c >> 12));
		str_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		str_addc(out, (char)(0x80 | (c & 0x3f)));
	} else {
		str_addc(out, (char)(0xf0 | c >> 18));
		str_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		str_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		str_addc(out, (char)(0x80 | (c & 0x3f)));
	}
}

/* The last character, which may have several bytes. */
static void erase_character(struct str *s)
{
	while (s->n && (s->p[s->n - 1] & 0xc0) == 0x80)
		s->p[--s->n] = '\0';
	if (s->n)
		s->p[--s->n] = '\0';
}

#define PROMPT_MAX 1024

static void type_key(struct live *l, s32 key)
{
	struct str *text = &l->prompt.text;

	if (key == KEY_RETURN) {
		l->prompt.is_open = false;
		l->prompt.done(l, str_text(text));
	} else if (key == KEY_ESCAPE || key == KEY_CTRL('c') || key == KEY_CTRL('g')) {
		l->prompt.is_open = false;
	} else if (key == KEY_ERASE) {
		erase_character(text);
	} else if (key == KEY_CTRL('u')) {
		str_clear(text);
	} else if (key >= ' ' && key < KEY_FIRST_SPECIAL && text->n < PROMPT_MAX) {
		add_character(text, (u32)key);
	}
}

/* ---- keys ---- */

static void search_for(struct live *l, const char *text)
{
	live_set_search(l, text);
	if (text[0] && l->view->find)
		l->view->find(l, true);
}

/* Add the windows that have arrived to the shown reports.  Returns false if there are none. */
static bool commit(struct live *l)
{
	bool has_any = false;

	for (size_t i = 0; i < l->n_sources; i++) {
		if (!source_commit(&l->sources[i]))
			continue;
		has_any = true;
		if (i == l->at)
			live_refresh(l);
	}
	return has_any;
}

static void toggle_pause(struct live *l)
{
	l->is_paused = !l->is_paused;
	if (!l->is_paused)
		commit(l);
}

/* A baseline and a new beginning need a run that goes on, and windows that do not include the
 * earlier ones. */
static bool goes_on(struct live *l)
{
	const struct live_source *s = current_source(l);

	if (source_is_over(s))
		live_notice(l, "Nothing more is measured: there is no later part to show");
	else if (s->is_cumulative)
		live_notice(l, "Each window covers all since the start: there is no later part");
	return !source_is_over(s) && !s->is_cumulative;
}

static void toggle_baseline(struct live *l)
{
	if (!current_source(l)->has_baseline && !goes_on(l))
		return;
	for (size_t i = 0; i < l->n_sources; i++)
		source_toggle_baseline(&l->sources[i]);
	live_notice(l, current_source(l)->has_baseline
			       ? "Orange: more than before, blue: less, grey: may be chance"
			       : "All windows since the start");
	live_refresh(l);
}

static void reset(struct live *l)
{
	if (!goes_on(l))
		return;
	for (size_t i = 0; i < l->n_sources; i++)
		source_reset(&l->sources[i]);
	live_refresh(l);
}

static u32 tab_number(const struct live *l)
{
	const struct live_view *view;
	size_t source;
	u32 i = 0;

	while (live_tab(l, i, &source, &view) && (view != l->view || source != l->at))
		i++;
	return i;
}

static void use_tab(struct live *l, u32 number)
{
	const struct live_view *view;
	size_t source;

	/* The first one follows the last. */
	if (!live_tab(l, number, &source, &view) && !live_tab(l, 0, &source, &view))
		return;
	l->at = source;
	live_use(l, view);
}

static void use_numbered_tab(struct live *l, u32 number)
{
	const struct live_view *view;
	size_t source;

	if (live_tab(l, number, &source, &view))
		use_tab(l, number);
	else
		live_notice(l, "There is no view %u here: Tab shows the next one", number + 1);
}

static void use_previous_tab(struct live *l)
{
	u32 at = tab_number(l), n = 0;
	const struct live_view *view;
	size_t source;

	while (live_tab(l, n, &source, &view))
		n++;
	use_tab(l, at ? at - 1 : n - 1);
}

static void toggle_help(struct live *l)
{
	if (l->view == &help_view) {
		live_use(l, l->before_help);
		return;
	}
	if (!is_page(l->view))
		l->before_help = l->view;
	live_use(l, &help_view);
}

/* Esc and q also leave a page that covers the view. */
static bool leave_page(struct live *l)
{
	if (!is_page(l->view))
		return false;
	live_use(l, l->before_help);
	return true;
}

static void show_all(struct live *l)
{
	if (leave_page(l))
		return;
	if (l->only_pid >= 0 && l->back) {
		l->at = l->back_at;
		live_use(l, l->back);
		l->back = NULL;
		l->is_last = l->back_is_last;
		l->only_pid = -1;
		live_refresh(l);
		return;
	}
	l->only_pid = -1;
	live_set_search(l, NULL);
	if (l->view->key)
		l->view->key(l, KEY_ESCAPE);
	live_refresh(l);
}

static void find(struct live *l, bool is_forward)
{
	if (!l->search)
		live_notice(l, "There is nothing to search for yet: press / first");
	else if (l->view->find)
		l->view->find(l, is_forward);
}

static void common_key(struct live *l, s32 key)
{
	switch (key) {
	case 'q':
		l->is_leaving = !leave_page(l);
		return;
	case KEY_CTRL('c'):
		l->is_leaving = true;
		return;
	case KEY_CTRL('z'):
		screen_suspend(l->screen);
		live_was_continued(); /* that is known */
		return;
	case KEY_CTRL('l'):
		screen_redraw(l->screen);
		return;
	case KEY_TAB:
		use_tab(l, tab_number(l) + 1);
		return;
	case KEY_BACK_TAB:
		use_previous_tab(l);
		return;
	case '/':
		live_ask(l, "/", "", search_for);
		return;
	case 'n':
	case 'N':
		find(l, key == 'n');
		return;
	case ' ':
	case 'p':
		toggle_pause(l);
		return;
	case 'b':
		toggle_baseline(l);
		return;
	case 't':
		l->is_last = !l->is_last;
		live_refresh(l);
		return;
	case 'r':
		reset(l);
		return;
	case 'i':
		l->has_idle = !l->has_idle;
		live_refresh(l);
		return;
	case 'w':
		live_write(l);
		return;
	case 'm':
		l->has_mouse = !l->has_mouse;
		screen_use_mouse(l->screen, l->has_mouse);
		live_notice(l,
			    l->has_mouse ? "The mouse selects" : "The terminal handles the mouse");
		return;
	case '?':
		toggle_help(l);
		return;
	default:
		if (key >= '1' && key <= '9')
			use_numbered_tab(l, (u32)key - '1');
		else if (!live_run_command(l, key) && key < KEY_FIRST_SPECIAL && key > ' ')
			live_notice(l, "No key '%c': ? shows the keys",
				    key < 127 ? (char)key : '?');
	}
}

/* The first view that fits is chosen when there is a report; its kind is not known before. */
static void choose_view(struct live *l)
{
	const struct live_view *view;
	size_t source;

	if (l->view->fits(l, current_source(l)) || is_page(l->view) ||
	    !current_source(l)->n_windows)
		return;
	if (live_tab(l, 0, &source, &view)) {
		l->at = source;
		live_use(l, view);
	}
}

/* New windows are shown less often if that takes long, so that it stays cheap however many stacks
 * and processes there are. */
static bool commit_if_due(struct live *l)
{
	bool is_over = source_is_over(current_source(l));

	return !l->is_paused && (is_over || now_ns() >= l->due_ns) && commit(l);
}

static void prepare(struct live *l)
{
	u64 cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), cost;
	bool has_windows = commit_if_due(l);

	choose_view(l);
	if (l->has_news)
		live_prepare(l);
	/* Keys must not put off the next window. */
	if (!has_windows)
		return;
	cost = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) * PREPARE_SHARE;
	l->due_ns = now_ns() + (cost < PREPARE_MAX_NS ? cost : PREPARE_MAX_NS);
}

static void use_key(struct live *l, s32 key)
{
	if (l->prompt.is_open)
		type_key(l, key);
	else if (key == KEY_ESCAPE)
		show_all(l);
	else if (!l->view->key(l, key))
		common_key(l, key);
}

/* Before the first window, only pages can be shown: it is not known yet which views there will be.
 */
static bool has_view(const struct live *l)
{
	return l->view->fits(l, current_source(l)) || is_page(l->view);
}

/* Keys that need no view; `q` is part of a text if one is typed. */
static bool acts_at_once(const struct live *l, s32 key)
{
	for (size_t i = 0; i < l->early.n && key == 'q'; i++)
		if (l->early.items[i] == '/')
			return false;
	return key == 'q' || key == '?' || key == KEY_CTRL('c') || key == KEY_CTRL('z') ||
	       key == KEY_CTRL('l');
}

static void keep_early(struct live *l, s32 key)
{
	if (l->early.n < KEYS_AT_ONCE)
		vec_push(&l->early, key);
	live_notice(l, "These keys wait for the first window; Ctrl-C leaves");
}

/* Act on the keys that were typed before there was a view. */
static void use_early(struct live *l)
{
	if (!l->early.n || !has_view(l))
		return;
	live_drop_notice(l);
	for (size_t i = 0; i < l->early.n && !l->is_leaving; i++) {
		prepare(l);
		use_key(l, l->early.items[i]);
	}
	l->early.n = 0;
	l->must_draw = true;
}

static void press(struct live *l, s32 key)
{
	live_drop_notice(l);
	l->must_draw = true;
	if (key == KEY_RESIZED) {
		live_refresh(l);
		return;
	}
	prepare(l);
	use_early(l);
	if (has_view(l) || acts_at_once(l, key))
		use_key(l, key);
	else
		keep_early(l, key);
}

static void press_keys(struct live *l)
{
	s32 key;

	for (int i = 0; i < KEYS_AT_ONCE && !l->is_leaving; i++) {
		key = screen_key(l->screen);
		if (key == KEY_NONE)
			return;
		press(l, key);
	}
}

/* ---- the life of a view ---- */

/* The run has something to show, or begins slowly. */
static bool has_begun(const struct live_source *s, u64 until)
{
	if (!s->stream)
		return true;
	return saved_stream_has_begun(s->stream) && (s->n_windows || now_ns() >= until);
}

/* Nothing is drawn before a run has begun: errors up to then are printed as without --live. */
static bool wait_for_begin(struct live_source *sources, size_t n)
{
	u64 until = now_ns() + BEGIN_MS * NS_PER_MS;

	while (!live_is_asked()) {
		bool is_over = false;

		for (size_t i = 0; i < n; i++) {
			struct live_source *s = &sources[i];
			struct pollfd fds[] = { { .fd = s->fd, .events = POLLIN },
						{ .fd = s->messages_fd, .events = POLLIN } };

			if (s->stream) {
				poll(fds, ARRAY_SIZE(fds), 20);
				source_read(s);
			}
			is_over = is_over || (s->stream && source_is_over(s) && !s->n_windows);
			if (!is_over && has_begun(s, until))
				return true;
		}
		if (is_over)
			return false;
	}
	return false;
}

/* Without a window, there is nothing to see: its messages say why. */
static bool has_failed(const struct live *l)
{
	for (size_t i = 0; i < l->n_sources; i++)
		if (source_is_over(&l->sources[i]) && l->sources[i].n_windows)
			return false;
	return source_is_over(&l->sources[0]) && l->sources[0].stream;
}

static void turn(struct live *l)
{
	u64 since = now_ns() - l->shown_ns;
	int ms = !l->must_draw	      ? WAIT_MS
		 : since < l->rest_ns ? (int)((l->rest_ns - since) / NS_PER_MS) + 1
				      : 0;

	live_wait(l, ms);
	if (live_was_continued()) {
		screen_resume(l->screen);
		l->must_draw = true;
	}
	press_keys(l);
	prepare(l);
	use_early(l);
	prepare(l);
	l->is_leaving = l->is_leaving || has_failed(l);
	since = now_ns() - l->shown_ns;
	if ((l->must_draw && since >= l->rest_ns) || since >= WAIT_MS * NS_PER_MS)
		live_draw(l);
}

/* The screen would cover messages of this process, so they join those of the first source.  Returns
 * the old stderr; -1: it stays as it is. */
static int redirect_messages(struct live *l)
{
	int fds[2], old;

	l->messages_fd = -1;
	old = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (old < 0 || pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return old;
	l->messages_fd = fds[0];
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	return old;
}

static void restore_messages(struct live *l, int old)
{
	if (old < 0)
		return;
	dup2(old, STDERR_FILENO);
	close(old);
	if (l->messages_fd >= 0) {
		live_read_messages(l);
		close(l->messages_fd);
	}
}

static void release(struct live *l)
{
	if (l->has_pattern)
		regfree(&l->pattern);
	shown_release(&l->shown);
	flame_state_release(&l->flame);
	vec_release(&l->funcs);
	vec_release(&l->tasks);
	vec_release(&l->order);
	vec_release(&l->early);
	lines_free(&l->lines);
	heat_lines_release(&l->heat);
	str_release(&l->command_output);
	str_release(&l->prompt.text);
	free(l->search);
	free(l->notice);
}

static int show(struct live *l, struct err *err)
{
	int old, ret = screen_open(&l->screen, err);

	if (ret)
		return ret;
	old = redirect_messages(l);
	screen_use_mouse(l->screen, l->has_mouse);
	while (!l->is_leaving && !live_is_asked())
		turn(l);
	screen_close(l->screen);
	restore_messages(l, old);
	return 0;
}

/* The last lines: the ledger, and what went wrong. */
static void say_messages(const struct live_source *s)
{
	const char *text = str_text(&s->messages), *from = text + s->messages.n;
	int n = 0;

	for (; from > text; from--)
		if (from[-1] == '\n' && from < text + s->messages.n && ++n == SAID_LINES)
			break;
	fputs(from, stderr);
}

/* A process that was killed could not say so itself. */
static void say_killed(const struct live_source *s)
{
	if (s->is_reaped && WIFSIGNALED(s->status))
		fprintf(stderr,
			"bperf: %s was killed by signal %d (%s): its last windows are missing\n",
			s->name, WTERMSIG(s->status), strsignal(WTERMSIG(s->status)));
}

static int status_of(const struct live_source *s)
{
	if (!s->pid || !s->is_reaped)
		return 0;
	return WIFEXITED(s->status) ? WEXITSTATUS(s->status) : 128 + WTERMSIG(s->status);
}

/* Explain why a file or a pipe had nothing to show; a process that measures has explained it
 * itself. */
static void check_input(struct live_source *s)
{
	if (s->pid || !s->stream || s->n_windows || !source_is_over(s) || s->failure.code)
		return;
	if (!saved_stream_has_begun(s->stream))
		err_set(&s->failure, ERR_FAIL,
			"%s has there is no record 'meta': this is not a report of bperf", s->name);
	else
		err_set(&s->failure, ERR_FAIL, "%s ended before its first report", s->name);
}

/* The first one that has failed decides the status; all of them say why. */
static int say_ends(const struct live_source *sources, size_t n, int *status, struct err *err)
{
	int ret = 0;

	*status = 0;
	for (size_t i = 0; i < n; i++) {
		const struct live_source *s = &sources[i];

		*status = *status ?: status_of(s);
		if (!i || status_of(s) || s->failure.code)
			say_messages(s);
		say_killed(s);
		if (!ret && s->failure.code) {
			*err = s->failure;
			ret = -err->code;
		}
	}
	return ret;
}

int live_check(struct err *err)
{
	return screen_check(err);
}

int live_run(struct live_source *sources, size_t n_sources, const struct live_opts *opts,
	     int *status, struct err *err)
{
	struct live l = {
		.sources = sources,
		.n_sources = n_sources,
		.opts = opts,
		.view = &flame_view,
		.before_help = &flame_view,
		.only_pid = -1,
		.is_last = opts->shows_last,
		.has_mouse = true,
		.has_news = true,
		.must_draw = true,
	};
	struct err later = { 0 };
	int ended, ret = 0;

	live_catch_signals();
	if (wait_for_begin(sources, n_sources))
		ret = show(&l, err);
	if (!ret)
		check_input(&sources[0]);
	release(&l);
	for (size_t i = 0; i < n_sources; i++)
		if (sources[i].pid)
			kill(sources[i].pid, SIGINT);
	for (size_t i = 0; i < n_sources; i++)
		source_finish(&sources[i], FINISH_MS);
	ended = say_ends(sources, n_sources, status, ret ? &later : err);
	return ret ?: ended;
}
