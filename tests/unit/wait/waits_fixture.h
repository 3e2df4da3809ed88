/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits of one process, from BEGIN on, without a kernel: shared by the tests of intervals and
 * states. */
#ifndef TESTS_WAIT_WAITS_FIXTURE_H
#define TESTS_WAIT_WAITS_FIXTURE_H

#include "wait/intervals.h"

#include "test.h"

#define PID   7
#define BIRTH 5
#define BEGIN 1000

struct fixture {
	struct symbolizer *sym;
	struct store store;
	struct waits w;
};

static inline void fixture_init(struct fixture *f, const struct waits_conf *conf)
{
	const struct symbolizer_opts opts = { .proc_root = "/nonexistent", .keep_addresses = true };
	struct err err = { 0 };

	CHECK(!symbolizer_new(&f->sym, &opts, &err));
	store_init(&f->store, f->sym, 0, true);
	waits_init(&f->w, conf, &f->store);
	waits_begin(&f->w, BEGIN);
}

static inline void fixture_release(struct fixture *f)
{
	waits_release(&f->w);
	store_release(&f->store);
	symbolizer_free(f->sym);
}

static const struct waits_conf plain = { .weight = 1, .max_ns = UINT64_MAX };
static inline struct stack_id id_of(u64 n)
{
	return (struct stack_id){ { n << 32, ~n } };
}

static inline u32 put_stack(struct fixture *f, u64 n, const char *comm)
{
	const struct stack_id id = id_of(n);
	const u64 user[] = { n, 0x1000 };
	struct raw_stack raw = { .id = { id.hash[0], id.hash[1] },
				 .tgid = PID,
				 .user = user,
				 .n_user = ARRAY_SIZE(user),
				 .max_frames = 127 };

	snprintf(raw.comm, sizeof(raw.comm), "%s", comm);
	return store_intern(&f->store, &raw);
}

static inline void add_wait(struct fixture *f, u64 stack, u64 off, u64 waking, u64 on)
{
	waits_add_record(&f->w, &(struct wait_record){ .id = id_of(stack),
						       .waiter = id_of(stack),
						       .pid = PID,
						       .tgid = PID,
						       .start_time = BIRTH,
						       .off_ns = off,
						       .waking_ns = waking,
						       .on_ns = on,
						       .flags = WAIT_WANTED | WAIT_TAKEN,
						       .comm = "app" });
}

static inline struct wait_thread thread_off(u64 stack, u64 off, u64 waking)
{
	return (struct wait_thread){ .start_time = BIRTH,
				     .off_ns = off,
				     .waking_ns = waking,
				     .stack = id_of(stack),
				     .tgid = PID,
				     .tid = PID,
				     .flags = WAIT_WANTED | WAIT_TAKEN,
				     .comm = "app" };
}

/* The report of the window that is cut now: its total, and how many rows it has. */
static inline u64 report_total(struct fixture *f, size_t n_rows)
{
	const struct store_view view = { .by = BY_COMM };
	struct report r = { 0 };
	u64 total;

	waits_report(&f->w, &view, &r);
	CHECK_U64(r.stacks.n, n_rows);
	total = r.total;
	report_release(&r);
	waits_end_report(&f->w, false);
	return total;
}

static inline void report_by_comm(struct fixture *f, u64 cut_ns, struct report *r)
{
	waits_cut(&f->w, cut_ns, UINT64_MAX);
	waits_report(&f->w, &(struct store_view){ .by = BY_COMM }, r);
}

/* A stack of one life of a thread. */
static inline u32 put_life(struct fixture *f, u64 n, u64 start_time, bool is_running)
{
	const struct stack_id id = id_of(n);

	return store_intern(&f->store, &(struct raw_stack){ .id = { id.hash[0], id.hash[1] },
							    .tgid = PID,
							    .tid = PID,
							    .start_time = start_time,
							    .is_running = is_running,
							    .comm = "app" });
}

static inline void add_flagged(struct fixture *f, u64 stack, u64 off, u64 on, u8 flags)
{
	waits_add_record(&f->w, &(struct wait_record){ .id = id_of(stack),
						       .waiter = id_of(stack),
						       .pid = PID,
						       .start_time = BIRTH,
						       .off_ns = off,
						       .waking_ns = on,
						       .on_ns = on,
						       .flags = flags });
}

#endif
