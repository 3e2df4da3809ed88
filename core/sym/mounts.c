// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/mounts.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/str.h"

#define READ_AGAIN_NS (1 * NS_PER_SEC)
#define READ_SHARE    10 /* reading again may take 1/10 of the time */
#define MAX_BYTES     (16 << 20)
#define MAX_SPACES    1024 /* namespaces remembered; the table is cleared when it is full */

/* A type, or a prefix that ends in a dot ("fuse." is "fuse.sshfs" and all others). */
static const char *const remote_types[] = {
	"nfs",	 "nfs4",    "cifs",  "smb3",  "smbfs",	  "9p",	       "virtiofs", "ceph",
	"afs",	 "lustre",  "gpfs",  "fuse",  "coda",	  "ocfs2",     "gfs2",	   "beegfs",
	"pvfs2", "fuseblk", "fuse.", "ncpfs", "orangefs", "glusterfs", "autofs",
};

static bool is_remote_type(struct view type)
{
	for (size_t i = 0; i < ARRAY_SIZE(remote_types); i++) {
		const char *name = remote_types[i];
		bool is_family = name[strlen(name) - 1] == '.';

		if (view_eq(type, name) || (is_family && view_starts(type, name)))
			return true;
	}
	return false;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Spaces, tabs, newlines and backslashes are escaped as \040 and so on. */
static void unescape(struct view v, struct str *out)
{
	for (size_t i = 0; i < v.n; i++) {
		const char *p = v.p + i;

		if (v.n - i >= 4 && *p == '\\' && is_octal(p[1]) && is_octal(p[2]) &&
		    is_octal(p[3])) {
			str_addc(out, (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + p[3] - '0'));
			i += 3;
		} else {
			str_addc(out, *p);
		}
	}
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
static bool line_parse(struct view line, u32 *maj, u32 *min, struct view *point, struct view *type)
{
	struct view piece, dev, rest = line;
	u64 a, b;

	if (!view_split(&rest, ' ', &piece) || !view_split(&rest, ' ', &piece) ||
	    !view_split(&rest, ' ', &dev) || !view_split(&rest, ' ', &piece) ||
	    !view_split(&rest, ' ', point) || !view_split(&dev, ':', &piece) ||
	    !num_parse_dec(piece, &a) || !num_parse_dec(dev, &b))
		return false;
	do {
		if (!view_split(&rest, ' ', &piece))
			return false;
	} while (!view_eq(piece, "-"));
	*maj = (u32)a;
	*min = (u32)b;
	return view_split(&rest, ' ', type);
}

void mount_ns_read(struct mount_ns *n, struct lines *text, struct intern *strings)
{
	struct view line, point, type;
	u32 maj, min;

	n->remote.n = n->local.n = 0;
	while (lines_next(text, &line)) {
		struct str name = { 0 };

		if (!line_parse(line, &maj, &min, &point, &type))
			continue;
		if (!is_remote_type(type)) {
			if (!maj)
				vec_push(&n->local, min);
			continue;
		}
		unescape(point, &name);
		vec_push(&n->remote, (struct remote_mount){
					     .maj = maj,
					     .min = min,
					     .point = intern(strings, str_text(&name)),
				     });
		str_release(&name);
	}
}

static bool is_same_mount(const struct remote_mount *a, const struct remote_mount *b)
{
	return a->maj == b->maj && a->min == b->min && !strcmp(a->point, b->point);
}

/* A mount that hung is not tried again in this run: it would cost another second. */
static void keep_hung(struct mount_ns *n, const struct mount_ns *old)
{
	const struct remote_mount *was;
	struct remote_mount *r;

	vec_for_each(was, &old->remote)
		vec_for_each(r, &n->remote)
			r->is_hung |= was->is_hung && is_same_mount(r, was);
}

static void ns_refresh(struct mounts *m, struct mount_ns *n, u32 tgid)
{
	_cleanup_(close_p) int fd = -1;
	_cleanup_(lines_release) struct lines text = { .fd = -1 };
	struct mount_ns fresh = { .ns = n->ns, .read_ns = now_ns() }, old = *n;
	char path[256];

	if (tgid)
		snprintf(path, sizeof(path), "%s/%u/mountinfo", m->proc_root, tgid);
	else
		snprintf(path, sizeof(path), "%s/self/mountinfo", m->proc_root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	lines_init(&text, fd, MAX_BYTES);
	mount_ns_read(&fresh, &text, &m->strings);
	keep_hung(&fresh, n);
	fresh.took_ns = now_ns() - fresh.read_ns;
	*n = fresh;
	vec_release(&old.remote);
	vec_release(&old.local);
}

static void forget_all(struct mounts *m)
{
	struct mount_ns *n;

	vec_for_each(n, &m->list) {
		vec_release(&n->remote);
		vec_release(&n->local);
	}
	vec_release(&m->list);
}

static struct mount_ns *ns_get(struct mounts *m, u64 ns)
{
	struct mount_ns *n;

	vec_for_each(n, &m->list)
		if (n->ns == ns)
			return n;
	if (m->list.n >= MAX_SPACES)
		forget_all(m);
	vec_push(&m->list, (struct mount_ns){ .ns = ns });
	return m->list.items + m->list.n - 1;
}

static bool is_below(const char *path, const char *point)
{
	size_t n = strlen(point);

	if (n == 1)
		return *path == '/';
	return !strncmp(path, point, n) && (path[n] == '/' || !path[n]);
}

/* Have the mounts of our namespace changed?  The kernel reports that at once (proc(5)); for other
 * namespaces, we would have to keep these alive. */
static bool own_has_changed(struct mounts *m)
{
	struct pollfd p = { .events = POLLPRI };
	char path[256];

	if (!m->is_watched) {
		snprintf(path, sizeof(path), "%s/self/mountinfo", m->proc_root);
		m->own_fd = open(path, O_RDONLY | O_CLOEXEC);
		m->is_watched = true;
		return true;
	}
	p.fd = m->own_fd;
	return poll(&p, 1, 0) > 0 && p.revents & (POLLPRI | POLLERR);
}

static struct mount_ns *ns_now(struct mounts *m, u64 ns, u32 tgid, u64 max_age_ns)
{
	struct mount_ns *n = ns_get(m, ns);

	if ((!tgid && own_has_changed(m)) || !n->read_ns || now_ns() - n->read_ns > max_age_ns)
		ns_refresh(m, n, tgid);
	return n;
}

struct remote_mount *mounts_remote(struct mounts *m, u64 ns, u32 tgid, u32 maj, u32 min,
				   const char *path)
{
	struct mount_ns *n = ns_now(m, ns, tgid, READ_AGAIN_NS);
	struct remote_mount *r, *found = NULL;

	vec_for_each(r, &n->remote)
		if ((maj || min) && r->maj == maj && r->min == min)
			return r;
	vec_for_each(r, &n->remote)
		if (is_below(path, r->point))
			found = r;
	return found;
}

static bool has_local(const struct mount_ns *n, u32 min)
{
	const u32 *have;

	vec_for_each(have, &n->local)
		if (*have == min)
			return true;
	return false;
}

/* A process that was just started may have mounted the file system a millisecond ago. */
static bool lists_local(struct mounts *m, u64 ns, u32 tgid, u32 min)
{
	struct mount_ns *n = ns_now(m, ns, tgid, READ_AGAIN_NS);

	return has_local(n, min) || has_local(ns_now(m, ns, tgid, READ_SHARE * n->took_ns), min);
}

bool mounts_knows(struct mounts *m, u64 own_ns, u64 ns, u32 tgid, u32 maj, u32 min)
{
	return maj || lists_local(m, own_ns, 0, min) ||
	       (ns != own_ns && tgid && lists_local(m, ns, tgid, min));
}

void mounts_release(struct mounts *m)
{
	forget_all(m);
	intern_release(&m->strings);
	if (m->is_watched && m->own_fd >= 0)
		close(m->own_fd);
}
