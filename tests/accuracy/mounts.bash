# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# File systems to mount, and a server of NFS without its programs.

# image_of NAME FILE: an empty file system, made by its mkfs.  mkfs.xfs makes one of less than 300 MB only if
# the variables of its own tests are there, and Btrfs has to be told that 16 MB are meant.  Kernels that are
# older than mkfs do not know some of its features, which are left out.
image_of()
{
	have "mkfs.$1"
	truncate -s 16M "$2"
	case $1 in
	xfs)
		TEST_DIR=1 TEST_DEV=1 QA_CHECK_FS=1 mkfs.xfs -q -d size=16m,agcount=1 \
			-m bigtime=0,inobtcount=0,reflink=0,rmapbt=0,finobt=0 -i sparse=0,nrext64=0 "$2"
		;;
	btrfs) mkfs.btrfs -q -M -m single -d single -R ^free-space-tree "$2" ;;
	esac >"$2.log" 2>&1 || fail "mkfs.$1: $(<"$2.log")"
}

# serve_nfs FOLDER MOUNTPOINT: this machine's own NFS 4.2.  rpc.mountd would answer the kernel's
# questions about clients and exports; here the answers are written before they are asked for.
serve_nfs()
{
	local nfsd=/proc/fs/nfsd rpc=/proc/net/rpc end=2147483647

	modprobe nfsd 2>/dev/null && modprobe nfsv4 2>/dev/null
	grep -qw nfsd /proc/filesystems && grep -qw nfs4 /proc/filesystems || skip_because 'no NFS in this kernel'
	[ "$(cat $nfsd/threads 2>/dev/null || echo 0)" = 0 ] || skip_because 'this machine is a server already'
	ip link set lo up
	mkdir "$1"
	mount -t tmpfs served "$1" && later "umount '$1'"
	mountpoint -q $nfsd || mount -t nfsd nfsd $nfsd || skip_because 'no nfsd can be mounted here'
	later "echo '$(cat $nfsd/versions)' >$nfsd/versions; echo $(cat $nfsd/nfsv4gracetime) >$nfsd/nfsv4gracetime" 2>/dev/null
	# Versions 2 and 3 need rpcbind.
	echo '-2 -3 +4 +4.1 +4.2' >$nfsd/versions 2>/dev/null
	echo 10 >$nfsd/nfsv4gracetime
	echo 'tcp 2049' >$nfsd/portlist || skip_because 'port 2049 is taken'
	later "echo 0 >$nfsd/threads"
	echo 1 >$nfsd/threads || skip_because 'nfsd does not start here'
	echo Y >$nfsd/v4_end_grace 2>/dev/null # refused by some kernels if nothing keeps track of clients
	echo "nfsd 127.0.0.1 $end self" >$rpc/auth.unix.ip/channel
	# 0x2402: any port, no check of subtrees, and this fsid, 0
	echo "self $1 $end $((0x2402)) 65534 65534 0" >$rpc/nfsd.export/channel
	printf 'self 1 %s %s %s\n' '\x00000000' "$end" "$1" >$rpc/nfsd.fh/channel
	"${PY[@]}" -c '
import ctypes, sys
c = ctypes.CDLL(None, use_errno=True)
if c.mount(b"127.0.0.1:/", sys.argv[1].encode(), b"nfs4", 0, b"vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1"):
	sys.exit("mount: errno %d" % ctypes.get_errno())' "$2" || fail 'cannot mount'
	later "umount '$2'"
	: >"$2/first" # waits for the end of the grace period
}
