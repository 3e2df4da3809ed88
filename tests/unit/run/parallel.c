// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bpf/abi/ksyms.h"

#include "run/parallel.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "host/caps.h"
#include "ksyms.skel.h"
#include "run/prog.h"
#include "test.h"

#define N_INSNS 2000

static struct parallel *loads;
static struct bpf_insn large[N_INSNS]; /* "return 7", if the last instruction is an exit */

/* Both programs of an object become large. */
static int prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	(void)cookie;
	CHECK(!bpf_program__set_insns(prog, large, N_INSNS));
	opts->prog_flags |= BPF_F_SLEEPABLE; /* this type of program needs it */
	opts->func_info = opts->line_info = NULL;
	opts->func_info_cnt = opts->line_info_cnt = 0;
	CHECK(parallel_load(loads, prog, opts));
	CHECK(bpf_program__insn_cnt(prog) < 10);
	return 0;
}

static struct ksyms_bpf *open_large(u8 last_code)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = prepare);
	struct ksyms_bpf *skel;

	if (!cap_have(CAP_ID_BPF))
		SKIP("loading a program needs CAP_BPF");
	if (libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_SYSCALL, NULL) != 1)
		SKIP("this kernel has no programs of the type syscall");
	for (u32 i = 0; i < N_INSNS; i++)
		large[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 7 };
	large[N_INSNS - 1] = (struct bpf_insn){ .code = last_code };
	prog_setup();
	libbpf_register_prog_handler("syscall", BPF_PROG_TYPE_SYSCALL, 0, &opts);
	skel = ksyms_bpf__open();
	CHECK(skel);
	loads = parallel_new();
	return skel;
}

TEST(descriptors_are_those_of_the_large_programs)
{
	struct ksyms_bpf *skel = open_large(BPF_JMP | BPF_EXIT);
	LIBBPF_OPTS(bpf_test_run_opts, run);

	CHECK(!parallel_finish(loads, ksyms_bpf__load(skel)));
	CHECK(!bpf_prog_test_run_opts(bpf_program__fd(skel->progs.ksyms_name), &run));
	CHECK_U64(run.retval, 7);
	CHECK(!bpf_prog_test_run_opts(bpf_program__fd(skel->progs.ksyms_find), &run));
	CHECK_U64(run.retval, 7);
	ksyms_bpf__destroy(skel);
}

TEST(a_refusal_says_why)
{
	struct ksyms_bpf *skel = open_large(BPF_ALU64 | BPF_MOV | BPF_K);
	struct err err = { 0 };
	int ret = parallel_finish(loads, ksyms_bpf__load(skel));

	CHECK(ret == -EINVAL);
	prog_explain(-ret, "load", "it", &err);
	CHECK_STR(
		err.what,
		"cannot load it: the kernel's verifier refuses it: last insn is not an exit or jmp");
	ksyms_bpf__destroy(skel);
}

TEST(what_libbpf_could_not_load_is_the_error)
{
	struct ksyms_bpf *skel = open_large(BPF_JMP | BPF_EXIT);

	CHECK(!ksyms_bpf__load(skel));
	CHECK(parallel_finish(loads, -EPERM) == -EPERM);
	ksyms_bpf__destroy(skel);
}
