// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads at one moment, written by hand, drawn by every renderer that has them (goldens.h). */
#include "goldens.h"
#include "reports.h"

static struct thread_row *add(struct sample *s, const char *comm, s64 tid, const char *state,
			      u64 age_ns, const u32 *kernel, const u32 *user)
{
	sample_add(s, comm, 1200, 1, kernel, user);
	vec_push(&s->report.threads, (struct thread_row){ .stack = (u32)s->report.stacks.n - 1,
							  .pid = 1200,
							  .tid = tid,
							  .comm = comm,
							  .process = "ngi\033nx",
							  .state = state,
							  .letter = 'S',
							  .age_ns = age_ns,
							  .other = { .pid = -1, .tid = -1 } });
	return &s->report.threads.items[s->report.threads.n - 1];
}

static void depend(struct thread_row *t, const char *object, enum thread_role role, s64 tid,
		   const char *comm)
{
	t->object = object;
	t->other = (struct thread_other){ .role = role, .pid = 1200, .tid = tid, .comm = comm };
}

static void init(struct sample *s)
{
	sample_init(s, server_frames, F_N);
	s->run.command = "dump";
	s->run.value_name = "threads";
	s->run.unit = UNIT_THREADS;
	s->report.kind = REPORT_THREADS;
}

static void add_all(struct sample *s)
{
	const u32 *lock = PATH(F_WRITE, F_MAIN), *kernel = PATH(F_TCP, F_SYSCALL);
	struct thread_row *t;

	depend(add(s, "a", 1201, "lock", 61 * NS_PER_SEC, kernel, lock), "mutex 0x10", THREAD_OWNER,
	       1202, "b");
	depend(add(s, "b", 1202, "lock", 3601 * NS_PER_SEC, kernel, lock), "mutex 0x20",
	       THREAD_OWNER, 1201, "a");
	for (s64 i = 0; i < 3; i++)
		depend(add(s, "pool \033[31m", 1210 + i, "lock", (u64)(1 + i) * NS_PER_SEC, kernel,
			   lock),
		       i ? "mutex 0x30" : "mutex 0x40", THREAD_OWNER, 1200, "ng\"inx");
	t = add(s, "ng\"inx", 1200, "disk", 90061 * NS_PER_SEC, kernel, PATH(F_MAIN));
	t->letter = 'D';
	t->object = "file /var/lib/a\nb";
	depend(add(s, "reader", 1220, "pipe", THREAD_AGE_UNKNOWN, kernel, lock), "pipe:[4711]",
	       THREAD_PEER, -1, NULL);
	s->report.threads.items[s->report.threads.n - 1].other.n_more = 2;
	add(s, "spinner", 1221, "running", 312 * NS_PER_MS, NULL, PATH(F_JIT))->letter = 'R';
	add(s, "ready", 1222, "waiting", 1, NULL, PATH(F_JIT))->letter = 'R';
	report_relate_threads(&s->report);
}

TEST(threads)
{
	const struct render_opts each = { .color = COLOR_NEVER, .each_thread = true };
	struct sample s;
	const struct report *r = &s.report;

	init(&s);
	add_all(&s);
	check_in("threads", &r, 1, IN_TEXT, &plain);
	check_in("threads", &r, 1, IN_JSON, &plain);
	check_in("threads", &r, 1, IN_FOLDED, &plain);
	check_in("threads-each", &r, 1, IN_TEXT, &each);
	sample_release(&s);
}

TEST(no_threads)
{
	struct sample s;
	const struct report *r = &s.report;

	init(&s);
	check_in("threads-nothing", &r, 1, IN_TEXT, &plain);
	check_in("threads-nothing", &r, 1, IN_JSON, &plain);
	sample_release(&s);
}
