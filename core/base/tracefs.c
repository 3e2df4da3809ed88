// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/tracefs.h"

#include <errno.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* A file system of the kernel's: its usual places, a name in it that tells it from the empty folder
 * of one not mounted, what was found. */
struct pseudo {
	const char *type, *places[2], *has;
	bool is_known;
	int errnum;
	const char *path;
	char own[32];
};

/* A mount in no folder: reached through its descriptor, which is never closed. */
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

static const char *pseudo_path(struct pseudo *p)
{
	int fd;

	if (p->is_known) {
		errno = p->errnum;
		return p->path;
	}
	p->is_known = true;
	for (size_t i = 0; i < ARRAY_SIZE(p->places) && p->places[i]; i++)
		if (is_there(p, p->places[i]))
			return p->path;
	fd = mount_detached(p->type);
	if (fd >= 0) {
		snprintf(p->own, sizeof(p->own), "/proc/self/fd/%d", fd);
		p->path = p->own;
	}
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

const char *debugfs_path(void)
{
	static struct pseudo debugfs = { .type = "debugfs",
					 .places = { "/sys/kernel/debug" },
					 .has = "kprobes" };

	return pseudo_path(&debugfs);
}
