// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kprobe.multi and uprobe.multi: one link for a set of sites, which the kernel accepts or refuses
 * as a whole.  A refused set is halved until only the sites at fault are left out.
 */
#include <errno.h>
#include <unistd.h>

#include "attach/attach_int.h"
#include "base/cleanup.h"

#define MULTI_RETURN 1 /* BPF_F_KPROBE_MULTI_RETURN, BPF_F_UPROBE_MULTI_RETURN */

/* After this many refusals with nothing attached, the sites are not at fault: give up. */
#define MAX_REFUSALS 200

/* In multi.which: the kernel refused this site. */
#define REFUSED UINT32_MAX

/* The set in the kernel's form: parallel arrays. */
struct multi {
	struct attaching *t;
	bool is_return;
	const char *path; /* uprobes */
	u32 n;
	u32 *which;    /* positions in the group */
	u64 *places;   /* addresses, or offsets in the file */
	u64 *counters; /* semaphores' offsets; NULL: no site has one */
	u64 *cookies;
	const char **symbols; /* for kprobes whose addresses are hidden */
	u32 n_refused;
	u32 tgid;	/* the process to attach in; 0: all */
	bool has_other; /* the sites were already attached in another process */
};

static void multi_release(struct multi *m)
{
	free(m->which);
	free(m->places);
	free(m->counters);
	free(m->cookies);
	free(m->symbols);
}

static void multi_init(struct multi *m, struct attaching *t, u32 cap)
{
	*m = (struct multi){ .t = t, .is_return = site_is_return(attaching_site(t, 0)) };
	m->which = mem_alloc(cap, sizeof(*m->which));
	m->places = mem_alloc(cap, sizeof(*m->places));
	m->counters = mem_alloc(cap, sizeof(*m->counters));
	m->cookies = mem_alloc(cap, sizeof(*m->cookies));
	m->symbols = mem_alloc(cap, sizeof(*m->symbols));
}

static u64 at(const void *p)
{
	return (u64)(uintptr_t)p;
}

static int open_range(const struct multi *m, u32 from, u32 n)
{
	bool has_counters = false;
	struct link_attr attr = { .prog_fd = (u32)m->t->group->prog_fd };
	bool has_cookies = m->t->can->cookie_multi;

	if (m->path) {
		attr.attach_type = TRACE_UPROBE_MULTI;
		attr.uprobe.path = at(m->path);
		attr.uprobe.offsets = at(m->places + from);
		for (u32 i = 0; i < n; i++)
			has_counters |= m->counters[from + i] != 0;
		attr.uprobe.ref_ctr_offsets = has_counters ? at(m->counters + from) : 0;
		attr.uprobe.cookies = has_cookies ? at(m->cookies + from) : 0;
		attr.uprobe.cnt = n;
		attr.uprobe.pid = m->tgid;
		attr.uprobe.flags = m->is_return ? MULTI_RETURN : 0;
	} else {
		bool has_places = true;

		for (u32 i = 0; i < n; i++)
			has_places &= m->places[from + i] != 0;
		attr.attach_type = TRACE_KPROBE_MULTI;
		attr.kprobe.addrs = has_places ? at(m->places + from) : 0;
		attr.kprobe.syms = has_places ? 0 : at(m->symbols + from);
		attr.kprobe.cookies = has_cookies ? at(m->cookies + from) : 0;
		attr.kprobe.cnt = n;
		attr.kprobe.flags = m->is_return ? MULTI_RETURN : 0;
	}
	return link_create(&attr);
}

static int attach_range(struct multi *m, u32 from, u32 n)
{
	int fd;

	if (m->t->is_stopped)
		return 0;
	fd = open_range(m, from, n);
	if (fd >= 0) {
		vec_push(&m->t->a->links, fd);
		vec_push(&m->t->a->owners, m->tgid);
		attaching_step(m->t, m->has_other ? 0 : n);
		return 0;
	}
	if (fd == -ESRCH && m->tgid) /* the process has ended */
		return 0;
	if (n == 1) {
		const struct site *s = attaching_site(m->t, m->which[from]);

		m->which[from] = REFUSED;
		if (++m->n_refused > MAX_REFUSALS && !m->t->a->links.n)
			return err_errno(m->t->err, -fd, "cannot attach to '%s' and others",
					 s->name);
		return attaching_refused(m->t, s, -fd);
	}
	/* Halving does not help: the error affects all sites. */
	if (fd == -EPERM || fd == -EACCES || fd == -EMFILE)
		return attaching_refused(m->t, attaching_site(m->t, m->which[from]), -fd);
	return attach_range(m, from, n / 2) ?: attach_range(m, from + n / 2, n - n / 2);
}

int attach_kprobe_multi(struct attaching *t)
{
	_cleanup_(multi_release) struct multi m;

	multi_init(&m, t, t->group->n);
	for (u32 i = 0; i < t->group->n; i++) {
		const struct site *s = attaching_site(t, i);

		m.which[m.n] = i;
		m.places[m.n] = s->addr;
		m.symbols[m.n] = s->symbol;
		m.cookies[m.n++] = t->group->sites[i];
	}
	return attach_range(&m, 0, m.n);
}

/* A site refused in one process would be refused in the next one too. */
static void drop_refused(struct multi *m)
{
	u32 n = 0;

	for (u32 i = 0; i < m->n; i++) {
		if (m->which[i] == REFUSED)
			continue;
		m->which[n] = m->which[i];
		m->places[n] = m->places[i];
		m->counters[n] = m->counters[i];
		m->cookies[n++] = m->cookies[i];
	}
	m->n = n;
}

void attach_multi_drop(struct attach *a, u32 tgid)
{
	u32 n = 0;

	for (size_t i = 0; i < a->owners.n; i++) {
		if (a->owners.items[i] == tgid) {
			close(a->links.items[i]);
			continue;
		}
		a->links.items[n] = a->links.items[i];
		a->owners.items[n++] = a->owners.items[i];
	}
	if (a->owners.n)
		a->links.n = a->owners.n = n;
}

static int attach_in(struct multi *m, const struct reach *reach)
{
	const u32 *tgid;
	int ret = 0;

	if (!reach)
		return attach_range(m, 0, m->n);
	vec_for_each(tgid, &reach->tgids) {
		m->tgid = *tgid;
		if (m->n && !ret)
			ret = attach_range(m, 0, m->n);
		drop_refused(m);
		m->has_other = true;
	}
	return ret;
}

/* One file's sites. */
static int attach_file(struct attaching *t, const struct site_file *file)
{
	_cleanup_(multi_release) struct multi m;

	multi_init(&m, t, t->group->n);
	m.path = file->open_path;
	for (u32 i = 0; i < t->group->n; i++) {
		const struct site *s = attaching_site(t, i);

		if (s->file != file)
			continue;
		m.which[m.n] = i;
		m.places[m.n] = s->file_offset;
		m.counters[m.n] = s->usdt ? s->usdt->semaphore : 0;
		m.cookies[m.n++] = t->group->sites[i];
	}
	return m.n ? attach_in(&m, t->plan->reach) : 0;
}

/* Uses the sites' files, not the plan's: a plan of entries borrows its sites from that of returns.
 */
int attach_uprobe_multi(struct attaching *t)
{
	VEC(const struct site_file *) files = { 0 };
	const struct site_file **file;
	int ret = 0;

	for (u32 i = 0; i < t->group->n; i++) {
		const struct site_file *of = attaching_site(t, i)->file;
		bool is_known = false;

		vec_for_each(file, &files)
			is_known |= *file == of;
		if (!is_known)
			vec_push(&files, of);
	}
	for (size_t i = 0; i < files.n && !ret; i++)
		ret = attach_file(t, files.items[i]);
	vec_release(&files);
	return ret;
}
