/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where bytes go: a buffer in front of a file descriptor that remembers its first failure, so
 * that nobody checks each write and none is forgotten.
 *
 * A file is opened when the run starts, to find out then that it can't be, but emptied only when
 * the first bytes are written: a run that fails leaves what was there before, and removes what it
 * has made.  It is not written beside and renamed, because FILE may be a device, a FIFO, a link,
 * or a file in a folder where we may not write.
 */
#ifndef RENDER_SINK_H
#define RENDER_SINK_H

#include "base/err.h"
#include "base/str.h"

struct sink {
	struct str buf; /* add here, then call sink_spill() now and then */
	char *path;	/* owned; NULL: standard output */
	int fd;
	int error;	   /* errno of the first write that failed; 0: none */
	size_t n_waiting;  /* of buf: did not go out, for nobody reads */
	bool is_created;   /* the file was not there before */
	bool is_regular;   /* never waits for a reader; with a path, can be emptied and written
			      again */
	bool has_written;  /* the file holds our bytes, if any */
	bool is_wait_said; /* that nobody reads */
};

/* Standard output.  Closed, or open for reading only, is an error. */
int sink_open_stdout(struct sink *s, struct err *err);

/* A file, made if it isn't there.  In a folder where everybody may write (/tmp), links and other
 * people's files are refused, whatever fs.protected_symlinks says.  So are, in any folder, FIFOs
 * and devices of others, but for root's and those that we were started with.  For the reader of a
 * FIFO it waits, until a signal ends the run. */
int sink_open_file(struct sink *s, const char *path, struct err *err);

/* A result is about to be written, be it empty: what the file held is gone, and the file stays.
 * Again, when the next one is to replace it: a flame graph that is drawn anew after a snapshot. */
void sink_restart(struct sink *s);

/*
 * Write when the buffer is worth it; write now.  What a full pipe does not take stays in the
 * buffer, so that a measurement does not wait for its reader: up to 8 MB, then it does wait.
 * Nothing happens after a failure.
 */
void sink_spill(struct sink *s);
void sink_flush(struct sink *s);

/* Write all, however long its reader takes.  After a signal that ends the run one who does not read
 * is given up: see stop_gives_up(). */
void sink_finish(struct sink *s);

/* The failure as an error.  Returns -code. */
int sink_explain(const struct sink *s, struct err *err);

/* The reader of a pipe has gone away. */
bool sink_is_broken(const struct sink *s);

/* Finish, close and release; the first failure as an error, but for a broken pipe. */
int sink_close(struct sink *s, struct err *err);

#endif
