// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/value.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "site/callnames.h"
#include "test.h"

__attribute__((noinline)) static void named_here(void)
{
	__asm__ volatile("");
}

static const char *name_of(const struct symbolizer *sym, u32 loc)
{
	size_t n;

	return symbolizer_frames(sym, &n)[loc].name;
}

TEST(names_wait_until_those_before_are_paid_for)
{
	struct symbolizer *sym;
	struct err err = { 0 };
	struct show_env env = { 0 };
	u32 loc;

	CHECK(!symbolizer_new(&sym, &(struct symbolizer_opts){ 0 }, &err));
	env.sym = sym;
	loc = symbolizer_user(sym, (u32)getpid(), (u64)(uintptr_t)named_here, false);
	env.naming_since_ns = now_ns();
	env.naming_ns = -(s64)(3600 * NS_PER_SEC);
	show_find_names(&env);
	CHECK(!name_of(sym, loc));
	/* Time passes. */
	env.naming_since_ns = now_ns() - 4 * 3601 * NS_PER_SEC;
	show_find_names(&env);
	CHECK(name_of(sym, loc));
	CHECK_STR(name_of(sym, loc), "named_here");
	symbolizer_free(sym);
}

TEST(the_first_name_is_found_at_once)
{
	struct symbolizer *sym;
	struct err err = { 0 };
	struct show_env env = { 0 };
	u32 loc;

	CHECK(!symbolizer_new(&sym, &(struct symbolizer_opts){ 0 }, &err));
	env.sym = sym;
	loc = symbolizer_user(sym, (u32)getpid(), (u64)(uintptr_t)named_here, false);
	show_find_names(&env);
	CHECK(name_of(sym, loc));
	CHECK(env.naming_ns > 0);
	symbolizer_free(sym);
}

/* ---- names of system calls' arguments ---- */

static const char *shown(const char *call, const char *param, u32 bytes, u64 number, char *buf,
			 size_t size)
{
	const struct type type = {
		.kind = TYPE_INT,
		.size = bytes,
		.is_signed = bytes == 4,
		.show = SHOW_NAMES,
		.names = call_value_names(call, param),
	};
	const struct value_view v = { .type = &type, .names = type.names, .number = number };
	struct show_env env = { 0 };
	struct str text = { 0 };

	CHECK(type.names);
	show_default(&env, &v, &text);
	snprintf(buf, size, "%s", str_text(&text));
	str_release(&text);
	return buf;
}

TEST(arguments_of_system_calls_have_the_names_of_their_headers)
{
	static const struct {
		const char *call, *param;
		u32 bytes;
		u64 number;
		const char *want;
	} rows[] = {
		{ "openat", "flags", 4, O_CLOEXEC, "O_RDONLY|O_CLOEXEC" },
		{ "open", "flags", 4, O_RDWR | O_CREAT | O_SYNC, "O_RDWR|O_CREAT|O_SYNC" },
		{ "openat", "flags", 4, O_RDWR | O_DSYNC, "O_RDWR|O_DSYNC" },
		{ "openat", "flags", 4, O_WRONLY | 0x8000000, "O_WRONLY|0x8000000" },
		{ "openat", "dfd", 4, (u64)AT_FDCWD, "AT_FDCWD" },
		{ "openat", "dfd", 4, 3, "3" },
		{ "mmap", "prot", 8, 0, "PROT_NONE" },
		{ "mmap", "prot", 8, 3, "PROT_READ|PROT_WRITE" },
		{ "mmap", "flags", 8, 0x22, "MAP_PRIVATE|MAP_ANONYMOUS" },
		{ "mmap", "fd", 8, UINT32_MAX, "-1" },
		{ "mmap", "addr", 8, 0x7f00, "0x7f00" },
		{ "futex", "op", 4, 129, "FUTEX_WAKE_PRIVATE" },
		{ "futex", "op", 4, 9 | 128 | 256,
		  "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME" },
		{ "socket", "type", 4, SOCK_DGRAM | SOCK_CLOEXEC, "SOCK_DGRAM|SOCK_CLOEXEC" },
		{ "socket", "family", 4, 2, "AF_INET" },
		{ "kill", "sig", 4, 9, "SIGKILL" },
		{ "kill", "sig", 4, 0, "0" },
		{ "ioctl", "cmd", 4, 0x5401, "TCGETS" },
		{ "ioctl", "cmd", 4, 0xc0de1234, "0xc0de1234" },
		{ "clone", "clone_flags", 8, 0x11, "SIGCHLD" },
		{ "clone", "clone_flags", 8, 0x300, "CLONE_VM|CLONE_FS" },
		{ "bpf", "cmd", 4, 5, "BPF_PROG_LOAD" },
		{ "getrusage", "who", 4, (u64)-1, "RUSAGE_CHILDREN" },
		{ "statx", "mask", 4, 0xfff, "STATX_BASIC_STATS|STATX_BTIME" },
		{ "wait4", "options", 4, (u64)-0x7fffffffLL, "WNOHANG|__WCLONE" },
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(shown(rows[i].call, rows[i].param, rows[i].bytes, rows[i].number, text,
				sizeof(text)),
			  rows[i].want);
	CHECK(!call_value_names("read", "fd"));
	CHECK(!call_value_names("openat", "mode"));
}

static const char *quoted(const char *strings, size_t n)
{
	static struct str out;
	const struct type type = { .kind = TYPE_STRING, .show = SHOW_QUOTED };
	const struct value_view v = { .type = &type, .bytes = { strings, n } };

	str_clear(&out);
	show_plain(&(struct show_env){ 0 }, &v, &out);
	return str_text(&out);
}
#define QUOTED(text) quoted(text, sizeof(text) - 1)

TEST(strings_in_quotation_marks)
{
	CHECK_STR(QUOTED(""), "\"\"");
	CHECK_STR(QUOTED("a b\1c"), "\"a b\" \"c\"");
	CHECK_STR(QUOTED("a\1"), "\"a\" \"\"");
	CHECK_STR(QUOTED("\1\1"), "\"\" \"\" \"\"");
	CHECK_STR(QUOTED("\"\\"), "\"\\\"\\\\\"");
	CHECK_STR(QUOTED("a\1..."), "\"a\" ...");
	CHECK_STR(QUOTED("...\1a"), "\"...\" \"a\"");
}

static const char *text_of_bytes(const char *bytes, size_t n, bool is_cut)
{
	static struct str out;
	const struct type type = { .kind = TYPE_BYTES, .show = SHOW_TEXT };
	const struct value_view v = { .type = &type, .bytes = { bytes, n }, .is_cut = is_cut };

	str_clear(&out);
	show_default(&(struct show_env){ 0 }, &v, &out);
	return str_text(&out);
}
#define TEXT(text) text_of_bytes(text, sizeof(text) - 1, false)

/* No byte is left out, and none becomes the sign of an absent value. */
TEST(buffers_that_may_be_text)
{
	CHECK_STR(TEXT(""), "\"\"");
	CHECK_STR(TEXT("\1\0\0\0"), "\"\\x01\\x00\\x00\\x00\"");
	CHECK_STR(TEXT("\1\2\377abc\n"), "\"\\x01\\x02\\xffabc\\n\"");
	CHECK_STR(TEXT("\"\\\t?\x7f"), "\"\\\"\\\\\\t?\\x7f\"");
	CHECK_STR(TEXT("gr\303\266\303"), "\"gr\303\266\\xc3\"");
	CHECK_STR(TEXT("\302\205"), "\"\\xc2\\x85\"");
	CHECK_STR(text_of_bytes("a\0", 2, true), "\"a\\x00\"...");
}
