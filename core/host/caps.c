// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/caps.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"

#define SYS_ADMIN_BIT 21

static const struct {
	const char *name;
	u8 bit;		   /* include/uapi/linux/capability.h */
	bool in_sys_admin; /* CAP_SYS_ADMIN implies it */
	bool is_of_host;   /* the kernel checks it in the initial user namespace */
	const char *cost;  /* the effect of not having it; NULL: fatal, or not worth a warning */
} caps[CAP_ID_N] = {
	[CAP_ID_BPF] = { "CAP_BPF", 39, true, true, NULL },
	[CAP_ID_PERFMON] = { "CAP_PERFMON", 38, true, true, NULL },
	[CAP_ID_SYSLOG] = { "CAP_SYSLOG", 34, false, true, "kernel functions have no names" },
	[CAP_ID_SYS_PTRACE] = { "CAP_SYS_PTRACE", 19, false, false,
				"other users' programs have no names" },
	[CAP_ID_DAC_READ_SEARCH] = { "CAP_DAC_READ_SEARCH", 2, false, false, NULL },
	[CAP_ID_SYS_RESOURCE] = { "CAP_SYS_RESOURCE", 24, false, true, NULL },
	[CAP_ID_SYS_ADMIN] = { "CAP_SYS_ADMIN", SYS_ADMIN_BIT, false, true, NULL },
};

/* Read a hexadecimal or one-digit number after `key` in /proc/self/status.  false: the file cannot
 * be read. */
static bool read_status(const char *key, u64 *out)
{
	_cleanup_(str_release) struct str status = { 0 };
	size_t n_key = strlen(key);
	struct view rest, line;

	*out = 0;
	if (file_read("/proc/self/status", 65536, &status))
		return false;
	rest = str_view(&status);
	while (view_split(&rest, '\n', &line)) {
		if (!view_starts(line, key))
			continue;
		line = (struct view){ line.p + n_key, line.n - n_key };
		if (!num_parse_hex(line, out))
			*out = 0;
		break;
	}
	return true;
}

static u64 effective(void)
{
	u64 bits;

	if (!read_status("CapEff:\t", &bits))
		return geteuid() ? 0 : UINT64_MAX;
	return bits;
}

bool caps_are_filtered(void)
{
	u64 mode;

	return read_status("Seccomp:\t", &mode) && mode;
}

#define FIRST_USER_NAMESPACE 0xEFFFFFFD /* include/linux/proc_ns.h: PROC_USER_INIT_INO */

bool caps_are_confined(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != FIRST_USER_NAMESPACE;
}

bool cap_have(enum cap cap)
{
	u64 have = effective();

	if (caps[cap].is_of_host && caps_are_confined())
		return false;
	return have >> caps[cap].bit & 1 || (caps[cap].in_sys_admin && have >> SYS_ADMIN_BIT & 1);
}

int caps_check(struct err *err)
{
	bool bpf = cap_have(CAP_ID_BPF), perfmon = cap_have(CAP_ID_PERFMON);

	if (bpf && perfmon)
		return 0;
	if (caps_are_confined()) {
		err_set(err, ERR_PERM, "not permitted: " CAPS_CONFINED);
		return err_hint(err, CAPS_CONFINED_NEXT);
	}
	err_set(err, ERR_PERM, "not permitted: missing %s%s%s", bpf ? "" : "CAP_BPF",
		bpf || perfmon ? "" : " and ", perfmon ? "" : "CAP_PERFMON");
	return err_hint(err, "run it with sudo, or give the file what it needs: setcap "
			     "cap_bpf,cap_perfmon,cap_syslog,cap_sys_ptrace,cap_dac_read_search+ep "
			     "bperf");
}

void caps_warn(void)
{
	for (enum cap cap = 0; cap < CAP_ID_N; cap++)
		if (caps[cap].cost && !cap_have(cap))
			log_warn("missing-capability", "without %s %s", caps[cap].name,
				 caps[cap].cost);
}
