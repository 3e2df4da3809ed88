// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands of perf, strace, ltrace and bpftrace, answered with the line of bperf that does the
 * same.  Each row tells which letters take an argument, so that the program to run is found, and
 * what they are called here; other options have no counterpart, and are left out.
 */
#include "cmd/habit.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/shell.h"
#include "cmd/command.h"
#include "site/callclass.h"

#define DURATION "10" /* seconds, where nothing says when to end */

/* The parts of the other tool's command line. */
struct asked {
	struct str filters; /* options that are the same here, with a blank before each */
	VEC(const char *) events;
	const char *output, *frequency, *probe; /* NULL: none */
	struct str lost;			/* letters without a counterpart: " -y" */
	bool all, has_task, counts, follows; /* -a or another filter; -p or -t; strace -c and -f */
	char *const *program;		     /* NULL: none */
};

struct letter {
	char letter;
	const char *here; /* the option of bperf; NULL: left out */
};

struct habit {
	const char *name;
	const char *takes; /* letters with an argument */
	struct letter same[6];
	void (*put)(const struct asked *a, struct str *line);
};

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

static void release_asked(struct asked *a)
{
	str_release(&a->filters);
	str_release(&a->lost);
	vec_release(&a->events);
}

static void put_word(struct str *line, const char *word)
{
	str_addc(line, ' ');
	shell_add_word(line, word);
}

/* ---- the other tool's words ---------------------------------------------------------------- */

/* The names in -e of strace: "trace=" is implied; the other qualifiers ("signal=none") do not
 * select calls. */
static void take_events(struct asked *a, const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz-");

	if (text[n] != '=')
		vec_push(&a->events, text);
	else if (n == strlen("trace") && !memcmp(text, "trace", n) && text[n + 1])
		vec_push(&a->events, text + n + 1);
}

static void take_option(const struct habit *h, struct asked *a, char letter, const char *text)
{
	if (letter == 'e')
		take_events(a, text);
	if (letter == 'o' || letter == 'x' || letter == 'i') /* the file */
		a->output = text;
	if (letter == 'F')
		a->frequency = text;
	if (letter == 'a')
		a->probe = text;
	for (size_t i = 0; i < ARRAY_SIZE(h->same) && h->same[i].letter; i++) {
		if (h->same[i].letter != letter)
			continue;
		a->has_task |= letter == 'p' || letter == 't';
		a->all |= letter == 'C' || letter == 'u';
		str_addf(&a->filters, " %s", h->same[i].here);
		put_word(&a->filters, text);
	}
}

/* Flags of strace that change its lines; `here` NULL: there is no counterpart, which is said. */
static const struct letter strace_flags[] = {
	{ 't', "-T" }, { 'r', "-t" }, { 'k', "-U" }, { 'T', NULL }, { 'y', NULL }
};

/* Once, although strace -tt says it twice. */
static void take_flag(const struct habit *h, struct asked *a, char letter)
{
	for (size_t i = 0; !strcmp(h->name, "strace") && i < ARRAY_SIZE(strace_flags); i++) {
		const char *here = strace_flags[i].here;
		const char word[] = { '-', letter, '\0' };
		struct str *to = here ? &a->filters : &a->lost;

		if (strace_flags[i].letter == letter && !strstr(str_text(to), here ? here : word))
			str_addf(to, " %s", here ? here : word);
	}
}

/* The words that "-xyz" or "--name" takes: 1, or 2 with its argument. */
static size_t take_letters(const struct habit *h, struct asked *a, char *const *words)
{
	for (const char *c = words[0] + 1; *c; c++) {
		if (strchr(h->takes, *c)) {
			const char *text = c[1] ? c + 1 : words[1];

			if (text)
				take_option(h, a, *c, text);
			return c[1] || !text ? 1 : 2;
		}
		a->all |= *c == 'a';
		a->counts |= *c == 'c';
		a->follows |= *c == 'f';
		take_flag(h, a, *c);
	}
	return 1;
}

static size_t take_name(const struct habit *h, struct asked *a, char *const *words)
{
	const char *name = words[0] + 2;
	size_t n = strcspn(name, "=");

	a->all |= !strcmp(name, "all-cpus");
	a->counts |= !strcmp(name, "summary-only");
	a->follows |= !strcmp(name, "follow-forks");
	for (size_t i = 0; i < ARRAY_SIZE(long_names); i++) {
		const char *text = name[n] ? name + n + 1 : words[1];

		if (strlen(long_names[i].name) != n || memcmp(long_names[i].name, name, n) != 0)
			continue;
		if (text)
			take_option(h, a, long_names[i].letter, text);
		return name[n] || !text ? 1 : 2;
	}
	return 1;
}

/* All of them end their options at the first word that is none. */
static void take_words(const struct habit *h, struct asked *a, char *const *words)
{
	while (*words) {
		if (!strcmp(*words, "--")) {
			words++;
			break;
		}
		if ((*words)[0] != '-' || !(*words)[1])
			break;
		words += (*words)[1] == '-' ? take_name(h, a, words) : take_letters(h, a, words);
	}
	a->program = *words ? words : NULL;
}

/* ---- bperf's words ------------------------------------------------------------------------- */

/* "perf record -a sleep 5" is the way to say how long, also with other filters: TIME, or NULL. */
static const char *time_of_sleep(const struct asked *a)
{
	char *const *p = a->program;

	if (!p || !(a->all || a->has_task) || strcmp(p[0], "sleep") != 0 || !p[1] || p[2])
		return NULL;
	return p[1][0] >= '0' && p[1][0] <= '9' ? p[1] : NULL;
}

/* Filters, and what ends the run. */
static void put_rest(const struct asked *a, struct str *line)
{
	const char *time = time_of_sleep(a);

	str_adds(line, str_text(&a->filters));
	if (time) {
		put_word(line, time);
	} else if (a->program) {
		str_adds(line, " --");
		shell_add_words(line, a->program);
	} else if (!a->has_task) {
		str_adds(line, " " DURATION);
	}
}

static void put_event(struct str *line, const char *kind, struct view event, const char *after)
{
	_cleanup_(free_p) char *word = mem_printf("%s%.*s%s", kind, (int)event.n, event.p, after);

	put_word(line, word);
}

/* "sched:sched_switch", but "cycles:u" has a modifier. */
static bool is_tracepoint(struct view event)
{
	const char *colon = memchr(event.p, ':', event.n);

	return colon && strspn(colon + 1, "ukhGHpPSDIWe") < (size_t)(event.p + event.n - colon - 1);
}

/* "syscalls:sys_enter_openat" is syscall:openat. */
static void put_tracepoint(struct str *line, struct view event)
{
	static const char *const rows[][2] = { { "syscalls:sys_enter_", "syscall:" },
					       { "syscalls:sys_exit_", "r:syscall:" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = strlen(rows[i][0]);

		if (!view_starts(event, rows[i][0]))
			continue;
		put_event(line, rows[i][1], (struct view){ event.p + n, event.n - n }, "");
		return;
	}
	put_event(line, "t:", event, "");
}

/* Each event of all -e. */
static void put_events(const struct asked *a, struct str *line,
		       void (*put)(struct str *line, struct view event))
{
	const char *const *list;

	vec_for_each(list, &a->events) {
		struct view rest = view_of(*list), event;

		while (view_split(&rest, ',', &event))
			put(line, event);
	}
}

/* The first event; false: none is named. */
static bool first_event(const struct asked *a, struct view *event)
{
	struct view rest = view_of(a->events.n ? a->events.items[0] : "");

	return view_split(&rest, ',', event);
}

static void put_samples(const struct asked *a, struct str *line)
{
	struct view event, name;

	str_adds(line, "profile");
	if (a->frequency) {
		str_adds(line, " -F");
		put_word(line, a->frequency);
	}
	if (!first_event(a, &event) || !view_split(&event, ':', &name))
		return;
	str_adds(line, " -e");
	put_event(line, "", name, "");
	if (event.n && event.p[0] == 'u')
		str_adds(line, " -U");
	if (event.n && event.p[0] == 'k')
		str_adds(line, " -K");
}

static void put_record(const struct asked *a, struct str *line)
{
	struct view event;

	if (first_event(a, &event) && is_tracepoint(event)) {
		str_adds(line, "stackcount");
		put_tracepoint(line, event);
	} else {
		put_samples(a, line);
	}
	if (a->output && !strcmp(a->output, "-")) {
		str_adds(line, " -O json");
	} else if (a->output) {
		struct view name = view_of(a->output);

		if (view_ends(name, ".data"))
			name.n -= strlen(".data");
		str_adds(line, " -o");
		put_event(line, "", name, ".json");
	}
	put_rest(a, line);
}

/* Events that the kernel counts by itself; clocks are not among them, their unit is 1 ns. */
static bool is_counted(struct view event)
{
	static const char *const names[] = { "page-faults",	 "faults",
					     "minor-faults",	 "major-faults",
					     "context-switches", "cs",
					     "cpu-migrations",	 "migrations",
					     "alignment-faults", "emulation-faults" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (view_eq(event, names[i]))
			return true;
	return is_tracepoint(event);
}

static void put_counted(struct str *line, struct view event)
{
	if (is_tracepoint(event))
		put_tracepoint(line, event);
	else if (is_counted(event))
		put_event(line, "e:", event, ":1");
}

static void put_stat(const struct asked *a, struct str *line)
{
	struct view event;

	if (!first_event(a, &event)) {
		str_adds(line, "offcpu --states");
	} else if (is_counted(event)) {
		str_adds(line, "funccount");
		put_events(a, line, put_counted);
	} else {
		put_samples(a, line);
	}
	put_rest(a, line);
}

static void put_sched(const struct asked *a, struct str *line)
{
	str_adds(line, "offcpu --states");
	put_rest(a, line);
}

static void put_lock(const struct asked *a, struct str *line)
{
	str_adds(line, "offcpu --waits");
	put_rest(a, line);
}

static void put_call(struct str *line, struct view name)
{
	put_event(line, "syscall:", name, "");
}

/* A class or "!futex" is a set of names; with -c, since trace -e takes them as they are. */
static bool put_set(struct str *line, const char *text)
{
	_cleanup_(str_release) struct str probe = { 0 };
	struct view rest = view_of(text), name;
	struct err ignored = { 0 };
	bool is_set = *text == '!';

	while (!is_set && view_split(&rest, ',', &name))
		is_set = callclass_is(name);
	if (!is_set || callclass_add(text, &probe, &ignored))
		return false;
	put_word(line, str_text(&probe));
	return true;
}

/* "malloc+free" */
static void put_libcall(struct str *line, struct view names)
{
	struct view name;

	while (view_split(&names, '+', &name))
		put_event(line, "c:", name, "");
}

static void put_calls(const struct asked *a, struct str *line)
{
	const char *const *list;

	str_adds(line, a->counts ? "funccount" : "trace");
	if (a->counts && (a->events.n != 1 || !put_set(line, a->events.items[0])))
		put_events(a, line, put_call);
	vec_for_each(list, &a->events) {
		if (a->counts)
			break;
		str_adds(line, " -e");
		put_word(line, *list);
	}
	if (!a->events.n)
		str_adds(line, " 'syscall:*'");
	if (a->output) {
		str_adds(line, " -o");
		put_word(line, a->output);
	}
	if (a->follows && a->has_task)
		str_adds(line, " --follow");
	put_rest(a, line);
	if (a->lost.n)
		str_addf(line, "\nwithout a counterpart, left out:%s", str_text(&a->lost));
}

static void put_libcalls(const struct asked *a, struct str *line)
{
	str_adds(line, a->counts ? "funccount" : "trace");
	put_events(a, line, put_libcall);
	if (!a->events.n)
		str_adds(line, " 'c:*'");
	put_rest(a, line);
}

/* "perf probe -x FILE FUNCTION%return", "perf probe --add EVENT=FUNCTION" */
static void put_probe(const struct asked *a, struct str *line)
{
	const char *text = a->probe ? a->probe : a->program ? a->program[0] : "PROBE";
	const char *kind = strstr(text, "%return") ? "r:" : "p:";
	_cleanup_(free_p) char *site = mem_printf("%s%s:", kind, a->output ? a->output : "");
	size_t n = strcspn(text, " =");

	if (text[n] == '=')
		text += n + 1;
	str_adds(line, "trace");
	put_event(line, site, (struct view){ text, strcspn(text, " %@:;") }, "");
}

static void put_script(const struct asked *a, struct str *line)
{
	str_clear(line);
	str_adds(line, "perf script");
	if (a->output) {
		str_adds(line, " -i");
		put_word(line, a->output);
	}
	str_adds(line, " | bperf report -");
}

static const struct habit habits[] = {
	{ "record",
	  "eFcptCoGumjDkIr",
	  { { 'p', "-p" }, { 't', "--tid" }, { 'C', "--cpu" }, { 'u', "--uid" }, { 'c', "-c" } },
	  put_record },
	{ "stat", "eptCroxIDGM", { { 'p', "-p" }, { 't', "--tid" }, { 'C', "--cpu" } }, put_stat },
	{ "script", "iFcCSsG", { { 0 } }, put_script },
	{ "sched", "iCpt", { { 'p', "-p" }, { 't', "--tid" }, { 'C', "--cpu" } }, put_sched },
	{ "lock", "ikFEpt", { { 'p', "-p" }, { 't', "--tid" } }, put_lock },
	{ "probe", "xmkads", { { 0 } }, put_probe },
	{ "trace",
	  "eoptCumGFD",
	  { { 'p', "-p" }, { 't', "--tid" }, { 'C', "--cpu" }, { 'u', "--uid" } },
	  put_calls },
	{ "strace", "eoPpsauEbISUX", { { 'p', "-p" } }, put_calls },
	{ "ltrace", "eoplnsuaxADF", { { 'p', "-p" } }, put_libcalls },
};

static const struct habit *find(const char *name, bool is_perf)
{
	for (size_t i = 0; i < ARRAY_SIZE(habits); i++)
		if (!strcmp(habits[i].name, name) && (is_perf || strcmp(name, "trace") != 0))
			return &habits[i];
	return NULL;
}

static void put_habit(const struct habit *h, char *const *words, struct str *line)
{
	_cleanup_(release_asked) struct asked a = { 0 };

	/* "perf sched record", "perf lock contention" watch the whole host. */
	if (h->put == put_sched || h->put == put_lock) {
		a.all = true;
		if (*words && (*words)[0] != '-')
			words++;
	}
	take_words(h, &a, words);
	h->put(&a, line);
}

/* A command that has the same name here. */
static void put_same(char *const *words, struct str *line)
{
	str_adds(line, words[0]);
	shell_add_words(line, words + 1);
}

/* A probe without a command. */
static void put_probe_words(char *const *words, struct str *line)
{
	str_adds(line, "trace");
	shell_add_words(line, words);
}

void habit_line(char *const *words, struct str *line)
{
	bool is_perf = !strcmp(words[0], "perf");
	const struct habit *h = NULL;

	if (is_perf && words[1])
		h = find(words[1], true);
	else if (!is_perf)
		h = find(words[0], false);
	str_adds(line, "bperf ");
	if (h)
		put_habit(h, words + 1 + is_perf, line);
	else if (is_perf && words[1] && command_find(words[1]))
		put_same(words + 1, line);
	else if (!strcmp(words[0], "bpftrace") || !strcmp(words[0], "-e"))
		habit_bpftrace(words + (words[0][0] != '-'), line);
	else if (strchr(words[0], ':'))
		put_probe_words(words, line);
	if (line->n == strlen("bperf "))
		str_clear(line);
}
