/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * spread THREADS WORD...: each word is done by each of the threads, in order.
 *
 *	V:N	call_value(V), N times; it returns V
 *	K:V:N	call_keyed(K, V), N times
 *	keys:N	call_keyed(i, i) for i from 0 to N - 1
 *	text:N	call_text("even") and call_text("odd") in turns, N calls together
 *	fault:N	call_text(an address that cannot be read), N times
 *	nap:MS	call_nap(MS): sleeps that long
 *	small:N, big:N	N times call_alloc(16) below take_small, 4096 below take_big
 *	plain:N	N times call_plain() below take_plain
 *	wait:MS	nothing, for that long
 */
#include <pthread.h>

#include "work.h"

static char **words;
static u64 nap_ns;

NOINLINE long call_value(long value);
NOINLINE long call_value(long value)
{
	barrier();
	return value;
}

NOINLINE int call_keyed(int key, long value);
NOINLINE int call_keyed(int key, long value)
{
	barrier();
	return key + (int)value;
}

NOINLINE int call_text(const char *text);
NOINLINE int call_text(const char *text)
{
	barrier();
	return text != NULL;
}

/* Its page is in memory after that. */
static const char *touched(const char *text)
{
	(void)*(const volatile char *)text;
	return text;
}

NOINLINE void call_nap(long ms);
NOINLINE void call_nap(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * (long)MS };

	raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
	barrier();
}

NOINLINE void call_alloc(size_t size);
NOINLINE void call_alloc(size_t size)
{
	__asm__ volatile("" : "+r"(size));
}

NOINLINE void take(size_t size);
NOINLINE void take(size_t size)
{
	call_alloc(size);
	barrier();
}

NOINLINE void take_small(void);
NOINLINE void take_small(void)
{
	take(16);
	barrier();
}

NOINLINE void take_big(void);
NOINLINE void take_big(void)
{
	take(4096);
	barrier();
}

/* Two instructions of four bytes, and no frame. */
long call_plain(long value);
__asm__(".pushsection .text\n"
	".globl call_plain\n"
	".type call_plain, %function\n"
	"call_plain:\n"
#ifdef __aarch64__
	"add x0, x0, #1\n"
#else
	"lea 1(%rdi), %rax\n"
#endif
	"ret\n"
	".size call_plain, . - call_plain\n"
	".popsection\n");

NOINLINE void take_plain(void);
NOINLINE void take_plain(void)
{
	call_plain(1);
	barrier();
}

static void do_nap(long ms)
{
	u64 start = wall_ns();

	call_nap(ms);
	__atomic_fetch_add(&nap_ns, wall_ns() - start, __ATOMIC_RELAXED);
}

static bool do_named(const char *word)
{
	const char *colon = strchr(word, ':');
	long n = colon ? atol(colon + 1) : 0;

	if (!strncmp(word, "keys:", 5))
		for (long i = 0; i < n; i++)
			call_keyed((int)i, i);
	else if (!strncmp(word, "text:", 5))
		for (long i = 0; i < n; i++)
			call_text(touched(i % 2 ? "odd" : "even"));
	else if (!strncmp(word, "fault:", 6))
		for (long i = 0; i < n; i++)
			call_text((const char *)16);
	else if (!strncmp(word, "nap:", 4))
		do_nap(n);
	else if (!strncmp(word, "small:", 6))
		for (long i = 0; i < n; i++)
			take_small();
	else if (!strncmp(word, "big:", 4))
		for (long i = 0; i < n; i++)
			take_big();
	else if (!strncmp(word, "plain:", 6))
		for (long i = 0; i < n; i++)
			take_plain();
	else if (!strncmp(word, "wait:", 5))
		usleep((unsigned)n * 1000);
	else
		return false;
	return true;
}

static void do_numbers(const char *word)
{
	long v[3] = { 0 };
	int n = 0;
	char *end;

	for (; n < 3; n++) {
		v[n] = strtol(word, &end, 10);
		word = end + 1;
		if (*end != ':')
			break;
	}
	if (n == 1)
		for (long i = 0; i < v[1]; i++)
			call_value(v[0]);
	else
		for (long i = 0; i < v[2]; i++)
			call_keyed((int)v[0], v[1]);
}

static void *work(void *ctx)
{
	for (char **word = words; *word; word++)
		if (!do_named(*word))
			do_numbers(*word);
	return ctx;
}

int main(int argc, char **argv)
{
	u64 n_threads = arg_u64(argc, argv, 1, 1);
	pthread_t threads[64];

	if (n_threads > 64 || argc < 3)
		return 64;
	words = argv + 2;
	for (u64 i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (u64 i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	printf("nap_ns %llu\n", (unsigned long long)nap_ns);
	return 0;
}
