#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/link.sh static|dynamic OUT CC FLAGS...: find out how a program with our libraries links
# on this machine, write the flags to OUT.
#
# Static, the answer differs: not every toolchain has static-pie; libelf may or may not need
# zstd; and the static libelf of elfutils 0.192 (Debian 13) calls two functions that no archive
# contains.  They serve ELF files that are being written, which nobody here does: where they are
# missing, two empty ones stand in, compiled to OUT.shim.o.  Tried, not guessed from versions.

set -u
mode=$1 out=$2
shift 2
cc=("$@")
libs=(-lbpf -lelf -llzma -liberty -lz)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$(dirname "$out")"

cat >"$dir/main.c" <<'END'
#include <bpf/libbpf.h>
#include <libelf.h>
#include <lzma.h>
#include <zlib.h>

char *cplus_demangle(const char *mangled, int options);

int main(int argc, char **argv)
{
	Elf *elf = elf_memory(argv[0], (size_t)argc);
	size_t n = 0;

	return elf_compress(elf_getscn(elf, 1), 0, 0) + elf_getphdrnum(elf, &n) +
	       (int)lzma_version_number() + (int)zlibCompileFlags() +
	       (cplus_demangle(argv[0], 0) != NULL) + (bpf_object__open(argv[0]) != NULL);
}
END
cat >"$dir/shim.c" <<'END'
void eu_search_tree_init(void *tree);
void eu_search_tree_fini(void *tree, void (*free_node)(void *));
__attribute__((weak)) void eu_search_tree_init(void *tree)
{
	(void)tree;
}
__attribute__((weak)) void eu_search_tree_fini(void *tree, void (*free_node)(void *))
{
	(void)tree;
	(void)free_node;
}
END

# clang minds linker flags where nothing is linked; gcc takes any -Wno- for granted
compile=("${cc[@]}" -Wno-unused-command-line-argument -c)
if ! "${compile[@]}" -o "$dir/main.o" "$dir/main.c" 2>"$dir/log" ||
	! "${compile[@]}" -o "$dir/shim.o" "$dir/shim.c" 2>>"$dir/log"; then
	cat "$dir/log" >&2
	echo "a library's headers are missing: 'make deps' installs them, or lists them" >&2
	exit 1
fi

links()
{
	"${cc[@]}" -o "$dir/main" "$dir/main.o" "$@" 2>"$dir/log"
}

[ "$mode" = dynamic ] && kinds=('') || kinds=(-static-pie -static)
for kind in "${kinds[@]}"; do
	for zstd in '' -lzstd; do
		for shim in '' "$out.shim.o"; do
			# shellcheck disable=SC2206 # empty words vanish
			words=($kind $shim "${libs[@]}" $zstd)
			[ "$shim" ] && cp "$dir/shim.o" "$shim"
			if links "${words[@]}"; then
				echo "${words[*]}" >"$out"
				exit 0
			fi
			[ -s "$dir/first" ] || cp "$dir/log" "$dir/first"
		done
	done
done
tail -n 20 "$dir/first" >&2
echo "the static libraries don't link: 'make deps' installs them, or lists them" >&2
exit 1
