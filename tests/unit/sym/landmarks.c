// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/landmarks.h"

#include "test.h"

/* As in Debian's 5.10 and 7.2, and an arm64 6.1; addresses and neighbours made short. */
static const char x86_5_10[] = "0000000000000000 A fixed_percpu_data\n"
			       "0000000000001000 A cpu_debug_store\n"
			       "ffffffff81001000 T do_work\n"
			       "ffffffff81002000 T bpf_trace_run4\n"
			       "ffffffff81002100 t __bpf_trace_sched_switch\n"
			       "ffffffff81002180 T __traceiter_sched_switch\n"
			       "ffffffff810021c0 t perf_trace_sched_switch\n"
			       "ffffffff81003000 t run_rebalance_domains\n"
			       "ffffffff81003100 t net_rx_action.cold\n"
			       "ffffffff81003200 T bpf_trampoline_get\n"
			       "ffffffff81003300 T net_rx_action_not\n"
			       "ffffffff81003400 t hrtimer_interrupt\n"
			       "ffffffff81003500 T __kretprobe_trampoline\n"
			       "ffffffff81003580 t __orc_find\n"
			       "ffffffff810035c0 t orc_find.part.0\n"
			       "ffffffff81003600 T return_to_handler\n"
			       "ffffffff81003680 t return_to_handler_not\n"
			       "ffffffff81003800 t after\n"
			       "ffffffff81a00000 t exit_to_user_mode_prepare\n"
			       "ffffffff81a00100 T irqentry_enter\n"
			       "ffffffff81a00200 T irqentry_exit_to_user_mode\n"
			       "ffffffff81a00300 T irqentry_exit\n"
			       "ffffffff81a00400 T irqentry_nmi_exit\n"
			       "ffffffff81b00000 T __sched_text_start\n"
			       "ffffffff81b00000 t __schedule\n"
			       "ffffffff81b10000 T __sched_text_end\n"
			       "ffffffff81b10000 T __cpuidle_text_start\n"
			       "ffffffff81b20000 T __lock_text_start\n"
			       "ffffffff81b21000 T __lock_text_end\n"
			       "ffffffff81c00090 T asm_exc_page_fault\n"
			       "ffffffff81c00cd0 T asm_exc_xen_hypervisor_callback\n"
			       "ffffffff81c00cf0 T asm_exc_xen_unknown_trap\n"
			       "ffffffff81c00d40 T asm_common_interrupt\n"
			       "ffffffff81c00d80 T asm_spurious_interrupt\n"
			       "ffffffff81c00db0 T asm_sysvec_error_interrupt\n"
			       "ffffffff81c00df0 T asm_sysvec_apic_timer_interrupt\n"
			       "ffffffff81c00e10 T asm_sysvec_x86_platform_ipi\n"
			       "ffffffff81c00e30 T asm_sysvec_reboot\n"
			       "ffffffff81c00e50 T asm_sysvec_call_function_single\n"
			       "ffffffff81c00e70 T asm_sysvec_reschedule_ipi\n"
			       "ffffffff81c00e90 T asm_sysvec_irq_work\n"
			       "ffffffff81c00eb0 T asm_sysvec_hyperv_callback\n"
			       "ffffffff81c00ed0 T asm_sysvec_hyperv_stimer0\n"
			       "ffffffff81c00ef0 T asm_call_on_stack\n"
			       "ffffffff81c00ef0 T asm_call_irq_on_stack\n"
			       "ffffffff81e00000 T __do_softirq\n"
			       "ffffffff81e00000 T __softirqentry_text_start\n"
			       "ffffffff81e00279 T __softirqentry_text_end\n"
			       "ffffffff82000000 D __traceiter_data\n"
			       "ffffffffc0101000 t __traceiter_ext4_x\t[ext4]\n"
			       "ffffffffc0302000 t bpf_trampoline_6442451\t[bpf]\n"
			       "ffffffffc0301000 t bpf_prog_6deef7357e7b4530_on_switch\t[bpf]\n";

static const char x86_fred[] = "ffffffff81001000 t handle_softirqs\n"
			       "ffffffff81001200 t __pfx___irq_exit_rcu\n"
			       "ffffffff81002000 t fred_sysvec_apic_timer_interrupt\n"
			       "ffffffff81002100 t fred_sysvec_irq_work\n"
			       "ffffffff81002200 t fred_sysvec_thermal\n"
			       "ffffffff81002300 t fred_sysvec_x\n"
			       "ffffffff81003000 t fred_extint\n"
			       "ffffffff81003100 t fred_hwexc.constprop.0\n";

static const char arm64[] = "ffff800008011000 t el1h_64_sync\n"
			    "ffff80000801107c t el1h_64_irq\n"
			    "ffff8000080110ec t el1h_64_fiq\n"
			    "ffff80000801115c t el1h_64_error\n"
			    "ffff80000801163c t el0t_64_irq\n"
			    "ffff800008011800 t el0t_32_fiq\n"
			    "ffff800008011a00 T call_on_irq_stack\n"
			    "ffff800008020000 t do_handle_IPI\n"
			    "ffff800008021000 t ipi_handler\n"
			    "ffff800008022000 t arch_timer_handler_virt\n"
			    "ffff800008023000 t arch_timer_set\n"
			    "ffff800008030000 t el1_interrupt\n"
			    "ffff800008030100 t el0_interrupt\n"
			    "ffff800008030200 T el1h_64_sync_handler\n"
			    "ffff800008030300 T el1h_64_irq_handler\n"
			    "ffff800008030400 T el0t_64_error_handler\n";

static char root[] = "/tmp/landmarks.XXXXXX";

static struct symtext kept;

static int read_text(const char *text, struct landmarks *p, struct err *err)
{
	char path[64];
	FILE *f;
	int ret;

	snprintf(path, sizeof(path), "%s/kallsyms", mkdtemp(root));
	f = fopen(path, "we");
	fputs(text, f);
	fclose(f);
	symtext_release(&kept);
	symtext_begin(&kept, root);
	ret = landmarks_read(root, &kept, p, err);
	unlink(path);
	rmdir(root);
	return ret;
}

static struct landmarks known;

static void know(const char *text)
{
	struct err err = { 0 };

	CHECK(!read_text(text, &known, &err));
}

static int kind_at(u64 addr)
{
	const struct landmark *p = landmarks_find(&known, addr);

	return p ? (int)p->kind : -1;
}

static const char *label_at(u64 addr)
{
	const struct landmark *p = landmarks_find(&known, addr);

	return p && p->label ? p->label : "";
}

TEST(interrupts_are_told_from_exceptions)
{
	know(x86_5_10);
	CHECK(kind_at(0xffffffff81c00091) == -1);
	CHECK(kind_at(0xffffffff81c00ce2) == LANDMARK_IRQ);
	CHECK(kind_at(0xffffffff81c00cf2) == -1);
	CHECK(kind_at(0xffffffff81c00d62) == LANDMARK_IRQ);
	CHECK(kind_at(0xffffffff81c00d82) == LANDMARK_IRQ);
	CHECK(kind_at(0xffffffff81c00dc2) == LANDMARK_IRQ);
	CHECK(kind_at(0xffffffff81c00e02) == LANDMARK_TIMER);
	CHECK(kind_at(0xffffffff81c00ee2) == LANDMARK_TIMER);
	for (u64 addr = 0xffffffff81c00e10; addr < 0xffffffff81c00eb0; addr += 16)
		CHECK(kind_at(addr) == LANDMARK_IPI);
	CHECK(kind_at(0xffffffff81c00eb2) == LANDMARK_IRQ);
	CHECK_STR(label_at(0xffffffff81c00eb2), "vmbus");
	CHECK(kind_at(0xffffffff81003412) == LANDMARK_IN_TIMER);
	CHECK(kind_at(0xffffffff81c00ef4) == -1); /* softirqs of a task come through here too */
}

TEST(the_way_back_from_an_interrupt_is_known)
{
	know(x86_5_10);
	CHECK(kind_at(0xffffffff81a00042) == LANDMARK_RETURN);
	CHECK(kind_at(0xffffffff81a00142) == -1);
	CHECK(kind_at(0xffffffff81a00242) == LANDMARK_RETURN);
	CHECK(kind_at(0xffffffff81a00342) == LANDMARK_RETURN);
	CHECK(kind_at(0xffffffff81a00442) == -1);
}

TEST(a_place_ends_where_another_address_has_a_name)
{
	know(x86_5_10);
	CHECK(kind_at(0xffffffff81dfffff) == -1);
	CHECK(kind_at(0xffffffff81e00000) == LANDMARK_SOFTIRQ);
	CHECK(kind_at(0xffffffff81e00278) == LANDMARK_SOFTIRQ);
	CHECK(kind_at(0xffffffff81e00279) == -1);
	CHECK(kind_at(0) == -1);
	CHECK(kind_at(~0ULL) == -1);
}

TEST(softirq_vectors_have_the_kernels_names)
{
	know(x86_5_10);
	CHECK(kind_at(0xffffffff81003004) == LANDMARK_VECTOR);
	CHECK_STR(label_at(0xffffffff81003004), "sched");
	CHECK_STR(label_at(0xffffffff81003104), "net_rx");
	CHECK(kind_at(0xffffffff81003304) == -1);
}

TEST(functions_that_call_programs_are_the_instrument)
{
	know(x86_5_10);
	CHECK(kind_at(0xffffffff81002050) == LANDMARK_TRACE);
	CHECK(kind_at(0xffffffff81002110) == LANDMARK_TRACE);
	CHECK(kind_at(0xffffffff81002190) == LANDMARK_TRACE);
	CHECK(kind_at(0xffffffff810021c4) == -1);
	CHECK(kind_at(0xffffffff81003204) == -1);
	CHECK(kind_at(0xffffffff82000004) == -1);
	CHECK(kind_at(0xffffffffc0302040) == LANDMARK_TRACE);
	CHECK(kind_at(0xffffffffc0303040) == -1);
}

TEST(the_unwinder_and_functions_that_hide_from_it_are_known)
{
	know(x86_5_10);
	CHECK(kind_at(0xffffffff81003500) == LANDMARK_HIDING);
	CHECK(kind_at(0xffffffff81003580) == LANDMARK_ORC);
	CHECK(kind_at(0xffffffff810035c4) == LANDMARK_ORC);
	CHECK(kind_at(0xffffffff81003600) == LANDMARK_HIDING);
	CHECK(kind_at(0xffffffff81003680) == -1);
}

TEST(the_instruments_frames_are_counted_from_the_leaf)
{
	static const u64 frames[] = {
		0xffffffffc0301100, /* bpf_prog */
		0xffffffff81002050, /* bpf_trace_run4 */
		0xffffffff81002190, /* __traceiter_sched_switch */
		0xffffffff81001010,
		0xffffffff81002050, /* another tracer's, in which this task waits */
		0xffffffff81001010,
	};

	know(x86_5_10);
	CHECK_U64(landmarks_trim(&known, frames, 6), 3);
	CHECK_U64(landmarks_trim(&known, frames, 2), 2);
	CHECK_U64(landmarks_trim(&known, frames, 1), 0);
	CHECK_U64(landmarks_trim(&known, frames, 0), 0);
}

TEST(functions_that_put_threads_to_sleep_are_a_gap_in_the_stacks_of_others)
{
	know(x86_5_10);
	CHECK(!landmarks_is_gap(&known, 0xffffffff81afffff));
	CHECK(landmarks_is_gap(&known, 0xffffffff81b00000));
	CHECK(landmarks_is_gap(&known, 0xffffffff81b0ffff));
	CHECK(!landmarks_is_gap(&known, 0xffffffff81b10000));
	CHECK(landmarks_is_gap(&known, 0xffffffff81b20010));
	CHECK(!landmarks_is_gap(&known, 0xffffffff81c00090));
}

TEST(without_such_symbols_there_are_no_gaps)
{
	know(x86_fred);
	CHECK(!landmarks_is_gap(&known, 0xffffffff81001100));
	CHECK(!landmarks_is_gap(&known, 0));
}

TEST(freds_entries_are_known_by_the_same_rules)
{
	know(x86_fred);
	CHECK(kind_at(0xffffffff81001100) == LANDMARK_SOFTIRQ);
	CHECK(kind_at(0xffffffff81001204) == -1);
	CHECK(kind_at(0xffffffff81002010) == LANDMARK_TIMER);
	CHECK(kind_at(0xffffffff81002110) == LANDMARK_IPI);
	CHECK(kind_at(0xffffffff81002210) == LANDMARK_IRQ);
	CHECK_STR(label_at(0xffffffff81002210), "thermal");
	CHECK(kind_at(0xffffffff81002310) == LANDMARK_IRQ);
	CHECK(kind_at(0xffffffff81003010) == LANDMARK_IRQ);
	CHECK(kind_at(0xffffffff81003110) == -1);
}

TEST(arm64_enters_in_one_place_and_its_handlers_say_what_it_was)
{
	know(arm64);
	CHECK(kind_at(0xffff800008011004) == -1);
	CHECK(kind_at(0xffff8000080110e0) == LANDMARK_IRQ);
	CHECK(kind_at(0xffff8000080110f0) == LANDMARK_IRQ);
	CHECK(kind_at(0xffff800008011160) == -1);
	CHECK(kind_at(0xffff800008011640) == LANDMARK_IRQ);
	CHECK(kind_at(0xffff800008011810) == LANDMARK_IRQ);
	CHECK(kind_at(0xffff800008011a10) == -1);
	CHECK(kind_at(0xffff800008020010) == LANDMARK_IN_IPI);
	CHECK(kind_at(0xffff800008021010) == LANDMARK_IN_IPI);
	CHECK(kind_at(0xffff800008022010) == LANDMARK_IN_TIMER);
	CHECK(kind_at(0xffff800008023010) == -1);
	CHECK(kind_at(0xffff800008030010) == LANDMARK_IRQ);
	CHECK(kind_at(0xffff800008030110) == LANDMARK_IRQ);
	CHECK(kind_at(0xffff800008030210) == -1);
	CHECK(kind_at(0xffff800008030310) == LANDMARK_IRQ);
	CHECK(kind_at(0xffff800008030410) == -1);
}

TEST(hidden_addresses_are_an_error_that_says_what_to_do)
{
	struct err err = { 0 };
	struct landmarks p;

	CHECK(read_text("0000000000000000 A fixed_percpu_data\n"
			"0000000000000000 T asm_common_interrupt\n",
			&p, &err) == -ERR_PERM);
	CHECK(strstr(err.what, "the kernel hides its addresses"));
	CHECK(strstr(err.hint, "CAP_SYSLOG"));
	CHECK(!p.v.n);
}

TEST(a_file_that_cannot_be_read_is_not_taken_for_hidden_addresses)
{
	struct err err = { 0 };
	struct landmarks p;

	CHECK(read_text("", &p, &err) == -ERR_FAIL);
	CHECK(strstr(err.what, "kallsyms cannot be read"));
}

TEST(no_kallsyms_is_the_kernels_lack)
{
	struct err err = { 0 };
	struct landmarks p;

	CHECK(landmarks_read("/nonexistent", NULL, &p, &err) == -ERR_KERNEL);
	CHECK(strstr(err.hint, "CONFIG_KALLSYMS"));
}

TEST(the_text_is_kept_for_names)
{
	static const char text[] = "ffffffff81001000 T asm_common_interrupt\n"
				   "ffffffff81002000 T x\nffffffff81003000 d y\n";

	know(text);
	CHECK(landmarks_find(&known, 0xffffffff81001001));
	CHECK_STR(str_text(&kept.text), text);
}

TEST(garbage_is_passed_over)
{
	know("\n\nx\n1\nffffffff81001000\nffffffff81001000 T\nffffffff81001000 T \n"
	     "ffffffff81001000 T abc\nzzzzzzzzzzzzzzzz T handle_softirqs\n"
	     "ffffffff81001000 T handle_softirqs\n");
	CHECK_U64(known.v.n, 1);
	CHECK(kind_at(0xffffffff81001000) == LANDMARK_SOFTIRQ);
}

TEST(this_kernel_has_every_kind_that_its_machine_has)
{
	u32 n[LANDMARK_HIDING + 1] = { 0 };
	struct err err = { 0 };
	struct landmark *landmark;

	if (landmarks_read("/proc", NULL, &known, &err))
		SKIP(err.what);
	vec_for_each(landmark, &known.v) {
		n[landmark->kind]++;
		CHECK(landmark->start < landmark->end);
		CHECK(landmark->end - landmark->start < 65536);
	}
	CHECK(n[LANDMARK_IRQ] && n[LANDMARK_SOFTIRQ] && n[LANDMARK_VECTOR] && n[LANDMARK_TRACE]);
	CHECK(n[LANDMARK_TIMER] + n[LANDMARK_IN_TIMER] && n[LANDMARK_IPI] + n[LANDMARK_IN_IPI]);
}
