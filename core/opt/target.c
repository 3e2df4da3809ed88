// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opt/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"

/* Limits of the kernel: PID_MAX_LIMIT, and the largest CONFIG_NR_CPUS of x86. */
#define PID_MAX		 (4 * 1024 * 1024)
#define CPU_MAX		 8191
#define UID_MAX		 (UINT32_MAX - 1)
/* Entries of one list; "1-4000000" is a mistake, or means no filter. */
#define LIST_MAX	 65536
#define COMM_BYTES	 15
#define CONTAINER_ID_MIN 8
#define CONTAINER_ID_MAX 64

/* The type of a list's entries: name in messages, range, and a lookup by name. */
struct entry_kind {
	const char *what;
	u64 min, max;
	bool (*by_name)(struct view name, u64 *out);
};

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

static void sort_unique(struct u32_list *list)
{
	size_t n = 0;

	if (!list->v.n)
		return;
	qsort(list->v.items, list->v.n, sizeof(u32), compare_u32);
	for (size_t i = 0; i < list->v.n; i++)
		if (!i || list->v.items[i] != list->v.items[n - 1])
			list->v.items[n++] = list->v.items[i];
	list->v.n = n;
}

static bool parse_range(struct view piece, const struct entry_kind *kind, u64 *lo, u64 *hi)
{
	struct view to = piece, from;

	if (kind->by_name && kind->by_name(piece, lo)) {
		*hi = *lo;
		return true;
	}
	if (!view_split(&to, '-', &from))
		return false;
	if (from.n == piece.n)
		to = from;
	return num_parse_dec(from, lo) && num_parse_dec(to, hi);
}

static int add_piece(struct u32_list *list, struct view piece, const struct entry_kind *kind,
		     struct err *err)
{
	int n = (int)(piece.n < 64 ? piece.n : 64);
	u64 lo, hi;

	if (!parse_range(piece, kind, &lo, &hi) || lo > hi)
		return err_set(err, ERR_USAGE, "'%.*s' is not a %s", n, piece.p, kind->what);
	if (lo < kind->min || hi > kind->max)
		return err_set(err, ERR_USAGE, "'%.*s' is not in %llu to %llu", n, piece.p,
			       kind->min, kind->max);
	if (hi - lo >= LIST_MAX - list->v.n)
		return err_set(err, ERR_USAGE, "more than %u entries", LIST_MAX);
	for (u64 v = lo; v <= hi; v++)
		vec_push(&list->v, (u32)v);
	return 0;
}

static int parse_list(struct u32_list *list, const char *text, const struct entry_kind *kind,
		      struct err *err)
{
	struct view rest = view_of(text), piece;
	size_t n = strlen(text);
	int ret = 0;

	if (!n || text[n - 1] == ',')
		return err_set(err, ERR_USAGE, "'%s': a %s is missing%s", text, kind->what,
			       n ? " after the last comma" : "");
	while (!ret && view_split(&rest, ',', &piece))
		ret = add_piece(list, piece, kind, err);
	sort_unique(list);
	return ret;
}

int target_parse_pids(void *field, const char *text, struct err *err)
{
	static const struct entry_kind kind = { "process id", 1, PID_MAX, NULL };

	return parse_list(field, text, &kind, err);
}

static int parse_tids(void *field, const char *text, struct err *err)
{
	static const struct entry_kind kind = { "thread id", 1, PID_MAX, NULL };

	return parse_list(field, text, &kind, err);
}

int target_parse_cpus(void *field, const char *text, struct err *err)
{
	static const struct entry_kind kind = { "CPU number", 0, CPU_MAX, NULL };

	if (!strcmp(text, "all") || !strcmp(text, "-1"))
		return 0;
	return parse_list(field, text, &kind, err);
}

/* A static glibc has no getpwnam; search /etc/passwd: "name:password:uid:..." */
static bool uid_of_name(struct view name, u64 *uid)
{
	struct str passwd = { 0 };
	struct view rest, line, field;
	bool found = false;

	file_read("/etc/passwd", 1 << 20, &passwd);
	rest = str_view(&passwd);
	while (!found && view_split(&rest, '\n', &line)) {
		if (!view_split(&line, ':', &field) || field.n != name.n ||
		    memcmp(field.p, name.p, name.n) != 0)
			continue;
		found = view_split(&line, ':', &field) && view_split(&line, ':', &field) &&
			num_parse_dec(field, uid);
	}
	str_release(&passwd);
	return found;
}

int target_parse_uids(void *field, const char *text, struct err *err)
{
	static const struct entry_kind kind = { "user id, nor a name in /etc/passwd", 0, UID_MAX,
						uid_of_name };

	return parse_list(field, text, &kind, err);
}

/* The smallest number of bytes that match: '*' needs none, "[a-z]" one. */
static size_t glob_min_bytes(const char *glob)
{
	size_t n = 0;

	for (const char *c = glob; *c; c++) {
		const char *close = *c == '[' && c[1] ? strchr(c + 2, ']') : NULL;

		if (close)
			c = close;
		else if (*c == '\\' && c[1])
			c++;
		n += *c != '*';
	}
	return n;
}

static int parse_comm(void *field, const char *text, struct err *err)
{
	struct opt_strings *list = field;

	if (glob_min_bytes(text) > COMM_BYTES) {
		err_set(err, ERR_USAGE, "'%s' is longer than the %u bytes that the kernel keeps",
			text, COMM_BYTES);
		return err_hint(err, "'%.*s' or '%.*s*' would match", COMM_BYTES, text,
				COMM_BYTES - 1, text);
	}
	vec_push(&list->v, (char *)(uintptr_t)text);
	return 0;
}

static int parse_container(void *field, const char *text, struct err *err)
{
	struct opt_strings *list = field;
	size_t n = strlen(text);

	if (n != strspn(text, "0123456789abcdef") || n < CONTAINER_ID_MIN || n > CONTAINER_ID_MAX) {
		err_set(err, ERR_USAGE, "'%s' is not a container id of %u to %u hex digits", text,
			CONTAINER_ID_MIN, CONTAINER_ID_MAX);
		return err_hint(err, "docker ps, podman ps and crictl ps show it");
	}
	vec_push(&list->v, (char *)(uintptr_t)text);
	return 0;
}

#define LIST(name_, field_, arg_, help_, parse_, complete_, ...)                              \
	OPT_CALL(0, name_, struct target, field_, parse_, arg_, help_, .is_repeatable = true, \
		 .complete = (complete_), ##__VA_ARGS__)

const struct opt target_opts[] = {
	OPT_HEADING("Filters (all must match; lists like 1,7,20-29)"),
	LIST("pid", pids, "PID,...", "these processes", target_parse_pids, COMPLETE_PID,
	     .conflicts = "tid"),
	OPT_FLAG(0, "follow", struct target, follow, "with --pid: also their new children"),
	LIST("tid", tids, "TID,...", "these threads", parse_tids, COMPLETE_TID),
	LIST("not-pid", not_pids, "PID,...", "not these processes", target_parse_pids,
	     COMPLETE_PID),
	LIST("comm", comms, "GLOB", "threads with this name (15 bytes); may be repeated",
	     parse_comm, COMPLETE_COMM),
	LIST("not-comm", not_comms, "GLOB", "not threads with this name", parse_comm,
	     COMPLETE_COMM),
	OPT_STRINGS(0, "cgroup", struct target, cgroups, "PATH",
		    "below this cgroup: a path under /sys/fs/cgroup, or a glob; may be repeated",
		    .complete = COMPLETE_CGROUP),
	OPT_STRINGS(0, "not-cgroup", struct target, not_cgroups, "PATH", "not below this cgroup",
		    .complete = COMPLETE_CGROUP),
	LIST("container", cgroups, "ID", "the container with this id, or its first digits",
	     parse_container, COMPLETE_NONE),
	OPT_STRING(0, "cgroupmap", struct target, cgroupmap, "PATH",
		   "cgroups whose ids are the keys of the BPF map pinned at PATH",
		   .complete = COMPLETE_FILE),
	OPT_STRING(0, "mntnsmap", struct target, mntnsmap, "PATH",
		   "mount namespaces whose ids are the keys of the BPF map pinned at PATH",
		   .complete = COMPLETE_FILE),
	LIST("uid", uids, "USER,...", "processes of these users, by number or name",
	     target_parse_uids, COMPLETE_USER),
	LIST("not-uid", not_uids, "USER,...", "not processes of these users", target_parse_uids,
	     COMPLETE_USER),
	LIST("cpu", cpus, "CPU,...", "on these CPUs", target_parse_cpus, COMPLETE_CPU),
	OPT_FLAG(0, "self", struct target, include_self, "include bperf itself"),
	OPT_FLAG(0, "as-root", struct target, as_root,
		 "under sudo: run the program after -- as root, not as the user who called sudo"),
	OPT_END,
};

int target_check(struct target *t, const struct opt_rest *rest, struct err *err)
{
	t->program = rest->program;
	if (t->follow && !t->pids.v.n)
		return err_set(err, ERR_USAGE, "--follow needs --pid");
	if (t->as_root && !t->program)
		return err_set(err, ERR_USAGE, "--as-root needs a program to run: ... -- COMMAND");
	return 0;
}

const char *target_option(const struct target *t)
{
	const struct {
		const char *name;
		bool is_given;
	} options[] = {
		{ "-p", t->pids.v.n },
		{ "--tid", t->tids.v.n },
		{ "--comm", t->comms.v.n },
		{ "--cgroup", t->cgroups.v.n },
		{ "--uid", t->uids.v.n },
		{ "--not-pid", t->not_pids.v.n },
		{ "--not-comm", t->not_comms.v.n },
		{ "--not-cgroup", t->not_cgroups.v.n },
		{ "--not-uid", t->not_uids.v.n },
		{ "--cgroupmap", t->cgroupmap },
		{ "--mntnsmap", t->mntnsmap },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].is_given)
			return options[i].name;
	return NULL;
}

void target_release(struct target *t)
{
	vec_release(&t->pids.v);
	vec_release(&t->tids.v);
	vec_release(&t->not_pids.v);
	vec_release(&t->uids.v);
	vec_release(&t->not_uids.v);
	vec_release(&t->cpus.v);
	opt_strings_release(&t->cgroups);
	opt_strings_release(&t->not_cgroups);
	opt_strings_release(&t->comms);
	opt_strings_release(&t->not_comms);
}
