// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of unwinding. */
#include "base/num.h"
#include "stack/unwinding.h"

#define BYTES_DEFAULT (64 << 20)
#define BYTES_MIN     (1 << 20)
#define BYTES_MAX     (4ULL << 30)

static const char *const how_names[] = {
	[UNWINDING_AUTO] = "auto",
	[UNWINDING_FP] = "fp",
	[UNWINDING_DWARF] = "dwarf",
	NULL,
};

static int parse_bytes(void *field, const char *text, struct err *err)
{
	return num_bytes(text, BYTES_MIN, BYTES_MAX, "size", field, err);
}

#define S struct unwinding_conf

const struct opt unwinding_opts[] = {
	OPT_CHOICE(0, "unwind", S, how, how_names, "HOW",
		   "user stacks: auto, fp (frame pointers) or dwarf (auto)"),
	OPT_CALL(0, "unwind-mem", S, max_bytes, parse_bytes, "SIZE",
		 "memory for unwind tables in the kernel (64M)"),
	OPT_END,
};

#undef S

void unwinding_defaults(struct unwinding_conf *conf)
{
	conf->max_bytes = BYTES_DEFAULT;
}
