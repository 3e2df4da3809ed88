// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sort the words of another tool's command: events, filters, files, the program to run.  Its row
 * tells which letters take an argument, so that the program is found, and what they are called
 * here; other options have no counterpart, and are left out. */
#include <string.h>

#include "base/shell.h"
#include "translate/translate_int.h"

/* Long names with an argument; '-' is left out. */
static const struct {
	const char *name;
	char letter;
} long_names[] = {
	{ "event", 'e' },	 { "pid", 'p' },	{ "tid", 't' },
	{ "cpu", 'C' },		 { "freq", 'F' },	{ "output", 'o' },
	{ "count", 'c' },	 { "call-graph", '-' }, { "delay", 'D' },
	{ "repeat", 'r' },	 { "uid", 'u' },	{ "input", 'i' },
	{ "exec", 'x' },	 { "add", 'a' },	{ "trace", 'e' },
	{ "attach", 'p' },	 { "filter", '-' },	{ "duration", '-' },
	{ "max-stack", '-' },	 { "max-events", '-' }, { "mmap-pages", '-' },
	{ "cgroup", '-' },	 { "user-regs", '-' },	{ "interval-print", '-' },
	{ "string-limit", '-' },
};

/* The names in -e of strace: "trace=" is implied; the other qualifiers ("signal=none") do not
 * select calls. */
static void take_events(struct foreign *f, const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz-");

	if (text[n] != '=')
		vec_push(&f->events, text);
	else if (n == strlen("trace") && !memcmp(text, "trace", n) && text[n + 1])
		vec_push(&f->events, text + n + 1);
}

static void take_option(const struct foreign_command *c, struct foreign *f, char letter,
			const char *text)
{
	if (letter == 'e')
		take_events(f, text);
	if (letter == 'o' || letter == 'x' || letter == 'i') /* the file */
		f->output = text;
	if (letter == 'F')
		f->frequency = text;
	if (letter == 'a')
		f->probe = text;
	for (size_t i = 0; i < ARRAY_SIZE(c->same) && c->same[i].letter; i++) {
		if (c->same[i].letter != letter)
			continue;
		f->has_task |= letter == 'p' || letter == 't';
		f->all |= letter == 'C' || letter == 'u';
		str_addf(&f->filters, " %s", c->same[i].here);
		str_addc(&f->filters, ' ');
		shell_add_word(&f->filters, text);
	}
}

/* Flags of strace that change its lines.  `here` NULL: there is no counterpart, and the hint says
 * so. */
static const struct letter strace_flags[] = {
	{ 't', "-T" }, { 'r', "-t" }, { 'k', "-U" }, { 'T', NULL }, { 'y', NULL }
};

/* Once, although strace -tt says it twice. */
static void take_flag(const struct foreign_command *c, struct foreign *f, char letter)
{
	for (size_t i = 0; !strcmp(c->name, "strace") && i < ARRAY_SIZE(strace_flags); i++) {
		const char *here = strace_flags[i].here;
		const char word[] = { '-', letter, '\0' };
		struct str *to = here ? &f->filters : &f->lost;

		if (strace_flags[i].letter == letter && !strstr(str_text(to), here ? here : word))
			str_addf(to, " %s", here ? here : word);
	}
}

/* The words that "-xyz" or "--name" takes: 1, or 2 with its argument. */
static size_t take_letters(const struct foreign_command *c, struct foreign *f, char *const *words)
{
	for (const char *at = words[0] + 1; *at; at++) {
		if (strchr(c->takes, *at)) {
			const char *text = at[1] ? at + 1 : words[1];

			if (text)
				take_option(c, f, *at, text);
			return at[1] || !text ? 1 : 2;
		}
		f->all |= *at == 'a';
		f->counts |= *at == 'c';
		f->follows |= *at == 'f';
		take_flag(c, f, *at);
	}
	return 1;
}

static size_t take_name(const struct foreign_command *c, struct foreign *f, char *const *words)
{
	const char *name = words[0] + 2;
	size_t n = strcspn(name, "=");

	f->all |= !strcmp(name, "all-cpus");
	f->counts |= !strcmp(name, "summary-only");
	f->follows |= !strcmp(name, "follow-forks");
	for (size_t i = 0; i < ARRAY_SIZE(long_names); i++) {
		const char *text = name[n] ? name + n + 1 : words[1];

		if (strlen(long_names[i].name) != n || memcmp(long_names[i].name, name, n) != 0)
			continue;
		if (text)
			take_option(c, f, long_names[i].letter, text);
		return name[n] || !text ? 1 : 2;
	}
	return 1;
}

/* All of these tools end their options at the first word that is not an option. */
void foreign_read(const struct foreign_command *c, struct foreign *f, char *const *words)
{
	while (*words) {
		if (!strcmp(*words, "--")) {
			words++;
			break;
		}
		if ((*words)[0] != '-' || !(*words)[1])
			break;
		words += (*words)[1] == '-' ? take_name(c, f, words) : take_letters(c, f, words);
	}
	f->program = *words ? words : NULL;
}

void foreign_release(struct foreign *f)
{
	str_release(&f->filters);
	str_release(&f->lost);
	vec_release(&f->events);
}
