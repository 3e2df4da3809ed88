/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Buffered output to a file descriptor.  A sink remembers its first error, so that writers need not
 * check each write and no error is lost.
 *
 * A file is opened when the run starts, to find errors early, but truncated only when the first
 * bytes are written: a run that fails keeps the old content, and removes a file that it created.
 * The result is not written to a temporary file and renamed, because the path can be a device, a
 * FIFO, a link, or in a directory in which we may not create files.
 */
#ifndef RENDER_SINK_H
#define RENDER_SINK_H

#include "base/err.h"
#include "base/str.h"

struct sink {
	struct str buf; /* append here, then call sink_spill() from time to time */
	char *path;	/* owned; NULL: standard output */
	int fd;
	int error;	   /* errno of the first failed write; 0: none */
	size_t n_waiting;  /* bytes of buf that a pipe did not accept because its reader does not
			      read */
	bool is_created;   /* the file did not exist before */
	bool is_regular;   /* never blocks; with a path, can be truncated and rewritten */
	bool has_written;  /* the file no longer has its old content */
	bool is_wait_said; /* the message that the reader does not read was printed */
};

/* A sink without a descriptor: everything stays in buf, which the caller releases. */
#define SINK_IN_MEMORY    \
	{                 \
		.fd = -1, \
	}

/* Use standard output.  An error if it is closed or read-only. */
int sink_open_stdout(struct sink *s, struct err *err);

/* Open a file, or create it.  In world-writable sticky directories (/tmp), links and files of other
 * users are refused, whatever fs.protected_symlinks says.  In any directory, FIFOs and devices of
 * other users are refused, except root's and those that we inherited.  Waits for the reader of a
 * FIFO until a signal ends the run. */
int sink_open_file(struct sink *s, const char *path, struct err *err);

/* Call this before a result, even an empty one, is written: it truncates the file, and ensures that
 * the file is kept.  Calling it again replaces the previous result, such as a snapshot by the final
 * flame graph. */
void sink_restart(struct sink *s);

/*
 * Write if the buffer is large enough to be worth it (spill), or now (flush).  Bytes that a full
 * pipe does not accept stay in the buffer, so that a measurement does not wait for its reader.  If
 * the buffer is above a quarter of the memory limit (at least 8 MB), the call waits, so a caller
 * that must not wait adds nothing while sink_is_full().  Does nothing after an error.
 */
void sink_spill(struct sink *s);
void sink_flush(struct sink *s);

/* True if so much data waits for the reader that a caller that can keep its data should not add
 * more now. */
bool sink_is_full(const struct sink *s);
/* Wait until the reader accepts data, at most `ms`. */
void sink_wait(struct sink *s, int ms);

/* Write everything, however long the reader takes.  After a signal that ends the run, a reader that
 * does not read is abandoned: see stop_gives_up(). */
void sink_finish(struct sink *s);

/* Set *err to the sink's error.  Returns -code. */
int sink_explain(const struct sink *s, struct err *err);

/* True if the reader has closed the pipe. */
bool sink_is_broken(const struct sink *s);

/* Finish, close and release; returns the first error, except for a broken pipe. */
int sink_close(struct sink *s, struct err *err);

#endif
