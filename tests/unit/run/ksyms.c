// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/ksyms.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/prog.h"
#include "sym/landmarks.h"
#include "sym/symbolizer.h"
#include "test.h"

/* Every so many symbols of kallsyms are looked up. */
#define STRIDE 7

static struct ksyms kernel;

static void begin(void)
{
	prog_setup();
	ksyms_init(&kernel);
	if (!kernel.source.find(kernel.source.ctx, "_stext"))
		SKIP("this kernel, or this user, cannot ask for single symbols");
}

static struct symbolizer *new_symbolizer(const struct ksym_source *source)
{
	const struct symbolizer_opts opts = { .kernel = source };
	struct symbolizer *s = NULL;
	struct err err = { 0 };

	CHECK(!symbolizer_new(&s, &opts, &err));
	return s;
}

/* Addresses within the kernel's code, modules and BPF programs. */
static void add_all(struct symbolizer *a, struct symbolizer *b)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024];
	u64 n = 0;

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		u64 addr;

		if (!strchr("tTwW", line[17]) || n++ % STRIDE ||
		    !num_parse_hex((struct view){ line, 16 }, &addr))
			continue;
		symbolizer_kernel(a, addr + n % 16, false);
		symbolizer_kernel(b, addr + n % 16, false);
	}
	fclose(f);
}

static bool same(const struct frame *a, const struct frame *b)
{
	return a->kind == b->kind && a->off == b->off && !a->name == !b->name &&
	       (!a->name || !strcmp(a->name, b->name)) && !strcmp(a->module, b->module);
}

TEST(names_are_those_of_kallsyms)
{
	struct symbolizer *asking, *reading;
	const struct frame *a, *b;
	size_t n, n_reading, n_named = 0;

	begin();
	asking = new_symbolizer(&kernel.source);
	reading = new_symbolizer(NULL);
	add_all(asking, reading);
	symbolizer_resolve(asking, NULL);
	symbolizer_resolve(reading, NULL);
	a = symbolizer_frames(asking, &n);
	b = symbolizer_frames(reading, &n_reading);
	CHECK_U64(n, n_reading);
	for (size_t i = 0; i < n; i++) {
		if (!same(&a[i], &b[i]))
			fprintf(stderr, "%llx: %s [%s] and %s [%s]\n", a[i].vaddr, a[i].name,
				a[i].module, b[i].name, b[i].module);
		CHECK(same(&a[i], &b[i]));
		n_named += a[i].name != NULL;
	}
	CHECK(n_named > 1000);
	symbolizer_free(asking);
	symbolizer_free(reading);
	ksyms_release(&kernel);
}

TEST(landmarks_are_those_of_kallsyms)
{
	struct landmarks asked, read;
	const struct landmark *l;
	struct err err = { 0 };

	begin();
	if (!ksyms_can_find(&kernel))
		SKIP("finding a symbol by its name is slow here");
	CHECK(landmarks_ask(&asked, &kernel.source, true));
	CHECK(!landmarks_read("/proc", NULL, &read, &err));
	vec_for_each(l, &read.v) {
		const struct landmark *other = landmarks_find(&asked, l->start);

		CHECK(other && other->kind == l->kind && other->label == l->label);
		CHECK_U64(other->start, l->start);
	}
	vec_for_each(l, &asked.v) {
		const struct landmark *other = landmarks_find(&read, l->start);

		CHECK(other && other->kind == l->kind);
		CHECK_U64(other->end, l->end);
	}
	CHECK_U64(asked.sleeps.start, read.sleeps.start);
	CHECK_U64(asked.locks.end, read.locks.end);
	landmarks_release(&asked);
	landmarks_release(&read);
	ksyms_release(&kernel);
}

TEST_MAIN()
