// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `bperf doctor`: what works on this host, what does not, the consequences, and the remedy. */
#include <string.h>
#include <sys/utsname.h>

#include "attach/attach.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "cmd/command.h"
#include "host/feature.h"
#include "render/checklist.h"
#include "run/prog.h"
#include "site/ldcache.h"
#include "stack/unwinding.h"
#include "sym/jit_hints.h"
#include "sym/jit_processes.h"
#include "sym/prologues.h"

struct doctor_conf {
	bool json;
};

static const struct opt doctor_opts[] = {
	OPT_HEADING("Output"),
	OPT_FLAG('j', "json", struct doctor_conf, json, "one JSON object"),
	OPT_END,
};

static bool works(const struct command *c)
{
	for (u32 f = 0; f < FEATURE_N; f++)
		if (c->needs >> f & 1 && feature_is_missing((enum feature)f))
			return false;
	return true;
}

static void add_feature(struct checklist *list, enum feature f)
{
	static const enum checklist_verdict verdicts[] = {
		[FEATURE_OK] = CHECKLIST_OK,
		[FEATURE_WARN] = CHECKLIST_WARN,
		[FEATURE_NO] = CHECKLIST_NO,
		[FEATURE_UNKNOWN] = CHECKLIST_UNKNOWN,
	};
	const struct feature_info *info = feature_info(f);
	const struct feature_result *r = feature_result(f);
	struct checklist_row row = {
		.key = info->key,
		.title = info->title,
		.verdict = verdicts[r->verdict],
		.detail = r->detail,
		.loss = feature_loss(f),
		.next = feature_next(f),
	};

	for (size_t i = 0; i < n_commands; i++)
		if (commands[i]->needs >> f & 1)
			vec_push(&row.needed_by.v, commands[i]->name);
	vec_push(&list->rows, row);
}

/* ---- user space: what decides how good stacks are ----------------------------------------- */

#define LD_CACHE	 "/etc/ld.so.cache"
#define MAX_LD_CACHE	 (16 << 20)
#define C_LIBRARY	 "libc.so.6"
#define ENOUGH_FUNCTIONS 100

static bool is_c_library(const char *soname, const char *prefix)
{
	return !strcmp(soname, prefix);
}

/* Distributions build the C library with or without frame pointers, as they build everything else;
 * functions written in assembly never have them. */
static bool examine_c_library(struct prologues *p)
{
	_cleanup_(str_release) struct str cache = { 0 }, path = { 0 };

	return !file_read(LD_CACHE, MAX_LD_CACHE, &cache) &&
	       ldcache_find(str_view(&cache), C_LIBRARY, is_c_library, &path) &&
	       !prologues_count(str_text(&path), p) && p->n >= ENOUGH_FUNCTIONS;
}

static void add_user_stacks(struct checklist *list)
{
	struct checklist_row row = { .key = "user_stacks", .title = "user stacks" };
	struct prologues p = { 0 };

	if (!examine_c_library(&p)) {
		row.detail = "no " C_LIBRARY " here: programs bring their own code";
	} else if (p.n_frames >= p.n / 4) {
		row.detail = C_LIBRARY " has frame pointers";
	} else {
		row.detail = C_LIBRARY " has no frame pointers, but call frame information";
	}
	vec_push(&list->rows, row);
}

/* One row for each runtime, since each compiles or interprets in its own way. */
static struct checklist_row describe_runtime(struct arena *a, const struct jit_runtime *r)
{
	struct checklist_row row = { .key = "jit" };
	const char *plural = r->n == 1 ? "" : "es";

	row.title = arena_printf(a, "JIT: %s", runtime_name(r->runtime));
	if (!r->n_without_map) {
		row.detail = arena_printf(a, "%u process%s, names from perf maps", r->n, plural);
		return row;
	}
	row.next = runtime_advice(a, r->runtime, r->first);
	if (!runtime_compiles(r->runtime)) {
		row.key = "interpreter";
		row.title = runtime_name(r->runtime);
		row.detail =
			arena_printf(a, "%u process%s: frames are the interpreter's own functions",
				     r->n, plural);
		return row;
	}
	row.verdict = CHECKLIST_WARN;
	row.detail = arena_printf(a, "%u process%s without a perf map: JIT code has no names",
				  r->n_without_map, r->n_without_map == 1 ? "" : "es");
	return row;
}

static void add_runtimes(struct arena *a, struct checklist *list)
{
	struct checklist_row all = { .key = "runtimes", .title = "runtimes" };
	_cleanup_(jit_processes_release) struct jit_processes j;
	const struct jit_runtime *r;

	jit_processes_find(&j);
	vec_for_each(r, &j.runtimes)
		vec_push(&list->rows, describe_runtime(a, r));
	if (j.n_hidden) {
		all.verdict = CHECKLIST_UNKNOWN;
		all.detail = arena_printf(a, "%u process%s cannot be examined", j.n_hidden,
					  j.n_hidden == 1 ? "" : "es");
	} else if (!j.runtimes.n) {
		all.detail = "no process of a language runtime that bperf knows";
	} else {
		return;
	}
	vec_push(&list->rows, all);
}

/* ---- the command --------------------------------------------------------------------------- */

static void fill(struct checklist *list, struct arena *texts)
{
	for (u32 f = 0; f < FEATURE_N; f++)
		add_feature(list, (enum feature)f);
	add_user_stacks(list);
	add_runtimes(texts, list);
	for (size_t i = 0; i < n_commands; i++) {
		const struct command *c = commands[i];

		if (!c->is_helper)
			vec_push(&(works(c) ? &list->works : &list->fails)->v, c->name);
	}
}

static int doctor_check(void *conf, const struct opt_rest *rest, struct err *err)
{
	(void)conf;
	return opt_no_words(rest, err);
}

static int doctor_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	const struct doctor_conf *conf = p;
	_cleanup_(checklist_release) struct checklist list = { .version = BPERF_VERSION };
	_cleanup_(arena_release) struct arena texts = { 0 };
	struct utsname u = { 0 };

	(void)argc, (void)argv, (void)err;
	prog_setup();
	attach_remove_stale();
	uname(&u);
	list.arch = u.machine;
	list.kernel = u.release;
	list.host = u.nodename;
	fill(&list, &texts);
	(conf->json ? checklist_json : checklist_text)(&list, stdout);
	*status = list.fails.v.n ? ERR_FAIL : 0;
	return 0;
}

const struct command doctor_command = {
	.name = "doctor",
	.is_helper = true,
	.summary = "what works on this host, and why the rest does not",
	.usage = "[-j]",
	.about =
		"Tries each kernel feature that bperf uses, by loading and attaching the "
		"smallest program that needs it, and says which commands work.  Features that "
		"cannot be tried without privileges are marked with a question mark.  Exits with 0 if all "
		"commands work, otherwise with 1.",
	.examples = { { "doctor", "as text, for a person or a bug report" },
		      { "doctor -j", "as JSON, for a script" } },
	.opts = doctor_opts,
	.conf_size = sizeof(struct doctor_conf),
	.check = doctor_check,
	.run = doctor_run,
};
