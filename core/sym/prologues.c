// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/prologues.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sym/elf.h"
#include "sym/elfsyms.h"

#define PROLOGUE_BYTES 32
#define MIN_FUNCTION   128 /* bytes: shorter functions are often leaves, which need no frame */

struct counting {
	const struct elf *elf;
	struct prologues *out;
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
	struct counting *c = ctx;
	const struct elf_segment *seg;
	u8 code[PROLOGUE_BYTES];

	if (!s->is_defined || s->size < MIN_FUNCTION)
		return true;
	vec_for_each(seg, &c->elf->loads) {
		if (!seg->is_exec || s->start < seg->vaddr ||
		    s->start - seg->vaddr >= seg->file_size)
			continue;
		if (!elf_src_read(&c->elf->src, seg->off + (s->start - seg->vaddr), code,
				  sizeof(code)))
			break;
		c->out->n++;
		c->out->n_frames += begins_frame(code, sizeof(code));
		break;
	}
	return true;
}

int prologues_count(const char *path, struct prologues *out)
{
	_cleanup_(elf_release) struct elf elf = { 0 };
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct counting c = { .elf = &elf, .out = out };
	struct elf_src src;
	struct stat st;

	*out = (struct prologues){ 0 };
	if (fd < 0 || fstat(fd, &st))
		return -1;
	src = (struct elf_src){ .fd = fd, .size = (u64)st.st_size };
	if (elf_init(&elf, &src))
		return -1;
	elfsyms_each(&elf, SHT_DYNSYM, look_at, &c);
	return 0;
}
