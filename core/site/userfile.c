// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/userfile_int.h"

#include <errno.h>
#include <sys/stat.h>

#include "site/libs.h"

/* Chromium with all its symbols, two million, is searched within a second. */
#define MAX_CPU_NS (5 * NS_PER_SEC)
#define MAX_BYTES  (4ULL << 30)

int user_file_open(struct finder *f, const char *lib, struct user_file *out)
{
	struct elf_src src = { 0 };
	struct err err = { 0 };
	struct stat st;
	int ret;

	*out = (struct user_file){ 0 };
	if (libs_find(f->k, f->opts->tgid, lib, f->plan, &out->site, &err)) {
		text_error(f->text, f->p->lib.n ? f->p->lib : f->p->at, f->err, "%s", err.what);
		f->err->code = err.code;
		if (err.hint[0])
			err_hint(f->err, "%s", err.hint);
		return -f->err->code;
	}
	if (fstat(out->site->fd, &st))
		return err_errno(f->err, errno, "cannot read %s", out->site->path);
	out->meter = (struct meter){ .max_cpu_ns = MAX_CPU_NS, .max_bytes = MAX_BYTES };
	meter_begin(&out->meter);
	src = (struct elf_src){ .fd = out->site->fd,
				.size = (u64)st.st_size,
				.meter = &out->meter };
	ret = elf_init(&out->elf, &src);
	if (ret)
		return err_errno(f->err, -ret, "cannot read %s", out->site->path);
	return 0;
}

int user_file_check(struct user_file *f, struct err *err)
{
	if (!meter_is_over(&f->meter) && !f->meter.is_refused)
		return 0;
	return err_set(err, ERR_NOTARGET, "%s has too many symbols or notes to read",
		       f->site->path);
}

void user_file_release(struct user_file *f)
{
	elf_release(&f->elf);
	f->elf = (struct elf){ 0 };
}

static bool offset_in(const struct user_file *f, u64 vaddr, bool want_exec, u64 *off)
{
	const struct elf_segment *s;

	vec_for_each(s, &f->elf.loads) {
		if ((want_exec && !s->is_exec) || vaddr < s->vaddr ||
		    vaddr - s->vaddr >= s->file_size)
			continue;
		*off = vaddr - s->vaddr + s->off;
		return true;
	}
	return false;
}

bool user_file_offset(const struct user_file *f, u64 vaddr, u64 *off)
{
	return offset_in(f, vaddr, true, off);
}

bool user_file_data_offset(const struct user_file *f, u64 vaddr, u64 *off)
{
	return offset_in(f, vaddr, false, off);
}
