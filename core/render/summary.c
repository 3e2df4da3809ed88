// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/summary.h"

#include <string.h>
#include <time.h>

#include "base/shell.h"
#include "base/utf8.h"

void about_command(struct str *out, const struct run_info *run)
{
	struct str line = { 0 };

	str_adds(&line, "bperf");
	for (int i = 0; i < run->argc; i++) {
		str_addc(&line, ' ');
		shell_add_word(&line, run->argv[i]);
	}
	utf8_add_clean(out, str_view(&line));
	str_release(&line);
}

void about_host(struct str *out, const struct run_info *run)
{
	struct str line = { 0 };

	if (run->host)
		str_adds(&line, run->host);
	if (run->host && run->kernel)
		str_adds(&line, ", ");
	if (run->kernel)
		str_addf(&line, "Linux %s %s, %u CPU%s", run->kernel, run->arch ? run->arch : "",
			 run->cpus_online, run->cpus_online == 1 ? "" : "s");
	utf8_add_clean(out, str_view(&line));
	str_release(&line);
}

static void add_event(struct str *out, const char *event, u64 freq_hz, u64 period)
{
	str_adds(out, event);
	if (period) {
		str_adds(out, ", one sample in ");
		units_add_grouped(out, period);
	} else if (freq_hz) {
		str_addf(out, " at %llu Hz", freq_hz);
	}
}

void about_event(struct str *out, const struct run_info *run)
{
	struct str line = { 0 };

	if (!run->event)
		return;
	add_event(&line, run->event, run->freq_hz, run->period);
	if (run->second_event) {
		str_adds(&line, "; ");
		add_event(&line, run->second_event, run->second_freq_hz, run->second_period);
	}
	utf8_add_clean(out, str_view(&line));
	str_release(&line);
}

void about_when(struct str *out, const struct run_info *run, u64 start_ns, u64 end_ns)
{
	u64 ns = end_ns - start_ns;
	time_t at = (time_t)((run->realtime_ns + start_ns) / NS_PER_SEC);
	char text[40];
	struct tm tm;

	/* A saved file need not contain how long its run took, or when it was. */
	if (end_ns || run->realtime_ns)
		str_addf(out, "%llu.%llu s", ns / NS_PER_SEC, ns % NS_PER_SEC / (NS_PER_SEC / 10));
	if (run->realtime_ns && gmtime_r(&at, &tm) &&
	    strftime(text, sizeof(text), " from %Y-%m-%d %H:%M:%S UTC", &tm))
		str_adds(out, text);
}

static void add_apart(struct str *out, const struct unit_info *unit, u64 ns)
{
	if (unit)
		units_add_time_in(out, *unit, ns);
	else
		units_add_time(out, ns);
}

void about_apart(struct str *out, const struct unit_info *unit, u64 whole_ns, u64 total_ns,
		 u64 left_ns)
{
	if (whole_ns) {
		str_adds(out, ", ");
		add_apart(out, unit, whole_ns);
		str_addf(out, " of it (%.1f %%) in waits through the whole window",
			 units_percent(whole_ns, total_ns));
	}
	if (left_ns) {
		str_adds(out, ", ");
		add_apart(out, unit, left_ns);
		str_adds(out, " of waits not over left out");
	}
}

static void add_known(struct str *out, const struct ledger *l)
{
	const char *before = "lost: ";

	for (int i = 0; i < LOST_N_REASONS; i++) {
		if (!l->lost[i] || l->lost[i] == LOST_UNKNOWN || i == LOST_missed)
			continue;
		str_adds(out, before);
		units_add_grouped(out, l->lost[i]);
		str_addf(out, " %s", lost_texts[i]);
		before = ", ";
	}
}

/* "user stacks complete: 97.3 % (unwind table late 1.9 %, no unwind info 0.8 %)".  Shares are of
 * what rows count; 100 % is shown only if all are complete. */
static void add_completeness(struct str *out, const struct ledger *l)
{
	double share = ledger_complete_share(l);
	const char *before = " (";

	if (share < 0)
		return;
	if (share >= 1) {
		str_adds(out, "; user stacks complete: 100 %");
		return;
	}
	str_addf(out, "; user stacks complete: %.1f %%", share > 0.999 ? 99.9 : share * 100);
	for (int i = 0; i < TRUNCATION_N_REASONS; i++) {
		if (!l->stacks.user_truncated[i])
			continue;
		str_addf(out, "%s%s %.1f %%", before, truncation_texts[i],
			 units_percent(l->stacks.user_truncated[i], l->stacks.user));
		before = ", ";
	}
	str_adds(out, ")");
}

static void add_lost(struct str *out, const struct ledger *l)
{
	u64 missed = l->lost[LOST_missed] == LOST_UNKNOWN ? 0 : l->lost[LOST_missed];

	if (ledger_is_unknown(l)) {
		str_adds(out, "lost: not known");
		return;
	}
	if (ledger_total(l) > missed)
		add_known(out, l);
	else
		str_adds(out, "lost: none");
	/* A host that hides its agents never reports all switches, so these are not listed under
	 * "lost", which should alarm. */
	if (missed) {
		str_adds(out, "; missed: ");
		units_add_grouped(out, missed);
		str_addf(out, " event%s %s", missed == 1 ? "" : "s", lost_texts[LOST_missed]);
	}
	for (int i = 0; i < LOST_N_REASONS; i++)
		if (l->lost[i] == LOST_UNKNOWN)
			str_addf(out, "; %s: not countable here", lost_names[i]);
}

void about_losses(struct str *out, const struct ledger *l)
{
	add_lost(out, l);
	if (l->stacks.truncated) {
		str_adds(out, "; ");
		units_add_grouped(out, l->stacks.truncated);
		str_adds(out, l->stacks.truncated == 1 ? " stack truncated" : " stacks truncated");
	}
	add_completeness(out, l);
	if (l->keys_cut) {
		str_adds(out, "; ");
		units_add_grouped(out, l->keys_cut);
		str_adds(out, l->keys_cut == 1 ? " event with a truncated key"
					       : " events with truncated keys");
	}
	if (l->symbols.too_costly) {
		str_adds(out, "; ");
		units_add_grouped(out, l->symbols.too_costly);
		str_adds(out, l->symbols.too_costly == 1 ? " place" : " places");
		str_adds(out, " without a name: too costly to read");
	}
}
