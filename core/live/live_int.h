/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the parts of the live view: its state, and the interface of a view. */
#ifndef LIVE_LIVE_INT_H
#define LIVE_LIVE_INT_H

#include <regex.h>

#include "live/list.h"
#include "live/live.h"
#include "live/screen.h"
#include "model/diff.h"
#include "render/flame.h"
#include "render/render.h"

struct live;

/* Rows of the screen that belong to a view. */
struct area {
	u32 row, rows, columns;
};

struct live_view {
	const char *name; /* "flame graph" */
	/* Can it show the source's reports? */
	bool (*fits)(const struct live *l, const struct live_source *s);
	/* Called when something else is to be shown. */
	void (*prepare)(struct live *l);
	void (*draw)(struct live *l, struct area area);
	/* true: it has used the key. */
	bool (*key)(struct live *l, s32 key);
	/* A line about what is selected, for the row below.  Optional. */
	void (*describe)(struct live *l, struct str *out);
	/* The text in which `/` searches changed; NULL: none.  Optional. */
	void (*search)(struct live *l);
	/* Select the next match, or the previous one.  Optional. */
	void (*find)(struct live *l, bool is_forward);
	/* The process that is selected; 0: none.  Optional. */
	u32 (*pid)(const struct live *l);
};

extern const struct live_view flame_view, function_view, task_view, state_view, count_view,
	dist_view, heat_view, message_view, help_view, output_view;

/* ---- the shown part of a source's reports (shown.c) ---- */

struct shown {
	struct report report; /* its stacks are owned, the rest is borrowed */
	struct report before; /* the same of the baseline, if there is one */
	struct diff diff;
	bool has_diff;
	u64 hidden; /* value of the waits through whole windows that are not in `report` */
	const struct report *drawn; /* `report`, or the report of the difference */
};

void shown_make(struct live *l);
/* The source's tables have moved, as they do with each record that is read. */
void shown_point(struct live *l);
void shown_release(struct shown *s);

/* ---- the flame graph (flameview.c) ---- */

struct box_path {
	VEC(char *) names; /* from below the root box on */
};

struct flame_state {
	struct flame flame;
	VEC(const char *) names; /* names of the boxes, in `texts` */
	VEC(size_t) levels;	 /* the first box of each depth, and the end */
	VEC(size_t) parents;
	VEC(bool) is_match;
	struct str texts;
	struct box_path selected, zoomed;
	VEC(struct box_path) history; /* earlier zooms */
	size_t at, zoom;	      /* boxes of the two paths */
	u32 top;		      /* depth of the first row */
	u64 matched;		      /* value of the matches */
	struct area area;	      /* where it was drawn last */
};

void flame_state_release(struct flame_state *f);

/* ---- tables ---- */

struct func_line {
	u32 frame;
	u64 self, total;
	double self_by, total_by; /* differences, in points */
	bool is_change;
};

struct task_line {
	u32 task;
	u64 value;
};

struct line_texts {
	VEC(char *) v; /* one per line */
};

/* ---- the heat map (heatview.c) ---- */

struct heat_line {
	char *text;   /* without its cells */
	bool is_name; /* it names a histogram */
	u8 *levels;   /* its cells; NULL: there are none */
	u32 n_levels;
};

struct heat_lines {
	VEC(struct heat_line) v;
};

void heat_lines_release(struct heat_lines *h);

struct live {
	struct screen *screen;
	struct live_source *sources;
	size_t n_sources, at; /* the source that is shown */
	const struct live_opts *opts;
	const struct live_view *view, *before_help;
	struct shown shown;

	bool has_idle; /* also show processes and waits that are idle */
	bool is_paused, is_last, is_leaving, has_mouse;
	bool has_news, must_draw; /* shown data has changed, or only its look */
	/* The view from which the process was chosen, for the way back; NULL: none. */
	const struct live_view *back;
	size_t back_at;
	bool back_is_last;
	u32 selected_task; /* process selected in the table of states */
	s64 only_pid;	   /* only this process; -1: all */
	const char *only_name;
	char *search; /* NULL: none */
	regex_t pattern;
	bool has_pattern;
	char *notice; /* a line for the person, until the next key; NULL: none */

	/* The line that is being typed. */
	struct {
		bool is_open;
		const char *label;
		struct str text;
		void (*done)(struct live *l, const char *text);
	} prompt;

	struct flame_state flame;
	VEC(struct func_line) funcs;
	VEC(struct task_line) tasks;
	VEC(u32) order;		 /* order of states or counts */
	struct line_texts lines; /* lines of the text views */
	struct heat_lines heat;
	struct str command_output;
	struct list list; /* rows of the view that is shown */
	VEC(s32) early;	  /* keys that were typed before there was a view */
	struct area area; /* where it was drawn last */
	u32 sort;	  /* column by which tables are sorted */

	int messages_fd; /* read end of a pipe that receives this process's stderr */
	u64 shown_ns;	 /* when the screen was drawn last */
	u64 rest_ns;	 /* how long the screen then stays unchanged */
	u64 due_ns;	 /* when new windows may be added to what is shown */
	u64 cpu_ns, cpu_at_ns;
	double cpu_percent; /* share of one CPU that this process and those that measure use */
};

/* The source that is shown, and its run. */
static inline struct live_source *current_source(const struct live *l)
{
	return &l->sources[l->at];
}

/* It lies over another view. */
static inline bool is_page(const struct live_view *view)
{
	return view == &help_view || view == &output_view;
}

/* ---- model.c ---- */

/* A line for the person, until the next key. */
void live_notice(struct live *l, const char *fmt, ...) PRINTF(2, 3);
void live_drop_notice(struct live *l);
/* Let the person type a line, which begins with `start`; done() gets it. */
void live_ask(struct live *l, const char *label, const char *start,
	      void (*done)(struct live *l, const char *text));
/* Show another view, from its start. */
void live_use(struct live *l, const struct live_view *view);
/* Make what is shown: it borrows rows from the sources' sums. */
void live_prepare(struct live *l);
/* Call it before one process of the view is shown in another one: Esc then leads back. */
void live_remember(struct live *l);
/* Something that decides what is shown has changed. */
void live_refresh(struct live *l);

/* Does the text match the search? */
bool live_matches(const struct live *l, const char *text);
void live_set_search(struct live *l, const char *text);
/* Search for this name as it is, and as a whole. */
void live_search_name(struct live *l, const char *name);

/* Remove the first row, of at most `columns` columns, from a line, and return it.  Rows end at a
 * blank if there is one. */
struct view live_take_row(struct view *rest, u32 columns);
/* Add a name to a line of which `used` columns have another use; it gets a few in any case. */
void live_add_fitting(const struct live *l, struct str *out, const char *name, size_t used);

/* Style of a row of a table: its list's selected row is in reverse. */
struct style row_style(const struct live *l, size_t row);

/* The first row of an area, above a table. */
void table_heading(struct live *l, struct area area, const struct str *text);
/* Select the next row whose name matches the search, or the previous one. */
void table_find(struct live *l, bool is_forward,
		void (*name)(const struct live *l, size_t row, struct str *out));
void lines_set(struct line_texts *t, const char *text);
void lines_free(struct line_texts *t);
/* Keys of views that are a table below a heading: its list, and clicks.  false: another key. */
bool table_key(struct live *l, s32 key);
/* Keys of views that are lines of text, none of which can be selected. */
bool lines_key(struct live *l, s32 key);

/* write.c: ask for a file, and write what is shown to it. */
void live_write(struct live *l);
/* A command that a key runs for the selected process. */
struct live_command {
	char key;
	const char *what;	  /* "the chains of its wakers", for the help */
	const char *const *words; /* after "bperf"; "PID" stands for the process; ends with NULL */
	bool is_text;		  /* its output is shown as lines; else it gets the terminal */
};

/* keys.c: ends with a key of 0; used if opts->has_commands. */
extern const struct live_command live_commands[];

/* command.c: run one of live_commands for the selected process.  false: the key is none of them.
 */
bool live_run_command(struct live *l, s32 key);

/* status.c: the lines around a view. */
void live_draw(struct live *l);
/* The views that fit, in order: false: there are fewer. */
bool live_tab(const struct live *l, u32 number, size_t *source, const struct live_view **view);

/* events.c: signals are noted from now on. */
void live_catch_signals(void);
/* A signal has asked the process to end. */
bool live_is_asked(void);
/* True if the process was stopped and continued since the last call. */
bool live_was_continued(void);
/* Wait for data of the sources or for a key, for at most `ms`, and read the data. */
void live_wait(struct live *l, int ms);
/* Add what this process has printed on stderr to the messages of the first source. */
void live_read_messages(struct live *l);

#endif
