/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MODEL_COLUMN_H
#define MODEL_COLUMN_H

#include <stdbool.h>

/* A column "_NAME" is there for others to be computed from: text leaves it out, JSON has it. */
static inline bool column_is_hidden(const char *name)
{
	return name[0] == '_';
}

#endif
