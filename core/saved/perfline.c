// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "saved/perfline.h"

#include <ctype.h>

#include "base/num.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static struct view trim(struct view v)
{
	while (v.n && is_space(v.p[0]))
		v.p++, v.n--;
	while (v.n && is_space(v.p[v.n - 1]))
		v.n--;
	return v;
}

/* Remove the first word. */
static struct view take_word(struct view *rest)
{
	struct view word;

	*rest = trim(*rest);
	word = (struct view){ rest->p, 0 };
	while (word.n < rest->n && !is_space(rest->p[word.n]))
		word.n++;
	rest->p += word.n;
	rest->n -= word.n;
	return word;
}

/* Remove the last word. */
static struct view take_last(struct view *rest)
{
	size_t n, end;

	*rest = trim(*rest);
	end = n = rest->n;
	while (n && !is_space(rest->p[n - 1]))
		n--;
	rest->n = n;
	return (struct view){ rest->p + n, end - n };
}

/* "1234.567890:" in nanoseconds. */
static bool parse_time(struct view word, u64 *ns)
{
	struct view seconds, rest;
	const char *dot = word.n ? memchr(word.p, '.', word.n) : NULL;
	u64 s, fraction;

	if (!dot || word.p[word.n - 1] != ':')
		return false;
	seconds = (struct view){ word.p, (size_t)(dot - word.p) };
	rest = (struct view){ dot + 1, word.n - seconds.n - 2 };
	if (rest.n < 3 || rest.n > 9 || !num_parse_dec(seconds, &s) ||
	    !num_parse_dec(rest, &fraction) || s > UINT64_MAX / NS_PER_SEC - 1)
		return false;
	for (size_t i = rest.n; i < 9; i++)
		fraction *= 10;
	*ns = s * NS_PER_SEC + fraction;
	return true;
}

static bool parse_id(struct view text, s64 *out)
{
	u64 v;

	if (!num_parse_dec(text, &v) || v > INT32_MAX)
		return false;
	*out = (s64)v;
	return true;
}

/* "123/456", or only the thread's; perf prints -1 if there is none. */
static bool parse_ids(struct view word, struct perf_sample *out)
{
	const char *slash = word.n ? memchr(word.p, '/', word.n) : NULL;
	struct view pid = { word.p, slash ? (size_t)(slash - word.p) : 0 };
	struct view tid;

	if (!slash)
		return view_eq(word, "-1") || parse_id(word, &out->tid);
	tid = (struct view){ slash + 1, word.n - pid.n - 1 };
	return (view_eq(pid, "-1") || parse_id(pid, &out->pid)) &&
	       (view_eq(tid, "-1") || parse_id(tid, &out->tid));
}

/* Parse the text before the time: the name of the thread, with any characters, its ids, the CPU. */
static bool parse_task(struct view head, struct perf_sample *out)
{
	struct view word = take_last(&head);

	out->pid = out->tid = out->cpu = -1;
	if (word.n > 2 && word.p[0] == '[' && word.p[word.n - 1] == ']') {
		if (!parse_id((struct view){ word.p + 1, word.n - 2 }, &out->cpu))
			return false;
		word = take_last(&head);
	}
	out->comm = trim(head);
	return parse_ids(word, out) && out->comm.n;
}

static bool parse_event(struct view rest, struct perf_sample *out)
{
	struct view word = take_word(&rest);

	out->period = 0;
	if (num_parse_dec(word, &out->period))
		word = take_word(&rest);
	if (word.n < 2 || word.p[word.n - 1] != ':')
		return false;
	out->event = (struct view){ word.p, word.n - 1 };
	out->rest = trim(rest);
	return true;
}

bool perf_line_is_sample(struct view line, struct perf_sample *out)
{
	struct view rest = line, word;

	*out = (struct perf_sample){ 0 };
	for (word = take_word(&rest); word.n; word = take_word(&rest)) {
		const struct view head = { line.p, (size_t)(word.p - line.p) };

		if (parse_time(word, &out->time_ns) && parse_task(head, out))
			return parse_event(rest, out);
	}
	return false;
}

/* Remove the last (...), which can contain other parentheses.  *module is its text; *line, the text
 * before it. */
static bool take_module(struct view *line, struct view *module)
{
	size_t at = line->n, depth = 0;

	if (!line->n || line->p[line->n - 1] != ')')
		return false;
	while (at) {
		char c = line->p[--at];

		depth += c == ')';
		depth -= c == '(';
		if (!depth)
			break;
	}
	if (depth || !at || !is_space(line->p[at - 1]))
		return false;
	*module = (struct view){ line->p + at + 1, line->n - at - 2 };
	line->n = at;
	return true;
}

/* Remove "+0x12" from the end. */
static void take_offset(struct view *symbol, struct perf_frame *out)
{
	for (size_t i = symbol->n; i >= 3; i--) {
		const char *at = symbol->p + i - 3;
		const struct view digits = { at + 3, symbol->n - i };

		if (memcmp(at, "+0x", 3) != 0)
			continue;
		out->has_off = num_parse_hex(digits, &out->off);
		if (out->has_off)
			symbol->n = i - 3;
		return;
	}
}

bool perf_line_is_frame(struct view line, struct perf_frame *out)
{
	struct view rest = trim(line), addr = take_word(&rest);

	*out = (struct perf_frame){ 0 };
	if (addr.n > 18 || !num_parse_hex(addr, &out->addr))
		return false;
	rest = trim(rest);
	take_module(&rest, &out->module);
	out->symbol = trim(rest);
	take_offset(&out->symbol, out);
	if (view_eq(out->symbol, "[unknown]"))
		out->symbol.n = 0;
	return out->symbol.n || out->module.n;
}
