#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/tools/deps.sh build|check|arm64|check-arm64...: install the missing packages that the build or the
# tests need, from the distribution's own, as root or by sudo.  Quick when nothing is missing.
# Where there is no apt-get, the list is printed.

set -u

# Debian's names, one "|" between alternatives (Ubuntu's and other releases' names come second).
build='gcc libc6-dev make clang llvm bpftool|linux-tools-common libbpf-dev libelf-dev zlib1g-dev
	liblzma-dev libiberty-dev libjansson-dev libncurses-dev ncurses-bin'
check='g++ rustc binutils python3 python3-jsonschema jq gojq xz-utils git file shellcheck clang-tidy clang-format
	libclang-rt-14-dev|libclang-rt-19-dev|libclang-rt-dev bash-completion zsh fish mandoc chromium musl-tools strace
	protobuf-compiler python3-protobuf libcap2-bin tmux util-linux mount bsdutils procps qemu-system-x86 debian-archive-keyring mmdebstrap zstd
	xfsprogs btrfs-progs'
# To build for arm64 elsewhere, and to test that.
arm64='gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross libbpf-dev:arm64
	libelf-dev:arm64 zlib1g-dev:arm64 liblzma-dev:arm64 libiberty-dev:arm64
	libjansson-dev:arm64 libncurses-dev:arm64'
check_arm64='qemu-system-arm'

fedora='gcc make clang llvm bpftool libbpf-devel libbpf-static elfutils-libelf-devel
	elfutils-libelf-devel-static zlib-static xz-devel xz-static binutils-devel libzstd-static
	jansson-devel ncurses-devel ncurses-static glibc-static'
suse='gcc make clang llvm bpftool libbpf-devel libbpf-devel-static libelf-devel zlib-devel-static
	xz-static-devel binutils-devel libjansson-devel ncurses-devel glibc-devel-static'

wanted=
for group; do
	case $group in
	build) wanted+=" $build" ;;
	check) wanted+=" $check" ;;
	arm64) wanted+=" $arm64" ;;
	check-arm64) wanted+=" $check_arm64" ;;
	*) echo "usage: tests/tools/deps.sh build|check|arm64|check-arm64..." >&2 && exit 64 ;;
	esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	if command -v gcc clang llvm-strip bpftool make >/dev/null &&
		echo '#include <bpf/libbpf.h>
		#include <libelf.h>' | gcc -E - >/dev/null 2>&1; then
		exit 0 # looks complete; the link probe says what is missing
	fi
	# shellcheck disable=SC2086 # lists
	{
		echo 'Packages are installed for you on Debian 12 and 13 only.  What the build needs:'
		echo '  Debian, Ubuntu:' $build
		echo '  Fedora:        ' $fedora
		echo '  openSUSE:      ' $suse
		echo '  elsewhere:      gcc, make, clang, llvm-strip, bpftool, glibc; and libbpf 1.1 or newer,'
		echo '                  libelf, liblzma, libiberty, jansson, ncurses and zlib, each as headers and static archive'
		echo '                  (a distribution without static archives, Arch say, cannot build it)'
	} >&2
	exit 1
fi

# Those of $wanted, first alternatives, that are not installed in any alternative.
missing()
{
	# shellcheck disable=SC2086 # words
	dpkg-query -W -f '${db:Status-Status} ${Package} ${Architecture}\n' ${wanted//|/ } 2>/dev/null |
		awk -v wanted="$wanted" -v native="$(dpkg --print-architecture)" '
			$1 == "installed" { have[$2 ":" $3] = 1 }
			$1 == "installed" && $3 ~ "^(all|" native ")$" { have[$2] = 1 }
			END {
				n = split(wanted, words, /[ \t\n]+/)
				for (i = 1; i <= n; i++) {
					m = split(words[i], either, "|")
					for (j = 1; j <= m && !(either[j] in have); j++)
						;
					if (m && j > m)
						print words[i]
				}
			}'
}

mapfile -t packages < <(missing)
((${#packages[@]})) || exit 0

root=()
if ((EUID)); then
	command -v sudo >/dev/null || {
		echo "deps: not root, and there is no sudo here.  As root: apt-get install ${packages[*]%%|*}" >&2
		exit 1
	}
	root=(sudo)
fi
# apt and dpkg print a thousand lines: they are kept in a file, and shown if something fails.
log=$(dirname "$0")/../../build/deps.log
mkdir -p "$(dirname "$log")" && : >"$log" || exit 1
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)

# Packages for another architecture have a list of their own.
foreign()
{
	[[ " ${packages[*]} " == *:arm64* ]] && ! dpkg --print-foreign-architectures | grep -qx arm64
}

update()
{
	is_updated=1
	"${apt[@]}" update </dev/null >>"$log" 2>&1 || echo 'deps: not every package list could be read' >&2
}

# The first alternative that the package lists know.
choose()
{
	local word name

	names=()
	for word in "${packages[@]}"; do
		for name in ${word//|/ }; do
			apt-cache show --no-all-versions "$name" >/dev/null 2>&1 && break
		done
		names+=("$name")
	done
}

install()
{
	choose
	echo "deps: installing ${names[*]}"
	"${apt[@]}" install --no-install-recommends "${names[@]}" </dev/null >>"$log" 2>&1
}

# Lists older than a day name files that may be gone from the server.
is_updated=0
if foreign; then
	"${root[@]}" dpkg --add-architecture arm64
	update
fi
((is_updated)) || [ -n "$(find /var/lib/apt/lists -name '*_Packages*' -mtime -1 -print -quit 2>/dev/null)" ] || update
install || { ((!is_updated)) && update && install; } || {
	grep -E '^[EW]: ' "$log" | tail -n 20 >&2
	echo "deps: could not install ${names[*]} (all of apt's words: build/deps.log)" >&2
	echo 'deps: is the package server reachable (apt-get update)?  Without it, install them another way and run make again' >&2
	exit 1
}
