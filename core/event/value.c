// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/value.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "gen/program.h"
#include "host/cgroup.h"
#include "host/syscalls.h"
#include "model/event.h"

#define ABSENT "?"
#define CUT    "..."

/* The search for names may take a quarter of the time in the long run, and NAMING_MAX_NS at once:
 * reading the kernel's symbols takes 0.2 s, and 3 s in an emulator. */
#define NAMING_SHARE  4
#define NAMING_MAX_NS (s64)(10 * NS_PER_SEC)

/* ---- names of numbers --------------------------------------------------------------------- */

void show_find_names(struct show_env *s)
{
	u64 now = now_ns();

	s->naming_ns += (s64)((now - s->naming_since_ns) / NAMING_SHARE);
	if (!s->naming_since_ns || s->naming_ns > NAMING_MAX_NS)
		s->naming_ns = NAMING_MAX_NS;
	s->naming_since_ns = now;
	if (s->naming_ns <= 0)
		return;
	symbolizer_resolve(s->sym, &(struct sym_budget){ .stop = stop_impatience() });
	s->naming_ns -= (s64)(now_ns() - now);
}

static bool add_frame(struct show_env *s, u32 loc, struct str *out, bool with_module)
{
	const struct frame *f;
	size_t n;

	show_find_names(s);
	f = &symbolizer_frames(s->sym, &n)[loc];
	if (!f->name)
		return false;
	str_adds(out, f->name);
	if (f->off)
		str_addf(out, "+0x%llx", f->off);
	if (with_module && f->module)
		str_addf(out, frame_base(f->module)[0] == '[' ? " %s" : " [%s]",
			 frame_base(f->module));
	return true;
}

static bool name_ksym(struct show_env *s, const struct value_view *v, struct str *out)
{
	return v->number && add_frame(s, symbolizer_kernel(s->sym, v->number, false), out, false);
}

static bool name_usym(struct show_env *s, const struct value_view *v, struct str *out)
{
	return v->number && add_frame(s, symbolizer_address(s->sym, s->tgid, v->number), out, true);
}

/* include/linux/errno.h: programs do not see them, but kernel functions return them. */
static const char *const kernel_errnos[] = {
	[512 - 512] = "ERESTARTSYS",
	[513 - 512] = "ERESTARTNOINTR",
	[514 - 512] = "ERESTARTNOHAND",
	[515 - 512] = "ENOIOCTLCMD",
	[516 - 512] = "ERESTART_RESTARTBLOCK",
	[517 - 512] = "EPROBE_DEFER",
	[518 - 512] = "EOPENSTALE",
	[519 - 512] = "ENOPARAM",
	[524 - 512] = "ENOTSUPP",
	[529 - 512] = "EIOCBQUEUED",
};

#define ERRNO_MAX 4095

static bool add_errno(s64 value, struct str *out)
{
	const char *name;
	s64 e = value < 0 ? -value : value;

	if (e <= 0 || e > ERRNO_MAX)
		return false;
	name = strerrorname_np((int)e);
	if (!name && e >= 512 && e - 512 < (s64)ARRAY_SIZE(kernel_errnos))
		name = kernel_errnos[e - 512];
	if (name)
		str_adds(out, name);
	return name;
}

u64 show_number(const struct value_view *v)
{
	s64 as_int = (s32)v->number;

	if (!v->type->is_plain || v->number >> 32 || as_int >= 0 || as_int < -ERRNO_MAX)
		return v->number;
	return (u64)as_int;
}

static bool name_errno(struct show_env *s, const struct value_view *v, struct str *out)
{
	s64 value = v->type->size == 4 ? (s32)v->number : (s64)show_number(v);

	(void)s;
	return value < 0 && add_errno(value, out);
}

static const char *name_of_value(const struct type_names *names, u64 value)
{
	for (u32 i = 0; i < names->n; i++)
		if (names->items[i].value == value)
			return names->items[i].name;
	return NULL;
}

static void add_bit(const char *name, u64 value, struct str *out)
{
	if (out->n)
		str_addc(out, '|');
	if (name)
		str_adds(out, name);
	else
		str_addf(out, "0x%llx", value);
}

/* false: no flag has a name, and the value stays a number. */
static bool name_flags(const struct type_names *names, u64 value, struct str *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	u64 number = value & names->number, left = value & ~names->number;
	const char *name = name_of_value(names, names->number ? number : value);
	bool has_name = name;

	if (name && !names->number) {
		str_adds(out, name);
		return true;
	}
	if (name || number)
		add_bit(name, number, &text);
	for (u32 i = 0; i < names->n; i++) {
		u64 bits = names->items[i].value;

		if (!(bits & ~names->number) || (left & bits) != bits)
			continue;
		add_bit(names->items[i].name, 0, &text);
		left &= ~bits;
		has_name = true;
	}
	if (left)
		add_bit(NULL, left, &text);
	if (has_name)
		str_adds(out, str_text(&text));
	return has_name;
}

static bool name_names(struct show_env *s, const struct value_view *v, struct str *out)
{
	const struct type_names *names = v->names;
	const char *name;

	(void)s;
	if (names && names->is_flags)
		return name_flags(names, v->type->size == 4 ? (u32)v->number : v->number, out);
	name = names ? name_of_value(names, v->number) : NULL;
	if (name)
		str_adds(out, name);
	return name;
}

static bool name_bool(struct show_env *s, const struct value_view *v, struct str *out)
{
	(void)s;
	str_adds(out, v->number ? "true" : "false");
	return true;
}

static bool name_syscall(struct show_env *s, const struct value_view *v, struct str *out)
{
	const char *name = v->number < UINT32_MAX ? syscall_name((u32)v->number) : NULL;

	(void)s;
	if (name)
		str_adds(out, name);
	return name;
}

/* Looks for a line like "   8       0 sda 1 0 8 5 ...": /proc/partitions lacks some devices
 * (null_blk and ramdisks before 5.17). */
static bool find_device(u32 major, u32 minor, struct str *out)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, line, word;

	if (file_read("/proc/diskstats", 4 << 20, &text))
		return false;
	rest = str_view(&text);
	while (view_split(&rest, '\n', &line)) {
		u64 n[2] = { 0 };
		u32 at = 0;

		while (view_split(&line, ' ', &word)) {
			if (!word.n)
				continue;
			if (at < 2 && !num_parse_dec(word, &n[at]))
				break;
			if (at++ < 2 || n[0] != major || n[1] != minor)
				continue;
			str_add(out, word.p, word.n);
			return true;
		}
	}
	return false;
}

/* dev_t inside the kernel has 20 bits of minor number (include/linux/kdev_t.h). */
static bool name_dev(struct show_env *s, const struct value_view *v, struct str *out)
{
	u32 major = (u32)(v->number >> 20), minor = v->number & 0xfffff;

	(void)s;
	if (!find_device(major, minor, out))
		str_addf(out, "%u:%u", major, minor);
	return true;
}

static bool name_cgroup(struct show_env *s, const struct value_view *v, struct str *out)
{
	_cleanup_(free_p) char *path = cgroup_path(v->number);

	(void)s;
	if (path)
		str_adds(out, path);
	return path;
}

static bool name_site(struct show_env *s, const struct value_view *v, struct str *out)
{
	u64 at = v->number & ~(u64)SITE_OF_START;
	bool is_start = v->number & SITE_OF_START;

	if (at >= (is_start ? s->plan->starts.n : s->plan->sites.n))
		return false;
	str_adds(out, (is_start ? s->plan->starts.items : s->plan->sites.items)[at].func);
	return true;
}

static bool name_char(struct show_env *s, const struct value_view *v, struct str *out)
{
	u8 c = (u8)v->number;

	(void)s;
	if (c < ' ' || c > '~')
		return false;
	str_addf(out, "'%c'", c);
	return true;
}

static bool (*const namers[SHOW_N])(struct show_env *, const struct value_view *, struct str *) = {
	[SHOW_CHAR] = name_char,     [SHOW_BOOL] = name_bool,	    [SHOW_ERRNO] = name_errno,
	[SHOW_NAMES] = name_names,   [SHOW_SYSCALL] = name_syscall, [SHOW_DEV] = name_dev,
	[SHOW_CGROUP] = name_cgroup, [SHOW_KSYM] = name_ksym,	    [SHOW_USYM] = name_usym,
	[SHOW_SITE] = name_site,
};

bool show_name(struct show_env *s, const struct value_view *v, struct str *out)
{
	return !v->is_absent && !v->has_no_name && type_is_scalar(v->type) &&
	       namers[v->type->show] && namers[v->type->show](s, v, out);
}

/* ---- bytes -------------------------------------------------------------------------------- */

static void add_ip(int family, const void *bytes, struct str *out)
{
	char text[INET6_ADDRSTRLEN] = ABSENT;

	inet_ntop(family, bytes, text, sizeof(text));
	str_adds(out, text);
}

static void add_port(const char *bytes, struct str *out)
{
	str_addf(out, ":%u", (u32)(u8)bytes[2] << 8 | (u8)bytes[3]);
}

/* struct sockaddr_in, _in6, _un: the first 28 bytes. */
static void add_sockaddr(struct view b, struct str *out)
{
	u16 family = 0;

	if (b.n >= 2)
		memcpy(&family, b.p, sizeof(family));
	if (family == AF_INET && b.n >= 8) {
		add_ip(AF_INET, b.p + 4, out);
		add_port(b.p, out);
	} else if (family == AF_INET6 && b.n >= 24) {
		str_addc(out, '[');
		add_ip(AF_INET6, b.p + 8, out);
		str_addc(out, ']');
		add_port(b.p, out);
	} else if (family == AF_UNIX && b.n > 2) {
		const char *path = b.p + 2;
		size_t n = strnlen(path + (path[0] ? 0 : 1), b.n - 2 - (path[0] ? 0 : 1));

		str_addf(out, "unix:%s%.*s", path[0] ? "" : "@", (int)n, path + (path[0] ? 0 : 1));
	} else {
		str_addf(out, "family %u", family);
	}
}

static void add_family_ip(struct view b, struct str *out)
{
	u32 family = 0;

	if (b.n >= 4)
		memcpy(&family, b.p, sizeof(family));
	if (family == AF_INET && b.n >= 8)
		add_ip(AF_INET, b.p + 4, out);
	else if (family == AF_INET6 && b.n >= 20)
		add_ip(AF_INET6, b.p + 4, out);
	else
		str_addf(out, "family %u", family);
}

struct view show_elements(const struct value_view *v, bool *is_cut)
{
	const struct type *type = v->type;
	u32 size = type->to->size;
	struct view of = { v->bytes.p, v->bytes.n / size * size };

	*is_cut = type->n ? of.n < (size_t)type->n * size : v->bytes.n == type->size;
	if (!type->n && *is_cut)
		of.n -= size;
	return of;
}

/* The values of an array, as C writes them. */
static void add_list(struct show_env *s, const struct value_view *v, struct str *out)
{
	const struct type *of = v->type->to;
	struct value_view element = { .type = of, .names = of->names };
	bool is_cut;
	struct view elements = show_elements(v, &is_cut);

	str_addc(out, '{');
	for (size_t at = 0; at < elements.n; at += of->size) {
		element.number = event_element(elements.p + at, of->size, of->is_signed);
		str_adds(out, at ? ", " : "");
		show_default(s, &element, out);
	}
	str_adds(out, is_cut ? ", " CUT "}" : "}");
}

/* BUILTIN_UADDR */
static void add_process_address(struct show_env *s, struct view b, struct str *out)
{
	u64 at[2] = { 0 };

	if (b.n >= sizeof(at))
		memcpy(at, b.p, sizeof(at));
	if (!at[0] || !add_frame(s, symbolizer_address(s->sym, (u32)at[1], at[0]), out, true))
		str_addf(out, "0x%llx", at[0]);
}

/* The first n frames of "leaf;caller;...": names of frames contain no semicolon.  0: all. */
static void add_innermost(const char *text, u32 n, struct str *out)
{
	const char *end = text;

	for (u32 i = 0; n && i < n && *end; i++)
		end += strcspn(end + (i > 0), ";") + (i > 0);
	if (n)
		str_add(out, text, (size_t)(end - text));
	else
		str_adds(out, text);
}

/* Move the first character of the text to `out`.  Control characters, and bytes that are not UTF-8,
 * become escaped bytes. */
static void move_char(struct view *text, struct str *out)
{
	const char *p = text->p;
	u32 cp = utf8_next(text);

	if (cp != UTF8_BAD && !utf8_is_control(cp)) {
		str_add(out, p, (size_t)(text->p - p));
		return;
	}
	for (; p < text->p; p++)
		str_addf(out, "\\x%02x", (u8)*p);
}

/* Within quotes, the end of the string must be visible, and bytes that cannot be printed differ
 * from the sign of an absent value. */
static void add_quoted(struct view text, struct str *out)
{
	str_addc(out, '"');
	while (text.n) {
		char c = text.p[0];

		if ((c < ' ' && c != '\n' && c != '\t') || c > '~') {
			move_char(&text, out);
			continue;
		}
		if (c == '"' || c == '\\' || c < ' ')
			str_addc(out, '\\');
		str_addc(out, c == '\n' ? 'n' : c == '\t' ? 't' : c);
		text = (struct view){ text.p + 1, text.n - 1 };
	}
	str_addc(out, '"');
}

static void add_bytes(struct show_env *s, const struct value_view *v, struct str *out)
{
	struct view b = v->bytes;
	u64 id[2];

	if (v->is_frames) {
		str_add(out, b.p, b.n);
		return;
	}
	if (v->type->kind == TYPE_STACK) {
		const char *text = NULL;

		if (b.n >= sizeof(id) && s->stack) {
			memcpy(id, b.p, sizeof(id));
			text = s->stack(s->ctx, id);
		}
		add_innermost(text ? text : ABSENT, v->type->n, out);
		return;
	}
	if (v->type->to) {
		add_list(s, v, out);
		return;
	}
	switch (v->type->show) {
	case SHOW_IP4:
		if (b.n >= 4)
			add_ip(AF_INET, b.p, out);
		return;
	case SHOW_IP6:
		if (b.n >= 16)
			add_ip(AF_INET6, b.p, out);
		return;
	case SHOW_IP:
		add_family_ip(b, out);
		return;
	case SHOW_SOCKADDR:
		add_sockaddr(b, out);
		return;
	case SHOW_USYM:
		add_process_address(s, b, out);
		return;
	case SHOW_MAC:
		for (size_t i = 0; i < b.n; i++)
			str_addf(out, "%s%02x", i ? ":" : "", (u8)b.p[i]);
		return;
	case SHOW_TEXT:
		add_quoted(b, out);
		return;
	default:
		for (size_t i = 0; i < b.n; i++)
			if (b.p[i] >= ' ' && b.p[i] <= '~' && b.p[i] != '\\')
				str_addc(out, b.p[i]);
			else
				str_addf(out, "\\x%02x", (u8)b.p[i]);
	}
}

/* Tabs and line breaks in a string are escaped: they would look like those of the format. */
static void add_string(struct view text, struct str *out)
{
	for (size_t i = 0; i < text.n; i++)
		str_addc(out, text.p[i] == '\n' || text.p[i] == '\t' ? ' ' : text.p[i]);
}

/* SHOW_QUOTED: "..." stands for strings that were left out. */
static void add_each_quoted(struct view strings, struct str *out)
{
	const char *mark;

	do {
		struct view one = strings;

		mark = strings.n ? memchr(strings.p, TREE_QUOTED_MARK, strings.n) : NULL;
		if (mark)
			one.n = (size_t)(mark - strings.p);
		if (!mark && view_eq(one, CUT))
			str_adds(out, CUT);
		else
			add_quoted(one, out);
		if (mark) {
			str_addc(out, ' ');
			strings.p += one.n + 1;
			strings.n -= one.n + 1;
		}
	} while (mark);
}

/* ---- by type ------------------------------------------------------------------------------ */

/* Three decimals, in the largest unit in which the value is at least 1. */
static void add_duration(u64 ns, struct str *out)
{
	static const struct {
		u64 ns;
		const char *name;
	} units[] = { { NS_PER_SEC, "s" }, { NS_PER_MS, "ms" }, { NS_PER_US, "us" } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ns < units[i].ns)
			continue;
		str_addf(out, "%llu.%03llu %s", ns / units[i].ns,
			 ns % units[i].ns / (units[i].ns / 1000), units[i].name);
		return;
	}
	str_addf(out, "%llu ns", ns);
}

static void add_hex(u64 number, struct str *out)
{
	str_adds(out, "0x");
	str_add_hex(out, number);
}

static void add_number(const struct value_view *v, struct str *out)
{
	u64 number = show_number(v);

	switch (v->type->show) {
	case SHOW_HEX:
	case SHOW_POINTER:
	case SHOW_KSYM:
	case SHOW_USYM:
		add_hex(v->number, out);
		return;
	case SHOW_OCTAL:
		str_addf(out, v->number ? "0%llo" : "%llo", v->number);
		return;
	case SHOW_NS:
		add_duration(v->number, out);
		return;
	case SHOW_TIME:
		str_addf(out, "%llu.%09llu", v->number / NS_PER_SEC, v->number % NS_PER_SEC);
		return;
	default:
		break;
	}
	if (v->type->kind == TYPE_POINTER || (v->names && v->names->is_flags && v->number))
		add_hex(v->number, out);
	else if (v->names && v->names->is_flags)
		str_addc(out, '0');
	else if (v->type->is_signed)
		str_add_signed(out, (s64)number);
	else
		str_add_dec(out, number);
}

void show_default(struct show_env *s, const struct value_view *v, struct str *out)
{
	if (v->is_absent) {
		str_adds(out, ABSENT);
	} else if (v->type->kind == TYPE_STRING) {
		if (v->type->show == SHOW_QUOTED)
			add_each_quoted(v->bytes, out);
		else
			add_quoted(v->bytes, out);
		str_adds(out, value_dots(v));
	} else if (!type_is_scalar(v->type)) {
		add_bytes(s, v, out);
		str_adds(out, value_dots(v));
	} else if (v->type->show == SHOW_ERRNO) {
		struct str name = { 0 };

		add_number(v, out);
		if (name_errno(s, v, &name))
			str_addf(out, " (%s)", str_text(&name));
		str_release(&name);
	} else if (!show_name(s, v, out)) {
		add_number(v, out);
	}
}

void show_plain(struct show_env *s, const struct value_view *v, struct str *out)
{
	if (v->is_absent)
		str_adds(out, ABSENT);
	else if (v->type->show == SHOW_QUOTED)
		add_each_quoted(v->bytes, out);
	else if (v->type->kind == TYPE_STRING)
		add_string(v->bytes, out);
	else if (!type_is_scalar(v->type))
		add_bytes(s, v, out);
	else if (!show_name(s, v, out))
		add_number(v, out);
}
