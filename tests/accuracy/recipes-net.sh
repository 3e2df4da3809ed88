#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Recipes about the network report what happened: over the loopback device.
#
# kernels: 5.10 newest
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/recipes.bash
. tests/accuracy/recipes.bash
need jq python3
copied_symbols

PY=(/usr/bin/python3 -I -S)

# Datagrams of 1234 bytes, after headers of Ethernet, IPv4 and UDP.
cat >"$TMP/udp.py" <<'EOF2'
import socket
a, b = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "ab")
a.bind(("127.0.0.1", 0))
b.bind(("127.0.0.1", 0))
b.connect(a.getsockname())
for i in range(40):
    b.send(b"x" * 1234)
    assert len(a.recv(4096)) == 1234
print(b.getsockname()[1], a.getsockname()[1], flush=True)
EOF2

# A connection for which the listener has no room: its first segment is sent again after a second, and as
# often as the kernel then reports for the socket.
cat >"$TMP/syn.py" <<'EOF2'
import select, socket, struct
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(0)
first = socket.create_connection(server.getsockname())
second = socket.socket()
second.setsockopt(socket.IPPROTO_TCP, socket.TCP_SYNCNT, 1)
second.setblocking(False)
second.connect_ex(server.getsockname())
waiting = select.poll()
waiting.register(second, select.POLLOUT)
waiting.poll()
info = second.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
print(server.getsockname()[1], struct.unpack_from("I", info, 100)[0], flush=True)
EOF2

queues()
{
	recipe netqtop -- "${PY[@]}" "$TMP/udp.py"
	exactly "$(got '[.[] | select(.type == "stats" and .key.name == "lo") | [.count, .sum, .min, .max]]')" \
		'[[40,51040,1276,1276]]' 'packets and bytes'
}
check 'netqtop: sizes of packets by device and queue' queues

again()
{
	local port n

	recipe_beside tcpretrans "${PY[@]}" "$TMP/syn.py"
	read -r port n <"$TMP/program"
	at_least "$n" 1 'segments that the kernel says it sent again'
	exactly "$(texts | grep -E ":$port " | sed -E 's/^127.0.0.1:[0-9]+ //' | sort | uniq -c | xargs)" \
		"$n > 127.0.0.1:$port TCP_SYN_SENT" 'segments sent again'
}
check 'tcpretrans: each, its ends, its state' again

again_by_type()
{
	local port n

	recipe_beside tcpretrans-by-type "${PY[@]}" "$TMP/syn.py"
	read -r port n <"$TMP/program"
	exactly "$(got "[.[] | select(.type == \"count\" and .key.dport == \"$port\") | [.key.state, .value]]")" \
		"[[\"TCP_SYN_SENT\",$n]]" 'segments sent again'
}
check 'tcpretrans by state and peer' again_by_type

conversations()
{
	local ports

	need_kernel_functions
	recipe udplife -- "${PY[@]}" "$TMP/udp.py"
	read -r -a ports <"$TMP/stdout"
	exactly "$(texts | grep -cE "^127.0.0.1:${ports[0]} > 127.0.0.1:${ports[1]} [0-9.]+\$")" 1 conversations
	recipe udplife-bytes -- "${PY[@]}" "$TMP/udp.py"
	read -r -a ports <"$TMP/stdout"
	exactly "$(got "[.[] | select(.type == \"table\") | [(.key | to_entries | .[0].value), .columns.SENT, .columns.GOT]] | sort")" \
		"$(jq -n -c "[[\"${ports[0]}\", 49360, 0], [\"${ports[1]}\", 0, 49360]] | sort")" 'bytes by port'
}
check 'udplife: each conversation, how long and how much' conversations
