#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The loads that guests must be able to run: without one, the tests that measure it measure nothing.
#
# kernel: newest
# cpus: 2

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/vm/env/common.bash
. tests/vm/env/common.bash

null_block()
{
	modprobe null_blk || fail 'no module'
	dd if=/dev/zero of=/dev/nullb0 bs=1M count=64 oflag=direct 2>/dev/null || fail 'no writing'
}
check 'null_blk takes writes' null_block

loop_ext4()
{
	modprobe loop || fail 'no module'
	dd if=/dev/zero of="$TMP/disk" bs=1M count=32 2>/dev/null
	mkfs.ext4 -q "$TMP/disk" || fail 'no ext4'
	mkdir "$TMP/mnt"
	mount -o loop "$TMP/disk" "$TMP/mnt" || fail 'no mount'
	later "umount $TMP/mnt"
	dd if=/dev/zero of="$TMP/mnt/file" bs=64k count=64 conv=fsync 2>/dev/null || fail 'no writing'
}
check 'a loop device carries an ext4' loop_ext4

loopback()
{
	python3 - <<'PY'
import socket, threading

def echo(server):
    peer = server.accept()[0]
    while data := peer.recv(4096):
        peer.sendall(data)

server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=echo, args=(server,), daemon=True).start()
client = socket.create_connection(server.getsockname())
for _ in range(100):
    client.sendall(b"x")
    assert client.recv(1) == b"x"
a, b = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "ab")
a.bind(("127.0.0.1", 0))
b.sendto(b"y", a.getsockname())
assert a.recv(1) == b"y"
PY
}
check 'TCP and UDP go over loopback' loopback

second_cpu()
{
	at_least "$(nproc)" 2 CPUs
	echo 0 >/sys/devices/system/cpu/cpu1/online || fail 'it stays'
	exactly "$(nproc)" 1 CPUs
	echo 1 >/sys/devices/system/cpu/cpu1/online
}
check 'a second CPU can be taken offline' second_cpu
