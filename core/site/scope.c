// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/scope.h"

#include <bpf/btf.h>

#include "host/syscalls.h"
#include "site/callnames.h"
#include "site/libcalls.h"
#include "site/match.h"
#include "site/usertypes.h"
#include "type/build.h"

/* The site and the caller's data, for the functions below. */
struct offer_ctx {
	struct kernel *k;
	const struct probe_plan *plan;
	const struct site *s;
	struct types *types;
	const struct text *t;
	const struct ast_signature *sig;
	struct err *err;
};

/* ---- kind of program, kind of memory ---- */

static enum scope_ctx ctx_of(const struct probe_plan *plan, const struct site *s)
{
	static const enum scope_ctx by_method[ATTACH_METHOD_N] = {
		[ATTACH_RAW_TP] = SCOPE_WORDS,
		[ATTACH_TP_BTF] = SCOPE_WORDS,
		[ATTACH_TRACEPOINT] = SCOPE_RECORD,
		[ATTACH_FENTRY] = SCOPE_WORDS,
		[ATTACH_KPROBE_MULTI] = SCOPE_REGS,
		[ATTACH_KPROBE_EVENT] = SCOPE_REGS,
		[ATTACH_KPROBE] = SCOPE_REGS,
		[ATTACH_UPROBE_MULTI] = SCOPE_REGS,
		[ATTACH_UPROBE_EVENT] = SCOPE_REGS,
		[ATTACH_UPROBE] = SCOPE_REGS,
		[ATTACH_PERF] = SCOPE_REGS,
		[ATTACH_SYSCALL_RAW] = SCOPE_SYSCALL,
		[ATTACH_SYSCALL_EVENT] = SCOPE_SYSCALL_EVENT,
	};

	if (s->is_syscall_wrapper && by_method[plan->method] == SCOPE_REGS)
		return SCOPE_REGS_INNER;
	return by_method[plan->method];
}

/* A sys_exit tracepoint whose own record is read is an ordinary event. */
static bool is_exit_as_return(const struct probe_plan *plan, const struct site *s)
{
	return attach_method_is_syscall(plan->method) && site_is_syscall_exit(s);
}

static enum scope_side side_of(const struct probe_plan *plan, const struct site *s)
{
	static const enum scope_side by_kind[SITE_KIND_N] = {
		[SITE_FUNC] = SIDE_ENTRY,	[SITE_UFUNC] = SIDE_ENTRY,
		[SITE_SYSCALL] = SIDE_ENTRY,	[SITE_TRACEPOINT] = SIDE_EVENT,
		[SITE_RAW] = SIDE_EVENT,	[SITE_USDT] = SIDE_EVENT,
		[SITE_PERF] = SIDE_EVENT,	[SITE_FUNC_RET] = SIDE_RETURN,
		[SITE_UFUNC_RET] = SIDE_RETURN, [SITE_SYSCALL_RET] = SIDE_RETURN,
	};

	return is_exit_as_return(plan, s) ? SIDE_RETURN : by_kind[s->kind];
}

static enum space space_of(const struct probe_plan *plan, const struct site *s)
{
	if (site_kind_is_user(s->kind) || s->is_syscall_wrapper ||
	    attach_method_is_syscall(plan->method) ||
	    (s->kind == SITE_TRACEPOINT && !strcmp(s->category, "syscalls")))
		return SPACE_USER;
	if (s->kind == SITE_FUNC || s->kind == SITE_FUNC_RET)
		return SPACE_EITHER;
	return SPACE_KERNEL;
}

/* At interrupts, completions and scheduler events, the current task is unrelated to the event. */
static bool is_of_any_task(const struct site *s)
{
	static const char *const categories[] = { "irq",       "irq_vectors", "timer", "napi",
						  "workqueue", "rcu",	      "ipi" };
	static const char *const globs[] = {
		"sched_switch",
		"sched_wak*",
		"sched_migrate_task",
		"sched_stat_*",
		"sched_pi_*",
		"block_rq_comp*",
		"block_bio_complete",
		"block_rq_issue",
		"netif_*receive*",
		"napi_*",
		"net_dev_xmit",
		"tcp_retransmit_*",
		"tcp_receive_*",
		"tcp_rcv_*",
		"tcp_v4_rcv",
		"tcp_v6_rcv",
		"tcp_probe",
		"inet_sock_set_*",
		"consume_skb",
		"kfree_skb*",
		"softirq_*",
		"irq_handler_*",
		"hrtimer_*",
		"timer_*",
		"ip_rcv*",
		"ipv6_rcv*",
		"blk_mq_end_*",
		"blk_update_request",
		"*account_io_done",
		"finish_task_switch*",
		"try_to_wake_up",
		"ttwu_*",
	};

	if (s->kind != SITE_TRACEPOINT && s->kind != SITE_RAW && s->kind != SITE_FUNC &&
	    s->kind != SITE_FUNC_RET)
		return false;
	for (size_t i = 0; s->category && i < ARRAY_SIZE(categories); i++)
		if (!strcmp(s->category, categories[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
		if (glob_match(globs[i], view_of(s->func)))
			return true;
	return false;
}

/* ---- names, by kind ---- */

static int offer_signature(const struct offer_ctx *c, struct scope *out)
{
	const struct func_alias *alias = c->s->alias;

	if (!c->sig || !c->sig->at.n)
		return 0;
	if (scope_signature(out, c->t, c->sig, c->err))
		return -c->err->code;
	for (u32 i = 0; alias && i < alias->n_args && i < c->sig->n_params; i++)
		if (alias->args[i] && c->sig->params[i].name)
			scope_alias(out, c->sig->params[i].name, alias->args[i]);
	return 0;
}

/* futex(), futex_wait(), futex_wake() */
static bool is_futex_word(const char *call, const struct scope_name *name)
{
	return !strncmp(call, "futex", 5) && name->is_args && name->value &&
	       (!strcmp(name->name, "uaddr") || !strcmp(name->name, "uaddr2"));
}

/* The values of a call's arguments by name: flags, operations, locks. */
static void name_values(struct scope *out, const char *call)
{
	struct scope_name *name;

	vec_for_each(name, &out->names) {
		const struct type_names *names =
			name->is_args ? call_value_names(call, name->name) : NULL;

		if (name->is_args && name->value)
			name->n_bytes = call_data_bytes(call, name->name, out->side == SIDE_RETURN,
							&name->is_text);
		if (is_futex_word(call, name))
			name->value = tree_shown(out->types, name->value, SHOW_USYM);
		if (!strcmp(call, "umask") && name->is_args && name->value)
			name->value = tree_shown(out->types, name->value, SHOW_OCTAL);
		if (names && name->value && name->value->type->kind == TYPE_INT &&
		    !name->value->type->names)
			name->value = tree_named(out->types, name->value, names);
	}
}

static int no_signature(const struct offer_ctx *c, const char *instead)
{
	if (!c->sig || !c->sig->at.n)
		return 0;
	text_error(c->t, c->sig->at, c->err, "this kind of site takes no signature");
	return err_hint(c->err, "%s", instead);
}

/* argN of the function that the user named, if the arguments of the function that replaced it
 * differ. */
static void offer_alias(const struct offer_ctx *c, struct scope *out)
{
	const struct func_alias *alias = c->s->alias;

	for (u32 i = 0; alias && i < alias->n_args; i++)
		if (alias->args[i])
			scope_alias(out, arena_printf(out->arena, "arg%u", i + 1), alias->args[i]);
}

static u32 n_btf_params(const struct site *s)
{
	const struct btf_type *t = s->btf ? btf__type_by_id(s->btf, s->btf_id) : NULL;

	if (t && btf_is_func(t))
		t = btf__type_by_id(s->btf, t->type);
	return t && btf_is_func_proto(t) && btf_vlen(t) > s->btf_skip ? btf_vlen(t) - s->btf_skip
								      : 0;
}

/* Arguments by position, of kernel functions and typed tracepoints. */
static void offer_args(const struct offer_ctx *c, struct scope *out)
{
	const struct site *s = c->s;
	enum attach_method m = c->plan->method;

	if (s->btf_id && (m == ATTACH_FENTRY || m == ATTACH_TP_BTF))
		scope_hide_words(out, s->btf, s->btf_id, s->btf_skip);
	scope_args(out, n_btf_params(s));
}

static int offer_function(const struct offer_ctx *c, struct scope *out)
{
	const struct site *s = c->s;
	bool has_args = out->side != SIDE_RETURN || out->ctx == SCOPE_WORDS;

	offer_args(c, out);
	if (s->btf_id && !s->offset && scope_btf_func(out, s->btf, s->btf_id, s->btf_skip, c->err))
		return -c->err->code;
	if (s->offset)
		out->no_args = "inside a function its arguments may be anywhere: %REG reads a "
			       "register";
	if (!strcmp(s->func, "cap_capable"))
		name_values(out, s->func);
	if (!has_args)
		return 0;
	offer_alias(c, out);
	return offer_signature(c, out);
}

static int offer_libcall(const struct offer_ctx *c, struct scope *out)
{
	u32 n;
	const struct site_param *params = libcall_params(c->s, &n);

	for (u32 i = 0; i < n; i++)
		if (scope_param(out, i, params[i].c_type, params[i].name, c->err))
			return -c->err->code;
	return 0;
}

static int offer_user_function(const struct offer_ctx *c, struct scope *out)
{
	const struct site *s = c->s;
	u32 id = 0;
	const struct btf *btf = s->file->has_btf ? user_btf(c->k, s->file, s->symbol, &id) : NULL;

	if (btf) {
		types_add_btf(c->types, btf); /* its enumerators */
		types_set_user_btf(c->types, btf);
	}
	scope_args(out, 6);
	if (id && !s->offset && scope_btf_func(out, btf, id, 0, c->err))
		return -c->err->code;
	if (s->offset)
		out->no_args = "inside a function its arguments may be anywhere: %REG reads a "
			       "register";
	if (out->side == SIDE_RETURN)
		return 0;
	return (id ? 0 : offer_libcall(c, out)) ?: offer_signature(c, out);
}

/* Enumerators that are not in the kernel's BTF have no value and are left out. */
static const struct type_names *names_of(const struct scope *s, const struct tp_field *f)
{
	struct type_names *names;
	struct type_name *items;
	u32 n = 0;

	if (!f->n_names)
		return NULL;
	names = arena_new(s->arena, struct type_names);
	items = arena_alloc(s->arena, f->n_names, sizeof(*items));
	for (u32 i = 0; i < f->n_names; i++) {
		const struct tp_name *name = &f->names[i];
		u64 value = name->value;

		if (!name->enumerator || scope_enumerator(s, name->enumerator, &value))
			items[n++] = (struct type_name){ value, name->name };
	}
	*names = (struct type_names){ .items = items, .n = n, .is_flags = f->names_are_flags };
	return n ? names : NULL;
}

/* The format of fields whose type is a plain number. */
static enum show field_show(const struct site *s, const char *field)
{
	static const struct {
		const char *category, *field;
		enum show show;
	} rows[] = {
		{ "raw_syscalls", "id", SHOW_SYSCALL },
	};

	for (size_t i = 0; s->category && i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].category, s->category) && !strcmp(rows[i].field, field))
			return rows[i].show;
	return SHOW_DEFAULT;
}

/* "openat" of sys_enter_openat */
static const char *call_of_tracepoint(const char *func)
{
	static const char prefix[] = "sys_enter_";
	size_t n = sizeof(prefix) - 1;

	return strncmp(func, prefix, n) ? func : func + n;
}

/* Categories of tracepoints with fields that are arguments of system calls. */
static bool has_named_values(const char *category)
{
	return category && (!strcmp(category, "syscalls") || !strcmp(category, "signal") ||
			    !strcmp(category, "capability"));
}

static int offer_record(const struct offer_ctx *c, struct scope *out)
{
	const struct tp_format *format = c->s->format;

	for (u32 i = 0; format && i < format->n_fields; i++) {
		const struct tp_field *f = &format->fields[i];
		struct scope_field field = {
			.name = f->name,
			.c_type = f->c_type,
			.kind = (enum scope_field_kind)f->loc,
			.offset = f->offset,
			.size = f->size,
			.is_signed = f->is_signed,
			.names = names_of(out, f),
			.show = field_show(c->s, f->name),
		};

		scope_field(out, &field);
	}
	if (c->s->category && !strcmp(c->s->category, "raw_syscalls"))
		scope_knows_compat(out);
	if (has_named_values(c->s->category))
		name_values(out, call_of_tracepoint(c->s->func));
	return no_signature(c, "its fields have names and types of their own: args->NAME");
}

static int offer_raw(const struct offer_ctx *c, struct scope *out)
{
	struct scope_name *name;
	int ret;

	offer_args(c, out);
	if (!strcmp(c->s->func, "sys_enter") || !strcmp(c->s->func, "sys_exit"))
		scope_knows_compat(out);
	if (!c->s->btf_id)
		return 0;
	ret = scope_btf_func(out, c->s->btf, c->s->btf_id, c->s->btf_skip, c->err);
	if (!ret && !strcmp(c->s->func, "sys_enter"))
		vec_for_each(name, &out->names)
			if (!strcmp(name->name, "id"))
				name->value = tree_shown(out->types, name->value, SHOW_SYSCALL);
	return ret ?: offer_signature(c, out);
}

static int offer_nothing(const struct offer_ctx *c, struct scope *out)
{
	out->has_period = true;
	return no_signature(c, "it has no arguments");
}

static int offer_usdt(const struct offer_ctx *c, struct scope *out)
{
	const struct usdt_location *u = c->s->usdt;

	for (u32 i = 0; i < u->n_operands; i++) {
		const struct usdt_operand *op = &u->operands[i];
		struct scope_operand o = {
			.kind = (enum scope_operand_kind)op->kind,
			.size = op->size,
			.is_signed = op->is_signed,
			.has_index = op->has_index,
			.value = op->value,
			.scale = op->scale,
		};
		u32 bytes, shift = 0, none;

		if (op->reg[0] &&
		    !scope_register(out->arch, op->reg, &o.reg_offset, &bytes, &shift))
			o.kind = OPERAND_NONE;
		if (op->has_index &&
		    !scope_register(out->arch, op->index, &o.index_offset, &bytes, &none))
			o.kind = OPERAND_NONE;
		o.reg_shift = (u8)shift;
		scope_operand(out, i, &o);
	}
	return no_signature(c, "its arguments are arg1, arg2, ...: cast them");
}

/* ---- system calls ---- */

static void add_value(struct scope *out, const char *name, const struct tree *value, bool is_arg)
{
	if (value)
		vec_push(&out->names, (struct scope_name){ .name = name,
							   .value = value,
							   .is_bare = true,
							   .is_args = true,
							   .is_arg = is_arg });
}

/* These calls replace the task's registers. */
static bool replaces_registers(u32 nr)
{
	const char *name = syscall_name(nr);

	return name && (!strcmp(name, "execve") || !strcmp(name, "execveat") ||
			!strcmp(name, "rt_sigreturn"));
}

/* Many calls without parameters share one program, which looks up the number. */
static bool shares_program(const struct probe_plan *plan)
{
	const struct site *s;

	if (plan->sites.n < 2)
		return false;
	vec_for_each(s, &plan->sites)
		if (s->n_params)
			return false;
	return true;
}

static int offer_syscall(const struct offer_ctx *c, struct scope *out)
{
	const struct site *s = c->s;
	bool is_exit = out->side == SIDE_RETURN;

	out->n_record_args = s->n_params;
	scope_syscall(out, shares_program(c->plan) ? SCOPE_ANY_SYSCALL : s->nr);
	scope_args(out, 6);
	if (is_exit && scope_retval(out, "long", c->err))
		return -c->err->code;
	if (is_exit && replaces_registers(s->nr)) {
		out->names.n = 0;
		out->no_args = "a new program has replaced the arguments: $entry(NAME) keeps one";
	}
	if (s->kind == SITE_TRACEPOINT)
		add_value(out, "__syscall_nr", tree_shown(out->types, out->number, SHOW_SYSCALL),
			  false);
	if (is_exit && s->kind == SITE_TRACEPOINT)
		add_value(out, "ret", out->retval, false);
	if (is_exit && replaces_registers(s->nr))
		return 0;
	for (u32 i = 0; i < s->n_params && i < 6; i++)
		if (scope_param(out, i, s->params[i].c_type, s->params[i].name, c->err))
			return -c->err->code;
	name_values(out, syscall_kernel_name(s->nr) ?: "");
	/* The exit's own record has only the return value, which is shown anyway. */
	for (size_t i = 0; is_exit && s->kind == SITE_TRACEPOINT && i < out->names.n; i++)
		out->names.items[i].is_arg = false;
	return offer_signature(c, out);
}

/* ---- all kinds ---- */

static int offer_names(const struct offer_ctx *c, struct scope *out)
{
	static int (*const by_kind[SITE_KIND_N])(const struct offer_ctx *, struct scope *) = {
		[SITE_FUNC] = offer_function,	    [SITE_FUNC_RET] = offer_function,
		[SITE_UFUNC] = offer_user_function, [SITE_UFUNC_RET] = offer_user_function,
		[SITE_TRACEPOINT] = offer_record,   [SITE_RAW] = offer_raw,
		[SITE_USDT] = offer_usdt,	    [SITE_PERF] = offer_nothing,
		[SITE_SYSCALL] = offer_syscall,	    [SITE_SYSCALL_RET] = offer_syscall,
	};

	if (attach_method_is_syscall(c->plan->method))
		return offer_syscall(c, out);
	return by_kind[c->s->kind](c, out);
}

static int make_scope(const struct offer_ctx *c, enum scope_side side, struct scope *out)
{
	const struct site *s = c->s;

	scope_init(out, c->types, ctx_of(c->plan, s), side, s->name);
	out->space = space_of(c->plan, s);
	out->is_user = site_kind_is_user(s->kind);
	if (side == SIDE_ENTRY && s->is_start)
		out->caller = scope_caller(out);
	out->is_any_task = is_of_any_task(s);
	out->syscall_number = syscall_number;
	if (side != SIDE_RETURN) {
		out->no_retval = "only a return has a value: r:...";
		out->no_entry = "only a return has an entry: r:...";
	}
	return offer_names(c, out);
}

int site_scope(struct kernel *k, const struct probe_plan *plan, u32 i, struct types *types,
	       const struct text *t, const struct ast_signature *sig, struct scope *out,
	       struct err *err)
{
	struct offer_ctx c = {
		.k = k,
		.plan = plan,
		.s = &plan->sites.items[i],
		.types = types,
		.t = t,
		.sig = sig,
		.err = err,
	};
	enum scope_side side = side_of(plan, c.s);
	int ret = make_scope(&c, side, out);

	if (ret || side != SIDE_RETURN)
		return ret;
	out->entry = arena_new(types->arena, struct scope);
	return make_scope(&c, SIDE_ENTRY, out->entry);
}
