// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Neither BTF nor the tracepoints of system calls contain the names of flags and operations, which
 * are macros of the user API.  They are listed here with their values from the headers that bperf
 * was compiled with; the values are ABI.  Values newer than the oldest headers that bperf builds
 * with are written as numbers.
 */
#include "site/callnames_int.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/view.h"

/* ---- files ---- */

static const struct type_name at_fd[] = { N(AT_FDCWD) };

static const struct type_name at_flags[] = {
	N(AT_SYMLINK_NOFOLLOW), N(AT_SYMLINK_FOLLOW),  N(AT_NO_AUTOMOUNT),	   N(AT_EMPTY_PATH),
	N(AT_STATX_FORCE_SYNC), N(AT_STATX_DONT_SYNC), { 0x8000, "AT_RECURSIVE" },
};

/* 0x200 has a different name in each of these. */
static const struct type_name unlink_flags[] = { N(AT_REMOVEDIR) };
static const struct type_name access_flags[] = { N(AT_EACCESS), N(AT_SYMLINK_NOFOLLOW),
						 N(AT_EMPTY_PATH) };

static const struct type_name access_modes[] = { N(F_OK), N(R_OK), N(W_OK), N(X_OK) };

static const struct type_name whences[] = { N(SEEK_SET), N(SEEK_CUR), N(SEEK_END), N(SEEK_DATA),
					    N(SEEK_HOLE) };

static const struct type_name fcntl_commands[] = {
	N(F_DUPFD),	    N(F_GETFD),	     N(F_SETFD),      N(F_GETFL),     N(F_SETFL),
	N(F_GETLK),	    N(F_SETLK),	     N(F_SETLKW),     N(F_SETOWN),    N(F_GETOWN),
	N(F_SETSIG),	    N(F_GETSIG),     N(F_SETOWN_EX),  N(F_GETOWN_EX), N(F_OFD_GETLK),
	N(F_OFD_SETLK),	    N(F_OFD_SETLKW), N(F_SETLEASE),   N(F_GETLEASE),  N(F_NOTIFY),
	N(F_DUPFD_CLOEXEC), N(F_SETPIPE_SZ), N(F_GETPIPE_SZ), N(F_ADD_SEALS), N(F_GET_SEALS),
};

static const struct type_name flock_operations[] = { N(LOCK_SH), N(LOCK_EX), N(LOCK_NB),
						     N(LOCK_UN) };

static const struct type_name advices[] = {
	N(POSIX_FADV_NORMAL),	N(POSIX_FADV_RANDOM),	N(POSIX_FADV_SEQUENTIAL),
	N(POSIX_FADV_WILLNEED), N(POSIX_FADV_DONTNEED), N(POSIX_FADV_NOREUSE),
};

static const struct type_name allocate_modes[] = {
	N(FALLOC_FL_KEEP_SIZE),	 N(FALLOC_FL_PUNCH_HOLE),   N(FALLOC_FL_COLLAPSE_RANGE),
	N(FALLOC_FL_ZERO_RANGE), N(FALLOC_FL_INSERT_RANGE), N(FALLOC_FL_UNSHARE_RANGE),
};

static const struct type_name rename_flags[] = {
	{ 1, "RENAME_NOREPLACE" },
	{ 2, "RENAME_EXCHANGE" },
	{ 4, "RENAME_WHITEOUT" },
};

static const struct type_name splice_flags[] = { N(SPLICE_F_MOVE), N(SPLICE_F_NONBLOCK),
						 N(SPLICE_F_MORE), N(SPLICE_F_GIFT) };

static const struct type_name rw_flags[] = { N(RWF_HIPRI), N(RWF_DSYNC), N(RWF_SYNC), N(RWF_NOWAIT),
					     N(RWF_APPEND) };

static const struct type_name mount_flags[] = {
	N(MS_RDONLY),	  N(MS_NOSUID),	     N(MS_NODEV),
	N(MS_NOEXEC),	  N(MS_SYNCHRONOUS), N(MS_REMOUNT),
	N(MS_MANDLOCK),	  N(MS_DIRSYNC),     N(MS_NOATIME),
	N(MS_NODIRATIME), N(MS_BIND),	     N(MS_MOVE),
	N(MS_REC),	  N(MS_SILENT),	     N(MS_UNBINDABLE),
	N(MS_PRIVATE),	  N(MS_SLAVE),	     N(MS_SHARED),
	N(MS_RELATIME),	  N(MS_STRICTATIME), { 1U << 25, "MS_LAZYTIME" },
};

static const struct type_name umount_flags[] = { N(MNT_FORCE), N(MNT_DETACH), N(MNT_EXPIRE),
						 N(UMOUNT_NOFOLLOW) };

static const struct type_name watch_mask[] = {
	N(IN_ACCESS),	   N(IN_MODIFY),     N(IN_ATTRIB),   N(IN_CLOSE_WRITE), N(IN_CLOSE_NOWRITE),
	N(IN_OPEN),	   N(IN_MOVED_FROM), N(IN_MOVED_TO), N(IN_CREATE),	N(IN_DELETE),
	N(IN_DELETE_SELF), N(IN_MOVE_SELF),  N(IN_ONLYDIR),  N(IN_DONT_FOLLOW), N(IN_EXCL_UNLINK),
	N(IN_MASK_ADD),	   N(IN_ONESHOT),
};

/* ---- descriptors ---- */

static const struct type_name descriptor_flags[] = { N(O_CLOEXEC), N(O_NONBLOCK), N(O_DIRECT) };
static const struct type_name eventfd_flags[] = { N(EFD_SEMAPHORE), N(EFD_CLOEXEC),
						  N(EFD_NONBLOCK) };
static const struct type_name epoll_flags[] = { N(EPOLL_CLOEXEC) };
static const struct type_name epoll_operations[] = { N(EPOLL_CTL_ADD), N(EPOLL_CTL_DEL),
						     N(EPOLL_CTL_MOD) };
static const struct type_name memfd_flags[] = { N(MFD_CLOEXEC), N(MFD_ALLOW_SEALING),
						N(MFD_HUGETLB) };

static const struct type_name ioctl_commands[] = {
	N(TCGETS),
	N(TCSETS),
	N(TCSETSW),
	N(TCSETSF),
	N(TCSBRK),
	N(TCFLSH),
	N(TIOCGWINSZ),
	N(TIOCSWINSZ),
	N(TIOCGPGRP),
	N(TIOCSPGRP),
	N(TIOCSCTTY),
	N(TIOCNOTTY),
	N(TIOCGPTN),
	N(TIOCSPTLCK),
	N(TIOCGSID),
	N(TIOCOUTQ),
	N(FIONREAD),
	N(FIONBIO),
	N(FIOASYNC),
	N(FIOCLEX),
	N(FIONCLEX),
	N(FIFREEZE),
	N(FITHAW),
	N(FITRIM),
	N(FICLONE),
	N(FS_IOC_GETFLAGS),
	N(FS_IOC_SETFLAGS),
	N(FS_IOC_FIEMAP),
	N(BLKGETSIZE64),
	N(BLKSSZGET),
	N(BLKDISCARD),
	N(BLKRRPART),
	N(BLKFLSBUF),
	{ 0x8910, "SIOCGIFNAME" },
	{ 0x8912, "SIOCGIFCONF" },
	{ 0x8913, "SIOCGIFFLAGS" },
	{ 0x8914, "SIOCSIFFLAGS" },
	{ 0x8915, "SIOCGIFADDR" },
	{ 0x8921, "SIOCGIFMTU" },
	{ 0x8927, "SIOCGIFHWADDR" },
	{ 0x8933, "SIOCGIFINDEX" },
	{ 0x8946, "SIOCETHTOOL" },
	{ 0xae01, "KVM_CREATE_VM" },
	{ 0xae41, "KVM_CREATE_VCPU" },
	{ 0xae80, "KVM_RUN" },
	{ 0x2400, "PERF_EVENT_IOC_ENABLE" },
	{ 0x2401, "PERF_EVENT_IOC_DISABLE" },
	{ 0x2403, "PERF_EVENT_IOC_RESET" },
	{ 0x40042408, "PERF_EVENT_IOC_SET_BPF" },
};

/* ---- memory ---- */

static const struct type_name protections[] = {
	N(PROT_NONE), N(PROT_READ), N(PROT_WRITE), N(PROT_EXEC), N(PROT_GROWSDOWN), N(PROT_GROWSUP),
};

static const struct type_name map_flags[] = {
	N(MAP_SHARED),		N(MAP_PRIVATE),	   N(MAP_SHARED_VALIDATE),
	N(MAP_FIXED),		N(MAP_ANONYMOUS),  N(MAP_GROWSDOWN),
	N(MAP_DENYWRITE),	N(MAP_EXECUTABLE), N(MAP_LOCKED),
	N(MAP_NORESERVE),	N(MAP_POPULATE),   N(MAP_NONBLOCK),
	N(MAP_STACK),		N(MAP_HUGETLB),	   N(MAP_SYNC),
	N(MAP_FIXED_NOREPLACE),
#ifdef MAP_32BIT
	N(MAP_32BIT),
#endif
};

static const struct type_name memory_advices[] = {
	N(MADV_NORMAL),
	N(MADV_RANDOM),
	N(MADV_SEQUENTIAL),
	N(MADV_WILLNEED),
	N(MADV_DONTNEED),
	N(MADV_FREE),
	N(MADV_REMOVE),
	N(MADV_DONTFORK),
	N(MADV_DOFORK),
	N(MADV_MERGEABLE),
	N(MADV_UNMERGEABLE),
	N(MADV_HUGEPAGE),
	N(MADV_NOHUGEPAGE),
	N(MADV_DONTDUMP),
	N(MADV_DODUMP),
	N(MADV_WIPEONFORK),
	N(MADV_KEEPONFORK),
	N(MADV_COLD),
	N(MADV_PAGEOUT),
	{ 22, "MADV_POPULATE_READ" },
	{ 23, "MADV_POPULATE_WRITE" },
	{ 25, "MADV_COLLAPSE" },
};

static const struct type_name sync_flags[] = { N(MS_ASYNC), N(MS_INVALIDATE), N(MS_SYNC) };
static const struct type_name remap_flags[] = { N(MREMAP_MAYMOVE),
						N(MREMAP_FIXED),
						{ 4, "MREMAP_DONTUNMAP" } };
static const struct type_name lock_flags[] = { N(MCL_CURRENT), N(MCL_FUTURE), N(MCL_ONFAULT) };
static const struct type_name random_flags[] = { N(GRND_NONBLOCK), N(GRND_RANDOM) };

/* In the kernel, the parameter is an unsigned long. */
static const struct type_name no_file[] = {
	{ UINT32_MAX, "-1" },
	{ UINT64_MAX, "-1" },
};

/* ---- threads, signals, time ---- */

/* Values with FUTEX_PRIVATE_FLAG have their own names, as in the header. */
#define FUTEX(name) N(FUTEX_##name), N(FUTEX_##name##_PRIVATE)

static const struct type_name futex_operations[] = {
	FUTEX(WAIT),
	FUTEX(WAKE),
	FUTEX(REQUEUE),
	FUTEX(CMP_REQUEUE),
	FUTEX(WAKE_OP),
	FUTEX(LOCK_PI),
	FUTEX(UNLOCK_PI),
	FUTEX(TRYLOCK_PI),
	FUTEX(WAIT_BITSET),
	FUTEX(WAKE_BITSET),
	FUTEX(WAIT_REQUEUE_PI),
	FUTEX(CMP_REQUEUE_PI),
	{ 13, "FUTEX_LOCK_PI2" },
	{ 13 | FUTEX_PRIVATE_FLAG, "FUTEX_LOCK_PI2_PRIVATE" },
	N(FUTEX_CLOCK_REALTIME),
};

static const struct type_name mask_hows[] = { N(SIG_BLOCK), N(SIG_UNBLOCK), N(SIG_SETMASK) };

/* The lowest byte is the signal that the parent gets when the child ends. */
static const struct type_name clone_flags[] = {
	N(SIGCHLD),
	N(CLONE_VM),
	N(CLONE_FS),
	N(CLONE_FILES),
	N(CLONE_SIGHAND),
	N(CLONE_PTRACE),
	N(CLONE_VFORK),
	N(CLONE_PARENT),
	N(CLONE_THREAD),
	N(CLONE_NEWNS),
	N(CLONE_SYSVSEM),
	N(CLONE_SETTLS),
	N(CLONE_PARENT_SETTID),
	N(CLONE_CHILD_CLEARTID),
	N(CLONE_DETACHED),
	N(CLONE_UNTRACED),
	N(CLONE_CHILD_SETTID),
	N(CLONE_NEWCGROUP),
	N(CLONE_NEWUTS),
	N(CLONE_NEWIPC),
	N(CLONE_NEWUSER),
	N(CLONE_NEWPID),
	N(CLONE_NEWNET),
	N(CLONE_IO),
};

static const struct type_name wait_options[] = { N(WNOHANG),
						 N(WUNTRACED),
						 N(WCONTINUED),
						 N(WNOWAIT),
						 N(WEXITED),
						 { 0x20000000, "__WNOTHREAD" },
						 { 0x40000000, "__WALL" },
						 { 0x80000000, "__WCLONE" } };
static const struct type_name wait_whichs[] = { N(P_ALL), N(P_PID), N(P_PGID), { 3, "P_PIDFD" } };

static const struct type_name clocks[] = {
	N(CLOCK_REALTIME),	    N(CLOCK_MONOTONIC),	    N(CLOCK_PROCESS_CPUTIME_ID),
	N(CLOCK_THREAD_CPUTIME_ID), N(CLOCK_MONOTONIC_RAW), N(CLOCK_REALTIME_COARSE),
	N(CLOCK_MONOTONIC_COARSE),  N(CLOCK_BOOTTIME),	    N(CLOCK_REALTIME_ALARM),
	N(CLOCK_BOOTTIME_ALARM),    N(CLOCK_TAI),
};
static const struct type_name timer_flags[] = { N(TIMER_ABSTIME) };
static const struct type_name timerfd_flags[] = { N(TFD_NONBLOCK), N(TFD_CLOEXEC) };
static const struct type_name timerfd_set_flags[] = { N(TFD_TIMER_ABSTIME),
						      N(TFD_TIMER_CANCEL_ON_SET) };

static const struct type_name policies[] = {
	N(SCHED_OTHER), N(SCHED_FIFO), N(SCHED_RR),
	N(SCHED_BATCH), N(SCHED_IDLE), { 6, "SCHED_DEADLINE" },
};

static const struct type_name resources[] = {
	{ 0, "RLIMIT_CPU" },	   { 1, "RLIMIT_FSIZE" },  { 2, "RLIMIT_DATA" },
	{ 3, "RLIMIT_STACK" },	   { 4, "RLIMIT_CORE" },   { 5, "RLIMIT_RSS" },
	{ 6, "RLIMIT_NPROC" },	   { 7, "RLIMIT_NOFILE" }, { 8, "RLIMIT_MEMLOCK" },
	{ 9, "RLIMIT_AS" },	   { 10, "RLIMIT_LOCKS" }, { 11, "RLIMIT_SIGPENDING" },
	{ 12, "RLIMIT_MSGQUEUE" }, { 13, "RLIMIT_NICE" },  { 14, "RLIMIT_RTPRIO" },
	{ 15, "RLIMIT_RTTIME" },
};

static const struct type_name prctl_options[] = {
	N(PR_SET_PDEATHSIG),
	N(PR_GET_PDEATHSIG),
	N(PR_GET_DUMPABLE),
	N(PR_SET_DUMPABLE),
	N(PR_GET_KEEPCAPS),
	N(PR_SET_KEEPCAPS),
	N(PR_SET_NAME),
	N(PR_GET_NAME),
	N(PR_GET_SECCOMP),
	N(PR_SET_SECCOMP),
	N(PR_CAPBSET_READ),
	N(PR_CAPBSET_DROP),
	N(PR_SET_TIMERSLACK),
	N(PR_GET_TIMERSLACK),
	N(PR_SET_MM),
	N(PR_SET_PTRACER),
	N(PR_SET_CHILD_SUBREAPER),
	N(PR_GET_CHILD_SUBREAPER),
	N(PR_SET_NO_NEW_PRIVS),
	N(PR_GET_NO_NEW_PRIVS),
	N(PR_SET_THP_DISABLE),
	N(PR_CAP_AMBIENT),
	{ 0x53564d41, "PR_SET_VMA" },
};

static const struct type_name ptrace_requests[] = {
	N(PTRACE_TRACEME),    N(PTRACE_PEEKTEXT),   N(PTRACE_PEEKDATA),	   N(PTRACE_PEEKUSER),
	N(PTRACE_POKETEXT),   N(PTRACE_POKEDATA),   N(PTRACE_POKEUSER),	   N(PTRACE_CONT),
	N(PTRACE_KILL),	      N(PTRACE_SINGLESTEP), N(PTRACE_ATTACH),	   N(PTRACE_DETACH),
	N(PTRACE_SYSCALL),    N(PTRACE_SETOPTIONS), N(PTRACE_GETEVENTMSG), N(PTRACE_GETSIGINFO),
	N(PTRACE_SETSIGINFO), N(PTRACE_GETREGSET),  N(PTRACE_SETREGSET),   N(PTRACE_SEIZE),
	N(PTRACE_INTERRUPT),  N(PTRACE_LISTEN),
};

/* ---- sockets ---- */

static const struct type_name families[] = {
	N(AF_UNSPEC), N(AF_UNIX), N(AF_INET),  N(AF_INET6),	 N(AF_NETLINK),
	N(AF_PACKET), N(AF_KEY),  N(AF_VSOCK), N(AF_ALG),	 N(AF_BLUETOOTH),
	N(AF_CAN),    N(AF_TIPC), N(AF_RDS),   { 44, "AF_XDP" },
};

static const struct type_name socket_types[] = {
	N(SOCK_STREAM),	   N(SOCK_DGRAM),  N(SOCK_RAW),	    N(SOCK_RDM),
	N(SOCK_SEQPACKET), N(SOCK_PACKET), N(SOCK_CLOEXEC), N(SOCK_NONBLOCK),
};
static const struct type_name accept_flags[] = { N(SOCK_CLOEXEC), N(SOCK_NONBLOCK) };

static const struct type_name message_flags[] = {
	N(MSG_OOB),	   N(MSG_PEEK),	    N(MSG_DONTROUTE), N(MSG_CTRUNC),
	N(MSG_TRUNC),	   N(MSG_DONTWAIT), N(MSG_EOR),	      N(MSG_WAITALL),
	N(MSG_CONFIRM),	   N(MSG_ERRQUEUE), N(MSG_NOSIGNAL),  N(MSG_MORE),
	N(MSG_WAITFORONE), N(MSG_ZEROCOPY), N(MSG_FASTOPEN),  N(MSG_CMSG_CLOEXEC),
};

static const struct type_name shutdown_hows[] = { N(SHUT_RD), N(SHUT_WR), N(SHUT_RDWR) };

static const struct type_name option_levels[] = {
	{ 0, "SOL_IP" },       { 1, "SOL_SOCKET" },    { 6, "SOL_TCP" },    { 17, "SOL_UDP" },
	{ 41, "SOL_IPV6" },    { 58, "SOL_ICMPV6" },   { 132, "SOL_SCTP" }, { 255, "SOL_RAW" },
	{ 263, "SOL_PACKET" }, { 270, "SOL_NETLINK" },
};

/* ---- which parameter of which call has them ---- */

static const struct call_names rows[] = {
	{ NULL, "dfd olddfd newdfd from_dfd to_dfd mountdirfd dirfd", ONE_OF(at_fd) },
	{ "execveat", "fd", ONE_OF(at_fd) },
	{ "open openat open_by_handle_at", "flags", &call_open_flags },
	{ "newfstatat fchownat linkat utimensat execveat fchmodat2 statx name_to_handle_at",
	  "flags flag", BITS(at_flags) },
	{ "unlinkat", "flag flags", BITS(unlink_flags) },
	{ "faccessat2", "flags", BITS(access_flags) },
	{ "access faccessat faccessat2", "mode", BITS(access_modes) },
	{ "lseek", "whence", ONE_OF(whences) },
	{ "fcntl", "cmd", ONE_OF(fcntl_commands) },
	{ "flock", "cmd", BITS(flock_operations) },
	{ "fadvise64", "advice", ONE_OF(advices) },
	{ "fallocate", "mode", BITS(allocate_modes) },
	{ "renameat2", "flags", BITS(rename_flags) },
	{ "splice tee vmsplice", "flags", BITS(splice_flags) },
	{ "preadv2 pwritev2", "flags", BITS(rw_flags) },
	{ "mount", "flags", BITS(mount_flags) },
	{ "umount umount2", "flags", BITS(umount_flags) },
	{ "inotify_add_watch", "mask", BITS(watch_mask) },
	{ "pipe2 dup3 inotify_init1", "flags", BITS(descriptor_flags) },
	{ "eventfd2", "flags", BITS(eventfd_flags) },
	{ "epoll_create1", "flags", BITS(epoll_flags) },
	{ "epoll_ctl", "op", ONE_OF(epoll_operations) },
	{ "memfd_create", "flags", BITS(memfd_flags) },
	{ "ioctl", "cmd", NUMBER(ioctl_commands) },
	{ "mmap mprotect pkey_mprotect", "prot", BITS(protections) },
	{ "mmap munmap mprotect pkey_mprotect madvise mremap msync mlock mlock2 munlock brk mincore "
	  "mbind get_mempolicy",
	  "addr start new_addr brk", ADDRESS },
	{ "mmap", "fd", ONE_OF(no_file) },
	{ "clone", "newsp tls", ADDRESS },
	{ "mmap", "flags", BITS_AND(MAP_TYPE, map_flags) },
	{ "madvise process_madvise", "behavior", ONE_OF(memory_advices) },
	{ "msync", "flags", BITS(sync_flags) },
	{ "mremap", "flags", BITS(remap_flags) },
	{ "mlockall", "flags", BITS(lock_flags) },
	{ "getrandom", "flags", BITS(random_flags) },
	{ "futex", "op", BITS_AND(0xff, futex_operations) },
	{ "kill tkill tgkill rt_sigaction rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal "
	  "signal_generate signal_deliver",
	  "sig", &call_signals },
	{ "cap_capable", "cap", &call_capabilities },
	{ "rt_sigprocmask", "how", ONE_OF(mask_hows) },
	{ "clone", "clone_flags", BITS_AND(0xff, clone_flags) },
	{ "unshare", "unshare_flags", BITS(clone_flags) },
	{ "setns", "flags", BITS(clone_flags) },
	{ "wait4 waitid", "options", BITS(wait_options) },
	{ "waitid", "which", ONE_OF(wait_whichs) },
	{ NULL, "which_clock clockid", ONE_OF(clocks) },
	{ "clock_nanosleep timer_settime", "flags", BITS(timer_flags) },
	{ "timerfd_create", "flags", BITS(timerfd_flags) },
	{ "timerfd_settime", "flags", BITS(timerfd_set_flags) },
	{ "sched_setscheduler sched_get_priority_max sched_get_priority_min", "policy",
	  ONE_OF(policies) },
	{ "getrlimit setrlimit prlimit64", "resource", ONE_OF(resources) },
	{ "prctl", "option", ONE_OF(prctl_options) },
	{ "ptrace", "request", ONE_OF(ptrace_requests) },
	{ "socket socketpair", "family", ONE_OF(families) },
	{ "socket socketpair", "type", BITS_AND(0xf, socket_types) },
	{ "accept4", "flags", BITS(accept_flags) },
	{ "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg", "flags", BITS(message_flags) },
	{ "shutdown", "how", ONE_OF(shutdown_hows) },
	{ "setsockopt getsockopt", "level", ONE_OF(option_levels) },
	{ "socket socketpair", "protocol", &call_protocols },
	{ "setsockopt getsockopt", "optname", &call_socket_options },
	{ "fcntl", "arg", &call_fcntl_args },
	{ "prctl", "arg2", &call_prctl_args },
	{ "prctl", "arg3 arg4 arg5", ADDRESS },
	{ "ioctl", "arg", ADDRESS },
};

static bool is_among(const char *words, const char *word)
{
	struct view rest = view_of(words), one;

	while (view_split(&rest, ' ', &one))
		if (view_eq(one, word))
			return true;
	return false;
}

static const struct type_names *find(const struct call_names *in, size_t n, const char *call,
				     const char *param)
{
	for (size_t i = 0; i < n; i++)
		if (is_among(in[i].params, param) && (!in[i].calls || is_among(in[i].calls, call)))
			return in[i].names;
	return NULL;
}

const struct type_names *call_value_names(const char *call, const char *param)
{
	return find(rows, ARRAY_SIZE(rows), call, param)
		       ?: find(call_names_rare, call_names_rare_n, call, param);
}

/* ---- data ---- */

/* NULL: there is nothing at that side of the call. */
static const struct data_row {
	const char *calls, *param;
	const char *at_entry, *at_return;
	bool is_text;
} data[] = {
	{ "write pwrite64", "buf", "count", "count", true },
	{ "read pread64", "buf", NULL, "retval", true },
	{ "sendto", "buff", "len", "len", true },
	/* With MSG_TRUNC, the result is the length of the message, not of what fitted. */
	{ "recvfrom", "ubuf", NULL, "retval < (long)size ? retval : (long)size", true },
	{ "setxattr lsetxattr fsetxattr", "value", "size", "size", true },
	/* With size 0, the result is the size to ask for. */
	{ "getxattr lgetxattr fgetxattr", "value", NULL, "size ? retval : 0", true },
	{ "add_key", "_payload", "plen", "plen", true },
	{ "readlink readlinkat", "buf", NULL, "retval", true },
	{ "getcwd syslog", "buf", NULL, "retval", true },
	{ "getrandom", "ubuf", NULL, "retval", false },
	{ "sethostname setdomainname", "name", "len", "len", true },
	{ "setsockopt", "optval", "optlen", "optlen", false },
	{ "getsockopt", "optval", NULL, "*optlen", false },
	{ "listxattr llistxattr flistxattr listxattrat", "list", NULL, "size ? retval : 0", false },
	{ "mq_timedsend", "u_msg_ptr", "msg_len", "msg_len", false },
	/* An address, not a string. */
	{ "shmat shmdt", "shmaddr", NULL, NULL, false },
	{ "mq_timedreceive", "u_msg_ptr", NULL, "retval", false },
};

const char *call_data_bytes(const char *call, const char *param, bool is_return, bool *is_text)
{
	for (size_t i = 0; i < ARRAY_SIZE(data); i++) {
		if (strcmp(data[i].param, param) != 0 || !is_among(data[i].calls, call))
			continue;
		*is_text = data[i].is_text;
		return (is_return ? data[i].at_return : data[i].at_entry) ?: "";
	}
	return NULL;
}
