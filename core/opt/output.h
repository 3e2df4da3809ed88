/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options for output that all commands share, as typed.  Must not know how a format is written;
 * core/render turns them into files.
 */
#ifndef OPT_OUTPUT_H
#define OPT_OUTPUT_H

#include "base/log.h"
#include "opt/opt.h"

struct output_conf {
	struct opt_strings files; /* -o; the extension selects the format */
	const char *format;	  /* -O; one of output_formats; NULL: not given */
	bool json;		  /* -j */
	bool folded;		  /* --folded; the letter f differs by command */
	bool icicle;		  /* SVG: root at the top */
	bool strict, cost;
	bool live; /* a full screen that shows the run while it goes on (core/live) */
	bool quiet;
	u32 verbose;	/* number of -v */
	u64 max_memory; /* in bytes, for mem_limit_set() */
	u64 max_file;	/* the same, for formats with single samples and waits */
	u32 top;	/* 0: all */
	u32 color;	/* 0 auto, 1 always, 2 never: enum color_when */
	u32 names;	/* 0 short, 1 full, 2 mangled: enum name_style */
	u32 unit;	/* index into output_units */
};

/* Set the defaults that are not zero. */
#define OUTPUT_TOP_DEFAULT  20
#define OUTPUT_FILE_DEFAULT ((u64)1 << 30)

/* Rows for OPT_INCLUDE, for all commands.  The stack commands add OPT_LETTER('f', "folded"). */
extern const struct opt output_opts[];

/* --unit, for commands that report times: included in addition to output_opts, and filling the same
 * struct. */
extern const struct opt output_unit_opts[];
/* --live, for commands whose reports can be shown while they run. */
extern const struct opt output_live_opts[];
/* --max-file, for commands whose reports may have single samples or waits. */
extern const struct opt output_single_opts[];

/* Those of opt/formats.h; NULL-terminated. */
extern const char *const output_formats[];
/* "us", the default, comes first. */
#define OUTPUT_UNIT_DEFAULT 4 /* not given: NULL */
extern const char *const output_units[OUTPUT_UNIT_DEFAULT + 1];

void output_defaults(struct output_conf *o);
/* The format of stdout: "text", "folded", "json" ...; NULL when only files were requested. */
const char *output_stdout_format(const struct output_conf *o);
enum log_level output_log_level(const struct output_conf *o);
void output_release(struct output_conf *o);

#endif
