// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/subprocess.h"

#define LIMIT_NS   NS_PER_SEC
#define LOOK_MS	   10 /* how often to check whether names are still wanted */
/* The budget of the helper itself: it is less than the time limit, because otherwise a mount that
 * does answer would be blamed. */
#define WORK_NS	   (700 * NS_PER_MS)
#define MAX_ANSWER (64 << 20)

/* Format of the pipe: one reply, then for each want one record followed by its name. */
struct reply {
	s32 ret;
	u32 n_wants;
	bool is_refused;
	char build_id[2 * BUILD_ID_MAX + 1];
};

struct record {
	u64 at, start;
	u32 id, n_name;
};

/* ---- the helper ---- */

/* The work of the helper. */
struct job {
	int (*run)(const struct job *j, struct wants *w);
	int *held; /* the descriptor that the helper needs, where it gets a new number; -1: none */
	struct objfile *o;
	struct files *f; /* for an ELF file */
	u32 id;
	const char *path; /* for a perf map */
	const struct perfmap_owner *owner;
};

static int name_by_file(const struct job *j, struct wants *w)
{
	_cleanup_(close_p) int fd = files_open(j->f, j->id);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	j->o->src = (struct elf_src){ .fd = fd, .size = (u64)st.st_size, .meter = w->meter };
	return objfile_name(j->o, w);
}

static int name_by_map(const struct job *j, struct wants *w)
{
	return perfmap_read(*j->held, j->path, j->owner, w);
}

static bool write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

static void answer(const struct objfile *o, const struct wants *w, int ret, struct str *out)
{
	struct reply head = {
		.ret = ret,
		.n_wants = (u32)w->list.n,
		.is_refused = w->meter->is_refused,
	};
	const struct sym_query *want;

	memcpy(head.build_id, o->build_id, sizeof(head.build_id));
	str_add(out, (const char *)&head, sizeof(head));
	vec_for_each(want, &w->list) {
		struct record r = { .at = want->at,
				    .start = want->start,
				    .id = want->id,
				    .n_name = want->is_named ? (u32)want->found.n : 0 };

		str_add(out, (const char *)&r, sizeof(r));
		str_add(out, str_text(&want->found), r.n_name);
	}
}

/* Shared by both sides; the helper has its own copy. */
struct task {
	const struct job *job;
	struct wants *wants;
};

static bool helper_run(void *ctx, int out_fd, int held_fd)
{
	const struct task *t = ctx;
	struct meter meter = { .max_cpu_ns = WORK_NS };
	struct str out = { 0 };
	int ret;

	meter_begin(&meter);
	t->wants->meter = &meter;
	*t->job->held = held_fd;
	ret = t->job->run(t->job, t->wants);
	ret = meter.over ? -E2BIG : ret;
	answer(t->job->o, t->wants, ret, &out);
	return write_all(out_fd, str_text(&out), out.n);
}

/* ---- the parent ---- */

/* Read until the helper closes its end.  Returns 0 or -errno. */
static int collect(int fd, struct meter *meter, struct str *out)
{
	u64 deadline = now_ns() + LIMIT_NS;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int ready = poll(&p, 1, LOOK_MS);
		ssize_t n;

		if (meter_is_over(meter))
			return -ECANCELED;
		if (ready <= 0 && now_ns() < deadline)
			continue;
		if (ready <= 0)
			return -ETIMEDOUT;
		n = read(fd, str_reserve(out, 65536), 65536);
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		out->n += (size_t)n;
		if (out->n > MAX_ANSWER)
			return -E2BIG;
	}
}

static bool read_bytes(struct view *rest, void *out, size_t n)
{
	if (rest->n < n)
		return false;
	memcpy(out, rest->p, n);
	rest->p += n;
	rest->n -= n;
	return true;
}

static int take_records(struct view rest, struct wants *w)
{
	for (size_t i = 0; i < w->list.n; i++) {
		struct sym_query *want = &w->list.items[i];
		struct sym_match found = { 0 };
		struct record r;

		if (!read_bytes(&rest, &r, sizeof(r)) || rest.n < r.n_name)
			return -EIO;
		want->at = r.at;
		want->id = r.id;
		found.start = r.start;
		want_name(want, &found, (struct view){ rest.p, r.n_name });
		rest.p += r.n_name;
		rest.n -= r.n_name;
	}
	return 0;
}

static int take_answer(struct view rest, struct objfile *o, struct wants *w)
{
	struct reply head;

	if (!read_bytes(&rest, &head, sizeof(head)) || head.n_wants != w->list.n)
		return -EIO;
	if (head.is_refused)
		meter_refuse(w->meter);
	memcpy(o->build_id, head.build_id, sizeof(o->build_id));
	o->build_id[sizeof(o->build_id) - 1] = '\0';
	return head.ret ? head.ret : take_records(rest, w);
}

static int run(const struct job *j, struct wants *w)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct task t = { .job = j, .wants = w };
	struct helper h;
	int ret = helper_start(&h, *j->held, helper_run, &t);

	if (ret)
		return ret;
	ret = collect(h.fd, w->meter, &text);
	helper_end(&h, ret != 0);
	return ret ? ret : take_answer(str_view(&text), j->o, w);
}

int remote_name(struct files *f, u32 id, struct objfile *o, struct wants *w)
{
	const struct job j = {
		.run = name_by_file, .held = &f->list.items[id].fd, .o = o, .f = f, .id = id
	};

	return run(&j, w);
}

int remote_perfmap(int root_fd, const char *path, const struct perfmap_owner *owner,
		   struct wants *w)
{
	struct objfile none = { 0 };
	const struct job j = {
		.run = name_by_map, .held = &root_fd, .o = &none, .path = path, .owner = owner
	};

	return run(&j, w);
}
