# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""No load or tool outlives its benchmark, even if that is killed: it would disturb every later
measurement.

guard() forks twice.  The first process only waits: it is the one that a shell or timeout(1) knows.  The
second is the guard: whatever the third, which measures, has started stays among its descendants, and is
killed when the third has ended.  Each gets a signal when its parent dies.  Loads are left only if the guard
itself is killed by SIGKILL."""
import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ENDS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
PATIENCE = 60  # seconds for the benchmark to give back what it has borrowed


def prctl(option, value):
    ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def family(pid):
    """A process, its children and theirs, by /proc."""
    parents, found = {}, {pid}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry, encoding="ascii", errors="replace") as f:
                parents[int(entry)] = int(f.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            pass
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found
        found |= more


def fork():
    """The child gets SIGTERM when its parent dies.  It is forked while the signals in ENDS are blocked."""
    parent, pid = os.getpid(), os.fork()
    if not pid:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)
    return pid


def on_end(action):
    for s in ENDS:
        signal.signal(s, action)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)


def send(pid, sig):
    try:
        os.kill(pid, sig)
    except ProcessLookupError:
        pass


def status_of(pid):
    """Wait for it, and for all others that end before it."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def end_all():
    while True:
        for pid in family(os.getpid()) - {os.getpid()}:
            send(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def keep_guard():
    """Returns in the process that measures."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    pid = fork()
    if not pid:
        return
    os.setsid()  # a signal to the benchmark's group is not meant for the guard

    def let_go(*_):
        send(pid, signal.SIGTERM)
        signal.alarm(PATIENCE)

    signal.signal(signal.SIGALRM, lambda *_: send(pid, signal.SIGKILL))
    on_end(let_go)
    status = status_of(pid)
    signal.alarm(0)
    end_all()
    os._exit(status)


def leave(*_):
    """What `with` and `finally` give back is given back, without being interrupted."""
    for s in ENDS:
        signal.signal(s, signal.SIG_IGN)
    sys.exit(1)


def guard():
    """Call it once, before anything is started."""
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    pid = fork()
    if pid:
        on_end(lambda *_: send(pid, signal.SIGTERM))
        os._exit(status_of(pid))
    keep_guard()
    on_end(leave)
