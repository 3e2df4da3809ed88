// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/ksyms.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/prog.h"
#include "sym/landmarks.h"
#include "sym/symbolizer.h"
#include "test.h"

/* One in this many symbols of kallsyms is looked up. */
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
static void add_all(struct symbolizer *a, struct symbolizer *b, struct symbolizer *c)
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
		symbolizer_kernel(c, addr + n % 16, false);
	}
	fclose(f);
}

static bool same(const struct frame *a, const struct frame *b)
{
	return a->kind == b->kind && a->off == b->off && !a->name == !b->name &&
	       (!a->name || !strcmp(a->name, b->name)) && !strcmp(a->module, b->module);
}

/* Others load and free BPF programs meanwhile: what is compared was there before and after. */
TEST(names_are_those_of_kallsyms)
{
	struct symbolizer *before, *asking, *after;
	const struct frame *a, *b, *c;
	size_t n, n_read, n_named = 0;

	begin();
	before = new_symbolizer(NULL);
	asking = new_symbolizer(&kernel.source);
	after = new_symbolizer(NULL);
	add_all(before, asking, after);
	symbolizer_resolve(before, NULL);
	symbolizer_resolve(asking, NULL);
	symbolizer_resolve(after, NULL);
	a = symbolizer_frames(asking, &n);
	b = symbolizer_frames(before, &n_read);
	CHECK_U64(n, n_read);
	c = symbolizer_frames(after, &n_read);
	CHECK_U64(n, n_read);
	for (size_t i = 0; i < n; i++) {
		if (!same(&b[i], &c[i]))
			continue;
		if (!same(&a[i], &b[i]))
			fprintf(stderr, "%llx: %s [%s] and %s [%s]\n", a[i].vaddr, a[i].name,
				a[i].module, b[i].name, b[i].module);
		CHECK(same(&a[i], &b[i]));
		n_named += a[i].name != NULL;
	}
	CHECK(n_named > 1000);
	symbolizer_free(before);
	symbolizer_free(asking);
	symbolizer_free(after);
	ksyms_release(&kernel);
}

static bool has(const struct landmarks *p, const struct landmark *l)
{
	const struct landmark *other;

	vec_for_each(other, &p->v)
		if (other->start == l->start && other->kind == l->kind)
			return true;
	return false;
}

/* Trampolines come and go, too. */
TEST(landmarks_are_those_of_kallsyms)
{
	struct landmarks before, asked, after;
	const struct landmark *l;
	struct err err = { 0 };

	begin();
	if (!ksyms_can_find(&kernel, NULL))
		SKIP("finding a symbol by its name is slow here");
	CHECK(!landmarks_read("/proc", NULL, &before, &err));
	CHECK(landmarks_ask(&asked, &kernel.source, true));
	vec_for_each(l, &before.v)
		landmarks_find(&asked, l->start);
	CHECK(!landmarks_read("/proc", NULL, &after, &err));
	vec_for_each(l, &before.v) {
		const struct landmark *other = landmarks_find(&asked, l->start);

		if (!has(&after, l))
			continue;
		CHECK(other && other->kind == l->kind && other->label == l->label);
		CHECK_U64(other->start, l->start);
	}
	vec_for_each(l, &asked.v) {
		const struct landmark *other = landmarks_find(&after, l->start);

		CHECK(other && other->kind == l->kind);
		CHECK_U64(other->end, l->end);
	}
	CHECK_U64(asked.sleeps.start, after.sleeps.start);
	CHECK_U64(asked.locks.end, after.locks.end);
	landmarks_release(&before);
	landmarks_release(&asked);
	landmarks_release(&after);
	ksyms_release(&kernel);
}

TEST(types_of_a_file_tell_what_the_kernel_has)
{
	begin();
	CHECK(!ksyms_can_find(&kernel, "/dev/null"));
	ksyms_release(&kernel);
}
