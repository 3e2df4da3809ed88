// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* USDT probes of a program or library. */
#include "base/cleanup.h"
#include "site/find_int.h"
#include "site/libs.h"
#include "site/usdt.h"
#include "site/userfile_int.h"
#include "sym/elfsyms.h"

struct note_search {
	struct finder *f;
	const struct user_file *file;
	struct nearest near;
	u32 n_notes;
};

static bool symbol_address(void *ctx, const char *name, u64 *vaddr)
{
	const struct user_file *file = ctx;

	return elfsyms_address(&file->elf, name, vaddr);
}

static void add_location(struct note_search *s, const struct usdt_note *n)
{
	struct finder *f = s->f;
	struct arena *a = &f->plan->arena;
	struct usdt_location *u = arena_new(a, struct usdt_location);
	struct usdt_symbols symbols = { .address_of = symbol_address,
					.ctx = (void *)(uintptr_t)s->file,
					.pc = n->pc };
	struct site site = { .kind = SITE_USDT, .file = s->file->site, .usdt = u };

	u->provider = arena_strndup(a, n->provider, strlen(n->provider));
	u->name = arena_strndup(a, n->name, strlen(n->name));
	usdt_operands_parse(a, n->operands, &symbols, u);
	if (!user_file_offset(s->file, n->pc, &u->offset) ||
	    (n->semaphore && !user_file_data_offset(s->file, n->semaphore, &u->semaphore))) {
		finder_skip(f, SKIP_NOT_TRACEABLE, u->name);
		return;
	}
	site.file_offset = u->offset;
	site.func = u->name;
	site.name = f->name->provider ? arena_printf(a, "u:%s:%s:%s", s->file->site->name,
						     u->provider, u->name)
				      : arena_printf(a, "u:%s:%s", s->file->site->name, u->name);
	finder_add(f, &site);
}

static bool take_note(void *ctx, const struct usdt_note *n)
{
	struct note_search *s = ctx;
	struct finder *f = s->f;

	s->n_notes++;
	if (f->name->provider && !glob_match(f->name->provider, view_of(n->provider)))
		return true;
	if (matcher_matches(&f->match, view_of(n->name)))
		add_location(s, n);
	else if (finder_is_named(f))
		nearest_offer(&s->near, arena_strndup(&f->plan->arena, n->name, strlen(n->name)));
	return true;
}

static int find_in(struct finder *f, const char *lib, u32 *n_notes)
{
	_cleanup_(user_file_release) struct user_file file = { 0 };
	struct note_search s = { .f = f, .file = &file, .near = { .word = f->name->func } };
	size_t before = f->n_found;

	if (user_file_open(f, lib, &file))
		return -f->err->code;
	usdt_notes_each(&file.elf, take_note, &s);
	*n_notes = s.n_notes;
	if (user_file_check(&file, f->err))
		return -f->err->code;
	if (f->n_found > before)
		return 0;
	if (!s.n_notes) {
		finder_none(f, NULL, "%s has no USDT probes", file.site->path);
		return err_hint(f->err, "functions are p:%s:FUNCTION", lib);
	}
	return finder_none(f, &s.near, "%s has no such USDT probe", file.site->path);
}

int find_usdt(struct finder *f)
{
	const char *heir = libs_heir(f->name->lib);
	struct err first;
	u32 n_notes = 0;
	int ret = find_in(f, f->name->lib, &n_notes);

	/* libpthread.so.0 still exists, but is empty. */
	if (ret != -ERR_NOTARGET || !heir || n_notes)
		return ret;
	first = *f->err;
	err_clear(f->err);
	ret = find_in(f, heir, &n_notes);
	if (!ret)
		finder_note(f, "lib%s is part of lib%s here", f->name->lib, heir);
	else
		*f->err = first;
	return ret;
}
