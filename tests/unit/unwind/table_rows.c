// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables of real libraries, row by row against readelf, which is another reader of the same format.
 * A library that this machine does not have is left out.
 */
#include "unwind/table.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "test.h"

#define MAX_COLUMNS 24

struct opened {
	struct elf elf;
	struct unwind_rules rules;
	struct unwind_table table;
	u64 build_ns;
};

static bool open_file(const char *path, struct opened *o)
{
	struct elf_src src = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct stat st;
	u64 begin;

	if (src.fd < 0)
		return false;
	CHECK(!fstat(src.fd, &st));
	src.size = (u64)st.st_size;
	CHECK(!elf_init(&o->elf, &src));
	unwind_rules_init(&o->rules);
	begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	CHECK(!unwind_table_build(&o->table, &o->elf, &o->rules, UINT32_MAX));
	o->build_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
	close(src.fd);
	return true;
}

static void close_file(struct opened *o)
{
	unwind_table_release(&o->table);
	unwind_rules_release(&o->rules);
	elf_release(&o->elf);
}

/* ---- what readelf says ---- */

struct columns {
	char text[MAX_COLUMNS][32];
	int n;
};

/* A register's value in another one takes two words: "r10 (r10)". */
static void split(char *line, struct columns *out)
{
	out->n = 0;
	for (char *word = strtok(line, " \n"); word && out->n < MAX_COLUMNS;
	     word = strtok(NULL, " \n"))
		if (word[0] != '(')
			snprintf(out->text[out->n++], sizeof(out->text[0]), "%s", word);
}

static const char *column(const struct columns *head, const struct columns *row, const char *name)
{
	for (int i = 0; i < head->n && i < row->n; i++)
		if (!strcmp(head->text[i], name))
			return row->text[i];
	return "u"; /* not mentioned in this function */
}

/* ---- the same of a table ---- */

static void say_cfa(const struct cfi_rule *rule, char *out, size_t size)
{
	if (rule->cfa == CFI_SP)
		snprintf(out, size, "rsp%+d", rule->off);
	else if (rule->cfa == CFI_FP)
		snprintf(out, size, "rbp%+d", rule->off);
	else if (rule->cfa == CFI_R10)
		snprintf(out, size, "r10%+d", rule->off);
	else
		snprintf(out, size, "exp");
}

static void say_fp(const struct cfi_rule *rule, char *out, size_t size)
{
	if (rule->fp == CFI_AT_CFA)
		snprintf(out, size, "c%+d", 8 * rule->fp_words);
	else if (rule->fp == CFI_SAME)
		snprintf(out, size, "u");
	else
		snprintf(out, size, "exp");
}

struct result {
	u64 rows, same, none, special, other;
};

static void compare(const struct opened *o, const struct columns *head, const struct columns *row,
		    struct result *r)
{
	u64 addr = strtoull(row->text[0], NULL, 16);
	const struct cfi_rule *rule = &o->rules.list.items[unwind_table_find(&o->table, addr)];
	const char *want_cfa = row->text[1], *want_fp = column(head, row, "rbp");
	const char *want_ra = column(head, row, "ra");
	const char *ra = rule->ra == CFI_SAME ? "r5" : "c-8"; /* rdi in vfork() */
	char cfa[32], fp[32];

	r->rows++;
	if (rule->cfa == CFI_NONE) {
		r->none++;
		return;
	}
	if (rule->cfa == CFI_SIGNAL || !strcmp(want_ra, "exp")) {
		r->special++;
		return;
	}
	say_cfa(rule, cfa, sizeof(cfa));
	say_fp(rule, fp, sizeof(fp));
	if (!strcmp(want_fp, "s"))
		want_fp = "u";
	if (rule->cfa == CFI_END
		    ? !strcmp(want_ra, "u")
		    : !strcmp(cfa, want_cfa) && !strcmp(fp, want_fp) && !strcmp(want_ra, ra)) {
		r->same++;
		return;
	}
	if (r->other++ < 5)
		printf("# %#llx: %s %s, readelf: %s %s %s\n", addr, cfa, fp, want_cfa, want_fp,
		       want_ra);
}

/* Rows of FDEs; those of CIEs have no addresses. */
static struct result compare_file(const char *path, const struct opened *o)
{
	struct columns head = { 0 }, row;
	struct result r = { 0 };
	bool is_fde = false;
	char line[1024];
	FILE *text;

	snprintf(line, sizeof(line), "readelf --debug-dump=frames-interp '%s' 2>/dev/null", path);
	text = popen(line, "r");
	CHECK(text);
	while (fgets(line, sizeof(line), text)) {
		if (strstr(line, " FDE ") || strstr(line, " CIE "))
			is_fde = strstr(line, " FDE ") && !strstr(line, "pc=0000000000000000..");
		else if (strstr(line, " LOC "))
			split(line, &head);
		else if (is_fde && line[0] != '\n' && strspn(line, "0123456789abcdef") == 16)
			split(line, &row), row.n >= 2 ? compare(o, &head, &row, &r) : (void)0;
	}
	pclose(text);
	return r;
}

static void agrees(const char *pattern, double percent)
{
	struct opened o = { 0 };
	struct result r;
	glob_t found;

	if (system("readelf --version >/dev/null 2>&1"))
		SKIP("no readelf here");
	if (glob(pattern, 0, NULL, &found) || !open_file(found.gl_pathv[0], &o))
		SKIP("no such file here");
	r = compare_file(found.gl_pathv[0], &o);
	printf("# %s: %llu rows, %llu the same, %llu without a rule, %llu special, %llu other; "
	       "%zu rows, %zu KB, %zu rules, built in %.1f ms\n",
	       found.gl_pathv[0], r.rows, r.same, r.none, r.special, r.other, o.table.rows.n,
	       (4 * o.table.rows.n + 8 * o.table.pages.n) >> 10, o.rules.list.n,
	       (double)o.build_ns / 1e6);
	CHECK(r.rows > 1000);
	CHECK((double)(r.same + r.special) >= percent / 100 * (double)r.rows);
	CHECK(r.special * 1000 < r.rows);
	CHECK(!r.other);
	/* Readelf repeats rows that say the same. */
	CHECK(o.table.rows.n < 2 * r.rows);
	close_file(&o);
	globfree(&found);
}

#ifdef __x86_64__
#define LIB "/usr/lib/x86_64-linux-gnu/"

TEST(rows_of_libc_are_those_of_readelf)
{
	agrees(LIB "libc.so.6", 99.9);
}

TEST(rows_of_libstdcplusplus_are_those_of_readelf)
{
	agrees(LIB "libstdc++.so.6", 99.9);
}

TEST(rows_of_python_are_those_of_readelf)
{
	agrees("/usr/bin/python3.[0-9]*[0-9]", 99.9);
}

TEST(rows_of_hand_written_assembly_are_those_of_readelf)
{
	agrees(LIB "libcrypto.so.3", 98.9);
}
#endif
