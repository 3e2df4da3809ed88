// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/hostcheck.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "site/ldcache.h"
#include "sym/elf.h"
#include "sym/elfsyms.h"
#include "sym/jit_hints.h"

/* ---- user stacks -------------------------------------------------------------------------- */

#define LD_CACHE	 "/etc/ld.so.cache"
#define MAX_LD_CACHE	 (16 << 20)
#define C_LIBRARY	 "libc.so.6"
#define PROLOGUE_BYTES	 32
#define MIN_FUNCTION	 128 /* bytes: shorter functions are often leaves, which need no frame */
#define ENOUGH_FUNCTIONS 100

struct prologues {
	const struct elf *elf;
	u32 n, n_frames;
};

/* Does a function with this prologue set up a frame pointer? */
static bool begins_frame(const u8 *code, size_t n)
{
#ifdef __aarch64__
	/* stp x29, x30, [sp, ...], with or without write-back, at any offset */
	for (size_t i = 0; i + 4 <= n; i += 4) {
		u32 insn;

		memcpy(&insn, code + i, sizeof(insn));
		insn &= 0xffc07fff;
		if (insn == 0xa9807bfd || insn == 0xa9007bfd)
			return true;
	}
	return false;
#else
	static const u8 push_and_move[] = { 0x55, 0x48, 0x89, 0xe5 }; /* push rbp; mov rbp, rsp */

	return memmem(code, n, push_and_move, sizeof(push_and_move)) != NULL;
#endif
}

static bool look_at(void *ctx, const struct elf_symbol *s)
{
	struct prologues *p = ctx;
	const struct elf_segment *seg;
	u8 code[PROLOGUE_BYTES];

	if (!s->is_defined || s->size < MIN_FUNCTION)
		return true;
	vec_for_each(seg, &p->elf->loads) {
		if (!seg->is_exec || s->start < seg->vaddr ||
		    s->start - seg->vaddr >= seg->file_size)
			continue;
		if (!elf_src_read(&p->elf->src, seg->off + (s->start - seg->vaddr), code,
				  sizeof(code)))
			break;
		p->n++;
		p->n_frames += begins_frame(code, sizeof(code));
		break;
	}
	return true;
}

static bool is_c_library(const char *soname, const char *prefix)
{
	return !strcmp(soname, prefix);
}

/* Distributions build the C library with or without frame pointers like everything else; functions
 * written in assembly never have them. */
static bool count_prologues(struct prologues *p)
{
	_cleanup_(str_release) struct str cache = { 0 }, path = { 0 };
	_cleanup_(elf_release) struct elf elf = { 0 };
	_cleanup_(close_p) int fd = -1;
	struct stat st;
	struct elf_src src;

	if (file_read(LD_CACHE, MAX_LD_CACHE, &cache) ||
	    !ldcache_find(str_view(&cache), C_LIBRARY, is_c_library, &path))
		return false;
	fd = open(str_text(&path), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return false;
	src = (struct elf_src){ .fd = fd, .size = (u64)st.st_size };
	if (elf_init(&elf, &src))
		return false;
	p->elf = &elf;
	elfsyms_each(&elf, SHT_DYNSYM, look_at, p);
	p->elf = NULL;
	return p->n >= ENOUGH_FUNCTIONS;
}

static void add_user_stacks(struct checklist *list)
{
	struct checklist_row row = { .key = "user_stacks", .title = "user stacks" };
	struct prologues p = { 0 };

	if (!count_prologues(&p)) {
		row.detail = "no " C_LIBRARY " here: programs bring their own code";
	} else if (p.n_frames >= p.n / 4) {
		row.detail = C_LIBRARY " has frame pointers";
	} else {
		row.verdict = CHECKLIST_WARN;
		row.detail =
			C_LIBRARY " has no frame pointers: user stacks of trace and argdist are "
				  "truncated there, those of other commands are complete";
		row.next = "bperf help bperf, USER STACKS";
	}
	vec_push(&list->rows, row);
}

/* ---- JIT code ----------------------------------------------------------------------------- */

#define MAX_STATUS (64 << 10)

struct jits {
	u32 n, n_hidden; /* processes without a map; processes that we may not look at */
	u32 first;	 /* process id */
	int runtime;
};

/* The id in the process's own PID namespace, which is part of the map's name.
 * "NSpid:\t4711\t12" */
static u64 own_pid(u32 pid)
{
	_cleanup_(str_release) struct str status = { 0 };
	struct view rest, line, number;
	char path[64];
	u64 own = pid;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file_read(path, MAX_STATUS, &status))
		return pid;
	rest = str_view(&status);
	while (view_cut(&rest, '\n', &line)) {
		if (!view_starts(line, "NSpid:"))
			continue;
		while (view_cut(&line, '\t', &number))
			;
		num_parse_dec(number, &own);
	}
	return own;
}

static bool has_map(u32 pid)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%llu.map", pid, own_pid(pid));
	return !file_is_missing(path);
}

static void look_at_process(struct jits *j, u32 pid)
{
	char link[64], exe[4096];
	ssize_t n;
	int runtime;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n < 0) {
		j->n_hidden += errno == EACCES || errno == EPERM;
		return;
	}
	exe[n] = '\0';
	runtime = runtime_of_program(exe);
	if (runtime < 0 || has_map(pid))
		return;
	if (!j->n++) {
		j->first = pid;
		j->runtime = runtime;
	}
}

static void add_jits(struct arena *a, struct checklist *list)
{
	struct checklist_row row = { .key = "jit", .title = "JIT code" };
	struct jits j = { 0 };
	DIR *proc = opendir("/proc");
	struct dirent *d;
	u64 pid;

	while (proc && (d = readdir(proc)))
		if (num_parse_dec(view_of(d->d_name), &pid))
			look_at_process(&j, (u32)pid);
	if (proc)
		closedir(proc);
	if (j.n) {
		row.verdict = CHECKLIST_WARN;
		row.detail =
			arena_printf(a, "%u process%s without a perf map: JIT code has no names",
				     j.n, j.n == 1 ? "" : "es");
		row.next = runtime_advice(a, j.runtime, j.first);
	} else if (j.n_hidden) {
		row.verdict = CHECKLIST_UNKNOWN;
		row.detail = arena_printf(a, "%u process%s cannot be examined", j.n_hidden,
					  j.n_hidden == 1 ? "" : "es");
	} else {
		row.detail = "all JIT code has a perf map";
	}
	vec_push(&list->rows, row);
}

void hostcheck_add(struct arena *a, struct checklist *list)
{
	add_user_stacks(list);
	add_jits(a, list);
}
