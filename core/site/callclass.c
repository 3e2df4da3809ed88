// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Strace's classes, as globs over the system calls of this architecture.  They were compared with
 * strace 6.1 on x86-64: with another error injected into the calls of each class, all calls up to
 * 334 agree.  Those from 424 on are in the classes of strace 6.13.
 */
#include "site/callclass.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/syscalls.h"
#include "site/match.h"

static const struct {
	const char *name, *globs; /* with a blank between them */
} classes[] = {
	{ "file",
	  "access acct chdir chmod chown chroot creat execve* faccessat* fanotify_mark fchmodat* "
	  "fchownat file_?etattr fsconfig fspick futimesat getcwd getxattr* inotify_add_watch l?etxattr "
	  "lchown link linkat listxattr* llistxattr lremovexattr lstat mkdir* mknod* mount "
	  "mount_setattr move_mount name_to_handle_at newfstatat open openat* open_tree* "
	  "pivot_root quotactl readlink* removexattr* rename* rmdir setxattr* stat statfs statx "
	  "swapo* symlink* truncate umount* unlink* uselib utime*" },
	{ "process",
	  "clone* execve* exit* fork kill pidfd_send_signal rt_*sigqueueinfo tgkill tkill vfork "
	  "wait*" },
	{ "network",
	  "accept* bind connect get?ockopt getpeername getpmsg getsock* listen putpmsg recv* "
	  "send* setsockopt shutdown socket*" },
	{ "signal",
	  "io_uring_enter kill pause pidfd_send_signal rt_* sigaltstack signalfd* tgkill tkill" },
	{ "ipc", "msg* sem* shm*" },
	{ "memory",
	  "brk get_mempolicy io_destroy io_setup io_uring_register madvise map_shadow_stack mbind migrate_pages mincore mlock* mmap "
	  "move_pages mprotect mremap mseal msync munlock* munmap pkey_mprotect remap_file_pages "
	  "set_mempolicy* shmat shmdt" },
	{ "desc",
	  "[!s]*[!t]at bpf cachestat close copy_file_range creat dup* epoll_create* epoll_ctl "
	  "epoll_pwait* epoll_wait eventfd* f[!ou]* getdents* inotify_* io_uring_* ioctl "
	  "kexec_file_load landlock_* lseek memfd_* mmap mount_setattr move_mount mq_getsetattr "
	  "mq_notify mq_open mq_timed* newfstatat open open_* openat* perf_event_open pidfd_* pipe* "
	  "poll ppoll pread* process_m* pselect6 pwrite* quotactl_fd read readahead readv renameat2 "
	  "select sendfile setns signalfd* splice statx symlinkat sync_file_range syncfs tee "
	  "timerfd_* userfaultfd utimensat vmsplice write*" },
};

static const char *globs_of(struct view name)
{
	if (name.n && name.p[0] == '%')
		name = (struct view){ name.p + 1, name.n - 1 };
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (view_eq(name, classes[i].name))
			return classes[i].globs;
	return NULL;
}

bool callclass_is(struct view name)
{
	return globs_of(name);
}

static bool is_in(struct view globs, const char *call)
{
	struct view glob;

	while (view_split(&globs, ' ', &glob)) {
		_cleanup_(free_p) char *pattern = mem_strndup(glob.p, glob.n);

		if (glob_match(pattern, view_of(call)))
			return true;
	}
	return false;
}

static int unknown(struct view name, struct err *err)
{
	err_set(err, ERR_USAGE, "there is no system call '%.*s', and no such class", (int)name.n,
		name.p);
	return err_hint(err,
			"classes are %%file %%process %%network %%signal %%ipc %%memory %%desc");
}

/* Mark the calls of one name, glob or class. */
static int mark(struct view name, const struct syscall_row *rows, u32 n, bool *marks,
		struct err *err)
{
	const char *globs = globs_of(name);
	bool is_any = false;

	for (u32 i = 0; i < n; i++) {
		if (!is_in(globs ? view_of(globs) : name, rows[i].name))
			continue;
		marks[i] = is_any = true;
	}
	return is_any ? 0 : unknown(name, err);
}

int callclass_add(const char *text, struct str *probe, struct err *err)
{
	bool is_not = *text == '!';
	struct view rest = view_of(text + is_not), name;
	u32 n;
	const struct syscall_row *rows = syscall_rows(&n);
	_cleanup_(free_p) bool *marks = mem_alloc(n, sizeof(*marks));
	const char *before = "syscall:{";
	int ret = 0;

	while (!ret && view_split(&rest, ',', &name))
		ret = mark(name, rows, n, marks, err);
	if (ret)
		return ret;
	for (u32 i = 0; i < n; i++) {
		if (marks[i] == is_not || syscall_row_number(&rows[i]) < 0)
			continue;
		str_addf(probe, "%s%s", before, rows[i].name);
		before = ",";
	}
	if (!probe->n)
		return err_set(err, ERR_USAGE, "'%s' leaves no system call", text);
	str_addc(probe, '}');
	return 0;
}
