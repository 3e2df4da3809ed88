// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/filter.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/no_preempt.h"
#include "base/num.h"
#include "base/procfile.h"
#include "host/cgroup.h"
#include "host/cgroup_members.h"
#include "host/cpus.h"
#include "run/comm_nfa.h"
#include "run/mapread.h"

/* PROC_PID_INIT_INO (proc_ns.h): the initial PID namespace. */
#define INIT_PID_NS 0xEFFFFFFCU
/* The number of live processes of a followed tree that fit into the table; more are counted as
 * lost. */
#define FOLLOW_MAX  16384

/* A numeric field of /proc/PID/status; false: no such process or field. */
static bool status_number(u32 pid, const char *field, u64 *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view value;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	return !file_read(path, 65536, &text) &&
	       proc_status_field(str_view(&text), field, &value) && num_parse_dec(value, out);
}

static void list_add(struct filter_list *l, u64 id, u32 bits)
{
	struct filter_entry *e;

	vec_for_each(e, &l->v)
		if (e->id == id) {
			e->bits |= bits;
			return;
		}
	vec_push(&l->v, (struct filter_entry){ .id = id, .bits = bits });
}

static int add_processes(struct filter *f, const struct target *t, struct err *err)
{
	u32 wanted = FILTER_WANTED | (t->follow ? FILTER_FOLLOW : 0);

	for (size_t i = 0; i < t->pids.v.n; i++) {
		u32 pid = t->pids.v.items[i];
		u64 tgid;

		if (!status_number(pid, "Tgid", &tgid))
			return err_set(err, ERR_NOTARGET, "there is no process %u", pid);
		if (tgid != pid) {
			err_set(err, ERR_NOTARGET, "%u is a thread of process %llu", pid, tgid);
			return err_hint(err, "-p takes processes; --tid takes threads");
		}
		list_add(&f->tgids, pid, wanted);
		vec_push(&f->named, pid);
	}
	for (size_t i = 0; i < t->tids.v.n; i++) {
		u32 tid = t->tids.v.items[i];
		u64 tgid;

		if (!status_number(tid, "Tgid", &tgid))
			return err_set(err, ERR_NOTARGET, "there is no thread %u", tid);
		list_add(&f->tids, tid, FILTER_WANTED);
		vec_push(&f->named, (u32)tgid);
	}
	for (size_t i = 0; i < t->not_pids.v.n; i++)
		list_add(&f->tgids, t->not_pids.v.items[i], FILTER_UNWANTED);
	f->conf.has_tgids = t->pids.v.n > 0 || t->program;
	f->conf.has_tids = t->tids.v.n > 0;
	f->conf.has_not_tgids = t->not_pids.v.n > 0;
	f->conf.follow = t->follow || t->program;
	if (t->pids.v.n == 1 && !t->tids.v.n && !f->conf.follow)
		f->conf.only_tgid = t->pids.v.items[0];
	return 0;
}

static void add_uids(struct filter *f, const struct target *t)
{
	for (size_t i = 0; i < t->uids.v.n; i++)
		list_add(&f->uids, t->uids.v.items[i], FILTER_WANTED);
	for (size_t i = 0; i < t->not_uids.v.n; i++)
		list_add(&f->uids, t->not_uids.v.items[i], FILTER_UNWANTED);
	f->conf.has_uids = t->uids.v.n > 0;
	f->conf.has_not_uids = t->not_uids.v.n > 0;
}

static int add_cgroups(struct filter *f, const struct target *t, struct err *err)
{
	struct cgroup_set set = { 0 };
	size_t n_wanted = 0;
	int ret = 0;

	for (size_t i = 0; i < t->cgroups.v.n && !ret; i++)
		ret = cgroup_resolve(&set, t->cgroups.v.items[i], err);
	n_wanted = set.v.n;
	for (size_t i = 0; i < t->not_cgroups.v.n && !ret; i++)
		ret = cgroup_resolve(&set, t->not_cgroups.v.items[i], err);
	for (size_t i = 0; i < n_wanted; i++) {
		vec_push(&f->cgroup_paths, set.v.items[i].path);
		set.v.items[i].path = NULL;
	}
	for (size_t i = 0; i < set.v.n; i++) {
		u32 level = set.v.items[i].level;

		list_add(&f->cgroups, set.v.items[i].id,
			 i < n_wanted ? FILTER_WANTED : FILTER_UNWANTED);
		f->conf.cgroup_levels |= level < 32 ? 1U << level : UINT32_MAX;
	}
	cgroup_set_release(&set);
	f->conf.has_cgroups = t->cgroups.v.n > 0;
	f->conf.has_not_cgroups = t->not_cgroups.v.n > 0;
	f->conf.cgroup_subsys = -1;
	if (ret || !set.controller[0])
		return ret;
	f->conf.cgroup_subsys = cgroup_subsys(set.controller);
	if (f->conf.cgroup_subsys < 0)
		return err_set(err, ERR_KERNEL,
			       "cannot filter by a cgroup of the v1 hierarchy '%s'",
			       set.controller);
	return 0;
}

static int add_comms(struct filter *f, const struct target *t, struct err *err)
{
	struct commglob g = { 0 };
	int ret = 0;

	for (size_t i = 0; i < t->comms.v.n && !ret; i++)
		ret = commglob_add(&g, t->comms.v.items[i], true, err);
	for (size_t i = 0; i < t->not_comms.v.n && !ret; i++)
		ret = commglob_add(&g, t->not_comms.v.items[i], false, err);
	f->comm = g.automaton;
	f->conf.has_comms = t->comms.v.n > 0;
	f->conf.has_not_comms = t->not_comms.v.n > 0;
	return ret;
}

static u32 pid_namespace(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == INIT_PID_NS)
		return 0;
	return (u32)st.st_ino;
}

static void json_list(struct str *out, const char *name, const struct filter_list *l, u32 bit)
{
	const struct filter_entry *e;
	const char *sep = "";

	str_addf(out, "%s\"%s\":[", out->n > 1 ? "," : "", name);
	vec_for_each(e, &l->v)
		if (e->bits & bit) {
			str_addf(out, "%s%llu", sep, e->id);
			sep = ",";
		}
	str_addc(out, ']');
}

/* The filter as the numbers that the kernel tests; name patterns are in argv. */
static void describe(struct filter *f)
{
	const struct {
		const char *name;
		const struct filter_list *list;
		u32 bit;
		bool is_used;
	} lists[] = {
		{ "pid", &f->tgids, FILTER_WANTED, f->conf.has_tgids && f->tgids.v.n },
		{ "not_pid", &f->tgids, FILTER_UNWANTED, f->conf.has_not_tgids },
		{ "tid", &f->tids, FILTER_WANTED, f->conf.has_tids },
		{ "uid", &f->uids, FILTER_WANTED, f->conf.has_uids },
		{ "not_uid", &f->uids, FILTER_UNWANTED, f->conf.has_not_uids },
		{ "cgroup", &f->cgroups, FILTER_WANTED, f->conf.has_cgroups },
		{ "not_cgroup", &f->cgroups, FILTER_UNWANTED, f->conf.has_not_cgroups },
	};

	str_addc(&f->json, '{');
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].is_used)
			json_list(&f->json, lists[i].name, lists[i].list, lists[i].bit);
	str_addc(&f->json, '}');
}

int filter_build(struct filter *f, const struct target *t, struct err *err)
{
	int ret;

	*f = (struct filter){ 0 };
	f->conf.self_tgid = t->include_self ? 0 : (u32)getpid();
	f->conf.pidns_inum = pid_namespace();
	ret = cpus_check(t->cpus.v.items, t->cpus.v.n, err) ?: add_processes(f, t, err);
	if (ret)
		return ret;
	add_uids(f, t);
	ret = add_cgroups(f, t, err);
	if (ret)
		return ret;
	f->cgroupmap = t->cgroupmap;
	f->mntnsmap = t->mntnsmap;
	f->conf.has_cgroupmap = t->cgroupmap != NULL;
	f->conf.has_mntnsmap = t->mntnsmap != NULL;
	ret = add_comms(f, t, err);
	if (ret)
		return ret;
	describe(f);
	return 0;
}

static int size_map(struct bpf_object *obj, const char *name, size_t n, struct err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	int ret = map ? bpf_map__set_max_entries(map, n ? (u32)n : 1) : -ENOENT;

	return ret ? err_errno(err, -ret, "cannot size the table %s", name) : 0;
}

/* Use a map that someone else has pinned in place of ours. */
static int reuse_pinned(struct bpf_object *obj, const char *name, const char *path, struct err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	struct bpf_map_info info = { 0 };
	u32 size = sizeof(info);
	int fd, ret;

	if (!path || !map)
		return 0;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return err_errno(err, errno, "cannot open the pinned map '%s'", path);
	if (bpf_obj_get_info_by_fd(fd, &info, &size) || info.type != BPF_MAP_TYPE_HASH ||
	    info.key_size != sizeof(u64))
		ret = err_set(err, ERR_USAGE, "'%s' is not a hash map with keys of 8 bytes", path);
	else
		ret = bpf_map__reuse_fd(map, fd)
			      ? err_errno(err, errno, "cannot use the pinned map '%s'", path)
			      : 0;
	close(fd);
	return ret;
}

static void set_autoload(struct bpf_object *obj, const char *name, bool is_wanted)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, name);

	if (prog)
		bpf_program__set_autoload(prog, is_wanted);
}

int filter_prepare(const struct filter *f, struct bpf_object *obj, struct err *err)
{
	bool has_numbers = f->tgids.v.n || f->tids.v.n || f->conf.follow;

	set_autoload(obj, "filter_on_fork", f->conf.follow);
	set_autoload(obj, "filter_on_fork_too", f->conf.follow);
	set_autoload(obj, "filter_on_join", f->conf.has_members);
	set_autoload(obj, "filter_on_exec", f->wants_moved);
	/* When a target ends, a process that is not a target can reuse its number. */
	set_autoload(obj, "filter_on_free", has_numbers && !f->conf.pidns_inum);
	return size_map(obj, "filter_tgids", f->tgids.v.n + (f->conf.follow ? FOLLOW_MAX : 0),
			err) ?:
	       size_map(obj, "filter_tids", f->tids.v.n, err) ?:
	       size_map(obj, "filter_uids", f->uids.v.n, err) ?:
	       size_map(obj, "filter_cgroups", f->cgroups.v.n, err) ?:
	       reuse_pinned(obj, "filter_cgroupmap", f->cgroupmap, err) ?:
	       reuse_pinned(obj, "filter_mntnsmap", f->mntnsmap, err);
}

static int map_put(struct bpf_object *obj, const char *name, const void *key, const void *value,
		   u64 flags, struct err *err)
{
	int fd = bpf_object__find_map_fd_by_name(obj, name);
	_cleanup_(no_preempt_end) struct no_preempt guard;

	no_preempt_begin(&guard);
	if (fd >= 0 && !bpf_map_update_elem(fd, key, value, flags))
		return 0;
	if (flags == BPF_NOEXIST && errno == EEXIST)
		return 0;
	return err_errno(err, errno, "cannot fill the table %s", name);
}

/* Add to the list of processes, threads or users. */
static int list_number(struct bpf_object *obj, const char *list, u32 id, const void *value,
		       u64 flags, struct err *err)
{
	u32 slot = id % FILTER_SLOTS;
	u8 one = 1;

	return map_put(obj, "filter_slots", &slot, &one, BPF_ANY, err)
		       ?: map_put(obj, list, &id, value, flags, err);
}

int filter_fill(const struct filter *f, struct bpf_object *obj, struct err *err)
{
	const struct filter_entry *e;
	int ret = 0;

	vec_for_each(e, &f->tgids.v) {
		struct filter_process p = { .bits = e->bits };

		ret = ret ?: list_number(obj, "filter_tgids", (u32)e->id, &p, BPF_ANY, err);
	}
	vec_for_each(e, &f->tids.v)
		ret = ret ?: list_number(obj, "filter_tids", (u32)e->id, &e->bits, BPF_ANY, err);
	vec_for_each(e, &f->uids.v)
		ret = ret ?: list_number(obj, "filter_uids", (u32)e->id, &e->bits, BPF_ANY, err);
	vec_for_each(e, &f->cgroups.v)
		ret = ret ?: map_put(obj, "filter_cgroups", &e->id, &e->bits, BPF_ANY, err);
	return ret;
}

int filter_add_process(const struct filter *f, struct bpf_object *obj, u32 tgid, struct err *err)
{
	struct filter_process p = { .bits = FILTER_WANTED };

	if (f->conf.follow)
		p.bits |= FILTER_FOLLOW;
	/* An entry made by the fork hook contains the start time, and is kept. */
	return list_number(obj, "filter_tgids", tgid, &p, BPF_NOEXIST, err);
}

struct wanted_numbers {
	struct filter_numbers *out;
	u32 bit;
};

static void take_number(void *ctx, const void *key, const void *value)
{
	const struct filter_process *p = value;
	const struct wanted_numbers *w = ctx;

	if (p->bits & w->bit)
		vec_push(&w->out->v, *(const u32 *)key);
}

static int read_numbers(const struct bpf_object *obj, u32 bit, struct filter_numbers *out,
			struct err *err)
{
	struct wanted_numbers w = { out, bit };

	out->v.n = 0;
	return hash_read_map(bpf_object__find_map_by_name(obj, "filter_tgids"), take_number, &w,
			     err);
}

int filter_watched(const struct bpf_object *obj, struct filter_numbers *out, struct err *err)
{
	return read_numbers(obj, FILTER_WANTED, out, err);
}

int filter_take_moved(const struct bpf_object *obj, struct filter_numbers *out, struct err *err)
{
	int fd = bpf_object__find_map_fd_by_name(obj, "filter_tgids");
	int ret = read_numbers(obj, FILTER_MOVED, out, err);
	_cleanup_(no_preempt_series_end) struct no_preempt_series calls = { 0 };
	const u32 *tgid;

	vec_for_each(tgid, &out->v) {
		struct filter_process p;

		no_preempt_call(&calls);
		if (bpf_map_lookup_elem(fd, tgid, &p))
			continue;
		p.bits &= ~(u32)FILTER_MOVED;
		bpf_map_update_elem(fd, tgid, &p, BPF_EXIST);
	}
	return ret;
}

bool filter_is_of_processes(const struct filter *f)
{
	return f->conf.has_tgids || f->conf.has_tids;
}

struct process {
	u32 pid, parent;
	bool is_watched;
};

struct process_list {
	VEC(struct process) v; /* by pid */
};

static void processes_release(struct process_list *p)
{
	vec_release(&p->v);
}

static int compare_pids(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct process *find_process(const struct process_list *all, u32 pid)
{
	const struct process key = { .pid = pid };

	if (!all->v.n)
		return NULL;
	return bsearch(&key, all->v.items, all->v.n, sizeof(key), compare_pids);
}

static bool take_process(void *ctx, u32 pid)
{
	struct process_list *out = ctx;
	u64 parent;

	if (status_number(pid, "PPid", &parent))
		vec_push(&out->v, (struct process){ .pid = pid, .parent = (u32)parent });
	return true;
}

static void read_processes(struct process_list *out)
{
	out->v.n = 0;
	proc_each_process("/proc", take_process, out);
	if (out->v.n)
		qsort(out->v.items, out->v.n, sizeof(*out->v.items), compare_pids);
}

static void mark_watched(const struct process_list *all, const struct filter_list *watched)
{
	const struct filter_entry *e;

	vec_for_each(e, &watched->v) {
		struct process *p = find_process(all, (u32)e->id);

		if (p && e->bits & FILTER_FOLLOW)
			p->is_watched = true;
	}
}

/* Adds one generation: the processes whose parents are watched.  false: there are none. */
static bool add_children(const struct process_list *all, struct filter_list *watched)
{
	size_t before = watched->v.n;
	struct process *p;

	vec_for_each(p, &all->v) {
		const struct process *parent = find_process(all, p->parent);

		if (p->is_watched || !parent || !parent->is_watched)
			continue;
		p->is_watched = true;
		vec_push(&watched->v, (struct filter_entry){ .id = p->pid, .bits = FILTER_FOLLOW });
	}
	return watched->v.n > before;
}

static bool is_any_followed(const struct filter_list *watched)
{
	const struct filter_entry *e;

	vec_for_each(e, &watched->v)
		if (e->bits & FILTER_FOLLOW)
			return true;
	return false;
}

/* Add the descendants that exist now.  A program that is started for the run has none yet. */
static void add_descendants(struct filter_list *watched)
{
	_cleanup_(processes_release) struct process_list all = { 0 };

	if (!is_any_followed(watched))
		return;
	read_processes(&all);
	mark_watched(&all, watched);
	while (add_children(&all, watched))
		;
}

void filter_named_now(const struct filter *f, struct filter_numbers *out)
{
	struct filter_list watched = { 0 };
	const struct filter_entry *e;

	vec_for_each(e, &f->tgids.v)
		if (e->bits & FILTER_WANTED)
			vec_push(&watched.v, *e);
	if (f->conf.follow)
		add_descendants(&watched);
	vec_for_each(e, &watched.v)
		vec_push(&out->v, (u32)e->id);
	vec_release(&watched.v);
}

/* A process that was found may have forked before the fork hook knew about it: repeat until no new
 * process is found.  Bounded, because a tree can fork faster than it is read. */
#define MAX_LOOKS 10

int filter_add_descendants(const struct filter *f, struct bpf_object *obj, struct err *err)
{
	struct filter_list watched = { 0 };
	const struct filter_entry *e;
	size_t n_added;
	int ret = 0;

	if (!f->conf.follow || !f->tgids.v.n)
		return 0;
	vec_for_each(e, &f->tgids.v)
		vec_push(&watched.v, *e);
	n_added = watched.v.n;
	for (u32 i = 0; i < MAX_LOOKS && !ret; i++) {
		add_descendants(&watched);
		if (watched.v.n == n_added)
			break;
		for (; n_added < watched.v.n && !ret; n_added++)
			ret = filter_add_process(f, obj, (u32)watched.v.items[n_added].id, err);
	}
	vec_release(&watched.v);
	return ret;
}

static void add_member(void *ctx, u32 tgid)
{
	struct filter *f = ctx;

	vec_push(&f->tgids.v,
		 (struct filter_entry){ .id = tgid, .bits = FILTER_WANTED | FILTER_FOLLOW });
}

bool filter_list_members(struct filter *f)
{
	bool is_all = true;

	for (size_t i = 0; i < f->cgroup_paths.n && is_all; i++)
		is_all = cgroup_each_member(f->cgroup_paths.items[i], add_member, f);
	f->conf.has_members = f->conf.follow = is_all;
	return is_all;
}

struct newcomers {
	int listed_fd;
	struct filter_numbers *out;
};

static void take_newcomer(void *ctx, u32 tgid)
{
	const struct newcomers *n = ctx;
	struct filter_process p;

	if (bpf_map_lookup_elem(n->listed_fd, &tgid, &p) || !(p.bits & FILTER_WANTED))
		vec_push(&n->out->v, tgid);
}

void filter_new_members(const struct filter *f, const struct bpf_object *obj,
			struct filter_numbers *out)
{
	struct newcomers n = { bpf_object__find_map_fd_by_name(obj, "filter_tgids"), out };

	for (size_t i = 0; i < f->cgroup_paths.n; i++)
		cgroup_each_member(f->cgroup_paths.items[i], take_newcomer, &n);
}

void filter_release(struct filter *f)
{
	for (size_t i = 0; i < f->cgroup_paths.n; i++)
		free(f->cgroup_paths.items[i]);
	vec_release(&f->cgroup_paths);
	vec_release(&f->tgids.v);
	vec_release(&f->tids.v);
	vec_release(&f->uids.v);
	vec_release(&f->cgroups.v);
	vec_release(&f->named);
	str_release(&f->json);
}
