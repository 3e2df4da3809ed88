#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The result of pressing TAB, in each of the three shells.
#
# long: types words in three shells, a minute

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

PATH=$(dirname "$BPERF"):$PATH
export PATH

# ---- the completer ----------------------------------------------------------------------------

offers() # WANT WORD...: the candidates, in a line
{
	local want=$1 got

	shift
	got=$("$BPERF" __complete "$@" | cut -f1 | sort | tr '\n' ' ')
	[ "$got" = "$want" ] || fail "wanted '$want'" "got    '$got'"
}

check 'commands are completed' offers 'profile profile-by-cgroup ' pro
check 'options are completed' offers '--color --color-by --comm --container --cost --count ' profile --co
check 'choices are completed' offers 'always auto ' profile --color a
check 'events are completed' offers 'cpu-clock cpu-cycles cpu-migrations ' profile -e cpu-
check 'formats are completed' offers 'folded ' profile -O f
check 'users are completed' offers 'root ' profile --uid roo
check 'help offers commands' offers 'profile profile-by-cgroup ' help prof
check 'completion offers shells' offers 'bash fish zsh ' completion ''
check 'files are left to the shell' offers ':file ' profile -o x
check 'programs are left to the shell' offers ':command 1 ' profile -- ls
check 'an unknown command offers nothing' offers '' nosuch ''

check 'kinds of probes are completed' offers 'raw: ' trace ra
check 'system calls are completed' offers 'syscall:openat syscall:openat2 ' trace -K syscall:openat
check 'returns of system calls are completed' offers 'r:syscall:openat2 ' funccount r:syscall:openat2
check 'functions of libraries are completed' offers 'r:c:malloc_info ' trace r:c:malloc_i
check 'probes after an option are completed' offers 'p:c:malloc_info ' argdist -H p:c:malloc_i
check 'probes of a tool are completed' offers 'c:malloc_info ' funclatency c:malloc_i
check "bpftrace's kinds are completed" offers 'uprobe:c:malloc_info ' list uprobe:c:malloc_i
check 'a list that is too long is not offered' offers '' trace k:

tracepoints()
{
	((EUID)) && skip_because 'the names of tracepoints need root'
	offers 't:sched: ' trace t:sche &&
		offers 't:sched:sched_switch ' funccount t:sched:sched_swi &&
		offers 'do_nanosleep ' trace do_nanoslee
}
check 'tracepoints and kernel functions are completed' tracepoints

pids_have_names()
{
	"$BPERF" __complete profile -p $$ | grep -x "$$	$(cat /proc/$$/comm)"
}
check 'pids come with their names' pids_have_names

through_a_link()
{
	ln -s "$BPERF" "$TMP/bperf-profile"
	[ "$("$TMP/bperf-profile" __complete --stric | cut -f1)" = --strict ]
}
check 'a link completes for its command' through_a_link

is_fast()
{
	local start=$EPOCHREALTIME

	for ((i = 0; i < 10; i++)); do
		"$BPERF" __complete profile -p '' >/dev/null || return
	done
	((${EPOCHREALTIME/./} - ${start/./} < 2000000)) # 200 ms each
}
check 'an answer takes no time' is_fast

without_root()
{
	((EUID)) || command -v setpriv >/dev/null || skip_because 'no setpriv here'
	cp "$BPERF" "$TMP/plain" && chmod 755 "$TMP" "$TMP/plain"
	if ((EUID)); then
		"$TMP/plain" __complete profile -p 1 | grep -q '^1	'
	else
		setpriv --reuid 65534 --clear-groups "$TMP/plain" __complete profile -p 1 |
			grep -q '^1	'
	fi
}
check 'no root is needed' without_root

same_files()
{
	"$BPERF" completion bash | cmp - completions/bperf.bash &&
		"$BPERF" completion zsh | cmp - completions/_bperf &&
		"$BPERF" completion fish | cmp - completions/bperf.fish
}
check 'the binary carries the three files' same_files

# ---- bash -------------------------------------------------------------------------------------

bash_completes() # LINE WANT: COMPREPLY, in a line
{
	local got

	got=$(bash --norc -c '
		source completions/bperf.bash
		compopt() { COMPREPLY+=("compopt $*"); }
		COMP_LINE=$1 COMP_POINT=${#1}
		# Split as readline does: at blanks, and at = and : as words of their own.
		text=${1//=/ = } text=${text//:/ : }
		read -ra COMP_WORDS <<<"$text"
		[[ $1 == *" " ]] && COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
		_bperf
		printf "%s " "${COMPREPLY[@]}"' bash "$1")
	[ "$got" = "$2" ] || fail "wanted '$2'" "got    '$got'"
}

check 'bash: a command' bash_completes 'bperf offw' 'offwake '
check 'bash: an option' bash_completes 'bperf profile --stric' '--strict '
check 'bash: an argument apart' bash_completes 'bperf profile --color ' 'auto always never '
check 'bash: an argument after =' bash_completes 'bperf profile --color=a' 'auto always '
check 'bash: an argument just after =' bash_completes 'bperf profile --color=' 'auto always never '
check 'bash: the head of a list stays' bash_completes 'bperf profile -C 7,0' '7,0 '
check 'bash: colons do not tear words apart' bash_completes \
	'bperf profile --comm a:b:c --cgroup=/x:y --stric' '--strict '
check 'bash: a probe keeps what stands before its last colon' bash_completes \
	'bperf trace syscall:openat2' 'openat2 '
check 'bash: more follows a kind' bash_completes 'bperf trace ra' 'raw: compopt -o nospace '
check 'bash: files' bash_completes 'bperf profile -o x' 'compopt -o default '

bash_really()
{
	command -v script >/dev/null || skip_because 'no script(1) here'
	printf 'source completions/bperf.bash\nbperf profile --stric\t >%s/out 2>&1 --help\nexit\n' \
		"$TMP" >"$TMP/keys"
	TERM=dumb timeout 20 script -qec 'bash --norc -i' /dev/null <"$TMP/keys" >/dev/null
	grep -q '^Usage: bperf profile' "$TMP/out"
}
check 'bash: a key press in a terminal' bash_really

# ---- zsh --------------------------------------------------------------------------------------

cat >"$TMP/zpty" <<'END'
zmodload zsh/zpty zsh/zselect
zpty shell "TERM=dumb exec zsh -f -i"
zpty -w shell "PS1=; fpath=($PWD/completions \$fpath); autoload -U compinit; compinit -u -D"
zpty -w shell "dump() { print -r -- \$BUFFER >$1/buffer; zle kill-whole-line }; zle -N dump; bindkey '^X' dump"
zpty -w shell "print ready >$1/ready"
for ((i = 0; i < 100; i++)); do [[ -e $1/ready ]] && break; zselect -t 10; done
zpty -w -n shell "$2"$'\t\x18'
for ((i = 0; i < 100; i++)); do [[ -s $1/buffer ]] && break; zselect -t 10; done
zpty -d shell
cat $1/buffer
END

zsh_completes() # LINE WANT
{
	local got

	command -v zsh >/dev/null || skip_because 'no zsh here'
	rm -f "$TMP/ready" "$TMP/buffer"
	got=$(timeout 60 zsh -f "$TMP/zpty" "$TMP" "$1")
	got=${got%"${got##*[! ]}"}
	[ "$got" = "$2" ] || fail "wanted '$2'" "got    '$got'"
}

check 'zsh: a command' zsh_completes 'bperf pro' 'bperf profile'
check 'zsh: an option' zsh_completes 'bperf profile --stric' 'bperf profile --strict'
check 'zsh: an argument after =' zsh_completes 'bperf profile --color=n' 'bperf profile --color=never'
check 'zsh: a tool' zsh_completes 'bperf opensn' 'bperf opensnoop'
check 'zsh: a probe' zsh_completes 'bperf trace r:syscall:openat2' 'bperf trace r:syscall:openat2'
check 'zsh: a function of a library' zsh_completes 'bperf funccount p:c:malloc_us' \
	'bperf funccount p:c:malloc_usable_size'
check 'zsh: the common prefix of several functions' zsh_completes 'bperf trace -K p:c:mall' 'bperf trace -K p:c:mall'
check 'zsh: a probe after an option' zsh_completes 'bperf argdist -C p:c:malloc_us' \
	'bperf argdist -C p:c:malloc_usable_size'
check 'zsh: a kind, and no space after it' zsh_completes 'bperf trace ra' 'bperf trace raw:'
zsh_tracepoints()
{
	((EUID)) && skip_because 'the names of tracepoints need root'
	zsh_completes 'bperf trace t:sche' 'bperf trace t:sched:' &&
		zsh_completes 'bperf trace t:sched:sched_swi' 'bperf trace t:sched:sched_switch' &&
		zsh_completes 'bperf funccount do_nanoslee' 'bperf funccount do_nanosleep'
}
check 'zsh: tracepoints and kernel functions' zsh_tracepoints
# The lines of the candidates that zsh shows.
zsh_shows() # WANT WORD...
{
	local want=$1 got

	shift
	command -v zsh >/dev/null || skip_because 'no zsh here'
	# shellcheck disable=SC2016 # zsh expands it
	got=$(zsh -f -c '_describe() { print -rl -- "${(@P)3}" }
		compset() { }
		compdef() { }
		. completions/_bperf
		words=(bperf "$@") CURRENT=$(($# + 1)) PREFIX=$@[-1]
		_bperf' zsh "$@" | paste -sd'|')
	[ "$got" = "$want" ] || fail "wanted '$want'" "got    '$got'"
}
check 'zsh: an option has its description' zsh_shows '--strict:exit with 1 if anything was lost' profile --stric
check 'zsh: a probe is completed without a description' zsh_shows 'syscall\:openat|syscall\:openat2' trace syscall:openat
check 'zsh: a file' zsh_completes 'bperf profile -o /etc/hostnam' 'bperf profile -o /etc/hostname'
check 'zsh: after two dashes' zsh_completes 'bperf profile -- hostnam' 'bperf profile -- hostname'

# ---- fish -------------------------------------------------------------------------------------

fish_completes() # LINE WANT: candidates, in a line
{
	local got

	command -v fish >/dev/null || skip_because 'no fish here'
	# shellcheck disable=SC2016 # fish expands it
	got=$(HOME=$TMP fish -c 'source completions/bperf.fish; complete -C $argv[1]' "$1" |
		cut -f1 | tr '\n' ' ')
	[ "$got" = "$2" ] || fail "wanted '$2'" "got    '$got'"
}

check 'fish: a command' fish_completes 'bperf offw' 'offwake '
check 'fish: an option' fish_completes 'bperf profile --stric' '--strict '
check 'fish: an argument after =' fish_completes 'bperf profile --color=n' '--color=never '
check 'fish: a tool' fish_completes 'bperf opensn' 'opensnoop '
check 'fish: a probe' fish_completes 'bperf funccount p:c:malloc_us' 'p:c:malloc_usable_size '
check 'fish: a kind' fish_completes 'bperf trace ra' 'raw: '
check 'fish: a file' fish_completes 'bperf profile -o /etc/hostnam' '/etc/hostname '
check 'fish: after two dashes' fish_completes 'bperf profile -- cat /etc/hostnam' '/etc/hostname '
