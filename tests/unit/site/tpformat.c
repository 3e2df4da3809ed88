// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/tpformat.h"

#include "base/file.h"
#include "test.h"

#define EVENTS "tests/fixtures/probe/host/tracing/events/"

static struct arena arena;

static struct tp_format format_of(const char *path)
{
	struct str text = { 0 };
	struct tp_format f;

	CHECK(!file_read(path, 1 << 20, &text));
	CHECK(tp_format_parse(&arena, str_view(&text), &f));
	str_release(&text);
	return f;
}

static const struct tp_field *field(const struct tp_format *f, const char *name)
{
	for (u32 i = 0; i < f->n_fields; i++)
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	printf("# no field %s\n", name);
	exit(1);
}

TEST(fields_have_types_and_places)
{
	struct tp_format f = format_of(EVENTS "sched/sched_switch/format");
	const struct tp_field *comm = field(&f, "prev_comm");

	CHECK_U64(f.id, 372);
	CHECK_U64(f.n_common, 4);
	CHECK_U64(f.n_fields, 3);
	CHECK_STR(comm->c_type, "char[16]");
	CHECK_U64(comm->offset, 8);
	CHECK_U64(comm->size, 16);
	CHECK(field(&f, "prev_pid")->is_signed);
	arena_release(&arena);
}

TEST(dynamic_fields_say_from_where_they_count)
{
	struct tp_format f = format_of(EVENTS "irq/softirq_entry/format");

	CHECK_U64(field(&f, "name")->loc, 1);
	CHECK_STR(field(&f, "name")->c_type, "char[]");
	CHECK_U64(field(&f, "bytes")->loc, 2);
	CHECK_STR(field(&f, "where")->c_type, "const char *");
	arena_release(&arena);
}

TEST(values_have_the_names_that_are_printed)
{
	struct tp_format f = format_of(EVENTS "irq/softirq_entry/format");
	const struct tp_field *vec = field(&f, "vec");

	CHECK_U64(vec->n_names, 3);
	CHECK_STR(vec->names[1].name, "TIMER");
	CHECK_U64(vec->names[2].value, 0xc00);
	CHECK(!vec->names_are_flags);
	/* They are names of another value. */
	CHECK(!field(&f, "flags")->n_names);
	f = format_of(EVENTS "sched/sched_switch/format");
	CHECK(field(&f, "prev_state")->names_are_flags);
	CHECK_U64(field(&f, "prev_state")->n_names, 4);
	CHECK_U64(field(&f, "prev_state")->names[2].value, 128);
	/* The name for no flag at all. */
	CHECK_U64(field(&f, "prev_state")->names[3].value, 0);
	CHECK_STR(field(&f, "prev_state")->names[3].name, "R");
	arena_release(&arena);
}

TEST(enumerators_that_are_not_replaced_are_named)
{
	static const char text[] =
		"name: x\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:int state;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%s\", __print_symbolic(REC->state, { TCP_ESTABLISHED, \"up\" }, "
		"{ 2, \"two\" }, { _X9 , \"nine\" })\n";
	const struct tp_field *state;
	struct tp_format f;

	CHECK(tp_format_parse(&arena, view_of(text), &f));
	state = field(&f, "state");
	CHECK_U64(state->n_names, 3);
	CHECK_STR(state->names[0].enumerator, "TCP_ESTABLISHED");
	CHECK_STR(state->names[0].name, "up");
	CHECK(!state->names[1].enumerator);
	CHECK_U64(state->names[1].value, 2);
	CHECK_STR(state->names[2].enumerator, "_X9");
	arena_release(&arena);
}

TEST(a_list_of_names_may_end_with_none)
{
	static const char text[] =
		"name: x\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:unsigned long gfp;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:int kind;\toffset:16;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%s %s\", (REC->gfp) ? __print_flags((unsigned long)REC->gfp, \"|\", "
		"{( unsigned long)(( gfp_t)((((1UL))) << (3))), \"A\"}, { 0, ((void *)0) } ) : "
		"\"none\", __print_symbolic(REC->kind, { 1, \"o\" \"ne\" }, { -1, 0 })\n";
	const struct tp_field *gfp, *kind;
	struct tp_format f;

	CHECK(tp_format_parse(&arena, view_of(text), &f));
	gfp = field(&f, "gfp");
	CHECK_U64(gfp->n_names, 2);
	CHECK_STR(gfp->names[0].name, "A");
	CHECK_U64(gfp->names[0].value, 8);
	CHECK_STR(gfp->names[1].name, "none");
	kind = field(&f, "kind");
	CHECK_U64(kind->n_names, 1);
	CHECK_U64(kind->names[0].value, 1);
	CHECK_STR(kind->names[0].name, "one");
	arena_release(&arena);
}

TEST(broken_formats_are_refused)
{
	static const char *const broken[] = {
		"",
		"ID: 1\n",
		"ID: x\n\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:0;\n",
		"ID: 3\n\tfield:int;\toffset:0;\tsize:4;\tsigned:0;\n",
		"ID: 3\n\tfield:int common_x;\toffset:;\tsize:4;\tsigned:0;\n",
	};
	struct tp_format f;

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		CHECK(!tp_format_parse(&arena, view_of(broken[i]), &f));
	arena_release(&arena);
}
