// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/keys.h"

#include "syntax/parse.h"
#include "type/build.h"

const char *column_of_key(struct arena *a, const struct text *t, const struct ast *e)
{
	struct view v = span_view(t, e->label.n ? e->label : span_trim(t, e->at));

	if (view_starts(v, "args->")) {
		v.p += 6;
		v.n -= 6;
	} else if (v.n > 1 && v.p[0] == '$') {
		v.p++;
		v.n--;
	}
	return arena_view(a, v);
}

int key_exprs_parse(struct arena *a, const char *words, u32 max, struct key_exprs *out,
		    struct err *err)
{
	int ret;

	*out = (struct key_exprs){ .text = text_of(words) };
	ret = parse_exprs(a, &out->text, span_all(&out->text), &out->exprs, &out->n, err);
	if (ret)
		return ret;
	if (!out->n)
		return err_set(err, ERR_USAGE, "--by: an expression is missing");
	if (out->n > max)
		return text_error(&out->text, out->exprs[max]->at, err, "--by: more than %u keys",
				  max);
	out->names = arena_alloc(a, out->n, sizeof(*out->names));
	for (u32 i = 0; i < out->n; i++)
		out->names[i] = column_of_key(a, &out->text, out->exprs[i]);
	return 0;
}

int key_exprs_check(const struct key_exprs *by, const struct probe_group *g,
		    const struct tree **key, struct err *err)
{
	const struct check_opts opts = { 0 };
	int ret = 0;

	for (u32 i = 0; i < by->n && !ret; i++)
		ret = expr_check(&by->text, by->exprs[i], g->scope, CHECK_VALUE, &opts, &key[i],
				 err);
	return ret;
}

static bool is_user_symbol(const struct tree *t)
{
	return t->type->show == SHOW_USYM;
}

/* A user address belongs to a process, so the key gets the PID too: unlike an event, a report has
 * no current task. */
static const struct tree *in_process(const struct probe_group *g, const struct tree *address)
{
	struct types *t = g->scope->types;
	struct tree *both = tree_new(t->arena, TREE_BUILTIN,
				     type_bytes(t, 2 * sizeof(u64), SHOW_USYM), address->at);
	struct tree *tgid = tree_new(t->arena, TREE_BUILTIN, type_int(t, 4, true), address->at);

	tgid->builtin = BUILTIN_TGID;
	both->builtin = BUILTIN_UADDR;
	both->a = address;
	both->b = tgid;
	return both;
}

bool keys_have_user_symbols(const struct probes *p)
{
	for (size_t i = 0; i < p->v.n; i++) {
		const struct probe *probe = p->v.items[i];

		for (size_t k = 0; k < probe->groups.n; k++) {
			const struct gen_plan *g = &probe->groups.items[k]->gen;

			for (u32 n = 0; n < g->work.n_key; n++)
				if (is_user_symbol(g->work.key[n]))
					return true;
		}
	}
	return false;
}

void keys_find_mappings(struct proberun *run)
{
	if (!run->wants_mappings)
		return;
	perfev_read_side(&run->engine.perf);
	engine_apply_side(&run->engine, UINT64_MAX);
}

void key_bind(struct probe_group *g, const struct tree **key, u32 n)
{
	scope_mark_values(g->scope, key, n);
	for (u32 i = 0; i < n; i++)
		if (is_user_symbol(key[i]) && type_is_scalar(key[i]->type))
			key[i] = in_process(g, key[i]);
		else
			key[i] = probe_key_part(g->scope->types, key[i]);
	g->gen.work.key = (const struct tree *const *)key;
	g->gen.work.n_key = n;
}
