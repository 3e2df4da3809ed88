// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/classify.h"

#include "reports.h"
#include "stack/store.h"
#include "test.h"

/* The kind of a stack given as text, leaf first. */
static enum state_column kind_of(const char *text, u8 marks)
{
	struct frame frames[64] = { 0 };
	struct sample s = { 0 };
	struct view rest = view_of(text), name;
	u32 path[64], n = 0;
	enum state_column kind;

	for (; n < 63 && view_split(&rest, ' ', &name); n++) {
		frames[n] =
			(struct frame){ .name = mem_strndup(name.p, name.n), .kind = FRAME_KERNEL };
		path[n] = n;
	}
	path[n] = NONE;
	s.report.frames = frames;
	s.report.n_frames = n;
	kind = wait_kind(&s.report, sample_path(&s, path), marks);
	for (u32 i = 0; i < n; i++)
		free((char *)(uintptr_t)frames[i].name);
	sample_release(&s);
	return kind;
}

struct sleeper {
	enum state_column kind;
	const char *stack;
};

static void check(const struct sleeper *sleepers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (kind_of(sleepers[i].stack, 0) != sleepers[i].kind) {
			printf("# %s: %s\n", sleepers[i].stack,
			       state_names[kind_of(sleepers[i].stack, 0)]);
			CHECK(false);
		}
}

/* Taken at switch-out, on 5.10 (the kernel's own dump of all tasks) and 6.18 (perf). */
static const struct sleeper live[] = {
	{ STATE_DISK, "__schedule schedule schedule_timeout io_schedule_timeout __iomap_dio_rw "
		      "iomap_dio_rw ext4_file_read_iter vfs_read ksys_read do_syscall_64" },
	{ STATE_DISK, "__schedule schedule io_schedule folio_wait_bit_common filemap_get_pages "
		      "filemap_read vfs_read ksys_read do_syscall_64" },
	{ STATE_DISK, "__schedule schedule io_schedule bit_wait_io __wait_on_bit "
		      "out_of_line_wait_on_bit ext4_read_bh ext4_bread __ext4_read_dirblock "
		      "htree_dirblock_to_tree ext4_htree_fill_tree ext4_readdir iterate_dir" },
	{ STATE_DISK, "__schedule schedule schedule_timeout io_schedule_timeout "
		      "wait_for_completion_io_timeout submit_bio_wait blkdev_issue_flush "
		      "ext4_sync_file do_fsync __x64_sys_fsync do_syscall_64" },
	{ STATE_DISK, "__schedule schedule io_schedule folio_wait_bit folio_wait_writeback "
		      "__filemap_fdatawait_range file_write_and_wait_range ext4_sync_file" },
	{ STATE_FAULT, "__schedule schedule io_schedule folio_wait_bit_common filemap_fault "
		       "__do_fault do_fault __handle_mm_fault handle_mm_fault exc_page_fault "
		       "asm_exc_page_fault" },
	{ STATE_FAULT, "__schedule schedule handle_userfault handle_mm_fault do_user_addr_fault "
		       "exc_page_fault asm_exc_page_fault" },
	{ STATE_FAULT, "__schedule schedule io_schedule folio_wait_bit_common filemap_fault "
		       "__do_fault do_fault __handle_mm_fault handle_mm_fault exc_page_fault "
		       "asm_exc_page_fault elf_load load_elf_binary bprm_execve" },
	{ STATE_FUTEX, "__schedule schedule futex_wait_queue_me futex_wait do_futex "
		       "__x64_sys_futex do_syscall_64" },
	{ STATE_LOCK, "__schedule schedule __rt_mutex_slowlock rt_mutex_wait_proxy_lock "
		      "futex_lock_pi do_futex __x64_sys_futex do_syscall_64" },
	{ STATE_LOCK, "__schedule schedule locks_lock_inode_wait __x64_sys_flock do_syscall_64" },
	{ STATE_LOCK, "__schedule schedule fcntl_setlk do_fcntl __x64_sys_fcntl do_syscall_64" },
	{ STATE_LOCK, "__schedule schedule do_semtimedop do_syscall_64" },
	{ STATE_SLEEP, "__schedule schedule do_nanosleep hrtimer_nanosleep common_nsleep "
		       "__x64_sys_clock_nanosleep do_syscall_64" },
	{ STATE_SLEEP, "__schedule schedule do_wait_intr_irq timerfd_read vfs_read ksys_read" },
	{ STATE_PIPE, "__schedule schedule pipe_read new_sync_read vfs_read ksys_read" },
	{ STATE_PIPE, "__schedule schedule pipe_write new_sync_write vfs_write ksys_write" },
	{ STATE_PIPE, "__schedule schedule wait_for_partner fifo_open do_dentry_open "
		      "path_openat do_filp_open do_sys_openat2 __x64_sys_openat" },
	{ STATE_POLL, "__schedule schedule schedule_hrtimeout_range_clock do_sys_poll "
		      "__x64_sys_poll do_syscall_64" },
	{ STATE_POLL, "__schedule schedule schedule_hrtimeout_range_clock do_select "
		      "core_sys_select do_pselect.constprop.0 __x64_sys_pselect6" },
	{ STATE_POLL, "__schedule schedule schedule_hrtimeout_range_clock do_epoll_wait "
		      "__x64_sys_epoll_wait do_syscall_64" },
	{ STATE_POLL, "__schedule schedule schedule_hrtimeout_range_clock "
		      "__do_sys_io_uring_enter do_syscall_64" },
	{ STATE_POLL, "__schedule schedule read_events do_io_getevents __x64_sys_io_getevents" },
	{ STATE_NETWORK, "__schedule schedule schedule_timeout inet_csk_accept inet_accept "
			 "do_accept __sys_accept4_file __sys_accept4 __x64_sys_accept" },
	{ STATE_NETWORK, "__schedule schedule schedule_timeout wait_woken sk_wait_data "
			 "tcp_recvmsg inet_recvmsg sock_read_iter new_sync_read vfs_read" },
	{ STATE_NETWORK, "__schedule schedule schedule_timeout wait_woken sk_stream_wait_memory "
			 "tcp_sendmsg_locked tcp_sendmsg __sock_sendmsg sock_write_iter" },
	{ STATE_NETWORK, "__schedule schedule schedule_timeout __skb_wait_for_more_packets "
			 "__skb_recv_udp udp_recvmsg inet_recvmsg sock_read_iter" },
	{ STATE_NETWORK, "__schedule schedule schedule_timeout unix_stream_read_generic "
			 "unix_stream_recvmsg sock_read_iter new_sync_read vfs_read" },
	{ STATE_NETWORK, "__schedule schedule schedule_timeout __skb_wait_for_more_packets "
			 "unix_dgram_recvmsg sock_read_iter new_sync_read vfs_read" },
	{ STATE_NETWORK, "__schedule schedule schedule_timeout sock_alloc_send_pskb "
			 "unix_stream_sendmsg __sock_sendmsg sock_write_iter" },
	{ STATE_CHILD, "__schedule schedule do_wait kernel_wait4 do_syscall_64" },
	{ STATE_OTHER, "__schedule schedule __do_sys_pause do_syscall_64" },
	{ STATE_OTHER, "__schedule schedule schedule_hrtimeout_range_clock do_sigtimedwait "
		       "__x64_sys_rt_sigtimedwait do_syscall_64" },
	{ STATE_OTHER, "__schedule schedule eventfd_read new_sync_read vfs_read ksys_read" },
	{ STATE_OTHER, "__schedule schedule userfaultfd_read vfs_read ksys_read" },
	{ STATE_CHILD, "__schedule schedule schedule_timeout __wait_for_common "
		       "wait_for_completion_killable kernel_clone __do_sys_vfork" },
	{ STATE_OTHER, "__schedule schedule do_signal_stop get_signal arch_do_signal_or_restart "
		       "exit_to_user_mode_prepare syscall_exit_to_user_mode" },
	{ STATE_OTHER, "__schedule schedule worker_thread kthread ret_from_fork" },
};

/* Found asleep on 6.18: the kernel leaves out functions in .sched.text. */
static const struct sleeper scanned[] = {
	{ STATE_FUTEX, "futex_do_wait __futex_wait futex_wait do_futex __x64_sys_futex" },
	{ STATE_LOCK, "rt_mutex_schedule futex_lock_pi do_futex __x64_sys_futex" },
	{ STATE_LOCK, "locks_lock_inode_wait __do_sys_flock do_syscall_64" },
	{ STATE_LOCK, "__do_semtimedop do_semtimedop do_syscall_64" },
	{ STATE_SLEEP, "hrtimer_nanosleep common_nsleep __x64_sys_clock_nanosleep" },
	{ STATE_SLEEP, "do_wait_intr_irq timerfd_read_iter vfs_read ksys_read" },
	{ STATE_PIPE, "anon_pipe_read vfs_read ksys_read do_syscall_64" },
	{ STATE_PIPE, "anon_pipe_write vfs_write ksys_write do_syscall_64" },
	{ STATE_POLL, "poll_schedule_timeout.constprop.0 do_sys_poll __x64_sys_poll" },
	{ STATE_POLL, "do_epoll_wait __x64_sys_epoll_wait do_syscall_64" },
	{ STATE_POLL, "io_cqring_wait __do_sys_io_uring_enter do_syscall_64" },
	{ STATE_NETWORK, "inet_csk_accept inet_accept do_accept __sys_accept4" },
	{ STATE_NETWORK, "wait_woken sk_wait_data tcp_recvmsg_locked tcp_recvmsg sock_recvmsg" },
	{ STATE_NETWORK, "__skb_wait_for_more_packets __unix_dgram_recvmsg sock_recvmsg" },
	{ STATE_FAULT, "handle_userfault __handle_mm_fault handle_mm_fault exc_page_fault" },
	{ STATE_OTHER, "do_sigtimedwait.isra.0 __x64_sys_rt_sigtimedwait do_syscall_64" },
	{ STATE_OTHER, "userfaultfd_read_iter vfs_read ksys_read do_syscall_64" },
	{ STATE_CHILD, "kernel_clone __x64_sys_vfork do_syscall_64" },
	{ STATE_OTHER, "kswapd kthread ret_from_fork ret_from_fork_asm" },
};

TEST(what_a_thread_went_to_sleep_for)
{
	check(live, ARRAY_SIZE(live));
}

TEST(what_a_thread_was_found_asleep_in)
{
	check(scanned, ARRAY_SIZE(scanned));
}

TEST(a_futex_call_is_what_its_operation_and_value_tell)
{
	static const char stack[] = "__schedule schedule futex_wait_queue __futex_wait futex_wait "
				    "do_futex __x64_sys_futex do_syscall_64";
	static const char faulting[] = "schedule io_schedule folio_wait_bit_common "
				       "handle_mm_fault exc_page_fault do_futex __x64_sys_futex";

	CHECK(kind_of(stack, 0) == STATE_FUTEX);
	CHECK(kind_of(stack, STORE_LOCK) == STATE_LOCK);
	CHECK(kind_of(stack, STORE_CONDITION) == STATE_CONDITION);
	CHECK(kind_of("__mutex_lock do_futex __x64_sys_futex", STORE_CONDITION) == STATE_LOCK);
	CHECK(kind_of(faulting, STORE_CONDITION) == STATE_FAULT);
}

TEST(a_lock_inside_something_else_is_a_lock)
{
	CHECK(kind_of("__schedule schedule __mutex_lock.constprop.0 pipe_read vfs_read", 0) ==
	      STATE_LOCK);
	CHECK(kind_of("__schedule schedule schedule_preempt_disabled rwsem_down_write_slowpath "
		      "down_write ext4_buffered_write_iter vfs_write",
		      0) == STATE_LOCK);
	CHECK(kind_of("__schedule schedule __lock_sock lock_sock_nested tcp_recvmsg", 0) ==
	      STATE_LOCK);
}

TEST(a_fault_is_a_fault_whatever_it_waits_for)
{
	CHECK(kind_of("__schedule schedule rwsem_down_read_slowpath down_read do_user_addr_fault "
		      "exc_page_fault asm_exc_page_fault",
		      0) == STATE_FAULT);
	CHECK(kind_of("schedule io_schedule folio_wait_bit_common shmem_fault handle_mm_fault "
		      "__get_user_pages process_vm_rw",
		      STORE_IOWAIT) == STATE_FAULT);
	/* On the way back from a fault, but no longer in it. */
	CHECK(kind_of("schedule ptrace_stop get_signal exit_to_user_mode_loop exc_page_fault "
		      "asm_exc_page_fault",
		      0) == STATE_OTHER);
}

TEST(what_is_accounted_as_io_is_disk_when_no_function_says_more)
{
	CHECK(kind_of("ext4_read_bh ext4_bread ext4_readdir", STORE_IOWAIT) == STATE_DISK);
	CHECK(kind_of("ext4_read_bh ext4_bread ext4_readdir", 0) == STATE_OTHER);
	CHECK(kind_of("io_cqring_wait __do_sys_io_uring_enter", STORE_IOWAIT) == STATE_POLL);
	CHECK(kind_of("", STORE_IOWAIT) == STATE_DISK);
	CHECK(kind_of("", 0) == STATE_OTHER);
}

TEST(only_the_kernels_functions_count)
{
	struct frame frames[] = { { .name = "do_nanosleep", .kind = FRAME_USER },
				  { .name = "pipe_read", .kind = FRAME_NOTE },
				  { .name = NULL, .kind = FRAME_KERNEL } };
	static const u32 path[] = { 0, 1, 2, NONE };
	struct sample s = { .report = { .frames = frames, .n_frames = 3 } };

	CHECK(wait_kind(&s.report, sample_path(&s, path), 0) == STATE_OTHER);
	sample_release(&s);
}
