// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shell completion: candidates for an option or its argument.  All sources are files that need no
 * root, and lists are bounded.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "opt/table_int.h"

#define MAX_CANDIDATES 1000
#define CGROUP_DEPTH   6
#define SMALL_FILE     4096

struct offers {
	const struct opt_sources *src;
	FILE *f;
	struct view head; /* the part of the word that stays: "--pid=1,2," */
	const char *word; /* the part to complete */
	u32 n;
};

static void offer(struct offers *o, const char *candidate, const char *text)
{
	if (strncmp(candidate, o->word, strlen(o->word)) != 0 || o->n >= MAX_CANDIDATES)
		return;
	fprintf(o->f, "%.*s%s\t%s\n", (int)o->head.n, o->head.p, candidate, text);
	o->n++;
}

static void offer_event(void *ctx, const char *name, const char *what)
{
	offer(ctx, name, what);
}

/* The first line of a file below root; "" when it cannot be read. */
static char *first_line(const struct offers *o, const char *path)
{
	_cleanup_(free_p) char *full = mem_printf("%s%s", o->src->root, path);
	struct str text = { 0 };
	char *line;

	file_read(full, SMALL_FILE, &text);
	line = mem_strndup(str_text(&text), strcspn(str_text(&text), "\n"));
	str_release(&text);
	return line;
}

/* A comm can contain any byte: replace those that a glob or a terminal would interpret with '?',
 * which matches them. */
static void defuse(char *comm)
{
	for (; *comm; comm++)
		if ((unsigned char)*comm < ' ' || *comm == 0x7f || strchr("*[\\", *comm))
			*comm = '?';
}

static char *comm_of(const struct offers *o, const char *task_path)
{
	_cleanup_(free_p) char *path = mem_printf("%s/comm", task_path);
	char *comm = first_line(o, path);

	defuse(comm);
	return comm;
}

static DIR *open_below(const struct offers *o, const char *path)
{
	_cleanup_(free_p) char *full = mem_printf("%s%s", o->src->root, path);

	return opendir(full);
}

/* Call fn for each directory in `path` whose name is a number. */
static void for_each_task(struct offers *o, const char *path,
			  void (*fn)(struct offers *o, const char *id, const char *path))
{
	DIR *dir = open_below(o, path);
	const struct dirent *e;

	while (dir && (e = readdir(dir)) && o->n < MAX_CANDIDATES) {
		_cleanup_(free_p) char *task = mem_printf("%s/%s", path, e->d_name);

		if (strspn(e->d_name, "0123456789") == strlen(e->d_name))
			fn(o, e->d_name, task);
	}
	if (dir)
		closedir(dir);
}

/* Complete a number by its digits or by the start of its comm: `-p ngi<TAB>`. */
static void offer_task(struct offers *o, const char *id, const char *path)
{
	_cleanup_(free_p) char *comm = NULL;
	const char *word = o->word;
	bool by_comm = *word && (*word < '0' || *word > '9');

	if (!by_comm && strncmp(id, word, strlen(word)) != 0)
		return;
	comm = comm_of(o, path);
	if (by_comm && strncmp(comm, word, strlen(word)) != 0)
		return;
	fprintf(o->f, "%.*s%s\t%s\n", (int)o->head.n, o->head.p, id, comm);
	o->n++;
}

static void offer_threads(struct offers *o, const char *id, const char *path)
{
	_cleanup_(free_p) char *tasks = mem_printf("%s/task", path);

	(void)id;
	for_each_task(o, tasks, offer_task);
}

static void offer_comm(struct offers *o, const char *id, const char *path)
{
	_cleanup_(free_p) char *comm = comm_of(o, path);

	(void)id;
	offer(o, comm, "");
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Offer each comm once, sorted. */
static void offer_comms(struct offers *o)
{
	FILE *f = o->f;
	char *text = NULL;
	size_t size = 0;
	VEC(char *) lines = { 0 };

	o->f = open_memstream(&text, &size);
	for_each_task(o, "/proc", offer_comm);
	fclose(o->f);
	o->f = f;
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		vec_push(&lines, line);
	if (lines.n)
		qsort(lines.items, lines.n, sizeof(char *), compare_strings);
	for (size_t i = 0; i < lines.n; i++)
		if (!i || strcmp(lines.items[i], lines.items[i - 1]) != 0)
			fprintf(f, "%s\n", lines.items[i]);
	vec_release(&lines);
	free(text);
}

static void offer_cgroups(struct offers *o, const char *path, u32 depth)
{
	_cleanup_(free_p) char *dir_path = mem_printf("/sys/fs/cgroup%s", path);
	DIR *dir = open_below(o, dir_path);
	const struct dirent *e;

	while (dir && (e = readdir(dir)) && o->n < MAX_CANDIDATES) {
		_cleanup_(free_p) char *name = mem_printf("%s/%s", path, e->d_name);
		size_t n = strlen(name), n_word = strlen(o->word);

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		offer(o, name, "");
		/* Descend only into directories on the way to the word or below it. */
		if (depth < CGROUP_DEPTH && !strncmp(name, o->word, n < n_word ? n : n_word))
			offer_cgroups(o, name, depth + 1);
	}
	if (dir)
		closedir(dir);
}

static void offer_users(struct offers *o)
{
	_cleanup_(free_p) char *path = mem_printf("%s/etc/passwd", o->src->root);
	struct str passwd = { 0 };
	struct view rest, line, name, field;

	file_read(path, 1 << 20, &passwd);
	rest = str_view(&passwd);
	while (view_split(&rest, '\n', &line)) {
		_cleanup_(free_p) char *user = NULL, *id = NULL;

		if (!view_split(&line, ':', &name) || !view_split(&line, ':', &field) ||
		    !view_split(&line, ':', &field))
			continue;
		user = mem_strndup(name.p, name.n);
		id = mem_strndup(field.p, field.n);
		offer(o, user, id);
	}
	str_release(&passwd);
}

static void offer_cpu(void *ctx, u64 cpu)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", cpu);
	offer(ctx, text, "");
}

static void offer_cpus(struct offers *o)
{
	_cleanup_(free_p) char *online = first_line(o, "/sys/devices/system/cpu/online");
	struct err ignored = { 0 };

	num_ranges(online, 8191, "cpu", offer_cpu, o, &ignored);
}

static void offer_choices(struct offers *o, const struct opt *opt)
{
	for (const char *const *c = opt->choices; c && *c; c++)
		offer(o, *c, "");
}

/* Complete only the last entry of a list. */
static void skip_list_head(struct offers *o, const struct opt *opt)
{
	const char *comma = opt->arg && strstr(opt->arg, ",...") ? strrchr(o->word, ',') : NULL;

	if (!comma)
		return;
	o->head.n += (size_t)(comma + 1 - o->word);
	o->word = comma + 1;
}

static void offer_argument(struct offers *o, const struct opt *opt)
{
	skip_list_head(o, opt);
	switch (opt->complete) {
	case COMPLETE_NONE:
		break;
	case COMPLETE_FILE:
		fputs(":file\n", o->f);
		break;
	case COMPLETE_DIR:
		fputs(":dir\n", o->f);
		break;
	case COMPLETE_PID:
		for_each_task(o, "/proc", offer_task);
		break;
	case COMPLETE_TID:
		for_each_task(o, "/proc", offer_threads);
		break;
	case COMPLETE_COMM:
		offer_comms(o);
		break;
	case COMPLETE_CGROUP:
		offer_cgroups(o, "", 0);
		break;
	case COMPLETE_USER:
		offer_users(o);
		break;
	case COMPLETE_CPU:
		offer_cpus(o);
		break;
	case COMPLETE_EVENT:
		if (o->src->events)
			o->src->events(offer_event, o);
		break;
	case COMPLETE_WORD:
		if (o->src->words && !o->head.n)
			o->src->words(o->word, o->f);
		break;
	case COMPLETE_CHOICE:
	case COMPLETE_FORMAT:
		offer_choices(o, opt);
		break;
	}
}

static void offer_options(struct offers *o, const struct opt_rows *rows)
{
	const struct opt_row *row;

	vec_for_each(row, &rows->v) {
		const struct opt *opt = row->opt;
		char name[64];

		if (opt->kind == OPT_KIND_HEADING || opt->is_hidden)
			continue;
		if (opt->name) {
			snprintf(name, sizeof(name), "--%s", opt->name);
			offer(o, name, opt->help);
		}
		for (const char *c = row->letters; *c && !strcmp(o->word, "-"); c++) {
			snprintf(name, sizeof(name), "-%c", *c);
			offer(o, name, opt->help);
		}
	}
}

/* The option in this word that takes an argument, with the argument's offset in the word (0: the
 * argument is the next word); NULL: none. */
static const struct opt *option_of(const struct opt_rows *rows, const char *word, size_t *at)
{
	const struct opt_row *row;

	*at = 0;
	if (word[0] == '-' && word[1] == '-') {
		size_t n = strcspn(word, "=");

		row = opt_rows_by_name(rows, (struct view){ word + 2, n - 2 });
		*at = word[n] ? n + 1 : 0;
		return row && opt_takes_argument(row->opt) ? row->opt : NULL;
	}
	for (size_t i = 1; word[0] == '-' && word[i]; i++) {
		row = opt_rows_by_letter(rows, word[i]);
		if (!row)
			return NULL;
		if (!opt_takes_argument(row->opt))
			continue;
		*at = word[i + 1] ? i + 1 : 0;
		return row->opt;
	}
	return NULL;
}

static void offer_last(struct offers *o, const struct opt_rows *rows, char *const *words, size_t n)
{
	const struct opt *pending = NULL;
	size_t at;

	for (size_t i = 0; i + 1 < n; i++) {
		if (pending) {
			pending = NULL;
			continue;
		}
		if (!strcmp(words[i], "--")) {
			fprintf(o->f, ":command %zu\n", i + 1);
			return;
		}
		pending = option_of(rows, words[i], &at);
		if (at)
			pending = NULL;
	}
	if (pending) {
		offer_argument(o, pending);
		return;
	}
	pending = option_of(rows, o->word, &at);
	if (pending && at) {
		o->head.n = at;
		o->word += at;
		offer_argument(o, pending);
	} else if (*o->word != '-' && o->src->words) {
		o->src->words(o->word, o->f);
	} else if (!*o->word || *o->word == '-') {
		offer_options(o, rows);
	}
}

void opt_complete(const struct opt *table, const struct opt_sources *src, char *const *words,
		  size_t n_words, FILE *f)
{
	const char *last = words[n_words - 1];
	struct offers o = { .src = src, .f = f, .head = { last, 0 }, .word = last };
	struct opt_rows rows;

	opt_rows_init(&rows, table);
	offer_last(&o, &rows, words, n_words);
	opt_rows_release(&rows);
}
