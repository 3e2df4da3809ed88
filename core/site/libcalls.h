/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parameters of well-known functions of libc, for files without other type information. */
#ifndef SITE_LIBCALLS_H
#define SITE_LIBCALLS_H

#include "site/site.h"

/* The parameters of a site's function, *n of them; NULL if it is not in the table. */
const struct site_param *libcall_params(const struct site *s, u32 *n);

#endif
