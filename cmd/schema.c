// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `bperf schema [TYPE]`: the JSON Schema of the lines of -j, or of one type of line. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "cmd/command.h"
#include "cmd/embed.h"

#define SCHEMA_FILE "bperf.schema.json"

/* The reference at the root of the document: to the definition of all lines, or of one type. */
#define ROOT "\"$ref\": \"#/$defs/record\""

static const char *const types[] = {
	"meta",	    "stack", "function", "process", "state", "thread",	      "events",
	"event",    "count", "dist",	 "hist",    "stats", "table",	      "columns",
	"interval", "warn",  "end",	 "doctor",  "side",  "diff_function", "diff_stack",
};

struct schema_conf {
	const char *type; /* one of `types`; NULL: all */
};

static int schema_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct schema_conf *conf = p;
	const char *nearest;

	if (!rest->n_args && !rest->program)
		return 0;
	if (rest->n_args > 1 || rest->program)
		return err_set(err, ERR_USAGE, "schema: one type at most");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i], rest->args[0]))
			conf->type = types[i];
	if (conf->type)
		return 0;
	err_set(err, ERR_USAGE, "schema: there is no type '%s'", rest->args[0]);
	nearest = nearest_of(rest->args[0], types, ARRAY_SIZE(types));
	if (nearest)
		return err_hint(err, "did you mean '%s'?", nearest);
	return err_hint(err, "meta, stack, function, process, state, event, count, hist, stats, "
			     "table, columns, interval, warn, end, doctor, side, diff_function or "
			     "diff_stack");
}

static int schema_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	const struct embedded *e = embed_find(SCHEMA_FILE);
	const struct schema_conf *conf = p;
	_cleanup_(str_release) struct str text = { 0 };
	const char *root;

	(void)argc, (void)argv, (void)status;
	if (!e)
		return err_set(err, ERR_FAIL, "schema: built without " SCHEMA_FILE);
	embed_text(e, &text);
	root = strstr(str_text(&text), ROOT);
	if (!conf->type || !root) {
		fputs(str_text(&text), stdout);
		return 0;
	}
	printf("%.*s\"$ref\": \"#/$defs/%s\"%s", (int)(root - str_text(&text)), str_text(&text),
	       conf->type, root + strlen(ROOT));
	return 0;
}

static void schema_complete(const char *word, FILE *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		complete_offer(word, types[i], "", f);
}

static const struct opt schema_opts[] = { OPT_END };

const struct command schema_command = {
	.name = "schema",
	.is_helper = true,
	.summary = "the JSON Schema of the output of -j",
	.usage = "[meta | stack | function | process | state | interval | warn | end]",
	.about = "Prints the JSON Schema (2020-12) that every line of bperf -j satisfies, or every "
		 "line of one type.",
	.examples = { { "schema stack", "the fields of a stack record" } },
	.opts = schema_opts,
	.conf_size = sizeof(struct schema_conf),
	.check = schema_check,
	.run = schema_run,
	.complete = schema_complete,
};
