# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# awk -f tests/tools/man.awk cmd/shared.man cmd/PAGE: the page, with the text that it includes from
# shared.man, whose head describes both kinds of lines.

NR == FNR && /^@/ {
	name = substr($1, 2)
	argument[name] = $2
	text[name] = ""
	next
}
NR == FNR {
	if (name != "" && $0 !~ /^\.\\"/)
		text[name] = text[name] $0 "\n"
	next
}
!/^@/ {
	print
	next
}
{
	for (i = 1; i <= NF; i = next_field) {
		letters = words = ""
		for (next_field = i + 1; next_field <= NF && $next_field !~ /^@/; next_field++)
			if ($next_field ~ /^-/)
				letters = letters "\\" $next_field " \", \" "
			else
				words = words (words == "" ? "" : " ") $next_field
		include(substr($i, 2), letters, words)
	}
}
END { exit failed }

function include(name, letters, words,  body)
{
	if (!(name in text)) {
		print FILENAME ":" FNR ": shared.man has no @" name >"/dev/stderr"
		failed = 1
		return
	}
	if (name ~ /^--/)
		print heading(name, letters)
	body = text[name]
	gsub(/[{][}]/, words, body)
	printf "%s", body
}

# ".TP" and, for example, .BR \-t ", " \-\-tid " \fITID\fR,..."
function heading(name, letters,  option, value)
{
	option = name
	gsub(/-/, "\\-", option)
	value = argument[name]
	if (value ~ /,[.]+$/)
		sub(/,/, "\\fR,", value)
	else if (value != "")
		value = value "\\fR"
	if (value != "")
		value = " \" \\fI" value "\""
	return ".TP\n" (letters value == "" ? ".B " : ".BR ") letters option value
}
