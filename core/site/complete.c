// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion of probes: the sites of this host that begin with the word. */
#include "site/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/btf.h"
#include "site/list.h"

/* A shell takes seconds to list more, and a user would not read them. */
#define CANDIDATES_MAX 5000
/* Letters of a kernel function's name, without a kind before it. */
#define FUNCTION_MIN   3

static const struct {
	const char *word, *what; /* NULL: not offered, it only begins a probe */
} kinds[] = {
	{ "r:syscall:", "the return of a system call" },
	{ "syscall:", "a system call" },
	{ "p::", NULL },
	{ "r::", NULL },
	{ "p:", "the entry of a function, p:LIB:FUNCTION or p:FUNCTION" },
	{ "r:", "the return of a function" },
	{ "t:", "a tracepoint" },
	{ "raw:", "a tracepoint, with the kernel's own arguments" },
	{ "u:", "a USDT probe of a program or library" },
	{ "e:", "a perf event" },
	{ "k:", NULL },
	{ "kr:", NULL },
	{ "f:", NULL },
	{ "kprobe:", NULL },
	{ "kretprobe:", NULL },
	{ "uprobe:", NULL },
	{ "uretprobe:", NULL },
	{ "tracepoint:", NULL },
};

struct offers {
	VEC(char *) v;
	const char *word;
	size_t n_kind;	  /* bytes of the word's kind */
	bool is_category; /* up to the colon after a tracepoint's category */
};

static size_t kind_bytes(const char *site)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(site, kinds[i].word, strlen(kinds[i].word)))
			return strlen(kinds[i].word);
	return 0;
}

/* `list` spells kinds differently, so the word is compared with the rest of the line. */
static void take_line(void *ctx, const char *line)
{
	struct offers *o = ctx;
	const char *rest = line + kind_bytes(line), *typed = o->word + o->n_kind;
	size_t n = o->is_category ? strcspn(rest, ":") + 1 : strlen(rest);
	char *candidate;

	if (o->v.n > CANDIDATES_MAX || strncmp(rest, typed, strlen(typed)) != 0 ||
	    strpbrk(rest, " \"'\t\n"))
		return;
	candidate = mem_printf("%.*s%.*s", (int)o->n_kind, o->word, (int)n, rest);
	if (o->v.n && !strcmp(o->v.items[o->v.n - 1], candidate))
		free(candidate);
	else
		vec_push(&o->v, candidate);
}

static void offer_sites(const char *pattern, struct offers *o, FILE *f)
{
	const struct kernel_paths paths = { .types = kernel_types };
	const struct list_opts opts = { 0 };
	struct kernel *k = kernel_open(&paths);
	struct err ignored = { 0 };

	list_probes(k, pattern, &opts, take_line, o, &ignored);
	kernel_close(k);
	for (size_t i = 0; i < o->v.n; i++) {
		if (o->v.n <= CANDIDATES_MAX)
			fprintf(f, "%s\t\n", o->v.items[i]);
		free(o->v.items[i]);
	}
	vec_release(&o->v);
}

void complete_probe(const char *word, FILE *f)
{
	struct offers o = { .word = word, .n_kind = kind_bytes(word) };
	_cleanup_(free_p) char *pattern = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].what && strcmp(kinds[i].word, word) != 0 &&
		    !strncmp(kinds[i].word, word, strlen(word)))
			fprintf(f, "%s\t%s\n", kinds[i].word, kinds[i].what);
	if (strpbrk(word, "*?[]{}()|\"' \t"))
		return;
	if (!strchr(word, ':') && strlen(word) < FUNCTION_MIN)
		return;
	o.is_category = (!strncmp(word, "t:", 2) || !strncmp(word, "tracepoint:", 11)) &&
			!strchr(word + o.n_kind, ':');
	pattern = mem_printf(strchr(word, ':') ? "%s*%s" : "k:%s*%s", word,
			     o.is_category ? ":*" : "");
	offer_sites(pattern, &o, f);
}
