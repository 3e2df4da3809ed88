// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/cgroup.h"

#include <bpf/btf.h>
#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "host/btf.h"
#include "host/cgroup_mounts.h"

/* proc_ns.h: PROC_CGROUP_INIT_INO, the initial cgroup namespace. */
#define INIT_CGROUP_NS 0xEFFFFFFBU
/* A deeper or larger hierarchy is a mistake or an attack. */
#define MAX_DEPTH      64
#define MIN_ID_DIGITS  8

static bool in_cgroup_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/cgroup", &st) && st.st_ino != INIT_CGROUP_NS;
}

static u32 level_of(const char *path, const struct cgroup_mount *m)
{
	u32 level = 0;

	if (in_cgroup_namespace())
		return UINT32_MAX;
	for (const char *p = path + strlen(m->path); *p; p++)
		level += *p == '/' && p[1] && p[1] != '/';
	return level;
}

static int add_path(struct cgroup_set *set, const struct cgroup_mounts *mounts, const char *path,
		    struct err *err)
{
	const struct cgroup_mount *m = cgroup_mount_of(mounts, path);
	char controller[sizeof(set->controller)];
	struct stat st;

	if (!m || stat(path, &st) || !S_ISDIR(st.st_mode))
		return err_set(err, ERR_NOTARGET, "'%s' is not a cgroup", path);
	cgroup_controller_of(m, controller, sizeof(controller));
	if (!m->is_v2 && !controller[0]) {
		err_set(err, ERR_NOTARGET,
			"'%s' is in a cgroup hierarchy without controllers, which programs cannot see",
			path);
		return err_hint(err, "use the cgroup's path in a hierarchy that has one");
	}
	if (set->v.n && strcmp(controller, set->controller))
		return err_set(err, ERR_USAGE,
			       "'%s' is in another cgroup hierarchy than the others", path);
	snprintf(set->controller, sizeof(set->controller), "%s", controller);
	/* The inode number is the cgroup id on 64-bit kernels (kernfs_ino, 5.5). */
	vec_push(&set->v, (struct cgroup_ref){ .id = st.st_ino,
					       .level = level_of(path, m),
					       .path = mem_strdup(path) });
	return 0;
}

void cgroup_set_release(struct cgroup_set *set)
{
	const struct cgroup_ref *ref;

	vec_for_each(ref, &set->v)
		free(ref->path);
	vec_release(&set->v);
}

static int add_glob(struct cgroup_set *set, const struct cgroup_mounts *mounts, const char *pattern,
		    struct err *err)
{
	int ret = 0;
	glob_t g;

	if (glob(pattern, GLOB_ONLYDIR, NULL, &g))
		return 0;
	for (size_t i = 0; i < g.gl_pathc && !ret; i++)
		ret = add_path(set, mounts, g.gl_pathv[i], err);
	globfree(&g);
	return ret;
}

/* ---- several hierarchies ----
 *
 * A host may have version 2, and beside it hierarchies of version 1 by controller, and named ones
 * without a controller (systemd's), which programs cannot see.  One name can be in all of them.
 */

struct search {
	struct cgroup_set *set;
	const struct cgroup_mounts *mounts;
	const char *spec;
};

static bool is_visible(const struct cgroup_mount *m)
{
	char controller[32];

	cgroup_controller_of(m, controller, sizeof(controller));
	return m->is_v2 || controller[0];
}

static int add_relative(const struct search *s, const struct cgroup_mount *m,
			struct cgroup_set *set, struct err *err)
{
	_cleanup_(free_p) char *path =
		mem_printf("%s%s%s", m->path, s->spec[0] == '/' ? "" : "/", s->spec);

	return add_glob(set, s->mounts, path, err);
}

typedef int (*add_fn)(const struct search *s, const struct cgroup_mount *m, struct cgroup_set *set,
		      struct err *err);

/* Search version 2 first, then hierarchies of controllers in the order of the mounts.  *found: the
 * mount of the first that has the name; NULL: none has. */
static int search_mounts(const struct search *s, add_fn add, const struct cgroup_mount **found,
			 struct err *err)
{
	const struct cgroup_mount *m;

	*found = NULL;
	for (int v2 = 1; v2 >= 0; v2--)
		vec_for_each(m, &s->mounts->v) {
			size_t before = s->set->v.n;
			int ret = 0;

			if (m->is_v2 == v2 && is_visible(m))
				ret = add(s, m, s->set, err);
			if (ret || s->set->v.n > before) {
				*found = m;
				return ret;
			}
		}
	return 0;
}

static bool is_in(const struct search *s, const struct cgroup_mount *m)
{
	_cleanup_(cgroup_set_release) struct cgroup_set there = { 0 };
	struct err ignored = { 0 };
	bool is_found = !add_relative(s, m, &there, &ignored) && there.v.n;

	err_clear(&ignored);
	return is_found;
}

/* Warn if hierarchies other than the chosen one have the name, too. */
static void say_others(const struct search *s, const struct cgroup_mount *chosen)
{
	const struct cgroup_mount *m;
	u32 n = 0;

	vec_for_each(m, &s->mounts->v)
		n += strcmp(m->path, chosen->path) != 0 && is_visible(m) && is_in(s, m);
	if (n)
		log_warn("cgroup-hierarchies",
			 "cgroup '%s' is in %u more %s than %s, which chooses the processes; for "
			 "another one, give the whole path",
			 s->spec, n, n == 1 ? "hierarchy" : "hierarchies", chosen->path);
}

static bool has_dots(const char *path)
{
	struct view rest = view_of(path), part;

	while (view_split(&rest, '/', &part))
		if (view_eq(part, ".") || view_eq(part, ".."))
			return true;
	return false;
}

/* "." and ".." mean what they mean to the shell: the current folder may be that of a cgroup.  Below
 * a mount, they would lead to its parents, which are not cgroups. */
static int add_real(struct cgroup_set *set, const struct cgroup_mounts *mounts, const char *spec,
		    struct err *err)
{
	_cleanup_(free_p) char *path = realpath(spec, NULL);

	return path && cgroup_mount_of(mounts, path) ? add_path(set, mounts, path, err) : 0;
}

/* Use `spec` as typed if it is an absolute path in a cgroup mount, otherwise relative to each
 * mount. */
static int add_pattern(struct cgroup_set *set, const struct cgroup_mounts *mounts, const char *spec,
		       struct err *err)
{
	struct search s = { set, mounts, spec };
	const struct cgroup_mount *found;
	int ret;

	if (has_dots(spec))
		return add_real(set, mounts, spec, err);
	if (spec[0] == '/' && cgroup_mount_of(mounts, spec))
		return add_glob(set, mounts, spec, err);
	ret = search_mounts(&s, add_relative, &found, err);
	if (!ret && found)
		say_others(&s, found);
	return ret;
}

static bool is_container_id(const char *spec)
{
	return strlen(spec) >= MIN_ID_DIGITS && strspn(spec, "0123456789abcdef") == strlen(spec);
}

/* nftw's callback has no context argument. */
static struct {
	const char *id;
	struct str found; /* paths, each followed by a NUL */
} walk;

/* Container engines put the id into the name of the directory: <id>, docker-<id>.scope, ... */
static int on_directory(const char *path, const struct stat *st, int type, struct FTW *at)
{
	const char *name = path + at->base, *id = strstr(name, walk.id);

	(void)st;
	if (type != FTW_D || !id || (id > name && isxdigit(id[-1])))
		return 0;
	str_add(&walk.found, path, strlen(path) + 1);
	return 0;
}

static int add_container_in(const struct search *s, const struct cgroup_mount *m,
			    struct cgroup_set *set, struct err *err)
{
	int ret = 0;

	walk.id = s->spec;
	nftw(m->path, on_directory, MAX_DEPTH, FTW_PHYS | FTW_MOUNT);
	for (size_t at = 0; at < walk.found.n && !ret; at += strlen(walk.found.p + at) + 1)
		ret = add_path(set, s->mounts, walk.found.p + at, err);
	str_release(&walk.found);
	return ret;
}

static int add_container(struct cgroup_set *set, const struct cgroup_mounts *mounts, const char *id,
			 struct err *err)
{
	struct search s = { set, mounts, id };
	const struct cgroup_mount *found;

	/* A container has a cgroup in each hierarchy, with the same processes. */
	return search_mounts(&s, add_container_in, &found, err);
}

int cgroup_resolve(struct cgroup_set *set, const char *spec, struct err *err)
{
	_cleanup_(cgroup_mounts_release) struct cgroup_mounts mounts = { 0 };
	size_t before = set->v.n;
	int ret;

	cgroup_mounts_read(&mounts);
	if (!mounts.v.n)
		return err_set(err, ERR_KERNEL, "no cgroup file system is mounted");
	ret = add_pattern(set, &mounts, spec, err);
	if (!ret && set->v.n == before && is_container_id(spec))
		ret = add_container(set, &mounts, spec, err);
	if (ret || set->v.n > before)
		return ret;
	err_set(err, ERR_NOTARGET, "no cgroup '%s'", spec);
	return err_hint(err,
			"a path below %s%s, a glob of one, or %d or more digits of a container id",
			mounts.v.items[0].path, mounts.v.n > 1 ? " or another cgroup mount" : "",
			MIN_ID_DIGITS);
}

static struct {
	u64 id;
	char *path;
	size_t prefix;
} walked;

static int is_searched(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)at;
	if (type != FTW_D || st->st_ino != walked.id)
		return 0;
	walked.path = mem_strdup(path[walked.prefix] ? path + walked.prefix : "/");
	return 1;
}

/* A cgroup id is its kernfs file handle (include/linux/exportfs.h, FILEID_KERNFS, 5.5), so no walk
 * is needed.  Needs CAP_DAC_READ_SEARCH.  The link shows the mount's path, followed by the cgroup's
 * path in it. */
static char *path_by_handle(const struct cgroup_mount *m, u64 id)
{
	struct {
		struct file_handle head;
		u64 id;
	} handle = { .head = { .handle_bytes = sizeof(id), .handle_type = 0xfe }, .id = id };
	_cleanup_(close_p) int at = open(m->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(close_p) int fd = -1;
	size_t prefix = strlen(m->path);
	char link[64], path[PATH_MAX];
	ssize_t n;

	memcpy(handle.head.f_handle, &id, sizeof(id));
	fd = at < 0 ? -1 : open_by_handle_at(at, &handle.head, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n < (ssize_t)prefix || memcmp(path, m->path, prefix))
		return NULL;
	return (size_t)n == prefix ? mem_strdup("/")
				   : mem_strndup(path + prefix, (size_t)n - prefix);
}

char *cgroup_path(u64 id)
{
	_cleanup_(cgroup_mounts_release) struct cgroup_mounts mounts = { 0 };
	const struct cgroup_mount *m;

	cgroup_mounts_read(&mounts);
	walked.id = id;
	walked.path = NULL;
	vec_for_each(m, &mounts.v) {
		walked.prefix = strlen(m->path);
		if (m->is_v2)
			walked.path = path_by_handle(m, id);
		if (walked.path)
			break;
		if (m->is_v2 && nftw(m->path, is_searched, MAX_DEPTH, FTW_PHYS | FTW_MOUNT) == 1)
			break;
	}
	return walked.path;
}

int cgroup_subsys(const char *name)
{
	struct err ignored = { 0 };
	const struct btf *btf = kernel_types(NULL, &ignored);
	const struct btf_enum *values;
	const struct btf_type *type;
	char want[64];
	int id, found = -1;

	if (!btf)
		return -1;
	snprintf(want, sizeof(want), "%s_cgrp_id", name);
	id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	type = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	values = type ? btf_enum(type) : NULL;
	for (u32 i = 0; values && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, values[i].name_off), want))
			found = values[i].val;
	return found;
}
