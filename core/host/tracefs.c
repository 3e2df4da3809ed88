// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/tracefs.h"

#include <errno.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* A file system of the kernel: its usual mount points, a file name that distinguishes it from an
 * empty directory, and the result of the search. */
struct pseudo {
	const char *type, *places[2], *has;
	bool is_known;
	int errnum;
	const char *path;
	char own[32];
};

/* Create a mount that is not attached to a directory; it is reached through its descriptor, which
 * is never closed. */
static int mount_detached(const char *type)
{
	_cleanup_(close_p) int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -1;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
}

static bool is_there(struct pseudo *p, const char *place)
{
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "%s/%s", place, p->has);
	ret = file_is_missing(name);
	if (ret) {
		if (!p->errnum || ret == -EACCES)
			p->errnum = -ret;
		return false;
	}
	p->path = place;
	return true;
}

/* Search /proc/filesystems, with lines such as "nodev\ttracefs". */
static bool is_known_type(const char *type)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line, word;

	if (file_read("/proc/filesystems", 65536, &text))
		return true;
	rest = str_view(&text);
	while (view_split(&rest, '\n', &line))
		if (view_split(&line, '\t', &word) && view_eq(line, type))
			return true;
	return false;
}

/* Only for file systems that are not mounted: if a mounted one may not be read, another mount of it
 * could not be read either. */
static void mount_own(struct pseudo *p)
{
	int fd = mount_detached(p->type);

	if (fd < 0) {
		p->errnum = is_known_type(p->type) ? EPERM : ENODEV;
		return;
	}
	snprintf(p->own, sizeof(p->own), "/proc/self/fd/%d", fd);
	if (!is_there(p, p->own))
		close(fd);
}

static const char *pseudo_path(struct pseudo *p)
{
	if (p->is_known) {
		errno = p->errnum;
		return p->path;
	}
	p->is_known = true;
	for (size_t i = 0; i < ARRAY_SIZE(p->places) && p->places[i]; i++)
		if (is_there(p, p->places[i]))
			return p->path;
	if (p->errnum != EACCES)
		mount_own(p);
	errno = p->errnum;
	return p->path;
}

const char *tracefs_path(void)
{
	static struct pseudo tracefs = {
		.type = "tracefs",
		.places = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" },
		.has = "events",
	};

	return pseudo_path(&tracefs);
}

const struct tracefs_trouble *tracefs_trouble(int errnum)
{
	static const struct tracefs_trouble rows[] = {
		{ EACCES, "it may not be read without CAP_DAC_READ_SEARCH",
		  "run it as root, or give the file that capability (setcap)" },
		{ EPERM, "not mounted, and mounting it needs CAP_SYS_ADMIN",
		  "mount -t tracefs tracefs /sys/kernel/tracing" },
		{ ENODEV, "not in this kernel (CONFIG_TRACING)", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].errnum == errnum)
			return &rows[i];
	return &rows[0];
}

const char *debugfs_path(void)
{
	static struct pseudo debugfs = { .type = "debugfs",
					 .places = { "/sys/kernel/debug" },
					 .has = "kprobes" };

	return pseudo_path(&debugfs);
}
