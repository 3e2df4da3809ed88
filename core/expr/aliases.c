// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Members that are macros in the kernel's headers (include/net/sock.h, inet_sock.h, ...), and
 * members that moved.  Rows are tried in order; the first path that exists on this kernel is used.
 */
#include "expr/check_int.h"

/* "sk_" of struct sock becomes "__sk_common.skc_"; the rest of the name stays the same. */
static const struct {
	const char *type, *prefix, *path;
} families[] = {
	{ "struct sock", "sk_", "__sk_common.skc_" },
	{ "struct request_sock", "rsk_", "__req_common.skc_" },
	{ "struct inet_timewait_sock", "tw_", "__tw_common.skc_" },
	{ "struct inet_request_sock", "ir_", "req.__req_common.skc_" },
};

static const struct {
	const char *type, *name, *path;
} members[] = {
	/* include/net/inet_sock.h */
	{ "struct inet_sock", "inet_daddr", "sk.__sk_common.skc_daddr" },
	{ "struct inet_sock", "inet_rcv_saddr", "sk.__sk_common.skc_rcv_saddr" },
	{ "struct inet_sock", "inet_dport", "sk.__sk_common.skc_dport" },
	{ "struct inet_sock", "inet_num", "sk.__sk_common.skc_num" },
	{ "struct inet_request_sock", "ir_loc_addr", "req.__req_common.skc_rcv_saddr" },
	{ "struct inet_request_sock", "ir_rmt_addr", "req.__req_common.skc_daddr" },
	{ "struct inet_request_sock", "ir_num", "req.__req_common.skc_num" },
	{ "struct inet_request_sock", "ir_rmt_port", "req.__req_common.skc_dport" },
	{ "struct inet_request_sock", "ir_v6_rmt_addr", "req.__req_common.skc_v6_daddr" },
	{ "struct inet_request_sock", "ir_v6_loc_addr", "req.__req_common.skc_v6_rcv_saddr" },
	{ "struct inet_timewait_sock", "tw_num", "__tw_common.skc_num" },
	/* include/net/sock.h */
	{ "struct sock", "sk_nulls_node", "__sk_common.skc_nulls_node" },
	/* Renamed or moved. */
	{ "struct task_struct", "state", "__state" }, /* 5.14 */
	{ "struct task_struct", "__state", "state" },
	{ "struct task_struct", "cpu", "thread_info.cpu" }, /* 5.16 */
	{ "struct request", "rq_disk", "q->disk" },	    /* 5.17 */
	{ "struct request", "rq_disk", "part->bd_disk" },
	{ "struct bio", "bi_disk", "bi_bdev->bd_disk" },    /* 5.12 */
	{ "struct bio", "bi_sector", "bi_iter.bi_sector" }, /* 3.14 */
	{ "struct bio", "bi_size", "bi_iter.bi_size" },
	{ "struct bio", "bi_rw", "bi_opf" },		      /* 4.8 */
	{ "struct dentry", "d_iname", "d_shortname.string" }, /* 6.14 */
	{ "struct inode", "i_atime", "__i_atime" },	      /* 6.6 */
	{ "struct inode", "i_mtime", "__i_mtime" },
	{ "struct inode", "i_ctime", "__i_ctime" },
	{ "struct file", "f_dentry", "f_path.dentry" },
	{ "struct file", "f_vfsmnt", "f_path.mnt" },
	{ "struct mm_struct", "mmap_sem", "mmap_lock" }, /* 5.8 */
	{ "struct pid_namespace", "proc_inum", "ns.inum" },
	{ "struct mnt_namespace", "proc_inum", "ns.inum" },
	{ "struct cgroup", "id", "kn->id" },		/* 5.5 */
	{ "struct iov_iter", "iov", "__iov" },		/* 6.4 */
	{ "struct iov_iter", "type", "iter_type" },	/* 5.14 */
	{ "struct cfs_rq", "nr_running", "nr_queued" }, /* 6.14 */
	{ "struct cfs_rq", "h_nr_running", "h_nr_queued" },
};

const char *alias_find(const char *type, const char *member, u32 n, struct arena *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (!strcmp(members[i].type, type) && !strcmp(members[i].name, member) && n-- == 0)
			return members[i].path;
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		size_t prefix = strlen(families[i].prefix);

		if (!strcmp(families[i].type, type) &&
		    !strncmp(families[i].prefix, member, prefix) && n-- == 0)
			return arena_printf(a, "%s%s", families[i].path, member + prefix);
	}
	return NULL;
}

/* Common members of struct sock and related structs, for suggestions in error messages. */
static const char *const sock_names[] = {
	"sk_dport",	   "sk_num",	  "sk_daddr",	 "sk_rcv_saddr",    "sk_family",
	"sk_state",	   "sk_reuse",	  "sk_net",	 "sk_bound_dev_if", "sk_hash",
	"sk_prot",	   "sk_cookie",	  "sk_refcnt",	 "sk_flags",	    "sk_v6_daddr",
	"sk_v6_rcv_saddr", "sk_portpair", "sk_addrpair", "sk_reuseport",    "sk_ipv6only",
};

const char *alias_name(const char *type, u32 n)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (!strcmp(members[i].type, type) && n-- == 0)
			return members[i].name;
	return !strcmp(type, "struct sock") && n < ARRAY_SIZE(sock_names) ? sock_names[n] : NULL;
}
