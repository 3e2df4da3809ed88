/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * disk FILE [N [read|write]]: N (50) reads of a block of FILE past the page cache, each in
 * disk_read; or N times a write of a block in disk_write and an fdatasync in disk_sync.
 */
#include "waits.h"

#define BLOCK 4096

NOINLINE void disk_read(int fd, void *block, u64 offset);
NOINLINE void disk_read(int fd, void *block, u64 offset)
{
	raw_syscall(SYS_pread64, fd, (long)block, BLOCK, (long)offset);
	barrier();
}

NOINLINE void disk_write(int fd, const void *block, u64 offset);
NOINLINE void disk_write(int fd, const void *block, u64 offset)
{
	raw_syscall(SYS_pwrite64, fd, (long)block, BLOCK, (long)offset);
	barrier();
}

NOINLINE void disk_sync(int fd);
NOINLINE void disk_sync(int fd)
{
	raw_syscall(SYS_fdatasync, fd, 0, 0, 0);
	barrier();
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 2, 50);
	bool is_write = argc > 3 && !strcmp(argv[3], "write");
	struct waited waited = { 0 };
	void *block;
	int fd;

	if (argc < 2 || n > 1000000 || posix_memalign(&block, BLOCK, BLOCK))
		return 64;
	fd = open(argv[1], is_write ? O_RDWR : O_RDONLY | O_DIRECT);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	say_pid();
	for (u64 i = 0; i < n; i++) {
		wait_begins(&waited);
		if (is_write) {
			disk_write(fd, block, i % 16 * BLOCK);
			disk_sync(fd);
		} else {
			disk_read(fd, block, i % 16 * BLOCK);
		}
		wait_ends(&waited);
	}
	wait_over(&waited);
	say_waited("disk", &waited);
	return 0;
}
