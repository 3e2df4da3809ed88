// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asks the kernel for one symbol: that takes some microseconds, and printing all of /proc/kallsyms
 * 40 ms.  Programs of this type run only when user space calls them (5.14).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bpf/abi/ksyms.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct ksyms_question question;

SEC("syscall")
int ksyms_name(void *ctx)
{
	static const char fmt[] = "%pS";
	__u64 addr = question.addr;

	question.n = bpf_snprintf(question.text, sizeof(question.text), fmt, &addr, sizeof(addr));
	return 0;
}

/* Since 5.16.  Refused to callers that may not see the kernel's addresses. */
SEC("syscall")
int ksyms_find(void *ctx)
{
	__u64 addr = 0;

	bpf_kallsyms_lookup_name(question.name, sizeof(question.name), 0, &addr);
	question.addr = addr;
	return 0;
}
