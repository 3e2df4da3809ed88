#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Help, man pages, README and completion say the same, and nothing that a command needs is missing.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

README=README.md
MAN=${BPERF%/*}/man # the pages as they are installed, built from cmd/*.[1-8]

# Commands may share a BPF file: that of a header in core/ whose .c, or private header, includes the
# skeleton.
bpf_of()
{
	local f

	sed -n 's,^#include "\([a-z_/]*\)\.h"$,\1,p' "cmd/$1.c" | while read -r f; do
		sed -n 's,^#include "\([a-z]*\)\.skel\.h"$,\1,p' "core/$f.c" "core/${f}_int.h" 2>/dev/null
	done | grep . || echo "$1"
}

# The command's run is one of probes, whose programs are made at run time.
compiles_probes()
{
	sed -n 's,^#include "\([a-z_/]*\.h\)"$,core/\1,p' "cmd/$1.c" |
		xargs grep -lsx '#include "probe/run.h"' | grep -q .
}

all_files() # a command's row has everything that belongs to it
{
	local f

	for f in "cmd/$1.c" "$MAN/$1.8" "tests/cli/$1.sh"; do
		[ -f "$f" ] || fail "$f is missing"
	done
	[ -f "bpf/$(bpf_of "$1").bpf.c" ] || compiles_probes "$1" ||
		fail "bpf/$1.bpf.c is missing, it shares nobody's and compiles no probes"
	grep -qx "COMMAND($1)" cmd/commands.def || fail "no row in cmd/commands.def"
	"$BPERF" __complete "$1" | grep -q "^$1	" || fail 'not completed'
	grep -qF "bperf\\-$1 (8)" cmd/bperf.8 || fail 'not in bperf(8)'
	grep -qF "\`$1\`" "$README" || fail "not in $README"
}

# Headings of options in the page: "--name", one per line; programs' options in examples are indented.
headings()
{
	sed -n '/^\.SH OPTIONS/,/^\.SH /p' "$MAN/$1.8" | grep -A1 '^\.TP' | grep -E '^\.BR? \\-' |
		grep -oE '\\-\\-[a-z\\-]+' | sed 's,[\\],,g'
}

page_has_options()
{
	"$BPERF" __options "$1" | cut -f1 | grep '^--' | sort >"$TMP/options"
	headings "$1" | sort >"$TMP/headings"
	same "$TMP/options" "$TMP/headings"
}

# Letters and arguments in the page are those of the table.
page_has_letters()
{
	local name arg letters line i

	while IFS=$'\x1f' read -r name arg _ letters _; do
		line=$(grep -E -- "^\.(B|BR) .*${name//-/\\\\-}( |$)" "$MAN/$1.8" | head -n1)
		for ((i = 0; i < ${#letters}; i++)); do
			[[ $line == *"\\-${letters:i:1} "* ]] ||
				echo "cmd/$1.8: -${letters:i:1} is missing at $name"
		done
		[ -z "$arg" ] || [[ $line == *"${arg%%,*}"* ]] || echo "cmd/$1.8: $name takes $arg"
	done < <("$BPERF" __options "$1" | tr '\t' '\037') >"$TMP/missing"
	[ ! -s "$TMP/missing" ] || fail "$(cat "$TMP/missing")"
}

page_has_sections()
{
	local section

	for section in NAME SYNOPSIS DESCRIPTION REQUIREMENTS OPTIONS EXAMPLES FIELDS OVERHEAD \
		CAVEATS 'SEE ALSO'; do
		grep -qE "^\.SH \"?$section\"?$" "$MAN/$1.8" || fail "cmd/$1.8 has no $section"
	done
}

help_has_examples()
{
	local n

	n=$("$BPERF" "$1" --help | sed -n '/^Examples:/,$p' | grep -c '^  bperf ')
	((n == 5)) || fail "$n examples"
	"$BPERF" "$1" --help | grep -q '^Overhead: ' || fail 'no word on overhead'
}

# At most 79 columns, no blank at a line's end, no tab.
help_fits()
{
	! "$@" 2>&1 | grep -nE '.{80}|[[:space:]]$|	'
}

completes_all_options()
{
	"$BPERF" __complete "$1" -- | cut -f1 | sort >"$TMP/offered"
	"$BPERF" __options "$1" | cut -f1 | grep '^--' | sort >"$TMP/options"
	same "$TMP/options" "$TMP/offered"
}

for name in $(commands); do
	check "$name has all its files" all_files "$name"
	check "$name's page describes each of its options once, and no other" page_has_options "$name"
	check "$name's page names letters and arguments" page_has_letters "$name"
	check "$name's page has all sections" page_has_sections "$name"
	check "$name's help has five examples" help_has_examples "$name"
	check "$name's help fits 80 columns" help_fits "$BPERF" "$name" --help
	check "$name completes all its options" completes_all_options "$name"
done
for name in top report diff; do
	check "$name's page describes each of its options once, and no other" page_has_options "$name"
	check "$name's help fits 80 columns" help_fits "$BPERF" "$name" --help
done
check 'the overview fits 80 columns' help_fits "$BPERF" --help

tables_are_sound()
{
	local name

	sed -n 's/^COMMAND(\(.*\))$/\1/p' cmd/commands.def | while read -r name; do
		"$BPERF" __options "$name" >/dev/null || fail "$name"
	done
}
check 'all option tables are sound' tables_are_sound

is_used() # by one command, or shared by some
{
	local c

	for c in $(commands); do
		[ "$(bpf_of "$c")" != "$1" ] || return 0
	done
	return 1
}

all_rows()
{
	local f name

	for f in cmd/*.8; do
		name=$(basename "$f" .8)
		[ "$name" = bperf ] || grep -qx "COMMAND($name)" cmd/commands.def || fail "$f"
	done
	for f in bpf/*.bpf.c; do
		name=$(basename "$f" .bpf.c)
		[[ $name == probe || $name == ksyms ]] || is_used "$name" || fail "$f"
	done
}
check 'no page and no BPF file is without its command' all_rows

# Text in cmd/shared.man that no page includes, and pages that include text that does not exist.
shared_text_is_used()
{
	sed -n 's/^@\([^ ]*\).*/\1/p' cmd/shared.man | sort >"$TMP/shared"
	sed -n '/^@/p' cmd/*.[1-8] | tr ' ' '\n' | sed -n 's/^@//p' | sort -u >"$TMP/included"
	same "$TMP/shared" "$TMP/included"
}
check 'every part of cmd/shared.man is in a page, once defined' shared_text_is_used

pages_are_clean()
{
	command -v mandoc >/dev/null || skip_because 'no mandoc here'
	mandoc -Tlint -W warning "$MAN"/*.[1-8] || fail 'mandoc complains'
}
check 'mandoc finds no fault with the pages' pages_are_clean

# Our renderer knows every macro and escape that the pages use: its output is mandoc's.
same_as_mandoc()
{
	local topic=${1##*/}

	command -v mandoc >/dev/null || skip_because 'no mandoc here'
	topic=${topic%.*}
	mandoc -Tascii -O width=80 "$1" | sed 's/.\x08//g' | tr -s ' \n' '\n' |
		sed '/^$/d' >"$TMP/mandoc"
	"$BPERF" help "$topic" | tr -s ' \n' '\n' | sed '/^$/d' >"$TMP/ours"
	# mandoc has a line of its own at the end, and the date in it.
	head -n "$(wc -l <"$TMP/ours")" "$TMP/mandoc" | diff - "$TMP/ours" | grep '^[<>]' |
		grep -v '^[<>] [*o-]$' | head -n 20 >"$TMP/diff"
	[ ! -s "$TMP/diff" ] || fail "$(cat "$TMP/diff")"
}
for page in "$MAN"/*.[1-8]; do
	check "bperf help shows ${page##*/} as mandoc does" same_as_mandoc "$page"
done

statuses_agree()
{
	local status

	for status in 0 1 64 66 69 77 127; do
		grep -qE "^\| $status \|" "$README" || fail "$status is not in the README"
		grep -qx "\.B $status" cmd/bperf.8 || fail "$status is not in bperf(8)"
	done
}
check 'README and bperf(8) have the same exit statuses' statuses_agree

packages_agree()
{
	local list

	for list in build fedora suse; do
		sed -n "/^$list='/,/'\$/p" tests/tools/deps.sh | tr -d "'" | sed "s/^$list=//" |
			tr -s '[:space:]' '\n' | sed 's/|.*//; /^$/d' | while read -r name; do
			grep -E '^\| (Debian|Fedora|openSUSE)' "$README" | grep -qwF -- "$name" ||
				echo "$name of tests/tools/deps.sh is not in the README"
		done
	done >"$TMP/missing"
	[ ! -s "$TMP/missing" ] || fail "$(cat "$TMP/missing")"
}
check 'README and make deps name the same packages' packages_agree

# A front page that people read to its end; options are in --help and the man pages.
readme_is_short()
{
	(($(wc -l <"$README") <= 300)) || fail "$(wc -l <"$README") lines, 300 are allowed"
}
check 'the README has at most 300 lines' readme_is_short

links_lead_somewhere()
{
	local target

	grep -oE '\]\([^)]+\)' "$README" | tr -d ']()' | while read -r target; do
		[[ $target == http* ]] || [ -e "$target" ] || echo "$target"
	done >"$TMP/missing"
	[ ! -s "$TMP/missing" ] || fail "$(cat "$TMP/missing")"
}
check 'links in the README lead somewhere' links_lead_somewhere

# Every path that core/README.md names exists; foo and FOO are placeholders.
tree_page_is_true()
{
	local path

	grep -oE '`[a-z]+/[A-Za-z_]+(\.[a-z0-9]+)*`' core/README.md | tr -d '`' | sort -u |
		while read -r path; do
			[[ $path == *[fF][oO][oO]* || -e $path || -e core/$path ]] || echo "$path"
		done >"$TMP/missing"
	[ ! -s "$TMP/missing" ] || fail "core/README.md names what is not there:" "$(cat "$TMP/missing")"
}
check 'core/README.md names files that exist' tree_page_is_true

rooms_are_listed()
{
	local dir

	for dir in core/*/; do
		grep -qF "| \`$(basename "$dir")\` |" core/README.md || fail "$dir is not in core/README.md"
	done
}
check 'core/README.md lists all rooms' rooms_are_listed

# Only people run the benchmarks: the programs that they start must at least exist.
benchmarks_find_programs()
{
	local name

	grep -q '^WORK = .*"build", "tests", "workloads"))$' tests/bench/common.py ||
		fail "$(grep '^WORK' tests/bench/common.py)"
	grep -hoE 'WORK, "[a-z]+"' tests/bench/*.py | cut -d'"' -f2 | sort -u >"$TMP/started"
	[ -s "$TMP/started" ] || fail 'none is started'
	while read -r name; do
		[ -f "tests/workloads/$name.c" ] || fail "tests/workloads/$name.c is missing"
	done <"$TMP/started"
}
check 'benchmarks start workloads that exist' benchmarks_find_programs

# All JSON fields that the encoder writes are in the page.
page_has_fields()
{
	local name

	{
		grep -ohE 'json_[a-z0-9]+\(&?w, "[a-z_]+"' core/render/json.c core/render/events.c | sed 's/.*"\(.*\)"/\1/'
		grep -ohE 'json_record_begin\(out, "[a-z]+"' core/render/json.c core/render/events.c | sed 's/.*"\(.*\)"/\1/'
		grep -ohE '^	X\([a-z_]+,' core/model/ledger.h | sed 's/.*(\(.*\),/\1/'
	} | sort -u | while read -r name; do
		[ "$name" = type ] || grep -qE "^\.[BR]+( | .*[^a-z_])$name([^a-z_]|\$)" cmd/bperf-output.5 ||
			echo "cmd/bperf-output.5 does not describe $name"
	done >"$TMP/missing"
	[ ! -s "$TMP/missing" ] || fail "$(cat "$TMP/missing")"
}
check 'bperf-output(5) describes all JSON fields' page_has_fields

page_has_extensions()
{
	local name

	sed -n 's/^static const char \*const extensions\[\] = { \(.*\), NULL };/\1/p' core/render/*.c |
		tr -d '",' | tr ' ' '\n' | while read -r name; do
		grep -qF -- "$name" cmd/bperf-output.5 || echo "$name: not in bperf-output(5)"
		grep -qF -- "\`$name\`" "$README" || echo "$name: not in the README"
	done >"$TMP/missing"
	[ ! -s "$TMP/missing" ] || fail "$(cat "$TMP/missing")"
}
check 'bperf-output(5) and README know all extensions' page_has_extensions
