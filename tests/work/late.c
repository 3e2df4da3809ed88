/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * late [SECONDS [LIBRARY]]: burns a third in its own before_load, then opens LIBRARY (plug.so
 * beside itself) and burns the rest in its plug_work: a mapping that was not there when a tool
 * looked first.
 */
#include <dlfcn.h>

#include "work.h"

NOINLINE void before_load(u64 ns);
NOINLINE void before_load(u64 ns)
{
	burn_ns(ns);
	barrier();
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
	void (*work)(u64 ns);
	void *lib;
	char *slash;

	if (n <= 0)
		return 1;
	path[n] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "plug.so");
	say_pid();
	before_load(ns / 3);
	lib = dlopen(argc > 2 ? argv[2] : path, RTLD_NOW);
	work = lib ? (void (*)(u64))(uintptr_t)dlsym(lib, "plug_work") : NULL;
	if (!work) {
		fprintf(stderr, "late: %s\n", dlerror());
		return 1;
	}
	work(ns - ns / 3);
	return 0;
}
