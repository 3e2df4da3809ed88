// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared by the attach methods: progress, refusals, links. */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/attach_int.h"

bool attaching_step(struct attaching *t, u64 n)
{
	t->done += n;
	if (t->progress && !t->progress(t->ctx, t->done, t->all))
		t->is_stopped = true;
	return !t->is_stopped;
}

static const char *refusal(int errnum)
{
	static const struct {
		int errnum;
		const char *why;
	} rows[] = {
		{ 524, "an instruction there can't be replaced" }, /* the kernel's ENOTSUPP */
		{ ENOEXEC, "the kernel cannot decode the instruction there" },
		{ EILSEQ, "it does not begin at an instruction" },
		{ EADDRNOTAVAIL, "several functions have this name" },
		{ ENOENT, "the kernel has no such function" },
		{ EINVAL, "it can't be probed there" },
		{ EOPNOTSUPP, "it can't be probed there" },
		{ E2BIG, "64 programs are already attached there" },
		{ EBUSY, "something else changes its code" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].errnum == errnum)
			return rows[i].why;
	return strerror(errnum);
}

bool attaching_is_permission(int errnum)
{
	return errnum == EPERM || errnum == EACCES;
}

/* A missing permission or descriptor affects all sites, except that some tracepoints check
 * permissions of their own. */
static bool is_about_all(const struct probe_plan *plan, int errnum)
{
	return errnum == EMFILE ||
	       (attaching_is_permission(errnum) && plan->method != ATTACH_TRACEPOINT);
}

int attaching_error(struct err *err, const char *name, int errnum)
{
	err_set(err, attaching_is_permission(errnum) ? ERR_PERM : ERR_FAIL,
		"cannot attach to '%s': %s", name, refusal(errnum));
	if (errnum == EMFILE)
		err_hint(err, "raise the limit of open files: ulimit -n 100000");
	return -err->code;
}

int attaching_refused(struct attaching *t, const struct site *s, int errnum)
{
	struct probe_plan *plan = t->plan;

	if ((plan->sites.n == 1 && !plan->is_one_of_many) || is_about_all(plan, errnum))
		return attaching_error(t->err, s->name, errnum);
	if (!t->a->refused_errnum)
		t->a->refused_errnum = errnum;
	if (plan->n_skipped[SKIP_REFUSED]++ < 1000)
		vec_push(&plan->skipped,
			 arena_printf(&plan->arena, "%s was refused by the kernel: %s", s->name,
				      refusal(errnum)));
	return 0;
}

int link_create(const struct link_attr *attr)
{
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : (int)fd;
}
