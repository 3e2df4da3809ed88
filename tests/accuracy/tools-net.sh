#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about the network report what happened: over the loopback device.
#
# long: a run for each tool of this family, 86 s
# kernels: 5.10 newest
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
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
    assert len(a.recv(4096, socket.MSG_PEEK)) == len(a.recv(4096)) == 1234
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
    b.recv(1000, socket.MSG_PEEK)
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
	cp "$("${PY[@]}" -c 'print([x.split()[-1] for x in open("/proc/self/maps") if "/libc.so" in x][0])')" "$TMP/libc.so.6"
	tool gethostlatency -l "$TMP/libc.so.6" -- "${PY[@]}" -c '
import socket
socket.getaddrinfo("127.0.0.1", 80)'
	exactly "$(values host)" '' 'names that another library was asked for'
}
check 'gethostlatency: each look-up, its name' lookups

queues()
{
	tool netqtop -n lo 60 -- "${PY[@]}" "$TMP/udp.py"
	exactly "$(got '[.[] | select(.type == "stats" and .key.DEVICE == "lo") | [.dist, .count, .sum, .min, .max]]')" \
		'[[0,40,50480,1262,1262],[1,40,51040,1276,1276]]' 'packets and bytes, received and sent'
	tool netqtop -t -n lo 60 -- "${PY[@]}" "$TMP/udp.py"
	exactly "$(got '[.[] | select(.type == "table" and .key.DEVICE == "lo") | .columns |
		[.TX_PACKETS, .TX_BYTES, .TX_PPS > 40, (.TX_BPS / .TX_PPS | round), .RX_PACKETS, .RX_BYTES, (.RX_BPS / .RX_PPS | round)]]')" \
		'[[40,51040,true,1276,40,50480,1262]]' 'a second'
}
check 'netqtop: sizes of packets by device and queue' queues

again()
{
	local port n

	tool_beside tcpretrans // "${PY[@]}" "$TMP/syn.py"
	read -r port n <"$TMP/program"
	at_least "$n" 1 'segments that the kernel says it sent again'
	exactly "$(values rport ip laddr raddr state | grep "^$port " | sort | uniq -c | xargs)" \
		"$n $port 4 127.0.0.1 127.0.0.1 SYN_SENT" 'segments sent again'
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
	tool tcpconnect -s -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values lport | sort -u | grep -c '^[1-9][0-9]*$')" 4 'local ports'
}
check 'tcpconnect: each connection from here' connections

# An IPv4 address that is written as one of IPv6 passes two functions of the kernel.
chosen_connections()
{
	local option

	for option in '' -s; do
		tool tcpconnect $option --comm 'python*' -- "${PY[@]}" "$TMP/tcp.py"
		exactly "$(values dport | sort | uniq -c | xargs)" "4 $(head -n1 "$TMP/stdout")" "of a program${option:+, $option}"
		tool tcpconnect $option --comm another -- "${PY[@]}" "$TMP/tcp.py"
		exactly "$(values dport | wc -l)" 0 "of another program${option:+, $option}"
		tool tcpconnect $option -- "${PY[@]}" -c '
import socket
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
socket.socket(socket.AF_INET6).connect(("::ffff:127.0.0.1", server.getsockname()[1]))
print(server.getsockname()[1])'
		exactly "$(values dport | grep -cx "$(head -n1 "$TMP/stdout")")" 1 "to an address of IPv4 in IPv6${option:+, $option}"
	done
}
check 'tcpconnect: of one program, to a mapped address' chosen_connections

# listed TOOL OPTION COLUMN COUNT: of three connections, those to two ports have so many lines.
listed()
{
	cat >"$TMP/ports.py" <<'EOF2'
import socket
for port in 4251, 4252, 4253:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", port))
    server.listen(1)
    a = socket.create_connection(server.getsockname())
    b, _ = server.accept()
    a.close()
    assert b.recv(1) == b""
    b.close()
EOF2
	[ "$1" != tcpaccept ] || need_kernel_functions
	tool "$1" "$2" 4251,0x109d -- "${PY[@]}" "$TMP/ports.py"
	exactly "$(values "$3" | sed 's/.*://' | sort | uniq -c | xargs)" "$4 4251 $4 4253" 'connections by port'
}
check 'tcpconnect: a list of ports' listed tcpconnect -P dport 1
check 'tcpaccept: a list of ports' listed tcpaccept -P lport 1
check 'tcplife: a list of local ports' listed tcplife -L lport 1
check 'tcplife: a list of remote ports' listed tcplife -D rport 1
check 'tcpstates: a list of remote ports' listed tcpstates -D rport 5
check 'bindsnoop: a list of ports' listed bindsnoop -P port 1

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

# The server closes what the client opened: whichever closes first, each line has its own process.
owners()
{
	cat >"$TMP/owners.py" <<'EOF2'
import ctypes, os, socket, sys
def name(text): ctypes.CDLL(None).prctl(15, text, 0, 0, 0)
def end(s, is_first):
    if not is_first: assert s.recv(1) == b""
    s.close()
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
client = os.fork()
if client == 0:
    name(b"client")
    end(socket.create_connection(server.getsockname()), sys.argv[1] == "client")
    os._exit(0)
name(b"server")
end(server.accept()[0], sys.argv[1] == "server")
os.waitpid(client, 0)
print(server.getsockname()[1], os.getpid(), client)
EOF2
	local first port server client

	for first in client server; do
		tool tcplife -- "${PY[@]}" "$TMP/owners.py" "$first"
		read -r port server client <"$TMP/stdout"
		exactly "$(values pid comm lport | grep " $port\$")" "$server server $port" "the server's, closed by the $first"
		exactly "$(values pid comm rport | grep " $port\$")" "$client client $port" "the client's, closed by the $first"
	done
	tool tcplife --comm 'serv*' --uid root --cgroup "$(cgroup_root)$(sed -n s/^0:://p /proc/self/cgroup)" -- "${PY[@]}" "$TMP/owners.py" client
	exactly "$(values comm)" server 'those of a name, user and cgroup'
	tool tcplife --uid 65534,65533 -- "${PY[@]}" "$TMP/owners.py" client
	exactly "$(values comm)" '' 'those of another user'
	tool tcpconnlat --comm client --uid 0,65534 -- "${PY[@]}" "$TMP/owners.py" client
	exactly "$(values comm)" client 'opened by a name'
	tool tcpconnlat -p 1 -- "${PY[@]}" "$TMP/owners.py" client
	exactly "$(values comm)" '' 'opened by another process'
	tool_beside tcplife -p 1 // "${PY[@]}" "$TMP/owners.py" client
	exactly "$(values comm)" '' 'of another process'
}
check 'tcplife: the process at each end, and filters by it' owners

# csv TOOL COLUMNS N LINE: with -s so many of the lines below these names are LINE once numbers are N.
csv()
{
	"$BPERF" "$1" -sT -- "${PY[@]}" "$TMP/tcp.py" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	grep -qx "$2" "$TMP/stdout" || fail 'no names:' "$(cat "$TMP/stdout")"
	exactly "$(sed 's/0x[0-9a-f]*/P/; s/^..:..:../T/; s/,[0-9]*,python3/,N,python3/; s/\(127.0.0.1\),[0-9]*/\1,N/g; s/,[0-9]*[.][0-9]*$/,N/' "$TMP/stdout" |
		grep -cFx "$4")" "$3" "lines $4"
}
check 'tcplife: separated by commas' csv tcplife TIME,PID,COMM,IP,LADDR,LPORT,RADDR,RPORT,TX_KB,RX_KB,MS 4 \
	T,N,python3,4,127.0.0.1,N,127.0.0.1,N,10,20,N
check 'tcpstates: separated by commas' csv tcpstates \
	TIME,SKADDR,C-PID,C-COMM,IP,LADDR,LPORT,RADDR,RPORT,OLDSTATE,NEWSTATE,MS 4 \
	T,P,N,python3,4,127.0.0.1,N,127.0.0.1,N,SYN_SENT,ESTABLISHED,N

# wide TOOL: with -w the longest address of IPv6 fits into its column.
wide()
{
	"$BPERF" "$1" -w -- "${PY[@]}" "$TMP/tcp.py" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk '/LADDR/ { l = index($0, "LADDR"); p = index($0, "LPORT"); r = index($0, "RADDR"); q = index($0, "RPORT"); next }
		p && substr($0, l, 40) ~ /^127.0.0.1 +$/ && substr($0, p) ~ /^[0-9]/ && substr($0, r, 40) ~ /^127.0.0.1 +$/ &&
		substr($0, q) ~ /^[0-9]/ { n++ } END { print p - l, q - r, (n >= 4) }' "$TMP/stdout")" '40 40 1' 'columns of addresses'
}
check 'tcplife: wide columns' wide tcplife
check 'tcpstates: wide columns' wide tcpstates
check 'tcplife: each connection, its bytes' lives

states()
{
	local port

	tool_beside tcpstates // "${PY[@]}" "$TMP/tcp.py"
	port=$(head -n1 "$TMP/program")
	exactly "$(values rport oldstate newstate | grep "^$port SYN_SENT" | sort | uniq -c | xargs)" \
		"4 $port SYN_SENT ESTABLISHED" 'changes'
	exactly "$(values rport newstate ms_ns | grep -cx "$port SYN_SENT 0")" 4 'first changes of clients'
	exactly "$(values lport newstate ms_ns | grep -cx "$port SYN_RECV 0")" 4 'first changes of servers'
}
check 'tcpstates: each change of state' states

check 'tcplife: columns in order' headings tcplife '' 'PID COMM LADDR LPORT RADDR RPORT TX_KB RX_KB MS'
check 'tcplife: columns in order, wide' headings tcplife -w 'PID COMM IP LADDR LPORT RADDR RPORT TX_KB RX_KB MS'
check 'tcpstates: columns in order' headings tcpstates '' 'SKADDR C-PID C-COMM LADDR LPORT RADDR RPORT OLDSTATE NEWSTATE MS'
check 'tcpretrans: columns in order' headings tcpretrans -s 'TIME PID IP LADDR LPORT T RADDR RPORT STATE SEQ'
check 'solisten: columns in order' headings solisten '' 'PID COMM PROTO BACKLOG PORT ADDR RET FD'
check 'bindsnoop: columns in order' headings bindsnoop '' 'PID COMM PROT ADDR PORT OPTS IF'

listens()
{
	tool solisten -- "${PY[@]}" "$TMP/tcp.py"
	exactly "$(values backlog ret proto port addr)" "4 0 TCPv4 $(head -n1 "$TMP/stdout") 127.0.0.1" calls
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
	exactly "$(values addr port)" "127.0.0.1 $(cat "$TMP/stdout")" 'that succeeded'
	tool bindsnoop -E -- "${PY[@]}" -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
t = socket.socket()
try: t.bind(s.getsockname())
except OSError: pass'
	exactly "$(values ret | xargs)" '0 EADDRINUSE' 'all calls'
	"$BPERF" bindsnoop -x --show >"$TMP/out"
	"$BPERF" bindsnoop -E --show | same - "$TMP/out"
	cat >"$TMP/binds.py" <<'EOF2'
import socket
for i in range(3):
    s = socket.socket()
    s.bind(("127.0.0.1", 4242))
    if i < 2: s.close()
try: socket.socket().bind(("127.0.0.1", 4242))
except OSError: pass
EOF2
	"$BPERF" bindsnoop -E -w -- "${PY[@]}" "$TMP/binds.py" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk '$6 == 4242 { print $1, $5, $6, $7, $8 }' "$TMP/stdout" | sort | uniq -c | xargs)" \
		'3 0 127.0.0.1 4242 ..... 0 1 EADDRINUSE 127.0.0.1 4242 ..... 0' 'errors by name'
	tool bindsnoop --count -- "${PY[@]}" "$TMP/binds.py"
	exactly "$(got '[.[] | select(.type == "event" and (.text | test("127.0.0.1 +4242 "))) | .count]')" '[3]' 'binds of an address'
	tool bindsnoop -P 4242 -- "${PY[@]}" -c '
import socket
socket.socket().bind(("", 4243))
socket.socket(socket.AF_INET6).bind(("::1", 4242))
socket.socket().bind(("127.0.0.1", 4242))'
	exactly "$(values addr port | sort | xargs)" '127.0.0.1 4242 ::1 4242' 'those of one port'
	tool bindsnoop -- "${PY[@]}" -c '
import socket
u = socket.socket(type=socket.SOCK_DGRAM)
u.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
u.bind(("127.0.0.1", 0))
socket.socket().bind(("127.0.0.1", 0))'
	exactly "$(values prot if | xargs)" "UDP $(cat /sys/class/net/lo/ifindex) TCP 0" 'protocols, network interfaces'
}
check 'bindsnoop: each socket that is bound' binds

bind_options()
{
	tool bindsnoop -- "${PY[@]}" -c '
import socket
for level, option in (0, 15), (0, 19), (0, 24), (1, 2), (1, 15), (1, 9):
    s = socket.socket()
    s.setsockopt(level, option, 1)
    s.bind(("127.0.0.1", 0))
socket.socket(socket.AF_UNIX).bind("\0not of IP")'
	exactly "$(values freebind transparent bind_address_no_port reuseaddr reuseport | tr -d ' ' | xargs)" \
		'F.... .T... ..N.. ...R. ....r .....' 'options of each socket'
	"$BPERF" bindsnoop -- "${PY[@]}" -c '
import socket
s = socket.socket()
s.setsockopt(1, 2, 1)
s.bind(("127.0.0.1", 0))' >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk '$1 == "PID" || $4 == "127.0.0.1" { print $4, $6, $7 }' "$TMP/stdout" | xargs)" \
		'ADDR OPTS IF 127.0.0.1 ...R. 0' 'as one column'
}
check 'bindsnoop: options of the socket' bind_options

# Two ends in one process, with a cipher that needs no certificate.
secrets()
{
	cat >"$TMP/ssl.py" <<'EOF2'
import ctypes
c = ctypes.CDLL("libssl.so.3")
P = ctypes.c_void_p
b = ctypes.CDLL("libcrypto.so.3")
for f in (c.SSL_CTX_new, c.SSL_new, c.TLS_method): f.restype = P
ends = [P(), P()]
b.BIO_new_bio_pair(ctypes.byref(ends[0]), ctypes.c_size_t(0), ctypes.byref(ends[1]), ctypes.c_size_t(0))
ssl = []
for i in 0, 1:
    ctx = P(c.SSL_CTX_new(P(c.TLS_method())))
    c.SSL_CTX_ctrl(ctx, 124, ctypes.c_long(0x303), None)
    assert c.SSL_CTX_set_cipher_list(ctx, b"aNULL@SECLEVEL=0")
    s = P(c.SSL_new(ctx))
    c.SSL_set_bio(s, ends[i], ends[i])
    (c.SSL_set_accept_state if i else c.SSL_set_connect_state)(s)
    ssl.append(s)
for i in range(9):
    done = [c.SSL_do_handshake(s) for s in ssl]
assert done == [1, 1], done
text = ctypes.create_string_buffer(100)
for i in range(3):
    assert c.SSL_write(ssl[0], b"a secret", 8) == 8
    assert c.SSL_read(ssl[1], text, 100) == 8
done = ctypes.c_size_t()
assert c.SSL_write_ex(ssl[0], b"one more", ctypes.c_size_t(8), ctypes.byref(done)) == 1
assert c.SSL_read_ex(ssl[1], text, ctypes.c_size_t(100), ctypes.byref(done)) == 1
n = 0
while c.SSL_write(ssl[0], b"z" * 5000, 5000) == 5000: n += 1
print(n)
EOF2
	"${PY[@]}" "$TMP/ssl.py" 2>/dev/null || skip_because 'no libssl.so.3'
	local all='3 SSL_read 8 a secret 1 SSL_read_ex 8 one more 3 SSL_write 8 a secret 1 SSL_write_ex 8 one more'

	tool sslsniff -- "${PY[@]}" "$TMP/ssl.py"
	exactly "$(values func len data | grep -v ' 5000 ' | sort | uniq -c | xargs)" "$all" 'what was written and read'
	exactly "$(values data | grep -cE '^z{5000}$')" "$(cat "$TMP/stdout")" 'writes that were not refused, each whole'
	# Guests have none of these.
	if "$BPERF" list p:gnutls:gnutls_record_send >"$TMP/out" 2>/dev/null || "$BPERF" list p:nspr4:PR_Write >"$TMP/out" 2>/dev/null; then
		tool sslsniff --no-openssl -- "${PY[@]}" "$TMP/ssl.py"
		exactly "$(values func)" '' 'through other libraries'
	fi
	tool sslsniff --handshake -l -- "${PY[@]}" "$TMP/ssl.py"
	exactly "$(values func len data | grep -v ' 5000 ' | grep -v handshake | sort | uniq -c | xargs)" "$all" 'what passed'
	at_least "$(values func | grep -cx SSL_do_handshake)" 2 handshakes
	exactly "$(got '[.[] | select(.type == "event") | .args.lat_ns > 0 and .args.lat_ns < .ts * 1e9] | unique')" '[true]' 'how long it took'
}
check 'sslsniff: text that is written and read' secrets

others_secrets()
{
	cat >"$TMP/gnutls.py" <<'EOF2'
import ctypes, socket
g = ctypes.CDLL("libgnutls.so.30")
P = ctypes.c_void_p
ends = socket.socketpair()
sessions = []
for i, side in enumerate(("server", "client")):
    ends[i].setblocking(False)
    session, credentials = P(), P()
    assert g.gnutls_init(ctypes.byref(session), (1, 2)[i] | 8) == 0
    getattr(g, "gnutls_anon_allocate_%s_credentials" % side)(ctypes.byref(credentials))
    g.gnutls_credentials_set(session, 2, credentials)
    assert g.gnutls_priority_set_direct(session, b"NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+ANON-ECDH", None) == 0
    g.gnutls_transport_set_int2(session, ends[i].fileno(), ends[i].fileno())
    sessions.append(session)
for i in range(20):
    done = [g.gnutls_handshake(s) for s in sessions]
    if done == [0, 0]: break
assert done == [0, 0], done
text = ctypes.create_string_buffer(100)
for i in range(2):
    assert g.gnutls_record_send(sessions[1], b"another one", ctypes.c_size_t(11)) == 11
    assert g.gnutls_record_recv(sessions[0], text, ctypes.c_size_t(100)) == 11
EOF2
	cat >"$TMP/nspr.py" <<'EOF2'
import ctypes, os
n = ctypes.CDLL("libnspr4.so")
P = ctypes.c_void_p
n.PR_Init(0, 0, 0)
ends = (P * 2)()
r, w = P(), P()
assert n.PR_CreatePipe(ctypes.byref(r), ctypes.byref(w)) == 0
text = ctypes.create_string_buffer(100)
for i in range(4):
    assert n.PR_Write(w, b"by the way", 10) == 10
    assert n.PR_Read(r, text, 100) == 10
EOF2
	local gnutls='2 gnutls_record_recv another one 2 gnutls_record_send another one' nss='4 PR_Read by the way 4 PR_Write by the way'
	local both=(sh -c '"$@" "$0/gnutls.py"; "$@" "$0/nspr.py"' "$TMP" "${PY[@]}")

	"${PY[@]}" "$TMP/gnutls.py" 2>/dev/null || skip_because 'no libgnutls.so.30'
	"${PY[@]}" "$TMP/nspr.py" 2>/dev/null || skip_because 'no libnspr4.so'
	"$BPERF" list p:ssl:SSL_write >"$TMP/out" 2>/dev/null || skip_because 'no libssl'
	tool sslsniff -- "${both[@]}"
	exactly "$(values func data | sort | uniq -c | xargs)" "$nss $gnutls" 'what passed both'
	tool sslsniff -g -- "${both[@]}"
	exactly "$(values func data | sort | uniq -c | xargs)" "$nss" 'what passed NSS'
	tool sslsniff -n -l -- "${both[@]}"
	exactly "$(values func data | sort | uniq -c | xargs)" "$gnutls" 'what passed GnuTLS'
	exactly "$(got '[.[] | select(.type == "event") | .args.lat_ns > 0 and .args.lat_ns < .ts * 1e9] | unique')" '[true]' 'how long it took'
}
check 'sslsniff: text that passes GnuTLS and NSS' others_secrets

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
	exactly "$(got "[.[] | select(.type == \"table\" and .key.LPORT == \"$(head -n1 "$TMP/stdout")\") | .columns | [.TX_KB, .RX_KB]]")" \
		'[[20,10],[20,10],[20,10],[20,10]]' 'kilobytes of the server, which also peeks'
	"$BPERF" tcptop -S 60 -- "${PY[@]}" "$TMP/tcp.py" >"$TMP/stdout" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
	exactly "$(awk -v port="$(head -n1 "$TMP/stdout")" '$6 == port { print $7, $8 }' "$TMP/stdout" | uniq -c | xargs)" \
		'4 20 10' 'the rows'
	[ ! -s "$TMP/err" ] || fail 'more than the rows:' "$(cat "$TMP/err")"
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
	tool tcprtt -e -B -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.key.RADDR == "127.0.0.1" and (.type == "hist" or .type == "stats")) | .count] | length, (unique | length)')" \
		'2
1' 'a histogram and a summary of the same segments'
	exactly "$(got '(.[] | select(.type == "hist") | .buckets | [map(.lo * .n), map(.hi * .n)] | map(add)) as $bounds |
		.[] | select(.type == "stats") | .sum >= $bounds[0] and .sum <= $bounds[1]')" true 'their sum, between the bounds'
	tool tcprtt -4 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist") | .count >= 20]')" '[true]' 'segments of IPv4'
	tool tcprtt -6 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist" and .count > 0)] | length')" 0 'segments of IPv6'
	tool tcprtt -a 127.0.0.1 -A 127.0.0.1 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist") | .count >= 20]')" '[true]' 'segments between these addresses'
	tool tcprtt -a 127.0.0.2 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist" and .count > 0)] | length')" 0 'of another local address'
	tool tcprtt -A ::1 -- "${PY[@]}" "$TMP/rtt.py"
	exactly "$(got '[.[] | select(.type == "hist" and .count > 0)] | length')" 0 'of another remote address'
	if [ -e /proc/sys/net/ipv6 ]; then
		sed 's/socket.socket()/socket.socket(socket.AF_INET6)/; s/127.0.0.1/::1/; s/getsockname())$/getsockname()[:2])/' \
			"$TMP/rtt.py" >"$TMP/rtt6.py"
		tool tcprtt -a ::1 -A ::1 -- "${PY[@]}" "$TMP/rtt6.py"
		exactly "$(got '[.[] | select(.type == "hist") | .count >= 20]')" '[true]' 'segments between addresses of IPv6'
		tool tcprtt -a ::2 -- "${PY[@]}" "$TMP/rtt6.py"
		exactly "$(got '[.[] | select(.type == "hist" and .count > 0)] | length')" 0 'of another one of IPv6'
	fi
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
	tool_beside tcpdrop --netns-id "$(stat -Lc %i /proc/self/ns/net)" -s // "${PY[@]}" -c "$program"
	exactly "$(values dport | grep -c "^$(cat "$TMP/program")$")" 5 'segments in this network namespace'
	tool_beside tcpdrop --netns-id 1 -s // "${PY[@]}" -c "$program"
	exactly "$(values dport | wc -l)" 0 'segments in another one'
	tool_beside tcpdrop -6 -s // "${PY[@]}" -c "$program"
	exactly "$(values dport | grep -c "^$(cat "$TMP/program")$")" 0 'segments of IPv6'
}
check 'tcpdrop: each segment that is dropped, and why' drops

# Segments to a port without a socket; then data for a socket that was closed, which ends the connection.
# Before 6.11, the tracepoint does not have the socket that the segment was for.
drop_states()
{
	local state=CLOSE

	"$BPERF" list -v t:skb:kfree_skb | grep -q ' reason' || skip_because 'the kernel reports only some drops'
	"$BPERF" list -v t:skb:kfree_skb | grep -q ' rx_sk' || state=-
	tool_beside tcpdrop -s // "${PY[@]}" -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])
for i in range(2): socket.socket().connect_ex(s.getsockname())
s.listen(1)
for i in range(3):
    a = socket.create_connection(s.getsockname())
    b, _ = s.accept()
    b.close()
    a.send(b"x")'
	exactly "$(got '.[] | select(.type == "event") | .args | "\(.dport) \(.state) " + .fin + .syn + .rst + .psh + .ack + .urg + .ece + .cwr' |
		jq -r . | sed -n "s/^$(cat "$TMP/program") //p" | LC_ALL=C sort -k 2 | uniq -c | xargs)" "3 $state PSH|ACK 2 - SYN" 'states and flags'
}
check 'tcpdrop: the state of the socket, the flags of the segment' drop_states
