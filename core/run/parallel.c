// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/thread.h"
#include "run/messages.h"

#define MAX_LOADS 8
/* A program with this many instructions is large: loading it takes more than 1 ms, starting a
 * thread 0.1 ms. */
#define MIN_INSNS 400
/* The size up to which libbpf lets a log grow. */
#define LOG_BYTES (UINT32_MAX >> 8)

/* The license of all our objects, which libbpf has no function to ask for. */
static const char license[] = "Dual BSD/GPL";

struct load {
	struct bpf_program *prog;
	struct bpf_insn *insns;
	u32 n_insns;
	struct bpf_prog_load_opts opts;
	bool is_threaded;
	pthread_t thread;
	int fd; /* or -errno */
};

struct parallel {
	struct load loads[MAX_LOADS];
	u32 n;
};

bool parallel_helps(const struct bpf_object *obj)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj)
		if (bpf_program__autoload(prog) && bpf_program__insn_cnt(prog) >= MIN_INSNS)
			return true;
	return false;
}

struct parallel *parallel_new(void)
{
	return mem_alloc(1, sizeof(struct parallel));
}

static int load_now(struct load *l)
{
	int fd = bpf_prog_load(bpf_program__type(l->prog), bpf_program__name(l->prog), license,
			       l->insns, l->n_insns, &l->opts);

	return fd < 0 ? -errno : fd;
}

static void *run_load(void *ctx)
{
	struct load *l = ctx;

	l->fd = load_now(l);
	return NULL;
}

bool parallel_load(struct parallel *p, struct bpf_program *prog, struct bpf_prog_load_opts *opts)
{
	const struct bpf_insn empty[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct load *l = &p->loads[p->n];
	size_t n = bpf_program__insn_cnt(prog);

	if (p->n == MAX_LOADS || n < MIN_INSNS)
		return false;
	*l = (struct load){ .prog = prog, .n_insns = (u32)n, .opts = *opts };
	l->insns = mem_alloc(n, sizeof(*l->insns));
	memcpy(l->insns, bpf_program__insns(prog), n * sizeof(*l->insns));
	if (bpf_program__set_insns(prog, (struct bpf_insn *)empty, ARRAY_SIZE(empty))) {
		free(l->insns);
		return false;
	}
	opts->func_info = opts->line_info = NULL;
	opts->func_info_cnt = opts->line_info_cnt = 0;
	p->n++;
	l->is_threaded = !thread_start(&l->thread, run_load, l);
	if (!l->is_threaded)
		run_load(l);
	return true;
}

/* Loads a program that was refused once more, for the verifier's log. */
static void log_refusal(struct load *l)
{
	char *log = mem_alloc(1, LOG_BYTES);

	l->opts.log_level = 1;
	l->opts.log_buf = log;
	l->opts.log_size = LOG_BYTES;
	load_now(l);
	messages_add_log(bpf_program__name(l->prog), log);
	free(log);
}

static int finish_load(struct load *l, int ret)
{
	int fd = bpf_program__fd(l->prog);

	if (l->is_threaded)
		pthread_join(l->thread, NULL);
	if (!ret && l->fd < 0) {
		log_refusal(l);
		ret = l->fd;
	}
	if (!ret && dup3(l->fd, fd, O_CLOEXEC) < 0)
		ret = -errno;
	if (l->fd >= 0)
		close(l->fd);
	free((void *)l->opts.func_info);
	free((void *)l->opts.line_info);
	free(l->insns);
	return ret;
}

int parallel_finish(struct parallel *p, int ret)
{
	for (u32 i = 0; i < p->n; i++)
		ret = finish_load(&p->loads[i], ret);
	free(p);
	return ret;
}
