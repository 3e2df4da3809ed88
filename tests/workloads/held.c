/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * held [N [MS]]: keeps a mutex of the kernel for a known time.  N writes (10) to a pipe, each of a
 * page that is not there yet: while the kernel holds the pipe's mutex, it waits for thread
 * "handler", which fills the page in MS milliseconds (20) later.  Meanwhile thread "asker" wants
 * the same mutex (FIONREAD).
 */
#include <errno.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "waits.h"

static int fd, pipe_fds[2];
static char *area;
static long page;
static u64 n, held_ns;
static sem_t is_held;

static void *handler(void *arg)
{
	set_name("handler");
	for (u64 i = 0; i < n; i++) {
		struct uffd_msg msg;
		struct uffdio_zeropage z = { .range.len = (u64)page };

		if (read(fd, &msg, sizeof(msg)) != sizeof(msg))
			exit(1);
		sem_post(&is_held);
		sleep_ns(held_ns);
		z.range.start = msg.arg.pagefault.address & ~((u64)page - 1);
		if (ioctl(fd, UFFDIO_ZEROPAGE, &z))
			exit(1);
	}
	return arg;
}

static void *asker(void *arg)
{
	set_name("asker");
	for (u64 i = 0; i < n; i++) {
		int ready;

		sem_wait(&is_held);
		if (ioctl(pipe_fds[0], FIONREAD, &ready))
			exit(1);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t threads[2];
	char text[1];

	n = arg_u64(argc, argv, 1, 10);
	held_ns = arg_u64(argc, argv, 2, 20) * MS;
	page = sysconf(_SC_PAGESIZE);
	if (n > 1000)
		return 64;
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	area = mmap(NULL, n * (u64)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	reg.range.start = (u64)(uintptr_t)area;
	reg.range.len = n * (u64)page;
	if (fd < 0 || area == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg) || pipe(pipe_fds)) {
		fprintf(stderr, "held: %s\n", strerror(errno));
		return 2;
	}
	say_pid();
	if (sem_init(&is_held, 0, 0) || pthread_create(&threads[0], NULL, handler, NULL) ||
	    pthread_create(&threads[1], NULL, asker, NULL))
		return 1;
	for (u64 i = 0; i < n; i++)
		if (write(pipe_fds[1], area + (long)i * page, 1) != 1 ||
		    read(pipe_fds[0], text, 1) != 1)
			return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
