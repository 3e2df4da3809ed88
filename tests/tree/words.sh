#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The words of comments, messages, man pages and README, as far as a pattern can judge them: a comment
# begins with its subject or its verb, and things come after or below, not "behind", one another.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# Files by kind of comment; generated output and the licence are not ours to word.
files() # PATTERN...
{
	local pattern names=()

	for pattern; do
		names+=(-o -name "$pattern")
	done
	find Makefile README.md .ci core cmd bpf completions tests -type f \
		! -path 'tests/golden/*' ! -path 'tests/tree/words.sh' \( "${names[@]:1}" \) -print0
}

first_words='what who whom whose whoever whatever whether of behind'

# Lines "file:line: comment" where a comment begins with one of $first_words: with a capital letter in a
# comment on lines of its own, with any letter in one after code.  MARKS: a regular expression.
begin_badly() # MARKS PATTERN...
{
	local marks=$1

	shift
	files "$@" | xargs -0 awk -v marks="$marks" -v list="$first_words" '
		BEGIN {
			n = split(list, words, " ")
			for (i = 1; i <= n; i++)
				is_bad[words[i]] = 1
		}
		function check(text, is_own,  word)
		{
			sub(/^[ \t]+/, "", text)
			word = text
			sub(/[^A-Za-z].*/, "", word)
			if (is_bad[tolower(word)] && word != toupper(word) && (!is_own || word ~ /^[A-Z]/))
				print FILENAME ":" FNR ": " text
		}
		FNR == 1 { is_opened = 0 }
		is_opened { # the line after a lone opening mark
			is_opened = 0
			if (match($0, /^[ \t]*\*[ \t]/))
				check(substr($0, RLENGTH), 1)
			next
		}
		/^[ \t]*\/\*+[ \t]*$/ { is_opened = 1; next }
		match($0, "^[ \t]*(" marks ")[ \t]") { check(substr($0, RLENGTH), 1); next }
		match($0, "[^ \t][ \t]+(" marks ")[ \t]") { check(substr($0, RSTART + RLENGTH), 0) }'
}

comments_begin_well()
{
	begin_badly '/[*]+|//' '*.[ch]' '*.cpp' '*.rs' '*.js' '*.css' '*.html' >"$TMP/found"
	begin_badly '#' '*.sh' '*.bash' '*.py' '*.tsv' '*.test' '*.fish' '*.awk' Makefile run vm init _bperf \
		>>"$TMP/found"
	[ ! -s "$TMP/found" ] || fail "$(cat "$TMP/found")" \
		'begin with the subject or the verb: "the file that is read", not "what is read"'
}
check 'comments begin with a subject or a verb' comments_begin_well

# Lines of man pages and README that begin a sentence so, unless they are a caption ("Who opens what:").
sentences_begin_well()
{
	grep -nE '(^|[.:;] +)(Of|What|Who|Whom|Whose|Whoever|Whatever|Whether|Behind) ' README.md core/*.md \
		cmd/*.[578] cmd/shared.man | grep -vE ':( see)?$|\?$|\?\*\*' >"$TMP/found"
	[ ! -s "$TMP/found" ] || fail "$(cat "$TMP/found")" 'begin the sentence with its subject'
}
check 'sentences of the documents begin with a subject or a verb' sentences_begin_well

# Texts that the user sees; summaries and examples are titles, not sentences.
messages_begin_well()
{
	grep -rnE '"([^" ]*: )?(what|who|whom|whoever|whatever|whether|behind) ' core cmd --include='*.[ch]' |
		grep -vE '^[^"]*(/[/*]| \* )|\.summary = |\{ "' >"$TMP/found"
	[ ! -s "$TMP/found" ] || fail "$(cat "$TMP/found")" 'say what failed, with a subject and a verb'
}
check 'messages begin with a subject or a verb' messages_begin_well

# A number is "this many", not "so many"; a missing reader or caller has a name, and is not "nobody".
riddles()
{
	find core bpf cmd -name '*.[ch]' -print0 | xargs -0 grep -nE \
		'(/[*]|//|^[[:space:]]*[*]).*([Ee]very so many|[: ]so many (of|in|more|after|around|lines)\b|\b[Nn]obody\b)' \
		>"$TMP/found"
	[ ! -s "$TMP/found" ] || fail "$(cat "$TMP/found")" 'write "this many", and name the one that does not act'
	find core bpf cmd -name '*.[ch]' -print0 | xargs -0 grep -nE '[*] ---- what (is|was) ' >"$TMP/found"
	[ ! -s "$TMP/found" ] || fail "$(cat "$TMP/found")" 'a heading names its subject: "loading", not "what is loaded"'
}
check 'comments have no "so many", no "nobody", and no heading that is a question' riddles

nothing_behind()
{
	files '*' | xargs -0 grep -nIiwE 'behind' >"$TMP/found"
	[ ! -s "$TMP/found" ] || fail "$(cat "$TMP/found")" 'write after, below, or which has to catch up'
}
check 'no file has the word "behind"' nothing_behind

# A merge that was committed with its conflict is text to a page and to a comment.
no_conflicts()
{
	grep -rnE '^(<{7}|>{7})( |$)' cmd core bpf tests completions README.md Makefile >"$TMP/found"
	[ ! -s "$TMP/found" ] || fail "$(cat "$TMP/found")" 'marks of a merge conflict'
}
check 'no file has marks of a merge conflict' no_conflicts
