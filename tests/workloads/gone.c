/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gone [SECONDS [unlink|replace|memfd]]: burns in gone_work after its own file was unlinked or
 * replaced by other bytes, or from a file that never had a name (memfd).
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "work.h"

NOINLINE void gone_work(u64 ns);
NOINLINE void gone_work(u64 ns)
{
	burn_ns(ns);
	barrier();
}

static int self_path(char *path, size_t n)
{
	ssize_t len = readlink("/proc/self/exe", path, n - 1);

	if (len <= 0)
		return -1;
	path[len] = '\0';
	return 0;
}

static void put_garbage(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	static const char text[] = "#!/bin/sh\nexit 1\n";

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		exit(1);
	close(fd);
}

static void into_memfd(char **argv, const char *path)
{
	int from = open(path, O_RDONLY), to = memfd_create("evil;name", 0);
	char buf[65536];
	ssize_t n;
	char *args[] = { argv[0], argv[1], NULL };

	if (from < 0 || to < 0)
		exit(1);
	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, (size_t)n) != n)
			exit(1);
	close(from);
	fexecve(to, args, environ);
	exit(127);
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	const char *how = argc > 2 ? argv[2] : "";
	char path[4096];

	if (self_path(path, sizeof(path)))
		return 1;
	if (!strcmp(how, "memfd"))
		into_memfd(argv, path);
	if (*how && unlink(path))
		return 1;
	if (!strcmp(how, "replace"))
		put_garbage(path);
	say_pid();
	gone_work(ns);
	return 0;
}
