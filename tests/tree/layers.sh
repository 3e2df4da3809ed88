#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The include rules of the rooms, checked by grep.  A room may always include itself.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# room: our headers it may include; a word without a dot is a whole room
declare -A ours=(
	[base]=''
	[opt]='base'
	[model]='base'
	[host]='base'
	[sym]='base model/frame.h'
	[unwind]='base sym bpf/abi'
	[saved]='base model'
	[render]='base opt/formats.h model saved/pproffields.h'
	[syntax]='base'
	[type]='base syntax'
	[expr]='base syntax type'
	[gen]='base type bpf/abi'
	[site]='base host sym syntax type'
	[attach]='base host site'
	[run]='base opt/target.h opt/output.h host model sym/ksyms.h sym/symbolizer.h render/render.h bpf/abi'
	[stack]='base opt host model sym unwind render/render.h run bpf/abi'
	[wait]='base host model sym/landmarks.h unwind run stack bpf/abi'
	[dump]='base opt host sym/symbolizer.h model unwind run stack wait bpf/abi'
	[probe]='base opt host model sym syntax type expr gen site attach run stack/unwinding.h bpf/abi'
	[live]='base opt model saved render'
	[replay]='base opt model/diff.h saved render/render.h sym/demangle.h live/live.h'
	[recipe]='base opt host site'
	[translate]='base opt/opt.h site/callclass.h'
	[event]='base host model sym render/render.h syntax type expr gen site run/engine.h stack/truncation.h probe bpf/abi'
	[agg]='base model render/render.h syntax type/build.h expr run stack/truncation_say.h stack/renew.h stack/store.h probe event bpf/abi'
	[cmd]='base opt host sym live/live.h live/measure.h live/top.h render/render.h render/checklist.h replay saved/saved.h saved/view.h site attach/attach.h run stack wait dump probe/run.h event agg recipe translate/translate.h'
)

# room: headers of libraries it may include, as patterns; everyone may have libc's and linux/'s
declare -A libraries=(
	[base]=''
	[opt]=''
	[model]=''
	[host]='bpf/*.h'
	[sym]='zlib.h lzma.h libiberty/demangle.h'
	[unwind]='bpf/bpf.h'
	[saved]='jansson.h zlib.h'
	[render]='zlib.h'
	[syntax]=''
	[type]='bpf/btf.h'
	[expr]='bpf/btf.h'
	[gen]=''
	[site]='bpf/*.h'
	[attach]='bpf/*.h'
	[run]='bpf/*.h'
	[stack]='bpf/*.h'
	[wait]='bpf/*.h'
	[dump]='bpf/*.h'
	[probe]='bpf/*.h'
	[event]='bpf/*.h'
	[agg]='bpf/*.h'
	[live]='curses.h'
	[replay]=''
	[recipe]=''
	[translate]=''
	[cmd]='bpf/*.h'
)

# generated header, such as a skeleton: the one file that includes it; others go through that file's header
declare -A loads=(
	[profile.skel.h]='core/stack/profile.c'
	[wait.skel.h]='core/wait/wait_int.h'
	[dump.skel.h]='core/dump/dump.c'
	[ksyms.skel.h]='core/run/ksyms.c'
	[probe.skel.h]='core/probe/object.c'
	[scripthash.h]='core/render/html.c'
	[fallback.h]='core/live/screen.c'
)

# Files that are about libraries as such, or unpack what the binary carries.
declare -A exempt=(
	[cmd/version.c]='curses.h elfutils/version.h gnu/libc-version.h jansson.h lzma.h zlib.h'
	[cmd/embed.c]='zlib.h'
	[core/run/prog.c]='zlib.h'
)

GUARDED='bpf/* curses.h term.h libelf.h gelf.h zlib.h lzma.h jansson.h *demangle.h elfutils/* gnu/*'

matches() # WORD PATTERN...
{
	local word=$1 pattern

	shift
	for pattern; do
		# shellcheck disable=SC2254 # patterns
		case $word in
		$pattern) return 0 ;;
		esac
	done
	return 1
}

# Included with quotes: may FILE of ROOM have HEADER?
may_have()
{
	local file=$1 room=$2 header=$3 allowed

	case $header in
	*.skel.h | scripthash.h | fallback.h)
		[ "$file" = "${loads[$header]-}" ]
		return
		;;
	*_int.h)
		# Private headers are included in their own room only.
		[[ $header == "$room"/* ]]
		return
		;;
	cmd/*)
		# A command includes no header of another command, but may include all common
		# headers of cmd.
		local name=${header#cmd/}

		[ "$room" = cmd ] || return
		! grep -qx "COMMAND(${name%.h})" cmd/commands.def || [ "$file" = "cmd/${name%.h}.c" ]
		return
		;;
	"$room"/*) return 0 ;;
	esac
	for allowed in ${ours[$room]}; do
		case $allowed in
		*.h) [ "$header" = "$allowed" ] && return 0 ;;
		*) [[ $header == "$allowed"/* ]] && return 0 ;;
		esac
	done
	return 1
}

room_of()
{
	case $1 in
	cmd/*) echo cmd ;;
	core/*) echo "$1" | cut -d/ -f2 ;;
	esac
}

room_is_tight()
{
	local file header room=$1

	set -f
	while IFS=: read -r file header; do
		case $header in
		\"*)
			header=${header//\"/}
			may_have "$file" "$room" "$header" || echo "$file includes \"$header\""
			;;
		\<*)
			header=${header//[<>]/}
			# shellcheck disable=SC2086 # lists
			matches "$header" $GUARDED || continue
			# shellcheck disable=SC2086
			matches "$header" ${libraries[$room]} ${exempt[$file]-} ||
				echo "$file includes <$header>"
			;;
		esac
	done < <(includes_of "$room") >"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail "$(cat "$TMP/violations")"
}

includes_of()
{
	set +f
	grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]+[">]' \
		"$([ "$1" = cmd ] && echo cmd || echo "core/$1")"/*.[ch] |
		sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/:/'
}

for room in "${!ours[@]}"; do
	[ "$room" = cmd ] || [ -d "core/$room" ] || continue
	check "$room knows only what it may" room_is_tight "$room"
done

# A permission that no include uses must be removed.
rows_are_used()
{
	local room allowed

	for room in "${!ours[@]}"; do
		includes_of "$room" | sed 's/^[^"<]*["<]\([^">]*\).*/\1/' | sort -u >"$TMP/included"
		for allowed in ${ours[$room]}; do
			[[ $allowed == *.h ]] || allowed+=/
			grep -qF "$allowed" "$TMP/included" || echo "$room includes no $allowed"
		done
		set -f
		for allowed in ${libraries[$room]}; do
			grep -qx "${allowed//\*/.*}" "$TMP/included" || echo "$room includes no <$allowed>"
		done
	done >"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail "$(cat "$TMP/violations")"
}
check 'no room has a permission that it does not use' rows_are_used

all_rooms()
{
	local dir

	for dir in core/*/; do
		dir=$(basename "$dir")
		[ -n "${ours[$dir]+x}" ] || fail "core/$dir has no row here"
		grep -qE "^ \*	core/$dir( |$)" cmd/main.c || fail "core/$dir is not in cmd/main.c's map"
	done
	[ -z "$(find core -maxdepth 1 -type f ! -name '*.md')" ] || fail 'a file in core/ that is in no room'
}
check 'every room has its row, and its line in the map of main.c' all_rooms

shared_headers()
{
	local f

	for f in bpf/abi/*.h; do
		grep -HE '^#include' "$f" | grep -vE '<linux/types.h>|"[a-z_]+\.h"'
	done >"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail "$(cat "$TMP/violations")"
}
check 'headers that both sides share include only linux/types.h and each other' shared_headers

top_level()
{
	local entry

	git ls-files >/dev/null 2>&1 || skip_because 'not a git work tree'
	git ls-files | cut -d/ -f1 | sort -u | while read -r entry; do
		case $entry in
		cmd | bpf | core | completions | tests | Makefile | README.md | LICENSE | .*) ;;
		*) echo "$entry" ;;
		esac
	done >"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail 'at the top level:' "$(cat "$TMP/violations")"
}
check 'the top level has the agreed files only' top_level

has_licence()
{
	git ls-files -z '*.c' '*.h' '*.cpp' '*.rs' '*.py' '*.sh' '*.bash' '*.fish' '*.mk' '*.8' '*.5' \
		Makefile completions | xargs -0 grep -L 'SPDX-License-Identifier: ' >"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail 'without SPDX line:' "$(cat "$TMP/violations")"
}
check 'every source names its licence' has_licence

no_copies()
{
	# Text to numbers is base/num.c's; printing an error is main's.
	grep -nE '\b(atoi|atol|strtol|strtoul|strtoll|strtoull|sscanf)\(' cmd/*.c core/*/*.c \
		>"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail "$(cat "$TMP/violations")"
}
check 'numbers are read in one place' no_copies

# A test of core/ROOM/FILE.c is tests/unit/ROOM/FILE.c, or FILE_what.c; reports written by hand are
# golden_*.c; main.c runs them all.
tests_have_their_room()
{
	local f name dir

	for f in tests/unit/*.c tests/unit/*/*.c; do
		[[ -f $f && $f != tests/unit/main.c ]] || continue
		name=$(basename "$f" .c)
		dir=core/$(basename "$(dirname "$f")")
		[[ $name == golden_* || -f $dir/$name.c || -f $dir/$name.h || -f $dir/${name%%_*}.c ]] ||
			echo "$f tests no file of $dir"
	done >"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail "$(cat "$TMP/violations")"
}
check 'each unit test is named after the file that it tests' tests_have_their_room

# Files that call each other in a circle: only those of real recursion, and the table of commands.
# Each row is one circle; what a file calls is what its object leaves undefined.
CIRCLES='
core/gen/*
core/expr/check*
core/syntax/parse core/syntax/parse_type
core/type/type core/type/type_btf
cmd/commands cmd/completion cmd/doctor cmd/help cmd/install cmd/run cmd/schema cmd/tool cmd/toolbox cmd/top
'

calls() # lines "CALLER CALLEE"; those that may call each other have one name
{
	local objects

	objects=$(printf '%s\n' core/*/*.c cmd/*.c | sed 's|\(.*\)\.c|build/\1.o|')
	# shellcheck disable=SC2086 # a list
	nm -A $objects | CIRCLES=$CIRCLES awk '
		BEGIN { n_rows = split(ENVIRON["CIRCLES"], rows, "\n") }
		function name_of(file,    i, k, n, words) {
			gsub(/^build\/|\.o$/, "", file)
			for (i = 1; i <= n_rows; i++) {
				n = split(rows[i], words, " ")
				for (k = 1; k <= n; k++) {
					gsub(/\*/, ".*", words[k])
					if (file ~ "^" words[k] "$")
						return words[1]
				}
			}
			return file
		}
		{ split($1, at, ":"); file = at[1]
		  if (!(file in names)) names[file] = name_of(file) }
		$2 == "U" { from[++n] = names[file]; wants[n] = $3 }
		$2 ~ /^[TDBRCVW]$/ { has[$3] = names[file] }
		END { for (i = 1; i <= n; i++)
			if (wants[i] in has && has[wants[i]] != from[i])
				print from[i], has[wants[i]] }' | sort -u
}

no_circles()
{
	[ -d build/core ] || skip_because 'nothing is built'
	set +f
	calls >"$TMP/calls" || exit 1
	[ -s "$TMP/calls" ] || fail 'no calls found'
	tsort "$TMP/calls" 2>"$TMP/violations" >/dev/null || fail "$(sed 's/.*: //' "$TMP/violations")"
}
check 'files call each other in no circle but those of recursion' no_circles

# A reader (and an editor) that looks for the tag of a room's public header finds one definition.
tags_are_defined_once()
{
	grep -rnoE '^(struct|enum|union) [a-z_0-9]+ \{' core cmd --include='*.[ch]' |
		awk -F: '{ sub(/ \{$/, "", $3); n[$3]++; at[$3] = at[$3] " " $1
			   if ($1 ~ /\.h$/ && $1 !~ /_int\.h$/) is_public[$3] = 1 }
			END { for (tag in n) if (n[tag] > 1 && is_public[tag]) print tag ":" at[tag] }' \
			>"$TMP/violations"
	[ ! -s "$TMP/violations" ] || fail "$(cat "$TMP/violations")"
}
check 'a tag of a public header is defined once' tags_are_defined_once

sizes()
{
	find cmd core bpf tests completions Makefile -type f \( -name '*.[ch]' -o -name '*.cpp' -o \
		-name '*.rs' -o -name '*.sh' -o -name '*.bash' -o -name '*.py' -o -name '*.js' -o \
		-name Makefile \) -exec wc -l {} + |
		awk '$2 != "total" && $1 > 650 { print }' >"$TMP/violations"
	[ ! -s "$TMP/violations" ] || { echo 'long; is there a second idea in it?'; cat "$TMP/violations"; }
}
sizes | sed 's/^/# /' # a note, no test: a file ends where its idea ends
