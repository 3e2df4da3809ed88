// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/elfrela.h"

#define RELA_CHUNK 1024

bool elfrela_is_call(const struct elf *e, const Elf64_Rela *r)
{
	u64 type = ELF64_R_TYPE(r->r_info);

	if (e->machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

bool elfrela_is_resolved(const struct elf *e, const Elf64_Rela *r)
{
	u64 wanted = e->machine == EM_X86_64 ? R_X86_64_IRELATIVE : R_AARCH64_IRELATIVE;

	return ELF64_R_TYPE(r->r_info) == wanted;
}

static u64 skip_hole(const struct elf *e, const struct elf_section *sec, u64 index)
{
	u64 at = sec->off + index * sizeof(Elf64_Rela), data = elf_src_data(&e->src, at);

	return data - at < RELA_CHUNK * sizeof(Elf64_Rela) ? index
							   : (data - sec->off) / sizeof(Elf64_Rela);
}

static void each_in(const struct elf *e, const struct elf_section *sec, elfrela_fn fn, void *ctx)
{
	Elf64_Rela chunk[RELA_CHUNK];
	u64 n = sec->size / sizeof(*chunk);

	if (sec->off > e->src.size || sec->size > e->src.size - sec->off)
		return;
	for (u64 i = skip_hole(e, sec, 0); i < n; i = skip_hole(e, sec, i)) {
		size_t bytes = elf_src_read_some(
			&e->src, sec->off + i * sizeof(*chunk), chunk,
			n - i < RELA_CHUNK ? (size_t)(n - i) * sizeof(*chunk) : sizeof(chunk));
		size_t got = bytes / sizeof(*chunk);

		for (size_t k = 0; k < got; k++)
			fn(ctx, e, sec, i + k, &chunk[k]);
		if (!got || !meter_step(e->src.meter, got))
			return;
		i += got;
	}
}

void elfrela_each(const struct elf *e, elfrela_fn fn, void *ctx)
{
	const struct elf_section *sec;

	if (!e->is_64)
		return;
	vec_for_each(sec, &e->sections)
		if (sec->type == SHT_RELA)
			each_in(e, sec, fn, ctx);
}
