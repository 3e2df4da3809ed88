// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Run a command with its words: parse, check, run. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/live.h"
#include "host/feature.h"
#include "translate/translate.h"

static int run(const struct command *c, void *conf, int argc, char **argv, int *status,
	       struct err *err)
{
	const struct live_part live = c->live ? c->live(conf) : (struct live_part){ 0 };

	if (live.output && live.output->live)
		return command_run_live(c, conf, argc, argv, status, err);
	return c->run(conf, argc, argv, status, err);
}

static const char *probe_words(const struct command *c, const void *conf)
{
	return c->probe_without_words ? c->probe_without_words(conf) : NULL;
}

int command_run(const struct command *c, int argc, char **argv, int *status, struct err *err)
{
	void *conf = mem_alloc(1, c->conf_size);
	struct opt_rest rest = { 0 };
	enum opt_ask ask;
	int ret;

	if (c->defaults)
		c->defaults(conf);
	ret = opt_parse(c->opts, conf, argc, argv, &rest, &ask, err);
	if (ask == OPT_ASK_HELP)
		help_of(c, stdout);
	if (ask == OPT_ASK_VERSION)
		version_print(stdout);
	if (!ret && !ask && c->check)
		ret = c->check(conf, &rest, err);
	if (ret == -ERR_USAGE)
		live_explain(c, argc, argv, err);
	if (ret == -ERR_USAGE && !err->hint[0])
		err_hint(err, "bperf %s --help lists the options", c->name);
	/* Under lockdown, the kernel lets programs read only zeros, or calls them wrongly: check
	 * before the run. */
	if (!ret && !ask)
		ret = feature_require(c->needs & FEATURE_BIT(LOCKDOWN), err)
			      ?: run(c, conf, argc, argv, status, err);
	/* doctor's explanation is better than the error of a failed load. */
	if (ret == -ERR_KERNEL)
		ret = feature_require(c->needs, err) ?: ret;
	if (c->usage && strstr(c->usage, "-- program"))
		translate_program(c->name, probe_words(c, conf), &rest, argc, argv, ret, err);
	if (c->release)
		c->release(conf);
	opt_rest_release(&rest);
	free(conf);
	return ret;
}
