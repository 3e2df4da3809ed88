/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of libc whose parameters everybody knows by name, where nothing else tells them. */
#ifndef SITE_LIBCALLS_H
#define SITE_LIBCALLS_H

#include "site/site.h"

/* The parameters of a site's function, *n of them; NULL: it is none of those. */
const struct site_param *libcall_params(const struct site *s, u32 *n);

#endif
