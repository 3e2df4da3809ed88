#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about the network report what happened: over the loopback device.
#
# kernels: 5.10 newest
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
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

# Four connections, one after another, 10240 bytes there and 20480 back; the client closes first.
cat >"$TMP/tcp.py" <<'EOF2'
import socket
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(4)
print(server.getsockname()[1], flush=True)
def take(s, n):
    while n: n -= len(s.recv(n))
for i in range(4):
    a = socket.create_connection(server.getsockname())
    b, _ = server.accept()
    a.sendall(b"x" * 10240)
    take(b, 10240)
    b.sendall(b"y" * 20480)
    take(a, 20480)
    a.close()
    assert b.recv(1) == b""
    b.close()
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

lookups()
{
	tool gethostlatency -- "${PY[@]}" -c '
import socket
for i in range(5): socket.getaddrinfo("127.0.0.1", 80)
socket.getaddrinfo("::1", 80)'
	exactly "$(values host | sort | uniq -c | xargs)" '5 127.0.0.1 1 ::1' 'names asked for'
}
check 'gethostlatency: each look-up, its name' lookups

queues()
{
	tool netqtop -n lo 60 -- "${PY[@]}" "$TMP/udp.py"
	exactly "$(got '[.[] | select(.type == "stats" and .key.DEVICE == "lo") | [.count, .sum, .min, .max]]')" \
		'[[40,51040,1276,1276]]' 'packets and bytes'
}
check 'netqtop: sizes of packets by device and queue' queues

again()
{
	local port n

	tool_beside tcpretrans // "${PY[@]}" "$TMP/syn.py"
	read -r port n <"$TMP/program"
	at_least "$n" 1 'segments that the kernel says it sent again'
	exactly "$(values rport ip laddr raddr state | grep "^$port " | sort | uniq -c | xargs)" \
		"$n $port 4 127.0.0.1 127.0.0.1 TCP_SYN_SENT" 'segments sent again'
}
check 'tcpretrans: each, its ends, its state' again

again_by_type()
{
	local port n

	tool_beside tcpretrans-by-type // "${PY[@]}" "$TMP/syn.py"
	read -r port n <"$TMP/program"
	exactly "$(got "[.[] | select(.type == \"count\" and .key.RPORT == \"$port\") | [.key.STATE, .value]]")" \
		"[[\"TCP_SYN_SENT\",$n]]" 'segments sent again'
}
check 'tcpretrans-by-type: by state and peer' again_by_type

connections()
{
	tool tcpconnect -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values dport ip saddr daddr | sort | uniq -c | xargs)" "4 $(head -n1 "$TMP/stdout") 4 127.0.0.1 127.0.0.1" connections
	tool tcpconnect -P 1 -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values dport | wc -l)" 0 'to another port'
}
check 'tcpconnect: each connection from here' connections

latencies()
{
	tool tcpconnlat -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values dport | sort | uniq -c | xargs)" "4 $(head -n1 "$TMP/stdout")" connections
	tool tcpconnlat 60000 -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values dport | wc -l)" 0 'that took a minute'
}
check 'tcpconnlat: how long each took' latencies

lives()
{
	local port

	tool_beside tcplife // "${PY[@]}" "$TMP/tcp.py"
	port=$(head -n1 "$TMP/program")
	exactly "$(values rport tx_kb rx_kb | grep "^$port " | sort | uniq -c | xargs)" "4 $port 10 20" 'of the client: kilobytes there and back'
}
check 'tcplife: each connection, its bytes' lives

states()
{
	local port

	tool_beside tcpstates // "${PY[@]}" "$TMP/tcp.py"
	port=$(head -n1 "$TMP/program")
	exactly "$(values rport oldstate newstate | grep "^$port TCP_SYN_SENT" | sort | uniq -c | xargs)" \
		"4 $port TCP_SYN_SENT TCP_ESTABLISHED" 'changes'
}
check 'tcpstates: each change of state' states

listens()
{
	tool solisten -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values backlog ret)" '4 0' calls
	tool solisten --show-netns -n "$(stat -Lc %i /proc/self/ns/net)" -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values netns backlog)" "$(stat -Lc %i /proc/self/ns/net) 4" 'calls in this network namespace'
	tool solisten -n 1 -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values backlog)" '' 'calls in another one'
}
check 'solisten: each socket that listens' listens

binds()
{
	tool bindsnoop -- "${PY[@]}" -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])
t = socket.socket()
try: t.bind(s.getsockname())
except OSError: pass'
	exactly "$(values address | wc -l)" 1 'that succeeded'
	tool bindsnoop -E -- "${PY[@]}" -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
t = socket.socket()
try: t.bind(s.getsockname())
except OSError: pass'
	exactly "$(values ret | xargs)" '0 EADDRINUSE' 'all calls'
	tool bindsnoop -P 4242 -- "${PY[@]}" -c '
import socket
socket.socket().bind(("", 4243))
socket.socket(socket.AF_INET6).bind(("::1", 4242))
socket.socket().bind(("127.0.0.1", 4242))'
	exactly "$(values address | sort | xargs)" '127.0.0.1:4242 [::1]:4242' 'those of one port'
}
check 'bindsnoop: each socket that is bound' binds

secrets()
{
	/usr/bin/python3 -I -c 'import ssl' 2>/dev/null || skip_because 'python without ssl'
	cat >"$TMP/ssl.py" <<'EOF2'
import ctypes, ctypes.util
c = ctypes.CDLL("libssl.so.3")
c.SSL_CTX_new.restype = c.SSL_new.restype = c.TLS_client_method.restype = ctypes.c_void_p
s = c.SSL_new(ctypes.c_void_p(c.SSL_CTX_new(ctypes.c_void_p(c.TLS_client_method()))))
for i in range(3): c.SSL_write(ctypes.c_void_p(s), b"a secret", 8)
EOF2
	"${PY[@]}" "$TMP/ssl.py" 2>/dev/null || skip_because 'no libssl.so.3'
	tool sslsniff -- "${PY[@]}" "$TMP/ssl.py"
	exactly "$(values func len data | sort | uniq -c | xargs)" '3 SSL_write 8 a secret' 'what was written'
}
check 'sslsniff: text that is written' secrets

conversations()
{
	local ports

	has_tracepoint sock:sock_send_length || need_kernel_functions
	tool udplife 60 -- "${PY[@]}" "$TMP/udp.py"
	read -r -a ports <"$TMP/stdout"
	exactly "$(got '[.[] | select(.type == "table") | [.key.LPORT, .key.RPORT, .columns.TX_B, .columns.RX_B]] | sort')" \
		"$(jq -n -c "[[\"${ports[0]}\",\"${ports[1]}\",49360,0],[\"${ports[1]}\",\"0\",0,49360]] | sort")" \
		'ports and bytes'
	exactly "$(got '[.[] | select(.type == "table") | .columns.MS > 0] | unique')" '[true]' 'how long they were'
	tool udplife -D 1 60 -- "${PY[@]}" "$TMP/udp.py"
	exactly "$(got '[.[] | select(.type == "table")] | length')" 0 'to another port'
}
check 'udplife: each conversation, its bytes, how long it was' conversations

busy_connections()
{
	has_tracepoint sock:sock_send_length || need_kernel_functions
	tool tcptop 60 -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(got "[.[] | select(.type == \"table\" and .key.RPORT == \"$(head -n1 "$TMP/stdout")\") | .columns | [.TX_KB, .RX_KB]]")" \
		'[[10,20],[10,20],[10,20],[10,20]]' 'kilobytes of the client'
}
check 'tcptop: kilobytes by connection' busy_connections

accepted()
{
	need_kernel_functions
	tool tcpaccept -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values lport ip laddr raddr | sort | uniq -c | xargs)" "4 $(head -n1 "$TMP/stdout") 4 127.0.0.1 127.0.0.1" connections
	tool tcpaccept -P 1 -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values lport | wc -l)" 0 'at another port'
}
check 'tcpaccept: each connection that is accepted' accepted

# The program asks the kernel for its estimate before the segment arrives that shows it to bperf.
round_trips()
{
	cat >"$TMP/rtt.py" <<'EOF2'
import socket, struct
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
a = socket.create_connection(server.getsockname())
b, _ = server.accept()
for i in range(20):
    a.sendall(b"x")
    b.recv(1)
    b.sendall(b"y")
    a.recv(1)
rtt = struct.unpack_from("I", a.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 68)[0]
b.sendall(b"z")
a.recv(1)
print(a.getsockname()[1], rtt)
EOF2
	local port rtt

	tool_beside tcprtt // "${PY[@]}" "$TMP/rtt.py"
	read -r port rtt <"$TMP/program"
	exactly "$(got "[.[] | select(.type == \"hist\") | .buckets[] | select(.lo <= $rtt and $rtt < .hi and .n > 0)] | length")" 1 \
		"buckets that hold $rtt us"
	tool tcprtt -B -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist" and .key.RADDR == "127.0.0.1") | .count >= 20] | unique')" '[true]' segments
	tool tcprtt -4 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist") | .count >= 20]')" '[true]' 'segments of IPv4'
	tool tcprtt -6 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist" and .count > 0)] | length')" 0 'segments of IPv6'
	tool tcprtt -p 1 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist" and .count > 0)] | length')" 0 'of another port'
}
check 'tcprtt: what the kernel has estimated' round_trips

drops()
{
	local reason program='
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
port = s.getsockname()[1]
for i in range(5): assert socket.socket().connect_ex(("127.0.0.1", port))
print(port)'

	"$BPERF" list -v t:skb:kfree_skb | grep -q ' reason' && reason=NO_SOCKET || need_kernel_functions
	tool_beside tcpdrop -s // "${PY[@]}" -c "$program"
	# Before 5.19 the kernel reports only segments that belong to a socket.
	[ "${reason-}" ] || return 0
	exactly "$(values dport ip saddr daddr reason | grep "^$(cat "$TMP/program") " | sort | uniq -c | xargs)" \
		"5 $(cat "$TMP/program") 4 127.0.0.1 127.0.0.1 $reason" 'segments to a closed port'
	tool_beside tcpdrop -4 -s // "${PY[@]}" -c "$program"
	exactly "$(values dport | grep -c "^$(cat "$TMP/program")$")" 5 'segments of IPv4'
	tool_beside tcpdrop -6 -s // "${PY[@]}" -c "$program"
	exactly "$(values dport | grep -c "^$(cat "$TMP/program")$")" 0 'segments of IPv6'
}
check 'tcpdrop: each segment that is dropped, and why' drops
