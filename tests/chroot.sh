#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/chroot.sh RELEASE [TARGET...]: prove that a fresh clone builds on a minimal Debian
# (bookworm, trixie), as an ordinary user with sudo: `make deps && make` there, then run the
# program here.  TARGETs ("check") are made after that.
#
# Needs root, debootstrap and a package server, which is the one that this machine's apt uses.
# The bare system is kept in BPERF_CHROOT_CACHE (/var/tmp/bperf-chroot) for the next time.

set -eu
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
	echo 'usage: tests/chroot.sh RELEASE [TARGET...]' >&2
	exit 64
fi
# In a mount namespace of our own: nothing stays mounted, however this ends.
if [ -z "${BPERF_CHROOT_NS-}" ]; then
	export BPERF_CHROOT_NS=1
	exec unshare --mount --propagation private "$0" "$@"
fi

release=$1
shift
cache=${BPERF_CHROOT_CACHE:-/var/tmp/bperf-chroot}
base=$cache/$release
root=$cache/$release.run
mkdir -p "$cache/$release.debs"

say()
{
	printf '== %s: %s\n' "$release" "$*"
}

if [ ! -d "$base" ]; then
	mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' |
		awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
	[ "$mirror" ] || { echo 'no Debian mirror in the sources of apt' >&2; exit 1; }
	say 'debootstrap: a minimal system, with the three packages that a clone, make and sudo need'
	rm -rf "$base.new"
	debootstrap --variant=minbase --include=git,make,sudo "$release" "$base.new" "$mirror" \
		>"$base.log" 2>&1 || { tail -n 20 "$base.log" >&2; exit 1; }
	rm -f "$base.new"/var/cache/apt/archives/*.deb
	mv "$base.new" "$base"
fi

rm -rf "$root"
cp -a --reflink=auto "$base" "$root"
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount --bind "$cache/$release.debs" "$root/var/cache/apt/archives"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
echo 'Binary::apt::APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/keep"
echo 'APT::Keep-Downloaded-Packages "true";' >>"$root/etc/apt/apt.conf.d/keep"

in_chroot()
{
	env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"
}

as_user()
{
	in_chroot su - builder -c "cd bperf && $1"
}

in_chroot useradd --create-home --shell /bin/bash builder
echo 'builder ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/builder"
git clone -q --no-local . "$root/home/builder/bperf"
in_chroot chown -R builder: /home/builder/bperf

say 'make deps'
as_user 'time make deps' >"$cache/$release.deps.log" 2>&1 || { tail -n 30 "$cache/$release.deps.log"; exit 1; }
tail -n 5 "$cache/$release.deps.log"
say 'make deps, again'
as_user 'time make deps'
say 'make'
as_user "make -j$(nproc)" >"$cache/$release.make.log" 2>&1 || { tail -n 40 "$cache/$release.make.log"; exit 1; }
as_user 'cat build/gen/libs; ls -l build/bperf; gcc --version | head -n 1; clang --version | head -n 1'
as_user 'build/bperf --version'
size=$(stat -c %s "$root/home/builder/bperf/build/bperf")
((size <= 2500000)) || { say "the program is $size bytes"; exit 1; }
mkdir -p build/chroot
cp "$root/home/builder/bperf/build/bperf" "build/chroot/bperf-$release"
say 'the same file on this machine'
"build/chroot/bperf-$release" --version
for target; do
	say "make $target"
	as_user "make --no-print-directory $target"
done
say 'done'
