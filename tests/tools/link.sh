#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/tools/link.sh static|dynamic OUT CC FLAGS...: find out how a program with our libraries links
# on this machine, write the flags to OUT.
#
# The inner functions of a static library are global: libbpf 1.5 has a glob_match, as we had, and libelf and
# zlib can both have a crc32.  So a static program is linked with copies of the libraries (OUT.libNAME.a) in
# which every function that no one else calls is renamed to NAME.function.
#
# The way in which the copies link differs too.  Not every toolchain has static-pie.  elfutils 0.192 (Debian
# 13) brought two things to libelf.a: it calls two functions that no archive contains, which serve ELF files
# that are being read chunk by chunk; and it (de)compresses sections by zstd, 0.7 MB of code.  bperf uses
# libelf for neither (libbpf opens our own objects, core/sym reads ELF itself), so where such functions are
# missing, empty ones stand in, compiled to OUT.shim.o; those of zstd say "failed".  The combinations are
# tried in turn, not guessed from versions.

set -u
mode=$1 out=$2
shift 2
cc=("$@")
libs=(-lbpf -lelf -llzma -liberty -lz -ljansson -lncursesw -ltinfo)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$(dirname "$out")"

cat >"$dir/main.c" <<'END'
#include <bpf/libbpf.h>
#include <curses.h>
#include <jansson.h>
#include <lzma.h>
#include <zlib.h>

char *cplus_demangle(const char *mangled, int options);

int main(int argc, char **argv)
{
	return (int)lzma_version_number() + (int)zlibCompileFlags() + (json_string_value(NULL) == NULL) +
	       (cplus_demangle(argv[0], argc) != NULL) + (bpf_object__open(argv[0]) != NULL) +
	       (newterm(argv[0], NULL, NULL) != NULL);
}
END
cat >"$dir/shim.c" <<'END'
#include <stddef.h>

#define WEAK __attribute__((weak))

#ifdef SHIM_TREE
WEAK void eu_search_tree_init(void *tree);
WEAK void eu_search_tree_fini(void *tree, void (*free_node)(void *));

void eu_search_tree_init(void *tree)
{
	(void)tree;
}

void eu_search_tree_fini(void *tree, void (*free_node)(void *))
{
	(void)tree;
	(void)free_node;
}
#endif

#ifdef SHIM_ZSTD
WEAK void *ZSTD_createCCtx(void);
WEAK size_t ZSTD_freeCCtx(void *ctx);
WEAK size_t ZSTD_compressStream2(void *ctx, void *out, void *in, int end);
WEAK size_t ZSTD_decompress(void *to, size_t room, const void *from, size_t n);
WEAK unsigned ZSTD_isError(size_t code);

void *ZSTD_createCCtx(void)
{
	return NULL;
}

size_t ZSTD_freeCCtx(void *ctx)
{
	(void)ctx;
	return 0;
}

size_t ZSTD_compressStream2(void *ctx, void *out, void *in, int end)
{
	(void)ctx;
	(void)out;
	(void)in;
	(void)end;
	return (size_t)-1;
}

size_t ZSTD_decompress(void *to, size_t room, const void *from, size_t n)
{
	(void)to;
	(void)room;
	(void)from;
	(void)n;
	return (size_t)-1;
}

unsigned ZSTD_isError(size_t code)
{
	return code > (size_t)-120;
}
#endif
END

# clang warns of linker flags where nothing is linked; gcc accepts any -Wno-.  No debug information: it
# would name our temporary folder
compile=("${cc[@]}" -g0 -Wno-unused-command-line-argument -c)
if ! "${compile[@]}" -o "$dir/main.o" "$dir/main.c" 2>"$dir/log"; then
	cat "$dir/log" >&2
	echo "a library's headers are missing: 'make deps' installs them, or lists them" >&2
	exit 1
fi

# The archive of library $1, found as the linker finds it.
archive()
{
	local word file

	for word in "${cc[@]}"; do
		file=${word#-L}/lib$1.a
		[[ $word == -L* && -f $file ]] && echo "$file" && return
	done
	file=$("${cc[@]}" -print-file-name="lib$1.a")
	[[ $file == */* && -f $file ]] && echo "$file"
}

# own_copy NAME KEPT [TABLE]: a copy of a library with its names changed, except for those that the
# pattern KEPT describes.  TABLE has the new names of a library that it calls.
own_copy()
{
	local name=$1 kept=$2 from table=$dir/$1.renamed

	if ! from=$(archive "$name"); then
		libs+=("-l$name") # the linker may find it, or reports that it is missing
		return
	fi
	"$("${cc[@]}" -print-prog-name=nm)" -g --defined-only "$from" 2>/dev/null |
		awk -v name="$name" -v kept="$kept" 'NF == 3 && $3 !~ kept { print $3, name "." $3 }' |
		sort -u >"$table"
	[ -z "${3-}" ] || cat "$3" >>"$table"
	"$("${cc[@]}" -print-prog-name=objcopy)" --redefine-syms="$table" "$from" "$out.lib$name.a" || exit 1
	libs+=("$out.lib$name.a")
}

# The parts of ncurses that core/live/screen.c uses.
curses='^(newterm|endwin|delscreen|raw|noecho|nonl|keypad|nodelay|set_escdelay|curs_set|leaveok|has_colors'
curses+='|start_color|use_default_colors|init_pair|attr_set|mvaddnwstr|move|erase|refresh|clearok|tigetstr'
curses+='|wtimeout|define_key|get_wch|stdscr|LINES|COLS|COLORS|COLOR_PAIRS)$'

# Only libbpf calls libelf, and only functions that begin with elf or gelf.
own_copies()
{
	local n

	libs=()
	own_copy elf '^$'
	touch "$dir/elf.renamed"
	grep -E '^g?elf' "$dir/elf.renamed" >"$dir/elf.called"
	own_copy bpf '^(lib)?bpf_|^btf_|_buffer__' "$dir/elf.called"
	libs=("${libs[1]}" "${libs[0]}") # the calling library is first
	own_copy lzma '^lzma_'
	own_copy iberty '^(cplus|rust)_demangle'
	own_copy jansson '^json_(load|object_|array_|string_|integer_|real_|number_|dump|delete)'
	n=${#libs[@]}
	own_copy tinfo "$curses"
	own_copy ncursesw "$curses" "$dir/tinfo.renamed"
	libs=("${libs[@]:0:n}" "${libs[@]: -1}" "${libs[@]: -2:1}") # the calling library is first
	own_copy z '^(crc32|adler32|deflate|inflate|compress|uncompress|zlib|zError|gz)'
}

links()
{
	"${cc[@]}" -o "$dir/main" "$dir/main.o" "$@" 2>"$dir/log"
}

# try KIND SHIMS EXTRA
try()
{
	local words

	# shellcheck disable=SC2206 # empty words vanish
	words=($1 ${2:+"$out.shim.o"} "${libs[@]}" $3)
	if [ "$2" ]; then
		# shellcheck disable=SC2086 # several -D
		"${compile[@]}" $2 -o "$out.shim.o" "$dir/shim.c" 2>"$dir/log" || return
	fi
	if links "${words[@]}"; then
		echo "${words[*]}" >"$out"
		exit 0
	fi
	[ -s "$dir/first" ] || cp "$dir/log" "$dir/first"
}

if [ "$mode" = dynamic ]; then
	kinds=('')
else
	kinds=(-static-pie -static)
	own_copies
fi
for kind in "${kinds[@]}"; do
	try "$kind" '' ''
	try "$kind" -DSHIM_ZSTD ''
	try "$kind" -DSHIM_TREE ''
	try "$kind" '-DSHIM_TREE -DSHIM_ZSTD' ''
	try "$kind" '' -lzstd
done
tail -n 20 "$dir/first" >&2
echo "the static libraries don't link: 'make deps' installs them, or lists them" >&2
exit 1
