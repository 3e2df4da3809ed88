// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opt/output.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/memlimit.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "opt/formats.h"

#define X(name) #name,
const char *const output_formats[] = { OUTPUT_FORMATS(X) NULL };
#undef X
const char *const output_units[OUTPUT_UNIT_DEFAULT + 1] = { "us", "ms", "s", "ns" };
static const char *const colors[] = { "auto", "always", "never", NULL };
static const char *const name_styles[] = { "short", "full", "mangled", NULL };

static int parse_format(void *field, const char *text, struct err *err)
{
	_cleanup_(str_release) struct str names = { 0 };
	const char *nearest;
	size_t n = 0;

	for (; output_formats[n]; n++) {
		if (strcmp(output_formats[n], text) != 0) {
			str_addf(&names, "%s%s", n ? ", " : "", output_formats[n]);
			continue;
		}
		*(const char **)field = output_formats[n];
		return 0;
	}
	err_set(err, ERR_USAGE, "'%s' is not a format: %s", text, str_text(&names));
	nearest = nearest_of(text, output_formats, n);
	return nearest ? err_hint(err, "did you mean '%s'?", nearest) : -ERR_USAGE;
}

static int parse_file(void *field, const char *text, struct err *err)
{
	return num_bytes(text, 1 << 20, 1ULL << 40, "size", field, err);
}

static int parse_memory(void *field, const char *text, struct err *err)
{
	return num_bytes(text, MEM_LIMIT_MIN, 1ULL << 40, "size", field, err);
}

const struct opt output_opts[] = {
	OPT_HEADING("Output"),
	OPT_STRINGS('o', "output", struct output_conf, files, "FILE",
		    "write to FILE: .txt .folded .json .pb.gz .svg .html .perf .pftrace choose "
		    "the format, "
		    "%i is the number of the interval; may be repeated",
		    .complete = COMPLETE_FILE),
	OPT_CALL(
		'O', "format", struct output_conf, format, parse_format, "FORMAT",
		"text, folded, json, pprof, svg, html, perf or pftrace, regardless of the extension",
		.choices = output_formats, .complete = COMPLETE_FORMAT, .conflicts = "json folded"),
	OPT_FLAG('j', "json", struct output_conf, json, "JSON Lines on stdout",
		 .conflicts = "folded"),
	OPT_FLAG(0, "folded", struct output_conf, folded,
		 "one line per stack on stdout, for flame graphs"),
	OPT_U32(0, "top", struct output_conf, top, 0, UINT32_MAX, "N",
		"text: show the N largest and one line for the rest (20; 0: all)"),
	OPT_CHOICE(0, "names", struct output_conf, names, name_styles, "STYLE",
		   "C++ and Rust names short, full or mangled (short)"),
	OPT_CHOICE(0, "color", struct output_conf, color, colors, "WHEN",
		   "auto, always or never (auto: on a terminal, unless NO_COLOR is set)"),
	OPT_FLAG(0, "icicle", struct output_conf, icicle, "svg, html: grow downwards"),
	OPT_FLAG(0, "strict", struct output_conf, strict, "exit with 1 if anything was lost"),
	OPT_FLAG(0, "cost", struct output_conf, cost,
		 "also measure the run time of the BPF programs (slows all of them on the host)"),
	OPT_CALL(0, "max-memory", struct output_conf, max_memory, parse_memory, "SIZE",
		 "use at most SIZE of memory, such as 64M; stacks beyond it become [other stacks] "
		 "(256M)"),
	OPT_FLAG('q', "quiet", struct output_conf, quiet, "results and errors only",
		 .conflicts = "verbose"),
	OPT_COUNT('v', "verbose", struct output_conf, verbose,
		  "explain which methods were chosen, and why; -vv: also libbpf's log"),
	OPT_END,
};

const struct opt output_single_opts[] = {
	OPT_CALL(0, "max-file", struct output_conf, max_file, parse_file, "SIZE",
		 "perf, pftrace: leave out and count what would make a file larger (1G)"),
	OPT_END,
};

const struct opt output_live_opts[] = {
	OPT_FLAG(0, "live", struct output_conf, live,
		 "show the run on a full screen while it goes on (? shows the keys)",
		 .conflicts = "json folded format output"),
	OPT_END,
};

const struct opt output_unit_opts[] = {
	OPT_CHOICE(0, "unit", struct output_conf, unit, output_units, "UNIT",
		   "unit of times: us, ms, s or ns (us; text: ms)"),
	OPT_END,
};

void output_defaults(struct output_conf *o)
{
	o->top = OUTPUT_TOP_DEFAULT;
	o->unit = OUTPUT_UNIT_DEFAULT;
	o->max_memory = MEM_LIMIT_DEFAULT;
	o->max_file = OUTPUT_FILE_DEFAULT;
}

const char *output_stdout_format(const struct output_conf *o)
{
	if (o->json)
		return "json";
	if (o->folded)
		return "folded";
	if (o->files.v.n)
		return NULL;
	return o->format ? o->format : "text";
}

enum log_level output_log_level(const struct output_conf *o)
{
	if (o->quiet)
		return LOG_QUIET;
	if (o->verbose > 1)
		return LOG_DEBUG;
	return o->verbose ? LOG_VERBOSE : LOG_NORMAL;
}

void output_release(struct output_conf *o)
{
	opt_strings_release(&o->files);
}
