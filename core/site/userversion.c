// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/userversion.h"

/* "@GLIBC_2.14" is the default version, which newly built programs get. */
static bool is_asked(const char *want, const struct elf_symbol *s)
{
	return *want == '@' ? !s->is_old && !strcmp(want + 1, s->version)
			    : !strcmp(want, s->version);
}

bool user_version_fits(const struct site_name *name, const struct elf_symbol *s, struct str *others)
{
	if (!name->version)
		return true;
	if (!s->version)
		return false;
	if (is_asked(name->version, s))
		return true;
	if (!name->is_glob)
		str_addf(others, "%s%s%s%s", others->n ? ", " : "", name->func,
			 s->is_old ? "@" : "@@", s->version);
	return false;
}

const char *user_version_name(struct finder *f, const char *shown)
{
	return f->name->version ? arena_printf(&f->plan->arena, "%s@%s", shown, f->name->version)
				: shown;
}

int user_version_none(struct finder *f, const char *path, const struct str *others)
{
	finder_none(f, NULL, "%s has no function '%s@%s'", path, f->name->func, f->name->version);
	if (others->n)
		return err_hint(f->err, "its versions: %s", str_text(others));
	return err_hint(f->err, "p:%s:%s, without a version, means any function of this name",
			f->name->lib, f->name->func);
}
