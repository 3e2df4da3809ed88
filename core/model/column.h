/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MODEL_COLUMN_H
#define MODEL_COLUMN_H

#include <stdbool.h>

/* Other columns are computed from a column "_NAME": text omits it, JSON includes it. */
static inline bool column_is_hidden(const char *name)
{
	return name[0] == '_';
}

#endif
