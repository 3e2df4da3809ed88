// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The contents of the binary: a static binary contains the code of others, and lists it. */
#include <bpf/libbpf.h>
#include <curses.h>
#include <elfutils/version.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <lzma.h>
#include <zlib.h>

#include "cmd/command.h"

#define TEXT_(x) #x
#define TEXT(x)	 TEXT_(x)

static void put_part(FILE *f, const char *name, const char *version, const char *licence)
{
	fprintf(f, "  %-10s %-8s %s\n", name, version, licence);
}

void version_print(FILE *f)
{
	fprintf(f, "bperf %s\nLicence: GPL-2.0-only OR BSD-2-Clause\n\nLinked in:\n",
		BPERF_VERSION);
	put_part(f, "libbpf", libbpf_version_string() + 1, "LGPL-2.1-only OR BSD-2-Clause");
	put_part(f, "libelf", "0." TEXT(_ELFUTILS_VERSION),
		 "GPL-2.0-or-later OR LGPL-3.0-or-later (elfutils)");
	put_part(f, "zlib", zlibVersion(), "Zlib");
	put_part(f, "liblzma", lzma_version_string(), "0BSD or public domain (XZ Utils)");
	put_part(f, "jansson", JANSSON_VERSION, "MIT");
	put_part(f, "ncurses", NCURSES_VERSION, "MIT (X11)");
	put_part(f, "libiberty", "", "GPL and LGPL 2.0 or later, with linking exception (GCC)");
	put_part(f, "libgcc", "", "GPL-3.0-or-later with GCC runtime library exception");
	put_part(f, "glibc", gnu_get_libc_version(), "LGPL-2.1-or-later");
	fputs("\nWith libelf under GPL-2.0-or-later, this binary as a whole is GPL-2.0.\n", f);
}
