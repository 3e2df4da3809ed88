// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of commands: the rows of commands.def. */
#include <string.h>

#include "base/suggest.h"
#include "cmd/command.h"

#define COMMAND(name) extern const struct command name##_command;
#include "cmd/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &name##_command,
#include "cmd/commands.def"
#undef COMMAND
};
const size_t n_commands = ARRAY_SIZE(commands);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < n_commands; i++) {
		const struct command *c = commands[i];

		if (!strcmp(c->name, name) || (c->old_name && !strcmp(c->old_name, name)))
			return c;
	}
	return NULL;
}

const char *command_nearest(const char *name)
{
	const char *names[2 * ARRAY_SIZE(commands)];
	size_t n = 0;

	for (size_t i = 0; i < n_commands; i++) {
		names[n++] = commands[i]->name;
		if (commands[i]->old_name)
			names[n++] = commands[i]->old_name;
	}
	return nearest_of(name, names, n);
}
