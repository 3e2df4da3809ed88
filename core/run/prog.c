// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/prog.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "host/btf.h"
#include "host/caps.h"
#include "run/handlers.h"
#include "run/messages.h"
#include "run/verifier.h"

/* The file named by --btf or BPERF_BTF: the likeliest cause if a program does not load. */
static const char *custom_btf;

void prog_setup(void)
{
	mallopt(M_MMAP_THRESHOLD, TYPES_OWN_MAPPING_BYTES);
	messages_begin();
}

/* The object that was unpacked last. */
static struct prog_packed *unpacked;

const void *prog_unpack(struct prog_packed *p, size_t *n)
{
	/* A gzip member ends with the size of its uncompressed data, in little-endian order (RFC
	 * 1952). */
	const unsigned char *size = p->end - 4;
	z_stream z = { .avail_in = (uInt)(p->end - p->gz) };

	if (!p->object) {
		p->n = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 |
		       (size_t)size[3] << 24;
		p->object = mem_alloc(1, p->n);
		z.next_in = (Bytef *)(uintptr_t)p->gz;
		z.next_out = p->object;
		z.avail_out = (uInt)p->n;
		if (inflateInit2(&z, MAX_WBITS + 16) == Z_OK)
			inflate(&z, Z_FINISH);
		inflateEnd(&z);
	}
	unpacked = p;
	*n = p->n;
	return p->object;
}

void prog_drop_object(void)
{
	if (!unpacked)
		return;
	free(unpacked->object);
	unpacked->object = NULL;
	unpacked = NULL;
}

int prog_open_opts(const char *btf_path, const void *object, size_t n,
		   struct bpf_object_open_opts *out, struct err *err)
{
	const struct rawbtf *types;

	*out = (struct bpf_object_open_opts){ .sz = sizeof(*out) };
	if (!btf_path)
		btf_path = getenv("BPERF_BTF");
	if (btf_path) {
		out->btf_custom_path = custom_btf = btf_path;
		handlers_begin(false);
		return kernel_types_check(btf_path, err);
	}
	if (!access("/sys/kernel/btf/vmlinux", R_OK)) {
		types = kernel_types_raw(NULL);
		handlers_begin(types);
		out->btf_custom_path = types ? kernel_types_reduce(types, object, n) : NULL;
		return 0;
	}
	err_set(err, ERR_KERNEL, "this kernel has no BTF (/sys/kernel/btf/vmlinux: %s)",
		strerror(errno));
	return err_hint(err,
			"CONFIG_DEBUG_INFO_BTF is off; give a BTF file made for it: --btf FILE");
}

/* true if RLIMIT_MEMLOCK can limit loading.  Since 5.11, memory cgroups do so instead; such kernels
 * are recognized by the map type TASK_STORAGE, which is of the same age. */
static bool memlock_is_low(void)
{
	struct rlimit limit;

	return !cap_have(CAP_ID_SYS_RESOURCE) && !getrlimit(RLIMIT_MEMLOCK, &limit) &&
	       limit.rlim_cur != RLIM_INFINITY &&
	       libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL) != 1;
}

static int explain_permission(int errnum, const char *doing, const char *what, struct err *err)
{
	if (caps_check(err))
		return -err->code;
	err_set(err, ERR_PERM, "cannot %s %s: the kernel refuses (%s)", doing, what,
		strerrorname_np(errnum));
	if (caps_are_filtered())
		return err_hint(err, "a seccomp profile filters our system calls, and may deny "
				     "bpf(2); a security module may too: try on the host itself");
	if (memlock_is_low())
		return err_hint(err,
				"before Linux 5.11 it counts as locked memory: CAP_SYS_RESOURCE, "
				"or ulimit -l unlimited");
	return err_hint(err, "a container's seccomp profile or a security module "
			     "may forbid bpf(2); try on the host itself");
}

/* The verifier's sentence about the last program that libbpf could not load; "" if there is none.
 * It points into *log, which the caller frees. */
static const char *verifier_words(char **log)
{
	char *stop = NULL;

	*log = mem_strdup(messages_kept());
	for (char *c = *log; (c = strstr(c, MESSAGES_LOG_END)); c++)
		stop = c;
	if (!stop)
		return "";
	*stop = '\0';
	return verifier_read(*log, INT64_MAX).said;
}

static void explain_refusal(int errnum, const char *doing, const char *what, const char *said,
			    struct err *err)
{
	err_set(err, ERR_KERNEL, "cannot %s %s: %s: %s", doing, what,
		said[0] ? "the kernel's verifier refuses it" : "this kernel does not accept it",
		said[0] ? said : strerror(errnum));
	if (custom_btf)
		err_hint(err, "check that the BTF in '%s' is complete and is that of this kernel",
			 custom_btf);
	else if (said[0])
		err_hint(err, "this is a bug in bperf; --verbose shows the verifier's log");
	else
		err_hint(err, "bperf needs Linux 5.10 or later with BTF; -vv shows the kernel's "
			      "messages");
}

int prog_explain(int errnum, const char *doing, const char *what, struct err *err)
{
	_cleanup_(free_p) char *log = NULL;
	const char *said = verifier_words(&log);
	/* With sufficient capabilities, EACCES means that the verifier rejects the program. */
	bool is_verdict =
		errnum == EACCES && said[0] && cap_have(CAP_ID_BPF) && cap_have(CAP_ID_PERFMON);

	if ((errnum == EPERM || errnum == EACCES) && !is_verdict) {
		explain_permission(errnum, doing, what, err);
	} else if (errnum == ENOMEM) {
		err_set(err, ERR_FAIL, "cannot %s %s: the kernel has no memory for it", doing,
			what);
		err_hint(err, "on kernels before 5.11 RLIMIT_MEMLOCK limits it (ulimit -l "
			      "unlimited, or CAP_SYS_RESOURCE)");
	} else if (is_verdict || errnum == EINVAL || errnum == ENOTSUP || errnum == ESRCH ||
		   errnum == ENOENT || errnum == E2BIG ||
		   errnum == ENODATA) { /* libbpf 1.5 for a file without .BTF */
		explain_refusal(errnum, doing, what, said, err);
	} else if (errnum >= __LIBBPF_ERRNO__START) {
		char text[128];

		libbpf_strerror(errnum, text, sizeof(text));
		err_set(err, ERR_KERNEL, "cannot %s %s: %s", doing, what, text);
		err_hint(err, "-vv shows libbpf's messages");
	} else {
		err_errno(err, errnum, "cannot %s %s", doing, what);
	}
	if (log_level() == LOG_VERBOSE && messages_kept()[0])
		log_info("libbpf's messages:\n%s", messages_kept());
	return -err->code;
}

/* "memlock:\t4096" in the descriptor's fdinfo: the memory that the kernel charges for a map. */
static u64 map_bytes(int fd)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line;
	char path[64];
	u64 bytes;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (fd < 0 || file_read(path, 65536, &text))
		return 0;
	rest = str_view(&text);
	while (view_split(&rest, '\n', &line))
		if (view_starts(line, "memlock:\t") &&
		    num_parse_dec((struct view){ line.p + 9, line.n - 9 }, &bytes))
			return bytes;
	return 0;
}

u64 prog_map_kb(const struct bpf_object *obj)
{
	struct bpf_map *map;
	u64 bytes = 0;

	bpf_object__for_each_map(map, obj)
		bytes += map_bytes(bpf_map__fd(map));
	return (bytes + 1023) / 1024;
}

static bool program_info(const struct bpf_program *prog, struct bpf_prog_info *info)
{
	u32 size = sizeof(*info);
	int fd = bpf_program__fd(prog);

	memset(info, 0, sizeof(*info));
	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, info, &size);
}

void prog_run_stats(const struct bpf_object *obj, u64 *runs, u64 *ns)
{
	struct bpf_program *prog;
	struct bpf_prog_info info;

	*runs = *ns = 0;
	bpf_object__for_each_program(prog, obj) {
		if (!program_info(prog, &info))
			continue;
		*runs += info.run_cnt;
		*ns += info.run_time_ns;
	}
}

static u64 missed_by(const struct bpf_object *obj, const char *name)
{
	const struct bpf_program *prog = bpf_object__find_program_by_name(obj, name);
	struct bpf_prog_info info;

	return prog && program_info(prog, &info) ? info.recursion_misses : 0;
}

u64 prog_missed_forks(const struct bpf_object *obj)
{
	u64 first = missed_by(obj, "filter_on_fork"), second = missed_by(obj, "filter_on_fork_too");

	return first < second ? first : second;
}

u64 prog_recursion_misses(const struct bpf_object *obj)
{
	u64 misses = prog_missed_forks(obj);
	struct bpf_program *prog;
	struct bpf_prog_info info;

	bpf_object__for_each_program(prog, obj)
		if (program_info(prog, &info) &&
		    strncmp(bpf_program__name(prog), "filter_on_fork", 14) != 0)
			misses += info.recursion_misses;
	return misses;
}

int prog_stats_enable(struct err *err)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd >= 0)
		return fd;
	err_errno(err, -fd, "cannot turn on BPF run statistics for --cost");
	return err_hint(err, "it needs CAP_SYS_ADMIN");
}

bool prog_has_exchange(void)
{
	/* *(u64 *)(fp - 8) = 0; r1 = 0; r1 = xchg(fp - 8, r1); return 0 */
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
		  .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_1,
		  .off = -8,
		  .imm = BPF_XCHG },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns, ARRAY_SIZE(insns),
			       NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool prog_has_tail_calls(void)
{
	/* r6 = ctx; f(); tail_call(r6, progs, 0); return 0;  f: return 0 */
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 7 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = BPF_REG_2,
		  .src_reg = BPF_PSEUDO_MAP_FD },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_(close_p) int progs =
		bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, NULL, sizeof(u32), sizeof(u32), 1, NULL);
	_cleanup_(close_p) int fd = -1;

	if (progs < 0)
		return false;
	insns[3].imm = progs;
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns, ARRAY_SIZE(insns),
			   NULL);
	return fd >= 0;
}

bool prog_has_sleep(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", insns, ARRAY_SIZE(insns), &opts);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}
