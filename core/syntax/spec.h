/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A probe spec as text: its sites, and the spans of its expressions.  Knows the outer grammar of
 * trace, argdist and funccount; must not know expressions, nor whether a site exists.
 */
#ifndef SYNTAX_SPEC_H
#define SYNTAX_SPEC_H

#include "base/arena.h"
#include "base/mem.h"
#include "base/source.h"

enum site_kind {
	SITE_FUNC,	 /* p: k: kernel function, entry */
	SITE_FUNC_RET,	 /* r: kr: */
	SITE_UFUNC,	 /* p:lib: user function, entry */
	SITE_UFUNC_RET,	 /* r:lib: */
	SITE_TRACEPOINT, /* t: */
	SITE_RAW,	 /* raw: */
	SITE_USDT,	 /* u: */
	SITE_PERF,	 /* e: */
	SITE_SYSCALL,	 /* syscall: */
	SITE_SYSCALL_RET,
	SITE_KIND_N,
};

/* Sites in programs and libraries; in their code, the current task is the one that runs it. */
static inline bool site_kind_is_user(enum site_kind kind)
{
	return kind == SITE_UFUNC || kind == SITE_UFUNC_RET || kind == SITE_USDT;
}

static inline bool site_kind_is_function_return(enum site_kind kind)
{
	return kind == SITE_FUNC_RET || kind == SITE_UFUNC_RET;
}

/* The return of a call, for the kind of its entry or return; SITE_KIND_N: such sites do not return.
 */
static inline enum site_kind site_kind_return(enum site_kind kind)
{
	switch (kind) {
	case SITE_FUNC:
	case SITE_FUNC_RET:
		return SITE_FUNC_RET;
	case SITE_UFUNC:
	case SITE_UFUNC_RET:
		return SITE_UFUNC_RET;
	case SITE_SYSCALL:
	case SITE_SYSCALL_RET:
		return SITE_SYSCALL_RET;
	default:
		return SITE_KIND_N;
	}
}

/* One name of a pattern, with brace sets expanded and globs as typed.  NULL: not given. */
struct site_name {
	const char *lib;      /* user sites: program or library; tracepoints: category */
	const char *provider; /* USDT */
	const char *module;   /* module`func */
	const char *func;     /* function, event or probe, without its offset */
	const char *version;  /* func@VERSION; begins with a '@' for func@@VERSION */
	bool is_glob;	      /* one of the names contains * ? [ */
	bool is_quoted;	      /* func is taken literally, with its C++ parameters */
	bool has_offset, is_address;
	u64 offset; /* func+0x12, or the address of 0x... */
};

/* One alternative of `a | b`.  Spans are kept for carets. */
struct site_pattern {
	struct text_range at;
	enum site_kind kind;
	bool is_fentry;		/* f: only by fentry */
	struct text_range lib;	/* n == 0: none */
	struct text_range func; /* function, event or probe, with its offset */
	VEC(struct site_name) names;
	bool is_glob;  /* a name is a glob */
	bool is_regex; /* --regexp: names[0].func is a regular expression, up to a blank */
	u64 period;    /* e:...:N */
	u64 rate_hz;   /* e:...@HZ */
};

enum spec_form {
	SPEC_TRACE,	/* site(signature) (predicate) "format", expr, ... */
	SPEC_ARGDIST,	/* site(signature)[:types[:exprs[:filter]]][#label] */
	SPEC_TABLE,	/* site[key](predicate) NAME=fn(expr), ... */
	SPEC_FUNCCOUNT, /* site(predicate)#label */
};

/* SPEC_TABLE's columns. */
enum spec_fn {
	SPEC_FN_COUNT,
	SPEC_FN_SUM,
	SPEC_FN_AVG,
	SPEC_FN_MIN,
	SPEC_FN_MAX,
};

struct spec_column {
	struct text_range name, expr;
	enum spec_fn fn;
};

struct probe_span; /* span(START ; END) */

struct probe_spec {
	struct text text; /* borrowed: the command-line argument */
	enum spec_form form;
	struct text_range site;		       /* the whole site, shown as its name */
	VEC(struct site_pattern) alternatives; /* empty when `span` is set */
	struct probe_span *span;	       /* NULL: an ordinary site */
	bool has_signature, has_predicate, has_format, has_label;
	struct text_range signature; /* inside the parentheses */
	struct text_range predicate; /* inside the parentheses; argdist's filter */
	struct text_range format;    /* inside the quotes */
	struct text_range action; /* trace: the expressions after the format, separated by commas */
	struct text_range types;  /* argdist: may be empty */
	struct text_range exprs;
	struct text_range key; /* table: inside [] */
	VEC(struct spec_column) columns;
	struct text_range label;
};

/* `START[key](predicate)`, `END[key](predicate)`: several of each. */
struct probe_span {
	struct text_range at;
	VEC(struct probe_spec) starts, ends; /* form SPEC_TRACE; `key` set when given */
	u32 n_updates; /* the last ones of `starts` only replace the values of open spans */
	bool keep_first;
	bool is_shared; /* equal keys in different processes are the same key */
};

struct spec_opts {
	bool is_regex; /* --regexp of funccount and argdist */
};

/*
 * Read one spec.  The results live in the arena, except vectors in *out, which probe_spec_release()
 * frees.  -code with a caret on errors, also for text that bcc accepts but whose meaning is not
 * obvious.
 */
int probe_parse(struct arena *a, const char *text, enum spec_form form,
		const struct spec_opts *opts, struct probe_spec *out, struct err *err);
void probe_spec_release(struct probe_spec *s);

/* "p", "r", ...: the letter of a kind, as `bperf list` and messages write it. */
const char *site_kind_letter(enum site_kind kind);

/* The kind nearest to a misspelt `word`, such as "syscal".  NULL: none is near, or only kinds of
 * one or two letters are. */
const char *site_kind_near(const char *word);

#endif
