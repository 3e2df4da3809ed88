#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `make lint` in its three parts.
#
# long: 5 minutes of CPU time
. "$(dirname "$0")/../lib.sh"

# clang-tidy and clang-format of another version find other things.
has_14()
{
	local tool

	tool=$(command -v "$1-14" || command -v "$1") && "$tool" --version | grep -q 'version 14\.'
}

is_14()
{
	has_14 "$1" >/dev/null || skip_because "$1 14 is not here"
}

lint()
{
	make -k --no-print-directory -j"$(nproc)" "lint-$1"
}

tidy()
{
	is_14 clang-tidy
	lint tidy
}

# After a change of its configuration, clang-tidy reads each source once.
reads_all()
{
	is_14 clang-tidy
	make --no-print-directory -n -W .clang-tidy lint-tidy | tr ' ' '\n' | grep -E '^[a-z_/0-9]+\.c$' | sort >"$TMP/got"
	printf '%s\n' cmd/*.c core/*/*.c tests/unit/*.c tests/unit/*/*.c tests/fuzz/*.c | sort >"$TMP/want"
	same "$TMP/want" "$TMP/got"
}

# finds FILE NAME...: clang-tidy, which reads the files of these names, finds just the marked lines of FILE.
finds()
{
	local file=$1

	shift
	"$(command -v clang-tidy-14 || command -v clang-tidy)" --quiet --config-file=.clang-tidy \
		"${@/#/$TMP/}" -- -Wno-everything -Wshorten-64-to-32 >"$TMP/found" 2>"$TMP/err"
	sed -n "s/^[^ ]*$file:\([0-9]*\):[0-9]*: error: .*/\1/p" "$TMP/found" | sort -un >"$TMP/got"
	grep -n ' // ' "$TMP/$file" | sed 's/:.*//' | sort -un >"$TMP/want"
	same "$TMP/want" "$TMP/got" || fail "$(grep ' error: ' "$TMP/found")" "$(cat "$TMP/err")"
}

# One mistake on each marked line, in the second of two files that clang-tidy reads, as make lint has it read
# several.  The one that concerns a va_list is in a file that it reads alone.
finds_mistakes()
{
	is_14 clang-tidy
	cat >"$TMP/first.c" <<-'EOF'
		#include <stdlib.h>
		#include <string.h>

		int first(const char *text);

		int first(const char *text)
		{
			char *copy = malloc(strlen(text) + 1);

			free(copy);
			return 0;
		}
	EOF
	cat >"$TMP/mistakes.c" <<-'EOF'
		#include <stdlib.h>
		#include <string.h>

		int shortens(const char *text)
		{
			return strlen(text); // loses bits
		}

		int leaks(int n)
		{
			char *p = malloc(100);

			if (n)
				return 1; // leaks
			free(p);
			return *p; // freed
		}

		int wrong(int n, const int *p)
		{
			int a[4], unset, set = n;
			char *const none = NULL;

			set = 3; // dead
			if (!p)
				n += *p; // null
			if (n == 0)
				return 100 / n; // zero
			if (n == 1)
				return unset; // unset
			if (n == 2)
				return a[2]; // unset too
			n += strlen(none); // no text
			memset(a, sizeof(a), 0); // swapped
			return 0;
		}

		int *dangles(void)
		{
			int n = 3;
			static int *kept;

			kept = &n;
			return kept; // dangles
		}
	EOF
	cat >"$TMP/alone.c" <<-'EOF'
		#include <stdarg.h>
		#include <string.h>
		#include <unistd.h>

		void say(const char *text, ...);

		void say(const char *text, ...)
		{
			va_list args;

			va_start(args, text);
			write(1, text, strlen(text)); // no va_end
		}
	EOF
	finds alone.c alone.c && finds mistakes.c first.c mistakes.c
}

format()
{
	is_14 clang-format
	lint format
}

shell()
{
	command -v shellcheck >/dev/null || skip_because 'no shellcheck here'
	lint shell
}

# clang-tidy repeats clang's warnings.
has_14 clang-tidy >/dev/null || check 'clang finds no conversion that loses bits' lint warn
check 'clang-tidy finds nothing' tidy
check 'clang-tidy reads each source' reads_all
check 'clang-tidy finds planted mistakes' finds_mistakes
check 'sources are formatted' format
check 'shellcheck finds nothing' shell
