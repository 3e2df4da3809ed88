// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One-liners of bpftrace: the probe, its predicate, and counts by keys.  Anything else in a block
 * is left to the person, who sees the events. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/shell.h"
#include "cmd/habit.h"

#define IDENTIFIER "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Words that are written differently here. */
static const char *const renamed[][2] = {
	{ "comm", "$comm" },	{ "pid", "$tgid" },    { "tid", "$tid" },
	{ "cpu", "$cpu" },	{ "uid", "$uid" },     { "gid", "$gid" },
	{ "arg0", "arg1" },	{ "arg1", "arg2" },    { "arg2", "arg3" },
	{ "arg3", "arg4" },	{ "arg4", "arg5" },    { "arg5", "arg6" },
	{ "curtask", "$task" }, { "str", "(char *)" }, { "nsecs", "$time" },
	{ "probe", "$probe" },	{ "func", "$func" },   { "cgroup", "$cgroup" },
};

static struct view trimmed(struct view v)
{
	while (v.n && strchr(" \t\n", v.p[0])) {
		v.p++;
		v.n--;
	}
	while (v.n && strchr(" \t\n", v.p[v.n - 1]))
		v.n--;
	return v;
}

static void add_identifier(struct str *out, struct view word)
{
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (view_eq(word, renamed[i][0])) {
			str_adds(out, renamed[i][1]);
			return;
		}
	str_add(out, word.p, word.n);
}

/* An expression: "args->x" and "args.x" are x. */
static void add_expression(struct str *out, struct view v)
{
	while (v.n) {
		size_t n = 0, skip = view_starts(v, "args->") ? 6 : view_starts(v, "args.") ? 5 : 0;

		v.p += skip;
		v.n -= skip;
		if (v.n && v.p[0] == '"') {
			const char *end = memchr(v.p + 1, '"', v.n - 1);

			n = end ? (size_t)(end + 1 - v.p) : v.n;
			str_add(out, v.p, n);
			v.p += n;
			v.n -= n;
			continue;
		}
		while (n < v.n && strchr(IDENTIFIER, v.p[n]))
			n++;
		if (n)
			add_identifier(out, (struct view){ v.p, n });
		else if (v.n)
			str_addc(out, v.p[0]);
		n += !n && v.n;
		v.p += n;
		v.n -= n;
	}
}

#define TIMER "profile:hz:" /* samples on each CPU */

/* "probe,probe /predicate/ { block }" */
struct clause {
	struct view site, predicate, block;
};

/* The bytes of the site, which a blank ends, or the slash of a predicate: one after the last colon.
 */
static size_t site_bytes(struct view head)
{
	size_t n = 0, colon;

	while (n < head.n && !strchr(" \t\n", head.p[n]))
		n++;
	for (colon = n; colon && head.p[colon - 1] != ':'; colon--)
		;
	if (colon && head.p[head.n - 1] == '/')
		while (colon < n && head.p[colon] != '/')
			colon++;
	else
		colon = n;
	return colon;
}

static bool take_clause(const char *text, struct clause *c)
{
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
	struct view head =
		trimmed((struct view){ text, open ? (size_t)(open - text) : strlen(text) });

	*c = (struct clause){ .site = { head.p, site_bytes(head) } };
	c->predicate = trimmed((struct view){ head.p + c->site.n, head.n - c->site.n });
	if (c->predicate.n > 1 && c->predicate.p[0] == '/' &&
	    c->predicate.p[c->predicate.n - 1] == '/')
		c->predicate = trimmed((struct view){ c->predicate.p + 1, c->predicate.n - 2 });
	else
		c->predicate.n = 0;
	if (close)
		c->block = trimmed((struct view){ open + 1, (size_t)(close - open - 1) });
	return memchr(c->site.p, ':', c->site.n) && !view_starts(c->site, "interval:");
}

/* "@name[keys] = count();": the keys, which may be none. */
static bool counts_by(struct view block, struct view *keys)
{
	const char *open, *close;

	*keys = (struct view){ block.p, 0 };
	if (!block.n || block.p[0] != '@' || !memmem(block.p, block.n, "count()", 7))
		return false;
	open = memchr(block.p, '[', block.n);
	close = memchr(block.p, ']', block.n);
	if (open && close && open < close)
		*keys = trimmed((struct view){ open + 1, (size_t)(close - open - 1) });
	return true;
}

static void put_site(const struct clause *c, struct view site, struct str *line)
{
	_cleanup_(str_release) struct str spec = { 0 };

	if (view_starts(site, TIMER)) {
		str_adds(&spec, "e:cpu-clock@");
		site = (struct view){ site.p + strlen(TIMER), site.n - strlen(TIMER) };
	}
	str_add(&spec, site.p, site.n);
	if (c->predicate.n) {
		str_adds(&spec, " (");
		add_expression(&spec, c->predicate);
		str_addc(&spec, ')');
	}
	str_addc(line, ' ');
	shell_add_word(line, str_text(&spec));
}

static void put_clause(const struct clause *c, struct str *line)
{
	_cleanup_(str_release) struct str by = { 0 };
	struct view keys, sites = c->site, site;
	bool counts = counts_by(c->block, &keys);
	bool is_stack = counts && (view_starts(keys, "kstack") || view_starts(keys, "ustack"));

	if (is_stack && view_starts(sites, TIMER) && !c->predicate.n &&
	    !memchr(sites.p, ',', sites.n)) {
		str_add(&by, sites.p + strlen(TIMER), sites.n - strlen(TIMER));
		str_adds(line, "profile -F ");
		shell_add_word(line, str_text(&by));
		return;
	}
	str_adds(line, is_stack ? "stackcount" : counts ? "funccount" : "trace");
	while (view_split(&sites, ',', &site))
		put_site(c, site, line);
	if (!keys.n || is_stack)
		return;
	add_expression(&by, keys);
	str_adds(line, " --by ");
	shell_add_word(line, str_text(&by));
}

void habit_bpftrace(char *const *words, struct str *line)
{
	const char *text = NULL, *pid = NULL, *command = NULL;
	struct clause c;

	for (; *words; words++) {
		const char **to = !strcmp(*words, "-e")	  ? &text
				  : !strcmp(*words, "-p") ? &pid
				  : !strcmp(*words, "-c") ? &command
							  : NULL;

		if (!strcmp(*words, "-l")) {
			str_adds(line, "list");
			shell_add_words(line, words + 1);
			return;
		}
		if (to && words[1])
			*to = *++words;
	}
	if (!text || !take_clause(text, &c))
		return;
	put_clause(&c, line);
	if (pid) {
		str_adds(line, " -p ");
		shell_add_word(line, pid);
	}
	/* bpftrace splits it at blanks. */
	if (command) {
		struct view rest = view_of(command), word;

		str_adds(line, " --");
		while (view_split(&rest, ' ', &word)) {
			_cleanup_(free_p) char *copy = mem_strndup(word.p, word.n);

			if (!word.n)
				continue;
			str_addc(line, ' ');
			shell_add_word(line, copy);
		}
	}
}
