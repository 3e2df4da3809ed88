// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live/top.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memlimit.h"
#include "base/shell.h"
#include "live/launch.h"
#include "live/live.h"

/* The commands that measure. */
static const struct {
	const char *name;
	const char *words[3];
} parts[] = {
	{ "offcpu", { "--states" } },
	{ "profile", { NULL } },
};

#define N_PARTS	     ARRAY_SIZE(parts)
#define COUNT_MAX    "4294967295"
#define SECONDS_SAID "10" /* seconds of the commands that give the same as text */

struct word_list {
	VEC(char *) v;
};

static void add_word(struct word_list *w, const char *word)
{
	vec_push(&w->v, (char *)(uintptr_t)word);
}

static void add_command(struct word_list *w, size_t part)
{
	add_word(w, parts[part].name);
	for (const char *const *word = parts[part].words; *word; word++)
		add_word(w, *word);
}

static bool is_number(const struct top_conf *conf, const char *word)
{
	for (size_t i = 0; i < conf->n_words; i++)
		if (conf->words[i] == word)
			return true;
	return false;
}

/* The person's filters apply to both. */
static void add_filters(struct word_list *w, const struct top_conf *conf, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!is_number(conf, argv[i]))
			add_word(w, argv[i]);
}

/* The processes of one bperf top: the one that shows, and those that measure. */
struct own {
	u32 pids[N_PARTS + 1];
};

/* Are the processes of this bperf top left out?  Not with --self, nor if the person has named
 * processes. */
static bool leaves_out_own(const struct target *t)
{
	return !t->include_self && !t->pids.v.n && !t->tids.v.n;
}

static void add_own(struct str *list, const struct own *own)
{
	for (size_t i = 0; i < ARRAY_SIZE(own->pids); i++)
		str_addf(list, "%s%u", i ? "," : "", own->pids[i]);
}

/* `own`: pids to leave out, with commas. */
static struct word_list words_of(const struct top_conf *conf, size_t part, const char *own,
				 int argc, char **argv)
{
	struct word_list w = { 0 };

	add_command(&w, part);
	add_word(&w, "-j");
	add_filters(&w, conf, argc, argv);
	if (leaves_out_own(&conf->target)) {
		add_word(&w, "--not-pid");
		add_word(&w, own);
	}
	add_word(&w, conf->n_numbers ? conf->numbers[0] : "1");
	add_word(&w, conf->n_numbers > 1 ? conf->numbers[1] : COUNT_MAX);
	add_word(&w, NULL);
	w.v.n--;
	return w;
}

/* The command line of a part, for people who want text. */
static void add_line(struct str *line, const struct top_conf *conf, size_t part, bool has_numbers,
		     int argc, char **argv)
{
	struct word_list w = { 0 };

	add_command(&w, part);
	add_filters(&w, conf, argc, argv);
	if (!has_numbers || !conf->n_numbers)
		add_word(&w, SECONDS_SAID);
	for (size_t i = 0; has_numbers && i < conf->n_numbers; i++)
		add_word(&w, conf->numbers[i]);
	add_word(&w, NULL);
	str_adds(line, "bperf");
	shell_add_words(line, w.v.items);
	vec_release(&w.v);
}

static void say_commands(const struct top_conf *conf, int argc, char **argv)
{
	puts("The same as text:");
	for (size_t i = 0; i < N_PARTS; i++) {
		_cleanup_(str_release) struct str line = { 0 };

		add_line(&line, conf, i, false, argc, argv);
		printf("  %s\n", str_text(&line));
	}
}

/* The commands that measure do not have -d, -n and -b: take them out of the words.  Returns argc.
 */
static int drop_own_options(int argc, char **argv)
{
	int n = 1;

	for (int i = 1; i < argc; i++) {
		char *word = argv[i];

		if (!strcmp(word, "--batch") || view_starts(view_of(word), "--delay=") ||
		    view_starts(view_of(word), "--iterations="))
			continue;
		if (!strcmp(word, "--delay") || !strcmp(word, "--iterations")) {
			i++;
			continue;
		}
		/* "-bp 12" becomes "-p 12". */
		while (word[0] == '-' && word[1] == 'b')
			*++word = '-';
		if (word[0] == '-' && (word[1] == 'd' || word[1] == 'n'))
			i += !word[2];
		else if (word == argv[i] || word[1])
			argv[n++] = word;
	}
	argv[n] = NULL;
	return n;
}

/* Runs in a process that measures.  The pipe `go` brings the PIDs of this bperf top, once all of
 * its processes exist. */
static int measure(const struct top_conf *conf, size_t part, int go, int argc, char **argv,
		   top_run_fn *run, int *status, struct err *err)
{
	struct word_list w;
	struct str list = { 0 };
	struct own own;
	int ret;

	if (read(go, &own, sizeof(own)) != sizeof(own))
		return err_set(err, ERR_FAIL, "the process that shows has ended");
	add_own(&list, &own);
	w = words_of(conf, part, str_text(&list), argc, argv);
	ret = run((int)w.v.n, w.v.items, status, err);
	vec_release(&w.v);
	str_release(&list);
	return ret;
}

/* In the process that shows: let the others begin. */
static int let_begin(int go, const struct live_source *sources, struct err *err)
{
	struct own own = { .pids = { (u32)getpid() } };

	for (size_t i = 0; i < N_PARTS; i++)
		own.pids[i + 1] = (u32)sources[i].pid;
	for (size_t i = 0; i < N_PARTS; i++)
		if (write(go, &own, sizeof(own)) != sizeof(own))
			return err_errno(err, errno, "cannot start the measurement");
	return 0;
}

/* Returns true in a process that has measured, with *ret. */
static bool start(const struct top_conf *conf, struct live_source sources[N_PARTS], size_t *n,
		  int argc, char **argv, top_run_fn *run, int *status, int *ret, struct err *err)
{
	struct launched launched;
	int go[2];

	if (pipe2(go, O_CLOEXEC)) {
		*ret = err_errno(err, errno, "cannot make a pipe");
		return false;
	}
	while (*n < N_PARTS && !(*ret = launch(&launched, err))) {
		if (!launched.pid) {
			close(go[1]);
			/* The other's pipes are its viewer's. */
			for (size_t i = 0; i < *n; i++) {
				close(sources[i].fd);
				close(sources[i].messages_fd);
			}
			*ret = measure(conf, *n, go[0], argc, argv, run, status, err);
			return true;
		}
		source_init(&sources[*n], parts[*n].name, launched.pid, launched.fd,
			    launched.messages_fd);
		++*n;
	}
	if (!*ret)
		*ret = let_begin(go[1], sources, err);
	close(go[0]);
	close(go[1]);
	return false;
}

/* The usual hints are for commands that also write text. */
static int check_terminal(const struct top_conf *conf, int argc, char **argv, struct err *err)
{
	_cleanup_(str_release) struct str lines = { 0 };

	if (conf->is_batch)
		err_set(err, ERR_USAGE, "-b: top has no batch mode, only a screen");
	else if (!live_check(err))
		return 0;
	err->hint[0] = '\0';
	for (size_t i = 0; i < N_PARTS; i++) {
		str_adds(&lines, i ? " and " : "");
		add_line(&lines, conf, i, true, argc, argv);
	}
	return err_hint(err, "%s print the same as text", str_text(&lines));
}

int top_run(const struct top_conf *conf, int argc, char **argv, top_run_fn *run, int *status,
	    struct err *err)
{
	const struct live_opts opts = { .title = "bperf top",
					.has_commands = true,
					.shows_last = true };
	struct live_source sources[N_PARTS];
	size_t n = 0;
	int ret;

	argc = drop_own_options(argc, argv);
	ret = check_terminal(conf, argc, argv, err);
	if (ret || start(conf, sources, &n, argc, argv, run, status, &ret, err))
		return ret;
	if (!ret)
		ret = mem_limit_begin(err) ?: live_run(sources, n, &opts, status, err);
	if (!ret && sources[0].n_windows)
		say_commands(conf, argc, argv);
	for (size_t i = 0; i < n; i++)
		source_release(&sources[i]);
	return ret;
}
