/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * texts each TIMES THREADS LENGTH...: each thread passes a string of each LENGTH to take_text()
 * TIMES times.
 * texts distinct N LENGTH [ROUNDS [MS]]: N strings of LENGTH bytes, which differ in the last eight
 * only, in each of ROUNDS (1), with MS (0) milliseconds after each round.
 *
 * take_text() returns the length.
 */
#include <pthread.h>

#include "work.h"

#define MAX_LENGTH  100000
#define MAX_LENGTHS 64

static u64 lengths[MAX_LENGTHS], n_lengths, n_times;

NOINLINE u64 take_text(const char *text);
NOINLINE u64 take_text(const char *text)
{
	barrier();
	return strlen(text);
}

static char *text_of(u64 length, char letter)
{
	char *text = malloc(length + 1);

	if (!text)
		exit(1);
	memset(text, letter, length);
	text[length] = '\0';
	return text;
}

static void *take_each(void *arg)
{
	for (u64 i = 0; i < n_lengths; i++) {
		char *text = text_of(lengths[i], (char)('a' + i % 26));

		for (u64 k = 0; k < n_times; k++)
			take_text(text);
		free(text);
	}
	return arg;
}

static int each(int argc, char **argv)
{
	u64 n_threads = arg_u64(argc, argv, 3, 1);
	pthread_t threads[64];

	n_times = arg_u64(argc, argv, 2, 1);
	if (n_threads > 64 || argc - 4 > MAX_LENGTHS)
		return 64;
	for (int i = 4; i < argc; i++) {
		lengths[n_lengths] = arg_u64(argc, argv, i, 0);
		if (lengths[n_lengths++] > MAX_LENGTH)
			return 64;
	}
	for (u64 i = 0; i < n_threads; i++)
		if (pthread_create(&threads[i], NULL, take_each, NULL))
			return 1;
	for (u64 i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int distinct(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 2, 1), length = arg_u64(argc, argv, 3, 100);
	u64 n_rounds = arg_u64(argc, argv, 4, 1), ms = arg_u64(argc, argv, 5, 0);
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000 * MS) };
	char number[9], *text;

	if (length < 8 || length > MAX_LENGTH || n > 99999999)
		return 64;
	text = text_of(length, 'x');
	for (u64 r = 0; r < n_rounds; r++) {
		for (u64 i = 0; i < n; i++) {
			snprintf(number, sizeof(number), "%08llu", (unsigned long long)i);
			memcpy(text + length - 8, number, 8);
			take_text(text);
		}
		if (ms)
			nanosleep(&pause, NULL);
	}
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "each"))
		return each(argc, argv);
	if (argc > 2 && !strcmp(argv[1], "distinct"))
		return distinct(argc, argv);
	return 64;
}
