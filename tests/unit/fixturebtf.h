/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The types of tests/fixtures/btf/kernel.c, as compiled by the build that this test belongs to. */
#ifndef FIXTUREBTF_H
#define FIXTUREBTF_H

#include <bpf/btf.h>

#include "test.h"

static struct btf *fixture_btf(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	struct btf *btf;
	char *end;

	CHECK(n > 0);
	path[n] = '\0';
	end = strstr(path, "/unit/");
	CHECK(end);
	strcpy(end, "/btf/kernel.o");
	btf = btf__parse_elf(path, NULL);
	CHECK(btf);
	return btf;
}

#endif
