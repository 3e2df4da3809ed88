/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system calls whose arguments tell what a thread waits for, besides those on one file. */
#ifndef DUMP_CALL_H
#define DUMP_CALL_H

#include "dump/peek.h"
#include "dump/threads.h"

enum call {
	CALL_OTHER,
	CALL_FUTEX,
	CALL_POLL,	  /* timeout in milliseconds */
	CALL_PPOLL,	  /* timeout as a struct timespec */
	CALL_SELECT,	  /* or pselect6 */
	CALL_EPOLL,	  /* timeout in milliseconds */
	CALL_EPOLL_TIMED, /* as a struct timespec */
	CALL_NANOSLEEP,
	CALL_CLOCK_NANOSLEEP,
	CALL_WAIT4,
	CALL_WAITID,
	CALL_VFORK, /* waits for the child's exec */
	CALL_WRITE, /* waits for a reader */
};

enum call call_of(const struct dump_thread *t);
/* True if the call waits for several files. */
bool call_has_files(enum call call);

/* Indexes of taken.peeks. */
enum {
	PEEK_WORD,     /* a futex: the word alone, which is there even at the end of a page */
	PEEK_LOCK,     /* and the words after it, LOCK_BYTES */
	PEEK_BEFORE,   /* the word before it */
	PEEK_FDS = 0,  /* poll: the descriptors; select: those to read, to write, and others */
	PEEK_TIME = 3, /* a struct timespec */
};

#define LOCK_BYTES   20
#define POLL_FDS_MAX (PEEK_BYTES / 8)

/* Ask for the memory that the thread's call refers to. */
void call_peek(struct dump_thread *t, struct peeks *p);

#endif
