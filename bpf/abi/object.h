/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a thread waits for, as far as its system call tells (--waits). */
#ifndef BPF_ABI_OBJECT_H
#define BPF_ABI_OBJECT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum object_kind {
	OBJECT_NONE,
	OBJECT_FILE, /* a regular file, a directory, a device; also what is none of the others */
	OBJECT_ANON, /* what has a kind and no file system: [eventfd], inotify */
	OBJECT_PIPE, /* one without a name */
	OBJECT_SOCKET,
	OBJECT_FUTEX,
};

/* What the first argument of a system call is. */
enum object_arg {
	OBJECT_ARG_OTHER,
	OBJECT_ARG_FD,
	OBJECT_ARG_FUTEX,
};

#define OBJECT_NAME_BYTES 40
#define OBJECT_CALLS	  512 /* system call numbers that are looked up; higher ones are no waits */

struct wait_object {
	__u16 kind;   /* enum object_kind */
	__u16 family; /* of a socket: AF_X */
	__u16 local_port, peer_port;
	__u32 fd;
	__u32 type;		      /* of a socket: SOCK_X */
	__u64 id;		      /* inode number; of a futex its address */
	__u8 local[16], peer[16];     /* in network order; IPv4 in the first 4 */
	char name[OBJECT_NAME_BYTES]; /* last part of the path, path of a unix socket */
};

#define OBJECT_WORDS (sizeof(struct wait_object) / sizeof(__u64))

#endif
