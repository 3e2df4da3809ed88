// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Small readers of data that others wrote, chosen by the first byte: the loader's cache, names of
 * processes and patterns for them, paths of language runtimes, numbers, fields of tracepoints,
 * names of libraries, tables of sockets, objects that threads wait for. */
#include "tests/fuzz/fuzz.h"

#include "base/glob.h"
#include "base/num.h"
#include "base/str.h"
#include "run/comm_nfa.h"
#include "site/ldcache.h"
#include "site/libs.h"
#include "site/tpformat.h"
#include "sym/jit_hints.h"
#include "wait/object.h"

#define LONGEST_PATH 4096

static bool is_named(const char *soname, const char *prefix)
{
	return !strncmp(soname, prefix, strlen(prefix));
}

static void read_ldcache(struct input *in)
{
	struct str path = { 0 };
	bool found =
		ldcache_find((struct view){ (const char *)in->p, in->n }, "libc", is_named, &path);

	must(found ? path.n <= LONGEST_PATH : !path.n);
	str_release(&path);
}

/* As a filter of processes, and as an operator in expressions. */
static void match_comm(struct input *in)
{
	char *pattern = input_string(in), *text = input_string(in);
	struct commglob g = { 0 };
	struct err err = { 0 };
	struct glob *glob = mem_alloc(1, sizeof(*glob));

	must(!commglob_add(&g, pattern, true, &err) == !err.code);
	if (!err.code)
		commglob_wants(&g, true, text);
	if (glob_read(view_of(pattern), glob))
		glob_takes(glob, view_of(text));
	free(glob);
	free(pattern);
	free(text);
}

static void check_range(void *ctx, u64 value)
{
	must(value <= *(u64 *)ctx);
}

static void read_numbers(struct input *in)
{
	char *text = input_string(in);
	struct err err = { 0 };
	u64 number = 0, max = 8191;

	if (!num_u64(text, 5, 5000, "it", &number, &err))
		must(number >= 5 && number <= 5000);
	err_clear(&err);
	if (!num_duration(text, NS_PER_SEC, 1, 60 * NS_PER_SEC, "it", &number, &err))
		must(number >= 1 && number <= 60 * NS_PER_SEC);
	err_clear(&err);
	num_ranges(text, max, "it", check_range, &max, &err);
	num_parse_dec(view_of(text), &number);
	num_parse_hex(view_of(text), &number);
	free(text);
}

static void read_path(struct input *in)
{
	char *path = input_string(in);

	runtime_of(path);
	runtime_of_program(path);
	free(path);
}

static void read_format(struct input *in)
{
	struct arena arena = { 0 };
	struct tp_format format;

	tp_format_parse(&arena, (struct view){ (const char *)in->p, in->n }, &format);
	arena_release(&arena);
}

static void match_library(struct input *in)
{
	char *prefix = input_string(in), *name = input_string(in);

	must(!libs_is_library(name, prefix) || !strncmp(name, prefix, strlen(prefix)));
	free(prefix);
	free(name);
}

static void read_sockets(struct input *in)
{
	static const char *const tables[] = { "tcp", "tcp6", "unix" };
	struct sockets s = { 0 };
	struct lines l;

	lines_init_text(&l, (struct view){ (const char *)in->p, in->n });
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct lines again = l;

		sockets_add(&s, tables[i], &again);
	}
	sockets_sort(&s);
	for (size_t i = 0; i < s.v.n; i++) {
		const struct wait_object *o = &s.v.items[i];

		must(!i || o[-1].id < o->id);
		must(o->id && memchr(o->name, 0, sizeof(o->name)));
	}
	sockets_release(&s);
}

/* As the hooks send it, with any bytes. */
static void show_object(struct input *in)
{
	struct stack_record *rec = mem_alloc(1, sizeof(*rec));
	struct str text = { 0 };
	struct raw_stack stack = { 0 };

	rec->n_more = OBJECT_WORDS;
	memcpy(rec->frames, in->p,
	       in->n < sizeof(struct wait_object) ? in->n : sizeof(struct wait_object));
	wait_object_of_record(rec, &text, &stack);
	must(!stack.leaf || !stack.futex);
	if (stack.leaf)
		must(stack.leaf == text.p && text.n > 2 && text.p[0] == '[' &&
		     text.p[text.n - 1] == ']');
	str_release(&text);
	free(rec);
}

int fuzz_input(const u8 *data, size_t size)
{
	static void (*const readers[])(struct input *) = {
		read_ldcache, match_comm,    read_numbers, read_path,
		read_format,  match_library, read_sockets, show_object,
	};
	struct input in = { data, size };

	readers[input_byte(&in) % ARRAY_SIZE(readers)](&in);
	return 0;
}
