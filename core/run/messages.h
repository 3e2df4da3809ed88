/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keeps libbpf's messages, which are shown only if they explain a failure. */
#ifndef RUN_MESSAGES_H
#define RUN_MESSAGES_H

#include "base/types.h"

/* The last line of a verifier's log that libbpf prints. */
#define MESSAGES_LOG_END "-- END PROG LOAD LOG --"

/* From now on libbpf prints nothing; -vv shows its messages at once. */
void messages_begin(void);

/* Keeps no messages while an optional program is loaded. */
void messages_hush(bool is_optional);

/* Keeps the verifier's log of a program that was refused, as if libbpf had printed it. */
void messages_add_log(const char *name, const char *log);

/* The end of the messages, "" if there are none; valid until the next one. */
const char *messages_kept(void);

#endif
