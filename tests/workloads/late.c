/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * late [SECONDS [LIBRARY...]]: burns a part in its own before_load, then opens each LIBRARY in turn
 * (plug.so beside itself), burns a part in its plug_work, and closes it: mappings that did not
 * exist when a tool looked first, and that may take the place of others.  Prints the address of
 * each.
 */
#include <dlfcn.h>

#include "work.h"

NOINLINE void before_load(u64 ns);
NOINLINE void before_load(u64 ns)
{
	burn_ns(ns);
	barrier();
}

static const char *plug_beside_us(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash;

	if (n <= 0)
		exit(1);
	path[n] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "plug.so");
	return path;
}

static void work_in(const char *path, u64 ns)
{
	void *lib = dlopen(path, RTLD_NOW);
	void (*work)(u64 ns) = NULL;

	if (lib)
		work = (void (*)(u64))(uintptr_t)dlsym(lib, "plug_work");
	if (!work) {
		fprintf(stderr, "late: %s\n", dlerror());
		exit(1);
	}
	printf("at %p\n", (void *)(uintptr_t)work);
	work(ns);
	dlclose(lib);
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	int n = argc > 2 ? argc - 2 : 1;

	say_pid();
	before_load(ns / (u64)(n + 1));
	for (int i = 0; i < n; i++)
		work_in(argc > 2 ? argv[i + 2] : plug_beside_us(), ns / (u64)(n + 1));
	return 0;
}
