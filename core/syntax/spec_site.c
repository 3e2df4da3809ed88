// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "syntax/spec_site.h"

#include "base/num.h"
#include "base/suggest.h"
#include "syntax/braces.h"
#include "syntax/spec_timers.h"

/* ---- kinds ---- */

/* The syntax after a kind's colon. */
enum site_syntax {
	SYNTAX_FUNC,   /* [lib:]func, :func */
	SYNTAX_KERNEL, /* func, :func */
	SYNTAX_TP,     /* [category:]event */
	SYNTAX_USDT,   /* lib[:provider]:probe */
	SYNTAX_PLAIN,  /* event or name */
	SYNTAX_PERF,   /* event[:period], event@HZ */
	SYNTAX_HINT,   /* a word of another tool */
};

static const struct kind {
	const char *word;
	enum site_syntax syntax;
	enum site_kind kind;
	bool is_fentry;
	const char *hint; /* SYNTAX_HINT: what to write instead */
} kinds[] = {
	{ "p", SYNTAX_FUNC, SITE_FUNC, false, NULL },
	{ "r", SYNTAX_FUNC, SITE_FUNC_RET, false, NULL },
	{ "k", SYNTAX_KERNEL, SITE_FUNC, false, NULL },
	{ "kr", SYNTAX_KERNEL, SITE_FUNC_RET, false, NULL },
	{ "f", SYNTAX_KERNEL, SITE_FUNC, true, NULL },
	{ "t", SYNTAX_TP, SITE_TRACEPOINT, false, NULL },
	{ "raw", SYNTAX_PLAIN, SITE_RAW, false, NULL },
	{ "u", SYNTAX_USDT, SITE_USDT, false, NULL },
	{ "e", SYNTAX_PERF, SITE_PERF, false, NULL },
	{ "syscall", SYNTAX_PLAIN, SITE_SYSCALL, false, NULL },
	/* Words of bpftrace and perf. */
	{ "kprobe", SYNTAX_KERNEL, SITE_FUNC, false, NULL },
	{ "kretprobe", SYNTAX_KERNEL, SITE_FUNC_RET, false, NULL },
	{ "uprobe", SYNTAX_FUNC, SITE_FUNC, false, NULL },
	{ "uretprobe", SYNTAX_FUNC, SITE_FUNC_RET, false, NULL },
	{ "fentry", SYNTAX_KERNEL, SITE_FUNC, true, NULL },
	{ "kfunc", SYNTAX_KERNEL, SITE_FUNC, true, NULL },
	{ "fexit", SYNTAX_KERNEL, SITE_FUNC_RET, false, NULL },
	{ "kretfunc", SYNTAX_KERNEL, SITE_FUNC_RET, false, NULL },
	{ "tracepoint", SYNTAX_TP, SITE_TRACEPOINT, false, NULL },
	{ "tp", SYNTAX_TP, SITE_TRACEPOINT, false, NULL },
	{ "rawtracepoint", SYNTAX_PLAIN, SITE_RAW, false, NULL },
	{ "usdt", SYNTAX_USDT, SITE_USDT, false, NULL },
	{ "software", SYNTAX_PERF, SITE_PERF, false, NULL },
	{ "hardware", SYNTAX_PERF, SITE_PERF, false, NULL },
	{ "retprobe", SYNTAX_HINT, SITE_UFUNC_RET, false, "r:" },
	{ "profile", SYNTAX_HINT, SITE_PERF, false, "e:cpu-clock@99" },
};

/* Convert the kind of a kernel function to that of a user function or a system call. */
static enum site_kind user_kind(enum site_kind k)
{
	return k == SITE_FUNC ? SITE_UFUNC : SITE_UFUNC_RET;
}

static enum site_kind syscall_kind(enum site_kind k)
{
	return k == SITE_FUNC_RET ? SITE_SYSCALL_RET : SITE_SYSCALL;
}

const char *site_kind_letter(enum site_kind kind)
{
	static const char *const letters[SITE_KIND_N] = {
		[SITE_FUNC] = "p",	    [SITE_FUNC_RET] = "r",
		[SITE_UFUNC] = "p",	    [SITE_UFUNC_RET] = "r",
		[SITE_TRACEPOINT] = "t",    [SITE_RAW] = "raw",
		[SITE_USDT] = "u",	    [SITE_PERF] = "e",
		[SITE_SYSCALL] = "syscall", [SITE_SYSCALL_RET] = "r:syscall",
	};

	return letters[kind];
}

const char *site_kind_near(const char *word)
{
	struct nearest near = { .word = word };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].syntax == SYNTAX_PLAIN)
			nearest_offer(&near, kinds[i].word);
	return near.best;
}

/* ---- one name, its sets expanded ---- */

/* Text to be split into parts, and its position in the user's text. */
struct piece {
	struct arena *a;
	const struct text *t;
	const char *p; /* the text with its sets expanded */
	u32 n;
	bool is_exact;	       /* the user's text at all.at is the same: errors can point into it */
	struct text_range all; /* the alternative */
	struct err *err;
};

/* The parts of one name. */
struct part {
	enum site_kind kind;
	bool is_fentry, has_offset, is_address, is_quoted;
	struct text_range lib, provider, module, func, version; /* into piece->p */
	u64 offset, period, rate_hz;
};

static struct text_range place(const struct piece *s, struct text_range at)
{
	if (!s->is_exact)
		return s->all;
	return (struct text_range){ s->all.at + at.at, at.n };
}

#define piece_error(s, at, ...) text_error((s)->t, place((s), (at)), (s)->err, __VA_ARGS__)

static struct text_range spot(u32 at, u32 n)
{
	return (struct text_range){ at, n };
}

static struct text_range from(const struct piece *s, u32 at)
{
	return (struct text_range){ at, s->n - at };
}

static struct view piece_view(const struct piece *s, struct text_range at)
{
	return (struct view){ s->p + at.at, at.n };
}

/* The index of the first ':' in [at, end) that is neither half of a "::" nor in a quoted name; end:
 * none. */
static u32 single_colon(const struct piece *s, u32 at, u32 end)
{
	for (; at < end && s->p[at] != '"'; at++) {
		if (s->p[at] != ':')
			continue;
		if (at + 1 < end && s->p[at + 1] == ':')
			at++;
		else
			return at;
	}
	return end;
}

static u32 plain_colon(const struct piece *s, u32 at)
{
	while (at < s->n && s->p[at] != ':' && s->p[at] != '"')
		at++;
	return at < s->n && s->p[at] == ':' ? at : s->n;
}

static bool parse_number(struct view v, u64 *out)
{
	if (view_starts(v, "0x") || view_starts(v, "0X"))
		return v.n > 2 && num_parse_hex((struct view){ v.p + 2, v.n - 2 }, out);
	return num_parse_dec(v, out);
}

/* Read a quoted name, which may be followed only by an offset. */
static int read_quoted(const struct piece *s, struct part *p)
{
	struct view v = piece_view(s, p->func);
	const char *close = memrchr(v.p, '"', v.n);
	u32 n = (u32)(close - v.p) + 1;
	struct view past = { close + 1, v.n - n };

	p->is_quoted = true;
	if (p->kind != SITE_UFUNC && p->kind != SITE_UFUNC_RET)
		return piece_error(s, p->func, "only a user function's name can be quoted");
	if (n <= 2)
		return piece_error(s, p->func, "a function's name is missing");
	p->has_offset = past.n;
	if (past.n && (past.p[0] != '+' ||
		       !parse_number((struct view){ past.p + 1, past.n - 1 }, &p->offset)))
		return piece_error(s, spot(p->func.at + n, (u32)past.n),
				   "only an offset (+0x10) may follow a quoted name");
	if (p->has_offset && p->kind == SITE_UFUNC_RET)
		return piece_error(s, spot(p->func.at + n, (u32)past.n),
				   "a return has no offset: give r: the function's name only");
	p->func = spot(p->func.at + 1, n - 2);
	return 0;
}

/* "memcpy@GLIBC_2.2.5", "memcpy@@GLIBC_2.14": of a user function, as readelf shows it. */
static void cut_version(const struct piece *s, struct part *p)
{
	struct view v = piece_view(s, p->func);
	const char *at = memchr(v.p, '@', v.n);
	u32 n = at ? (u32)(at - v.p) : 0;

	if (!n || n + 1 == v.n || (p->kind != SITE_UFUNC && p->kind != SITE_UFUNC_RET))
		return;
	for (size_t i = n; i < v.n; i++)
		if (strchr("*?[", v.p[i]))
			return;
	p->func.n = n;
	p->version = spot(p->func.at + n + 1, (u32)v.n - n - 1);
}

/* A '+' begins a bad offset, unless it is in a C++ operator, in a glob, or in text after a ':'. */
static bool is_bad_offset(struct view v, const char *plus)
{
	if (!plus || plus == v.p || memmem(v.p, v.n, "operator", 8) || memchr(v.p, ':', v.n))
		return false;
	for (size_t i = 0; i < v.n; i++)
		if (strchr("<*?[{(~#", v.p[i]))
			return false;
	return true;
}

/* argdist's "func+0x10:int:$pid": the site is the first *n bytes. */
static bool is_offset_and_more(struct view v, u64 *n)
{
	const char *plus = memchr(v.p, '+', v.n);
	const char *colon = memchr(plus, ':', (size_t)(v.p + v.n - plus));
	u64 offset;

	*n = colon ? (u64)(colon - v.p) : 0;
	return colon && plus > v.p &&
	       parse_number((struct view){ plus + 1, (size_t)(colon - plus - 1) }, &offset);
}

/* "func+0x10", "0xffffffff81000000", "module`func": into part->func and related fields. */
static int read_func(const struct piece *s, struct part *p)
{
	struct view v = piece_view(s, p->func);
	const char *plus = v.n ? memrchr(v.p, '+', v.n) : NULL;
	const char *tick = v.n ? memchr(v.p, '`', v.n) : NULL;
	bool is_return = site_kind_is_function_return(p->kind);
	u64 n;

	if (!v.n)
		return piece_error(s, spot(s->n, 0), "a function's name is missing");
	if (v.p[0] == '"')
		return read_quoted(s, p);
	if (tick) {
		u32 cut = (u32)(tick - v.p);

		if (p->kind != SITE_FUNC && p->kind != SITE_FUNC_RET)
			return piece_error(s, p->func, "module`function is for kernel functions");
		p->module = (struct text_range){ p->func.at, cut };
		p->func = (struct text_range){ p->func.at + cut + 1, p->func.n - cut - 1 };
		if (!p->module.n || !p->func.n)
			return piece_error(s, spot(p->module.at, (u32)v.n),
					   "both names are needed: module`function");
	}
	if (view_starts(v, "0x") && parse_number(v, &n)) {
		p->is_address = true;
		p->offset = n;
	} else if (plus && plus > v.p &&
		   parse_number((struct view){ plus + 1, (size_t)(v.p + v.n - plus - 1) }, &n)) {
		p->has_offset = true;
		p->offset = n;
		p->func.n = (u32)(plus - (s->p + p->func.at));
	} else if (plus && is_offset_and_more(v, &n)) {
		piece_error(s, spot(p->func.at + (u32)n, (u32)(v.n - n)),
			    "a site ends after its offset");
		return err_hint(s->err, "argdist needs parentheses there: %.*s():type:expression",
				(int)(p->func.at + n), s->p);
	} else if (is_bad_offset(v, plus)) {
		u32 n_name = (u32)(plus - v.p);

		piece_error(s, spot(p->func.at + n_name, (u32)v.n - n_name),
			    "an offset is a number");
		return err_hint(s->err, "such as %.*s+0x10", (int)n_name, v.p);
	}
	if (is_return && (p->has_offset || p->is_address))
		return piece_error(s, spot(p->func.at, (u32)v.n),
				   "a return has no offset: give r: the function's name only");
	cut_version(s, p);
	return 0;
}

static int read_kernel(const struct piece *s, u32 at, struct part *p)
{
	u32 colon;

	if (at < s->n && s->p[at] == ':')
		at++;
	colon = plain_colon(s, at);
	if (colon < s->n)
		return piece_error(s, from(s, colon),
				   "a kernel function's name has no ':' (p:LIB:FUNCTION is a user "
				   "function)");
	p->func = from(s, at);
	return read_func(s, p);
}

/* "x:lib:func" where x is not a path: x was meant as a kind.  With more colons it is a function
 * followed by argdist's parts. */
static bool is_kind_like(const struct piece *s, u32 colon)
{
	u32 second = single_colon(s, colon + 1, s->n);

	return second < s->n && single_colon(s, second + 1, s->n) == s->n &&
	       !memchr(s->p, '/', colon);
}

/* Return an error about the word before the colon at `colon`.  `instead`: what to write instead, or
 * NULL. */
static int no_kind(const struct piece *s, u32 colon, const char *instead)
{
	static const char all[] = "the kinds are p: r: t: u: raw: e: syscall: k: kr: f:";

	piece_error(s, spot(0, colon + 1), "'%.*s:' is not a kind of site", (int)colon, s->p);
	return instead ? err_hint(s->err, "write '%s'; %s", instead, all)
		       : err_hint(s->err, "%s", all);
}

/* "/a path/with blanks":func, up to the colon; false: there is no quoted library. */
static bool read_quoted_lib(const struct piece *s, u32 at, u32 *colon, struct text_range *lib)
{
	const char *close =
		at + 1 < s->n && s->p[at] == '"' ? memchr(s->p + at + 1, '"', s->n - at - 1) : NULL;
	u32 past = close ? (u32)(close - s->p) + 1 : s->n;

	if (past >= s->n || s->p[past] != ':' || past - at <= 2)
		return false;
	*colon = past;
	*lib = spot(at + 1, past - at - 2);
	return true;
}

static int read_user(const struct piece *s, struct text_range lib, u32 colon, struct part *p)
{
	p->kind = user_kind(p->kind);
	p->lib = lib;
	p->func = from(s, colon + 1);
	return read_func(s, p);
}

static int read_target_func(const struct piece *s, u32 at, struct part *p)
{
	u32 colon = single_colon(s, at, s->n);
	struct text_range lib = { at, colon - at };

	if (read_quoted_lib(s, at, &colon, &lib))
		return read_user(s, lib, colon, p);
	if (view_eq(piece_view(s, lib), "syscall") && colon < s->n) {
		p->kind = syscall_kind(p->kind);
		p->func = from(s, colon + 1);
		return p->func.n ? 0 : piece_error(s, lib, "a system call's name is missing");
	}
	/* p::func, and also p:func: no library is called p. */
	if (at < s->n && s->p[at] == ':' && (at + 1 == s->n || s->p[at + 1] != ':'))
		return read_kernel(s, at, p);
	if (colon == s->n) {
		if (memmem(s->p + at, s->n - at, "::", 2))
			return piece_error(s, from(s, at),
					   "the program or library is missing: p:LIB:NAME::SPACE");
		return read_kernel(s, at, p);
	}
	if (!lib.n)
		return piece_error(s, from(s, at), "a library's name is missing before the ':'");
	if (!at && is_kind_like(s, colon))
		return no_kind(s, colon, NULL);
	return read_user(s, lib, colon, p);
}

static int read_tracepoint(const struct piece *s, u32 at, struct part *p)
{
	u32 colon = plain_colon(s, at);

	if (colon < s->n) {
		p->lib = (struct text_range){ at, colon - at };
		at = colon + 1;
		colon = plain_colon(s, at);
	}
	if (colon < s->n)
		return piece_error(s, from(s, colon), "a tracepoint is t:CATEGORY:EVENT");
	p->func = from(s, at);
	return p->func.n ? 0 : piece_error(s, spot(s->n, 0), "a tracepoint's name is missing");
}

static int read_usdt(const struct piece *s, u32 at, struct part *p)
{
	u32 first = plain_colon(s, at), second;
	struct text_range lib = { at, first - at };
	bool is_quoted = read_quoted_lib(s, at, &first, &lib);

	if (!is_quoted && (first == s->n || first == at))
		return piece_error(s, from(s, at),
				   "u: takes a program or library: u:LIB[:PROVIDER]:PROBE");
	p->lib = lib;
	second = plain_colon(s, first + 1);
	if (second < s->n) {
		p->provider = (struct text_range){ first + 1, second - first - 1 };
		first = second;
		second = plain_colon(s, first + 1);
	}
	if (second < s->n)
		return piece_error(s, from(s, second), "a USDT probe is u:LIB[:PROVIDER]:PROBE");
	p->func = from(s, first + 1);
	return p->func.n ? 0 : piece_error(s, spot(s->n, 0), "a probe's name is missing");
}

/* Refuse a category: only tracepoints have one, and syscalls: is one of them. */
static int one_name(const struct piece *s, u32 at, const struct part *p)
{
	u32 colon = plain_colon(s, at), next = plain_colon(s, colon + 1);
	const char *kind = site_kind_letter(p->kind);
	struct view second = piece_view(s, spot(colon + 1, next - colon - 1));

	piece_error(s, from(s, colon), "%s: takes one name", kind);
	/* NAME:type:expression lacks its parentheses. */
	return second.n && next == s->n
		       ? err_hint(s->err, "write %s:%.*s", kind, (int)second.n, second.p)
		       : -s->err->code;
}

static int read_plain(const struct piece *s, u32 at, struct part *p)
{
	if (at < s->n && s->p[at] == ':')
		at++;
	p->func = from(s, at);
	if (!p->func.n)
		return piece_error(s, spot(s->n, 0), "a name is missing");
	return plain_colon(s, at) < s->n ? one_name(s, at, p) : 0;
}

static int read_perf(const struct piece *s, u32 at, struct part *p)
{
	u32 colon = plain_colon(s, at), end = colon;
	const char *hz;

	if (colon == at && colon < s->n) {
		at++;
		colon = end = plain_colon(s, at);
	}
	hz = memchr(s->p + at, '@', end - at);
	if (hz)
		end = (u32)(hz - s->p);
	p->func = (struct text_range){ at, end - at };
	if (!p->func.n)
		return piece_error(s, spot(at, 0), "an event's name is missing");
	if (hz && !num_parse_dec(piece_view(s, (struct text_range){ end + 1, colon - end - 1 }),
				 &p->rate_hz))
		return piece_error(s, from(s, end), "a rate is @HZ, such as @99");
	if (colon == s->n)
		return hz && !p->rate_hz ? piece_error(s, from(s, end), "the rate must not be 0")
					 : 0;
	if (hz || !num_parse_dec(piece_view(s, from(s, colon + 1)), &p->period) || !p->period)
		return piece_error(s, from(s, colon),
				   "only a period (e:%.*s:1000000) or a rate (e:%.*s@99) may "
				   "follow an event",
				   (int)p->func.n, s->p + at, (int)p->func.n, s->p + at);
	return 0;
}

static const struct kind *kind_named(struct view word)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (view_eq(word, kinds[i].word))
			return &kinds[i];
	return NULL;
}

static int no_timer(const struct piece *s)
{
	piece_error(s, from(s, 0), "a timer is not a site");
	return timed_hint(piece_view(s, from(s, 0)), s->err);
}

/* "kind:..." or a function. */
static int read_part(const struct piece *s, struct part *p)
{
	static int (*const readers[])(const struct piece *, u32, struct part *) = {
		[SYNTAX_FUNC] = read_target_func, [SYNTAX_KERNEL] = read_kernel,
		[SYNTAX_TP] = read_tracepoint,	  [SYNTAX_USDT] = read_usdt,
		[SYNTAX_PLAIN] = read_plain,	  [SYNTAX_PERF] = read_perf,
	};
	u32 colon = plain_colon(s, 0);
	const struct kind *k = NULL;
	u32 at = 0;

	*p = (struct part){ .kind = SITE_FUNC };
	if (is_timed(piece_view(s, from(s, 0))))
		return no_timer(s);
	if (colon < s->n)
		k = kind_named((struct view){ s->p, colon });
	if (k && k->syntax == SYNTAX_HINT)
		return no_kind(s, colon, k->hint);
	/* As in bcc, an empty kind means p, and an empty library means the kernel. */
	if (colon == 0 && s->n > 1 && s->p[1] == ':')
		return read_kernel(s, 1, p);
	if (colon == 0 && s->n)
		return read_target_func(s, 1, p);
	if (k) {
		p->kind = k->kind;
		p->is_fentry = k->is_fentry;
		at = colon + 1;
	}
	return readers[k ? k->syntax : SYNTAX_FUNC](s, at, p);
}

/* ---- the pattern: all names of one alternative ---- */

static bool has_glob(const char *p)
{
	return p && strpbrk(p, "*?[");
}

static const char *keep(const struct piece *s, struct text_range at)
{
	return at.n ? arena_strndup(s->a, s->p + at.at, at.n) : NULL;
}

static void take_first(const struct piece *s, const struct part *p, struct site_pattern *out)
{
	out->kind = p->kind;
	out->is_fentry = p->is_fentry;
	out->lib = p->lib.n ? place(s, p->lib) : (struct text_range){ 0 };
	out->func = place(s, p->func);
	out->period = p->period;
	out->rate_hz = p->rate_hz;
}

/* The names of a set must be of one kind: they share the expressions. */
static int add_part(const struct piece *s, const struct part *p, struct site_pattern *out)
{
	struct site_name name = {
		.lib = keep(s, p->lib),
		.provider = keep(s, p->provider),
		.module = keep(s, p->module),
		.func = keep(s, p->func),
		.version = keep(s, p->version),
		.has_offset = p->has_offset,
		.is_address = p->is_address,
		.is_quoted = p->is_quoted,
		.offset = p->offset,
	};

	if (!out->names.n)
		take_first(s, p, out);
	else if (out->kind != p->kind || out->is_fentry != p->is_fentry)
		return text_error(s->t, s->all, s->err,
				  "a set's sites must be of one kind: this one has %s: and %s:",
				  site_kind_letter(out->kind), site_kind_letter(p->kind));
	else if (out->period != p->period || out->rate_hz != p->rate_hz)
		return text_error(s->t, s->all, s->err,
				  "a set's events must have the same period or rate");
	name.is_glob = !out->is_regex && !p->is_address && !p->is_quoted &&
		       (has_glob(name.func) || has_glob(name.module) || has_glob(name.provider) ||
			(p->kind == SITE_TRACEPOINT && has_glob(name.lib)));
	if (name.is_glob && name.has_offset)
		return piece_error(s, p->func,
				   "an offset belongs to one function, not to a pattern");
	out->is_glob |= name.is_glob;
	vec_push(&out->names, name);
	return 0;
}

/* --regexp: [KIND:][LIB:]REGEX, where the last part may contain any characters. */
static int read_regex(const struct piece *s, struct part *p)
{
	u32 colon = plain_colon(s, 0);
	const struct kind *k = NULL;
	u32 at = 0;

	*p = (struct part){ .kind = SITE_FUNC };
	if (colon < s->n)
		k = kind_named((struct view){ s->p, colon });
	if (k && k->syntax != SYNTAX_HINT) {
		p->kind = k->kind;
		at = colon + 1;
		colon = plain_colon(s, at);
	}
	if (colon < s->n && (!k || k->syntax == SYNTAX_FUNC || k->syntax == SYNTAX_TP ||
			     k->syntax == SYNTAX_USDT)) {
		p->lib = (struct text_range){ at, colon - at };
		if (p->lib.n && (!k || k->syntax == SYNTAX_FUNC))
			p->kind = user_kind(p->kind);
		at = colon + 1;
	} else if (colon == at && colon < s->n) {
		at++;
	}
	p->func = from(s, at);
	return p->func.n ? 0 : piece_error(s, spot(s->n, 0), "a pattern is missing");
}

static int read_all(struct arena *a, const struct text *t, struct text_range at,
		    const struct braces *sets, bool is_regex, struct site_pattern *out,
		    struct err *err)
{
	for (size_t i = 0; i < sets->names.n; i++) {
		struct piece s = {
			.a = a,
			.t = t,
			.p = sets->names.items[i],
			.n = (u32)strlen(sets->names.items[i]),
			.is_exact = sets->names.n == 1 && strlen(sets->names.items[i]) == at.n,
			.all = at,
			.err = err,
		};
		struct part p;
		int ret = is_regex ? read_regex(&s, &p) : read_part(&s, &p);

		if (!ret)
			ret = add_part(&s, &p, out);
		if (ret)
			return ret;
	}
	return 0;
}

int site_pattern_parse(struct arena *a, const struct text *t, struct text_range at, bool is_regex,
		       struct site_pattern *out, struct err *err)
{
	struct braces sets = { 0 };
	int ret;

	*out = (struct site_pattern){ .at = at, .is_regex = is_regex };
	if (is_regex) {
		vec_push(&sets.names, arena_view(a, span_view(t, at)));
		ret = read_all(a, t, at, &sets, is_regex, out, err);
	} else if (!braces_open(a, span_view(t, at), &sets)) {
		ret = text_error(t, at, err,
				 "this set is not closed, or opens to more than %d names",
				 BRACES_MAX);
	} else {
		ret = read_all(a, t, at, &sets, false, out, err);
	}
	braces_release(&sets);
	return ret;
}

void site_pattern_release(struct site_pattern *p)
{
	vec_release(&p->names);
}
