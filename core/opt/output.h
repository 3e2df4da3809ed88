/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the result goes and how it looks, as typed: the options that all commands share.  Must
 * not know how a format is written; out/ turns this into files.
 */
#ifndef OPT_OUTPUT_H
#define OPT_OUTPUT_H

#include "base/log.h"
#include "opt/opt.h"

struct output_conf {
	struct opt_strings files; /* -o; the extension chooses the format */
	const char *format;	  /* -O; one of output_formats, NULL: not given */
	bool json;		  /* -j */
	bool folded;		  /* --folded; the letter f is each command's own */
	bool icicle;		  /* SVG: the root at the top */
	bool strict, cost;
	bool quiet;
	u32 verbose;	/* how many -v */
	u64 max_memory; /* bytes: mem_limit_set() */
	u32 top;	/* 0: all */
	u32 color;	/* 0 auto, 1 always, 2 never: enum color_when */
	u32 names;	/* 0 short, 1 full, 2 mangled: enum name_style */
	u32 unit;	/* index into output_units */
};

/* Defaults that are not zero. */
#define OUTPUT_TOP_DEFAULT 20

/* Rows for OPT_INCLUDE, all commands.  The stack commands add OPT_LETTER('f', "folded"). */
extern const struct opt output_opts[];

/* --unit: for the commands that report times, beside output_opts and into the same struct. */
extern const struct opt output_unit_opts[];

/* "text", "folded", ... in the order of render/render.h; NULL-terminated. */
extern const char *const output_formats[];
/* "us" first: the default. */
#define OUTPUT_UNIT_DEFAULT 4 /* none was asked for: NULL */
extern const char *const output_units[OUTPUT_UNIT_DEFAULT + 1];

void output_defaults(struct output_conf *o);
/* What stdout gets: "text", "folded", "json" ...; NULL when only files were asked for. */
const char *output_stdout_format(const struct output_conf *o);
enum log_level output_log_level(const struct output_conf *o);
void output_release(struct output_conf *o);

#endif
