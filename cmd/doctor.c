// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `bperf doctor`: what works on this host, what does not, the consequences, and the remedy. */
#include <sys/utsname.h>

#include "attach/attach.h"
#include "base/cleanup.h"
#include "cmd/command.h"
#include "cmd/hostcheck.h"
#include "host/feature.h"
#include "render/checklist.h"
#include "run/prog.h"

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

static void fill(struct checklist *list, struct arena *texts)
{
	for (u32 f = 0; f < FEATURE_N; f++)
		add_feature(list, (enum feature)f);
	hostcheck_add(texts, list);
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
	.summary = "what works on this host, and why not",
	.usage = "[-j]",
	.about =
		"Tries each kernel feature that bperf builds on, by loading and attaching the "
		"smallest program that needs it, and says which commands work.  Features that "
		"cannot be tried without privileges are marked with a question mark.  Exits with 0 when all "
		"commands work, else with 1.",
	.examples = { { "doctor", "for a person, or a bug report" },
		      { "doctor -j", "for a program" } },
	.opts = doctor_opts,
	.conf_size = sizeof(struct doctor_conf),
	.check = doctor_check,
	.run = doctor_run,
};
