// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#define MAX_MANGLED   4096
#define MAX_DEMANGLED 16384

/* ---- libiberty, bounded ---- */

struct name_sink {
	struct str *out;
	size_t from;
	jmp_buf full;
};

/*
 * Substitutions let a name of a hundred bytes expand to gigabytes.  Discarding the output is the
 * only way to stop the demanglers; they allocate (almost) nothing while they print.
 */
static void sink_add(const char *text, size_t n, void *ctx)
{
	struct name_sink *sink = ctx;
	size_t used = sink->out->n - sink->from;

	if (!n) /* called with a NULL text */
		return;
	if (n > MAX_DEMANGLED - used) {
		str_add(sink->out, text, MAX_DEMANGLED - used);
		longjmp(sink->full, 1);
	}
	str_add(sink->out, text, n);
}

static bool looks_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "__Z", 3) ||
	       !strncmp(name, "___Z", 4) || !strncmp(name, "_GLOBAL_", 8);
}

/*
 * To find the parameter that a pack expansion (Dp, sp) repeats, libiberty walks the whole type, and
 * expands each substitution (S_, S0_) in it again: 43 substitutions in a name of 264 bytes take
 * 0.75 s, every two more double that, and no output is produced at which we could stop it.  With
 * 24, it takes a millisecond.  Among 7,922 names with expansions in the libraries of a Debian 12,
 * three have more.
 */
#define MAX_SUBSTITUTIONS 24

static bool is_substitution(const char *p)
{
	if (*p++ != 'S')
		return false;
	while (isdigit((unsigned char)*p) || isupper((unsigned char)*p))
		p++;
	return *p == '_';
}

static bool takes_forever(const char *name)
{
	bool expands = strstr(name, "Dp") || strstr(name, "sp") || strstr(name, "sP") ||
		       strstr(name, "sZ");
	size_t n = 0;

	for (const char *p = expands ? name : ""; *p; p++)
		n += is_substitution(p);
	return n > MAX_SUBSTITUTIONS;
}

/* Returns false, with `out` unchanged, if the name is not mangled or cannot be demangled. */
static bool demangle_any(const char *name, int flags, struct str *out)
{
	struct name_sink sink = { .out = out, .from = out->n };

	if (!looks_mangled(name) || takes_forever(name))
		return false;
	if (setjmp(sink.full)) {
		str_adds(sink.out, "...");
		return true;
	}
	/* Rust's old mangling looks like C++; only Rust's own demangler recognizes the hash. */
	if (rust_demangle_callback(name, flags, sink_add, &sink))
		return true;
	out->n = sink.from;
	if (cplus_demangle_v3_callback(name, flags, sink_add, &sink))
		return true;
	out->n = sink.from;
	return false;
}

/* ---- shortening ---- */

static bool text_starts(const char *p, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(end - p) >= n && !memcmp(p, prefix, n);
}

/* Suffixes that the compiler appends to the symbol of a specialized copy of a function. */
static const char *const clone_suffixes[] = {
	".isra.",  ".constprop.", ".part.",	".cold",    ".llvm.",
	".clone.", ".localalias", ".lto_priv.", ".__uniq.", ".specialized.",
};

/* The length of the name without clone suffixes and symbol version. */
static size_t plain_length(const char *name)
{
	size_t n = strlen(name);
	const char *at = strchr(name, '@');

	if (at && at > name)
		n = (size_t)(at - name);
	for (size_t i = 0; i < ARRAY_SIZE(clone_suffixes); i++) {
		const char *suffix = strstr(name, clone_suffixes[i]);

		if (suffix && suffix > name && (size_t)(suffix - name) < n)
			n = (size_t)(suffix - name);
	}
	return n;
}

/* Inline namespaces and ABI tags: details of the library's implementation that its users do not
 * write. */
static const struct {
	const char *from, *to;
} renames[] = {
	{ "std::__cxx11::", "std::" }, { "std::__1::", "std::" }, { "std::__ndk1::", "std::" },
	{ "[abi:cxx11]", "" },	       { "> >", ">>" },
};

/* Apply the first row that matches at `p`; returns how much of the text it consumed. */
static size_t rename_at(const char *p, const char *end, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(renames); i++) {
		if (!text_starts(p, end, renames[i].from))
			continue;
		if (!strcmp(renames[i].from, "> >")) {
			str_addc(out, '>'); /* the second '>' may start another pair */
			return 2;
		}
		str_adds(out, renames[i].to);
		return strlen(renames[i].from);
	}
	if (text_starts(p, end, "[abi:")) {
		const char *close = memchr(p, ']', (size_t)(end - p));

		return close ? (size_t)(close + 1 - p) : 0;
	}
	return 0;
}

static void fold_namespaces(struct view in, struct str *out)
{
	const char *p = in.p, *end = in.p + in.n;

	while (p < end) {
		size_t eaten = rename_at(p, end, out);

		if (!eaten)
			str_addc(out, *p);
		p += eaten ? eaten : 1;
	}
}

/* Default template arguments. */
static const char *const default_args[] = {
	", std::allocator<", ", std::char_traits<", ", std::less<",
	", std::hash<",	     ", std::equal_to<",    ", std::default_delete<",
};

/* The '>' that closes the '<' just before `p`, or NULL if there is none. */
static const char *closing(const char *p, const char *end)
{
	int depth = 1;

	for (; p < end; p++) {
		if (*p == '<')
			depth++;
		if (*p == '>' && p[-1] != '-' && !--depth)
			return p;
	}
	return NULL;
}

static size_t default_arg_at(const char *p, const char *end)
{
	for (size_t i = 0; i < ARRAY_SIZE(default_args); i++) {
		const char *close;

		if (!text_starts(p, end, default_args[i]))
			continue;
		close = closing(p + strlen(default_args[i]), end);
		if (close && close + 1 < end && (close[1] == '>' || close[1] == ','))
			return (size_t)(close + 1 - p);
		if (close && text_starts(close + 1, end, " >"))
			return (size_t)(close + 2 - p);
	}
	return 0;
}

static void drop_default_args(struct view in, struct str *out)
{
	const char *p = in.p, *end = in.p + in.n;

	while (p < end) {
		size_t eaten = *p == ',' ? default_arg_at(p, end) : 0;

		if (!eaten)
			str_addc(out, *p);
		p += eaten ? eaten : 1;
	}
}

static const struct {
	const char *from, *to;
} nicknames[] = {
	{ "std::basic_string<char>", "std::string" },
	{ "std::basic_string<wchar_t>", "std::wstring" },
	{ "std::basic_string_view<char>", "std::string_view" },
	{ "std::basic_ostream<char>", "std::ostream" },
	{ "std::basic_istream<char>", "std::istream" },
	{ "std::basic_iostream<char>", "std::iostream" },
	{ "std::basic_ios<char>", "std::ios" },
	{ "std::basic_streambuf<char>", "std::streambuf" },
	{ "std::basic_filebuf<char>", "std::filebuf" },
	{ "std::basic_stringbuf<char>", "std::stringbuf" },
	{ "std::basic_ostringstream<char>", "std::ostringstream" },
	{ "std::basic_istringstream<char>", "std::istringstream" },
	{ "std::basic_stringstream<char>", "std::stringstream" },
	{ "std::basic_ofstream<char>", "std::ofstream" },
	{ "std::basic_ifstream<char>", "std::ifstream" },
};

static size_t nickname_at(const char *p, const char *end, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(nicknames); i++) {
		if (text_starts(p, end, nicknames[i].from)) {
			str_adds(out, nicknames[i].to);
			return strlen(nicknames[i].from);
		}
	}
	return 0;
}

static void use_nicknames(struct view in, struct str *out)
{
	const char *p = in.p, *end = in.p + in.n;

	while (p < end) {
		size_t eaten = *p == 's' ? nickname_at(p, end, out) : 0;

		if (!eaten)
			str_addc(out, *p);
		p += eaten ? eaten : 1;
	}
}

void shorten_name(const char *name, struct str *out)
{
	struct str a = { 0 }, b = { 0 };

	fold_namespaces(view_of(name), &a);
	drop_default_args(str_view(&a), &b);
	use_nicknames(str_view(&b), out);
	str_release(&a);
	str_release(&b);
}

static void demangle_short(const char *raw, int flags, struct str *out)
{
	char plain[MAX_MANGLED + 1];
	struct str long_name = { 0 };
	size_t n = plain_length(raw);

	memcpy(plain, raw, n);
	plain[n] = '\0';
	if (demangle_any(plain, DMGL_ANSI | flags, &long_name))
		shorten_name(str_text(&long_name), out);
	else
		str_add(out, plain, n);
	str_release(&long_name);
}

static void demangle_symbol(const char *raw, enum names_style style, struct str *out)
{
	if (style == SYM_NAMES_SHORT)
		demangle_short(raw, 0, out);
	else if (!demangle_any(raw, DMGL_PARAMS | DMGL_ANSI, out))
		str_adds(out, raw);
}

void demangle_call(const char *raw, struct str *out)
{
	if (strlen(raw) > MAX_MANGLED)
		str_adds(out, raw);
	else
		demangle_short(raw, DMGL_PARAMS | DMGL_RET_DROP, out);
}

void demangle(const char *raw, enum names_style style, struct str *out)
{
	static const char plt[] = "@plt"; /* appended by us, not part of the symbol */
	char symbol[MAX_MANGLED + 1];
	size_t n = strlen(raw);
	bool is_plt = n > strlen(plt) && !strcmp(raw + n - strlen(plt), plt);

	if (n > MAX_MANGLED) {
		str_add(out, raw, MAX_MANGLED);
		str_adds(out, "...");
		return;
	}
	if (style == SYM_NAMES_MANGLED) {
		str_adds(out, raw);
		return;
	}
	n -= is_plt ? strlen(plt) : 0;
	memcpy(symbol, raw, n);
	symbol[n] = '\0';
	demangle_symbol(symbol, style, out);
	if (is_plt)
		str_adds(out, plt);
}
