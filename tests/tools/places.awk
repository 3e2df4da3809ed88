# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A BPF program as LLVM's text, with one place in the source, line 0, for all instructions of a function.
# Places and the text of their lines are half of a compressed object, and the kernel checks each whenever it
# loads one; they serve only readers of a verifier's log.  The code and the types stay as they are.  Places
# cannot just be removed: LLVM wants them in calls that it could inline.

function place(scope)
{
	return "!" (1000000 + scope)
}

# Variables: a call up to LLVM 18, then a record.
/^ *#dbg_/ || /call void @llvm\.dbg\./ { next }

/^define/ {
	scope = match($0, /!dbg ![0-9]+/) ? substr($0, RSTART + 6, RLENGTH - 6) : ""
	if (scope != "")
		scopes[scope]
	print
	next
}
/^ / { gsub(/!dbg ![0-9]+/, "!dbg " place(scope)) }
/^}/ { scope = "" }
{ print }

END {
	for (scope in scopes)
		print place(scope) " = !DILocation(line: 0, scope: !" scope ")"
}
