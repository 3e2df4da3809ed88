// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of values that depend on another argument of the call, and names that these have in common
 * with other parameters.  As in callnames.c, values are ABI, and those newer than the oldest
 * headers that bperf builds with are written as numbers.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "site/callnames_int.h"

#define CASE(value, table)                  \
	{                                   \
		(u64)(value), ONE_OF(table) \
	}
#define CASE_BITS(value, table)           \
	{                                 \
		(u64)(value), BITS(table) \
	}
#define CHOSEN_BY(name, table)                                               \
	{                                                                    \
		.by = (name), .cases = (table), .n_cases = ARRAY_SIZE(table) \
	}

/* ---- sockets ---- */

static const struct type_name ip_protocols[] = {
	N(IPPROTO_IP),	 N(IPPROTO_ICMP), N(IPPROTO_IGMP),    { 4, "IPPROTO_IPIP" },
	N(IPPROTO_TCP),	 N(IPPROTO_UDP),  N(IPPROTO_DCCP),    N(IPPROTO_IPV6),
	N(IPPROTO_GRE),	 N(IPPROTO_ESP),  N(IPPROTO_AH),      N(IPPROTO_ICMPV6),
	N(IPPROTO_SCTP), N(IPPROTO_RAW),  N(IPPROTO_UDPLITE), { 262, "IPPROTO_MPTCP" },
};

static const struct type_name netlink_protocols[] = {
	N(NETLINK_ROUTE),     N(NETLINK_USERSOCK),  N(NETLINK_SOCK_DIAG),
	N(NETLINK_NFLOG),     N(NETLINK_XFRM),	    N(NETLINK_SELINUX),
	N(NETLINK_ISCSI),     N(NETLINK_AUDIT),	    N(NETLINK_FIB_LOOKUP),
	N(NETLINK_CONNECTOR), N(NETLINK_NETFILTER), N(NETLINK_KOBJECT_UEVENT),
	N(NETLINK_GENERIC),   N(NETLINK_CRYPTO),
};

/* They are in network order, and both architectures are little-endian. */
static const struct type_name packet_protocols[] = {
	{ 0x0300, "htons(ETH_P_ALL)" },
	{ 0x0008, "htons(ETH_P_IP)" },
	{ 0x0608, "htons(ETH_P_ARP)" },
	{ 0xdd86, "htons(ETH_P_IPV6)" },
};

static const struct type_case protocols[] = {
	CASE(AF_INET, ip_protocols),
	CASE(AF_INET6, ip_protocols),
	CASE(AF_NETLINK, netlink_protocols),
	CASE(AF_PACKET, packet_protocols),
};

const struct type_names call_protocols = CHOSEN_BY("family", protocols);

static const struct type_name socket_options[] = {
	N(SO_DEBUG),
	N(SO_REUSEADDR),
	N(SO_TYPE),
	N(SO_ERROR),
	N(SO_DONTROUTE),
	N(SO_BROADCAST),
	N(SO_SNDBUF),
	N(SO_RCVBUF),
	N(SO_KEEPALIVE),
	N(SO_OOBINLINE),
	N(SO_NO_CHECK),
	N(SO_PRIORITY),
	N(SO_LINGER),
	N(SO_BSDCOMPAT),
	N(SO_REUSEPORT),
	N(SO_PASSCRED),
	N(SO_PEERCRED),
	N(SO_RCVLOWAT),
	N(SO_SNDLOWAT),
	{ 20, "SO_RCVTIMEO" },
	{ 21, "SO_SNDTIMEO" },
	N(SO_BINDTODEVICE),
	N(SO_ATTACH_FILTER),
	N(SO_DETACH_FILTER),
	N(SO_PEERNAME),
	{ 29, "SO_TIMESTAMP" },
	N(SO_ACCEPTCONN),
	N(SO_PEERSEC),
	N(SO_SNDBUFFORCE),
	N(SO_RCVBUFFORCE),
	N(SO_PASSSEC),
	{ 35, "SO_TIMESTAMPNS" },
	N(SO_MARK),
	{ 37, "SO_TIMESTAMPING" },
	N(SO_PROTOCOL),
	N(SO_DOMAIN),
	N(SO_RXQ_OVFL),
	N(SO_WIFI_STATUS),
	N(SO_PEEK_OFF),
	N(SO_NOFCS),
	N(SO_LOCK_FILTER),
	N(SO_SELECT_ERR_QUEUE),
	N(SO_BUSY_POLL),
	N(SO_MAX_PACING_RATE),
	N(SO_BPF_EXTENSIONS),
	N(SO_INCOMING_CPU),
	N(SO_ATTACH_BPF),
	N(SO_ATTACH_REUSEPORT_CBPF),
	N(SO_ATTACH_REUSEPORT_EBPF),
	N(SO_CNX_ADVICE),
	N(SO_MEMINFO),
	N(SO_INCOMING_NAPI_ID),
	N(SO_COOKIE),
	N(SO_PEERGROUPS),
	N(SO_ZEROCOPY),
	N(SO_TXTIME),
	N(SO_BINDTOIFINDEX),
	{ 63, "SO_TIMESTAMP_NEW" },
	{ 64, "SO_TIMESTAMPNS_NEW" },
	{ 65, "SO_TIMESTAMPING_NEW" },
	{ 66, "SO_RCVTIMEO_NEW" },
	{ 67, "SO_SNDTIMEO_NEW" },
	N(SO_DETACH_REUSEPORT_BPF),
	{ 69, "SO_PREFER_BUSY_POLL" },
	{ 70, "SO_BUSY_POLL_BUDGET" },
	{ 71, "SO_NETNS_COOKIE" },
	{ 72, "SO_BUF_LOCK" },
	{ 73, "SO_RESERVE_MEM" },
	{ 74, "SO_TXREHASH" },
	{ 75, "SO_RCVMARK" },
	{ 76, "SO_PASSPIDFD" },
	{ 77, "SO_PEERPIDFD" },
	{ 83, "SO_PASSRIGHTS" },
};

static const struct type_name ip_options[] = {
	N(IP_TOS),
	N(IP_TTL),
	N(IP_HDRINCL),
	N(IP_OPTIONS),
	N(IP_ROUTER_ALERT),
	N(IP_RECVOPTS),
	N(IP_RETOPTS),
	N(IP_PKTINFO),
	N(IP_PKTOPTIONS),
	N(IP_MTU_DISCOVER),
	N(IP_RECVERR),
	N(IP_RECVTTL),
	N(IP_RECVTOS),
	N(IP_MTU),
	N(IP_FREEBIND),
	N(IP_IPSEC_POLICY),
	N(IP_XFRM_POLICY),
	N(IP_PASSSEC),
	N(IP_TRANSPARENT),
	N(IP_ORIGDSTADDR),
	N(IP_MINTTL),
	N(IP_NODEFRAG),
	N(IP_CHECKSUM),
	N(IP_BIND_ADDRESS_NO_PORT),
	N(IP_RECVFRAGSIZE),
	{ 26, "IP_RECVERR_RFC4884" },
	N(IP_MULTICAST_IF),
	N(IP_MULTICAST_TTL),
	N(IP_MULTICAST_LOOP),
	N(IP_ADD_MEMBERSHIP),
	N(IP_DROP_MEMBERSHIP),
	N(IP_UNBLOCK_SOURCE),
	N(IP_BLOCK_SOURCE),
	N(IP_ADD_SOURCE_MEMBERSHIP),
	N(IP_DROP_SOURCE_MEMBERSHIP),
	N(IP_MSFILTER),
	N(MCAST_JOIN_GROUP),
	N(MCAST_BLOCK_SOURCE),
	N(MCAST_UNBLOCK_SOURCE),
	N(MCAST_LEAVE_GROUP),
	N(MCAST_JOIN_SOURCE_GROUP),
	N(MCAST_LEAVE_SOURCE_GROUP),
	N(MCAST_MSFILTER),
	N(IP_MULTICAST_ALL),
	N(IP_UNICAST_IF),
	{ 51, "IP_LOCAL_PORT_RANGE" },
	{ 52, "IP_PROTOCOL" },
};

static const struct type_name ipv6_options[] = {
	N(IPV6_ADDRFORM),
	N(IPV6_2292PKTINFO),
	N(IPV6_2292HOPOPTS),
	N(IPV6_2292DSTOPTS),
	N(IPV6_2292RTHDR),
	N(IPV6_2292PKTOPTIONS),
	N(IPV6_CHECKSUM),
	N(IPV6_2292HOPLIMIT),
	N(IPV6_NEXTHOP),
	N(IPV6_AUTHHDR),
	{ 11, "IPV6_FLOWINFO" },
	N(IPV6_UNICAST_HOPS),
	N(IPV6_MULTICAST_IF),
	N(IPV6_MULTICAST_HOPS),
	N(IPV6_MULTICAST_LOOP),
	{ 20, "IPV6_ADD_MEMBERSHIP" },
	{ 21, "IPV6_DROP_MEMBERSHIP" },
	N(IPV6_ROUTER_ALERT),
	N(IPV6_MTU_DISCOVER),
	N(IPV6_MTU),
	N(IPV6_RECVERR),
	N(IPV6_V6ONLY),
	N(IPV6_JOIN_ANYCAST),
	N(IPV6_LEAVE_ANYCAST),
	N(IPV6_MULTICAST_ALL),
	N(IPV6_ROUTER_ALERT_ISOLATE),
	{ 31, "IPV6_RECVERR_RFC4884" },
	{ 32, "IPV6_FLOWLABEL_MGR" },
	{ 33, "IPV6_FLOWINFO_SEND" },
	N(IPV6_IPSEC_POLICY),
	N(IPV6_XFRM_POLICY),
	N(IPV6_HDRINCL),
	N(MCAST_JOIN_GROUP),
	N(MCAST_BLOCK_SOURCE),
	N(MCAST_UNBLOCK_SOURCE),
	N(MCAST_LEAVE_GROUP),
	N(MCAST_JOIN_SOURCE_GROUP),
	N(MCAST_LEAVE_SOURCE_GROUP),
	N(MCAST_MSFILTER),
	N(IPV6_RECVPKTINFO),
	N(IPV6_PKTINFO),
	N(IPV6_RECVHOPLIMIT),
	N(IPV6_HOPLIMIT),
	N(IPV6_RECVHOPOPTS),
	N(IPV6_HOPOPTS),
	N(IPV6_RTHDRDSTOPTS),
	N(IPV6_RECVRTHDR),
	N(IPV6_RTHDR),
	N(IPV6_RECVDSTOPTS),
	N(IPV6_DSTOPTS),
	N(IPV6_RECVPATHMTU),
	N(IPV6_PATHMTU),
	N(IPV6_DONTFRAG),
	N(IPV6_RECVTCLASS),
	N(IPV6_TCLASS),
	N(IPV6_AUTOFLOWLABEL),
	N(IPV6_ADDR_PREFERENCES),
	N(IPV6_MINHOPCOUNT),
	N(IPV6_ORIGDSTADDR),
	N(IPV6_TRANSPARENT),
	N(IPV6_UNICAST_IF),
	N(IPV6_RECVFRAGSIZE),
	N(IPV6_FREEBIND),
};

static const struct type_name tcp_options[] = {
	N(TCP_NODELAY),
	N(TCP_MAXSEG),
	N(TCP_CORK),
	N(TCP_KEEPIDLE),
	N(TCP_KEEPINTVL),
	N(TCP_KEEPCNT),
	N(TCP_SYNCNT),
	N(TCP_LINGER2),
	N(TCP_DEFER_ACCEPT),
	N(TCP_WINDOW_CLAMP),
	N(TCP_INFO),
	N(TCP_QUICKACK),
	N(TCP_CONGESTION),
	N(TCP_MD5SIG),
	N(TCP_THIN_LINEAR_TIMEOUTS),
	N(TCP_THIN_DUPACK),
	N(TCP_USER_TIMEOUT),
	N(TCP_REPAIR),
	N(TCP_REPAIR_QUEUE),
	N(TCP_QUEUE_SEQ),
	N(TCP_REPAIR_OPTIONS),
	N(TCP_FASTOPEN),
	N(TCP_TIMESTAMP),
	N(TCP_NOTSENT_LOWAT),
	N(TCP_CC_INFO),
	N(TCP_SAVE_SYN),
	N(TCP_SAVED_SYN),
	N(TCP_REPAIR_WINDOW),
	N(TCP_FASTOPEN_CONNECT),
	N(TCP_ULP),
	N(TCP_MD5SIG_EXT),
	N(TCP_FASTOPEN_KEY),
	N(TCP_FASTOPEN_NO_COOKIE),
	N(TCP_ZEROCOPY_RECEIVE),
	N(TCP_INQ),
	N(TCP_TX_DELAY),
	{ 38, "TCP_AO_ADD_KEY" },
	{ 39, "TCP_AO_DEL_KEY" },
	{ 40, "TCP_AO_INFO" },
	{ 41, "TCP_AO_GET_KEYS" },
	{ 42, "TCP_AO_REPAIR" },
	{ 43, "TCP_IS_MPTCP" },
	{ 44, "TCP_RTO_MAX_MS" },
};

static const struct type_name udp_options[] = {
	N(UDP_CORK),
	{ 100, "UDP_ENCAP" },
	{ 101, "UDP_NO_CHECK6_TX" },
	{ 102, "UDP_NO_CHECK6_RX" },
	{ 103, "UDP_SEGMENT" },
	{ 104, "UDP_GRO" },
};

static const struct type_name raw_options[] = { { 1, "ICMP_FILTER" } };
static const struct type_name icmpv6_options[] = { { 1, "ICMPV6_FILTER" } };

static const struct type_name packet_options[] = {
	N(PACKET_ADD_MEMBERSHIP), N(PACKET_DROP_MEMBERSHIP),
	N(PACKET_RECV_OUTPUT),	  N(PACKET_RX_RING),
	N(PACKET_STATISTICS),	  N(PACKET_COPY_THRESH),
	N(PACKET_AUXDATA),	  N(PACKET_ORIGDEV),
	N(PACKET_VERSION),	  N(PACKET_HDRLEN),
	N(PACKET_RESERVE),	  N(PACKET_TX_RING),
	N(PACKET_LOSS),		  N(PACKET_VNET_HDR),
	N(PACKET_TX_TIMESTAMP),	  N(PACKET_TIMESTAMP),
	N(PACKET_FANOUT),	  N(PACKET_TX_HAS_OFF),
	N(PACKET_QDISC_BYPASS),	  N(PACKET_ROLLOVER_STATS),
	N(PACKET_FANOUT_DATA),	  N(PACKET_IGNORE_OUTGOING),
};

static const struct type_name netlink_options[] = {
	N(NETLINK_ADD_MEMBERSHIP),	  N(NETLINK_DROP_MEMBERSHIP), N(NETLINK_PKTINFO),
	N(NETLINK_BROADCAST_ERROR),	  N(NETLINK_NO_ENOBUFS),      N(NETLINK_LISTEN_ALL_NSID),
	N(NETLINK_LIST_MEMBERSHIPS),	  N(NETLINK_CAP_ACK),	      N(NETLINK_EXT_ACK),
	{ 12, "NETLINK_GET_STRICT_CHK" },
};

static const struct type_case options[] = {
	CASE(SOL_SOCKET, socket_options),
	CASE(IPPROTO_IP, ip_options),
	CASE(IPPROTO_IPV6, ipv6_options),
	CASE(IPPROTO_TCP, tcp_options),
	CASE(IPPROTO_UDP, udp_options),
	CASE(IPPROTO_ICMPV6, icmpv6_options),
	CASE(IPPROTO_RAW, raw_options),
	CASE(263 /* SOL_PACKET */, packet_options),
	CASE(270 /* SOL_NETLINK */, netlink_options),
};

const struct type_names call_socket_options = CHOSEN_BY("level", options);

/* ---- fcntl, prctl ---- */

/* Set by 32-bit programs, and by musl's 64-bit ones; glibc's headers have 0. */
#ifdef __aarch64__
#define KERNEL_O_LARGEFILE 0400000
#else
#define KERNEL_O_LARGEFILE 0100000
#endif

static const struct type_name open_flags[] = {
	N(O_RDONLY),   N(O_WRONLY),
	N(O_RDWR),     N(O_CREAT),
	N(O_EXCL),     N(O_NOCTTY),
	N(O_TRUNC),    N(O_APPEND),
	N(O_NONBLOCK), N(O_SYNC),
	N(O_DSYNC),    N(O_ASYNC),
	N(O_DIRECT),   { KERNEL_O_LARGEFILE, "O_LARGEFILE" },
	N(O_TMPFILE),  N(O_DIRECTORY),
	N(O_NOFOLLOW), N(O_NOATIME),
	N(O_CLOEXEC),  N(O_PATH),
};

const struct type_names call_open_flags = {
	.items = open_flags, .n = ARRAY_SIZE(open_flags), .is_flags = true, .number = O_ACCMODE
};

static const struct type_name signals[] = {
	N(SIGHUP),  N(SIGINT),	  N(SIGQUIT), N(SIGILL),  N(SIGTRAP),	N(SIGABRT), N(SIGBUS),
	N(SIGFPE),  N(SIGKILL),	  N(SIGUSR1), N(SIGSEGV), N(SIGUSR2),	N(SIGPIPE), N(SIGALRM),
	N(SIGTERM), N(SIGSTKFLT), N(SIGCHLD), N(SIGCONT), N(SIGSTOP),	N(SIGTSTP), N(SIGTTIN),
	N(SIGTTOU), N(SIGURG),	  N(SIGXCPU), N(SIGXFSZ), N(SIGVTALRM), N(SIGPROF), N(SIGWINCH),
	N(SIGIO),   N(SIGPWR),	  N(SIGSYS),
};

const struct type_names call_signals = { .items = signals, .n = ARRAY_SIZE(signals) };

static const struct type_name no_names[1];
static const struct type_names decimal = { .items = no_names };

static const struct type_name fd_flags[] = { N(FD_CLOEXEC) };
static const struct type_name leases[] = { N(F_RDLCK), N(F_WRLCK), N(F_UNLCK) };
static const struct type_name seals[] = {
	N(F_SEAL_SEAL),	 N(F_SEAL_SHRINK),	 N(F_SEAL_GROW),
	N(F_SEAL_WRITE), N(F_SEAL_FUTURE_WRITE), { 0x20, "F_SEAL_EXEC" },
};
static const struct type_name notify_flags[] = {
	N(DN_ACCESS),
	N(DN_MODIFY),
	N(DN_CREATE),
	N(DN_DELETE),
	N(DN_RENAME),
	N(DN_ATTRIB),
	{ 0x80000000, "DN_MULTISHOT" },
};

static const struct type_case fcntl_args[] = {
	CASE_BITS(F_SETFD, fd_flags),
	{ F_SETFL, &call_open_flags },
	CASE(F_SETLEASE, leases),
	CASE_BITS(F_ADD_SEALS, seals),
	CASE_BITS(F_NOTIFY, notify_flags),
	{ F_SETSIG, &call_signals },
	{ F_DUPFD, &decimal },
	{ F_DUPFD_CLOEXEC, &decimal },
	{ F_SETPIPE_SZ, &decimal },
	{ F_SETOWN, &decimal },
};

/* The others are addresses. */
const struct type_names call_fcntl_args = {
	.is_flags = true,
	.by = "cmd",
	.cases = fcntl_args,
	.n_cases = ARRAY_SIZE(fcntl_args),
};

static const struct type_name seccomp_modes[] = { N(SECCOMP_MODE_STRICT), N(SECCOMP_MODE_FILTER) };
static const struct type_name ambient_operations[] = { N(PR_CAP_AMBIENT_IS_SET),
						       N(PR_CAP_AMBIENT_RAISE),
						       N(PR_CAP_AMBIENT_LOWER),
						       N(PR_CAP_AMBIENT_CLEAR_ALL) };
static const struct type_name vma_operations[] = { { 0, "PR_SET_VMA_ANON_NAME" } };
static const struct type_name capabilities[] = {
	N(CAP_CHOWN),
	N(CAP_DAC_OVERRIDE),
	N(CAP_DAC_READ_SEARCH),
	N(CAP_FOWNER),
	N(CAP_FSETID),
	N(CAP_KILL),
	N(CAP_SETGID),
	N(CAP_SETUID),
	N(CAP_SETPCAP),
	N(CAP_LINUX_IMMUTABLE),
	N(CAP_NET_BIND_SERVICE),
	N(CAP_NET_BROADCAST),
	N(CAP_NET_ADMIN),
	N(CAP_NET_RAW),
	N(CAP_IPC_LOCK),
	N(CAP_IPC_OWNER),
	N(CAP_SYS_MODULE),
	N(CAP_SYS_RAWIO),
	N(CAP_SYS_CHROOT),
	N(CAP_SYS_PTRACE),
	N(CAP_SYS_PACCT),
	N(CAP_SYS_ADMIN),
	N(CAP_SYS_BOOT),
	N(CAP_SYS_NICE),
	N(CAP_SYS_RESOURCE),
	N(CAP_SYS_TIME),
	N(CAP_SYS_TTY_CONFIG),
	N(CAP_MKNOD),
	N(CAP_LEASE),
	N(CAP_AUDIT_WRITE),
	N(CAP_AUDIT_CONTROL),
	N(CAP_SETFCAP),
	N(CAP_MAC_OVERRIDE),
	N(CAP_MAC_ADMIN),
	N(CAP_SYSLOG),
	N(CAP_WAKE_ALARM),
	N(CAP_BLOCK_SUSPEND),
	N(CAP_AUDIT_READ),
	N(CAP_PERFMON),
	N(CAP_BPF),
	N(CAP_CHECKPOINT_RESTORE),
};
const struct type_names call_capabilities = { .items = capabilities,
					      .n = ARRAY_SIZE(capabilities) };

static const struct type_case prctl_args[] = {
	{ PR_SET_PDEATHSIG, &call_signals },
	CASE(PR_SET_SECCOMP, seccomp_modes),
	{ PR_CAPBSET_READ, &call_capabilities },
	{ PR_CAPBSET_DROP, &call_capabilities },
	CASE(PR_CAP_AMBIENT, ambient_operations),
	CASE(0x53564d41 /* PR_SET_VMA */, vma_operations),
	{ PR_SET_DUMPABLE, &decimal },
	{ PR_SET_KEEPCAPS, &decimal },
	{ PR_SET_TIMERSLACK, &decimal },
	{ PR_SET_CHILD_SUBREAPER, &decimal },
	{ PR_SET_NO_NEW_PRIVS, &decimal },
	{ PR_SET_THP_DISABLE, &decimal },
};

const struct type_names call_prctl_args = {
	.is_flags = true,
	.by = "option",
	.cases = prctl_args,
	.n_cases = ARRAY_SIZE(prctl_args),
};
