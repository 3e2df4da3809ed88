/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SITE_COMPLETE_H
#define SITE_COMPLETE_H

#include <stdio.h>

/* Print the probes of this host that begin with the word, "PROBE\tTEXT" each. */
void complete_probe(const char *word, FILE *f);

#endif
