// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The biggest programs have some fifty sections; objects built with -ffunction-sections are not
 * mapped. */
#define MAX_SECTIONS 8192
#define MAX_SEGMENTS 512
#define MAX_NOTES    65536
/* Limits compressed symbol tables, the only tables that are held in memory.  Linkers do not produce
 * them; only objcopy does, on request. */
#define MAX_INFLATED (16 << 20)
#define DATA_STEP    (1 << 20)
#define INFLATE_STEP (256 << 10)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

size_t elf_src_read_some(const struct elf_src *src, u64 off, void *out, size_t n)
{
	size_t done = 0;

	if (off >= src->size)
		return 0;
	if (n > src->size - off)
		n = (size_t)(src->size - off);
	if (src->mem) {
		memcpy(out, (const char *)src->mem + off, n);
		return n;
	}
	while (done < n && meter_read(src->meter, n - done)) {
		ssize_t got = pread(src->fd, (char *)out + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

bool elf_src_read(const struct elf_src *src, u64 off, void *out, size_t n)
{
	return elf_src_read_some(src, off, out, n) == n;
}

u64 elf_src_data(const struct elf_src *src, u64 off)
{
	off_t at;

	if (src->mem || off >= src->size)
		return off < src->size ? off : src->size;
	at = lseek(src->fd, (off_t)off, SEEK_DATA);
	if (at >= 0)
		return (u64)at;
	return errno == ENXIO ? src->size : off; /* not every file system supports this */
}

/* Read `n` bytes at `off` into memory that is all zero, skipping holes. */
static bool read_data(const struct elf_src *src, u64 off, char *out, u64 n)
{
	for (u64 at = elf_src_data(src, off) - off; at < n;) {
		u64 rest = n - at;
		size_t step = rest < DATA_STEP ? (size_t)rest : DATA_STEP;

		if (!elf_src_read(src, off + at, out + at, step))
			return false;
		at = elf_src_data(src, off + at + step) - off;
	}
	return true;
}

/* ---- headers: one structure for both classes ---- */

struct header {
	u64 phoff, shoff;
	u32 phnum, shnum, phentsize, shentsize, shstrndx;
};

#define HEADER_FROM(h)                                                                         \
	((struct header){ (h).e_phoff, (h).e_shoff, (h).e_phnum, (h).e_shnum, (h).e_phentsize, \
			  (h).e_shentsize, (h).e_shstrndx })

static bool header_read(struct elf *e, struct header *h)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;
	unsigned char ident[EI_NIDENT];

	if (!elf_src_read(&e->src, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_DATA] != NATIVE_DATA)
		return false;
	e->is_64 = ident[EI_CLASS] == ELFCLASS64;
	if (e->is_64 && elf_src_read(&e->src, 0, &h64, sizeof(h64))) {
		e->machine = h64.e_machine;
		*h = HEADER_FROM(h64);
		return true;
	}
	if (ident[EI_CLASS] == ELFCLASS32 && elf_src_read(&e->src, 0, &h32, sizeof(h32))) {
		e->machine = h32.e_machine;
		*h = HEADER_FROM(h32);
		return true;
	}
	return false;
}

struct phdr {
	u32 type, flags;
	u64 off, vaddr, file_size, mem_size;
};

#define PHDR_FROM(p)                                                                      \
	((struct phdr){ (p).p_type, (p).p_flags, (p).p_offset, (p).p_vaddr, (p).p_filesz, \
			(p).p_memsz })

static bool phdr_read(const struct elf *e, const struct header *h, u32 i, struct phdr *out)
{
	Elf64_Phdr p64;
	Elf32_Phdr p32;
	u64 off;

	if (__builtin_add_overflow(h->phoff, (u64)i * h->phentsize, &off))
		return false;
	if (e->is_64) {
		if (h->phentsize < sizeof(p64) || !elf_src_read(&e->src, off, &p64, sizeof(p64)))
			return false;
		*out = PHDR_FROM(p64);
		return true;
	}
	if (h->phentsize < sizeof(p32) || !elf_src_read(&e->src, off, &p32, sizeof(p32)))
		return false;
	*out = PHDR_FROM(p32);
	return true;
}

#define SECTION_FROM(s)                               \
	((struct elf_section){ .type = (s).sh_type,   \
			       .link = (s).sh_link,   \
			       .info = (s).sh_info,   \
			       .flags = (s).sh_flags, \
			       .addr = (s).sh_addr,   \
			       .off = (s).sh_offset,  \
			       .size = (s).sh_size,   \
			       .entsize = (s).sh_entsize })

static bool shdr_read(const struct elf *e, const struct header *h, u32 i, u32 *name,
		      struct elf_section *out)
{
	Elf64_Shdr wide;
	Elf32_Shdr slim;
	u64 off;

	if (__builtin_add_overflow(h->shoff, (u64)i * h->shentsize, &off))
		return false;
	if (e->is_64) {
		if (h->shentsize < sizeof(wide) || !elf_src_read(&e->src, off, &wide, sizeof(wide)))
			return false;
		*name = wide.sh_name;
		*out = SECTION_FROM(wide);
		return true;
	}
	if (h->shentsize < sizeof(slim) || !elf_src_read(&e->src, off, &slim, sizeof(slim)))
		return false;
	*name = slim.sh_name;
	*out = SECTION_FROM(slim);
	return true;
}

/* ---- build id ---- */

#define ALIGN4(x) (((u64)(x) + 3) & ~3ULL)

static void notes_read(struct elf *e, u64 off, u64 size)
{
	u64 end;

	if (size > MAX_NOTES || __builtin_add_overflow(off, size, &end))
		return;
	while (!e->n_build_id && end - off >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note; /* the same in both classes */
		char name[4];
		u64 desc;

		if (!elf_src_read(&e->src, off, &note, sizeof(note)))
			return;
		desc = off + sizeof(note) + ALIGN4(note.n_namesz);
		if (desc > end || ALIGN4(note.n_descsz) > end - desc)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(name) &&
		    note.n_descsz <= BUILD_ID_MAX &&
		    elf_src_read(&e->src, off + sizeof(note), name, sizeof(name)) &&
		    !memcmp(name, ELF_NOTE_GNU, sizeof(name)) &&
		    elf_src_read(&e->src, desc, e->build_id, note.n_descsz))
			e->n_build_id = note.n_descsz;
		off = desc + ALIGN4(note.n_descsz);
	}
}

/* ---- opening ---- */

static void segments_read(struct elf *e, const struct header *h)
{
	u32 n = h->phnum < MAX_SEGMENTS ? h->phnum : MAX_SEGMENTS;

	for (u32 i = 0; i < n; i++) {
		struct phdr p;

		if (!phdr_read(e, h, i, &p))
			return;
		if (p.type == PT_NOTE)
			notes_read(e, p.off, p.file_size);
		if (p.type == PT_LOAD)
			vec_push(&e->loads, (struct elf_segment){
						    .off = p.off,
						    .vaddr = p.vaddr,
						    .file_size = p.file_size,
						    .mem_size = p.mem_size,
						    .is_exec = p.flags & PF_X,
					    });
	}
}

/* With more than 0xff00 sections, section 0 holds the count and the name table's index. */
static bool counts_extend(struct elf *e, struct header *h)
{
	struct elf_section first;
	u32 name;

	if (h->shnum && h->shstrndx != SHN_XINDEX)
		return true;
	if (!h->shoff || !shdr_read(e, h, 0, &name, &first))
		return false;
	if (!h->shnum)
		h->shnum = first.size > UINT32_MAX ? UINT32_MAX : (u32)first.size;
	if (h->shstrndx == SHN_XINDEX)
		h->shstrndx = first.link;
	return true;
}

static void sections_read(struct elf *e, struct header *h)
{
	struct elf_section names = { 0 };
	u32 name;

	if (!counts_extend(e, h) || h->shnum > MAX_SECTIONS ||
	    !shdr_read(e, h, h->shstrndx, &name, &names))
		return;
	for (u32 i = 0; i < h->shnum; i++) {
		struct elf_section sec;

		if (!shdr_read(e, h, i, &name, &sec))
			return;
		if (name < names.size && names.off < e->src.size)
			elf_src_read_some(&e->src, names.off + name, sec.name,
					  sizeof(sec.name) - 1);
		sec.name[sizeof(sec.name) - 1] = '\0';
		vec_push(&e->sections, sec);
	}
}

int elf_init(struct elf *e, const struct elf_src *src)
{
	const struct elf_section *note;
	struct header h;

	*e = (struct elf){ .src = *src };
	if (!header_read(e, &h))
		return -EINVAL;
	segments_read(e, &h);
	sections_read(e, &h);
	note = elf_section_named(e, ".note.gnu.build-id");
	if (!e->n_build_id && note && note->type == SHT_NOTE)
		notes_read(e, note->off, note->size);
	return 0;
}

void elf_release(struct elf *e)
{
	vec_release(&e->loads);
	vec_release(&e->sections);
}

bool elf_vaddr(const struct elf *e, u64 off, u64 *vaddr)
{
	const struct elf_segment *seg, *best = NULL;

	vec_for_each(seg, &e->loads)
		if (off >= seg->off && off - seg->off < seg->file_size &&
		    (!best || (seg->is_exec && !best->is_exec)))
			best = seg;
	if (best)
		*vaddr = off - best->off + best->vaddr;
	return best;
}

const struct elf_section *elf_section_named(const struct elf *e, const char *name)
{
	const struct elf_section *sec;

	vec_for_each(sec, &e->sections)
		if (!strcmp(sec->name, name))
			return sec;
	return NULL;
}

const struct elf_section *elf_section_typed(const struct elf *e, u32 type)
{
	const struct elf_section *sec;

	vec_for_each(sec, &e->sections)
		if (sec->type == type)
			return sec;
	return NULL;
}

const struct elf_section *elf_section_at(const struct elf *e, u64 vaddr)
{
	const struct elf_section *sec;

	if (!meter_step(e->src.meter, e->sections.n))
		return NULL;
	vec_for_each(sec, &e->sections)
		if ((sec->flags & SHF_EXECINSTR) && vaddr >= sec->addr &&
		    vaddr - sec->addr < sec->size)
			return sec;
	return NULL;
}

/* ---- bytes of sections ---- */

/* Read the compression header: the inflated size.  Returns false if the format is not zlib. */
static bool chdr_read(const struct elf *e, const struct elf_section *sec, u64 *size, u64 *skip)
{
	Elf64_Chdr c64;
	Elf32_Chdr c32;

	if (e->is_64) {
		*skip = sizeof(c64);
		if (sec->size < sizeof(c64) || !elf_src_read(&e->src, sec->off, &c64, sizeof(c64)))
			return false;
		*size = c64.ch_size;
		return c64.ch_type == ELFCOMPRESS_ZLIB;
	}
	*skip = sizeof(c32);
	if (sec->size < sizeof(c32) || !elf_src_read(&e->src, sec->off, &c32, sizeof(c32)))
		return false;
	*size = c32.ch_size;
	return c32.ch_type == ELFCOMPRESS_ZLIB;
}

/* Inflate zlib data in the file at [off, off + n) to `size` bytes. */
static int inflate_span(const struct elf_src *src, u64 off, u64 n, size_t size, struct str *out)
{
	z_stream z = { 0 };
	u8 chunk[16384];
	size_t done = 0;
	int ret = Z_OK;

	if (inflateInit(&z) != Z_OK)
		return -ENOMEM;
	z.next_out = (Bytef *)str_reserve(out, size);
	while (ret == Z_OK && done < size && meter_step(src->meter, INFLATE_STEP)) {
		size_t room = size - done < INFLATE_STEP ? size - done : INFLATE_STEP;

		if (!z.avail_in) {
			z.next_in = chunk;
			z.avail_in = (uInt)elf_src_read_some(
				src, off, chunk, n < sizeof(chunk) ? (size_t)n : sizeof(chunk));
			off += z.avail_in;
			n -= z.avail_in;
		}
		z.avail_out = (uInt)room;
		ret = inflate(&z, Z_NO_FLUSH);
		done += room - z.avail_out;
	}
	inflateEnd(&z);
	if (done < size)
		return -EINVAL;
	out->n += size;
	out->p[out->n] = '\0';
	return 0;
}

static bool section_is_inside(const struct elf *e, const struct elf_section *sec)
{
	return sec->type != SHT_NOBITS && sec->off <= e->src.size &&
	       sec->size <= e->src.size - sec->off;
}

int elf_section_load(const struct elf *e, const struct elf_section *sec, size_t max,
		     struct str *out)
{
	u64 size, skip;

	if (!section_is_inside(e, sec))
		return -EINVAL;
	if (sec->flags & SHF_COMPRESSED) {
		if (!chdr_read(e, sec, &size, &skip))
			return -EINVAL;
		/* zlib never compresses better than 1032:1; a larger claim is false. */
		if (size > max || size / 1040 > sec->size)
			return -E2BIG;
		return inflate_span(&e->src, sec->off + skip, sec->size - skip, (size_t)size, out);
	}
	if (sec->size > max)
		return -E2BIG;
	str_release(out);
	out->cap = (size_t)sec->size + 1;
	out->p = mem_alloc(out->cap, 1);
	if (!read_data(&e->src, sec->off, out->p, sec->size))
		return -EIO;
	out->n = (size_t)sec->size;
	return 0;
}

int elf_section_src(const struct elf *e, const struct elf_section *sec, struct str *hold,
		    struct elf_src *src, u64 *off, u64 *size)
{
	int ret;

	if (!section_is_inside(e, sec))
		return -EINVAL;
	*src = e->src;
	*off = sec->off;
	*size = sec->size;
	if (!(sec->flags & SHF_COMPRESSED))
		return 0;
	ret = elf_section_load(e, sec, MAX_INFLATED, hold);
	if (ret == -E2BIG)
		meter_refuse(e->src.meter);
	*src = (struct elf_src){
		.fd = -1, .mem = str_text(hold), .size = hold->n, .meter = e->src.meter
	};
	*off = 0;
	*size = hold->n;
	return ret;
}
