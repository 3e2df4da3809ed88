/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * demo [SECONDS]: a small load for `make run`, worth looking at in a flame graph.  For SECONDS (3)
 * thread "writer" makes pages of text, "counter" counts the words in them and "sorter" sorts the
 * counts; pages and counts are handed over under one lock, so that threads wait for each other.
 */
#include <pthread.h>

#include "work.h"

#define PAGE_BYTES 65536
#define BUCKETS	   4096
#define WORD_MAX   12

struct word {
	char text[WORD_MAX];
	u32 count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char page[PAGE_BYTES];
static struct word counts[BUCKETS], sorted[BUCKETS];
static bool has_page, has_counts, is_over;

NOINLINE u32 next_random(u32 *state);
NOINLINE u32 next_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

NOINLINE void write_page(char *out, u32 *state);
NOINLINE void write_page(char *out, u32 *state)
{
	for (u32 i = 0; i < PAGE_BYTES; i++)
		out[i] = next_random(state) % 6 ? (char)('a' + next_random(state) % 5) : ' ';
}

NOINLINE u32 hash_word(const char *text, u32 n);
NOINLINE u32 hash_word(const char *text, u32 n)
{
	u32 hash = 2166136261;

	for (u32 i = 0; i < n; i++)
		hash = (hash ^ (u32)text[i]) * 16777619;
	return hash % BUCKETS;
}

NOINLINE void count_words(const char *text, struct word *out);
NOINLINE void count_words(const char *text, struct word *out)
{
	for (u32 at = 0, end; at < PAGE_BYTES; at = end + 1) {
		for (end = at; end < PAGE_BYTES && text[end] != ' ';)
			end++;
		u32 n = end - at < WORD_MAX - 1 ? end - at : WORD_MAX - 1;
		struct word *w = &out[hash_word(text + at, n)];

		memcpy(w->text, text + at, n);
		w->count++;
	}
}

NOINLINE int compare_words(const void *a, const void *b);
NOINLINE int compare_words(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

/* Insertion into a heap, by hand: libc's qsort has no frame pointers on many systems. */
NOINLINE void sift_down(struct word *heap, u32 at, u32 n);
NOINLINE void sift_down(struct word *heap, u32 at, u32 n)
{
	for (u32 child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare_words(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (compare_words(&heap[at], &heap[child]) >= 0)
			return;
		struct word swap = heap[at];

		heap[at] = heap[child];
		heap[child] = swap;
	}
}

NOINLINE void sort_words(struct word *words);
NOINLINE void sort_words(struct word *words)
{
	for (u32 i = BUCKETS / 2; i--;)
		sift_down(words, i, BUCKETS);
	for (u32 n = BUCKETS; n-- > 1;) {
		struct word swap = words[0];

		words[0] = words[n];
		words[n] = swap;
		sift_down(words, 0, n);
	}
}

/* Wait until `flag` is as wanted; the lock is held after that.  False: the time is over. */
NOINLINE bool wait_until(const bool *flag, bool wanted);
NOINLINE bool wait_until(const bool *flag, bool wanted)
{
	pthread_mutex_lock(&lock);
	while (*flag != wanted && !is_over)
		pthread_cond_wait(&changed, &lock);
	return !is_over;
}

NOINLINE void hand_over(bool *flag, bool now);
NOINLINE void hand_over(bool *flag, bool now)
{
	*flag = now;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *writer(void *arg)
{
	static char mine[PAGE_BYTES];
	u32 state = 1;

	pthread_setname_np(pthread_self(), "writer");
	for (;;) {
		write_page(mine, &state);
		if (!wait_until(&has_page, false))
			break;
		memcpy(page, mine, sizeof(page));
		hand_over(&has_page, true);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *counter(void *arg)
{
	static struct word mine[BUCKETS];
	static char text[PAGE_BYTES];

	pthread_setname_np(pthread_self(), "counter");
	while (wait_until(&has_page, true)) {
		memcpy(text, page, sizeof(text));
		hand_over(&has_page, false);
		for (u32 i = 0; i < 4; i++)
			count_words(text, mine);
		if (!wait_until(&has_counts, false))
			break;
		memcpy(counts, mine, sizeof(counts));
		hand_over(&has_counts, true);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *sorter(void *arg)
{
	pthread_setname_np(pthread_self(), "sorter");
	while (wait_until(&has_counts, true)) {
		memcpy(sorted, counts, sizeof(sorted));
		hand_over(&has_counts, false);
		sort_words(sorted);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const work[])(void *) = { writer, counter, sorter };
	pthread_t threads[3];
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;

	for (u32 i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, work[i], NULL))
			return 1;
	usleep((useconds_t)(seconds * 1e6));
	pthread_mutex_lock(&lock);
	hand_over(&is_over, true);
	for (u32 i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
