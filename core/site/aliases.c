// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/aliases.h"

#include <string.h>

#include "base/view.h"
#include "site/match.h"

/*
 * Kernel functions: old name, new name, and the kernel version that renamed it.  `args` is set if
 * the arguments differ: each old argument in terms of the new ones.
 */
static const char *const open_args[] = { NULL, NULL, "how->flags", "how->mode" };
static const char *const kfree_skb_args[] = { "skb" };

static const struct func_alias funcs[] = {
	/* 5.6: struct open_how replaces flags and mode; do_sys_open is inlined into its callers
	 */
	{ .from = "do_sys_open",
	  .to = "do_sys_openat2",
	  .args = open_args,
	  .n_args = 4,
	  .is_hollow = true },
	/* 4.14 and 5.10: internal names */
	{ .from = "__vfs_read", .to = "vfs_read" },
	{ .from = "__vfs_write", .to = "vfs_write" },
	/* 6.10: allocation profiling */
	{ .from = "__kmalloc", .to = "__kmalloc_noprof" },
	{ .from = "kmalloc_trace", .to = "__kmalloc_cache_noprof" },
	{ .from = "__kmalloc_node", .to = "__kmalloc_node_noprof" },
	{ .from = "kmem_cache_alloc", .to = "kmem_cache_alloc_noprof" },
	{ .from = "kmem_cache_alloc_node", .to = "kmem_cache_alloc_node_noprof" },
	{ .from = "__alloc_pages", .to = "__alloc_pages_noprof" },
	{ .from = "__alloc_pages", .to = "__alloc_frozen_pages_noprof" },
	{ .from = "__alloc_pages_nodemask", .to = "__alloc_pages" },
	{ .from = "__alloc_pages_nodemask", .to = "__alloc_pages_noprof" },
	{ .from = "__alloc_pages_nodemask", .to = "__alloc_frozen_pages_noprof" },
	{ .from = "vmalloc", .to = "vmalloc_noprof" },
	/* 5.17, 6.10, 6.12 */
	{ .from = "kfree_skb", .to = "kfree_skb_reason" },
	{ .from = "kfree_skb", .to = "sk_skb_reason_drop", .args = kfree_skb_args, .n_args = 1 },
	{ .from = "kfree_skb_reason",
	  .to = "sk_skb_reason_drop",
	  .note = "the buffer is its second argument" },
	/* 5.16: folios */
	{ .from = "mark_page_accessed",
	  .to = "folio_mark_accessed",
	  .note = "its argument is a folio" },
	{ .from = "add_to_page_cache_lru", .to = "filemap_add_folio", .note = "it takes folios" },
	{ .from = "account_page_dirtied",
	  .to = "folio_account_dirtied",
	  .note = "its argument is a folio" },
	{ .from = "__set_page_dirty",
	  .to = "__folio_mark_dirty",
	  .note = "its argument is a folio" },
	{ .from = "__do_page_cache_readahead",
	  .to = "page_cache_ra_unbounded",
	  .note = "its arguments differ" },
	{ .from = "do_page_cache_ra",
	  .to = "page_cache_ra_unbounded",
	  .note = "its arguments differ" },
	/* 5.9 to 6.7: block layer */
	{ .from = "blk_account_io_start", .to = "__blk_account_io_start" },
	{ .from = "blk_account_io_done", .to = "__blk_account_io_done" },
	{ .from = "generic_make_request", .to = "submit_bio_noacct" },
	/* 4.17 to 6.x */
	{ .from = "do_nanosleep", .to = "hrtimer_nanosleep", .note = "its arguments differ" },
	{ .from = "_do_fork", .to = "kernel_clone" },
	{ .from = "do_fork", .to = "kernel_clone", .note = "its arguments differ" },
	{ .from = "do_execve", .to = "do_execveat_common", .note = "its arguments differ" },
	{ .from = "sock_sendmsg", .to = "__sock_sendmsg" },
	{ .from = "lapic_next_deadline", .to = "lapic_next_event" },
};

static const struct func_alias events[] = {
	{ .from = "sched:sched_fork", .to = "sched_process_fork", .note = "sched" },
	{ .from = "writeback:writeback_dirty_page",
	  .to = "writeback_dirty_folio",
	  .note = "writeback" },
	{ .from = "timer:hrtimer_init", .to = "hrtimer_setup", .note = "timer" },
	{ .from = "syscalls:sys_enter_umount2", .to = "sys_enter_umount", .note = "syscalls" },
	{ .from = "syscalls:sys_exit_umount2", .to = "sys_exit_umount", .note = "syscalls" },
};

/* From the kernel's own history of notrace and NOKPROBE_SYMBOL annotations that were added too
 * late, and from hangs reported for other tools: functions that a wildcard must not match. */
static const struct danger {
	const char *glob, *why;
} dangers[] = {
	{ "native_queued_spin_lock_slowpath", "spin locks' slow path" },
	{ "queued_spin_lock_slowpath", "spin locks' slow path" },
	{ "pv_queued_spin_lock_slowpath", "spin locks' slow path" },
	{ "__pv_queued_spin_lock_slowpath", "spin locks' slow path" },
	{ "_raw_spin_*", "a spin lock" },
	{ "_raw_read_*", "a spin lock" },
	{ "_raw_write_*", "a spin lock" },
	{ "*_spin_lock*", "a spin lock" },
	{ "*_spin_unlock*", "a spin lock" },
	{ "rcu_read_lock*", "RCU's own" },
	{ "rcu_read_unlock*", "RCU's own" },
	{ "__rcu_read_*", "RCU's own" },
	{ "rcu_*_enter*", "RCU's own" },
	{ "rcu_*_exit*", "RCU's own" },
	{ "migrate_enable", "BPF calls it" },
	{ "migrate_disable", "BPF calls it" },
	{ "__bpf_prog_*", "BPF calls it" },
	{ "bpf_get_*", "BPF calls it" },
	{ "bpf_ktime_get_*", "BPF calls it" },
	{ "bpf_perf_event_*", "BPF calls it" },
	{ "bpf_ringbuf_*", "BPF calls it" },
	{ "bpf_probe_read_*", "BPF calls it" },
	{ "copy_from_kernel_nofault*", "BPF calls it" },
	{ "copy_from_user_nofault", "BPF calls it" },
	{ "strncpy_from_*_nofault", "BPF calls it" },
	{ "*htab_*map_*", "BPF's maps" },
	{ "__htab_*", "BPF's maps" },
	{ "array_map_*", "BPF's maps" },
	{ "percpu_array_*", "BPF's maps" },
	{ "trace_call_bpf", "BPF's entry" },
	{ "perf_trace_*", "perf's own" },
	{ "perf_tp_event*", "perf's own" },
	{ "perf_swevent_*", "perf's own" },
	{ "__perf_*", "perf's own" },
	{ "kprobe_*", "kprobes' own" },
	{ "kretprobe_*", "kprobes' own" },
	{ "*kprobe_multi_*", "kprobes' own" },
	{ "fprobe_*", "kprobes' own" },
	{ "ftrace_*", "ftrace's own" },
	{ "ring_buffer_*", "ftrace's own" },
	{ "rb_*", "ftrace's own" },
	{ "trace_event_*", "ftrace's own" },
	{ "__trace_*", "ftrace's own" },
	{ "irq_enter*", "interrupt entry" },
	{ "irq_exit*", "interrupt entry" },
	{ "preempt_count_*", "everything calls it" },
	{ "preempt_schedule_notrace*", "tracing calls it" },
	{ "__preempt_*", "everything calls it" },
	{ "trace_hardirqs_*", "interrupt entry" },
	{ "lockdep_*", "locks' own" },
	{ "lock_acquire*", "locks' own" },
	{ "lock_release*", "locks' own" },
	{ "notifier_call_chain", "machines hung" },
	{ "int3_*", "breakpoints' own" },
	{ "exc_*", "exception entry" },
	{ "do_int3*", "breakpoints' own" },
	{ "poke_int3_handler", "breakpoints' own" },
	{ "__fentry__", "the instrument itself" },
	{ "text_poke*", "code patching" },
};

/*
 * A return probe replaces the function's return address by an address of the kernel.  A thread that
 * arrives there without an entry that the kernel remembers is killed: "failed to handle uretprobe,
 * sending SIGILL" (uprobe_handle_trampoline).  Every bash begins with a sigsetjmp.
 */
#define TWICE	"it returns a second time, when the kernel has forgotten its entry"
#define NO_CALL "the return address would not be found on the stack"
#define ASKS	"it identifies its caller by the return address"
#define UNWINDS "it walks the stack by the return addresses"
static const struct danger return_dangers[] = {
	{ "setjmp", TWICE },
	{ "_setjmp", TWICE },
	{ "__setjmp", TWICE },
	{ "sigsetjmp", TWICE },
	{ "__sigsetjmp", TWICE },
	{ "savectx", TWICE },
	{ "getcontext", TWICE },
	{ "__getcontext", TWICE },
	{ "swapcontext", TWICE },
	{ "__swapcontext", TWICE },
	{ "*_fcontext", TWICE }, /* Boost's */
	{ "_start", NO_CALL },
	{ "_dlstart", NO_CALL }, /* musl's */
	{ "_dl_start_user", NO_CALL },
	{ "__start_context", NO_CALL },
	{ "__restore", NO_CALL },
	{ "__restore_rt", NO_CALL },
	{ "_dl_runtime_resolve*", NO_CALL },
	{ "_dl_runtime_profile*", NO_CALL },
	/* RTLD_NEXT means the library after the caller's. */
	{ "dlsym", ASKS },
	{ "__dlsym", ASKS },
	{ "dlvsym", ASKS },
	{ "__dlvsym", ASKS },
	/* These look at their own return address: an exception thrown through a return probe is not
	 * caught (std::terminate). */
	{ "__cxa_throw", UNWINDS },
	{ "__cxa_rethrow", UNWINDS },
	{ "_Unwind_Raise*", UNWINDS },
	{ "_Unwind_Resume*", UNWINDS },
	{ "_Unwind_ForcedUnwind", UNWINDS },
	{ "uw_init_context*", UNWINDS },
};

const struct func_alias *alias_of_func(const char *name, u32 nth)
{
	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++)
		if (!strcmp(funcs[i].from, name) && nth-- == 0)
			return &funcs[i];
	return NULL;
}

const struct func_alias *alias_of_event(const char *category, const char *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		const char *colon = strchr(events[i].from, ':');
		struct view has = { events[i].from, (size_t)(colon - events[i].from) };

		if ((!category || view_eq(has, category)) && !strcmp(colon + 1, event))
			return &events[i];
	}
	return NULL;
}

const char *func_danger(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dangers); i++)
		if (glob_match(dangers[i].glob, view_of(name)))
			return dangers[i].why;
	return NULL;
}

const char *func_return_danger(const char *name)
{
	static const char internal[] = "__GI_"; /* glibc's prefix of names for its internal calls */

	if (!strncmp(name, internal, sizeof(internal) - 1))
		name += sizeof(internal) - 1;
	for (size_t i = 0; i < ARRAY_SIZE(return_dangers); i++)
		if (glob_match(return_dangers[i].glob, view_of(name)))
			return return_dangers[i].why;
	return NULL;
}
