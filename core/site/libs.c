// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/libs.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/helper_open.h"
#include "base/lines.h"
#include "host/kernel_facts.h"
#include "site/ldcache.h"
#include "site/mapfile_int.h"
#include "sym/elf.h"
#include "sym/regular_file.h"

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#define TRIPLET "aarch64-linux-gnu"
#else
#define MACHINE EM_X86_64
#define TRIPLET "x86_64-linux-gnu"
#endif

/* The search path: a root, and the process whose mappings are used. */
struct lookup {
	struct kernel *k;
	u32 tgid;
	int root_fd; /* AT_FDCWD: our own root */
	const char *name;
	const char *full;	/* the name, if it is a path, which may be relative */
	const struct stat *own; /* search the mappings for this file; NULL: search by name */
	struct str path;	/* result: the path as seen in that root */
	struct str prefix;	/* "libNAME" */
	u64 ino;	  /* inode of the mapping by which it was found; 0: found in another way */
	char mapping[64]; /* the mapping's link in /proc/PID/map_files */
};

static int open_in(const struct lookup *s, const char *path, struct stat *st)
{
	return regular_open(s->root_fd, path, s->root_fd == AT_FDCWD ? 0 : REGULAR_IN_ROOT, st);
}

/*
 * Open the file that was found.  The path of a mapping is valid for us if we share the process's
 * mount namespace (chroot); if not (containers), it is valid only for the process.  It may also
 * lead to another file by now.  The inode decides; the kernel's link in map_files always leads to
 * the right file.
 */
static int open_found(const struct lookup *s, struct stat *st)
{
	int fd = open_in(s, str_text(&s->path), st), exact;

	if (!s->ino || (fd >= 0 && st->st_ino == s->ino))
		return fd;
	exact = regular_open(AT_FDCWD, s->mapping, 0, st);
	if (exact < 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return exact;
}

static bool is_file(const struct lookup *s, const char *path)
{
	struct stat st;
	_cleanup_(close_p) int fd = open_in(s, path, &st);

	return fd >= 0;
}

bool libs_is_library(const char *base, const char *prefix)
{
	size_t n = strlen(prefix);
	const char *tail = base + n;

	if (strncmp(base, prefix, n) || !strstr(tail, ".so"))
		return false;
	return !strncmp(tail, ".so", 3) || !strncmp(tail, ".musl", 5) ||
	       (tail[0] == '-' && isdigit((unsigned char)tail[1]));
}

/* ---- mappings of the process ---- */

static bool names_mapping(const struct lookup *s, const char *path)
{
	const char *base = strrchr(path, '/');

	if (s->full)
		return !strcmp(path, s->full);
	base = base ? base + 1 : path;
	return !strcmp(base, s->name) || libs_is_library(base, str_text(&s->prefix));
}

static bool find_mapped(struct lookup *s)
{
	const char *maps = kernel_path(s->k, s->k->paths.proc, "%u/maps", s->tgid);
	_cleanup_(close_p) int fd = open(maps, O_RDONLY | O_CLOEXEC);
	struct lines lines;
	struct view line;
	struct map_line m;
	bool is_deleted, found = false;

	if (fd < 0)
		return false;
	lines_init(&lines, fd, 16 << 20);
	while (!found && lines_next(&lines, &line)) {
		if (!map_line_parse(line, &m) || !m.ino || !m.path.n || m.path.p[0] != '/')
			continue;
		str_clear(&s->path);
		map_path_add(&s->path, m.path, &is_deleted);
		found = s->own ? mapfile_is(s->k->paths.proc, s->tgid, &m, s->own->st_dev,
					    s->own->st_ino)
			       : names_mapping(s, str_text(&s->path));
	}
	if (found) {
		s->ino = m.ino;
		mapfile_name(s->k->paths.proc, s->tgid, &m, s->mapping, sizeof(s->mapping));
	}
	lines_release(&lines);
	return found;
}

/* ---- the loader's search ---- */

/* 2,000 libraries make 150 KB. */
#define MAX_CACHE  (8 << 20)
#define MAX_FOLDER 100000 /* entries that are read; 10,000 would be many */

static bool find_cached(struct lookup *s)
{
	_cleanup_(str_release) struct str cache = { 0 };
	struct stat st;
	_cleanup_(close_p) int fd = open_in(s, "/etc/ld.so.cache", &st);

	if (fd < 0 || file_read_fd(fd, MAX_CACHE, &cache))
		return false;
	str_clear(&s->path);
	return ldcache_find(str_view(&cache), str_text(&s->prefix), libs_is_library, &s->path) &&
	       is_file(s, str_text(&s->path));
}

static bool find_in_folder(struct lookup *s, const char *folder)
{
	DIR *dir = folder_open(s->root_fd, folder, s->root_fd == AT_FDCWD ? 0 : REGULAR_IN_ROOT);
	struct dirent *e;
	bool found = false;

	for (u32 i = 0; dir && !found && i < MAX_FOLDER && (e = readdir(dir)); i++) {
		if (!libs_is_library(e->d_name, str_text(&s->prefix)))
			continue;
		str_clear(&s->path);
		str_addf(&s->path, "%s/%s", folder, e->d_name);
		found = is_file(s, str_text(&s->path));
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool find_library(struct lookup *s)
{
	static const char *const folders[] = { "/lib/" TRIPLET, "/usr/lib/" TRIPLET,
					       "/lib64",	"/usr/lib64",
					       "/lib",		"/usr/lib",
					       "/usr/local/lib" };

	if (find_cached(s))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (find_in_folder(s, folders[i]))
			return true;
	return false;
}

static bool find_program(struct lookup *s)
{
	const char *path = s->root_fd == AT_FDCWD ? getenv("PATH") : NULL;
	struct view rest = view_of(path ? path
					: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
					  "/sbin:/bin");
	struct view folder;

	while (view_split(&rest, ':', &folder)) {
		str_clear(&s->path);
		str_addf(&s->path, "%.*s/%s", (int)folder.n, folder.p, s->name);
		if (folder.n && is_file(s, str_text(&s->path)))
			return true;
	}
	return false;
}

/* Use the file that the name means in our root, if the process has mapped it: in its own root the
 * path may be another file, and links like /proc/PID/exe do not work there. */
static bool find_own(struct lookup *s)
{
	struct stat st;
	_cleanup_(close_p) int fd = regular_open(AT_FDCWD, s->name, 0, &st);
	bool found;

	if (fd < 0)
		return false;
	s->own = &st;
	found = find_mapped(s);
	s->own = NULL;
	return found;
}

static bool find_path(struct lookup *s)
{
	/* The file may have been replaced while the program runs: the mapping still shows the old
	 * one. */
	if (s->tgid && find_mapped(s))
		return true;
	str_clear(&s->path);
	str_adds(&s->path, s->tgid ? s->full : s->name);
	return is_file(s, str_text(&s->path)) || (s->tgid && find_own(s));
}

static bool find_any(struct lookup *s)
{
	_cleanup_(free_p) char *full = NULL;
	bool found, has_lib = !strncmp(s->name, "lib", 3) && s->name[3];

	if (strchr(s->name, '/')) {
		full = s->name[0] == '/' ? NULL : realpath(s->name, NULL);
		s->full = full ? full : s->name;
		found = find_path(s);
		s->full = NULL;
		return found;
	}
	/* Accept "c", "libc.so.6" and "libc", in this order: "libs:f" may mean a liblibs.so. */
	str_addf(&s->prefix, has_lib && strstr(s->name, ".so") ? "%s" : "lib%s", s->name);
	if (s->prefix.n > 3 && strstr(str_text(&s->prefix), ".so"))
		*strstr(s->prefix.p, ".so") = '\0';
	if ((s->tgid && find_mapped(s)) || find_library(s) || find_program(s))
		return true;
	if (!has_lib || strchr(s->name, '.'))
		return false;
	str_clear(&s->prefix);
	str_adds(&s->prefix, s->name);
	return (s->tgid && find_mapped(s)) || find_library(s);
}

/* ---- the file ---- */

static int check_elf(int fd, struct site_file *f, u64 size, struct err *err)
{
	struct elf_src src = { .fd = fd, .size = size };
	char begin[2];
	struct elf e;

	if (elf_init(&e, &src)) {
		err_set(err, ERR_NOTARGET, "%s is not a program or library", f->path);
		if (pread(fd, begin, sizeof(begin), 0) == sizeof(begin) && !memcmp(begin, "#!", 2))
			err_hint(err, "it is a script: name the program that runs it");
		return -ERR_NOTARGET;
	}
	f->is_go = elf_section_named(&e, ".gopclntab") || elf_section_named(&e, ".go.buildinfo");
	f->has_btf = elf_section_named(&e, ".BTF") != NULL;
	if (!e.is_64 || e.machine != MACHINE)
		err_set(err, ERR_NOTARGET,
			"%s is for another architecture: only 64-bit programs of "
			"this machine can be probed",
			f->path);
	elf_release(&e);
	return -err->code;
}

/* The name as it is written in a spec. */
static const char *said_name(struct arena *a, const char *name)
{
	return arena_printf(a, strpbrk(name, " \t:{[(<|") ? "\"%s\"" : "%s", name);
}

static int take_file(struct lookup *s, int fd, struct probe_plan *plan, struct site_file **out,
		     struct err *err)
{
	struct site_file *f;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st)) {
		int errnum = errno;

		close(fd);
		fd = -errnum;
	}
	if (fd < 0)
		return err_errno(err, -fd, "cannot open %s", str_text(&s->path));
	for (size_t i = 0; i < plan->files.n; i++)
		if (plan->files.items[i]->dev == st.st_dev &&
		    plan->files.items[i]->ino == st.st_ino) {
			close(fd);
			*out = plan->files.items[i];
			return 0;
		}
	f = arena_new(&plan->arena, struct site_file);
	f->name = said_name(&plan->arena, s->name);
	f->path = arena_strndup(&plan->arena, str_text(&s->path), s->path.n);
	f->open_path = arena_printf(&plan->arena, "/proc/self/fd/%d", fd);
	f->fd = fd;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	vec_push(&plan->files, f);
	*out = f;
	return check_elf(fd, f, (u64)st.st_size, err);
}

/* Is the name a category of tracepoints? */
static bool tracepoints_below(const struct lookup *s)
{
	struct err ignored = { 0 };
	const char *tracefs = kernel_tracefs(s->k, &ignored);
	char *path;
	bool is;

	if (!tracefs || !*s->name || *s->name == '.')
		return false;
	path = mem_printf("%s/events/%s/enable", tracefs, s->name);
	is = !file_is_missing(path);
	free(path);
	return is;
}

static int not_found(const struct lookup *s, struct err *err)
{
	struct stat st;

	if (strchr(s->name, '/') && !s->tgid && !stat(s->name, &st) && !S_ISREG(st.st_mode))
		return err_set(err, ERR_NOTARGET, "%s is not a regular file", s->name);
	if (strchr(s->name, '/'))
		return err_set(err, ERR_NOTARGET, "there is no file %s%s", s->name,
			       s->tgid ? " in the process's root" : "");
	if (!strncmp(s->name, "lib", 3))
		err_set(err, ERR_NOTARGET, "there is no library and no program %s", s->name);
	else
		err_set(err, ERR_NOTARGET, "there is no library lib%s and no program %s", s->name,
			s->name);
	if (tracepoints_below(s))
		return err_hint(err, "tracepoints are t:%s:EVENT", s->name);
	return err_hint(err, "a path works too%s",
			s->tgid ? "" : "; -p PID looks at what a process has mapped");
}

static int root_open(struct lookup *s)
{
	struct kernel *k = s->k;
	const char *root =
		s->tgid ? kernel_path(k, k->paths.proc, "%u/root", s->tgid) : k->paths.root;

	if (!s->tgid && !strcmp(root, "/"))
		return 0;
	s->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return s->root_fd < 0 ? -errno : 0;
}

/* The result of a search: the file's attributes, and perhaps a descriptor. */
struct found {
	bool is_found, has_no_root;
};

/* Returns a descriptor or -errno; appends a struct found and the path to `said`. */
static int search(void *ctx, struct str *said)
{
	struct lookup *s = ctx;
	struct found f = { 0 };
	struct stat st;
	int fd = root_open(s);

	f.has_no_root = fd < 0;
	f.is_found = !fd && find_any(s);
	if (f.is_found)
		fd = open_found(s, &st);
	else if (!fd)
		fd = -ENOENT;
	if (s->root_fd >= 0)
		close(s->root_fd);
	str_add(said, (const char *)&f, sizeof(f));
	str_add(said, str_text(&s->path), s->path.n);
	return fd;
}

static int not_searched(const struct lookup *s, int errnum, struct err *err)
{
	if (errnum != ETIMEDOUT)
		return err_errno(err, errnum, "cannot look into the root of process %u", s->tgid);
	err_set(err, ERR_NOTARGET, "the files of process %u did not answer for a second", s->tgid);
	return err_hint(err, "the server of a FUSE or network file system that it has mounted "
			     "does not answer");
}

/* ---- files that were found before ---- */

#define MAX_KNOWN 16 /* descriptors, which stay open for the run */

static int find_known(struct lookup *s)
{
	const struct known_file *file;

	vec_for_each(file, &s->k->files)
		if (file->tgid == s->tgid && !strcmp(file->name, s->name)) {
			str_adds(&s->path, file->path);
			return fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
		}
	return -1;
}

static void keep_known(const struct lookup *s, int fd)
{
	int copy = s->k->files.n < MAX_KNOWN ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	struct arena *a = &s->k->arena;

	if (copy >= 0)
		vec_push(&s->k->files,
			 (struct known_file){
				 .name = arena_strndup(a, s->name, strlen(s->name)),
				 .path = arena_strndup(a, str_text(&s->path), s->path.n),
				 .tgid = s->tgid,
				 .fd = copy,
			 });
}

static int search_file(struct lookup *s, struct probe_plan *plan, struct site_file **out,
		       struct err *err)
{
	_cleanup_(str_release) struct str said = { 0 };
	/* The files of a process may be on a mount that never answers: a helper process searches
	 * them. */
	int fd = s->tgid ? helper_open(search, s, &said) : search(s, &said);
	struct found f = { .has_no_root = true };

	if (said.n >= sizeof(f))
		memcpy(&f, str_text(&said), sizeof(f));
	str_clear(&s->path);
	if (said.n > sizeof(f))
		str_add(&s->path, str_text(&said) + sizeof(f), said.n - sizeof(f));
	if (f.has_no_root)
		return not_searched(s, -fd, err);
	if (!f.is_found)
		return not_found(s, err);
	if (fd >= 0)
		keep_known(s, fd);
	return take_file(s, fd, plan, out, err);
}

int libs_find(struct kernel *k, u32 tgid, const char *name, struct probe_plan *plan,
	      struct site_file **out, struct err *err)
{
	struct lookup s = { .k = k, .tgid = tgid, .name = name, .root_fd = AT_FDCWD };
	int fd = find_known(&s);
	int ret = fd >= 0 ? take_file(&s, fd, plan, out, err) : search_file(&s, plan, out, err);

	str_release(&s.path);
	str_release(&s.prefix);
	return ret;
}

const char *libs_heir(const char *name)
{
	static const char *const swallowed[] = { "pthread", "dl", "rt", "util", "anl" };

	for (size_t i = 0; i < ARRAY_SIZE(swallowed); i++)
		if (!strcmp(name, swallowed[i]))
			return "c";
	return NULL;
}
