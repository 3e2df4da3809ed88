#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The Makefile's promises: the files that it builds, when it rebuilds them, and where it installs them.
#
# long: 5 minutes of CPU time
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/tools/built.bash
. tests/tools/built.bash

need readelf strings git cmp tar

a="$TMP/a with a longer name/and a folder below"
jobs=$(nproc)

# The work tree in a repository of its own (for make dist).
clone_tree()
{
	copy_tree "$1"
	git -C "$1" init -q
	git -C "$1" add -A
	GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \
		git -C "$1" -c user.name=test -c user.email=test@localhost commit -q -m test
}

mk()
{
	make --no-print-directory -C "$@"
}

# The files that make would compile ("core/base/str.c"), sorted.
would_compile()
{
	mk "$a" V=1 -n "$@" | grep -oE -- '-c -o [^ ]+ [^ ]+\.c( |$)' | awk '{ print $4 }' | sort -u
}

# mk_elsewhere TARGET: through a link, at another order of work, time zone and umask.
mk_elsewhere()
{
	(umask 077 && cd "$TMP/link" && TZ=Asia/Tokyo LC_ALL=C.UTF-8 make --no-print-directory -j8 "$@")
}

builds_quietly()
{
	clone_tree "$a"
	find "$a" -name .git -prune -o -type f -exec touch -d '2020-01-01' {} +
	ln -s "$a" "$TMP/link"
	mk_elsewhere all >"$TMP/out" 2>"$TMP/err" || { cat "$TMP/out" "$TMP/err"; exit 1; }
	no_warnings "$TMP/err"
}

is_static()
{
	readelf -lW "$a/build/bperf" >"$TMP/phdr" || exit 1
	! grep -q INTERP "$TMP/phdr" || fail 'asks for a dynamic linker'
	! readelf -dW "$a/build/bperf" | grep NEEDED || fail 'needs shared libraries'
	if grep -q -- -static-pie "$a/build/gen/libs"; then
		readelf -hW "$a/build/bperf" | grep -q 'Type:.*DYN' || fail 'not position independent'
	fi
}

is_stripped()
{
	! readelf -SW "$a/build/bperf" | grep -E '\.(symtab|debug_info)' || exit 1
	readelf -nW "$a/build/bperf" | grep -q 'Build ID: [0-9a-f]\{40\}'
}

is_small()
{
	local bytes ours

	bytes=$(stat -c %s "$a/build/bperf")
	ours=$(objects_of "$a" | xargs -d '\n' size | awk '$1 + 0 { sum += $1 + $2 } END { print sum }')
	echo "$bytes bytes, $ours of them ours"
	# Ours were 1.56 MB before there were tools, which may add 150 KB, unwinding (100), and the live view
	# and dump (190).  Libraries grow with each release of Debian: 1.92 MB in 12, 2.04 in 13, 2.09 in sid,
	# and 0.28 for ncurses.
	((ours > 1000000 && ours <= 2000000 && bytes - ours <= 2400000))
}

# code_of OBJECT: its instructions with what is filled in later, and its types.
code_of()
{
	"$(clang -print-prog-name=llvm-objdump)" -d -r "$1" | sed '/file format/d' && bpftool btf dump file "$1"
}

# An object has next to no lines of its source, and is otherwise what clang makes of the source by itself.
objects_lack_places()
{
	local source object command

	for source in "$a"/bpf/*.bpf.c; do
		object=build/gen/$(basename "$source" .c).o
		strings "$a/$object" | grep ';$' >"$TMP/lines"
		(($(wc -l <"$TMP/lines") < 10)) || fail "$object: lines of its source" "$(cat "$TMP/lines")"
		command=$(mk "$a" V=1 -n -W "${source#"$a/"}" "$object" | grep -oE -m 1 'clang -g .* -MMD')
		(cd "$a" && eval "$command -c -o '$TMP/direct.o' '${source#"$a/"}'") || fail "no command: $command"
		"$(clang -print-prog-name=llvm-strip)" -g --wildcard -N 'LBB*' "$TMP/direct.o"
		code_of "$TMP/direct.o" >"$TMP/want" && [ -s "$TMP/want" ] || fail "$source"
		code_of "$a/$object" >"$TMP/got"
		same "$TMP/want" "$TMP/got" || exit 1
	done
}

names_no_folder()
{
	! grep -qF "$TMP" "$a/build/bperf" "$a/build/bperf.debug"
}

# The program may use the names of a library's internal functions: one that defines all names of
# libelf, which only libbpf calls, still links and has both.
inner_names_are_free()
{
	local words

	globals "$(gcc -print-file-name=libelf.a)" | grep -E '^[a-z]' >"$TMP/inner" || fail 'no names'
	{
		echo 'extern void *bpf_object__open(const char *path);'
		sed 's/.*/int &(void);\nint &(void) { return 0; }/' "$TMP/inner"
		echo 'int main(int argc, char **argv) { return argc && bpf_object__open(argv[0]); }'
	} >"$TMP/inner.c"
	read -ra words <"$a/build/gen/libs"
	(cd "$a" && gcc -w -fno-builtin -fPIE -o "$TMP/inner.out" "$TMP/inner.c" "${words[@]}") || exit 1
	nm "$TMP/inner.out" | grep -q ' T elf\.elf_begin' || fail "libelf's own is not in it"
}

# The work tree has been built, with these flags.
is_built_here()
{
	make -q --no-print-directory all 2>/dev/null &&
		[ "$(sed "s|$PWD|.|g" build/gen/flags)" = "$(sed "s|$a|.|g" "$a/build/gen/flags")" ]
}

same_bytes_elsewhere()
{
	local here=$PWD

	if ! is_built_here; then
		here=$TMP/here
		clone_tree "$here"
		mk "$here" -j"$jobs" >"$TMP/out" 2>&1 || { cat "$TMP/out"; exit 1; }
	fi
	echo "compared with $here"
	cmp "$here/build/bperf.debug" "$a/build/bperf.debug"
	cmp "$here/build/bperf" "$a/build/bperf"
}

# All sources have been compiled with clang's warnings (lint), the library with its optimizer (san).
clang_builds_too()
{
	mk "$a" CC=clang -k -j"$jobs" all >"$TMP/out" 2>&1 || { cat "$TMP/out"; exit 1; }
	no_warnings "$TMP/out" || exit 1
	"$a/build/bperf" --version
}

nothing_twice()
{
	mk "$a" >"$TMP/out" 2>&1
	! grep -P '^  [A-Z]+\t' "$TMP/out" || fail 'built again although nothing changed'
}

# Lines "HEADER SOURCE": what the compiler says that each source includes, and what make has noted of it.
includes_by_compiler()
{
	gcc -D_GNU_SOURCE -I. -Icore -Ibuild/gen -MM core/*/*.c cmd/*.c build/gen/*.c | tr -s ' \\\n' '\n' |
		awk '/\.c$/ { source = $0 } /\.h$/ { print $0, source }' | sort -u
}

includes_by_make()
{
	find build/core build/cmd build/gen -name '*.d' ! -name '*.bpf.d' -exec cat {} + | tr -s ' \\\n' '\n' |
		awk '/\.c$/ { source = $0 } /\.h$/ { print $0, source }' | sort -u
}

# A header that is touched rebuilds exactly the objects that include it.  make needs a second to find out what
# one header rebuilds: it is asked about one that nearly all include, which shows that it reads its notes of
# all folders, and about one of each other kind.
headers_rebuild_their_dependents()
{
	local header

	cd "$a" || exit 1
	includes_by_compiler >"$TMP/includes"
	(($(wc -l <"$TMP/includes") > 1000)) || fail 'the compiler says little' "$(cat "$TMP/includes")"
	includes_by_make >"$TMP/noted"
	same "$TMP/includes" "$TMP/noted" || exit 1
	for header in core/base/types.h cmd/command.h build/gen/wait.skel.h bpf/abi/wait.h; do
		awk -v h="$header" '$1 == h { print $2 }' "$TMP/includes" | sort -u >"$TMP/want"
		[ -s "$TMP/want" ] || fail "nothing includes $header"
		would_compile -W "$header" | grep -v '^bpf/' >"$TMP/got"
		# A header of a BPF program rebuilds its skeleton, and so its command.
		if [[ $header == bpf/* ]]; then
			comm -23 "$TMP/want" "$TMP/got" >"$TMP/lacking"
		else
			diff "$TMP/want" "$TMP/got" >"$TMP/lacking"
		fi
		[ ! -s "$TMP/lacking" ] || fail "$header:" "$(cat "$TMP/lacking")"
	done
}

bpf_headers_rebuild_the_command()
{
	local before

	before=$(stat -c %Y.%y "$a/build/bperf")
	touch "$a/bpf/vmlinux.h"
	mk "$a" >"$TMP/out" 2>&1 || { cat "$TMP/out"; exit 1; }
	grep -qP '^  BPF\tbpf/profile.bpf.c' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -qP '^  SKEL\t.*profile' "$TMP/out" || fail "$(cat "$TMP/out")"
	grep -qP '^  LINK\t' "$TMP/out" || fail "$(cat "$TMP/out")"
	! grep -qP '^  CC\tcore/base' "$TMP/out" || fail 'built what does not depend on it'
	[ "$before" != "$(stat -c %Y.%y "$a/build/bperf")" ]
}

deleted_sources_leave()
{
	echo 'void zz_extra(void); void zz_extra(void) {}' >"$a/core/base/zz_extra.c"
	mk "$a" >/dev/null && ar t "$a/build/libbperf.a" | grep -q zz_extra || fail 'not in the archive'
	rm "$a/core/base/zz_extra.c"
	mk "$a" >/dev/null || fail 'does not build without it'
	! ar t "$a/build/libbperf.a" | grep zz_extra
}

# Even make -n notes the flags: the next make builds everything again.
flags_rebuild()
{
	[ "$(would_compile CFLAGS='-O2 -g -DX')" = "$(would_compile -B)" ] || fail 'not all is built again'
}

install_and_uninstall_match()
{
	local f

	mk "$a" install DESTDIR="$TMP/root" PREFIX=/opt/x >/dev/null || exit 1
	for f in bin/bperf share/man/man8/bperf-profile.8 share/bash-completion/completions/bperf \
		share/zsh/site-functions/_bperf share/fish/vendor_completions.d/bperf.fish; do
		[ -f "$TMP/root/opt/x/$f" ] || fail "not installed: $f"
	done
	[ "$(find "$TMP/root" -name '*.[1-8]' | wc -l)" = "$(find "$a"/cmd -name '*.[1-8]' | wc -l)" ] ||
		fail 'not every man page is installed'
	cmp "$TMP/root/opt/x/bin/bperf" "$a/build/bperf" || exit 1
	touch "$TMP/root/opt/x/bin/other"
	mk "$a" uninstall DESTDIR="$TMP/root" PREFIX=/opt/x >/dev/null || exit 1
	find "$TMP/root" -type f >"$TMP/left"
	[ "$(cat "$TMP/left")" = "$TMP/root/opt/x/bin/other" ] || fail "$(cat "$TMP/left")"
}

dist_is_the_same_elsewhere()
{
	mk_elsewhere dist >"$TMP/out" 2>&1 || { cat "$TMP/out"; exit 1; }
	mv "$a/build/dist/SHA256SUMS" "$TMP/sums"
	mk "$a" dist >"$TMP/out" 2>&1 || { cat "$TMP/out"; exit 1; }
	same "$TMP/sums" "$a/build/dist/SHA256SUMS" || exit 1
	(cd "$a/build/dist" && sha256sum -c --quiet SHA256SUMS) || exit 1
	[ "$(wc -l <"$a/build/dist/SHA256SUMS")" = 3 ] || fail "$(cat "$a/build/dist/SHA256SUMS")"
}

dist_holds_what_a_host_needs()
{
	local tar

	tar=$(echo "$a"/build/dist/bperf-*-linux-"$(uname -m)".tar.gz)
	tar -tzf "$tar" >"$TMP/list" || exit 1
	for f in bperf LICENSE README.md man/bperf-profile.8 completions/bperf.bash; do
		grep -q "/$f\$" "$TMP/list" || fail "no $f in it"
	done
	tar -xzf "$tar" -C "$TMP" --strip-components=1 && "$TMP/bperf" --version
}

deps_are_quick()
{
	local TIMEFORMAT='%3U %3S' user system

	{ time make --no-print-directory deps >"$TMP/out" 2>&1; } 2>"$TMP/time" ||
		{ cat "$TMP/out"; exit 1; }
	grep -q installing "$TMP/out" && skip_because 'there was something to install'
	read -r user system <"$TMP/time"
	echo "$user s + $system s of CPU time"
	((10#${user/./} + 10#${system/./} < 1000)) # milliseconds; 300 on an idle machine
}

check 'builds from clean with -j8, without a warning' builds_quietly
if [ ! -x "$a/build/bperf" ]; then
	skip 'the rest' 'nothing was built'
	exit
fi
check 'the program is static' is_static
check 'the program is hardened: RELRO, bound at start, PIE, no executable stack' is_hardened "$a/build/bperf"
check 'the program is stripped and has a build id' is_stripped
check 'the program is small' is_small
check 'BPF objects have no places in their source, and the same code' objects_lack_places
check 'the program names no folder of the build' names_no_folder
check 'no name is defined by two of the libraries and us' names_are_kept_apart "$a" "$(gcc -print-file-name=libc.a)"
check "a library's inner names are free for others" inner_names_are_free
check 'two builds in different folders are the same bytes' same_bytes_elsewhere
check 'nothing is built twice' nothing_twice
check 'a changed header rebuilds exactly the files that include it' headers_rebuild_their_dependents
check 'a BPF header rebuilds skeleton and command' bpf_headers_rebuild_the_command
check 'a deleted source leaves the archive' deleted_sources_leave
check 'uninstall removes what install created' install_and_uninstall_match
check 'two releases made in different ways are the same bytes' dist_is_the_same_elsewhere
check 'the release holds program, licence, pages and completions' dist_holds_what_a_host_needs
check 'deps is quick when nothing is missing' deps_are_quick
check 'other flags rebuild everything' flags_rebuild
check 'clang builds it without a warning' clang_builds_too
