// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/classify.h"

#include "base/nametable.h"
#include "stack/store.h"

struct rule {
	const char *glob; /* base/nametable.h */
	enum state_column kind;
};

/* Functions that handle a page fault.  The fault's entry is not listed: on the return to user
 * space, which also happens below the entry, a task may wait for its debugger. */
static const char *const faults[] = {
	"handle_mm_fault",    /* also when another task reads or pins the memory */
	"do_user_addr_fault", /* x86, if it is not inlined */
	"do_page_fault",      /* arm64 */
};

/*
 * Each row is a function that waits itself, or that calls others only to wait for this.  Functions
 * in .sched.text (io_schedule, do_nanosleep, mutex_lock...) are missing from the stacks of threads
 * that were asleep at the start, so their callers have rows too if they decide the state.  The
 * states are chosen for a reader who wants to know what to speed up: NFS waits for the network,
 * while AIO and io_uring wait for any of several events, as poll does.
 */
static const struct rule rules[] = {
	/* Disk: block devices, page cache, file systems' journals. */
	{ "io_schedule*", STATE_DISK },
	{ "bit_wait_io*", STATE_DISK },
	{ "folio_wait_*", STATE_DISK },
	{ "__folio_lock*", STATE_DISK },
	{ "wait_on_page_*", STATE_DISK },
	{ "__lock_page*", STATE_DISK },
	{ "__wait_on_buffer", STATE_DISK },
	{ "__lock_buffer", STATE_DISK },
	{ "wait_on_buffer", STATE_DISK },
	{ "__filemap_fdatawait_range", STATE_DISK },
	{ "submit_bio_wait", STATE_DISK },
	{ "blk_execute_rq*", STATE_DISK },
	{ "blk_wait_io", STATE_DISK },
	{ "blk_mq_get_tag", STATE_DISK },
	{ "blk_mq_freeze_queue*", STATE_DISK },
	{ "blk_queue_enter", STATE_DISK },
	{ "__bio_queue_enter", STATE_DISK },
	{ "rq_qos_wait", STATE_DISK },
	{ "blk_io_schedule", STATE_DISK },
	{ "__blkdev_direct_IO*", STATE_DISK },
	{ "blkdev_direct_IO*", STATE_DISK },
	{ "do_blockdev_direct_IO", STATE_DISK },
	{ "__blockdev_direct_IO", STATE_DISK },
	{ "dio_await_*", STATE_DISK },
	{ "__iomap_dio_rw", STATE_DISK },
	{ "inode_dio_wait", STATE_DISK },
	{ "balance_dirty_pages*", STATE_DISK },
	{ "wb_wait_for_completion", STATE_DISK },
	{ "sync_inodes_sb", STATE_DISK },
	{ "inode_sleep_on_writeback", STATE_DISK },
	{ "__inode_wait_for_writeback", STATE_DISK },
	{ "jbd2_log_wait_commit", STATE_DISK },
	{ "jbd2_log_do_checkpoint", STATE_DISK },
	{ "jbd2_journal_commit_transaction", STATE_DISK },
	{ "__jbd2_log_wait_for_space", STATE_DISK },
	{ "wait_transaction_locked", STATE_DISK },
	{ "wait_transaction_switching", STATE_DISK },
	{ "add_transaction_credits", STATE_DISK },
	{ "start_this_handle", STATE_DISK },
	{ "do_get_write_access", STATE_DISK },
	{ "xfs_buf_iowait", STATE_DISK },
	{ "xfs_buf_lock", STATE_DISK },
	{ "xfs_iunpin_wait", STATE_DISK },
	{ "__xfs_iunpin_wait", STATE_DISK },
	{ "xlog_grant_head_wait", STATE_DISK },
	{ "xlog_wait*", STATE_DISK },
	{ "xfs_log_force*", STATE_DISK },
	{ "btrfs_wait_*", STATE_DISK },
	{ "btrfs_commit_transaction", STATE_DISK },
	{ "wait_current_trans", STATE_DISK },
	{ "wait_for_commit", STATE_DISK },
	{ "read_extent_buffer_pages*", STATE_DISK },
	{ "f2fs_wait_on_*", STATE_DISK },
	{ "fsync_buffers_list", STATE_DISK },

	/* Network: sockets and network file systems. */
	{ "inet_csk_accept", STATE_NETWORK },
	{ "inet_csk_wait_for_connect", STATE_NETWORK },
	{ "inet_wait_for_connect", STATE_NETWORK },
	{ "__inet_stream_connect", STATE_NETWORK },
	{ "sk_wait_data", STATE_NETWORK },
	{ "sk_stream_wait_*", STATE_NETWORK },
	{ "tcp_data_wait", STATE_NETWORK },
	{ "tcp_sendmsg*", STATE_NETWORK },
	{ "tcp_recvmsg*", STATE_NETWORK },
	{ "__skb_wait_for_more_packets", STATE_NETWORK },
	{ "wait_for_more_packets", STATE_NETWORK },
	{ "__skb_recv_datagram", STATE_NETWORK },
	{ "__skb_recv_udp", STATE_NETWORK },
	{ "sock_alloc_send_pskb", STATE_NETWORK },
	{ "sock_wait_for_wmem", STATE_NETWORK },
	{ "unix_stream_data_wait", STATE_NETWORK },
	{ "unix_stream_read_generic", STATE_NETWORK },
	{ "unix_wait_for_peer", STATE_NETWORK },
	{ "unix_accept", STATE_NETWORK },
	{ "unix_stream_connect", STATE_NETWORK },
	{ "netlink_attachskb", STATE_NETWORK },
	{ "vsock_*_recvmsg", STATE_NETWORK },
	{ "sctp_wait_*", STATE_NETWORK },
	{ "sctp_skb_recv_datagram", STATE_NETWORK },
	{ "tls_rx_rec_wait", STATE_NETWORK },
	{ "wait_on_pending_writer", STATE_NETWORK },
	{ "packet_recvmsg", STATE_NETWORK },
	{ "tun_ring_recv", STATE_NETWORK },
	{ "tun_do_read", STATE_NETWORK },
	{ "rpc_wait_*", STATE_NETWORK },
	{ "__rpc_execute", STATE_NETWORK },
	{ "nfs_wait_*", STATE_NETWORK },
	{ "svc_recv", STATE_NETWORK },
	{ "svc_get_next_xprt", STATE_NETWORK },
	{ "wait_for_response", STATE_NETWORK },	 /* SMB */
	{ "compound_send_recv", STATE_NETWORK }, /* SMB */
	{ "ceph_*wait*", STATE_NETWORK },
	{ "p9_client_rpc", STATE_NETWORK },

	/* Locks of programs and of the kernel. */
	{ "futex_lock_pi*", STATE_LOCK },
	{ "futex_*", STATE_FUTEX },
	{ "__futex_*", STATE_FUTEX },
	{ "do_futex", STATE_FUTEX },
	{ "__mutex_lock*", STATE_LOCK },
	{ "mutex_lock*", STATE_LOCK },
	{ "__ww_mutex_lock*", STATE_LOCK },
	{ "ww_mutex_lock*", STATE_LOCK },
	{ "rwsem_*", STATE_LOCK },
	{ "__rwsem_*", STATE_LOCK },
	{ "down", STATE_LOCK },
	{ "down_*", STATE_LOCK },
	{ "__down", STATE_LOCK },
	{ "__down_*", STATE_LOCK },
	{ "rt_mutex_*", STATE_LOCK },
	{ "__rt_mutex_*", STATE_LOCK },
	{ "rtlock_*", STATE_LOCK },
	{ "rt_spin_lock*", STATE_LOCK },
	{ "rwbase_*", STATE_LOCK },
	{ "percpu_rwsem_wait", STATE_LOCK },
	{ "percpu_down_write", STATE_LOCK },
	{ "__percpu_down_read*", STATE_LOCK },
	{ "__lock_sock", STATE_LOCK },
	{ "lock_sock_nested", STATE_LOCK },
	{ "flock_lock_inode_wait", STATE_LOCK },
	{ "posix_lock_inode_wait", STATE_LOCK },
	{ "locks_lock_inode_wait", STATE_LOCK },
	{ "do_lock_file_wait*", STATE_LOCK },
	{ "fcntl_setlk*", STATE_LOCK },
	{ "__break_lease", STATE_LOCK },
	{ "__do_semtimedop", STATE_LOCK },
	{ "do_semtimedop", STATE_LOCK },

	{ "pipe_*", STATE_PIPE },
	{ "anon_pipe_*", STATE_PIPE },
	{ "fifo_pipe_*", STATE_PIPE },
	{ "wait_for_partner", STATE_PIPE },
	{ "fifo_open", STATE_PIPE },
	{ "ipipe_prep", STATE_PIPE },
	{ "opipe_prep", STATE_PIPE },
	{ "wait_for_space", STATE_PIPE }, /* splice */

	{ "do_nanosleep", STATE_SLEEP },
	{ "hrtimer_nanosleep*", STATE_SLEEP },
	{ "common_nsleep*", STATE_SLEEP },
	{ "alarm_timer_nsleep", STATE_SLEEP },
	{ "do_cpu_nanosleep", STATE_SLEEP },
	{ "msleep*", STATE_SLEEP },
	{ "usleep_range*", STATE_SLEEP },
	{ "timerfd_read*", STATE_SLEEP },

	{ "ep_poll", STATE_POLL },
	{ "do_epoll_wait", STATE_POLL },
	{ "poll_schedule_timeout", STATE_POLL },
	{ "do_poll", STATE_POLL },
	{ "do_sys_poll", STATE_POLL },
	{ "do_select", STATE_POLL },
	{ "core_sys_select", STATE_POLL },
	{ "io_cqring_wait*", STATE_POLL },
	{ "__do_sys_io_uring_enter", STATE_POLL }, /* 5.10 has io_cqring_wait inlined here */
	{ "read_events", STATE_POLL },		   /* AIO */

	{ "do_wait", STATE_CHILD },
	{ "__do_wait", STATE_CHILD },
	{ "kernel_wait4", STATE_CHILD },
	{ "kernel_waitid*", STATE_CHILD },
	{ "wait_for_vfork_done", STATE_CHILD },
	{ "kernel_clone", STATE_CHILD }, /* wait_for_vfork_done() is inlined here */
};

_Static_assert(ARRAY_SIZE(rules) <= GLOBS_MAX_ROWS, "more than base/globs can number");

static bool is_fault(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(name, faults[i]))
			return true;
	return false;
}

/* The state of a futex call. */
static enum state_column futex_kind(u8 marks)
{
	if (marks & STORE_LOCK)
		return STATE_LOCK;
	return marks & STORE_CONDITION ? STATE_CONDITION : STATE_FUTEX;
}

enum state_column wait_kind(const struct report *r, u32 kernel, u8 marks)
{
	const struct rule *found = NULL;
	struct globs globs;

	globs_init(&globs, rules, ARRAY_SIZE(rules), sizeof(*rules));
	for (u32 node = kernel; node; node = r->nodes[node].parent) {
		const struct frame *f = &r->frames[r->nodes[node].frame];

		if (!f->name || !frame_is_kernel(f->kind))
			continue;
		if (is_fault(f->name))
			return STATE_FAULT;
		if (!found)
			found = globs_find(&globs, view_of(f->name));
	}
	if (found)
		return found->kind == STATE_FUTEX ? futex_kind(marks) : found->kind;
	return marks & STORE_IOWAIT ? STATE_DISK : STATE_OTHER;
}
