/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * badelf KIND IN OUT [N]: a copy of the program IN that runs as before (the kernel reads segments
 * only), with sections that lie about their sizes to readers that look for names.  N: symbols,
 * notes or megabytes, by KIND.
 *
 *	aliases    N symbols on all of the code, with names of 4 KB that are all alike
 *	names      N symbols of 16 bytes of code each, every one with another name of 4 KB
 *	symtab     a symbol table of N MB in a hole of the file
 *	strtab     one symbol, its strings N MB in a hole
 *	rela       N MB of relocations in a hole, beside code that is called .pltx
 *	link       a .gnu_debuglink to OUT.debug, which has N MB in a hole
 *	btf        N MB of .BTF in a hole
 *	notes      N notes of user probes
 *	data       a .gnu_debugdata of N MB in a hole
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "work.h"

#define NAME_BYTES 4096

static struct out {
	int fd;
	u64 end;
	Elf64_Ehdr head;
	Elf64_Phdr code;
	Elf64_Shdr sections[8];
	u32 n;
	char names[256];
	u32 n_names;
} out;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void put(const void *bytes, size_t n)
{
	if (pwrite(out.fd, bytes, n, (off_t)out.end) != (ssize_t)n)
		die("write");
	out.end += n;
}

static Elf64_Shdr *section(const char *name, u32 type)
{
	Elf64_Shdr *s = &out.sections[out.n++];

	*s = (Elf64_Shdr){
		.sh_type = type, .sh_name = out.n_names, .sh_offset = out.end, .sh_addralign = 1
	};
	strcpy(out.names + out.n_names, name);
	out.n_names += (u32)strlen(name) + 1;
	return s;
}

static void end_section(Elf64_Shdr *s)
{
	s->sh_size = out.end - s->sh_offset;
}

/* The file continues after the hole, which has no blocks on the disk. */
static void hole(Elf64_Shdr *s, u64 megabytes)
{
	out.end += megabytes << 20;
	end_section(s);
	put("", 1);
}

static void copy(const char *from)
{
	int fd = open(from, O_RDONLY);
	char bytes[65536];
	Elf64_Phdr p;
	ssize_t n;

	if (fd < 0)
		die(from);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		put(bytes, (size_t)n);
	if (pread(fd, &out.head, sizeof(out.head), 0) != sizeof(out.head))
		die("header");
	for (u32 i = 0; i < out.head.e_phnum; i++)
		if (pread(fd, &p, sizeof(p), (off_t)(out.head.e_phoff + i * sizeof(p))) ==
			    sizeof(p) &&
		    p.p_type == PT_LOAD && p.p_flags & PF_X)
			out.code = p;
	close(fd);
}

static void code_section(const char *name)
{
	Elf64_Shdr *s = section(name, SHT_PROGBITS);

	s->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	s->sh_addr = out.code.p_vaddr;
	s->sh_offset = out.code.p_offset;
	s->sh_size = out.code.p_filesz;
}

static void symbol(u64 start, u64 size, u64 name)
{
	const Elf64_Sym s = {
		.st_name = (u32)name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = start,
		.st_size = size,
	};
	static Elf64_Sym many[4096];
	static u32 n;

	if (size)
		many[n++] = s;
	if (n == 4096 || !size) {
		put(many, n * sizeof(s));
		n = 0;
	}
}

static Elf64_Shdr *symtab(void)
{
	Elf64_Shdr *s = section(".symtab", SHT_SYMTAB);

	s->sh_entsize = sizeof(Elf64_Sym);
	s->sh_link = out.n;
	return s;
}

/* ---- kinds ---- */

static void aliases(u64 n)
{
	Elf64_Shdr *s;
	char name[2 * NAME_BYTES];

	code_section(".text");
	s = symtab();
	for (u64 i = 0; i < n; i++)
		symbol(out.code.p_vaddr, out.code.p_memsz, 1 + i % NAME_BYTES);
	symbol(0, 0, 0);
	end_section(s);
	s = section(".strtab", SHT_STRTAB);
	memset(name, 'a', sizeof(name));
	name[0] = name[sizeof(name) - 1] = '\0';
	put(name, sizeof(name));
	end_section(s);
}

static void names(u64 n)
{
	Elf64_Shdr *s;
	char name[NAME_BYTES];

	code_section(".text");
	s = symtab();
	for (u64 i = 0; i < n; i++)
		symbol(out.code.p_vaddr + i * 16, 16, 1 + i * NAME_BYTES);
	symbol(0, 0, 0);
	end_section(s);
	s = section(".strtab", SHT_STRTAB);
	put("", 1);
	for (u64 i = 0; i < n; i++) {
		memset(name, 'a' + (int)(i % 26), sizeof(name));
		snprintf(name, sizeof(name), "f%llu_", (unsigned long long)i);
		name[strlen(name)] = 'x';
		name[sizeof(name) - 1] = '\0';
		put(name, sizeof(name));
	}
	end_section(s);
}

static void symtab_hole(u64 n)
{
	Elf64_Shdr *s;

	code_section(".text");
	s = symtab();
	hole(s, n);
	s = section(".strtab", SHT_STRTAB);
	put("", 1);
	end_section(s);
}

static void strtab_hole(u64 n)
{
	Elf64_Shdr *s;

	code_section(".text");
	s = symtab();
	symbol(out.code.p_vaddr, out.code.p_memsz, (n << 20) - 100);
	symbol(0, 0, 0);
	end_section(s);
	hole(section(".strtab", SHT_STRTAB), n);
}

static void rela_hole(u64 n)
{
	static const unsigned char jump[16] = { 0xff, 0x25 };
	Elf64_Shdr *s;

	code_section(".pltx");
	s = &out.sections[out.n - 1];
	s->sh_entsize = sizeof(jump);
	s->sh_offset = out.end;
	for (u64 i = 0; i < out.code.p_filesz; i += sizeof(jump))
		put(jump, sizeof(jump));
	s = section(".rela.x", SHT_RELA);
	s->sh_entsize = sizeof(Elf64_Rela);
	hole(s, n);
}

static void link_hole(const char *path, u64 n)
{
	char name[256] = "", debug[4096];
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	Elf64_Ehdr head = out.head;
	Elf64_Shdr *s;
	int fd;

	snprintf(name, sizeof(name) - 8, "%s.debug", base);
	s = section(".gnu_debuglink", SHT_PROGBITS);
	put(name, (strlen(name) + 4) & ~3ul);
	put("crc", 4);
	end_section(s);
	snprintf(debug, sizeof(debug), "%s.debug", path);
	fd = open(debug, O_RDWR | O_CREAT | O_TRUNC, 0644);
	head.e_shnum = head.e_phnum = 0;
	if (fd < 0 || write(fd, &head, sizeof(head)) != sizeof(head) ||
	    ftruncate(fd, (off_t)(n << 20)))
		die(debug);
	close(fd);
}

static void notes(u64 n)
{
	Elf64_Shdr *s = section(".note.stapsdt", SHT_NOTE);

	for (u64 i = 0; i < n; i++) {
		struct {
			Elf64_Nhdr head;
			char owner[8];
			u64 pc, base, semaphore;
			char text[28];
			char pad[4];
		} note = { { 8, 56, 3 }, "stapsdt", out.code.p_vaddr + 1, 0, 0, "", "" };

		memcpy(note.text, "bad\0", 4);
		snprintf(note.text + 4, 24, "n%llu", (unsigned long long)i);
		put(&note, sizeof(note));
	}
	end_section(s);
}

static void fill(const char *kind, const char *path, u64 n)
{
	section("", SHT_NULL);
	if (!strcmp(kind, "aliases"))
		aliases(n);
	else if (!strcmp(kind, "names"))
		names(n);
	else if (!strcmp(kind, "symtab"))
		symtab_hole(n);
	else if (!strcmp(kind, "strtab"))
		strtab_hole(n);
	else if (!strcmp(kind, "rela"))
		rela_hole(n);
	else if (!strcmp(kind, "link"))
		link_hole(path, n);
	else if (!strcmp(kind, "btf"))
		hole(section(".BTF", SHT_PROGBITS), n);
	else if (!strcmp(kind, "notes"))
		notes(n);
	else if (!strcmp(kind, "data"))
		hole(section(".gnu_debugdata", SHT_PROGBITS), n);
	else
		exit(2);
}

static void finish(void)
{
	Elf64_Shdr *s = section(".shstrtab", SHT_STRTAB);

	put(out.names, out.n_names);
	end_section(s);
	out.end = (out.end + 7) & ~7ull;
	out.head.e_shoff = out.end;
	out.head.e_shnum = (Elf64_Half)out.n;
	out.head.e_shstrndx = (Elf64_Half)(out.n - 1);
	put(out.sections, out.n * sizeof(out.sections[0]));
	if (pwrite(out.fd, &out.head, sizeof(out.head), 0) != sizeof(out.head))
		die("header");
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	out.fd = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0755);
	if (out.fd < 0)
		die(argv[3]);
	copy(argv[2]);
	out.end = (out.end + 7) & ~7ull;
	fill(argv[1], argv[3], argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
	finish();
	return close(out.fd);
}
