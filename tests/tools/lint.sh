#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `make lint` in its four parts.
#
# long: 8 minutes of CPU time
. "$(dirname "$0")/../lib.sh"

# clang-tidy and clang-format of another version find other things.
is_14()
{
	local tool

	tool=$(command -v "$1-14" || command -v "$1") || skip_because "no $1 here"
	"$tool" --version | grep -q 'version 14\.' || skip_because "$1 14 is not here"
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

check 'clang finds no conversion that loses bits' lint warn
check 'clang-tidy finds nothing' tidy
check 'sources are formatted' format
check 'shellcheck finds nothing' shell
