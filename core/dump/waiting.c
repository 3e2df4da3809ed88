// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/waiting.h"

#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "dump/call.h"
#include "dump/files.h"
#include "dump/lock.h"
#include "dump/process.h"
#include "host/caps.h"
#include "wait/classify.h"
#include "wait/object.h"

/* For descriptors and tables of sockets: a process may have very many. */
#define LIMIT_NS (2 * NS_PER_SEC)

/* The C library's function is among this many frames at the leaf. */
#define FUNCTIONS 8

/* include/linux/sched.h, for all of them */
#define TASK_INTERRUPTIBLE   0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED	     0x4
#define TASK_TRACED	     0x8
#define TASK_PARKED	     0x40
#define TASK_IDLE	     0x402

/* ---- reading ---- */

/* A thread in vfork() is marked as frozen, too, so that its cgroup need not wait for it; but it is
 * uninterruptible (wait_for_vfork_done in kernel/fork.c). */
static bool is_frozen(const struct dump_thread *t)
{
	return t->more.is_frozen && !(t->state & TASK_UNINTERRUPTIBLE);
}

static bool waits_in_call(const struct dump_thread *t)
{
	return !t->on_cpu && t->state && !is_frozen(t) &&
	       !(t->state & (TASK_STOPPED | TASK_TRACED));
}

static bool is_in_time(struct waiting *w)
{
	bool is = now_ns() < w->until_ns;

	w->n_late += !is;
	return is;
}

static void want_end(struct waiting *w, const struct dump_thread *t)
{
	const struct wait_object *o = &t->more.object;
	struct end e = { .tgid = t->tgid };

	if (o->kind == OBJECT_PIPE) {
		e.inode = o->id;
		e.is_pipe = true;
		e.wants_reader = call_of(t) == CALL_WRITE;
	} else if (o->kind == OBJECT_SOCKET) {
		e.inode = o->family == AF_UNIX ? t->more.peer
					       : sockets_find_peer(&w->sockets, t->tgid, o);
	}
	if (!e.inode)
		return;
	vec_push(&w->ends.v, e);
	w->end_of.items[w->end_of.n - 1] = (u32)w->ends.v.n;
}

static u64 inner_hash(u32 tgid, u32 inner_tid)
{
	return hash_mix(tgid, inner_tid);
}

static void read_thread(struct waiting *w, struct dump_thread *t, u32 i)
{
	_cleanup_(str_release) struct str text = { 0 };
	const char *object = NULL;

	index_add(&w->by_inner, inner_hash(t->tgid, t->more.inner_tid), i);
	vec_push(&w->end_of, 0);
	vec_push(&w->words, SYM_FORGOTTEN);
	if (waits_in_call(t)) {
		if (call_of(t) == CALL_FUTEX)
			symbolizer_data(w->sym, t->tgid, t->more.args[0], &w->words.items[i]);
		call_peek(t, &w->peeks);
		if (t->more.object.kind != OBJECT_NONE && t->more.object.kind != OBJECT_FUTEX &&
		    is_in_time(w)) {
			want_end(w, t);
			if (wait_object_add(&text, &t->more.object, t->tgid))
				object = intern(w->strings, str_text(&text));
		}
	}
	vec_push(&w->objects, object);
}

static void read_files(struct waiting *w, u32 i)
{
	const struct dump_thread *t = &w->threads->v.items[i];
	_cleanup_(str_release) struct str text = { 0 };

	if (!waits_in_call(t) || w->objects.items[i] || !call_has_files(call_of(t)) ||
	    !is_in_time(w))
		return;
	files_describe(t, &w->peeks, &w->sockets, &text);
	w->objects.items[i] = intern(w->strings, str_text(&text));
}

/* A thread that has run meanwhile may have reused the memory, or got the lock itself. */
static int drop_moved(struct waiting *w, const struct take_conf *take, struct err *err)
{
	struct dump_thread *t;
	int ret = w->peeks.v.n ? take_again(take, w->threads, err) : 0;

	if (!ret && w->peeks.v.n)
		vec_for_each(t, &w->threads->v)
			if (t->has_moved)
				memset(t->peeks, 0, sizeof(t->peeks));
	return ret;
}

static void warn_refused(const struct waiting *w)
{
	u32 n = peeks_n_refused(&w->peeks);

	if (n)
		log_warn("memory-refused",
			 "the memory of %u thread%s may not be read%s: owners of locks, and "
			 "files that are polled, are missing",
			 n, n > 1 ? "s" : "",
			 cap_have(CAP_ID_SYS_PTRACE) ? "" : " without CAP_SYS_PTRACE");
}

int waiting_read(struct waiting *w, const struct take_conf *take, struct dump_threads *threads,
		 struct symbolizer *sym, struct intern *strings, struct err *err)
{
	int ret;

	*w = (struct waiting){
		.threads = threads, .sym = sym, .strings = strings, .until_ns = now_ns() + LIMIT_NS
	};
	for (u32 i = 0; i < threads->v.n; i++)
		read_thread(w, &threads->v.items[i], i);
	peeks_read(&w->peeks);
	warn_refused(w);
	ret = drop_moved(w, take, err);
	if (ret)
		return ret;
	if (!ends_find(&w->ends))
		log_warn("ends-late", "not all processes were searched in time for the other ends "
				      "of pipes and sockets: some are missing");
	for (u32 i = 0; i < threads->v.n; i++)
		read_files(w, i);
	if (w->n_late)
		log_warn("objects-late",
			 w->n_late == 1
				 ? "the files that %u thread waits for were not looked up in time"
				 : "the files that %u threads wait for were not looked up in time",
			 w->n_late);
	return 0;
}

void waiting_release(struct waiting *w)
{
	peeks_release(&w->peeks);
	vec_release(&w->ends.v);
	vec_release(&w->end_of);
	vec_release(&w->words);
	vec_release(&w->objects);
	index_release(&w->by_inner);
	process_threads_release(&w->not_targets);
	sockets_release(&w->sockets);
}

/* ---- locks ---- */

static enum lock_kind find_kind(const struct report *r, u32 user)
{
	enum lock_kind kind = LOCK_UNKNOWN;

	for (u32 i = 0; user && i < FUNCTIONS && !kind; i++, user = r->nodes[user].parent) {
		const char *name = r->frames[r->nodes[user].frame].name;

		if (name)
			kind = lock_kind_of(name);
	}
	return kind;
}

static const struct dump_thread *find_inner(const struct waiting *w, u32 tgid, u32 inner_tid)
{
	size_t at = 0;
	u32 i;

	while (index_next(&w->by_inner, inner_hash(tgid, inner_tid), &at, &i))
		if (w->threads->v.items[i].tgid == tgid &&
		    w->threads->v.items[i].more.inner_tid == inner_tid)
			return &w->threads->v.items[i];
	return NULL;
}

/* The thread of the same process with this number; it need not be a target.  false: there is
 * none. */
static bool set_thread(struct waiting *w, const struct dump_thread *t, u32 inner_tid,
		       enum thread_role role, struct thread_other *out)
{
	const struct dump_thread *other = inner_tid ? find_inner(w, t->tgid, inner_tid) : NULL;
	u32 tid;

	if (!inner_tid)
		return false;
	tid = other ? other->tid : process_thread_find(&w->not_targets, t->tgid, inner_tid);
	if (!tid)
		return false;
	*out = (struct thread_other){ .role = role, .pid = t->tgid, .tid = tid };
	out->comm = other ? intern_n(w->strings, other->comm, sizeof(other->comm))
			  : process_comm(tid, w->strings);
	return true;
}

/* The lock begins before the word that is waited for, in the same variable unless that is an alias
 * of the word alone. */
static void add_lock(const struct waiting *w, u32 i, enum lock_kind kind, const struct report *r,
		     struct str *text)
{
	const struct dump_thread *t = &w->threads->v.items[i];
	u64 address = lock_address(t, kind), before = t->more.args[0] - address;
	u32 word = w->words.items[i];
	const struct frame *f = word == SYM_FORGOTTEN ? NULL : &r->frames[word];

	if (f && f->name && f->off >= before)
		str_addf(text, "%s+0x%llx in %s", f->name, f->off - before, frame_base(f->module));
	else if (f && f->module)
		str_addf(text, "0x%llx in %s", f->off - before, frame_base(f->module));
	else
		str_addf(text, "0x%llx", address);
}

static void explain_futex(struct waiting *w, u32 i, const struct report *r, struct thread_row *row)
{
	const struct dump_thread *t = &w->threads->v.items[i];
	static const char *const names[] = { [LOCK_MUTEX] = "mutex", [LOCK_RWLOCK] = "rwlock" };
	enum lock_kind kind =
		lock_is_mutex(t) ? LOCK_MUTEX : find_kind(r, r->stacks.items[row->stack].user);
	const char *name = kind == LOCK_MUTEX || kind == LOCK_RWLOCK ? names[kind] : "futex";
	_cleanup_(str_release) struct str text = { 0 };

	if (kind == LOCK_CONDITION || kind == LOCK_JOIN)
		row->state = state_names[STATE_CONDITION];
	else if (kind)
		row->state = state_names[STATE_LOCK];
	if (set_thread(w, t, lock_joined(t, kind, &w->peeks), THREAD_JOINED, &row->other)) {
		row->state = state_names[STATE_CONDITION];
		row->object = "end of thread";
		return;
	}
	if (set_thread(w, t, lock_owner(t, kind, &w->peeks), THREAD_OWNER, &row->other))
		row->state = state_names[STATE_LOCK];
	str_addf(&text, "%s ", name);
	add_lock(w, i, kind, r, &text);
	row->object = intern(w->strings, str_text(&text));
}

/* ---- other objects ---- */

static void set_process(struct waiting *w, u32 pid, enum thread_role role, struct thread_other *out)
{
	*out = (struct thread_other){ .role = role, .pid = pid, .tid = -1 };
	out->comm = process_comm(pid, w->strings);
}

static void explain_end(struct waiting *w, u32 i, struct thread_row *row)
{
	u32 id = w->end_of.items[i];
	const struct end *e = id ? &w->ends.v.items[id - 1] : NULL;

	if (!e || !e->found)
		return;
	set_process(w, e->found, THREAD_PEER, &row->other);
	row->other.n_more = e->n_more;
}

/* The argument of a wait for one child, in the namespace of its parent; 0: any. */
static u32 child_wanted(const struct dump_thread *t)
{
	const u64 *args = (const u64 *)t->more.args;

	if (call_of(t) == CALL_WAIT4 && (s32)args[0] > 0)
		return (u32)args[0];
	return call_of(t) == CALL_WAITID && args[0] == 1 ? (u32)args[1] : 0; /* P_PID */
}

/* The call gives the number of the child in the namespace of its parent. */
static bool is_child(const struct dump_thread *t, u32 pid, u32 wanted)
{
	return t->more.inner_tid == t->tid ? pid == wanted : process_inner(pid) == wanted;
}

/* A thread may wait for the children of any thread of its process, usually for those of the first
 * one. */
static void explain_child(struct waiting *w, const struct dump_thread *t, struct thread_row *row)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct pid_list children = { 0 };
	u32 wanted = child_wanted(t), found = 0;
	const u32 *pid;

	process_children(t->tgid, t->tid, &children);
	if (t->tid != t->tgid && call_of(t) != CALL_VFORK)
		process_children(t->tgid, t->tgid, &children);
	vec_for_each(pid, &children.v)
		if (wanted && is_child(t, *pid, wanted))
			found = *pid;
	if (!wanted && children.v.n == 1)
		found = children.v.items[0];
	row->object = "end of child";
	if (found) {
		set_process(w, found, THREAD_CHILD, &row->other);
	} else if (!wanted && children.v.n) {
		str_addf(&text, "end of any of %zu children", children.v.n);
		row->object = intern(w->strings, str_text(&text));
	}
	vec_release(&children.v);
}

static void explain_sleep(struct waiting *w, const struct dump_thread *t, struct thread_row *row)
{
	_cleanup_(str_release) struct str text = { 0 };

	if (files_describe_sleep(t, &w->peeks, row->age_ns, &text))
		row->object = intern(w->strings, str_text(&text));
}

static void explain_object(struct waiting *w, u32 i, const struct report *r, struct thread_row *row)
{
	const struct dump_thread *t = &w->threads->v.items[i];

	switch (call_of(t)) {
	case CALL_FUTEX:
		explain_futex(w, i, r, row);
		break;
	case CALL_NANOSLEEP:
	case CALL_CLOCK_NANOSLEEP:
		explain_sleep(w, t, row);
		break;
	case CALL_WAIT4:
	case CALL_WAITID:
	case CALL_VFORK:
		explain_child(w, t, row);
		break;
	default:
		row->object = w->objects.items[i];
		explain_end(w, i, row);
	}
}

/* ---- the state ---- */

/* A thread that is held waits for whoever holds it, not for what its call is about. */
static const char *held_state(const struct dump_thread *t)
{
	if (t->state & TASK_STOPPED)
		return "stopped";
	if (t->state & TASK_TRACED)
		return "traced";
	return is_frozen(t) ? "frozen" : NULL;
}

static char letter_of(const struct dump_thread *t)
{
	static const struct {
		u32 state;
		char letter;
	} letters[] = { { TASK_STOPPED, 'T' },
			{ TASK_TRACED, 't' },
			{ TASK_INTERRUPTIBLE, 'S' },
			{ TASK_PARKED, 'P' } };

	if (t->on_cpu || !t->state)
		return 'R';
	if ((t->state & TASK_IDLE) == TASK_IDLE)
		return 'I';
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (t->state & letters[i].state)
			return letters[i].letter;
	return 'D';
}

void waiting_explain(struct waiting *w, u32 i, const struct report *r, u32 kernel, u8 marks,
		     struct thread_row *row)
{
	const struct dump_thread *t = &w->threads->v.items[i];

	row->letter = letter_of(t);
	row->other = (struct thread_other){ .pid = -1, .tid = -1 };
	if (t->on_cpu) {
		row->state = "running";
		return;
	}
	row->state = t->state ? held_state(t) : state_names[STATE_WAITING];
	if (row->state)
		return;
	row->state = state_names[wait_kind(r, kernel, marks)];
	/* In a page fault within a call, it waits for the page. */
	if (row->state != state_names[STATE_FAULT])
		explain_object(w, i, r, row);
}
