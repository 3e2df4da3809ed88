/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the fuzzers. */
#ifndef FUZZ_H
#define FUZZ_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/view.h"

/* Each fuzzer has this. */
int fuzz_input(const u8 *data, size_t size);

/* libFuzzer's own limit is of wall time, which goes on while others have the CPU. */
#define FUZZ_CPU_SECONDS 5

static inline void fuzz_is_slow(int signal)
{
	static const char text[] = "slow: one input takes more than 5 s of CPU time\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	abort();
}

static inline void fuzz_limit_cpu(time_t seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	signal(SIGPROF, fuzz_is_slow);
	setitimer(ITIMER_PROF, &limit, NULL);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	int ret;

	fuzz_limit_cpu(FUZZ_CPU_SECONDS);
	ret = fuzz_input(data, size);
	fuzz_limit_cpu(0);
	return ret;
}

/* Asserts a property that holds for every input. */
static inline void must(bool is_so)
{
	if (!is_so)
		abort();
}

/* The input is taken from its start on.  At its end come zeros and empty texts. */
struct input {
	const u8 *p;
	size_t n;
};

static inline u8 input_byte(struct input *in)
{
	u8 byte = in->n ? *in->p : 0;

	if (in->n) {
		in->p++;
		in->n--;
	}
	return byte;
}

static inline u64 input_number(struct input *in)
{
	u64 number = 0;

	for (size_t i = 0; i < sizeof(number); i++)
		number = number << 8 | input_byte(in);
	return number;
}

/* The bytes up to the next NUL, or all that are left; the NUL goes with them. */
static inline struct view input_text(struct input *in)
{
	const u8 *end = in->n ? memchr(in->p, 0, in->n) : NULL;
	struct view text = { (const char *)in->p, end ? (size_t)(end - in->p) : in->n };

	in->p += text.n + (end != NULL);
	in->n -= text.n + (end != NULL);
	return text;
}

/* The same as a string; the caller frees it. */
static inline char *input_string(struct input *in)
{
	struct view text = input_text(in);

	return mem_strndup(text.n ? text.p : "", text.n);
}

#endif
