# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""One throw-away machine under QEMU: a kernel, an initramfs, a shell command and what it prints.

QEMU emulates (TCG), so that no virtualization is needed.  Standard output, standard error, the
kernel's console and a control channel have a serial port each: kernel messages never land in the
output.  The control channel says "start", then the command's exit status and the kernel's log.
Each of the three ends in a mark, and the guest waits to be ended, so that none of its output is lost.
"""
import contextlib
import ctypes
import os
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from cpio import Cpio
from debian import Failure, userland

HERE = os.path.dirname(os.path.abspath(__file__))
END = b"\0end\n"

# Messages that no healthy kernel logs; arm64 writes "Call trace" and "Internal error".
BAD = re.compile(r"WARNING:|BUG:|Oops|general protection|Kernel panic|lockup|INFO: task .* blocked"
                 r"|rcu.*(stall|starved)|KASAN|UBSAN|Call [Tt]race|Internal error:|refcount_t: ")

# When the kernel kills a process for its memory, as tests of oomkill make it do, its report begins with a
# stack.
OOM = re.compile(r"invoked oom-killer")
OOM_LINES = 8

# cmpxchg16b is removed: QEMU 7.2 leaves wrong flags after it, and Debian's 6.12 crashed in 23 of 132 boots.
# Without it, none did.  Without erms and fsrm the kernel clears and copies pages by words: each byte of a
# "rep movsb" costs as much as an instruction.
MACHINES = {
    "amd64": ("qemu-system-x86_64", "qemu-system-x86",
              ["-cpu", "max,-cx16,-erms,-fsrm"], "ttyS0", ["ttyS1", "ttyS2", "ttyS3"]),
    "arm64": ("qemu-system-aarch64", "qemu-system-arm",
              ["-machine", "virt,gic-version=3"],
              "ttyAMA0", ["ttyS0", "ttyS1", "ttyS2"]),
}

# These save a third of the emulation (78 -> 52 s of CPU time for 36 runs of bperf).  QEMU 7.2 translates code
# again at each new address (norandmaps: a quarter), cannot predict the returns of retpolines (mitigations:
# 10 %), and clears each page word by word (init_on_alloc: 5 %).  Ciphers are not tested here, and would take
# Linux 7 seconds.
QUICK = "norandmaps mitigations=off init_on_alloc=0 cryptomgr.notests"

# Which CPU of arm64 a kernel runs on: an old one, or one that signs return addresses (with an
# algorithm that is quick to emulate).
ARM64_CPUS = {"6.1": "cortex-a72", "newest": "max,pauth-impdef=on"}


def begin_child():
    """Called in a child, which has a session of its own: no guest keeps running when this program is
    killed.  The kernel shares CPUs out among sessions first (sched_autogroup), so idle priority
    alone takes nothing from a guest: its session needs a low one, too."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.sched_getscheduler(0) == os.SCHED_IDLE:
        with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as f:
            f.write("19")


def cpu_seconds():
    """CPU time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Result:
    """The result of a command: status is None if the guest ended before the command did."""

    def __init__(self):
        self.status = None
        self.is_started = self.is_late = False
        self.n_early_deaths = 0  # boots before this one that ended before the command began
        self.console = self.log = ""
        self.seconds = 0.0
        self.cpu_seconds = 0.0  # CPU time of the emulator: the cost for other users of this machine

    def complaints(self):
        """Lines of the kernel's log that no healthy kernel writes, with those around each."""
        lines = (self.log or self.console).splitlines()
        near = set()
        oom_until = 0
        for i, line in enumerate(lines):
            if OOM.search(line):
                oom_until = i + OOM_LINES
            if BAD.search(line) and not (i < oom_until and "Call " in line):
                near.update(range(max(0, i - 4), min(len(lines), i + 13)))
        return [lines[i] for i in sorted(near)]


class Machine:
    def __init__(self, kernel, cpus=1, memory_mb=1536, append="", modules=(), console=None):
        self.kernel = kernel
        self.cpus, self.memory_mb, self.append = cpus, memory_mb, append
        self.modules = modules
        self.console_file = console
        self.qemu, package, self.arguments, self.console, self.ports = MACHINES[kernel.arch]
        if kernel.arch == "arm64":
            self.arguments = self.arguments + ["-cpu", ARM64_CPUS.get(kernel.name, "max,pauth-impdef=on")]
        if not shutil.which(self.qemu):
            raise Failure("%s is missing: apt-get install %s" % (self.qemu, package))

    def clock(self):
        """With one CPU, time follows the guest's instructions: 4 ns for each (about as fast as
        QEMU is on a CPU of its own), and idle time is skipped.  However busy this machine is,
        the guest's clock does not run ahead of its CPU, and samples are where they should be.
        With more CPUs the clock is the real one."""
        return ["-icount", "shift=2,sleep=off"] if self.cpus == 1 else []

    def initramfs(self, path, command, add_files):
        with open(path, "wb") as f:
            with open(userland(self.kernel.arch), "rb") as programs:
                shutil.copyfileobj(programs, f, 1 << 20)
            c = Cpio(f)
            c.device("dev/console", 5, 1)
            c.device("dev/null", 1, 3)
            c.copy(HERE + "/init", "init")
            c.file("command", command.encode())
            modules = "usr/lib/modules/%s/" % self.kernel.release
            for file, data in self.kernel.modules(self.modules):
                c.file(modules + file, data)
            for name in ("modules.order", "modules.builtin"):
                c.copy("%s/modules/%s" % (self.kernel.folder, name), modules + name)
            add_files(c)
            c.end()

    def arguments_for(self, folder):
        ports = ["console"] + ["port%d" % i for i in range(3)]
        # The real-time clock is the host's, whatever the guest's own clock does (guest.sh reads it). The
        # guest's CPUs take turns in one thread.  With a thread for each, QEMU 7.2 goes wrong
        # where the kernel patches its code under others that execute it: eight CPUs of 6.1 that
        # did nothing but switch tracepoints on and off took exceptions for ever, after 25 and
        # 183 seconds.  In one thread they did not in 200, at 2.9 s a round and not 2.3.
        arguments = [self.qemu, "-rtc", "clock=host", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                     "-accel", "tcg,thread=single", *self.arguments, *self.clock(), "-smp", str(self.cpus),
                     "-m", str(self.memory_mb), "-device", "virtio-rng-pci",
                     "-kernel", self.kernel.image, "-initrd", folder + "/initramfs",
                     "-append", "console=%s quiet loglevel=4 log_buf_len=4M panic=-1 vm_ports=%s %s %s"
                     % (self.console, ",".join(self.ports), QUICK, self.append)]
        for name in ports:
            arguments += ["-chardev", "socket,id=%s,path=%s/%s" % (name, folder, name)]
        if self.kernel.arch == "arm64":
            arguments += ["-serial", "chardev:console"]
            for name in ports[1:]:
                arguments += ["-device", "pci-serial,chardev=" + name]
        else:
            for name in ports:
                arguments += ["-serial", "chardev:" + name]
        return arguments, ports

    def run(self, command, add_files, on_output, timeout, boots=3):
        """Boot and run the shell command; on_output(0 or 1, bytes) takes its stdout and stderr.
        A guest that dies before the command has begun is booted again."""
        for n in range(boots):
            result = self.boot(command, add_files, on_output, timeout)
            result.n_early_deaths = n
            if result.is_started or result.is_late:
                break
        return result

    def boot(self, command, add_files, on_output, timeout):
        with tempfile.TemporaryDirectory(prefix="bperf-vm-") as folder:
            self.initramfs(folder + "/initramfs", command, add_files)
            arguments, ports = self.arguments_for(folder)
            listeners = []
            for name in ports:
                s = socket.socket(socket.AF_UNIX)
                s.bind(folder + "/" + name)
                s.listen(1)
                listeners.append(s)
            used_before = cpu_seconds()
            with open(folder + "/qemu.log", "w+") as log:
                qemu = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                        start_new_session=True, preexec_fn=begin_child)
                try:
                    result = self.talk(qemu, listeners, on_output, timeout)
                finally:
                    qemu.kill()
                    qemu.wait()
                    for s in listeners:
                        s.close()
                result.cpu_seconds = cpu_seconds() - used_before
                log.seek(0)
                words = log.read().strip()
                if words and not result.is_started:
                    result.console += "\nqemu: " + words
            return result

    def talk(self, qemu, listeners, on_output, timeout):
        """Read the four ports until the guest has sent all, or has ended, or the time is up."""
        start = time.monotonic()
        result = Result()
        text = [bytearray() for _ in listeners]  # console, output, errors, control
        streams = {s: (i, True) for i, s in enumerate(listeners)}
        speaking = {1, 2, 3}
        while streams and speaking:
            left = start + timeout - time.monotonic()
            if left <= 0:
                result.is_late = True
                break
            is_over = qemu.poll() is not None  # asked first: its last output comes before its end
            ready = select.select(list(streams), [], [], min(left, 0.5))[0]
            if not ready and is_over:
                break
            for s in ready:
                i, is_listener = streams[s]
                if is_listener:
                    del streams[s]
                    streams[s.accept()[0]] = (i, False)
                    continue
                try:
                    data = s.recv(1 << 16)
                except ConnectionResetError:
                    data = b""
                if not data:
                    del streams[s]
                    s.close()
                    continue
                text[i] += data
                if text[i].endswith(END):
                    speaking.discard(i)
                if i in (1, 2):
                    self.pass_on(text[i], i - 1, on_output)
                elif i == 0 and self.console_file:
                    self.console_file.write(data.decode(errors="replace"))
                    self.console_file.flush()
        for s, (i, is_listener) in streams.items():
            if not is_listener:
                s.close()
        result.console = text[0].decode(errors="replace").replace("\r", "")
        self.read_control(bytes(text[3]), result)
        result.seconds = time.monotonic() - start
        return result

    @staticmethod
    def pass_on(text, stream, on_output):
        """Remove the bytes that can't be a part of the mark."""
        n = len(text)
        for at in range(max(0, n - len(END)), n):
            if END.startswith(text[at:]):
                n = at
                break
        if n:
            on_output(stream, bytes(text[:n]))
            del text[:n]

    @staticmethod
    def read_control(text, result):
        result.is_started = text.startswith(b"start\n")
        if text.endswith(END):
            status, _, log = text[len(b"start\n"):-len(END)].partition(b"\n")
            result.status = int(status)
            result.log = log.decode(errors="replace")
