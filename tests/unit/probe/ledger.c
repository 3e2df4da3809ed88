// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Losses of probes in words: one is not several. */
#include <unistd.h>

#include "probe/probes_int.h"
#include "test.h"

static void read_back(FILE *f, char *out, size_t size)
{
	size_t n;

	rewind(f);
	n = fread(out, 1, size - 1, f);
	out[n] = '\0';
	fclose(f);
}

static void said(const struct event_probe *count, char *out, size_t size)
{
	FILE *f = tmpfile();
	int old = dup(STDERR_FILENO);

	CHECK(f && old >= 0);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	probes_say_ledger(count, 1);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
	read_back(f, out, size);
}

static void check_returns(u64 n, const char *want)
{
	const struct event_probe count = { .name = "r::f", .no_start = n };
	char out[256];

	said(&count, out, sizeof(out));
	CHECK(strstr(out, want));
}

TEST(one_return_is_and_two_returns_are)
{
	check_returns(1, "r::f: 1 return is from calls begun before the run\n");
	check_returns(2, "r::f: 2 returns are from calls begun before the run\n");
}
