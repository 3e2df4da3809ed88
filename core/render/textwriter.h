/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pieces of what a person reads, for the renderers of text. */
#ifndef RENDER_TEXTWRITER_H
#define RENDER_TEXTWRITER_H

#include "render/framelabel.h"
#include "render/renderer.h"

#define TEXT_INDENT 4

#define COLOR_TASK  "\033[1m"
#define COLOR_VALUE "\033[1;33m"
#define COLOR_FAINT "\033[2m"

extern const char *const text_colors[FRAME_N_KINDS]; /* NULL: none */

/* The text in colour, when there is colour and it has one. */
void text_add_colored(const struct render *out, const char *color, struct view text);

/* A name in what the line has left behind `used` columns; on no terminal, all of it.  `cut` keeps
 * the bytes. */
struct view text_fit(const struct render *out, struct view name, size_t used, struct str *cut);

/* "12:17:49": when the report was made. */
void text_add_clock(struct str *out, const struct report *r);

/* "nginx (1200/1203) cpu 3 /some.slice" */
void text_add_task(struct str *out, const struct stack_task *task);
/* The same of a waker, or "irq:eth0". */
void text_add_waker(struct str *out, const struct report *r, const struct waker_link *link);

/* "15321 us  65.0 %": a row's value, and its share of the report's.  With an error, that too. */
void text_add_value(struct str *out, const struct report *r, const struct stack_row *row, u64 value,
		    const struct render_opts *opts);
/* Of time: "4 waits, mean 2.328 ms, 1 not over". */
void text_add_waits(struct str *out, const struct stack_row *row);

/* What a cut leaves out, said before the rows that are shown: `n` of them with `part` of the
 * `whole`, which is `of`; NULL: of what the run counts. */
struct text_rest {
	size_t n;
	const char *what;
	u64 part, whole;
	const char *of;
};
void text_add_rest(const struct render *out, const struct text_rest *rest);
size_t text_n_shown(const struct render *out, size_t n);

/* "fd = 3, comm = bash", raw; "[other]" */
void text_add_key(struct str *out, const struct dist *d, const struct dist_row *row);

/* A stack as bcc prints it: a line for each frame, leaf first; then whose it is, if that is known.
 */
void text_add_stack(const struct render *out, struct texts *texts, u32 kernel, u32 user,
		    const struct str *who);

/* Parts of it.  The frames, leaf first, with `delimiter` between kernel and user if -d asks for it.
 */
void text_add_indent(const struct render *out);
void text_add_frame(const struct render *out, struct texts *texts, u32 id);
void text_add_frames(const struct render *out, struct texts *texts, const struct stack_frames *f,
		     const char *delimiter);
void text_add_separator(const struct render *out, const char *text);
/* bcc's lines: scripts look for "-", "waker:" or "target:", and the number in parentheses. */
void text_add_who(const struct render *out, const char *role, const struct str *name);

/* Tables of their own (tables.c). */
void text_add_states(struct render *out, const struct report *r);
void text_add_paths(struct render *out, const struct report *r);

/* label_add's name, with its offset if asked for, cleaned: for texts_init(). */
void text_make_name(struct str *out, const struct frame *f, const struct render_opts *opts);

#endif
