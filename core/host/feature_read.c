// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Features that are found by reading files. */
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "host/btf.h"
#include "host/caps.h"
#include "host/feature_try.h"
#include "host/tracefs.h"

/* Lines of kallsyms to search for one with an address. */
#define MAX_SYMBOLS 2000

/* Read a number from a file; false when there is none. */
static bool read_number(const char *path, u64 *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line;

	if (file_read(path, 64, &text))
		return false;
	rest = str_view(&text);
	return view_split(&rest, '\n', &line) && num_parse_dec(line, out);
}

void probe_btf(struct feature_result *r)
{
	const char *given = getenv("BPERF_BTF");
	const struct btf *types;
	struct err err = { 0 };
	u32 bytes;

	types = kernel_types(NULL, &err);
	if (!types) {
		feature_say(r, FEATURE_NO, "%s", err.what);
		return;
	}
	btf__raw_data(types, &bytes);
	if (btf__find_by_name_kind(types, "task_struct", BTF_KIND_STRUCT) <= 0)
		feature_say(r, FEATURE_NO, "%s contains no types of a kernel",
			    given ? given : "the BTF");
	else
		feature_say(r, FEATURE_OK, "%.1f MB, %s", (double)bytes / 1e6,
			    given ? given : "built in");
}

void probe_privileges(struct feature_result *r)
{
	static const struct {
		enum cap cap;
		const char *name;
	} wanted[] = {
		{ CAP_ID_BPF, "CAP_BPF" },
		{ CAP_ID_PERFMON, "CAP_PERFMON" },
		{ CAP_ID_SYSLOG, "CAP_SYSLOG (names of kernel functions)" },
		{ CAP_ID_SYS_PTRACE, "CAP_SYS_PTRACE (names in other users' programs)" },
		{ CAP_ID_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH (tracefs)" },
	};
	_cleanup_(str_release) struct str missing = { 0 };
	bool is_enough = cap_have(CAP_ID_BPF) && cap_have(CAP_ID_PERFMON);

	if (caps_are_confined()) {
		feature_say(r, FEATURE_NO, CAPS_CONFINED);
		r->next = CAPS_CONFINED_NEXT;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!cap_have(wanted[i].cap))
			str_addf(&missing, "%s%s", missing.n ? ", " : "", wanted[i].name);
	if (missing.n)
		feature_say(r, is_enough ? FEATURE_WARN : FEATURE_NO, "missing %s",
			    str_text(&missing));
	else
		feature_say(r, FEATURE_OK, "%s", geteuid() ? "all capabilities needed" : "root");
}

/* Most containers hide the file.  Only lockdown=confidentiality forbids BPF programs to read kernel
 * memory, so try to read it. */
static void lockdown_by_trying(struct feature_result *r, const char *why)
{
	enum feature_verdict reads = probe_kernel_read();

	if (reads == FEATURE_NO)
		feature_say(r, FEATURE_NO, "confidentiality: programs may not read the kernel (%s)",
			    why);
	else if (reads == FEATURE_OK)
		feature_say(r, FEATURE_OK, "none that forbids tracing (%s)", why);
	else
		feature_say(r, FEATURE_UNKNOWN, "%s", why);
}

/* Parse "none [integrity] confidentiality": the word in brackets is the mode. */
void probe_lockdown(struct feature_result *r)
{
	_cleanup_(str_release) struct str text = { 0 };
	int ret = file_read("/sys/kernel/security/lockdown", 256, &text);
	const char *open = ret ? NULL : strchr(str_text(&text), '[');
	size_t n = open ? strcspn(open + 1, "]") : 0;
	struct view mode = { open ? open + 1 : "", n };

	if (ret == -EACCES || ret == -EPERM)
		lockdown_by_trying(r, "/sys/kernel/security may not be read");
	else if (ret && file_is_missing("/sys/kernel/security/lsm"))
		lockdown_by_trying(r, "securityfs is not mounted");
	else if (!open || view_eq(mode, "none"))
		feature_say(r, FEATURE_OK, "none");
	else if (view_eq(mode, "integrity"))
		feature_say(r, FEATURE_OK, "integrity (tracing allowed)");
	else
		feature_say(r, FEATURE_NO, "%.*s", (int)mode.n, mode.p);
}

/* r->errnum stays 0, because the BPF capabilities would not help. */
static void tracefs_refused(struct feature_result *r, const struct tracefs_trouble *t)
{
	feature_say(r, FEATURE_NO, "%s", t->why);
	r->next = t->next;
}

void probe_tracefs(struct feature_result *r)
{
	const char *path = tracefs_path();

	if (path)
		feature_say(r, FEATURE_OK, "%s",
			    !strncmp(path, "/proc/", 6) ? "not mounted; bperf mounts it for itself"
							: path);
	else
		tracefs_refused(r, tracefs_trouble(errno));
}

/* Without permission, all addresses read as 0. */
void probe_kallsyms(struct feature_result *r)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	u64 jit = 0, address = 0, restrict_level = 0;
	char line[512];

	if (!f) {
		feature_say(r, FEATURE_NO, "no /proc/kallsyms (CONFIG_KALLSYMS)");
		return;
	}
	/* The first symbols may be offsets of per-CPU data, which start at 0. */
	for (u32 i = 0; i < MAX_SYMBOLS && !address && fgets(line, sizeof(line), f); i++)
		num_parse_hex((struct view){ line, strcspn(line, " ") }, &address);
	fclose(f);
	read_number("/proc/sys/net/core/bpf_jit_kallsyms", &jit);
	if (address)
		feature_say(r, FEATURE_OK, "kallsyms readable; bpf_jit_kallsyms %llu", jit);
	else if (read_number("/proc/sys/kernel/kptr_restrict", &restrict_level) &&
		 restrict_level > 1)
		feature_say(r, FEATURE_NO, "kernel.kptr_restrict %llu hides addresses from all",
			    restrict_level);
	else
		feature_say(r, FEATURE_NO, "kallsyms hides its addresses");
}

void probe_bpf_jit(struct feature_result *r)
{
	u64 on;

	if (!read_number("/proc/sys/net/core/bpf_jit_enable", &on))
		feature_say(r, FEATURE_UNKNOWN, "net.core.bpf_jit_enable may not be read");
	else
		feature_say(r, on ? FEATURE_OK : FEATURE_WARN, "%s", on ? "on" : "off");
}

void probe_limits(struct feature_result *r)
{
	u64 depth = 127, rate = 0, paranoid = 0;

	read_number("/proc/sys/kernel/perf_event_max_stack", &depth);
	read_number("/proc/sys/kernel/perf_event_max_sample_rate", &rate);
	read_number("/proc/sys/kernel/perf_event_paranoid", &paranoid);
	feature_say(r, depth < 127 ? FEATURE_WARN : FEATURE_OK,
		    "perf_event_max_stack %llu, max_sample_rate %llu, perf_event_paranoid %llu",
		    depth, rate, paranoid);
}
