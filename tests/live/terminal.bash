# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the tests of the live view: a terminal of any size, by tmux, to which a test sends keys and
# whose screen it compares.  Each script has a tmux server of its own.  Nothing sleeps for a fixed time: a
# test polls until the screen is as it should be.

need tmux
at_exit+=(close_terminals)

GOLDEN=tests/golden/live

# Each terminal has a server of its own: one that is told to end may still answer for a moment.
close_terminals()
{
	for server in "$TMP"/tmux.*; do
		[ ! -S "$server" ] || on_server kill-server 2>/dev/null
		rm -f "$server"
	done
}

# tmux reads and writes screens as UTF-8 only in such a locale.
on_server()
{
	LC_ALL=C.UTF-8 tmux -u -S "$server" -f /dev/null "$@"
}

# open_terminal COLUMNSxROWS [VARIABLE=VALUE...] COMMAND...: run it in a new terminal, which becomes the
# one that the functions below mean; one before it is closed.  $TMP/before has the terminal's
# modes, $TMP/status the exit status once the command has ended.  The shell stays, as a person's does.
open_terminal()
{
	local size=$1

	shift
	close_terminals
	server=$(mktemp -u "$TMP/tmux.XXXX")
	rm -f "$TMP/before" "$TMP/after" "$TMP/status" "$TMP/shell" "$TMP/tty" "$TMP/stderr"
	on_server new-session -d -x "${size%x*}" -y "${size#*x}" env -u LC_ALL LANG=C.UTF-8 \
		TERM=screen-256color "TERMINAL=$TMP" bash -c '
		trap : INT TSTP # they are meant for the program
		echo $$ >"$TERMINAL/shell"
		tty >"$TERMINAL/tty"
		stty -a | sed "s/rows.*columns [0-9]*;//" >"$TERMINAL/before"
		env "$@"
		status=$?
		echo $status >"$TERMINAL/status"
		sleep 60' bash "$@" || fail 'tmux cannot make a terminal'
}

# open_shell COLUMNSxROWS: an interactive shell in place of a command, for job control.
open_shell()
{
	open_terminal "$1" PS1='prompt ' bash --norc --noprofile -i
	wait_for '^prompt'
}

keys() # KEY...: names as tmux has them, other words letter by letter
{
	local key

	for key; do
		on_server send-keys -- "$key"
	done
}

type_text() # TEXT
{
	on_server send-keys -l -- "$1"
}

resize() # COLUMNSxROWS
{
	on_server resize-window -x "${1%x*}" -y "${1#*x}"
}

# take_screen: its lines, in $screen, without what differs from run to run: the cost of bperf itself.  Tests
# look at screens until they are as they should be: this starts only tmux.
take_screen()
{
	local i

	mapfile -t screen < <(on_server capture-pane -p)
	for i in "${!screen[@]}"; do
		[[ ${screen[i]} =~ ^(.*[^ ])?' '*'bperf: '[0-9.]*' % of a CPU'(.*)$ ]] &&
			screen[i]=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
		screen[i]=${screen[i]%"${screen[i]##*[![:space:]]}"}
	done
}

screen()
{
	take_screen
	printf '%s\n' "${screen[@]}"
}

colored_screen()
{
	on_server capture-pane -e -p -N
}

# The texts that are marked on the screen: in reverse, or in the colour of matches.
marks()
{
	colored_screen | awk '
		function set(codes,  part, n, i)
		{
			n = split(codes, part, ";")
			if (!n)
				is_reverse = is_match = 0
			for (i = 1; i <= n; i++)
				if (part[i] + 0 == 0)
					is_reverse = is_match = 0
				else if (part[i] == 7)
					is_reverse = 1
				else if (part[i] == 27)
					is_reverse = 0
				else if (part[i] == 49)
					is_match = 0
				else if (part[i] == 38 || part[i] == 48) {
					if (part[i] == 48)
						is_match = part[i + 2] == 170
					i += part[i + 1] == 5 ? 2 : 4
				}
		}
		function mark(text)
		{
			sub(/ +$/, "", text)
			if (text != "" && (is_reverse || is_match))
				print (is_reverse ? "selected" : "found") ": " text
		}
		{
			while (match($0, /\033\[[0-9;]*m/)) {
				at = RSTART
				n_codes = RLENGTH
				mark(substr($0, 1, at - 1))
				set(substr($0, at + 2, n_codes - 3))
				$0 = substr($0, at + n_codes)
			}
			mark($0)
		}'
}

terminal_says() # FORMAT: 'alternate_on', 'cursor_flag', 'mouse_any_flag'
{
	on_server display-message -p "#{$1}"
}

screen_has()
{
	local line

	take_screen
	for line in "${screen[@]}"; do
		[[ $line =~ $1 ]] && return
	done
	return 1
}

screen_lacks()
{
	! screen_has "$1"
}

wait_for() # REGEX: a line of the screen
{
	poll screen_has "$1" || fail "no '$1' on the screen:" "$(screen)"
}

wait_gone() # REGEX
{
	poll screen_lacks "$1" || fail "'$1' stays on the screen:" "$(screen)"
}

wait_file() # FILE: it has text
{
	poll test -s "$1" || fail "$1 stays empty; the screen:" "$(screen)"
}

screen_is()
{
	screen_and_marks >"$TMP/screen"
	cmp -s "$1" "$TMP/screen"
}

screen_and_marks()
{
	screen
	marks
}

# shows NAME: the whole screen, and below it what is marked, is tests/golden/live/NAME.txt.  UPDATE=1
# writes that file once; read the difference.
shows()
{
	local file=$GOLDEN/$1.txt

	if [ "${UPDATE-}" ] && [ ! -e "$TMP/written.$1" ]; then
		mkdir -p "$GOLDEN"
		sleep 1
		screen_and_marks >"$file"
		: >"$TMP/written.$1"
	fi
	poll screen_is "$file" || fail "the screen is not $file:" "$(diff -u "$file" "$TMP/screen")"
}

# press_and_see KEYS NAME: words of keys, then the screen.
press_and_see()
{
	# shellcheck disable=SC2086 # words
	keys $1
	shows "$2"
}

# ends_with STATUS: the command has ended, and the terminal is as it was.
ends_with()
{
	wait_file "$TMP/status"
	[ "$(cat "$TMP/status")" = "$1" ] || fail "exit status $(cat "$TMP/status"), want $1" "$(screen)"
	is_restored
}

modes_now()
{
	stty -a -F "$(cat "$TMP/tty")" | sed 's/rows.*columns [0-9]*;//'
}

is_restored()
{
	modes_now >"$TMP/after"
	same "$TMP/before" "$TMP/after" || fail 'the modes of the terminal changed'
	[ "$(terminal_says alternate_on)" = 0 ] || fail 'the alternate screen stays'
	[ "$(terminal_says cursor_flag)" = 1 ] || fail 'the cursor is hidden'
	[ "$(terminal_says mouse_any_flag)" = 0 ] || fail 'the mouse is still reported'
}

# leave: q ends it, with status 0.
leave()
{
	keys q
	ends_with 0
}
