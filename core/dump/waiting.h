/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Says in which state a thread is, and what it waits for. */
#ifndef DUMP_WAITING_H
#define DUMP_WAITING_H

#include "dump/ends.h"
#include "dump/peek.h"
#include "dump/process.h"
#include "dump/threads.h"
#include "model/report.h"
#include "sym/symbolizer.h"
#include "wait/sockets.h"

/* All of it is read soon after the stacks, before names are looked up, which may take long. */
struct waiting {
	struct dump_threads *threads; /* borrowed, as the next two */
	struct symbolizer *sym;
	struct intern *strings;
	struct peeks peeks;
	struct ends ends;
	VEC(u32) end_of;	   /* by thread: index into ends + 1; 0: none */
	VEC(const char *) objects; /* by thread: files and sockets; NULL: none */
	VEC(u32) words;		   /* by thread: location of its futex; SYM_FORGOTTEN: none */
	struct index by_inner;	   /* threads by process and number in its own namespace */
	struct sockets sockets;
	struct process_threads not_targets;
	u64 until_ns; /* files and sockets are not looked up after that */
	u32 n_late;   /* threads for which it was too late */
};

/* Returns 0, or -code if the list of threads cannot be read again. */
int waiting_read(struct waiting *w, const struct take_conf *take, struct dump_threads *threads,
		 struct symbolizer *sym, struct intern *strings, struct err *err);
void waiting_release(struct waiting *w);

/* Set the row's state, object and other, for thread `i`.  Frames have their names, and the row has
 * its stack and age; `kernel` is the leaf of its kernel stack, shown or not, and `marks` are those
 * of its owner in the store. */
void waiting_explain(struct waiting *w, u32 i, const struct report *r, u32 kernel, u8 marks,
		     struct thread_row *row);

#endif
