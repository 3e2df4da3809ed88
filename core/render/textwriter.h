/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Building blocks of the text renderers. */
#ifndef RENDER_TEXTWRITER_H
#define RENDER_TEXTWRITER_H

#include "render/framelabel.h"
#include "render/renderer.h"
#include "render/units.h"

#define TEXT_INDENT 4

#define COLOR_TASK  "\033[1m"
#define COLOR_VALUE "\033[1;33m"
#define COLOR_FAINT "\033[2m"

extern const char *const text_colors[FRAME_N_KINDS]; /* NULL: none */

/* Add the text, in color if color is on and `color` is not NULL. */
void text_add_colored(const struct render *out, const char *color, struct view text);

/* Shorten a name to the columns that the line has left after `used`; without a terminal, keep all
 * of it.  `cut` owns the bytes. */
struct view text_fit(const struct render *out, struct view name, size_t used, struct str *cut);

/* "12:17:49": the time of the report. */
void text_add_clock(struct str *out, const struct report *r);

/* "nginx (1200/1203) cpu 3 /some.slice" */
void text_add_task(struct str *out, const struct stack_task *task);
/* The same for a waker, or "irq:eth0". */
void text_add_waker(struct str *out, const struct report *r, const struct waker_link *link);

/* "15.321 ms  65.0 %": the value of a row and its share of the report, with the error if there is
 * one. */
void text_add_value(struct str *out, const struct report *r, const struct stack_row *row, u64 value,
		    const struct render_opts *opts);
/* For times: "4 waits, mean 2.328 ms, 1 not over", in the unit of the row's value. */
void text_add_waits(struct str *out, const struct stack_row *row, struct unit_info unit);

/* The line that is printed before the rows, about those that --top leaves out: `n` rows with `part`
 * of the `whole`, which is named `of`; NULL: the run's value. */
struct text_rest {
	size_t n;
	const char *what;
	u64 part, whole;
	const char *of;
};
void text_add_rest(const struct render *out, const struct text_rest *rest);
/* Print the waits that lasted through the whole window as one row in the form of the others, if
 * they are reported separately. */
void text_add_whole(const struct render *out, const struct report *r);
size_t text_n_shown(const struct render *out, size_t n);

/* Add "fd = 3, comm = bash" as raw bytes, or "[other]". */
void text_add_key(struct str *out, const struct dist *d, const struct dist_row *row);

/* Print a stack as in bcc: a line for each frame, leaf first, then the task if it is known. */
void text_add_stack(const struct render *out, struct texts *texts, u32 kernel, u32 user,
		    const struct str *who);

/* The same with its wakers, in the shape of the run, without the value. */
void text_add_shape(const struct render *out, struct texts *texts, const struct stack_row *row);

/* Parts of text_add_stack: frames, leaf first, with `delimiter` between kernel and user part if -d
 * was given. */
void text_add_indent(const struct render *out);
void text_add_frame(const struct render *out, struct texts *texts, u32 id);
void text_add_frames(const struct render *out, struct texts *texts, const struct stack_frames *f,
		     const char *delimiter);
void text_add_separator(const struct render *out, const char *text);
/* bcc's lines: scripts search for "-", "waker:" or "target:", and the number in parentheses. */
void text_add_who(const struct render *out, const char *role, const struct str *name);

/* states.c, paths.c */
void text_add_states(struct render *out, const struct report *r);
void text_add_paths(struct render *out, const struct report *r);

/* The name from label_add, with its offset if requested, sanitized; for texts_init(). */
void text_make_name(struct str *out, const struct frame *f, const struct render_opts *opts);

#endif
