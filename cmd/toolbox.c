// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Find the recipe that a name means: one built into the binary, or one of the user's
 * (recipe/toolfile.h). */
#include "cmd/toolbox.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cmd/embed.h"
#include "recipe/recipe.h"

/* ---- ours ---------------------------------------------------------------------------------- */

static struct {
	struct str all;
	VEC(struct view) names;
	VEC(struct view) texts;
} box;

/* Split the text that the Makefile puts together: for each recipe a line "#= NAME", then the
 * recipe. */
static void open_box(void)
{
	const struct embedded *e = embed_find("recipes");
	struct view rest, line, text = { 0 };

	if (box.names.n || !e)
		return;
	embed_text(e, &box.all);
	rest = str_view(&box.all);
	while (view_split(&rest, '\n', &line)) {
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
		.command = mem_strdup(name),
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

/* ---- by name -------------------------------------------------------------------------------- */

static int shadows(const char *path, const char *name, const char *what, struct err *err)
{
	err_set(err, ERR_USAGE, "'%s': '%s' is %s of bperf already", path, name, what);
	return err_hint(err, "give the file another name");
}

int toolbox_find(const char *word, const char *dir, struct tool_file *file, struct err *err)
{
	int ret;

	*file = (struct tool_file){ 0 };
	if (tool_file_is_path(word)) {
		ret = tool_file_load(word, file, err);
		if (!ret && command_find(file->name))
			ret = shadows(word, file->name, "a command", err);
		return ret;
	}
	if (dir) {
		ret = tool_file_find(dir, word, file, err);
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
	path = tool_file_path(dir, command);
	return file_is_missing(path) ? 0 : shadows(path, command, "a command", err);
}

static void nothing(void *ctx, const char *name)
{
	(void)ctx, (void)name;
}

int toolbox_check_dir(const char *dir, struct err *err)
{
	int ret = tool_file_names(dir, nothing, NULL);

	return ret ? err_errno(err, -ret, "cannot read '%s', the folder of tools", dir) : 0;
}

const char *toolbox_own_dir(void)
{
	const char *dir = getenv("BPERF_TOOLS");

	return dir && dir[0] ? dir : NULL;
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

/* The user's own tools, with the reason why one would not run. */
struct own_list {
	const char *dir;
	FILE *f;
	u32 n;
};

static void list_own(void *ctx, const char *name)
{
	_cleanup_(tool_file_release) struct tool_file file = { 0 };
	struct own_list *list = ctx;
	struct recipe r = { 0 };
	struct err err = { 0 };
	int ret = command_find(name) ? shadows(name, name, "a command", &err)
				     : toolbox_find(name, list->dir, &file, &err);

	if (!ret && file.name)
		ret = recipe_read(file.name, file.file, file.text, &r, &err);
	if (!list->n++)
		fprintf(list->f, "\nin %s:\n", list->dir);
	if (ret)
		fprintf(list->f, "  %-20s cannot be run: %s\n", name, err.what);
	else
		fprintf(list->f, "  %-20s %s\n", name, r.purpose ?: "");
	recipe_release(&r);
}

void toolbox_list(const char *dir, FILE *f)
{
	struct own_list own = { .dir = dir, .f = f };
	size_t n = toolbox_size();
	struct recipe *recipes = mem_alloc(n + 1, sizeof(*recipes));
	struct err ignored = { 0 };
	int ret;

	for (size_t i = 0; i < n; i++)
		if (recipe_read(toolbox_name(i), "", box.texts.items[i].p, &recipes[i], &ignored))
			recipes[i].purpose = "";
	for (size_t i = 0; i < n; i++)
		if (is_first_of_group(recipes, i))
			list_group(recipes, group_of(&recipes[i]), f);
	for (size_t i = 0; i < n; i++)
		recipe_release(&recipes[i]);
	free(recipes);
	ret = tool_file_names(dir, list_own, &own);
	if (ret)
		fprintf(f, "\nin %s:\n  cannot be read: %s\n", dir, strerror(-ret));
}
