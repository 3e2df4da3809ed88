# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Ordinary programs under load, for tests/bench/stacks.py: what each needs, and how it is kept busy."""
import glob
import os
import pwd
import shlex
import signal
import subprocess
import time

from common import QUIET, WORK, family, which

HERE = os.path.dirname(os.path.abspath(__file__))

PYTHON = """
import json, re, threading, time
def deep(n): return deep(n - 1) + 1 if n else sum(len(json.dumps({str(i): [i] * 5})) for i in range(50))
def work():
    while True:
        deep(30)
        sorted(range(2000), key=lambda i: (i * 7919) % 1000)
        re.sub(r'(a|b)+c', lambda m: m[0].upper(), 'abababac ' * 200)
        time.sleep(0.0005)
threading.Thread(target=work, daemon=True).start()
work()
"""
PERL = """
sub deep { my $n = shift; return $n ? deep($n - 1) + 1 : length(join ',', map { $_ * 2 } 1..200) }
while (1) { deep(30); my @s = sort { ($a * 7919) % 1000 <=> ($b * 7919) % 1000 } 1..2000;
            my $t = 'abababac ' x 200; $t =~ s/((?:a|b)+c)/uc $1/ge; select(undef, undef, undef, 0.0005) }
"""
NODE = """
const zlib = require('zlib'), text = JSON.stringify(Array.from({length: 3000}, (_, i) => ({i, s: 'x' + i})));
function deep(n) { return n ? deep(n - 1) + 1 : JSON.parse(text).length; }
function work() {
  deep(30);
  Array.from({length: 5000}, (_, i) => (i * 7919) % 1000).sort((a, b) => a - b);
  'abababac '.repeat(200).replace(/(?:a|b)+c/g, (m) => m.toUpperCase());
  zlib.deflate(text, () => setTimeout(work, 1));
}
work(); work();
"""
NGINX = """
worker_processes 2; daemon off; pid %(dir)s/nginx.pid; error_log /dev/null;
events { worker_connections 256; }
http { access_log %(dir)s/access.log; client_body_temp_path %(dir)s/body; gzip on; gzip_types text/html text/plain;
       server { listen 127.0.0.1:%(port)d; root %(dir)s; } }
"""


def c_source(path, functions):
    with open(path, "w", encoding="ascii") as f:
        f.write("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
        for i in range(functions):
            f.write("int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) s += a[i] * (i ^ %d) + "
                    "(s >> %d); switch (s & 7) { case 0: s += 1; break; case 3: s ^= n; break; case 5: "
                    "s *= 7; } return s; }\n" % (i, i, i * 7, i % 13))
    return path


def text_file(path, megabytes):
    """Words of a few random letters: neither sort nor gzip is done at once."""
    with open(path, "wb") as f:
        for _ in range(megabytes):
            f.write(os.urandom(400000).hex().encode().replace(b"7", b"\n").replace(b"3", b" "))
    return path


class Load:
    """One program.  `argv` is started, or `argv` again and again, and `client` beside it; `comms` are
    the names of the threads that count."""

    def __init__(self, name, needs, comms, argv, client=None, again=False, user=None, prepare=None):
        self.name, self.needs, self.comms = name, needs, comms
        self.argv, self.client, self.again, self.user, self.prepare = argv, client, again, user, prepare
        self.dir, self.started = None, []

    def missing(self):
        return [n for n in self.needs if not (os.access(n, os.X_OK) if "/" in n else which(n))]

    def __call__(self, tmp):
        self.dir = os.path.join(tmp, self.name.replace(" ", "-").replace("+", "p"))
        if not os.path.isdir(self.dir):
            os.mkdir(self.dir)
            if self.user:
                os.chmod(tmp, 0o755)
                os.chown(self.dir, pwd.getpwnam(self.user).pw_uid, -1)
            if self.prepare:
                self.prepare(self)
        return self

    def run(self, argv, **more):
        """As the load's user."""
        argv = [which("runuser"), "-u", self.user, "--"] + argv if self.user else argv
        env = dict(os.environ, TMPDIR=self.dir, LC_ALL="C.UTF-8")
        return subprocess.Popen(argv, cwd=self.dir, start_new_session=True, env=env, **dict(QUIET, **more))

    def __enter__(self):
        argv = self.argv(self)
        if self.again:
            argv = ["sh", "-c", "while :; do %s >/dev/null; done" % shlex.join(argv)]
        self.started = [self.run(argv)]
        if self.client:
            time.sleep(1.5)
            self.started.append(self.run(self.client(self)))
        time.sleep(1)
        return self

    def __exit__(self, *_):
        for p in reversed(self.started):
            for pid in sorted(family(p.pid), reverse=True):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            p.wait()

    def ended(self):
        return any(p.poll() is not None for p in self.started)

    def root(self):
        return self.started[0].pid


def postgres(name):
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/" + name))
    return found[-1] if found else which(name) or name


def prepare_postgres(load):
    data = os.path.join(load.dir, "data")
    load.run([postgres("initdb"), "-D", data, "-A", "trust"]).wait()
    server = load.run([postgres("postgres"), "-D", data, "-k", load.dir, "-c", "listen_addresses="])
    for _ in range(50):
        time.sleep(0.2)
        if not load.run([postgres("pgbench"), "-i", "-q", "-h", load.dir, "postgres"]).wait():
            break
    with open(os.path.join(data, "postmaster.pid"), encoding="ascii") as f:
        os.kill(int(f.readline()), signal.SIGINT)
    server.wait()


def prepare_nginx(load):
    with open(os.path.join(load.dir, "nginx.conf"), "w", encoding="ascii") as f:
        f.write(NGINX % {"dir": load.dir, "port": 18973})
    text_file(os.path.join(load.dir, "index.html"), 1)
    os.truncate(os.path.join(load.dir, "index.html"), 40000)
    os.chmod(load.dir, 0o755)
    os.chmod(os.path.dirname(load.dir), 0o755)


def built(compiler, source, *options):
    def prepare(load):
        subprocess.run([which(compiler), *options, "-o", os.path.join(load.dir, "program"),
                        os.path.join(HERE, source)], check=True, **QUIET)
    return prepare



def all_loads():
    def program(load):
        return [os.path.join(load.dir, "program")]

    def source(n):
        return lambda load: c_source(os.path.join(load.dir, "some.c"), n)

    def text(n):
        return lambda load: text_file(os.path.join(load.dir, "text"), n)

    def sock(load):
        return os.path.join(load.dir, "redis.sock")

    return [
        Load("redis-server", ["redis-server", "redis-benchmark"], ["redis-server"],
             lambda l: [which("redis-server"), "--port", "0", "--unixsocket", sock(l), "--save", "",
                        "--dir", l.dir],
             lambda l: [which("redis-benchmark"), "-s", sock(l), "-l", "-q", "-c", "20", "-n", "20000", "-t",
                        "set,get,incr,lpush,sadd,zadd,lrange_100,mset"]),
        Load("nginx", ["nginx", "wrk"], ["nginx"],
             lambda l: [which("nginx"), "-c", os.path.join(l.dir, "nginx.conf"), "-p", l.dir],
             lambda l: [which("wrk"), "-c", "20", "-t", "1", "-d", "3600", "-H", "Accept-Encoding: gzip",
                        "http://127.0.0.1:18973/index.html"], prepare=prepare_nginx),
        Load("postgres", [postgres("postgres"), postgres("pgbench"), "runuser"], ["postgres"],
             lambda l: [postgres("postgres"), "-D", os.path.join(l.dir, "data"), "-k", l.dir, "-c",
                        "listen_addresses="],
             lambda l: [postgres("pgbench"), "-h", l.dir, "-c", "4", "-T", "3600", "postgres"],
             user="postgres", prepare=prepare_postgres),
        Load("python3", ["/usr/bin/python3"], ["python3"], lambda l: ["/usr/bin/python3", "-c", PYTHON]),
        Load("perl", ["perl"], ["perl"], lambda l: [which("perl"), "-e", PERL]),
        Load("cc1", ["gcc"], ["cc1"], lambda l: [which("gcc"), "-O2", "-c", "-o", "some.o", "some.c"],
             again=True, prepare=source(300)),
        Load("clang", ["clang"], ["clang"], lambda l: [which("clang"), "-O2", "-c", "-o", "some.o", "some.c"],
             again=True, prepare=source(600)),
        Load("sort", ["sort"], ["sort"], lambda l: [which("sort"), "text"], again=True, prepare=text(8)),
        Load("gzip", ["gzip"], ["gzip"], lambda l: [which("gzip"), "-c", "text"], again=True, prepare=text(8)),
        Load("tar", ["tar"], ["tar"],
             lambda l: ["sh", "-c", "tar cf - /usr/include /usr/share/doc /usr/lib/python3 | cat"], again=True),
        Load("node", ["node"], ["node", "MainThread", "libuv-worker", "V8Worker", "DelayedTaskSche"],
             lambda l: [which("node"), "-e", NODE]),
        Load("C++ exceptions", ["g++"], ["program"], program,
             prepare=built("g++", "throwing.cpp", "-O2", "-pthread")),
        Load("Rust", ["rustc"], ["program"], program, prepare=built("rustc", "collections.rs")),
        Load("swarm 50 ms", [os.path.join(WORK, "swarm")], ["swarm-child"],
             lambda l: [os.path.join(WORK, "swarm"), "100", "50", "exec", "2"], again=True),
    ]
