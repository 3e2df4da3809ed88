// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of code without a file, which runtimes write into /tmp/perf-PID.map.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "sym/naming_int.h"
#include "sym/perfmap.h"
#include "sym/remote.h"

static u64 started_ns(const struct life *l)
{
	u64 hz = (u64)sysconf(_SC_CLK_TCK);
	u64 boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);

	return l->start_ticks ? boot + l->start_ticks * NS_PER_SEC / hz : 0;
}

static int life_root(const struct symbolizer *s, const struct life *l)
{
	char path[256];

	if (!l->is_foreign)
		return -1;
	snprintf(path, sizeof(path), "%s/%u/root", s->opts.proc_root, l->tgid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static struct remote_mount *map_mount(struct symbolizer *s, const struct life *l, const char *path)
{
	bool is_own = !l->ns || l->ns == s->procs.own_ns;

	return mounts_remote(&s->files.mounts, is_own ? s->procs.own_ns : l->ns,
			     is_own ? 0 : l->tgid, 0, 0, path);
}

/* Read the map here, or in the helper if it lies on a mount that may hang.  Returns 0 or -errno. */
static int map_read(struct symbolizer *s, const struct naming *how, struct life *l,
		    const char *path, struct wants *w)
{
	_cleanup_(close_p) int root = life_root(s, l);
	struct perfmap_owner owner = { .uid = l->uid, .started_ns = started_ns(l) };
	struct remote_mount *mount = map_mount(s, l, path);
	int ret;

	if (l->is_foreign && root < 0)
		return -ENOENT;
	ret = mount ? -ELOOP : perfmap_read(root, path, &owner, w);
	if (ret != -ELOOP || (!mount && root < 0))
		return ret;
	if (how->is_hasty || (mount ? mount->is_hung : l->is_hung))
		return -ETIMEDOUT;
	owner.may_follow = true;
	ret = remote_perfmap(root, path, &owner, w);
	if (ret == -ETIMEDOUT && mount)
		mount_hung(mount);
	l->is_hung |= ret == -ETIMEDOUT && !mount;
	return ret;
}

static enum outcome name_from_map(struct symbolizer *s, const struct naming *how, struct life *l,
				  struct wants *w)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", l->ns_tgid ? l->ns_tgid : l->tgid);
	ret = map_read(s, how, l, path, w);
	if (ret == -ESTALE && !l->has_warned)
		log_warn("perfmap-stale", "%s is older than process %u: not used", path, l->tgid);
	if (ret == -EPERM && !l->has_warned)
		log_warn("perfmap-owner", "%s belongs to another user than process %u: not used",
			 path, l->tgid);
	l->has_warned |= ret == -ESTALE || ret == -EPERM;
	l->has_map |= !ret;
	return outcome_of(w, ret);
}

static void life_end(struct symbolizer *s, struct life *l, u64 now, enum outcome out)
{
	char whose[32];

	if (out != OUTCOME_LATER)
		l->jit_read_ns = now;
	snprintf(whose, sizeof(whose), "process %u", l->tgid);
	if (out == OUTCOME_COSTLY && !l->is_costly)
		say_costly(s, whose, "its perf map is too much to read for names");
	l->is_costly |= out == OUTCOME_COSTLY;
}

void name_life(struct symbolizer *s, const struct naming *how, const struct item *items, size_t n)
{
	_cleanup_(wants_release) struct wants w = { 0 };
	struct meter meter = owner_meter(how);
	struct life *l = processes_by_serial(&s->procs, items->owner);
	struct life *parent = l ? processes_by_serial(&s->procs, l->parent) : NULL;
	enum outcome out = OUTCOME_DONE, given;

	w.meter = &meter;
	wants_from(s, items, n, &w);
	if (l)
		out = l->is_costly ? OUTCOME_COSTLY : name_from_map(s, how, l, &w);
	/* A child that was forked from a JIT runs code that only its parent's map lists. */
	if (parent && !parent->is_costly && wants_left(&w) && out == OUTCOME_DONE)
		out = name_from_map(s, how, parent, &w);
	/* The map of a living process grows: an address without a name may get one later. */
	given = wants_apply(s, how, &w,
			    out == OUTCOME_DONE && l && !l->has_exited ? OUTCOME_LATER : out);
	if (l)
		life_end(s, l, how->now, given == OUTCOME_COSTLY ? given : out);
}
