// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sites of a plan: each is added once, and matches that are left out are recorded with the
 * reason. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "site/find_int.h"

#define MAX_SKIPPED 1000

static u64 site_hash(const struct site *s)
{
	u64 h = hash_bytes(s->name, strlen(s->name));

	h = hash_mix(h, s->file ? s->file->ino : s->addr);
	return hash_mix(h, s->file_offset);
}

static bool site_same(const struct site *a, const struct site *b)
{
	return !strcmp(a->name, b->name) && a->addr == b->addr && a->file == b->file &&
	       a->file_offset == b->file_offset;
}

void finder_add(struct finder *f, const struct site *s)
{
	u64 hash = site_hash(s);
	size_t at = 0;
	u32 id;

	f->n_found++;
	while (index_next(f->seen, hash, &at, &id))
		if (site_same(s, &f->plan->sites.items[id]))
			return;
	if (f->plan->sites.n == PLAN_MAX_SITES)
		return;
	index_add(f->seen, hash, (u32)f->plan->sites.n);
	vec_push(&f->plan->sites, *s);
	f->plan->sites.items[f->plan->sites.n - 1].pattern = f->pattern;
}

const char *const plan_skip_words[SKIP_N] = {
	[SKIP_NOT_TRACEABLE] = "cannot be probed",
	[SKIP_DENIED] = "is on the kernel's list of functions that must not be probed",
	[SKIP_DANGEROUS] = "is known to hang machines when probed",
	[SKIP_DUPLICATE] = "is another name of a function that is probed already",
	[SKIP_AMBIGUOUS] = "is the name of several functions",
	[SKIP_UNTYPED] = "is not in BTF, which fentry needs",
	[SKIP_RETURN] = "must not have a return probe: it would crash its callers",
	[SKIP_VOID] = "has no return value that can be read",
	[SKIP_INSN] = "begins with an instruction that the kernel cannot replace",
	[SKIP_REFUSED] = "was refused by the kernel",
};

int finder_skip(struct finder *f, enum plan_skip why, const char *name)
{
	f->plan->n_skipped[why]++;
	if (f->plan->skipped.n < MAX_SKIPPED)
		vec_push(&f->plan->skipped,
			 arena_printf(&f->plan->arena, "%s %s", name, plan_skip_words[why]));
	return 0;
}

int finder_none(struct finder *f, const struct nearest *near, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (f->err->code)
		return -f->err->code;
	text_error(f->text, f->p->func, f->err, "%s", text);
	f->err->code = ERR_NOTARGET;
	if (near && near->best)
		err_hint(f->err, "did you mean '%s'?", near->best);
	return -f->err->code;
}

void finder_note(struct finder *f, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < f->plan->notes.n; i++)
		if (!strcmp(f->plan->notes.items[i], text))
			return;
	vec_push(&f->plan->notes, arena_strndup(&f->plan->arena, text, strlen(text)));
}

void plan_release(struct probe_plan *p)
{
	if (p->next)
		plan_release(p->next);
	free(p->next);
	p->next = NULL;
	for (size_t i = 0; i < p->files.n; i++)
		close(p->files.items[i]->fd);
	vec_release(&p->files);
	vec_release(&p->sites);
	vec_release(&p->starts);
	vec_release(&p->skipped);
	vec_release(&p->notes);
	arena_release(&p->arena);
}
