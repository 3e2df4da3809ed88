// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/ifunc_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/procfile.h"
#include "base/stop.h"
#include "site/mapfile_int.h"
#include "sym/elfrela.h"
#include "sym/elfsyms.h"

#define MAX_MAPS	  (4 << 20) /* bytes of /proc/PID/maps */
#define MAX_NS		  NS_PER_SEC
#define MAX_ANSWERS	  8   /* processes that have loaded the file */
#define MAX_MODULES	  256 /* other files of a process */
#define MAX_MODULE_CPU_NS (100 * NS_PER_MS)
#define MAX_MODULE_BYTES  (64ULL << 20)

/* A word in memory to which the loader writes the address of an implementation. */
struct slot {
	struct ifunc *of;
	u64 vaddr; /* in the file with the relocation */
};

struct search {
	const struct user_file *file;
	struct ifunc *list;
	size_t n;
	const char *proc; /* where /proc is mounted */
	u64 until_ns;
	u32 n_answers;	      /* processes that have loaded the file */
	VEC(struct slot) own; /* in the file itself */
	/* The process that is being searched. */
	int mem_fd;
	u64 bias;	/* added to the file's addresses */
	u64 start, end; /* range of its code */
	u64 vdso, vdso_end;
};

static bool is_all_known(const struct search *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->list[i].start && !s->list[i].is_vdso && !s->list[i].is_minor)
			return false;
	return true;
}

static void take_own(void *ctx, const struct elf *e, const struct elf_section *sec, u64 index,
		     const Elf64_Rela *r)
{
	struct search *s = ctx;

	(void)sec, (void)index;
	if (!elfrela_is_resolved(e, r))
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].resolver == (u64)r->r_addend)
			vec_push(&s->own, (struct slot){ &s->list[i], r->r_offset });
}

/* ---- the contents of a slot ---- */

static s32 signed_word(const u8 *p)
{
	s32 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The table of .eh_frame_hdr in the form that all linkers write: pairs of addresses, relative to
 * the section, sorted. */
#define HDR_BYTES  12
#define HDR_SIGNED 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define HDR_COUNT  0x03 /* DW_EH_PE_udata4 */

static bool begins_function(const struct elf *e, u64 at)
{
	const struct elf_section *sec = elf_section_named(e, ".eh_frame_hdr");
	u8 head[HDR_BYTES], pair[8];
	u64 lo = 0, hi;

	if (!sec || sec->size < HDR_BYTES || !elf_src_read(&e->src, sec->off, head, sizeof(head)) ||
	    head[0] != 1 || head[2] != HDR_COUNT || head[3] != HDR_SIGNED)
		return false;
	hi = (u32)signed_word(head + 8);
	if (hi > (sec->size - HDR_BYTES) / sizeof(pair))
		return false;
	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2, start;

		if (!elf_src_read(&e->src, sec->off + HDR_BYTES + mid * sizeof(pair), pair,
				  sizeof(pair)))
			return false;
		start = sec->addr + (u64)(s64)signed_word(pair);
		if (start == at)
			return true;
		if (start < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static void read_slot(struct search *s, struct ifunc *of, u64 at)
{
	u64 value, off;

	if (of->start || pread(s->mem_fd, &value, sizeof(value), (off_t)at) != sizeof(value))
		return;
	of->is_vdso |= value >= s->vdso && value < s->vdso_end;
	if (value < s->start || value >= s->end)
		return;
	value -= s->bias;
	if (value != of->resolver && user_file_offset(s->file, value, &off) &&
	    begins_function(&s->file->elf, value))
		of->start = value;
}

/* ---- other files of the process ---- */

struct module {
	struct search *s;
	u64 bias;
};

static void take_call(void *ctx, const struct elf *e, const struct elf_section *sec, u64 index,
		      const Elf64_Rela *r)
{
	_cleanup_(str_release) struct str name = { 0 };
	const struct module *m = ctx;

	(void)index;
	if (!elfrela_is_call(e, r) || sec->link >= e->sections.n ||
	    !elfsyms_name_at(e, &e->sections.items[sec->link], (u32)ELF64_R_SYM(r->r_info), &name))
		return;
	for (size_t i = 0; i < m->s->n; i++) {
		struct ifunc *of = &m->s->list[i];

		if (!of->start && !of->is_minor && !strcmp(of->name, str_text(&name)))
			read_slot(m->s, of, m->bias + r->r_offset);
	}
}

static void look_in_module(struct search *s, u32 tgid, const struct map_line *line)
{
	struct meter meter = { .max_cpu_ns = MAX_MODULE_CPU_NS, .max_bytes = MAX_MODULE_BYTES };
	struct module m = { .s = s };
	struct elf e = { 0 };
	struct stat st;
	int fd = mapfile_open(s->proc, tgid, line, &st);
	u64 vaddr;

	if (fd < 0)
		return;
	meter_begin(&meter);
	if (!elf_init(&e,
		      &(struct elf_src){ .fd = fd, .size = (u64)st.st_size, .meter = &meter }) &&
	    elf_vaddr(&e, line->off, &vaddr)) {
		m.bias = line->start - vaddr;
		elfrela_each(&e, take_call, &m);
	}
	elf_release(&e);
	close(fd);
}

/* ---- processes ---- */

static bool is_of_file(const struct search *s, u32 tgid, const struct map_line *line)
{
	return mapfile_is(s->proc, tgid, line, s->file->site->dev, s->file->site->ino);
}

/* Find where the process has the file's code. */
static bool find_code(struct search *s, u32 tgid, struct view maps)
{
	struct map_line line;
	struct view text;
	u64 vaddr;

	while (view_split(&maps, '\n', &text)) {
		if (!map_line_parse(text, &line) || !line.is_exec || !is_of_file(s, tgid, &line) ||
		    !elf_vaddr(&s->file->elf, line.off, &vaddr))
			continue;
		s->start = line.start;
		s->end = line.end;
		s->bias = line.start - vaddr;
		return true;
	}
	return false;
}

static void find_vdso(struct search *s, struct view maps)
{
	struct map_line line;
	struct view text;

	s->vdso = s->vdso_end = 0;
	while (view_split(&maps, '\n', &text)) {
		if (!map_line_parse(text, &line) || !view_eq(line.path, "[vdso]"))
			continue;
		s->vdso = line.start;
		s->vdso_end = line.end;
	}
}

static bool is_over(const struct search *s)
{
	return is_all_known(s) || now_ns() >= s->until_ns || stop_is_asked();
}

static void look_in_modules(struct search *s, u32 tgid, struct view maps)
{
	struct map_line line;
	struct view text;
	u32 n = 0;

	while (n < MAX_MODULES && !is_over(s) && view_split(&maps, '\n', &text)) {
		if (!map_line_parse(text, &line) || !line.is_exec || !line.ino ||
		    line.start == s->start)
			continue;
		look_in_module(s, tgid, &line);
		n++;
	}
}

/* Returns true if the process has loaded the file. */
static bool look_in_process(struct search *s, u32 tgid)
{
	_cleanup_(str_release) struct str maps = { 0 };
	const struct slot *slot;
	char path[64];

	snprintf(path, sizeof(path), "%.24s/%u/maps", s->proc, tgid);
	if (file_read(path, MAX_MAPS, &maps) || !find_code(s, tgid, str_view(&maps)))
		return false;
	snprintf(path, sizeof(path), "%.24s/%u/mem", s->proc, tgid);
	s->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->mem_fd < 0)
		return false;
	find_vdso(s, str_view(&maps));
	vec_for_each(slot, &s->own)
		read_slot(s, slot->of, s->bias + slot->vaddr);
	look_in_modules(s, tgid, str_view(&maps));
	close(s->mem_fd);
	return true;
}

static bool is_trusted(const struct search *s, u32 tgid)
{
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "%.24s/%u", s->proc, tgid);
	return !stat(path, &st) && (!st.st_uid || st.st_uid == geteuid());
}

static bool take_process(void *ctx, u32 tgid)
{
	struct search *s = ctx;

	if (is_trusted(s, tgid))
		s->n_answers += look_in_process(s, tgid);
	return s->n_answers < MAX_ANSWERS && !is_over(s);
}

void ifuncs_find(const struct user_file *file, const char *proc, u32 tgid, struct ifunc *list,
		 size_t n)
{
	struct search s = {
		.file = file,
		.proc = proc,
		.list = list,
		.n = n,
		.until_ns = now_ns() + MAX_NS,
	};

	if (!n)
		return;
	elfrela_each(&file->elf, take_own, &s);
	if (tgid)
		look_in_process(&s, tgid);
	if (!is_over(&s))
		proc_each_process(proc, take_process, &s);
	vec_release(&s.own);
}
