/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uffd [N [MS]]: thread "toucher" touches N pages (100) in touch_page and sleeps MS milliseconds
 * (5) before each in touch_nap.  Thread "handler" waits in handler_wait for the kernel to tell it
 * of each fault, and fills the page in from handler_fill.  The page fault is what wakes the
 * handler: an exception, on a stack that looks a lot like an interrupt's.
 */
#include <errno.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>

#include "waits.h"

static int fd;
static char *area;
static long page;
static u64 n, nap_ns;
static struct waited filled, fault;

NOINLINE void touch_page(volatile char *p);
NOINLINE void touch_page(volatile char *p)
{
	*p = 1;
	barrier();
}

NOINLINE void touch_nap(void);
NOINLINE void touch_nap(void)
{
	sleep_ns(nap_ns);
	barrier();
}

NOINLINE void handler_wait(struct uffd_msg *msg);
NOINLINE void handler_wait(struct uffd_msg *msg)
{
	if (raw_syscall(SYS_read, fd, (long)msg, sizeof(*msg), 0) != sizeof(*msg))
		exit(1);
	barrier();
}

NOINLINE void handler_fill(u64 address);
NOINLINE void handler_fill(u64 address)
{
	struct uffdio_zeropage z = { .range.start = address & ~((u64)page - 1),
				     .range.len = (u64)page };

	raw_syscall(SYS_ioctl, fd, UFFDIO_ZEROPAGE, (long)&z, 0);
	barrier();
}

static void *handler(void *arg)
{
	struct uffd_msg msg;

	set_name("handler");
	for (u64 i = 0; i < n; i++) {
		wait_begins(&filled);
		handler_wait(&msg);
		wait_ends(&filled);
		handler_fill(msg.arg.pagefault.address);
	}
	wait_over(&filled);
	return arg;
}

static void *toucher(void *arg)
{
	set_name("toucher");
	for (u64 i = 0; i < n; i++) {
		touch_nap();
		wait_begins(&fault);
		touch_page(area + (long)i * page);
		wait_ends(&fault);
	}
	wait_over(&fault);
	return arg;
}

int main(int argc, char **argv)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t threads[2];

	n = arg_u64(argc, argv, 1, 100);
	nap_ns = arg_u64(argc, argv, 2, 5) * MS;
	page = sysconf(_SC_PAGESIZE);
	if (n > 10000)
		return 64;
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	area = mmap(NULL, n * (u64)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	reg.range.start = (u64)(uintptr_t)area;
	reg.range.len = n * (u64)page;
	if (fd < 0 || area == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg)) {
		fprintf(stderr, "uffd: %s\n", strerror(errno));
		return 2;
	}
	say_pid();
	if (pthread_create(&threads[0], NULL, handler, NULL) ||
	    pthread_create(&threads[1], NULL, toucher, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	say_waited("handler", &filled);
	say_waited("fault", &fault);
	return 0;
}
