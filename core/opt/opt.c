// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parser.  argp splits the words silently; this file finds the errors and reports them.  argp
 * completes abbreviated long names; this file refuses them, so that a script keeps its meaning when
 * options are added.
 */
#include "opt/opt.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/shell.h"
#include "base/str.h"
#include "base/suggest.h"
#include "opt/table_int.h"

/* argp's keys of long names start here; smaller keys are letters. */
#define KEY_LONG 256

#define INTERVAL_MIN_NS NS_PER_MS
#define INTERVAL_MAX_NS (366 * 24 * 3600 * NS_PER_SEC)

struct parse {
	struct opt_rows rows;
	char *how; /* per row: 0 if not given, otherwise the letter typed, or '-' for the long name
		    */
	char *conf;
	int argc;
	char **argv;
	struct opt_rest *rest;
	VEC(char *) words;
	enum opt_ask ask;
	struct err *err;
};

/* An option as it was typed. */
struct typed {
	char text[64];
};

static struct typed typed_as(const struct opt_row *row, char how)
{
	struct typed t;

	if (how == '-')
		snprintf(t.text, sizeof(t.text), "--%s", row->opt->name);
	else
		snprintf(t.text, sizeof(t.text), "-%c", how);
	return t;
}

static int unknown_long(struct parse *p, const char *word)
{
	size_t n = strcspn(word, "=");
	_cleanup_(free_p) char *name = mem_strndup(word, n > 2 ? n : strlen(word));
	VEC(const char *) names = { 0 };
	const struct opt_row *row;
	const char *nearest;

	vec_for_each(row, &p->rows.v)
		if (row->opt->name && !row->opt->is_hidden)
			vec_push(&names, row->opt->name);
	nearest = nearest_of(name + 2, names.items, names.n);
	err_set(p->err, ERR_USAGE, "unknown option '%s'", name);
	if (nearest)
		err_hint(p->err, "did you mean '--%s'?", nearest);
	vec_release(&names);
	return -ERR_USAGE;
}

/* "-pid 12" is parsed as "-p id": the long name was probably meant. */
static void hint_second_dash(struct parse *p, const char *word)
{
	if (word[0] == '-' && word[1] != '-' && opt_rows_by_name(&p->rows, view_of(word + 1)))
		err_hint(p->err, "did you mean '-%s'?", word);
}

static int unknown_letter(struct parse *p, const char *word, char letter)
{
	if (word[2])
		err_set(p->err, ERR_USAGE, "unknown option '-%c' in '%s'", letter, word);
	else
		err_set(p->err, ERR_USAGE, "unknown option '%s'", word);
	hint_second_dash(p, word);
	return -ERR_USAGE;
}

static int needs_argument(struct parse *p, const struct opt_row *row, char how)
{
	return err_set(p->err, ERR_USAGE, "%s: an argument is missing: %s", typed_as(row, how).text,
		       row->opt->arg);
}

/* Check the letters of one word.  *takes_next: the next word is an argument. */
static int explain_letters(struct parse *p, const char *word, const char *next, bool *takes_next)
{
	for (const char *c = word + 1; *c; c++) {
		const struct opt_row *row = opt_rows_by_letter(&p->rows, *c);

		if (!row)
			return unknown_letter(p, word, *c);
		if (!opt_takes_argument(row->opt))
			continue;
		*takes_next = !c[1];
		return *takes_next && !next ? needs_argument(p, row, *c) : 0;
	}
	return 0;
}

static int explain_name(struct parse *p, const char *word, const char *next, bool *takes_next)
{
	size_t n = strcspn(word, "=");
	const struct opt_row *row = opt_rows_by_name(&p->rows, (struct view){ word + 2, n - 2 });

	if (!row)
		return unknown_long(p, word);
	if (!opt_takes_argument(row->opt))
		return word[n] ? err_set(p->err, ERR_USAGE, "--%s: takes no argument",
					 row->opt->name)
			       : 0;
	*takes_next = !word[n];
	return *takes_next && !next ? needs_argument(p, row, '-') : 0;
}

/* argp refused a word but does not tell which one: check the words in order to find it. */
static int explain_refusal(struct parse *p)
{
	for (int i = 1; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
		const char *word = p->argv[i];
		bool takes_next = false;
		int ret = 0;

		if (word[0] == '-' && word[1] == '-')
			ret = explain_name(p, word, p->argv[i + 1], &takes_next);
		else if (word[0] == '-' && word[1])
			ret = explain_letters(p, word, p->argv[i + 1], &takes_next);
		if (ret)
			return ret;
		i += takes_next;
	}
	return err_set(p->err, ERR_USAGE, "these options can't be read");
}

static int store_choice(u32 *out, const struct opt *o, const char *what, const char *text,
			struct err *err)
{
	struct str all = { 0 };
	const char *nearest;
	size_t n = 0;

	if (!text)
		return err_set(err, ERR_USAGE, "%s: an argument is missing: %s", what, o->arg);
	for (; o->choices[n]; n++) {
		if (!strcmp(o->choices[n], text)) {
			*out = (u32)n;
			str_release(&all);
			return 0;
		}
		str_addf(&all, "%s%s", n ? ", " : "", o->choices[n]);
	}
	err_set(err, ERR_USAGE, "%s: '%s' is not one of %s", what, text, str_text(&all));
	str_release(&all);
	nearest = nearest_of(text, o->choices, n);
	return nearest ? err_hint(err, "did you mean '%s'?", nearest) : -ERR_USAGE;
}

static int store(struct parse *p, const struct opt_row *row, const char *what, char *text)
{
	const struct opt *o = row->opt;
	void *field = p->conf + row->offset;
	u64 value;

	switch (o->kind) {
	case OPT_KIND_FLAG:
		*(bool *)field = true;
		return 0;
	case OPT_KIND_COUNT:
		++*(u32 *)field;
		return 0;
	case OPT_KIND_STRING:
		*(const char **)field = text;
		return 0;
	case OPT_KIND_STRINGS:
		vec_push(&((struct opt_strings *)field)->v, text);
		return 0;
	case OPT_KIND_U32:
		if (num_u64(text, o->min, o->max, what, &value, p->err))
			return -p->err->code;
		*(u32 *)field = (u32)value;
		return 0;
	case OPT_KIND_U64:
		return num_u64(text, o->min, o->max, what, field, p->err);
	case OPT_KIND_DURATION:
		return num_duration(text, o->unit_ns, o->min, o->max, what, field, p->err);
	case OPT_KIND_CHOICE:
		return store_choice(field, o, what, text, p->err);
	case OPT_KIND_CALL:
		return o->parse(field, text, p->err) ? err_wrap(p->err, "%s", what) : 0;
	case OPT_KIND_HELP:
		p->ask = OPT_ASK_HELP;
		return 0;
	case OPT_KIND_VERSION:
		p->ask = OPT_ASK_VERSION;
		return 0;
	default:
		return err_set(p->err, ERR_USAGE, "%s: not an option", what);
	}
}

/* Flags can be repeated without effect and lists grow; two values for one option are a mistake. */
static bool may_repeat(const struct opt *o)
{
	return !opt_takes_argument(o) || o->kind == OPT_KIND_STRINGS || o->is_repeatable;
}

static int take_option(struct parse *p, const struct opt_row *row, char how, char *text)
{
	struct typed t = typed_as(row, how);
	char *seen = &p->how[row - p->rows.v.items];

	if (*seen && !may_repeat(row->opt)) {
		struct typed first = typed_as(row, *seen);

		if (*seen == how)
			return err_set(p->err, ERR_USAGE, "%s: given twice", t.text);
		return err_set(p->err, ERR_USAGE, "%s: already given as %s", t.text, first.text);
	}
	if (text && !*text)
		return err_set(p->err, ERR_USAGE, "%s: the argument is empty", t.text);
	*seen = how;
	return store(p, row, t.text, text);
}

static int take_key(struct parse *p, int key, char *text, const struct argp_state *state)
{
	bool is_apart = text && state->argv[state->next - 1] == text;
	const char *word = state->argv[state->next - 1 - is_apart];
	const struct opt_row *row;
	int ret;

	if (key < KEY_LONG) {
		row = opt_rows_by_letter(&p->rows, (char)key);
		ret = take_option(p, row, (char)key, text);
		if (ret && !is_apart)
			hint_second_dash(p, word);
		return ret;
	}
	/* argp accepts abbreviations. */
	row = opt_rows_by_name(&p->rows, (struct view){ word + 2, strcspn(word + 2, "=") });
	return row ? take_option(p, row, '-', text) : unknown_long(p, word);
}

static int take_word(struct parse *p, char *word, struct argp_state *state)
{
	if (!state->quoted) {
		vec_push(&p->words, word);
		return 0;
	}
	p->rest->program = &state->argv[state->quoted];
	state->next = state->argc;
	return 0;
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct parse *p = state->input;

	if (p->ask)
		return 0;
	if (key == ARGP_KEY_ERROR) {
		if (!p->err->code)
			explain_refusal(p);
		return 0;
	}
	if (key == ARGP_KEY_ARG)
		return take_word(p, text, state) ? EINVAL : 0;
	if (key == ARGP_KEY_END)
		p->rest->has_dashes = state->quoted != 0;
	/* argp has keys of its own: init, end, success, ... */
	if (key <= 0 || key >= KEY_LONG + (int)p->rows.v.n)
		return 0;
	return take_key(p, key, text, state) ? EINVAL : 0;
}

static struct argp_option *argp_options(const struct opt_rows *rows)
{
	VEC(struct argp_option) out = { 0 };

	for (size_t i = 0; i < rows->v.n; i++) {
		const struct opt_row *row = &rows->v.items[i];

		if (row->opt->name)
			vec_push(&out, (struct argp_option){ .name = row->opt->name,
							     .key = KEY_LONG + (int)i,
							     .arg = row->opt->arg });
		if (row->opt->second_name)
			vec_push(&out, (struct argp_option){ .name = row->opt->second_name,
							     .key = KEY_LONG + (int)i,
							     .arg = row->opt->arg });
		for (const char *c = row->letters; *c; c++)
			vec_push(&out, (struct argp_option){ .key = *c, .arg = row->opt->arg });
	}
	vec_push(&out, (struct argp_option){ 0 });
	return out.items;
}

static int check_conflicts(const struct parse *p)
{
	for (size_t i = 0; i < p->rows.v.n; i++) {
		const struct opt_row *row = &p->rows.v.items[i];
		struct view words, word;

		if (!p->how[i] || !row->opt->conflicts)
			continue;
		words = view_of(row->opt->conflicts);
		while (view_split(&words, ' ', &word)) {
			const struct opt_row *other = opt_rows_by_word(&p->rows, word);
			char how = other ? p->how[other - p->rows.v.items] : 0;

			if (how)
				return err_set(p->err, ERR_USAGE, "%s conflicts with %s",
					       typed_as(row, p->how[i]).text,
					       typed_as(other, how).text);
		}
	}
	return 0;
}

static int finish(struct parse *p)
{
	if (p->ask)
		return 0;
	if (p->err->code)
		return -p->err->code;
	if (p->rest->has_dashes && !p->rest->program) {
		err_set(p->err, ERR_USAGE, "--: no program follows it");
		return -ERR_USAGE;
	}
	return check_conflicts(p);
}

/* Some long options of bcc have underscores, and people mix them up: accept --bin_cmp for
 * --bin-cmp. */
static void accept_underscores(const struct parse *p)
{
	for (int i = 1; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
		char *word = p->argv[i], name[64];
		size_t n = strcspn(word, "=");

		if (strncmp(word, "--", 2) != 0 || n >= sizeof(name) || !memchr(word, '_', n))
			continue;
		for (size_t c = 0; c < n; c++)
			name[c] = word[c] == '_' ? '-' : word[c];
		if (opt_rows_by_name(&p->rows, (struct view){ name + 2, n - 2 }))
			memcpy(word, name, n);
	}
}

int opt_parse(const struct opt *table, void *conf, int argc, char **argv, struct opt_rest *rest,
	      enum opt_ask *ask, struct err *err)
{
	struct parse p = { .conf = conf, .argc = argc, .argv = argv, .rest = rest, .err = err };
	struct argp argp = { .parser = on_key };
	struct argp_option *options;
	int ret;

	*rest = (struct opt_rest){ 0 };
	*ask = OPT_ASK_NOTHING;
	opt_rows_init(&p.rows, table);
	p.how = mem_alloc(p.rows.v.n, 1);
	accept_underscores(&p);
	options = argp_options(&p.rows);
	argp.options = options;
	/* With ARGP_IN_ORDER, an option's word always precedes `next`. */
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP | ARGP_NO_ERRS | ARGP_NO_EXIT,
		   NULL, &p);
	ret = finish(&p);
	*ask = p.ask;
	rest->args = p.words.items;
	rest->n_args = p.words.n;
	free(options);
	free(p.how);
	opt_rows_release(&p.rows);
	return ret;
}

void opt_rest_release(struct opt_rest *rest)
{
	free(rest->args);
	*rest = (struct opt_rest){ 0 };
}

const char **opt_strings_list(const struct opt_strings *s, const char *last)
{
	const char **list;

	if (!s->v.n)
		return NULL;
	list = mem_alloc(s->v.n + 2, sizeof(*list));
	for (size_t i = 0; i < s->v.n; i++)
		list[i] = s->v.items[i];
	list[s->v.n] = last;
	return list;
}

void opt_strings_release(struct opt_strings *s)
{
	vec_release(&s->v);
}

/* The word is probably a program without "--": show the right command line.  A number is not one,
 * nor is a folder. */
static int refuse_word(const struct opt_rest *rest, size_t at, const char *why, struct err *err)
{
	struct str words = { 0 };
	struct stat st;

	err_set(err, ERR_USAGE, "'%s': %s", rest->args[at], why);
	if (rest->args[at][0] >= '0' && rest->args[at][0] <= '9')
		return -ERR_USAGE;
	if (!stat(rest->args[at], &st) && S_ISDIR(st.st_mode))
		return err_hint(err, "it is a folder: nothing here takes one");
	for (size_t i = at; i < rest->n_args; i++) {
		str_addc(&words, ' ');
		shell_add_word(&words, rest->args[i]);
	}
	err_hint(err, "put the program to run after two dashes: --%s", str_text(&words));
	str_release(&words);
	return -ERR_USAGE;
}

int opt_interval(const struct opt_rest *rest, u64 *interval_ns, u64 *count, struct err *err)
{
	int ret;

	if (rest->n_args > 2)
		return refuse_word(rest, 2, "no word may follow interval and count", err);
	if (rest->n_args && !strchr("0123456789.-", rest->args[0][0]))
		return refuse_word(rest, 0, "an interval was expected here", err);
	if (rest->n_args && !rest->args[0][0])
		return err_set(err, ERR_USAGE, "interval: the word is empty");
	ret = rest->n_args < 1 ? 0
			       : num_duration(rest->args[0], NS_PER_SEC, INTERVAL_MIN_NS,
					      INTERVAL_MAX_NS, "interval", interval_ns, err);
	if (ret || rest->n_args < 2)
		return ret;
	return num_u64(rest->args[1], 1, UINT32_MAX, "count", count, err);
}

int opt_no_words(const struct opt_rest *rest, struct err *err)
{
	if (rest->program)
		return err_set(err, ERR_USAGE, "'%s': this command runs no program",
			       rest->program[0]);
	if (rest->n_args)
		return err_set(err, ERR_USAGE, "'%s': nothing is expected here", rest->args[0]);
	return 0;
}
