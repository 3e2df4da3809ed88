#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/tools/debian.sh RELEASE: a fresh clone builds on a minimal Debian (bookworm, trixie, sid), by an ordinary
# user with sudo, and all commands of it run.  `make deps` installs there what the build needs.  The newest
# clang, which is sid's, builds it as well; build.sh does so with the clang of this machine.
#
# The packages come from where this machine's apt gets its own.  Nothing is kept.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/tools/built.bash
. tests/tools/built.bash
release=$1
need_root
need mmdebstrap apt-get readelf nm

root=$TMP/root
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 2>/dev/null |
	awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')

skip_all()
{
	skip "$release" "$1"
	exit
}

[ "$mirror" ] || skip_all "apt's sources name no mirror of Debian"
unshare -m true 2>/dev/null || skip_all 'no mount namespaces'
timeout 60 /usr/lib/apt/apt-helper download-file "${mirror%/}/dists/$release/Release" "$TMP/Release" \
	>"$TMP/log" 2>&1 || skip_all "the mirror of Debian cannot be reached: $(grep -m1 ^E: "$TMP/log")"

# Files are not synced to the disk, and documentation is left out of what is installed later (for the first
# packages mmdebstrap would start Python for each to do so).  Packages are signed; lists may be out of date (a
# mirror that is not updated).
bootstraps()
{
	mmdebstrap --quiet --variant=apt --include=make,sudo,passwd --skip=cleanup/apt/lists \
		--aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io \
		"$release" "$root" "$mirror" </dev/null &&
		printf 'path-exclude=/usr/share/%s/*\n' man doc >"$root/etc/dpkg/dpkg.cfg.d/no-documentation"
}

# inside WORD...: in the new system, with this kernel's /proc, /sys and /dev, until it ends.
inside()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -c 'mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" &&
		mount --rbind /dev "$0/dev" && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
			chroot "$0" "$@"' "$root" "$@"
}

as_user()
{
	inside su builder -c "make --no-print-directory -C /src $*"
}

installs()
{
	cp /etc/resolv.conf /etc/hosts "$root/etc/" && copy_tree "$root/src" || exit 1
	inside useradd --create-home builder && inside chown -R builder: /src || exit 1
	echo 'builder ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/builder"
	as_user deps
}

# sid's compilers change from day to day: their new warnings are not errors.
builds_with()
{
	local werror=${WERROR-}

	[ "$release" = sid ] && werror=
	as_user "-j$(nproc) CC=$1 WERROR=$werror" >"$TMP/make" 2>&1 ||
		{ tail -n 40 "$TMP/make"; exit 1; }
	grep -A 3 -i warning "$TMP/make"
	inside "$1" --version | head -n 1
}

runs()
{
	local name

	inside /src/build/bperf --version && inside /src/build/bperf list t:sched:sched_switch || exit
	inside /src/build/bperf doctor || (($? == 1)) || exit 1
	for name in $(inside /src/build/bperf --list | sed '/^$/,$d' | grep -vx top); do
		# shellcheck disable=SC2046 # words
		inside timeout 60 /src/build/bperf "$name" $(short_run "$name") || fail "$name: exit status $?"
	done
}

check "$release: a minimal system" bootstraps
[ -d "$root/usr" ] || exit
check "$release: make deps installs all that the build needs" installs
for cc in gcc $([ "$release" != sid ] || echo clang); do
	rm -f "$root/src/build/bperf"
	check "$release: $cc builds it" builds_with "$cc"
	check "$release: all commands of what $cc built run" runs
	check "$release: what $cc built is hardened" is_hardened "$root/src/build/bperf"
done
check "$release: no name is defined by two of the libraries and us" names_are_kept_apart "$root/src" \
	"$root/usr/lib/$(uname -m)-linux-gnu/libc.a"
