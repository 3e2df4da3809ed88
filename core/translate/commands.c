// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Commands of perf, strace and ltrace, answered with the line of bperf that does the same. */
#include <string.h>

#include "base/cleanup.h"
#include "base/shell.h"
#include "site/callclass.h"
#include "translate/translate_int.h"

#define DURATION "10" /* seconds, where nothing says when to end */

static void put_word(struct str *line, const char *word)
{
	str_addc(line, ' ');
	shell_add_word(line, word);
}

/* The TIME of "perf record -a sleep TIME", which means a run of that length, also with other
 * filters than -a; NULL: it is another program. */
static const char *time_of_sleep(const struct foreign *f)
{
	char *const *p = f->program;

	if (!p || !(f->all || f->has_task) || strcmp(p[0], "sleep") != 0 || !p[1] || p[2])
		return NULL;
	return p[1][0] >= '0' && p[1][0] <= '9' ? p[1] : NULL;
}

/* Filters, and what ends the run. */
static void put_rest(const struct foreign *f, struct str *line)
{
	const char *time = time_of_sleep(f);

	str_adds(line, str_text(&f->filters));
	if (time) {
		put_word(line, time);
	} else if (f->program) {
		str_adds(line, " --");
		shell_add_words(line, f->program);
	} else if (!f->has_task) {
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
static void put_events(const struct foreign *f, struct str *line,
		       void (*put)(struct str *line, struct view event))
{
	const char *const *list;

	vec_for_each(list, &f->events) {
		struct view rest = view_of(*list), event;

		while (view_split(&rest, ',', &event))
			put(line, event);
	}
}

/* The first event; false: none is named. */
static bool first_event(const struct foreign *f, struct view *event)
{
	struct view rest = view_of(f->events.n ? f->events.items[0] : "");

	return view_split(&rest, ',', event);
}

static void put_samples(const struct foreign *f, struct str *line)
{
	struct view event, name;

	str_adds(line, "profile");
	if (f->frequency) {
		str_adds(line, " -F");
		put_word(line, f->frequency);
	}
	if (!first_event(f, &event) || !view_split(&event, ':', &name))
		return;
	str_adds(line, " -e");
	put_event(line, "", name, "");
	if (event.n && event.p[0] == 'u')
		str_adds(line, " -U");
	if (event.n && event.p[0] == 'k')
		str_adds(line, " -K");
}

static void put_record(const struct foreign *f, struct str *line)
{
	struct view event;

	if (first_event(f, &event) && is_tracepoint(event)) {
		str_adds(line, "stackcount");
		put_tracepoint(line, event);
	} else {
		put_samples(f, line);
	}
	if (f->output && !strcmp(f->output, "-")) {
		str_adds(line, " -O json");
	} else if (f->output) {
		struct view name = view_of(f->output);

		if (view_ends(name, ".data"))
			name.n -= strlen(".data");
		str_adds(line, " -o");
		put_event(line, "", name, ".json");
	}
	put_rest(f, line);
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

static void put_stat(const struct foreign *f, struct str *line)
{
	struct view event;

	if (!first_event(f, &event)) {
		str_adds(line, "offcpu --states");
	} else if (is_counted(event)) {
		str_adds(line, "funccount");
		put_events(f, line, put_counted);
	} else {
		put_samples(f, line);
	}
	put_rest(f, line);
}

static void put_sched(const struct foreign *f, struct str *line)
{
	str_adds(line, "offcpu --states");
	put_rest(f, line);
}

static void put_lock(const struct foreign *f, struct str *line)
{
	str_adds(line, "offcpu --waits");
	put_rest(f, line);
}

static void put_call(struct str *line, struct view name)
{
	put_event(line, "syscall:", name, "");
}

/* A class or "!futex" is a set of names.  Called only with -c, because trace -e takes sets as they
 * are. */
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

static void put_calls(const struct foreign *f, struct str *line)
{
	const char *const *list;

	str_adds(line, f->counts ? "funccount" : "trace");
	if (f->counts && (f->events.n != 1 || !put_set(line, f->events.items[0])))
		put_events(f, line, put_call);
	vec_for_each(list, &f->events) {
		if (f->counts)
			break;
		str_adds(line, " -e");
		put_word(line, *list);
	}
	if (!f->events.n)
		str_adds(line, " 'syscall:*'");
	if (f->output) {
		str_adds(line, " -o");
		put_word(line, f->output);
	}
	if (f->follows && f->has_task)
		str_adds(line, " --follow");
	put_rest(f, line);
	if (f->lost.n)
		str_addf(line, "\nwithout a counterpart, left out:%s", str_text(&f->lost));
}

static void put_libcalls(const struct foreign *f, struct str *line)
{
	str_adds(line, f->counts ? "funccount" : "trace");
	put_events(f, line, put_libcall);
	if (!f->events.n)
		str_adds(line, " 'c:*'");
	put_rest(f, line);
}

/* "perf probe -x FILE FUNCTION%return", "perf probe --add EVENT=FUNCTION" */
static void put_probe(const struct foreign *f, struct str *line)
{
	const char *text = f->probe ? f->probe : f->program ? f->program[0] : "PROBE";
	const char *kind = strstr(text, "%return") ? "r:" : "p:";
	_cleanup_(free_p) char *site = mem_printf("%s%s:", kind, f->output ? f->output : "");
	size_t n = strcspn(text, " =");

	if (text[n] == '=')
		text += n + 1;
	str_adds(line, "trace");
	put_event(line, site, (struct view){ text, strcspn(text, " %@:;") }, "");
}

static void put_script(const struct foreign *f, struct str *line)
{
	str_clear(line);
	str_adds(line, "perf script");
	if (f->output) {
		str_adds(line, " -i");
		put_word(line, f->output);
	}
	str_adds(line, " | bperf report -");
}

static const struct foreign_command foreign_commands[] = {
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

static const struct foreign_command *find(const char *name, bool is_perf)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign_commands); i++)
		if (!strcmp(foreign_commands[i].name, name) &&
		    (is_perf || strcmp(name, "trace") != 0))
			return &foreign_commands[i];
	return NULL;
}

static void put_command(const struct foreign_command *c, char *const *words, struct str *line)
{
	_cleanup_(foreign_release) struct foreign f = { 0 };

	/* "perf sched record", "perf lock contention" watch the whole host. */
	if (c->put == put_sched || c->put == put_lock) {
		f.all = true;
		if (*words && (*words)[0] != '-')
			words++;
	}
	foreign_read(c, &f, words);
	c->put(&f, line);
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

void translate_line(char *const *words, bool (*is_command)(const char *name), struct str *line)
{
	bool is_perf = !strcmp(words[0], "perf");
	const struct foreign_command *c = NULL;

	if (is_perf && words[1])
		c = find(words[1], true);
	else if (!is_perf)
		c = find(words[0], false);
	str_adds(line, "bperf ");
	if (c)
		put_command(c, words + 1 + is_perf, line);
	else if (is_perf && words[1] && is_command(words[1]))
		put_same(words + 1, line);
	else if (!strcmp(words[0], "bpftrace") || !strcmp(words[0], "-e"))
		translate_bpftrace(words + (words[0][0] != '-'), line);
	else if (strchr(words[0], ':'))
		put_probe_words(words, line);
	if (line->n == strlen("bperf "))
		str_clear(line);
}
