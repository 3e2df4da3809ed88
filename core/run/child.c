// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/stop.h"
#include "base/str.h"

#define MAX_GROUPS   256
/* The number of times that a child waiting for its exec polls before it makes system calls, which
 * may be counted: this takes about ten milliseconds, longer than bperf waits for a CPU in
 * between. */
#define GATE_LOOKS   (1 << 26)
#define GATE_LOOK_NS 100000

/* In memory shared by parent and child. */
struct child_gate {
	bool is_ready, is_open;
};

/* The user who called sudo; read before the fork. */
struct identity {
	bool is_set;
	u32 uid, gid;
	gid_t groups[MAX_GROUPS];
	size_t n_groups;
	const char *user;
	char *home;
};

static bool env_number(const char *name, u32 *out)
{
	const char *text = getenv(name);
	u64 v;

	if (!text || !num_parse_dec(view_of(text), &v) || v > UINT32_MAX)
		return false;
	*out = (u32)v;
	return true;
}

static bool has_member(struct view members, const char *user)
{
	struct view name;

	while (view_split(&members, ',', &name))
		if (view_eq(name, user))
			return true;
	return false;
}

/* A static glibc has no NSS, so read the file itself: "name:x:GID:member,member". */
static void read_groups(struct identity *id)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line;

	id->groups[id->n_groups++] = id->gid;
	if (!id->user || file_read("/etc/group", 1 << 20, &text))
		return;
	rest = str_view(&text);
	while (view_split(&rest, '\n', &line) && id->n_groups < MAX_GROUPS) {
		struct view f[3];
		u64 gid;

		if (view_split(&line, ':', &f[0]) && view_split(&line, ':', &f[1]) &&
		    view_split(&line, ':', &f[2]) && num_parse_dec(f[2], &gid) &&
		    has_member(line, id->user))
			id->groups[id->n_groups++] = (gid_t)gid;
	}
}

/* "name:x:UID:GID:gecos:HOME:shell" */
static void read_home(struct identity *id)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line;

	if (file_read("/etc/passwd", 1 << 20, &text))
		return;
	rest = str_view(&text);
	while (!id->home && view_split(&rest, '\n', &line)) {
		struct view f[6] = { 0 };
		u64 uid;

		for (u32 i = 0; i < 6; i++)
			if (!view_split(&line, ':', &f[i]))
				break;
		if (num_parse_dec(f[2], &uid) && uid == id->uid && f[5].n)
			id->home = mem_strndup(f[5].p, f[5].n);
	}
}

static void read_identity(struct identity *id)
{
	if (geteuid() || !env_number("SUDO_UID", &id->uid) || !env_number("SUDO_GID", &id->gid) ||
	    !id->uid)
		return;
	id->is_set = true;
	id->user = getenv("SUDO_USER");
	read_groups(id);
	read_home(id);
}

/* Runs in the child.  Returns 0 or an errno. */
static int become(const struct identity *id)
{
	if (!id->is_set)
		return 0;
	if (setgroups(id->n_groups, id->groups) || setresgid(id->gid, id->gid, id->gid) ||
	    setresuid(id->uid, id->uid, id->uid))
		return errno;
	if (id->user) {
		setenv("USER", id->user, 1);
		setenv("LOGNAME", id->user, 1);
	}
	if (id->home)
		setenv("HOME", id->home, 1);
	return 0;
}

/*
 * Tracing of the child begins with its exec, but before that bperf's own code makes system calls in
 * it.  The child reports when these have returned, and then polls without system calls.  If that
 * takes long, it yields, because others may need the CPU, and checks that bperf still exists.
 */
static void wait_at(struct child_gate *gate)
{
	pid_t parent = getppid();

	__atomic_store_n(&gate->is_ready, true, __ATOMIC_RELEASE);
	for (u64 i = 1; !__atomic_load_n(&gate->is_open, __ATOMIC_ACQUIRE); i++) {
		if (i % GATE_LOOKS)
			continue;
		if (getppid() != parent)
			_exit(0);
		sched_yield();
	}
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/*
 * The file that execvp() would find.  execvp() searches by calling execve for each directory in
 * PATH: once tracing has begun, these failed calls would be counted as the program's.  NULL: there
 * is no such file; execvp()'s error says why.
 */
static const char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	struct view rest = view_of(path ? path : "/bin:/usr/bin"), dir;

	if (strchr(name, '/'))
		return name;
	while (*name && view_split(&rest, ':', &dir)) {
		char *file = mem_printf("%.*s%s%s", (int)dir.n, dir.p, dir.n ? "/" : "", name);

		if (is_program(file))
			return file;
		free(file);
	}
	return NULL;
}

/* Returns an errno.  execvp() also runs scripts whose first line does not name a shell. */
static int execute(const char *program, char **argv)
{
	if (program)
		execv(program, argv);
	if (!program || errno == ENOEXEC)
		execvp(argv[0], argv);
	return errno;
}

static _Noreturn void run_child(char **argv, int go_fd, int exec_fd, struct child_gate *gate,
				const struct identity *id)
{
	const char *slash = strrchr(argv[0], '/'), *program;
	sigset_t none;
	char go;
	int e;

	/* The child's time before its exec is reported as the program's: use the program's name. */
	prctl(PR_SET_NAME, slash ? slash + 1 : argv[0]);
	if (read(go_fd, &go, 1) != 1)
		_exit(0); /* bperf is gone */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	e = become(id);
	if (!e) {
		program = find_program(argv[0]);
		wait_at(gate);
		e = execute(program, argv);
	}
	if (write(exec_fd, &e, sizeof(e)) != sizeof(e))
		_exit(126);
	_exit(127);
}

int child_start(struct child *c, char **argv, const struct child_opts *opts, struct err *err)
{
	struct identity id = { 0 };
	int go[2], result[2];

	*c = (struct child)CHILD_NONE;
	c->gate = mmap(NULL, sizeof(*c->gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (c->gate == MAP_FAILED) {
		c->gate = NULL;
		return err_errno(err, errno, "cannot start '%s'", argv[0]);
	}
	if (!opts->as_root)
		read_identity(&id);
	/* If our parent ignores SIGCHLD, the kernel reaps our child and its status is lost. */
	signal(SIGCHLD, SIG_DFL);
	if (pipe2(go, O_CLOEXEC))
		return err_errno(err, errno, "cannot start '%s'", argv[0]);
	if (pipe2(result, O_CLOEXEC)) {
		err_errno(err, errno, "cannot start '%s'", argv[0]);
		goto fail_go;
	}
	c->pid = fork();
	if (c->pid < 0) {
		c->pid = 0;
		err_errno(err, errno, "cannot start '%s'", argv[0]);
		goto fail_result;
	}
	if (!c->pid) {
		close(go[1]);
		close(result[0]);
		if (opts->joins_messages)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		run_child(argv, go[0], result[1], c->gate, &id);
	}
	free(id.home);
	close(go[0]);
	close(result[1]);
	c->go_fd = go[1];
	c->exec_fd = result[0];
	c->name = argv[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return 0;

fail_result:
	close(result[0]);
	close(result[1]);
fail_go:
	close(go[0]);
	close(go[1]);
	free(id.home);
	return -err->code;
}

#define LOOK_MS 50

/* An exec from a dead file server never returns: a signal that ends the run also ends this wait. */
static bool wait_for_exec(const struct child *c)
{
	struct pollfd p = { .fd = c->exec_fd, .events = POLLIN };

	while (!poll(&p, 1, LOOK_MS))
		if (stop_is_asked())
			return false;
	return true;
}

int child_wake(struct child *c, struct err *err)
{
	const struct timespec look = { .tv_nsec = GATE_LOOK_NS };

	if (!c->pid || c->go_fd < 0)
		return 0;
	if (write(c->go_fd, "g", 1) != 1)
		return err_errno(err, errno, "cannot start '%s'", c->name);
	close(c->go_fd);
	c->go_fd = -1;
	while (!__atomic_load_n(&c->gate->is_ready, __ATOMIC_ACQUIRE) && !child_has_ended(c) &&
	       !stop_is_asked())
		nanosleep(&look, NULL);
	return 0;
}

int child_go(struct child *c, struct err *err)
{
	int e = 0, ret = child_wake(c, err);

	if (!c->pid || ret)
		return ret;
	__atomic_store_n(&c->gate->is_open, true, __ATOMIC_RELEASE);
	if (!wait_for_exec(c) || read(c->exec_fd, &e, sizeof(e)) != sizeof(e))
		return 0;
	err_set(err, ERR_NOTARGET, "cannot run '%s': %s", c->name, strerror(e));
	return -err->code;
}

bool child_has_ended(struct child *c)
{
	if (!c->pid || c->is_reaped)
		return true;
	c->is_reaped = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
	return c->is_reaped;
}

int child_status(struct child *c)
{
	if (!c->pid || !child_has_ended(c))
		return 0;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void child_release(struct child *c)
{
	bool is_held = c->pid && !c->gate->is_open && !c->is_reaped;

	if (c->go_fd >= 0)
		close(c->go_fd); /* a child that is held reads EOF and exits */
	if (c->exec_fd >= 0)
		close(c->exec_fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (is_held && c->go_fd < 0)
		kill(c->pid, SIGKILL);
	if (is_held)
		waitpid(c->pid, NULL, 0);
	if (c->gate)
		munmap(c->gate, sizeof(*c->gate));
	*c = (struct child)CHILD_NONE;
}
