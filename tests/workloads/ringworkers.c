/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ringworkers FIFO: four workers of io_uring open FIFO, which nobody writes to, while this thread
 * reads from a pipe.  Those made during the read have a copy of its registers.  Prints "pid".
 */
#include <linux/io_uring.h>

#include "waits.h"

enum {
	N = 4,
	SECONDS = 60
};

int main(int argc, char **argv)
{
	struct io_uring_params p = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, N, &p), ends[2];
	struct io_uring_sqe *sqes;
	char *queue, byte;

	if (argc < 2 || ring < 0 || pipe(ends))
		return 1;
	alarm(SECONDS);
	queue = mmap(NULL, p.sq_off.array + N * sizeof(u32), PROT_READ | PROT_WRITE, MAP_SHARED,
		     ring, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, N * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		    IORING_OFF_SQES);
	if (queue == MAP_FAILED || sqes == MAP_FAILED)
		return 1;
	for (u32 i = 0; i < N; i++) {
		sqes[i] = (struct io_uring_sqe){ .opcode = IORING_OP_OPENAT,
						 .flags = IOSQE_ASYNC,
						 .fd = AT_FDCWD,
						 .addr = (u64)(uintptr_t)argv[1] };
		((u32 *)(void *)(queue + p.sq_off.array))[i] = i;
	}
	__atomic_store_n((u32 *)(void *)(queue + p.sq_off.tail), N, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, N, 0, 0, NULL, 0) != N)
		return 1;
	printf("pid %d\n", getpid());
	fflush(stdout);
	return read(ends[0], &byte, 1) != 1;
}
