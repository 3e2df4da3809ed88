// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "recipe/toolsite.h"

#include <string.h>

#include "host/btf.h"
#include "host/feature.h"
#include "site/list.h"

static struct kernel *kernel;

static void count(void *ctx, const char *line)
{
	(void)line;
	(*(u32 *)ctx)++;
}

static bool is_function(const char *site)
{
	return !strncmp(site, "k:", 2) || !strncmp(site, "kr:", 3) || !strncmp(site, "f:", 2);
}

/* In lockdown, the kernel lists functions, but none of them can be probed. */
static bool can_probe_functions(void)
{
	return !feature_is_missing(FEATURE_KPROBE) || !feature_is_missing(FEATURE_FENTRY);
}

bool tool_has_site(void *ctx, const char *site)
{
	const struct kernel_paths paths = { .types = kernel_types };
	const struct list_opts opts = { 0 };
	struct err ignored = { 0 };
	u32 n = 0;

	(void)ctx;
	if (is_function(site) && !can_probe_functions())
		return false;
	if (!kernel)
		kernel = kernel_open(&paths);
	return !list_probes(kernel, site, &opts, count, &n, &ignored) && n;
}

void tool_site_end(void)
{
	if (kernel)
		kernel_close(kernel);
	kernel = NULL;
}
