// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the ledger of a page: what was run, where and when; what was lost and why; how complete
 * stacks and names are; and what the run cost. */
#include "render/html.h"
#include "render/htmltable.h"
#include "render/summary.h"
#include "render/units.h"

#define NOT_COUNTABLE "not countable here"

/* ---- lines -------------------------------------------------------------------------------- */

static void start_card(struct str *buf, const char *title)
{
	str_adds(buf, "<div class=\"card\">\n");
	html_element(buf, "h3", title);
	str_adds(buf, "<table>\n");
}

static void end_card(struct str *buf)
{
	str_adds(buf, "</table>\n</div>\n");
}

static void add_line(struct str *buf, const char *name, const char *value)
{
	str_adds(buf, "<tr><th scope=\"row\">");
	html_text(buf, name);
	str_adds(buf, "</th><td>");
	html_text(buf, value);
	str_adds(buf, "</td></tr>\n");
}

static void add_count(struct str *buf, const char *name, u64 value)
{
	struct str text = { 0 };

	if (value == LOST_UNKNOWN)
		str_adds(&text, NOT_COUNTABLE);
	else
		units_add_grouped(&text, value);
	add_line(buf, name, str_text(&text));
	str_release(&text);
}

static void add_nonzero(struct str *buf, const char *name, u64 value)
{
	if (value)
		add_count(buf, name, value);
}

static void add_percent(struct str *buf, const char *name, double percent)
{
	struct str text = { 0 };

	str_addf(&text, "%.1f %%", percent);
	add_line(buf, name, str_text(&text));
	str_release(&text);
}

static void add_kb(struct str *buf, const char *name, u64 kb)
{
	struct str text = { 0 };

	units_add_grouped(&text, kb);
	str_adds(&text, " kB");
	add_line(buf, name, str_text(&text));
	str_release(&text);
}

static void add_time(struct str *buf, const char *name, u64 ns)
{
	struct str text = { 0 };

	units_add_time(&text, ns);
	add_line(buf, name, str_text(&text));
	str_release(&text);
}

/* ---- cards -------------------------------------------------------------------------------- */

static void add_run(struct render *out, const struct run_end *end)
{
	struct str *buf = &out->sink->buf, text = { 0 };
	const struct run_info *run = out->run;

	start_card(buf, "Run");
	about_command(&text, run);
	add_line(buf, "Command", str_text(&text));
	str_clear(&text);
	str_addf(&text, "bperf %s", run->version);
	add_line(buf, "Tool", str_text(&text));
	str_clear(&text);
	about_host(&text, run);
	add_line(buf, "Host", str_text(&text));
	add_line(buf, "Boot", run->boot_id ? run->boot_id : "");
	if (run->event) {
		str_clear(&text);
		about_event(&text, run);
		add_line(buf, "Event", str_text(&text));
	}
	if (end) {
		add_time(buf, "Watched for", end->elapsed_ns);
		add_line(buf, "Ended by", end->reason ? end->reason : "");
	} else {
		add_line(buf, "Ended by", "not yet: a snapshot");
	}
	end_card(buf);
	str_release(&text);
}

static void add_losses(struct str *buf, const struct ledger *l)
{
	start_card(buf, "Losses");
	for (int i = 0; i < LOST_N_REASONS; i++)
		add_count(buf, lost_texts[i], l->lost[i]);
	add_nonzero(buf, "events with truncated keys", l->keys_cut);
	end_card(buf);
}

/* Show 100 % only if all are complete. */
static void add_stacks(struct str *buf, const struct ledger *l)
{
	double share = ledger_complete_share(l);

	if (!l->stacks.complete && !l->stacks.truncated && share < 0)
		return;
	start_card(buf, "Stacks");
	add_count(buf, "complete", l->stacks.complete);
	add_count(buf, "truncated", l->stacks.truncated);
	if (share >= 0)
		add_percent(buf, "user stacks complete",
			    share < 1 && share > 0.999 ? 99.9 : share * 100);
	for (int i = 0; i < TRUNCATION_N_REASONS; i++)
		if (l->stacks.user_truncated[i])
			add_percent(buf, truncation_texts[i],
				    units_percent(l->stacks.user_truncated[i], l->stacks.user));
	end_card(buf);
}

static void add_names(struct str *buf, const struct ledger *l)
{
	if (!l->symbols.frames)
		return;
	start_card(buf, "Names");
	add_count(buf, "frames", l->symbols.frames);
	add_count(buf, "with a name", l->symbols.symbolized);
	add_nonzero(buf, "file without symbols there", l->symbols.stripped);
	add_nonzero(buf, "compiled at run time, no perf map", l->symbols.jit_no_map);
	add_nonzero(buf, "process gone before it was read", l->symbols.exited);
	add_nonzero(buf, "too costly to read", l->symbols.too_costly);
	for (int i = 0; i < LEDGER_COSTLY_FILES && l->symbols.costly_files[i]; i++)
		add_line(buf, "too costly file", l->symbols.costly_files[i]);
	end_card(buf);
}

/* Files of intervals do not contain the cost, because it is measured at the end of the run. */
static void add_cost(struct str *buf, const struct ledger *l)
{
	if (!l->cost.rss_kb)
		return;
	start_card(buf, "Cost");
	add_time(buf, "CPU time of bperf", l->cost.user_ms * NS_PER_MS);
	add_kb(buf, "memory, at most", l->cost.rss_kb);
	add_kb(buf, "BPF maps", l->cost.map_kb);
	if (l->cost.bpf_runs != LOST_UNKNOWN)
		add_count(buf, "runs of BPF programs", l->cost.bpf_runs);
	if (l->cost.bpf_ns != LOST_UNKNOWN)
		add_time(buf, "time in BPF programs", l->cost.bpf_ns);
	end_card(buf);
}

static void add_probe(struct str *buf, const struct event_probe *p)
{
	start_card(buf, p->name);
	add_count(buf, "events", p->hits);
	add_nonzero(buf, "not sent: ring buffer full", p->ring_full);
	add_nonzero(buf, "inside too many other probes", p->busy);
	add_nonzero(buf, "with a value that could not be read", p->absent);
	add_nonzero(buf, p->is_span ? "ends without a start" : "returns without a call",
		    p->no_start);
	add_nonzero(buf, p->is_span ? "starts without an end" : "calls that did not return",
		    p->unreturned);
	add_nonzero(buf, "calls not remembered: table full", p->map_full);
	add_nonzero(buf, "starts not remembered: table full", p->span_full);
	add_nonzero(buf, "calls nested too deep", p->too_deep);
	add_nonzero(buf, "not reported by the kernel", p->missed);
	end_card(buf);
}

void html_ledger(struct render *out, const struct ledger *l, const struct run_end *end)
{
	struct str *buf = &out->sink->buf;

	html_section_start(buf, "ledger", "Ledger");
	str_adds(buf, "<div class=\"cards\">\n");
	add_run(out, end);
	add_losses(buf, l);
	add_stacks(buf, l);
	add_names(buf, l);
	add_cost(buf, l);
	for (size_t i = 0; end && i < end->n_probes; i++)
		add_probe(buf, &end->probes[i]);
	str_adds(buf, "</div>\n");
	if (out->warnings.n) {
		html_element(buf, "h3", "Warnings");
		str_addf(buf, "<ul class=\"warnings\">\n%s</ul>\n", str_text(&out->warnings));
	}
	html_section_end(buf);
}
