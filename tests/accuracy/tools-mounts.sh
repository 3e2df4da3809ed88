#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about file systems that are modules of most kernels report what happened: on XFS and Btrfs in loop
# devices, and on NFS from this machine to itself.  To load these modules takes an emulated machine 10 seconds
# or more, and 5.10 the least of them.
#
# kernels: 5.10

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
# shellcheck source=tests/accuracy/mounts.bash
. tests/accuracy/mounts.bash
has_kernel_functions || { skip "$(this_test)" 'no functions of the kernel here'; exit 0; }
modprobe loop 2>/dev/null

PY=(/usr/bin/python3 -I -S)
mounted=$TMP/mounted
mkdir "$mounted"

# An open that creates the file, and another; 64 writes of a block and 3 times fsync, then 32 reads.
cat >"$TMP/files.py" <<EOF2
import os
fd = os.open("$mounted/there", os.O_RDWR | os.O_CREAT)
os.open("$mounted/there", os.O_RDONLY)
for i in range(64): os.pwrite(fd, b"x" * 4096, i * 4096)
for i in range(3): os.fsync(fd)
for i in range(32): os.pread(fd, 4096, i * 4096)
for i in range(5): os.fstat(fd)
EOF2

# each_operation TOOL
each_operation()
{
	tool "$1" 0 -- "${PY[@]}" "$TMP/files.py"
	exactly "$(values t bytes off_kb filename | awk '$1 == "W" && $2 == 4096 && $4 == "there" { print $3 }' | xargs)" \
		"$(seq -s' ' 0 4 $((63 * 4)))" 'offsets of writes'
	exactly "$(values t bytes filename | grep -cx 'R 4096 there')" 32 reads
	exactly "$(values t filename | grep -cx 'S there')" 3 fsyncs
	exactly "$(values t filename | grep -cx 'O there')" 2 opens
}

# on_image NAME: its operations, on an image of it.
on_image()
{
	modprobe "$1" 2>/dev/null
	grep -qw "$1" /proc/filesystems || skip_because "no $1 in this kernel"
	image_of "$1" "$TMP/$1"
	mount -o loop "$TMP/$1" "$mounted" || skip_because 'no loop devices can be mounted here'
	later "umount '$mounted'"
	each_operation "${1}slower"
}
check 'xfsslower: each operation, its place, its file' on_image xfs
check 'btrfsslower: each operation, its place, its file' on_image btrfs

on_nfs()
{
	serve_nfs "$TMP/served" "$mounted"
	each_operation nfsslower
	at_least "$(values t filename | grep -cx 'G there')" 5 'questions for attributes'
}
check 'nfsslower: each operation, its place, its file' on_nfs
