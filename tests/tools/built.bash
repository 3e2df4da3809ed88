# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Checks of every build, wherever it was made (build.sh, debian.sh).

# copy_tree FOLDER: the work tree as it is, without built files.
copy_tree()
{
	mkdir -p "$1"
	{ git ls-files -co --exclude-standard -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
		tar --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -C "$1" -xf -
}

# no_warnings FILE: a newer compiler may warn of more; only WERROR=1 makes that a failure.
no_warnings()
{
	cat "$1"
	[ -z "${WERROR-}" ] || ! grep -i warning "$1"
}

# is_hardened PROGRAM: no writable memory is executable, and the data that the linker filled in is
# read-only.
is_hardened()
{
	readelf -ldW "$1" >"$TMP/hard" || exit 1
	grep -q ' GNU_RELRO ' "$TMP/hard" || fail 'no RELRO'
	grep -qE '\((FLAGS|BIND_NOW)\).*BIND_NOW' "$TMP/hard" || fail 'its functions are not bound when it starts'
	grep -qE '\(FLAGS_1\).*NOW.*PIE' "$TMP/hard" || fail 'not a position-independent program'
	grep -qE ' GNU_STACK .* RW ' "$TMP/hard" || fail 'its stack can be run'
	! grep -E ' LOAD .* RWE ' "$TMP/hard" || fail 'memory that can be written to and run'
}

# objects_of FOLDER: the files with our objects.
objects_of()
{
	echo "$1/build/libbperf.a"
	find "$1/build/cmd" "$1/build/gen" -name '*.o' ! -name '*.bpf.o' ! -name 'libs*'
}

# globals FILE...: their global names.
globals()
{
	nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u
}

# names_are_kept_apart FOLDER LIBC: a static archive's inner functions are global: no two of the linked
# archives define the same name, and none defines one of ours.
names_are_kept_apart()
{
	local archive objects

	mapfile -t objects < <(objects_of "$1")
	rm -f "$TMP"/names.*
	globals "${objects[@]}" >"$TMP/names.ours"
	globals "$2" >"$TMP/names.libc"
	for archive in bpf elf z lzma iberty jansson tinfo ncursesw; do
		globals "$1/build/gen/libs.lib$archive.a" >"$TMP/names.$archive"
	done
	! find "$TMP" -name 'names.*' -empty | grep . || fail 'nothing to compare'
	! cat "$TMP"/names.* | sort | uniq -d | grep . || fail 'are defined twice'
}
