// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls that few programs make: see callnames.c. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fanotify.h>
#include <linux/io_uring.h>
#include <linux/kcmp.h>
#include <linux/keyctl.h>
#include <linux/membarrier.h>
#include <linux/mempolicy.h>
#include <linux/quota.h>
#include <linux/reboot.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <linux/xattr.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/swap.h>
#include <sys/time.h>

#include "site/callnames_int.h"

/* ---- files, mounts ---- */

static const struct type_name statx_mask[] = {
	{ STATX_BASIC_STATS, "STATX_BASIC_STATS" },
	N(STATX_TYPE),
	N(STATX_MODE),
	N(STATX_NLINK),
	N(STATX_UID),
	N(STATX_GID),
	N(STATX_ATIME),
	N(STATX_MTIME),
	N(STATX_CTIME),
	N(STATX_INO),
	N(STATX_SIZE),
	N(STATX_BLOCKS),
	N(STATX_BTIME),
	{ 0x1000, "STATX_MNT_ID" },
	{ 0x2000, "STATX_DIOALIGN" },
	{ 0x4000, "STATX_MNT_ID_UNIQUE" },
	{ 0x8000, "STATX_SUBVOL" },
	{ 0x10000, "STATX_WRITE_ATOMIC" },
};

static const struct type_name close_range_flags[] = { { 2, "CLOSE_RANGE_UNSHARE" },
						      { 4, "CLOSE_RANGE_CLOEXEC" } };
static const struct type_name sync_range_flags[] = { N(SYNC_FILE_RANGE_WAIT_BEFORE),
						     N(SYNC_FILE_RANGE_WRITE),
						     N(SYNC_FILE_RANGE_WAIT_AFTER) };
static const struct type_name xattr_flags[] = { N(XATTR_CREATE), N(XATTR_REPLACE) };
static const struct type_name signalfd_flags[] = { N(SFD_CLOEXEC), N(SFD_NONBLOCK) };
static const struct type_name userfaultfd_flags[] = { N(O_CLOEXEC),
						      N(O_NONBLOCK),
						      { 1, "UFFD_USER_MODE_ONLY" } };
static const struct type_name pidfd_flags[] = { { O_NONBLOCK, "PIDFD_NONBLOCK" },
						{ O_EXCL, "PIDFD_THREAD" } };
static const struct type_name swap_flags[] = { N(SWAP_FLAG_PREFER), N(SWAP_FLAG_DISCARD) };

static const struct type_name open_tree_flags[] = {
	{ 1, "OPEN_TREE_CLONE" },	  { O_CLOEXEC, "OPEN_TREE_CLOEXEC" },
	{ 0x100, "AT_SYMLINK_NOFOLLOW" }, { 0x800, "AT_NO_AUTOMOUNT" },
	{ 0x1000, "AT_EMPTY_PATH" },	  { 0x8000, "AT_RECURSIVE" },
};
static const struct type_name move_mount_flags[] = {
	{ 1, "MOVE_MOUNT_F_SYMLINKS" },	     { 2, "MOVE_MOUNT_F_AUTOMOUNTS" },
	{ 4, "MOVE_MOUNT_F_EMPTY_PATH" },    { 0x10, "MOVE_MOUNT_T_SYMLINKS" },
	{ 0x20, "MOVE_MOUNT_T_AUTOMOUNTS" }, { 0x40, "MOVE_MOUNT_T_EMPTY_PATH" },
	{ 0x100, "MOVE_MOUNT_SET_GROUP" },   { 0x200, "MOVE_MOUNT_BENEATH" },
};
static const struct type_name fsopen_flags[] = { { 1, "FSOPEN_CLOEXEC" } };
static const struct type_name fsmount_flags[] = { { 1, "FSMOUNT_CLOEXEC" } };
static const struct type_name fspick_flags[] = { { 1, "FSPICK_CLOEXEC" },
						 { 2, "FSPICK_SYMLINK_NOFOLLOW" },
						 { 4, "FSPICK_NO_AUTOMOUNT" },
						 { 8, "FSPICK_EMPTY_PATH" } };
static const struct type_name fsconfig_commands[] = {
	{ 0, "FSCONFIG_SET_FLAG" },	   { 1, "FSCONFIG_SET_STRING" },
	{ 2, "FSCONFIG_SET_BINARY" },	   { 3, "FSCONFIG_SET_PATH" },
	{ 4, "FSCONFIG_SET_PATH_EMPTY" },  { 5, "FSCONFIG_SET_FD" },
	{ 6, "FSCONFIG_CMD_CREATE" },	   { 7, "FSCONFIG_CMD_RECONFIGURE" },
	{ 8, "FSCONFIG_CMD_CREATE_EXCL" },
};
static const struct type_name mount_attrs[] = {
	{ 1, "MOUNT_ATTR_RDONLY" },
	{ 2, "MOUNT_ATTR_NOSUID" },
	{ 4, "MOUNT_ATTR_NODEV" },
	{ 8, "MOUNT_ATTR_NOEXEC" },
	{ 0x10, "MOUNT_ATTR_NOATIME" },
	{ 0x20, "MOUNT_ATTR_STRICTATIME" },
	{ 0x80, "MOUNT_ATTR_NODIRATIME" },
	{ 0x100000, "MOUNT_ATTR_IDMAP" },
	{ 0x200000, "MOUNT_ATTR_NOSYMFOLLOW" },
};

static const struct type_name fanotify_init_flags[] = {
	N(FAN_CLOEXEC),
	N(FAN_NONBLOCK),
	N(FAN_CLASS_CONTENT),
	N(FAN_CLASS_PRE_CONTENT),
	N(FAN_UNLIMITED_QUEUE),
	N(FAN_UNLIMITED_MARKS),
	N(FAN_REPORT_TID),
	N(FAN_REPORT_FID),
	{ 0x40, "FAN_ENABLE_AUDIT" },
	{ 0x80, "FAN_REPORT_PIDFD" },
	{ 0x400, "FAN_REPORT_DIR_FID" },
	{ 0x800, "FAN_REPORT_NAME" },
	{ 0x1000, "FAN_REPORT_TARGET_FID" },
};
static const struct type_name fanotify_mark_flags[] = {
	N(FAN_MARK_ADD),
	N(FAN_MARK_REMOVE),
	N(FAN_MARK_DONT_FOLLOW),
	N(FAN_MARK_ONLYDIR),
	N(FAN_MARK_MOUNT),
	N(FAN_MARK_IGNORED_MASK),
	N(FAN_MARK_IGNORED_SURV_MODIFY),
	N(FAN_MARK_FLUSH),
	N(FAN_MARK_FILESYSTEM),
	{ 0x200, "FAN_MARK_EVICTABLE" },
	{ 0x400, "FAN_MARK_IGNORE" },
};
static const struct type_name fanotify_events[] = {
	N(FAN_ACCESS),	       N(FAN_MODIFY),	      N(FAN_ATTRIB),	  N(FAN_CLOSE_WRITE),
	N(FAN_CLOSE_NOWRITE),  N(FAN_OPEN),	      N(FAN_MOVED_FROM),  N(FAN_MOVED_TO),
	N(FAN_CREATE),	       N(FAN_DELETE),	      N(FAN_DELETE_SELF), N(FAN_MOVE_SELF),
	N(FAN_OPEN_EXEC),      N(FAN_Q_OVERFLOW),     N(FAN_OPEN_PERM),	  N(FAN_ACCESS_PERM),
	N(FAN_OPEN_EXEC_PERM), N(FAN_EVENT_ON_CHILD), N(FAN_ONDIR),
};

/* The command is in the upper bits, the type of quota in the lowest eight. */
#define QUOTA(name)                               \
	{                                         \
		(u32)(name) << SUBCMDSHIFT, #name \
	}
static const struct type_name quota_commands[] = {
	QUOTA(Q_SYNC),	       QUOTA(Q_QUOTAON),  QUOTA(Q_QUOTAOFF), QUOTA(Q_GETFMT),
	QUOTA(Q_GETINFO),      QUOTA(Q_SETINFO),  QUOTA(Q_GETQUOTA), QUOTA(Q_SETQUOTA),
	QUOTA(Q_GETNEXTQUOTA), { 1, "GRPQUOTA" },
};

/* ---- IPC ---- */

static const struct type_name ipc_flags[] = { N(IPC_CREAT), N(IPC_EXCL) };
static const struct type_name message_flags[] = { N(IPC_NOWAIT), N(MSG_NOERROR), N(MSG_EXCEPT) };
static const struct type_name shm_flags[] = { N(IPC_CREAT), N(IPC_EXCL), N(SHM_HUGETLB),
					      N(SHM_NORESERVE) };
static const struct type_name attach_flags[] = { N(SHM_RDONLY), N(SHM_RND), N(SHM_REMAP),
						 N(SHM_EXEC) };
static const struct type_name shm_commands[] = { N(IPC_RMID), N(IPC_SET),  N(IPC_STAT),
						 N(IPC_INFO), N(SHM_LOCK), N(SHM_UNLOCK),
						 N(SHM_STAT), N(SHM_INFO) };
static const struct type_name message_commands[] = { N(IPC_RMID), N(IPC_SET),  N(IPC_STAT),
						     N(IPC_INFO), N(MSG_STAT), N(MSG_INFO) };
static const struct type_name semaphore_commands[] = {
	N(IPC_RMID), N(IPC_SET), N(IPC_STAT), N(IPC_INFO), N(GETPID),	N(GETVAL),   N(GETALL),
	N(GETNCNT),  N(GETZCNT), N(SETVAL),   N(SETALL),   N(SEM_STAT), N(SEM_INFO),
};

/* ---- memory ---- */

static const struct type_name memory_modes[] = {
	N(MPOL_DEFAULT),
	N(MPOL_PREFERRED),
	N(MPOL_BIND),
	N(MPOL_INTERLEAVE),
	N(MPOL_LOCAL),
	{ 5, "MPOL_PREFERRED_MANY" },
	{ 6, "MPOL_WEIGHTED_INTERLEAVE" },
	N(MPOL_F_STATIC_NODES),
	N(MPOL_F_RELATIVE_NODES),
};
static const struct type_name bind_flags[] = { N(MPOL_MF_STRICT), N(MPOL_MF_MOVE),
					       N(MPOL_MF_MOVE_ALL) };
static const struct type_name policy_flags[] = { N(MPOL_F_NODE), N(MPOL_F_ADDR),
						 N(MPOL_F_MEMS_ALLOWED) };
static const struct type_name mlock_flags[] = { { 1, "MLOCK_ONFAULT" } };

/* ---- processes ---- */

static const struct type_name usage_whos[] = { N(RUSAGE_SELF), N(RUSAGE_CHILDREN),
					       N(RUSAGE_THREAD) };
static const struct type_name priority_whichs[] = { N(PRIO_PROCESS), N(PRIO_PGRP), N(PRIO_USER) };
static const struct type_name io_priority_whichs[] = { { 1, "IOPRIO_WHO_PROCESS" },
						       { 2, "IOPRIO_WHO_PGRP" },
						       { 3, "IOPRIO_WHO_USER" } };
static const struct type_name timers[] = { { 0, "ITIMER_REAL" },
					   { 1, "ITIMER_VIRTUAL" },
					   { 2, "ITIMER_PROF" } };
static const struct type_name kcmp_types[] = {
	N(KCMP_FILE),	 N(KCMP_VM), N(KCMP_FILES),   N(KCMP_FS),
	N(KCMP_SIGHAND), N(KCMP_IO), N(KCMP_SYSVSEM), N(KCMP_EPOLL_TFD),
};
static const struct type_name seccomp_operations[] = {
	N(SECCOMP_SET_MODE_STRICT),
	N(SECCOMP_SET_MODE_FILTER),
	N(SECCOMP_GET_ACTION_AVAIL),
	N(SECCOMP_GET_NOTIF_SIZES),
};
static const struct type_name seccomp_flags[] = {
	N(SECCOMP_FILTER_FLAG_TSYNC),
	N(SECCOMP_FILTER_FLAG_LOG),
	N(SECCOMP_FILTER_FLAG_SPEC_ALLOW),
	N(SECCOMP_FILTER_FLAG_NEW_LISTENER),
	{ 0x10, "SECCOMP_FILTER_FLAG_TSYNC_ESRCH" },
	{ 0x20, "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV" },
};
static const struct type_name arch_prctl_options[] = {
	{ 0x1001, "ARCH_SET_GS" },	   { 0x1002, "ARCH_SET_FS" },
	{ 0x1003, "ARCH_GET_FS" },	   { 0x1004, "ARCH_GET_GS" },
	{ 0x1011, "ARCH_GET_CPUID" },	   { 0x1012, "ARCH_SET_CPUID" },
	{ 0x1021, "ARCH_GET_XCOMP_SUPP" }, { 0x1022, "ARCH_GET_XCOMP_PERM" },
	{ 0x1023, "ARCH_REQ_XCOMP_PERM" }, { 0x5001, "ARCH_SHSTK_ENABLE" },
	{ 0x5002, "ARCH_SHSTK_DISABLE" },  { 0x5003, "ARCH_SHSTK_LOCK" },
	{ 0x5004, "ARCH_SHSTK_UNLOCK" },   { 0x5005, "ARCH_SHSTK_STATUS" },
};
static const struct type_name rseq_flags[] = { { 1, "RSEQ_FLAG_UNREGISTER" } };
static const struct type_name futex2_flags[] = { { 2, "FUTEX2_SIZE_U32" },
						 { 4, "FUTEX2_NUMA" },
						 { 8, "FUTEX2_MPOL" },
						 { 128, "FUTEX2_PRIVATE" } };
static const struct type_name barrier_commands[] = {
	N(MEMBARRIER_CMD_QUERY),
	N(MEMBARRIER_CMD_GLOBAL),
	N(MEMBARRIER_CMD_GLOBAL_EXPEDITED),
	N(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED),
	N(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
	N(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
	N(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE),
	N(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE),
	{ 128, "MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ" },
	{ 256, "MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ" },
	{ 512, "MEMBARRIER_CMD_GET_REGISTRATIONS" },
};

/* ---- the kernel itself ---- */

static const struct type_name bpf_commands[] = {
	N(BPF_MAP_CREATE),
	N(BPF_MAP_LOOKUP_ELEM),
	N(BPF_MAP_UPDATE_ELEM),
	N(BPF_MAP_DELETE_ELEM),
	N(BPF_MAP_GET_NEXT_KEY),
	N(BPF_PROG_LOAD),
	N(BPF_OBJ_PIN),
	N(BPF_OBJ_GET),
	N(BPF_PROG_ATTACH),
	N(BPF_PROG_DETACH),
	N(BPF_PROG_TEST_RUN),
	N(BPF_PROG_GET_NEXT_ID),
	N(BPF_MAP_GET_NEXT_ID),
	N(BPF_PROG_GET_FD_BY_ID),
	N(BPF_MAP_GET_FD_BY_ID),
	N(BPF_OBJ_GET_INFO_BY_FD),
	N(BPF_PROG_QUERY),
	N(BPF_RAW_TRACEPOINT_OPEN),
	N(BPF_BTF_LOAD),
	N(BPF_BTF_GET_FD_BY_ID),
	N(BPF_TASK_FD_QUERY),
	N(BPF_MAP_LOOKUP_AND_DELETE_ELEM),
	N(BPF_MAP_FREEZE),
	N(BPF_BTF_GET_NEXT_ID),
	N(BPF_MAP_LOOKUP_BATCH),
	N(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	N(BPF_MAP_UPDATE_BATCH),
	N(BPF_MAP_DELETE_BATCH),
	N(BPF_LINK_CREATE),
	N(BPF_LINK_UPDATE),
	N(BPF_LINK_GET_FD_BY_ID),
	N(BPF_LINK_GET_NEXT_ID),
	N(BPF_ENABLE_STATS),
	N(BPF_ITER_CREATE),
	{ 34, "BPF_LINK_DETACH" },
	{ 35, "BPF_PROG_BIND_MAP" },
	{ 36, "BPF_TOKEN_CREATE" },
	{ 37, "BPF_PROG_STREAM_READ_BY_FD" },
};

static const struct type_name ring_enter_flags[] = {
	N(IORING_ENTER_GETEVENTS),
	N(IORING_ENTER_SQ_WAKEUP),
	{ 4, "IORING_ENTER_SQ_WAIT" },
	{ 8, "IORING_ENTER_EXT_ARG" },
	{ 16, "IORING_ENTER_REGISTERED_RING" },
};
static const struct type_name ring_operations[] = {
	N(IORING_REGISTER_BUFFERS),
	N(IORING_UNREGISTER_BUFFERS),
	N(IORING_REGISTER_FILES),
	N(IORING_UNREGISTER_FILES),
	N(IORING_REGISTER_EVENTFD),
	N(IORING_UNREGISTER_EVENTFD),
	N(IORING_REGISTER_FILES_UPDATE),
	N(IORING_REGISTER_EVENTFD_ASYNC),
	N(IORING_REGISTER_PROBE),
	N(IORING_REGISTER_PERSONALITY),
	N(IORING_UNREGISTER_PERSONALITY),
	{ 11, "IORING_REGISTER_RESTRICTIONS" },
	{ 12, "IORING_REGISTER_ENABLE_RINGS" },
	{ 13, "IORING_REGISTER_FILES2" },
	{ 14, "IORING_REGISTER_FILES_UPDATE2" },
	{ 15, "IORING_REGISTER_BUFFERS2" },
	{ 16, "IORING_REGISTER_BUFFERS_UPDATE" },
	{ 17, "IORING_REGISTER_IOWQ_AFF" },
	{ 18, "IORING_UNREGISTER_IOWQ_AFF" },
	{ 19, "IORING_REGISTER_IOWQ_MAX_WORKERS" },
	{ 20, "IORING_REGISTER_RING_FDS" },
	{ 21, "IORING_UNREGISTER_RING_FDS" },
	{ 22, "IORING_REGISTER_PBUF_RING" },
	{ 23, "IORING_UNREGISTER_PBUF_RING" },
};

static const struct type_name key_operations[] = {
	N(KEYCTL_GET_KEYRING_ID),
	N(KEYCTL_JOIN_SESSION_KEYRING),
	N(KEYCTL_UPDATE),
	N(KEYCTL_REVOKE),
	N(KEYCTL_CHOWN),
	N(KEYCTL_SETPERM),
	N(KEYCTL_DESCRIBE),
	N(KEYCTL_CLEAR),
	N(KEYCTL_LINK),
	N(KEYCTL_UNLINK),
	N(KEYCTL_SEARCH),
	N(KEYCTL_READ),
	N(KEYCTL_INSTANTIATE),
	N(KEYCTL_NEGATE),
	N(KEYCTL_SET_REQKEY_KEYRING),
	N(KEYCTL_SET_TIMEOUT),
	N(KEYCTL_ASSUME_AUTHORITY),
	N(KEYCTL_GET_SECURITY),
	N(KEYCTL_SESSION_TO_PARENT),
	N(KEYCTL_REJECT),
	N(KEYCTL_INSTANTIATE_IOV),
	N(KEYCTL_INVALIDATE),
	N(KEYCTL_GET_PERSISTENT),
};

static const struct type_name reboot_commands[] = {
	N(LINUX_REBOOT_CMD_RESTART),	N(LINUX_REBOOT_CMD_HALT),      N(LINUX_REBOOT_CMD_CAD_ON),
	N(LINUX_REBOOT_CMD_CAD_OFF),	N(LINUX_REBOOT_CMD_POWER_OFF), N(LINUX_REBOOT_CMD_RESTART2),
	N(LINUX_REBOOT_CMD_SW_SUSPEND), N(LINUX_REBOOT_CMD_KEXEC),
};
static const struct type_name log_types[] = {
	{ 0, "SYSLOG_ACTION_CLOSE" },	      { 1, "SYSLOG_ACTION_OPEN" },
	{ 2, "SYSLOG_ACTION_READ" },	      { 3, "SYSLOG_ACTION_READ_ALL" },
	{ 4, "SYSLOG_ACTION_READ_CLEAR" },    { 5, "SYSLOG_ACTION_CLEAR" },
	{ 6, "SYSLOG_ACTION_CONSOLE_OFF" },   { 7, "SYSLOG_ACTION_CONSOLE_ON" },
	{ 8, "SYSLOG_ACTION_CONSOLE_LEVEL" }, { 9, "SYSLOG_ACTION_SIZE_UNREAD" },
	{ 10, "SYSLOG_ACTION_SIZE_BUFFER" },
};
static const struct type_name module_flags[] = { { 1, "MODULE_INIT_IGNORE_MODVERSIONS" },
						 { 2, "MODULE_INIT_IGNORE_VERMAGIC" },
						 { 4, "MODULE_INIT_COMPRESSED_FILE" } };
static const struct type_name unload_flags[] = { N(O_NONBLOCK), N(O_TRUNC) };
static const struct type_name perf_flags[] = { { 1, "PERF_FLAG_FD_NO_GROUP" },
					       { 2, "PERF_FLAG_FD_OUTPUT" },
					       { 4, "PERF_FLAG_PID_CGROUP" },
					       { 8, "PERF_FLAG_FD_CLOEXEC" } };

const struct call_names call_names_rare[] = {
	{ "statx", "mask", BITS(statx_mask) },
	{ "close_range", "flags", BITS(close_range_flags) },
	{ "sync_file_range sync_file_range2", "flags", BITS(sync_range_flags) },
	{ "setxattr lsetxattr fsetxattr", "flags", BITS(xattr_flags) },
	{ "signalfd4", "flags", BITS(signalfd_flags) },
	{ "userfaultfd", "flags", BITS(userfaultfd_flags) },
	{ "pidfd_open", "flags", BITS(pidfd_flags) },
	{ "swapon", "swap_flags", BITS(swap_flags) },
	{ "mq_open", "oflag", &call_open_flags },
	{ "fanotify_init", "event_f_flags", &call_open_flags },
	{ "fanotify_init", "flags", BITS(fanotify_init_flags) },
	{ "fanotify_mark", "flags", BITS(fanotify_mark_flags) },
	{ "fanotify_mark", "mask", BITS(fanotify_events) },
	{ "open_tree", "flags", BITS(open_tree_flags) },
	{ "move_mount", "flags", BITS(move_mount_flags) },
	{ "fsopen", "flags", BITS(fsopen_flags) },
	{ "fsmount", "flags", BITS(fsmount_flags) },
	{ "fsmount", "attr_flags", BITS(mount_attrs) },
	{ "fspick", "flags", BITS(fspick_flags) },
	{ "fsconfig", "cmd", ONE_OF(fsconfig_commands) },
	{ "quotactl quotactl_fd", "cmd", BITS_AND(~0xffU, quota_commands) },
	{ "semget msgget", "semflg msgflg", BITS(ipc_flags) },
	{ "msgsnd msgrcv", "msgflg", BITS(message_flags) },
	{ "shmget", "shmflg", BITS(shm_flags) },
	{ "shmat", "shmflg", BITS(attach_flags) },
	{ "shmctl", "cmd", ONE_OF(shm_commands) },
	{ "msgctl", "cmd", ONE_OF(message_commands) },
	{ "semctl", "cmd", ONE_OF(semaphore_commands) },
	{ "mbind set_mempolicy", "mode", BITS_AND(0xff, memory_modes) },
	{ "mbind", "flags", BITS(bind_flags) },
	{ "get_mempolicy", "flags", BITS(policy_flags) },
	{ "mlock2", "flags", BITS(mlock_flags) },
	{ "getrusage", "who", ONE_OF(usage_whos) },
	{ "getpriority setpriority", "which", ONE_OF(priority_whichs) },
	{ "ioprio_get ioprio_set", "which", ONE_OF(io_priority_whichs) },
	{ "getitimer setitimer", "which", ONE_OF(timers) },
	{ "kcmp", "type", ONE_OF(kcmp_types) },
	{ "seccomp", "op", ONE_OF(seccomp_operations) },
	{ "seccomp", "flags", BITS(seccomp_flags) },
	{ "arch_prctl", "option", ONE_OF(arch_prctl_options) },
	{ "arch_prctl", "arg2", ADDRESS },
	{ "rseq", "flags", BITS(rseq_flags) },
	{ "rseq", "sig", ADDRESS },
	{ "futex_wait futex_wake futex_waitv futex_requeue", "flags", BITS(futex2_flags) },
	{ "membarrier", "cmd", ONE_OF(barrier_commands) },
	{ "bpf", "cmd", ONE_OF(bpf_commands) },
	{ "io_uring_enter", "flags", BITS(ring_enter_flags) },
	{ "io_uring_register", "opcode", ONE_OF(ring_operations) },
	{ "keyctl", "option", ONE_OF(key_operations) },
	{ "reboot", "cmd", ONE_OF(reboot_commands) },
	{ "syslog", "type", ONE_OF(log_types) },
	{ "finit_module", "flags", BITS(module_flags) },
	{ "delete_module", "flags", BITS(unload_flags) },
	{ "perf_event_open", "flags", BITS(perf_flags) },
};

const size_t call_names_rare_n = ARRAY_SIZE(call_names_rare);
