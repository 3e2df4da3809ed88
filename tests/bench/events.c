/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * events WHAT [N]: does something that can be counted, again and again, or N times; then prints the
 * average time of one, in nanoseconds.  WHAT is write, which is write(2) to /dev/null of 0 to 4095
 * bytes; call, which is call_value(v) with v in the same range; text, which is call_text() of a
 * string of 20 bytes, one of 100; or time, which every 0.1 ms is an lseek(2) of descriptor 77,
 * which is not open, to CLOCK_MONOTONIC in nanoseconds, and call_value() of that.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char buf[4096];

__attribute__((noinline)) unsigned long call_value(unsigned long v);
unsigned long call_value(unsigned long v)
{
	__asm__ volatile("" : "+r"(v));
	return v;
}

__attribute__((noinline)) unsigned long call_text(const char *text);
unsigned long call_text(const char *text)
{
	__asm__ volatile("" : "+r"(text));
	return *text;
}

/* The same string for each hundred numbers that end alike. */
static const char *text_of(unsigned long i)
{
	static char texts[100][24];
	char *text = texts[i % 100];

	if (!*text)
		snprintf(text, sizeof(texts[0]), "/var/lib/data/key-%02lu", i % 100);
	return text;
}

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : ~0UL;
	int fd = open("/dev/null", O_WRONLY);
	unsigned long long start = now_ns();
	unsigned long sum = 0;

	if (argc < 2 || fd < 0)
		return 64;
	if (!strcmp(argv[1], "write")) {
		for (unsigned long i = 0; i < n; i++)
			sum += (unsigned long)write(fd, buf, i & (sizeof(buf) - 1));
	} else if (!strcmp(argv[1], "text")) {
		for (unsigned long i = 0; i < n; i++)
			sum += call_text(text_of(i));
	} else if (!strcmp(argv[1], "time")) {
		for (unsigned long i = 0; i < n; i++) {
			sum += (unsigned long)lseek(77, (off_t)now_ns(), SEEK_SET);
			sum += call_value(now_ns());
			usleep(100);
		}
	} else {
		for (unsigned long i = 0; i < n; i++)
			sum += call_value(i & (sizeof(buf) - 1));
	}
	printf("%.1f\n", (double)(now_ns() - start) / (double)n);
	return sum == 1;
}
