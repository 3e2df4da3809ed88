/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The object that a thread waits for, if its system call reveals it (--waits). */
#ifndef BPF_ABI_OBJECT_H
#define BPF_ABI_OBJECT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum object_kind {
	OBJECT_NONE,
	OBJECT_FILE, /* a regular file, a directory, a device, or anything not listed below */
	OBJECT_ANON, /* an anonymous inode: [eventfd], inotify */
	OBJECT_PIPE, /* without a name */
	OBJECT_SOCKET,
	OBJECT_FUTEX,
};

/* Meaning of a system call's first argument. */
enum object_arg {
	OBJECT_ARG_OTHER,
	OBJECT_ARG_FD,
	OBJECT_ARG_FUTEX,
};

#define OBJECT_NAME_BYTES 40
#define OBJECT_CALLS	  512 /* system call numbers that are looked up; higher ones do not wait */

struct wait_object {
	__u16 kind;   /* enum object_kind */
	__u16 family; /* a socket's: AF_X */
	__u16 local_port, peer_port;
	__u32 fd;
	__u32 type;		      /* a socket's: SOCK_X */
	__u64 id;		      /* inode number; a futex's address */
	__u8 local[16], peer[16];     /* in network order; IPv4 in the first 4 */
	char name[OBJECT_NAME_BYTES]; /* last part of the path; a unix socket's path */
};

#define OBJECT_WORDS (sizeof(struct wait_object) / sizeof(__u64))

#endif
