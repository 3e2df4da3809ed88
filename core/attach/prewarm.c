// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attach/prewarm.h"

#include <bpf/bpf.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/attach_int.h"

/*
 * Detaching takes a grace period of another kind, tens of milliseconds; if the real probe is
 * detached during that time, it waits for this grace period and the next.  The link is therefore
 * kept until the parent closes the pipe; a run that ends at once detaches both at the same time.
 */
static bool attach_nowhere(void *ctx, int out_fd, int held_fd)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	struct pollfd told = { .fd = out_fd }; /* POLLERR: the reader is gone */
	u64 offset = 0;
	struct link_attr attr = { .attach_type = TRACE_UPROBE_MULTI };
	int file = memfd_create("bperf-ahead", MFD_CLOEXEC), prog;
	char path[64];

	(void)ctx;
	(void)held_fd;
	opts.expected_attach_type = (enum bpf_attach_type)TRACE_UPROBE_MULTI;
	prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "bperf_ahead", "Dual BSD/GPL", insns,
			     ARRAY_SIZE(insns), &opts);
	if (file < 0 || prog < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	attr.prog_fd = (u32)prog;
	attr.uprobe.path = (u64)(uintptr_t)path;
	attr.uprobe.offsets = (u64)(uintptr_t)&offset;
	attr.uprobe.cnt = 1;
	return link_create(&attr) >= 0 && poll(&told, 1, -1) == 1;
}

void attach_ahead_begin(struct attach_ahead *a)
{
	if (helper_start(&a->helper, -1, attach_nowhere, NULL))
		a->helper = (struct helper){ .fd = -1 };
}

static void end(struct attach_ahead *a, int flags)
{
	if (!a->helper.pid)
		return;
	if (a->helper.fd >= 0)
		close(a->helper.fd);
	a->helper.fd = -1;
	if (waitpid(a->helper.pid, NULL, __WALL | flags))
		a->helper.pid = 0;
}

void attach_ahead_end(struct attach_ahead *a)
{
	end(a, WNOHANG);
}

void attach_ahead_wait(struct attach_ahead *a)
{
	end(a, 0);
}
