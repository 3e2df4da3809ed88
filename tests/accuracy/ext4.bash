# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# An ext4 on a loop device, for tests of file systems: $mounted, if $ext4 is 1.  It exists only where
# functions of the kernel can be probed; the caller's file defines has_kernel_functions.

mounted=$TMP/mounted
mkdir "$mounted"
modprobe -a loop ext4 2>/dev/null
has_ext4()
{
	has_kernel_functions || return
	dd if=/dev/zero of="$TMP/ext4" bs=1M count=16 2>/dev/null
	mkfs.ext4 -q "$TMP/ext4" && mount -o loop "$TMP/ext4" "$mounted"
}
ext4=''
if has_ext4 2>/dev/null; then
	ext4=1
	at_exit+=("umount $mounted")
fi

need_ext4()
{
	[ "$ext4" ] || skip_because 'no ext4 here, or no functions of the kernel'
}

# 64 writes of a block and 3 times fsync, then 32 reads; and names that were never looked up before.
cat >"$TMP/files.py" <<EOF2
import os
fd = os.open("$mounted/there", os.O_RDWR | os.O_CREAT)
for i in range(64): os.pwrite(fd, b"x" * 4096, i * 4096)
for i in range(3): os.fsync(fd)
for i in range(32): os.pread(fd, 4096, i * 4096)
for i in range(9):
	try: os.stat("$mounted/missing-%d-%d" % (os.getpid(), i))
	except OSError: pass
EOF2
