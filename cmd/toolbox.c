// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where recipes come from: this very file, a path, a folder of the user's. */
#include "cmd/toolbox.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cmd/embed.h"

#define SUFFIX ".bperf"

/* ---- ours ---------------------------------------------------------------------------------- */

static struct {
	struct str all;
	VEC(struct view) names;
	VEC(struct view) texts;
} box;

/* "#= NAME", then the recipe: as the Makefile puts them together. */
static void open_box(void)
{
	const struct embedded *e = embed_find("recipes");
	struct view rest, line, text = { 0 };

	if (box.names.n || !e)
		return;
	embed_text(e, &box.all);
	rest = str_view(&box.all);
	while (view_cut(&rest, '\n', &line)) {
		if (!view_starts(line, "#= ")) {
			text.n = (size_t)(line.p + line.n - text.p);
			box.texts.items[box.texts.n - 1] = text;
			continue;
		}
		text = (struct view){ rest.p, 0 };
		vec_push(&box.names, ((struct view){ line.p + 3, line.n - 3 }));
		vec_push(&box.texts, text);
	}
	for (size_t i = 0; i < box.names.n; i++) {
		((char *)(uintptr_t)box.names.items[i].p)[box.names.items[i].n] = '\0';
		((char *)(uintptr_t)box.texts.items[i].p)[box.texts.items[i].n] = '\0';
	}
}

size_t toolbox_size(void)
{
	open_box();
	return box.names.n;
}

const char *toolbox_name(size_t i)
{
	return box.names.items[i].p;
}

static struct tool_file own_file(size_t i)
{
	const char *name = toolbox_name(i);

	return (struct tool_file){
		.name = mem_strdup(name),
		.file = mem_printf("recipe %s", name),
		.text = mem_strdup(box.texts.items[i].p),
	};
}

static bool find_own(const char *name, struct tool_file *file)
{
	for (size_t i = 0; i < toolbox_size(); i++) {
		if (strcmp(toolbox_name(i), name) != 0)
			continue;
		if (file)
			*file = own_file(i);
		return true;
	}
	return false;
}

bool toolbox_has(const char *name)
{
	return find_own(name, NULL);
}

void tool_file_release(struct tool_file *f)
{
	free(f->name);
	free(f->file);
	free(f->text);
	*f = (struct tool_file){ 0 };
}

/* ---- the user's ---------------------------------------------------------------------------- */

/* Under sudo a person's own files are as good as root's. */
static bool is_trusted(uid_t uid)
{
	const char *sudo = getenv("SUDO_UID");
	u64 caller;

	if (uid == 0 || uid == geteuid())
		return true;
	return sudo && geteuid() == 0 && num_parse_dec(view_of(sudo), &caller) && uid == caller;
}

/* A file that others can write would run their commands as us. */
static int check_owner(const char *path, const struct stat *st, bool sticky_is_fine,
		       struct err *err)
{
	bool is_sticky = sticky_is_fine && S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

	if (!is_trusted(st->st_uid)) {
		err_set(err, ERR_PERM, "'%s' belongs to another user (%u): not run", path,
			st->st_uid);
		return err_hint(err, "copy it to a folder of your own");
	}
	if (st->st_mode & (S_IWGRP | S_IWOTH) && !is_sticky) {
		err_set(err, ERR_PERM, "others can write '%s': not run", path);
		return err_hint(err, "chmod go-w %s", path);
	}
	return 0;
}

static int check_folder(const char *dir, bool sticky_is_fine, struct err *err)
{
	struct stat st;

	if (stat(dir, &st))
		return err_errno(err, errno, "cannot look at the folder '%s'", dir);
	return check_owner(dir, &st, sticky_is_fine, err);
}

static int read_recipe(int fd, const char *path, struct str *text, struct err *err)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return err_errno(err, errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "'%s' is not a regular file", path);
	ret = check_owner(path, &st, false, err);
	if (ret)
		return ret;
	ret = file_read_fd(fd, TEXT_MAX, text);
	if (ret == -E2BIG)
		return err_set(err, ERR_USAGE,
			       "'%s' is longer than %d bytes, the limit of a recipe", path,
			       TEXT_MAX);
	if (ret)
		return err_errno(err, -ret, "cannot read '%s'", path);
	if (memchr(str_text(text), '\0', text->n))
		return err_set(err, ERR_USAGE, "'%s' is not a text file", path);
	return 0;
}

/* "dir/mytool.bperf" is mytool. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name), end = strlen(SUFFIX);

	if (n > end && !strcmp(name + n - end, SUFFIX))
		n -= end;
	return mem_strndup(name, n);
}

static int load(const char *path, bool sticky_is_fine, struct tool_file *file, struct err *err)
{
	_cleanup_(str_release) struct str text = { 0 };
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char real[PATH_MAX];
	int ret;

	if (fd < 0)
		return err_errno(err, errno, "cannot open '%s'", path);
	if (!realpath(path, real))
		return err_errno(err, errno, "cannot find '%s'", path);
	ret = check_folder(dirname(real), sticky_is_fine, err) ?: read_recipe(fd, path, &text, err);
	if (ret)
		return ret;
	*file = (struct tool_file){ name_of(path), mem_strdup(path), mem_strdup(str_text(&text)) };
	return 0;
}

static int find_in(const char *dir, const char *name, struct tool_file *file, struct err *err)
{
	_cleanup_(free_p) char *path = mem_printf("%s/%s" SUFFIX, dir, name);

	if (file_is_missing(path))
		return 0;
	return check_folder(dir, false, err) ?: load(path, false, file, err);
}

static int shadows(const char *path, const char *name, const char *what, struct err *err)
{
	err_set(err, ERR_USAGE, "'%s': '%s' is %s of bperf already", path, name, what);
	return err_hint(err, "give the file another name");
}

static bool is_path(const char *word)
{
	size_t n = strlen(word), end = strlen(SUFFIX);

	return strchr(word, '/') || (n > end && !strcmp(word + n - end, SUFFIX));
}

int toolbox_find(const char *word, const char *dir, struct tool_file *file, struct err *err)
{
	int ret;

	*file = (struct tool_file){ 0 };
	if (is_path(word)) {
		ret = load(word, true, file, err);
		if (!ret && command_find(file->name))
			ret = shadows(word, file->name, "a command", err);
		return ret;
	}
	if (dir) {
		ret = find_in(dir, word, file, err);
		if (!ret && file->name && toolbox_has(word))
			ret = shadows(file->file, word, "a tool", err);
		if (ret || file->name)
			return ret;
	}
	find_own(word, file);
	return 0;
}

int toolbox_check(const char *command, const char *dir, struct err *err)
{
	_cleanup_(free_p) char *path = NULL;

	if (!dir)
		return 0;
	path = mem_printf("%s/%s" SUFFIX, dir, command);
	return file_is_missing(path) ? 0 : shadows(path, command, "a command", err);
}

const char *toolbox_nearest(const char *word, const char *other)
{
	struct nearest near = { .word = word };

	nearest_offer(&near, other);
	for (size_t i = 0; i < toolbox_size(); i++)
		nearest_offer(&near, toolbox_name(i));
	return near.best;
}

/* ---- the list ------------------------------------------------------------------------------ */

static const char *group_of(const struct recipe *r)
{
	return r->group ? r->group : "other";
}

static void list_group(const struct recipe *recipes, const char *group, FILE *f)
{
	fprintf(f, "\n%s:\n", group);
	for (size_t i = 0; i < toolbox_size(); i++)
		if (!strcmp(group_of(&recipes[i]), group))
			fprintf(f, "  %-20s %s\n", recipes[i].name, recipes[i].purpose);
}

static bool is_first_of_group(const struct recipe *recipes, size_t i)
{
	for (size_t n = 0; n < i; n++)
		if (!strcmp(group_of(&recipes[n]), group_of(&recipes[i])))
			return false;
	return true;
}

void toolbox_list(FILE *f)
{
	size_t n = toolbox_size();
	struct recipe *recipes = mem_alloc(n + 1, sizeof(*recipes));
	struct err ignored = { 0 };

	for (size_t i = 0; i < n; i++)
		if (recipe_read(toolbox_name(i), "", box.texts.items[i].p, &recipes[i], &ignored))
			recipes[i].purpose = "";
	for (size_t i = 0; i < n; i++)
		if (is_first_of_group(recipes, i))
			list_group(recipes, group_of(&recipes[i]), f);
	for (size_t i = 0; i < n; i++)
		recipe_release(&recipes[i]);
	free(recipes);
}
