// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Built-in functions, one row each.  Many are inline functions of the kernel's headers, written as
 * expressions. */
#include <stdio.h>

#include "expr/call_int.h"

int call_wrong(struct checked_call *call, struct text_range at, const char *what)
{
	check_error(call->c, at, "%s", what);
	return check_hint(call->c, "%s", call->fn->usage);
}

static int expand(struct checked_call *call, struct value *out)
{
	struct binding b[3] = {
		{ "a", &call->args[0], NULL },
		{ "b", &call->args[1], &b[0] },
		{ "c", &call->args[2], &b[1] },
	};

	return check_macro(call->c, call->fn->macro, &b[2], call->e->at, out);
}

/* ---- numbers ---- */

static int check_swap(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct type *type = type_int(c->types, call->fn->number, false);
	const struct tree *a;
	int ret = value_scalar(c, &call->args[0], &a);

	if (ret)
		return ret;
	value_set_builtin(call->c, BUILTIN_BSWAP, type, tree_cast(c->types, a, type), call->e->at,
			  out);
	return 0;
}

static bool is_task(const struct type *t)
{
	return t->kind == TYPE_POINTER && t->to && t->to->name &&
	       !strcmp(t->to->name, "struct task_struct");
}

static int check_target(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct tree *a;
	int ret = value_scalar(c, &call->args[0], &a);

	if (ret)
		return ret;
	if (!is_task(a->type))
		return call_wrong(call, call->e->args[0]->at, "it takes a struct task_struct *");
	value_set_builtin(call->c, (enum builtin)call->fn->number, type_int(c->types, 4, true), a,
			  call->e->at, out);
	return 0;
}

static int check_shown(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct tree *a;
	struct type *type;
	int ret = value_scalar(c, &call->args[0], &a);

	if (ret)
		return ret;
	/* The result is a number, because for a pointer %s would read a string at that address. */
	type = type_copy(c->types,
			 a->type->kind == TYPE_POINTER ? type_int(c->types, 8, false) : a->type);
	type->show = (enum show)call->fn->number;
	type->is_plain = type->show == SHOW_ERRNO;
	value_set(out, tree_cast(c->types, a, type), call->e->at);
	return 0;
}

/* A BPF helper without arguments: another name for a $name. */
static int check_plain(struct checked_call *call, struct value *out)
{
	struct ast e = *call->e;

	e.kind = AST_DOLLAR;
	e.name = call->fn->macro;
	return check_dollar(call->c, &e, out);
}

/* ---- memory ---- */

/* The member's name, or a path of names: m, m.n. */
static int member_offset(struct checked_call *call, const struct type *type, const struct ast *m,
			 struct value *out)
{
	struct checker *c = call->c;
	struct value outer;
	int ret;

	if (m->kind == AST_NAME) {
		outer = (struct value){ .type = type, .is_place = true, .space = SPACE_KERNEL };
		return check_named_member(c, &outer, m->name, m->at, out);
	}
	if (m->kind != AST_MEMBER || m->is_arrow)
		return call_wrong(call, m->at, "a member's name is needed");
	ret = member_offset(call, type, m->a, &outer);
	return ret ?: check_named_member(c, &outer, m->name, m->mark, out);
}

static int type_argument(struct checked_call *call, const struct ast *e, const struct type **out)
{
	if (e->kind == AST_TYPE)
		return check_type(call->c, e->type, out);
	if (e->kind == AST_NAME)
		*out = type_by_name(call->c->types, e->name, SPACE_KERNEL);
	else
		*out = NULL;
	return *out ? 0 : call_wrong(call, e->at, "a type is needed");
}

static int check_container_of(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct type *type, *word = type_int(c->types, 8, false);
	enum space space;
	struct value member;
	const struct tree *p;
	int ret = value_scalar(c, &call->args[0], &p) ?:
		  type_argument(call, call->e->args[1], &type) ?:
		  member_offset(call, type, call->e->args[2], &member);

	if (ret)
		return ret;
	if (p->type->kind != TYPE_POINTER)
		return call_wrong(call, call->e->args[0]->at, "this is not a pointer");
	space = p->type->space;
	p = tree_offset(c->types, tree_cast(c->types, p, word), -(s64)member.offset);
	value_set(out, tree_cast(c->types, p, type_pointer(c->types, type, space)), call->e->at);
	return 0;
}

static int check_offsetof(struct checked_call *call, struct value *out)
{
	const struct type *type;
	struct value member;
	int ret = type_argument(call, call->e->args[0], &type)
			  ?: member_offset(call, type, call->e->args[1], &member);

	if (!ret)
		value_const(call->c, out, member.offset, type_int(call->c->types, 8, false),
			    call->e->at);
	return ret;
}

static const char *pointee_name(const struct value *v)
{
	const struct type *t = v->type->kind == TYPE_POINTER ? v->type->to : v->type;

	return t->name ? t->name : "";
}

/* The paths to the dentry and the mount from each type. */
static const struct {
	const char *type, *dentry, *mount;
} path_ways[] = {
	{ "struct file", "a->f_path.dentry", "a->f_path.mnt" },
	{ "struct path", "a->dentry", "a->mnt" },
	{ "struct dentry", "a", NULL },
	{ "struct linux_binprm", "a->file->f_path.dentry", "a->file->f_path.mnt" },
	{ "struct kiocb", "a->ki_filp->f_path.dentry", "a->ki_filp->f_path.mnt" },
	{ "struct vm_area_struct", "a->vm_file->f_path.dentry", "a->vm_file->f_path.mnt" },
};

/* Turn a place into a pointer to it, so that one macro works for both. */
static int as_pointer(struct checker *c, struct value *v)
{
	const struct tree *t;
	int ret;

	if (v->type->kind == TYPE_POINTER || !v->is_place)
		return 0;
	ret = value_address(c, v, &t);
	if (!ret)
		value_set(v, t, v->at);
	return ret;
}

static int macro_scalar(struct checked_call *call, const char *macro, const struct tree **out)
{
	const struct binding a = { "a", &call->args[0], NULL };
	struct value v;

	*out = NULL;
	if (!macro)
		return 0;
	return check_macro(call->c, macro, &a, call->e->at, &v) ?: value_scalar(call->c, &v, out);
}

/* A number is a descriptor of the current process.  Memory beyond its table does not contain
 * pointers, although it may look so. */
static int descriptor_to_file(struct checked_call *call)
{
	const struct binding a = { "a", &call->args[0], NULL };
	struct value file;
	int ret;

	if (call->args[0].type->kind != TYPE_INT)
		return 0;
	ret = check_macro(call->c,
			  "(u64)a < $task->files->fdt->max_fds ? $task->files->fdt->fd[a] : "
			  "(struct file *)0",
			  &a, call->e->at, &file);
	if (!ret)
		call->args[0] = file;
	return ret;
}

static int check_path(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct tree *dentry, *mount;
	const char *name;
	struct tree *t;
	int ret = descriptor_to_file(call) ?: as_pointer(c, &call->args[0]);

	name = pointee_name(&call->args[0]);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(path_ways); i++) {
		if (strcmp(path_ways[i].type, name) != 0)
			continue;
		ret = macro_scalar(call, path_ways[i].dentry, &dentry)
			      ?: macro_scalar(call, path_ways[i].mount, &mount);
		if (ret)
			return ret;
		t = value_set_builtin(call->c, BUILTIN_PATH, type_string(c->types, 0), dentry,
				      call->e->at, out);
		t->b = mount;
		return 0;
	}
	return ret
		       ?: call_wrong(call, call->e->args[0]->at,
				     "this is not a file, path, dentry or descriptor");
}

static const struct {
	const char *type, *dev;
} disk_ways[] = {
	{ "struct request", "(a->q->disk->major << 20 | a->q->disk->first_minor) ?? "
			    "(a->rq_disk->major << 20 | a->rq_disk->first_minor)" },
	{ "struct bio", "a->bi_bdev->bd_dev ?? (a->bi_disk->major << 20 | "
			"a->bi_disk->first_minor)" },
	{ "struct block_device", "a->bd_dev" },
	{ "struct gendisk", "a->major << 20 | a->first_minor" },
	{ "struct request_queue", "a->disk->major << 20 | a->disk->first_minor" },
	{ "struct inode", "a->i_sb->s_dev" },
	{ "struct super_block", "a->s_dev" },
};

/* The device number of a request, bio, inode, ...; an integer already is one. */
static int check_disk(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const char *name = pointee_name(&call->args[0]);
	const struct type *dev = type_shown(c->types, type_int(c->types, 4, false), SHOW_DEV);
	const struct tree *t = NULL;
	int ret = as_pointer(c, &call->args[0]);

	for (size_t i = 0; !ret && !t && i < ARRAY_SIZE(disk_ways); i++)
		if (!strcmp(disk_ways[i].type, name))
			ret = macro_scalar(call, disk_ways[i].dev, &t);
	if (!ret && !t && call->args[0].type->kind != TYPE_INT)
		return call_wrong(call, call->e->args[0]->at, "this has no device number");
	if (!ret && !t)
		ret = value_scalar(c, &call->args[0], &t);
	if (!ret)
		value_set(out, tree_cast(c->types, t, dev), call->e->at);
	return ret;
}

/* 28 bytes hold a sockaddr_in6; the 110 of a sockaddr_un are read only if that type is declared. */
static int check_sockaddr(struct checked_call *call, struct value *out)
{
	bool is_unix = !strcmp(pointee_name(&call->args[0]), "struct sockaddr_un");
	const struct tree *t;
	int ret = value_bytes(call->c, &call->args[0], is_unix ? 110 : 28, SHOW_SOCKADDR, &t);

	if (!ret)
		value_set(out, t, call->e->at);
	return ret;
}

/* A buffer of n bytes, but at most as many as a string may have (-Z). */
static int open_buffer(struct checked_call *call, const struct tree *n, struct value *out)
{
	struct types *types = call->c->types;
	u32 max = types->string_size;
	struct type *type = type_copy(types, type_bytes(types, max, SHOW_BUFFER));
	const struct tree *t;
	struct tree *bytes;
	int ret = value_bytes(call->c, &call->args[0], max, SHOW_BUFFER, &t);

	if (ret)
		return ret;
	type->is_open = true;
	bytes = tree_new(call->c->arena, TREE_BYTES, type, t->at);
	bytes->a = t->a;
	bytes->space = t->space;
	bytes->length = n;
	value_set(out, bytes, call->e->at);
	return 0;
}

static int check_buffer(struct checked_call *call, struct value *out)
{
	const struct tree *t, *n;
	int ret = value_scalar(call->c, &call->args[1], &n);

	if (!ret && n->kind != TREE_CONST)
		return open_buffer(call, n, out);
	if (!ret && (!n->value || n->value > 4096))
		return call_wrong(call, call->e->args[1]->at, "the length is not 1 to 4096");
	ret = ret
		      ?: value_bytes(call->c, &call->args[0], (u32)n->value,
				     (enum show)call->fn->number, &t);
	if (!ret)
		value_set(out, t, call->e->at);
	return ret;
}

static int check_mac(struct checked_call *call, struct value *out)
{
	const struct tree *t;
	int ret = value_bytes(call->c, &call->args[0], 6, SHOW_MAC, &t);

	if (!ret)
		value_set(out, t, call->e->at);
	return ret;
}

/* ip(family, v4, v6): v4 may also be a number in network order. */
static int check_ip(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct value *v4 = &call->args[1], *v6 = &call->args[2];
	const struct tree *family, *a4, *a6 = NULL;
	struct tree *t;
	int ret = value_scalar(c, &call->args[0], &family);

	if (!ret && (v4->is_place || v4->type->kind == TYPE_POINTER))
		ret = value_bytes(c, v4, 4, SHOW_IP4, &a4);
	else if (!ret)
		ret = value_scalar(c, v4, &a4);
	if (!ret && call->e->n_args == 3)
		ret = value_bytes(c, v6, 16, SHOW_IP6, &a6);
	if (ret)
		return ret;
	t = value_set_builtin(call->c, BUILTIN_IP, type_bytes(c->types, 20, SHOW_IP), family,
			      call->e->at, out);
	t->b = a4;
	t->c = a6;
	return 0;
}

#define SWAP(name, bytes)                                          \
	{                                                          \
		name, 1, 1, 0, check_swap, NULL, bytes, name "(x)" \
	}
#define MACRO(name, n, macro, usage)                   \
	{                                              \
		name, n, n, 0, expand, macro, 0, usage \
	}
#define HELPER(name, dollar)                                     \
	{                                                        \
		name, 0, 0, 0, check_plain, dollar, 0, name "()" \
	}

static const struct function functions[] = {
	{ "STRCMP", 2, 2, 0, check_strcmp_macro, NULL, 0, "STRCMP(\"text\", x): x begins with it" },
	{ "strcmp", 2, 2, 0, check_strcmp, NULL, 0, "strcmp(a, b) == 0, or a == \"text\"" },
	{ "strncmp", 3, 3, 0, check_strcmp, NULL, 0, "strncmp(a, b, 4) == 0" },
	{ "dirname", 1, 1, 0, check_dirname, NULL, 0, "dirname(path)" },
	{ "join", 1, 2, 0, check_join, NULL, SHOW_JOINED, "join(argv), join(argv, 4)" },
	{ "quoted", 1, 2, 0, check_join, NULL, SHOW_QUOTED, "quoted(argv), quoted(argv, 4)" },
	{ "path", 1, 1, 0, check_path, NULL, 0,
	  "path(file), of a struct file, path, dentry or a descriptor" },
	{ "disk", 1, 1, 0, check_disk, NULL, 0, "disk(rq), of a request, bio, gendisk or number" },
	{ "sockaddr", 1, 1, 0, check_sockaddr, NULL, 0, "sockaddr(addr), of a struct sockaddr *" },
	{ "ip", 2, 3, 0, check_ip, NULL, 0, "ip(family, v4, v6)" },
	{ "buf", 2, 2, 0, check_buffer, NULL, SHOW_BUFFER, "buf(address, 16), buf(buf, count)" },
	{ "mac", 1, 1, 0, check_mac, NULL, 0, "mac(dev->dev_addr), of 6 bytes" },
	{ "container_of", 3, 3, 6, check_container_of, NULL, 0,
	  "container_of(p, struct T, member)" },
	{ "offsetof", 2, 2, 3, check_offsetof, NULL, 0, "offsetof(struct T, member)" },
	{ "ksym", 1, 1, 0, check_shown, NULL, SHOW_KSYM, "ksym(address)" },
	{ "usym", 1, 1, 0, check_shown, NULL, SHOW_USYM, "usym(address)" },
	{ "is_target", 1, 1, 0, check_target, NULL, BUILTIN_TARGET,
	  "is_target(task), of a struct task_struct *" },
	{ "matches_filter", 1, 1, 0, check_target, NULL, BUILTIN_FILTER,
	  "matches_filter(task), of a struct task_struct *" },
	{ "errno", 1, 1, 0, check_shown, NULL, SHOW_ERRNO, "errno(x)" },
	SWAP("ntohs", 2),
	SWAP("htons", 2),
	SWAP("ntohl", 4),
	SWAP("htonl", 4),
	SWAP("bpf_ntohs", 2),
	SWAP("bpf_ntohl", 4),
	SWAP("bpf_htons", 2),
	SWAP("bpf_htonl", 4),
	SWAP("be16_to_cpu", 2),
	SWAP("be32_to_cpu", 4),
	SWAP("be64_to_cpu", 8),
	SWAP("cpu_to_be16", 2),
	SWAP("cpu_to_be32", 4),
	SWAP("cpu_to_be64", 8),
	MACRO("IS_ERR", 1, "(unsigned long)a >= -4095UL", "IS_ERR(pointer)"),
	MACRO("IS_ERR_OR_NULL", 1, "!a || (unsigned long)a >= -4095UL", "IS_ERR_OR_NULL(pointer)"),
	MACRO("PTR_ERR", 1, "(long)a", "PTR_ERR(pointer)"),
	MACRO("MAJOR", 1, "(unsigned int)a >> 20", "MAJOR(dev)"),
	MACRO("MINOR", 1, "(unsigned int)a & 0xfffff", "MINOR(dev)"),
	MACRO("min", 2, "a < b ? a : b", "min(a, b)"),
	MACRO("max", 2, "a > b ? a : b", "max(a, b)"),
	MACRO("abs", 1, "a < 0 ? -a : a", "abs(a)"),
	/* include/linux/skbuff.h, fs.h, tcp.h, udp.h, ip.h */
	MACRO("tcp_sk", 1, "(struct tcp_sock *)a", "tcp_sk(sk)"),
	MACRO("udp_sk", 1, "(struct udp_sock *)a", "udp_sk(sk)"),
	MACRO("inet_sk", 1, "(struct inet_sock *)a", "inet_sk(sk)"),
	MACRO("inet_csk", 1, "(struct inet_connection_sock *)a", "inet_csk(sk)"),
	MACRO("unix_sk", 1, "(struct unix_sock *)a", "unix_sk(sk)"),
	MACRO("tcp_hdr", 1, "(struct tcphdr *)(a->head + a->transport_header)", "tcp_hdr(skb)"),
	MACRO("udp_hdr", 1, "(struct udphdr *)(a->head + a->transport_header)", "udp_hdr(skb)"),
	MACRO("ip_hdr", 1, "(struct iphdr *)(a->head + a->network_header)", "ip_hdr(skb)"),
	MACRO("ipv6_hdr", 1, "(struct ipv6hdr *)(a->head + a->network_header)", "ipv6_hdr(skb)"),
	MACRO("eth_hdr", 1, "(struct ethhdr *)(a->head + a->mac_header)", "eth_hdr(skb)"),
	MACRO("file_inode", 1, "a->f_inode", "file_inode(file)"),
	MACRO("blk_rq_bytes", 1, "a->__data_len", "blk_rq_bytes(rq)"),
	MACRO("blk_rq_sectors", 1, "a->__data_len >> 9", "blk_rq_sectors(rq)"),
	MACRO("blk_rq_pos", 1, "a->__sector", "blk_rq_pos(rq)"),
	MACRO("bio_sectors", 1, "a->bi_iter.bi_size >> 9", "bio_sectors(bio)"),
	HELPER("bpf_ktime_get_ns", "time"),
	HELPER("bpf_get_smp_processor_id", "cpu"),
	HELPER("bpf_get_prandom_u32", "random"),
	HELPER("bpf_get_current_task", "task"),
	HELPER("bpf_get_current_cgroup_id", "cgroup"),
	MACRO("bpf_get_current_pid_tgid", 0, "(u64)(u32)$tgid << 32 | (u32)$tid",
	      "bpf_get_current_pid_tgid()"),
	MACRO("bpf_get_current_uid_gid", 0, "(u64)$gid << 32 | $uid", "bpf_get_current_uid_gid()"),
};

void check_offer_calls(struct nearest *near)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		nearest_offer(near, functions[i].name);
	nearest_offer(near, "kaddr");
	nearest_offer(near, "kstack");
	nearest_offer(near, "ustack");
}

/* Functions in the languages of other tools, and what to write here instead. */
static const struct {
	const char *name, *instead;
} elsewhere[] = {
	{ "str", "a char * is a string as it is; of another type: (char *)x" },
	{ "strlen",
	  "strings are compared: == \"\" is true of an empty one, ~ \"???*\" of 3 or more" },
	{ "strcontains", "x ~ \"*text*\"" },
	{ "printf", "a format and its values follow the site and the predicate" },
	{ "ntop", "ip(AF_INET, x), or \"%I\" in the format" },
	{ "reg", "a register is %REG or ctx->REG" },
	{ "kptr", "x@kernel" },
	{ "uptr", "x@user" },
};

static int unknown(struct checker *c, const struct ast *e)
{
	struct text_range at = { e->at.at, (u32)strlen(e->name) + e->is_dollar };
	struct nearest near = { .word = e->name };

	check_offer_calls(&near);
	nearest_offer(&near, "$entry");
	check_error(c, at, "there is no function '%s%s' here", e->is_dollar ? "$" : "", e->name);
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (!strcmp(elsewhere[i].name, e->name))
			return check_hint(c, "%s", elsewhere[i].instead);
	if (near.best)
		return check_hint(c, "did you mean '%s'?", near.best);
	return check_hint(c, "functions of the kernel or a program can't be called; `bperf help "
			     "probes` names those that can");
}

static int wrong_count(struct checked_call *call)
{
	char what[64];
	u32 min = call->fn->min_args, max = call->fn->max_args;

	snprintf(what, sizeof(what), "%s takes %u%s argument%s", call->fn->name, min,
		 max > min ? " or more" : "", min == 1 && max == 1 ? "" : "s");
	return call_wrong(call, call->e->at, what);
}

/* Is the function's first argument an address, even if it is that of a string? */
static bool takes_address(const struct function *fn)
{
	return fn->check == check_buffer || fn->check == check_mac || fn->check == check_sockaddr ||
	       fn->check == check_shown;
}

int check_call(struct checker *c, const struct ast *e, struct value *out)
{
	struct checked_call call = { .c = c, .e = e };
	int ret = 0;

	if (e->is_dollar && check_keeps(e->name))
		return check_saved(c, e, out);
	if (check_is_stack(e->name))
		return check_limited_stack(c, e, out);
	if (!e->is_dollar && !strcmp(e->name, "kaddr"))
		return check_kaddr(c, e, out);
	for (size_t i = 0; !e->is_dollar && i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i].name, e->name))
			call.fn = &functions[i];
	if (!call.fn)
		return unknown(c, e);
	if (e->n_args < call.fn->min_args || e->n_args > call.fn->max_args)
		return wrong_count(&call);
	for (u32 i = 0; !ret && i < e->n_args; i++)
		if (!i && takes_address(call.fn) && check_is_entry(c, e->args[i]))
			ret = check_entry_address(c, e->args[i], &call.args[i]);
		else if (!(call.fn->unchecked & 1U << i))
			ret = check_any(c, e->args[i], &call.args[i]);
	return ret ?: call.fn->check(&call, out);
}
