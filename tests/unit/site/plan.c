// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Specs, planned for a host whose files are all in tests/fixtures/probe/host. */
#include "site/plan.h"

#include "base/str.h"
#include "fixturebtf.h"
#include "test.h"
#include "tests/fixtures/sym/elfmake.h"

#define HOST "tests/fixtures/probe/host/"

#define ALL (~0ULL)

static u64 methods = ALL;
static enum attach_method forced;
static bool wants_types;
static struct btf *types; /* the kernel's; NULL: it has none */

static const struct btf *give_types(const char *path, struct err *err)
{
	(void)path;
	return types ? types : (err_set(err, ERR_KERNEL, "no BTF here"), NULL);
}

static bool ask(enum attach_method m, const char **why)
{
	*why = m == ATTACH_KPROBE ? "CONFIG_KPROBE_EVENTS is off" : NULL;
	return false;
}

/* The plan as --dry-run prints it with its notes, or "error CODE: what [hint]". */
static const char *planned(const char *text)
{
	static struct str out;
	const struct kernel_paths paths = {
		.proc = HOST "proc",
		.sys = HOST "sys",
		.tracefs = HOST "tracing",
		.root = "/",
		.types = types ? give_types : NULL,
	};
	const struct plan_opts opts = { .forced = forced, .wants_types = wants_types };
	struct plan_ability can = { .methods = methods, .ask = ask };
	struct kernel *k = kernel_open(&paths);
	struct arena a = { 0 };
	struct probe_plan plan = { 0 };
	struct probe_spec spec;
	struct err err = { 0 };

	str_clear(&out);
	if (probe_parse(&a, text, SPEC_FUNCCOUNT, NULL, &spec, &err) ||
	    plan_build(k, &spec, &can, &opts, &plan, &err)) {
		str_addf(&out, "error %d: %s", err.code, err.what);
		if (err.hint[0])
			str_addf(&out, " [%s]", err.hint);
	} else {
		for (const struct probe_plan *one = &plan; one; one = one->next)
			plan_print(one, &out);
		for (size_t i = 0; i < plan.notes.n; i++)
			str_addf(&out, "(%s)\n", plan.notes.items[i]);
	}
	plan_release(&plan);
	probe_spec_release(&spec);
	arena_release(&a);
	kernel_close(k);
	return str_text(&out);
}

TEST(tracepoints_are_those_of_tracefs)
{
	CHECK_STR(planned("t:sched:sched_switch"), "t:sched:sched_switch by tracepoint\n");
	CHECK_STR(planned("t:sched_switch"), "t:sched:sched_switch by tracepoint\n");
	CHECK_STR(planned("t:irq:*"), "t:irq:softirq_entry by tracepoint\n");
	CHECK_STR(planned("t:sched:sched_fork"),
		  "t:sched:sched_process_fork by tracepoint\n(t:sched:sched_fork is "
		  "t:sched:sched_process_fork here)\n");
	CHECK_STR(planned("t:sched:sched_swich"),
		  "error 66: there is no such tracepoint [did you mean 't:sched:sched_switch'?]");
	CHECK_STR(planned("t:shced:*"),
		  "error 66: there is no category 'shced' of tracepoints [did you mean "
		  "'t:sched:*'?]");
	CHECK_STR(planned("t:shed:sched_switch"),
		  "error 66: there is no category 'shed' of tracepoints [did you mean "
		  "'t:sched:sched_switch'?]");
	CHECK_STR(planned("t:zzzzzz:x"), "error 66: there is no category 'zzzzzz' of tracepoints");
	CHECK_STR(planned("t:*:nosuch*"), "error 66: there is no such tracepoint");
}

TEST(records_of_ftrace_are_no_tracepoints)
{
	CHECK_STR(planned("t:ftrace:*"), "error 66: there is no such tracepoint");
}

/* There is one in the fixture, as another run would have it. */
TEST(probes_of_another_bperf_are_no_tracepoints)
{
	CHECK_STR(planned("t:*:e0"), "error 66: there is no such tracepoint");
	CHECK_STR(planned("t:bperf_*:*"), "error 66: there is no such tracepoint");
}

TEST(system_calls_are_raw)
{
	CHECK_STR(planned("syscall:openat"), "syscall:openat by raw-syscall\n");
	CHECK_STR(planned("sys_openat"), "syscall:openat by raw-syscall\n");
	CHECK_STR(planned("r::__x64_sys_openat"), "r:syscall:openat by raw-syscall\n");
	CHECK_STR(planned("t:syscalls:sys_enter_openat"),
		  "t:syscalls:sys_enter_openat by raw-syscall\n");
	CHECK_STR(planned("syscall:opnat"),
		  "error 66: there is no such system call here [did you mean 'openat'?]");
	CHECK_STR(
		planned("syscall:mkdir{at,x}"),
		"syscall:mkdirat by raw-syscall\n('mkdirx': there is no such system call here)\n");
	/* A site that another pattern has already found must not be reported as missing. */
	CHECK_STR(planned("syscall:mkdir{a*,at,at}"), "syscall:mkdirat by raw-syscall\n");
}

TEST(tracepoints_of_several_kinds_have_each_a_method)
{
	const char *both = "t:{syscalls:sys_exit_openat,irq:softirq_entry}";

	/* There is no type of softirq_entry here. */
	CHECK_STR(planned(both),
		  "t:irq:softirq_entry by tracepoint\nt:syscalls:sys_exit_openat by raw-syscall\n");
	wants_types = true;
	CHECK_STR(planned(both),
		  "t:syscalls:sys_exit_openat by tracepoint\nt:irq:softirq_entry by tracepoint\n");
	wants_types = false;
	forced = ATTACH_TRACEPOINT;
	CHECK_STR(planned(both),
		  "t:syscalls:sys_exit_openat by tracepoint\nt:irq:softirq_entry by tracepoint\n");
	forced = ATTACH_NONE;
}

TEST(kernel_functions_are_those_of_kallsyms)
{
	CHECK_STR(planned("vfs_read"), "p::vfs_read by kprobe.multi\n");
	CHECK_STR(planned("r::vfs_read"), "r::vfs_read by kprobe.multi\n");
	CHECK_STR(planned("vfs_read+0x4"), "p::vfs_read+0x4 by kprobe\n");
	CHECK_STR(planned("k:0xffffffff81001000"), "p::0xffffffff81001000 by kprobe\n");
	CHECK_STR(planned("ext4`ext4_open"), "p:ext4`ext4_open by kprobe.multi in ext4\n");
	CHECK_STR(planned("ext4_open"), "p:ext4`ext4_open by kprobe.multi in ext4\n");
	CHECK_STR(planned("vfs_raed"),
		  "error 66: there is no such kernel function [did you mean 'vfs_read'?]");
	CHECK_STR(planned("gone_into_its_callers"),
		  "error 66: there is no such kernel function, or the compiler has inlined it");
	/* It is data. */
	CHECK_STR(planned("vfs_data"),
		  "error 66: there is no such kernel function, or the compiler has inlined it");
}

TEST(names_of_another_kind_are_suggested)
{
	CHECK_STR(planned("sched_switch"),
		  "error 66: there is no such kernel function [did you mean "
		  "'t:sched:sched_switch'?]");
	CHECK_STR(planned("sys_enter_write"),
		  "error 66: there is no such kernel function [did you mean 'syscall:write'?]");
	CHECK_STR(planned("k:sys_exit_openat"),
		  "error 66: there is no such kernel function [did you mean 'r:syscall:openat'?]");
	CHECK_STR(planned("malloc"),
		  "error 66: there is no such kernel function [did you mean 'p:c:malloc'?]");
	CHECK_STR(planned("r:malloc"),
		  "error 66: there is no such kernel function [did you mean 'r:c:malloc'?]");
	CHECK_STR(planned("syscal:openat"),
		  "error 66: there is no library libsyscal and no program syscal [did you mean "
		  "'syscall:openat'?]");
	CHECK_STR(planned("nosuch | malloc"),
		  "error 66: there is no such kernel function, or the compiler has inlined it");
}

TEST(the_compilers_copies_are_found)
{
	CHECK_STR(planned("finish_task_switch"),
		  "p::finish_task_switch by kprobe.multi as finish_task_switch.isra.0\n"
		  "(finish_task_switch is finish_task_switch.isra.0 here)\n");
	CHECK_STR(
		planned("part_only"),
		"p::part_only by kprobe.multi as part_only.part.0\n(part_only is "
		"part_only.part.0 here: a part of it only, calls that end early are not counted)\n");
	CHECK_STR(planned("copied"),
		  "p::copied by kprobe.multi\n(copied has copies such as copied.constprop.0: "
		  "calls of those are not counted ('copied*' probes all))\n");
}

TEST(renamed_functions_are_followed)
{
	CHECK_STR(planned("__vfs_read"),
		  "p::vfs_read by kprobe.multi\n(__vfs_read is vfs_read here)\n");
	CHECK_STR(planned("kfree_skb"), "p::sk_skb_reason_drop by kprobe.multi\n(kfree_skb is "
					"sk_skb_reason_drop here)\n");
	CHECK_STR(planned("kfree_skb+4"),
		  "error 66: kfree_skb is sk_skb_reason_drop here: an offset "
		  "into the old one means nothing in it");
	/* The function exists, but nothing calls it. */
	CHECK_STR(planned("do_sys_open"), "p::do_sys_openat2 by kprobe.multi\n(do_sys_open is "
					  "do_sys_openat2 here)\n");
}

TEST(names_of_several_functions_are_refused)
{
	CHECK_STR(planned("shared_open"), "error 64: 2 functions have this name [  "
					  "ext4`shared_open\n  xfs`shared_open]");
	CHECK_STR(planned("xfs`shared_open"), "p:xfs`shared_open by kprobe.multi in xfs\n");
	CHECK_STR(planned("vfs_twice"),
		  "error 64: 3 functions have this name [  0xffffffff81001400\n  "
		  "0xffffffff81001500\n  ext4`vfs_twice]");
}

TEST(patterns_skip_and_count)
{
	CHECK_STR(planned("vfs_*"), "p::vfs_read by kprobe.multi\np::vfs_write by kprobe.multi\n"
				    "1 skipped: cannot be probed\n"
				    "1 skipped: is on the kernel's list of functions that must not "
				    "be probed\n"
				    "1 skipped: is another name of a function that is probed "
				    "already\n"
				    "3 skipped: is the name of several functions\n");
	CHECK_STR(planned("_raw_*"), "error 66: no function of this pattern can be probed");
	CHECK_STR(planned("nosuch_*"), "error 66: no kernel function matches");
}

TEST(a_dangerous_function_by_its_name_is_warned_about)
{
	CHECK_STR(planned("_raw_spin_lock"),
		  "p::_raw_spin_lock by kprobe.multi\n('_raw_spin_lock' may hang the machine when "
		  "probed (a spin lock))\n");
}

TEST(a_forbidden_function_is_an_error)
{
	CHECK_STR(planned("vfs_forbidden"),
		  "error 69: the kernel forbids probing 'vfs_forbidden' [it is on the list of "
		  "/sys/kernel/debug/kprobes/blacklist]");
}

TEST(the_first_alternative_that_exists_is_taken)
{
	CHECK_STR(planned("nosuch | t:sched:nosuch | vfs_read"),
		  "p::vfs_read by kprobe.multi\n('vfs_read' is taken)\n");
	CHECK_STR(planned("vfs_raed | other_one"),
		  "error 66: there is no such kernel function [did you mean 'vfs_read'?]");
}

TEST(methods_are_the_best_that_the_kernel_has)
{
	methods = 1ULL << ATTACH_KPROBE | 1ULL << ATTACH_FENTRY;
	CHECK_STR(planned("vfs_read"), "p::vfs_read by kprobe\n");
	methods = 1ULL << ATTACH_KPROBE_EVENT;
	CHECK_STR(planned("vfs_read"), "p::vfs_read by kprobe-event\n");
	methods = 0;
	CHECK_STR(planned("vfs_read"), "error 69: kernel functions can't be probed on this kernel: "
				       "CONFIG_KPROBE_EVENTS is off [`bperf doctor` shows what can "
				       "be]");
}

TEST(a_forced_method_is_taken_or_refused)
{
	forced = ATTACH_KPROBE;
	CHECK_STR(planned("vfs_read"), "p::vfs_read by kprobe\n");
	CHECK_STR(planned("t:sched:sched_switch"),
		  "error 64: tracepoints can't be probed by kprobe [methods for "
		  "t:sched:sched_switch: tracepoint]");
	methods = 1ULL << ATTACH_KPROBE_MULTI;
	CHECK_STR(planned("vfs_read"),
		  "error 69: kernel functions can't be probed by kprobe on this kernel: "
		  "CONFIG_KPROBE_EVENTS is off [`bperf doctor` shows what can be]");
}

TEST(fentry_takes_what_btf_describes_under_that_very_name)
{
	types = fixture_btf();
	CHECK_STR(planned("f:do_nothing"), "p::do_nothing by fentry\n");
	CHECK_STR(planned("f:get_request"), "error 66: 'p::get_request' can't be probed by fentry");
	CHECK_STR(planned("f:{do_noth*,get_req*}"),
		  "p::do_nothing by fentry\n1 skipped: is not in BTF, which fentry needs\n"
		  "('get_req*': no function of this pattern can be probed)\n");
	CHECK_STR(planned("f:finish_*"), "error 66: no function of this pattern can be probed");
	btf__free(types);
}

TEST(perf_events_have_a_table)
{
	CHECK_STR(planned("e:page-faults"), "e:page-faults by perf\n");
	CHECK_STR(planned("e:page-fault"), "error 66: there is no such event [did you mean "
					   "'page-faults'?]");
}

TEST(sets_of_two_kinds_are_refused)
{
	CHECK_STR(planned("{sys_read,vfs_read}"),
		  "error 64: these sites are of two kinds, such as syscall:read and p::vfs_read: "
		  "give each a spec of its own");
}

TEST(files_that_do_not_exist)
{
	CHECK_STR(planned("/nosuch/file:main"), "error 66: there is no file /nosuch/file");
	CHECK_STR(planned("/dev/zero:main"), "error 66: /dev/zero is not a regular file");
	CHECK_STR(planned("/etc/passwd:main"), "error 66: /etc/passwd is not a program or library");
	CHECK_STR(
		planned("nosuchlib:main"),
		"error 66: there is no library libnosuchlib and no program nosuchlib [a path works "
		"too; -p PID looks at what a process has mapped]");
}

/* ---- programs ---- */

static void write_program(const char *path, struct elfmake *m)
{
	FILE *f;

	elfmake_finish(m);
	f = fopen(path, "we");
	CHECK(f && fwrite(m->image.p, 1, m->image.n, f) == m->image.n && !fclose(f));
	str_release(&m->image);
}

static const char *program(const char *dir, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* `text` has one @: the folder with a Go program, a C++ program and a plain one. */
static const char *planned_in(const char *text)
{
	static char dir[] = "/tmp/bperf-plan-XXXXXX";
	static bool is_made;
	static struct str out;
	const char *at, *hit;
	char spec[256];
	struct elfmake go, cplus, plain;

	if (!is_made) {
		CHECK(mkdtemp(dir));
		go = elfmake_new();
		cplus = elfmake_new();
		plain = elfmake_new();
		elfmake_symbol(&go, "main.work", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_section(&go, ".gopclntab", SHT_PROGBITS, 0, "x", 1);
		elfmake_symbol(&cplus, "_ZN2ns5klass4workEi", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&cplus, "_ZN2ns5klass4workEl", 0x1200, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&cplus, "_ZN2ns5other4workEv", 0x1300, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "work", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "__work", 0x1100, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "chosen", 0x1200, 0x10, STT_GNU_IFUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "__GI___twice", 0x1300, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "_setjmp", 0x1300, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "toimax", 0x1400, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "tol", 0x1400, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "toq", 0x1400, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "_t", 0x1400, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "_Leave", 0x1500, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "_leave", 0x1500, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "index", 0x1600, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "strchr", 0x1600, 0x10, STT_FUNC, STB_GLOBAL);
		elfmake_symbol(&plain, "elsewhere", 0x9000, 0x10, STT_FUNC, STB_GLOBAL);
		write_program(program(dir, "go"), &go);
		write_program(program(dir, "cplus"), &cplus);
		write_program(program(dir, "plain"), &plain);
		is_made = true;
	}
	str_clear(&out);
	snprintf(spec, sizeof(spec), "%.*s%s%s", (int)strcspn(text, "@"), text, dir,
		 strchr(text, '@') + 1);
	at = planned(spec);
	/* The folder has another name each time. */
	while ((hit = strstr(at, dir))) {
		str_add(&out, at, (size_t)(hit - at));
		str_adds(&out, "DIR");
		at = hit + strlen(dir);
	}
	str_adds(&out, at);
	return str_text(&out);
}

TEST(user_functions_are_at_offsets_of_the_file)
{
	CHECK_STR(planned_in("@/plain:work"),
		  "p:DIR/plain:work by uprobe.multi at DIR/plain+0x900\n");
	CHECK_STR(planned_in("r:@/plain:work"),
		  "r:DIR/plain:work by uprobe.multi at DIR/plain+0x900\n");
	CHECK_STR(planned_in("@/plain:work+0x4"),
		  "p:DIR/plain:work+0x4 by uprobe.multi at DIR/plain+0x904\n");
	CHECK_STR(planned_in("@/plain:0x1108"),
		  "p:DIR/plain:0x1108 by uprobe.multi at DIR/plain+0x908\n");
	CHECK_STR(planned_in("@/plain:0x9000"), "error 66: DIR/plain has no code at 0x9000");
	CHECK_STR(planned_in("@/plain:wrok"),
		  "error 66: DIR/plain has no function 'wrok' [did you mean 'work'?]");
}

TEST(aliases_are_probed_once)
{
	CHECK_STR(planned_in("@/plain:*"),
		  "p:DIR/plain:work by uprobe.multi at DIR/plain+0x900\n"
		  "p:DIR/plain:_setjmp by uprobe.multi at DIR/plain+0xb00\n"
		  "p:DIR/plain:tol by uprobe.multi at DIR/plain+0xc00\n"
		  "p:DIR/plain:_leave by uprobe.multi at DIR/plain+0xd00\n"
		  "p:DIR/plain:strchr by uprobe.multi at DIR/plain+0xe00\n2 skipped: cannot be "
		  "probed\n7 skipped: is another name of a function that is probed already\n");
}

/* As strtol and strtoimax in libc. */
TEST(of_several_names_the_usual_one_is_probed)
{
	CHECK_STR(planned_in("@/plain:to*"), "p:DIR/plain:tol by uprobe.multi at DIR/plain+0xc00\n"
					     "2 skipped: is another name of a function that is "
					     "probed already\n");
	CHECK_STR(planned_in("@/plain:toimax"),
		  "p:DIR/plain:toimax by uprobe.multi at DIR/plain+0xc00\n");
}

TEST(a_resolver_is_not_the_function_it_chooses)
{
	CHECK_STR(planned_in("@/plain:chosen"),
		  "error 66: 'chosen' in DIR/plain is an indirect function (ifunc), and no "
		  "process of root tells which implementation was chosen [probe the "
		  "implementations: p:DIR/plain:'*chosen_*']");
}

TEST(cplusplus_has_its_own_names)
{
	CHECK_STR(planned_in("@/cplus:ns::other::work"),
		  "p:DIR/cplus:ns::other::work by uprobe.multi at DIR/cplus+0xb00\n");
	CHECK_STR(planned_in("@/cplus:_ZN2ns5other4workEv"),
		  "p:DIR/cplus:_ZN2ns5other4workEv by uprobe.multi at DIR/cplus+0xb00\n");
	CHECK_STR(planned_in("@/cplus:ns::*::work"),
		  "p:DIR/cplus:ns::klass::work by uprobe.multi at DIR/cplus+0x900\n"
		  "p:DIR/cplus:ns::klass::work by uprobe.multi at DIR/cplus+0xa00\n"
		  "p:DIR/cplus:ns::other::work by uprobe.multi at DIR/cplus+0xb00\n");
	/* Overloads. */
	CHECK_STR(
		planned_in("@/cplus:ns::klass::work"),
		"p:DIR/cplus:ns::klass::work by uprobe.multi at DIR/cplus+0x900\n"
		"p:DIR/cplus:ns::klass::work by uprobe.multi at DIR/cplus+0xa00\n"
		"(2 functions of DIR/cplus are called ns::klass::work: all of them are probed (one "
		"alone: \"ns::klass::work(int)\", \"ns::klass::work(long)\"))\n");
	CHECK_STR(planned_in("@/cplus:\"ns::klass::work( long )\""),
		  "p:DIR/cplus:\"ns::klass::work(long)\" by uprobe.multi at DIR/cplus+0xa00\n");
}

TEST(returns_of_go_are_refused)
{
	CHECK_STR(planned_in("@/go:main.work"),
		  "p:DIR/go:main.work by uprobe.multi at DIR/go+0x900\n");
	CHECK_STR(
		planned_in("r:@/go:main.work"),
		"error 64: DIR/go is a Go program: a return probe would crash it [probe the entry "
		"(p:), or the RET instructions: p:DIR/go:main.work+OFFSET]");
}

/* Each name of a function is checked: one of them is enough. */
TEST(a_function_that_returns_twice_has_no_return_probe)
{
	CHECK_STR(planned_in("@/plain:_setjmp"),
		  "p:DIR/plain:_setjmp by uprobe.multi at DIR/plain+0xb00\n");
	CHECK_STR(planned_in("r:@/plain:_setjmp"),
		  "error 64: a return probe on _setjmp would crash its callers: it returns a "
		  "second time, when the kernel has forgotten its entry [probe its entry: "
		  "p:DIR/plain:_setjmp]");
	CHECK_STR(planned_in("r:@/plain:*"),
		  "r:DIR/plain:work by uprobe.multi at DIR/plain+0x900\n"
		  "r:DIR/plain:tol by uprobe.multi at DIR/plain+0xc00\n"
		  "r:DIR/plain:_leave by uprobe.multi at DIR/plain+0xd00\n"
		  "r:DIR/plain:strchr by uprobe.multi at DIR/plain+0xe00\n2 skipped: cannot be "
		  "probed\n7 skipped: is another name of a function that is probed already\n1 "
		  "skipped: must not have a return probe: it would crash its callers\n");
}
