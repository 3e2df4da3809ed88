#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools that are recipes: each has all that belongs to it, is found by name, link and path, and a
# mistake in one is shown where it is.
#
# long: starts bperf a thousand times, a minute

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# ---- each tool --------------------------------------------------------------------------------

# One check covers all tools: there are many.
no_lines()
{
	[ ! -s "$TMP/lines" ] || fail "$(cat "$TMP/lines")"
}

each()
{
	local name

	for name in $("$BPERF" __tools); do
		"$@" "$name" || echo "$name: $*"
	done >"$TMP/lines" 2>&1
	no_lines
}

is_sound()
{
	"$BPERF" __options "$1" >/dev/null
}
check 'tools: no two rows claim an option' each is_sound

has_help()
{
	"$BPERF" "$1" --help >"$TMP/help" || return
	[ "$(sed -n '/^Examples:/,$p' "$TMP/help" | grep -c '^  bperf ')" = 5 ] || echo 'not five examples'
	grep -q '^Overhead: ' "$TMP/help" || echo 'no word on overhead'
	! grep -nE '.{80}|[[:space:]]$|	' "$TMP/help"
}
check 'tools: help has five examples, and fits 80 columns' each has_help

has_page()
{
	"$BPERF" help "$1" | grep -q '^EXAMPLES$'
}
check 'tools: each has a manual' each has_page

has_truth()
{
	grep -qE "^check .$1: " tests/accuracy/tools-*.sh
}
check 'tools: each is tested with a workload' each has_truth

has_file()
{
	[ -f "cmd/recipes/$1.bperf" ] || return
	grep -q '^group ' "cmd/recipes/$1.bperf" || echo 'no group'
}
check 'tools: each has a group' each has_file

# The whole recipes that the manual shows, with their examples.
manual_is_right()
{
	local n=0 file words

	mkdir -p "$TMP/manual"
	awk -v dir="$TMP/manual" '
		/^\.EX$/ { getline; if (/^purpose /) out = dir "/r" ++n ".bperf" }
		/^\.EE$/ { out = "" }
		out { gsub(/\\-/, "-"); print >out }' cmd/bperf-recipes.7
	for file in "$TMP/manual"/*.bperf; do
		n=$((n + 1))
		words=$(sed -n 's/^example \(.*\) - .*/\1/p' "$file")
		# shellcheck disable=SC2086 # words
		"$BPERF" "$file" --show $words >"$TMP/shown" 2>&1 || fail "$(cat "$TMP/shown")" "in $file"
		# shellcheck disable=SC2086
		((EUID)) || "$BPERF" "$file" -q $words -- true >"$TMP/shown" 2>&1 || fail "$(cat "$TMP/shown")" "in $file"
	done
	((n == 2)) || fail "$n recipes in the manual"
}
check 'recipes of the manual run' manual_is_right

all_are_listed()
{
	local name

	"$BPERF" --list | sed '1,/^$/d' | sed -n 's/^  \([^ ]*\) .*/\1/p' | sort >"$TMP/listed"
	"$BPERF" __tools | sort | same - "$TMP/listed"
	! "$BPERF" --list | grep -nE '.{100}'
}
check 'tools: --list has each in a group' all_are_listed

# These statuses mean that the host lacks something.
compiles()
{
	local status=0

	eval "set -f; set -- $1"
	timeout 20 "$BPERF" "${@:1:1}" --dump types "${@:2}" >/dev/null 2>"$TMP/err" || status=$?
	case $status in
	0 | 66 | 69 | 77) return 0 ;;
	esac
	echo "$*: status $status: $(cat "$TMP/err")"
}

examples_compile()
{
	local name

	for name in $("$BPERF" __tools); do
		"$BPERF" "$name" --help | sed -n '/^Examples:/,/^Overhead:/ s/^  bperf //p' |
			sort -u | while read -r line; do compiles "$line"; done
	done >"$TMP/lines" 2>&1
	no_lines
}
as_root_or_skip()
{
	[ "$(id -u)" = 0 ] || skip_because 'needs root'
	"$@"
}
check 'tools: each example compiles' as_root_or_skip examples_compile

# ---- a recipe of one's own --------------------------------------------------------------------

mkdir -m 755 "$TMP/mine"
cat >"$TMP/mine/mytool.bperf" <<'EOF2'
#!/usr/bin/env bperf
purpose  system calls that write
run      trace
option   -x --failed - only those that failed
argument [BYTES:number] - only those of more bytes

column PID %-7d $tgid
column N %d count
[bytes] where count > ${bytes}
[failed] where count == 0
probe syscall:write
EOF2
chmod 755 "$TMP/mine/mytool.bperf"
cp "$TMP/mine/mytool.bperf" "$TMP/mine/mytool"

shows()
{
	"$@" --show 2>"$TMP/err" | tail -n1 | grep -qF "syscall:write (count > 100) " || fail "$(cat "$TMP/err")"
}
check 'a file runs by its path' shows "$BPERF" "$TMP/mine/mytool.bperf" 100
check 'a file is found in the folder of --tools' shows "$BPERF" --tools "$TMP/mine" mytool 100
own_are_listed()
{
	mkdir -p "$TMP/own"
	cp "$TMP/mine/mytool.bperf" "$TMP/own/mytool.bperf"
	echo nonsense >"$TMP/own/broken.bperf"
	cp "$TMP/mine/mytool.bperf" "$TMP/own/trace.bperf"
	cp "$TMP/mine/mytool.bperf" "$TMP/own/$(printf 'a\033[1m').bperf"
	chmod -R go-w "$TMP/own"
	BPERF_TOOLS=$TMP/own "$BPERF" --list >"$TMP/shown"
	sed "1,/^in .*own:/d" "$TMP/shown" | awk '{ print $1 }' | xargs >"$TMP/got"
	[ "$(cat "$TMP/got")" = 'broken mytool trace' ] || fail "$(cat "$TMP/shown")"
	grep -q '^  mytool  .*'"$(sed -n 's/^purpose *//p' "$TMP/mine/mytool.bperf")" "$TMP/shown" &&
		grep -q '^  broken .*cannot be run: ' "$TMP/shown" &&
		grep -q '^  trace .*cannot be run: .* is a command of bperf already' "$TMP/shown" ||
		fail "$(cat "$TMP/shown")"
	"$BPERF" --tools "$TMP/own" --list | cmp - "$TMP/shown" || fail '--tools lists others'
	BPERF_TOOLS=$TMP/own "$BPERF" __complete myt | grep -q '^mytool' || fail 'not completed'
	if "$BPERF" --list | grep -q '^in '; then fail 'own without a folder'; fi
}
check 'tools of one'"'"'s own are listed and completed' own_are_listed

help_by_path()
{
	"$BPERF" "$TMP/mine/mytool.bperf" --help >"$TMP/shown" || fail 'no help'
	grep -qF "Usage: bperf $TMP/mine/mytool.bperf " "$TMP/shown" || fail "$(cat "$TMP/shown")"
	BPERF_TOOLS=$TMP/mine "$BPERF" help mytool >"$TMP/shown" || fail 'no page'
	grep -qF 'bperf mytool ' "$TMP/shown" || fail "$(cat "$TMP/shown")"
}
check "a file's help says how it was run, and it has a page" help_by_path
check 'a file is found in the folder of BPERF_TOOLS' shows env BPERF_TOOLS="$TMP/mine" "$BPERF" mytool 100

# Also without the arguments that its command needs.
all_show_themselves()
{
	local tool n=0

	for tool in $("$BPERF" __tools); do
		"$BPERF" "$tool" --show >"$TMP/out" 2>&1 || fail "$tool:" "$(tail -n 3 "$TMP/out")"
		grep -q '^run ' "$TMP/out" || fail "$tool:" "$(cat "$TMP/out")"
		n=$((n + 1))
	done
	((n > 80)) || fail "$n tools"
	"$BPERF" funclatency --show | tail -n 1 | grep -q '^# with PATTERN (' || fail 'no word on PATTERN'
	"$BPERF" funclatency --show c:read | tail -n 1 | grep -q '^# bperf argdist .*r:c:read' ||
		fail 'no command'
}
check 'each tool shows its recipe' all_show_themselves

by_its_first_line()
{
	mkdir "$TMP/path"
	ln -s "$BPERF" "$TMP/path/bperf"
	PATH="$TMP/path:$PATH" "$TMP/mine/mytool" 100 --show | tail -n1 | grep -qF 'count > 100'
}
check 'a file runs by itself' by_its_first_line

by_link()
{
	mkdir "$TMP/links"
	"$BPERF" install --tools --bare "$TMP/links" >"$TMP/out"
	grep -qx "$TMP/links/opensnoop -> .*" "$TMP/out" || fail "$(cat "$TMP/out")"
	"$TMP/links/opensnoop" --help | grep -q '^Usage: bperf opensnoop'
	"$TMP/links/opensnoop" __complete --fai | grep -q '^--failed'
	rm "$TMP/links/opensnoop"
	echo mine >"$TMP/links/opensnoop"
	! "$BPERF" install --tools --bare "$TMP/links" 2>"$TMP/err"
	grep -q "cannot link '$TMP/links/opensnoop': another file has that name" "$TMP/err"
}
check 'a tool runs by a link of its name' by_link

check 'options of a tool are completed' eval '"$BPERF" __complete opensnoop --fail | grep -q "^--failed"'
check 'tools are completed' eval '"$BPERF" __complete opensn | grep -q "^opensnoop"'

# expands TEXT TOOL ARGS...: the command has the text
expands()
{
	"$BPERF" "${@:2}" --show | tail -n 1 | grep -qF -- "$1" || fail "no $1 in:" "$("$BPERF" "${@:2}" --show | tail -n 1)"
}
check 'biotop: sorted by requests' expands '--sort IO' biotop -s io
check 'tcptop: sorted by what is sent' expands '--sort TX_KB' tcptop -s sent
check 'slabratetop: sorted by bytes' expands '--sort BYTES' slabratetop -s size
check 'mountsnoop: with the time of day' expands ' --time' mountsnoop -t
check 'solisten: with the time of day' expands ' --time' solisten -t
check 'nfsslower: with commas' expands ' --csv' nfsslower -c

# refused STATUS TEXT COMMAND...
refused()
{
	local status=0 want=$1 text=$2

	shift 2
	"$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	((status == want)) || fail "exit status $status, not $want" "$(cat "$TMP/err")"
	[ ! -s "$TMP/out" ] || fail 'something on stdout:' "$(cat "$TMP/out")"
	[[ $(<"$TMP/err") == *"$text"* ]] || fail "$(cat "$TMP/err")"
}

echo 'purpose x
run trace
prob k:x' >"$TMP/mine/wrong.bperf"
check 'a mistake is shown where it is' refused 64 "wrong.bperf:3: no line begins with this word
  prob k:x
  ^^^^  did you mean 'probe'?" "$BPERF" "$TMP/mine/wrong.bperf"

echo 'purpose x
run trace
where nothing == 3
probe syscall:write' >"$TMP/mine/unknown.bperf"
check 'a mistake in an expression is shown in the file' refused 64 "unknown.bperf:3: " \
	"$BPERF" "$TMP/mine/unknown.bperf" --dump types

echo 'purpose x
run trace
option -a --all - x
option -a --any - y
[all any] probe syscall:write' >"$TMP/mine/twice.bperf"
check 'a letter that two options claim' refused 64 "twice.bperf:4: -a already belongs to --all
  option -a --any - y" "$BPERF" "$TMP/mine/twice.bperf"

echo 'purpose x
run trace
option -a --all - x
letter -a --time
[all] probe syscall:write' >"$TMP/mine/letter.bperf"
check 'a letter that an option and the command claim' refused 64 'letter.bperf:4: -a has a meaning already' \
	"$BPERF" "$TMP/mine/letter.bperf"

echo 'purpose x
run trace
option -a --all - x
letter -T --time
letter -W --time
letter -b --all
[all] probe syscall:write' >"$TMP/mine/letters.bperf"
more_letters()
{
	"$BPERF" "$TMP/mine/letters.bperf" --help >"$TMP/out"
	grep -q '^  -a, -b, --all ' "$TMP/out" && grep -q '^  -T, -W, --time ' "$TMP/out" || fail "$(head -n 20 "$TMP/out")"
	"$BPERF" "$TMP/mine/letters.bperf" -bW --show | tail -n 1 | grep -qx '# bperf trace syscall:write --time'
}
check 'an option has another letter' more_letters

one_report()
{
	"$BPERF" readahead -d 5 --show | tail -n 1 | grep -q -- ' --duration 5 5$' || fail 'no single report'
	"$BPERF" readahead -d 5 --interval 1 --show | tail -n 1 | grep -q -- ' --interval 1 --duration 5$\| --duration 5 --interval 1$' || fail 'not the interval'
	"$BPERF" readahead -d 5 2 --show | tail -n 1 | grep -q -- ' --duration 5 2$' || fail 'not the interval'
	"$BPERF" vmscan --duration 5 --show | tail -n 1 | grep -q -- ' --duration 5 1$' || fail "not the recipe's own"
}
check 'a tool with a duration reports once, unless it has an interval' one_report

check 'conditions for which a list has no option are refused' refused 64 "unknown option '--duration'
  bperf list --help lists the options" "$BPERF" syscount -l --duration 1

echo 'purpose x
run trace
[t:sched:once_was] probe t:sched:once_was
[else] probe t:sched:never_was' >"$TMP/mine/lacks.bperf"
lacks_probe()
{
	refused 66 'lacks.bperf:4: ' "$BPERF" "$TMP/mine/lacks.bperf"
	grep -q 'the recipe looked for others before: t:sched:once_was$' "$TMP/err" || fail "$(cat "$TMP/err")"
}
check 'a probe that this kernel lacks, and those that were tried before it' as_root_or_skip lacks_probe

option_out_of_range()
{
	refused 64 '--max-args: 65 is not in 1 to 64' "$BPERF" execsnoop --max-args 65
	refused 66 "PROBE: there is no such kernel function, or the compiler has inlined it
  k:not_in_any_kernel" "$BPERF" stackcount k:not_in_any_kernel -d 1
}
check "an error names the tool's option" as_root_or_skip option_out_of_range

echo 'purpose x
run trace
module no_such_module
probe t:no_such_module:event' >"$TMP/mine/module.bperf"
check 'a module that is not loaded' as_root_or_skip refused 66 'the kernel has not loaded the module no_such_module
  modprobe no_such_module' "$BPERF" "$TMP/mine/module.bperf"

cp "$TMP/mine/mytool.bperf" "$TMP/mine/profile.bperf"
cp "$TMP/mine/mytool.bperf" "$TMP/mine/opensnoop.bperf"
check 'a file may not have the name of a command' refused 64 "'profile' is a command of bperf already" \
	"$BPERF" "$TMP/mine/profile.bperf"
check 'a file in the folder may not have the name of a tool' refused 64 "'opensnoop' is a tool of bperf already" \
	"$BPERF" --tools "$TMP/mine" opensnoop
check 'a file in the folder may not have the name of a command either' refused 64 \
	"'profile' is a command of bperf already" "$BPERF" --tools "$TMP/mine" profile

mkdir -m 777 "$TMP/open"
cp "$TMP/mine/mytool.bperf" "$TMP/open/theirs.bperf"
check 'a folder that others can write is refused' refused 77 "others can write '$TMP/open'" \
	"$BPERF" --tools "$TMP/open" theirs
cp "$TMP/mine/mytool.bperf" "$TMP/mine/shared.bperf"
chmod 666 "$TMP/mine/shared.bperf"
check 'a file that others can write is refused' refused 77 "others can write '$TMP/mine/shared.bperf'" \
	"$BPERF" "$TMP/mine/shared.bperf"

of_another()
{
	[ "$(id -u)" = 0 ] || skip_because 'needs root'
	cp "$TMP/mine/mytool.bperf" "$TMP/mine/other.bperf"
	chown 12345 "$TMP/mine/other.bperf"
	refused 77 'belongs to another user' env -u SUDO_UID "$BPERF" "$TMP/mine/other.bperf"
	SUDO_UID=12345 "$BPERF" "$TMP/mine/other.bperf" --show >/dev/null
}
check "another user's file is refused, the caller's own under sudo is not" of_another

check 'a folder of tools that cannot be read' refused 1 "cannot read '/nonexistent', the folder of tools" \
	"$BPERF" --tools /nonexistent mytool
check 'a recipe on standard input' refused 64 "'/dev/stdin' is not a regular file, as a recipe must be" \
	bash -c 'echo | "$1" /dev/stdin' - "$BPERF"
check 'an unknown name' refused 127 "unknown command 'opensnop'
  did you mean 'opensnoop'?" "$BPERF" opensnop
check 'an argument too many' refused 64 "'2' is one word too many" "$BPERF" "$TMP/mine/mytool.bperf" 1 2
check 'an argument of the wrong kind' refused 64 "BYTES: 'x' is not a whole number" \
	"$BPERF" "$TMP/mine/mytool.bperf" x
check 'an unknown option' refused 64 "unknown option '--faild'" "$BPERF" opensnoop --faild
check 'a hint of the command below it names the tool' refused 64 "'abc' is not a process id
  bperf opensnoop --help lists the options" "$BPERF" opensnoop -p abc
