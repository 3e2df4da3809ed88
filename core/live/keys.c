// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keys that run other commands of bperf for the selected process. */
#include "live/live_int.h"

static const char *const chain_words[] = { "chain", "--live", "-p", "PID", NULL };
static const char *const offcpu_words[] = { "offcpu", "--live", "-p", "PID", NULL };
static const char *const dump_words[] = { "dump", "-p", "PID", NULL };
static const char *const profile_words[] = { "profile", "--live", "-p", "PID", NULL };

const struct live_command live_commands[] = {
	{ 'f', "its flame graph of CPU time, in a view of its own", profile_words, false },
	{ 'o', "its flame graph of waits, in a view of its own", offcpu_words, false },
	{ 'c', "the chains of wakers that its threads wait for", chain_words, false },
	{ 'd', "its threads now: their stacks, and what they wait for", dump_words, true },
	{ 0 },
};
