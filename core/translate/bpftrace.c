// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One-liners of bpftrace: the probe, its predicate, and counts, histograms and statistics by keys.
 * Anything else in a block is left to the person, who sees the events. */
#include <string.h>

#include "base/cleanup.h"
#include "base/shell.h"
#include "translate/translate_int.h"

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

/* The length of the site.  It ends at a blank, or at the slash that begins a predicate: the first
 * one after the last colon. */
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

enum action_kind {
	ACTION_TRACE, /* anything else */
	ACTION_COUNT,
	ACTION_HISTOGRAM,
	ACTION_LINEAR,
	ACTION_STATISTICS,
};

/* "@name[keys] = function(value, scale);" */
struct action {
	enum action_kind kind;
	struct view keys, value, scale; /* n == 0: none */
};

static const struct {
	const char *name;
	enum action_kind kind;
} functions[] = {
	{ "count", ACTION_COUNT },    { "hist", ACTION_HISTOGRAM }, { "lhist", ACTION_LINEAR },
	{ "sum", ACTION_STATISTICS }, { "avg", ACTION_STATISTICS }, { "stats", ACTION_STATISTICS },
	{ "min", ACTION_STATISTICS }, { "max", ACTION_STATISTICS },
};

/* The bytes before `end`, outside of brackets; all if there is none. */
static size_t bytes_before(struct view v, char end)
{
	u32 depth = 0;

	for (size_t i = 0; i < v.n; i++) {
		if (!depth && v.p[i] == end)
			return i;
		if (strchr("([", v.p[i]))
			depth++;
		else if (strchr(")]", v.p[i]) && depth)
			depth--;
	}
	return v.n;
}

static struct view after(struct view v, size_t n)
{
	return n < v.n ? (struct view){ v.p + n + 1, v.n - n - 1 } : (struct view){ v.p + v.n, 0 };
}

static struct action take_action(struct view block)
{
	size_t equals = bytes_before(block, '=');
	struct view target = { block.p, equals }, call = trimmed(after(block, equals));
	size_t open = bytes_before(target, '['), name = bytes_before(call, '(');
	struct view args = after(call, name), function = trimmed((struct view){ call.p, name });
	struct action a = { .keys = after(target, open) };

	if (!block.n || block.p[0] != '@')
		return (struct action){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (view_eq(function, functions[i].name))
			a.kind = functions[i].kind;
	a.keys = trimmed((struct view){ a.keys.p, bytes_before(a.keys, ']') });
	args.n = bytes_before(args, ')');
	a.value = trimmed((struct view){ args.p, bytes_before(args, ',') });
	a.scale = trimmed(after(args, bytes_before(args, ',')));
	if (a.kind > ACTION_COUNT && !a.value.n)
		a.kind = ACTION_TRACE;
	return a;
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

/* "nsecs - @start[tid]" at a return. */
static bool is_latency(struct view value)
{
	return view_starts(value, "nsecs") && memchr(value.p, '@', value.n);
}

/* argdist's "SITE():u64:VALUE:PREDICATE". */
static void put_measured(const struct clause *c, const struct action *a, struct view site,
			 struct str *line)
{
	_cleanup_(str_release) struct str spec = { 0 };

	str_add(&spec, site.p, site.n);
	str_adds(&spec, "():u64:");
	if (is_latency(a->value)) {
		str_adds(&spec, "$latency");
	} else {
		add_expression(&spec, a->value);
		if (c->predicate.n)
			str_addc(&spec, ':');
		add_expression(&spec, c->predicate);
	}
	str_adds(line, a->kind == ACTION_STATISTICS ? " -S " : " -H ");
	shell_add_word(line, str_text(&spec));
}

static void put_scale(struct view scale, struct str *line)
{
	_cleanup_(str_release) struct str words = { 0 };
	struct view part;

	while (view_split(&scale, ',', &part)) {
		part = trimmed(part);
		if (words.n)
			str_addc(&words, ',');
		str_add(&words, part.p, part.n);
	}
	str_adds(line, " --linear ");
	shell_add_word(line, str_text(&words));
}

static void put_clause(const struct clause *c, const struct action *a, struct str *line)
{
	_cleanup_(str_release) struct str by = { 0 };
	struct view sites = c->site, site;
	bool is_stack = a->kind == ACTION_COUNT &&
			(view_starts(a->keys, "kstack") || view_starts(a->keys, "ustack"));
	bool is_measured = a->kind > ACTION_COUNT && !view_starts(sites, TIMER);

	if (is_stack && view_starts(sites, TIMER) && !c->predicate.n &&
	    !memchr(sites.p, ',', sites.n)) {
		str_add(&by, sites.p + strlen(TIMER), sites.n - strlen(TIMER));
		str_adds(line, "profile -F ");
		shell_add_word(line, str_text(&by));
		return;
	}
	str_adds(line, is_stack			 ? "stackcount"
		       : is_measured		 ? "argdist"
		       : a->kind == ACTION_COUNT ? "funccount"
						 : "trace");
	while (view_split(&sites, ',', &site))
		if (is_measured)
			put_measured(c, a, site, line);
		else
			put_site(c, site, line);
	if (is_measured && a->kind == ACTION_LINEAR)
		put_scale(a->scale, line);
	if (!a->keys.n || is_stack || (!is_measured && a->kind != ACTION_COUNT))
		return;
	add_expression(&by, a->keys);
	str_adds(line, " --by ");
	shell_add_word(line, str_text(&by));
}

/* The first clause; or the second if it measures the time since the first. */
static bool take_script(const char *text, struct clause *c, struct action *a)
{
	const char *second = strchr(text, '}');
	struct clause end;
	struct action measured;

	if (!take_clause(text, c))
		return false;
	*a = take_action(c->block);
	if (a->kind != ACTION_TRACE || !second || !take_clause(second + 1, &end))
		return true;
	measured = take_action(end.block);
	if (measured.kind > ACTION_COUNT && is_latency(measured.value)) {
		*c = end;
		*a = measured;
	}
	return true;
}

void translate_bpftrace(char *const *words, struct str *line)
{
	const char *text = NULL, *pid = NULL, *command = NULL;
	struct clause c;
	struct action action;

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
	if (!text || !take_script(text, &c, &action))
		return;
	put_clause(&c, &action, line);
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
