// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The probes step by step, as text (--dump). */
#include "probe/probes_int.h"

#include <string.h>

#include "expr/dump.h"
#include "syntax/parse.h"

static int dump_exprs(struct probes *p, const struct probe *probe, struct text_range at,
		      const char *label, struct str *out, struct err *err)
{
	struct ast **exprs;
	u32 n;
	int ret = parse_exprs(&p->arena, &probe->spec.text, at, &exprs, &n, err);

	for (u32 i = 0; i < n && !ret; i++) {
		str_addf(out, "%s %u ", label, i + 1);
		dump_ast(exprs[i], out);
		str_addc(out, '\n');
	}
	return ret;
}

static int dump_predicate(struct probes *p, const struct probe_spec *spec, struct str *out,
			  struct err *err)
{
	struct ast *e;
	int ret;

	if (!spec->has_predicate)
		return 0;
	ret = parse_expr(&p->arena, &spec->text, spec->predicate, &e, err);
	if (ret)
		return ret;
	str_adds(out, "predicate ");
	dump_ast(e, out);
	str_addc(out, '\n');
	return 0;
}

static int dump_asts(struct probes *p, const struct probe *probe, struct str *out, struct err *err)
{
	int ret = 0;

	part_for_each(part, probe) {
		if (ret || !probe->spec.span)
			break;
		str_addf(out, "# %s %s\n", part->is_start ? "start" : "end", part->name);
		ret = part->spec->key.n ? dump_exprs(p, probe, part->spec->key, "key", out, err)
					: 0;
		ret = ret ?: dump_predicate(p, part->spec, out, err);
	}
	ret = ret ?: dump_exprs(p, probe, probe->spec.key, "key", out, err);
	ret = ret	  ?: dump_predicate(p, &probe->spec, out, err)
			  ?: dump_exprs(p, probe, probe->spec.action, "value", out, err);
	ret = ret ?: dump_exprs(p, probe, probe->spec.exprs, "value", out, err);
	for (size_t i = 0; i < probe->spec.columns.n && !ret; i++)
		ret = dump_exprs(p, probe, probe->spec.columns.items[i].expr, "column", out, err);
	return ret;
}

static void dump_one(const char *label, const struct tree *t, struct str *out)
{
	if (!t)
		return;
	str_addf(out, "%s ", label);
	dump_tree(t, out);
	str_addc(out, '\n');
}

static bool is_summed(const struct gen_plan *plan)
{
	return plan->work.action == GEN_COUNT || plan->work.action == GEN_KEYED;
}

static void dump_types(const struct probe_group *g, struct str *out)
{
	for (u32 i = 0; i < g->n_span_key; i++)
		dump_one("key", g->span_key[i], out);
	dump_one("when", g->when, out);
	dump_one("predicate", g->predicate, out);
	for (u32 i = 0; g->gen.work.action == GEN_START && i < g->gen.work.n_values; i++)
		dump_one("saved", g->gen.work.values[i], out);
	for (u32 i = 0; i < g->gen.work.n_key; i++)
		dump_one("by", g->gen.work.key[i], out);
	dump_one("value", g->gen.work.value, out);
	for (u32 i = 0; i < g->gen.work.n_more; i++)
		dump_one("value", g->gen.work.more[i].value, out);
	for (u32 i = 0; is_summed(&g->gen) && i < g->gen.work.n_values; i++)
		dump_one("sum", g->gen.work.values[i], out);
	for (u32 i = 0; i < g->n_values; i++)
		dump_one(g->names[i], g->values[i], out);
}

static void dump_code(const struct probe *probe, const struct probe_group *g, struct str *out)
{
	if (g->has_entry && !g->entry_is_shared) {
		str_adds(out, "# entry\n");
		insns_dump(&g->entry_code, &probe->spec.text, out);
	}
	if (g->has_entry)
		str_adds(out, "# return\n");
	insns_dump(&g->code, &probe->spec.text, out);
}

int probes_dump(struct probes *p, const char *what, struct str *out, struct err *err)
{
	if (!strcmp(what, "bpf") && dispatch_dump(p, out, err))
		return -err->code;
	probe_for_each(probe, p) {
		int ret = 0;

		if (probe->is_column && !probe->groups.n)
			continue; /* a column that another one's program fills */
		str_addf(out, "# %s\n", probe->name);
		if (!strcmp(what, "ast"))
			ret = dump_asts(p, probe, out, err);
		if (ret)
			return ret;
		group_for_each(g, probe) {
			if (probe->spec.span && strcmp(what, "ast") != 0)
				str_addf(out, "# %s %s\n", g->part->is_start ? "start" : "end",
					 g->part->name);
			if (!strcmp(what, "types"))
				dump_types(g, out);
			if (!strcmp(what, "bpf"))
				dump_code(probe, g, out);
		}
	}
	return 0;
}
