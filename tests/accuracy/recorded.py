#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compare a report of offcpu or wakeup, by thread, with what a recorder of scheduler events saw.

    recorded.py states|split|blocked EVENTS REPORT.json

EVENTS is what tests/workloads/recorder prints.  states: `offcpu --states --threads`; split: `offcpu
--split --by tid -m 0`; blocked: `wakeup --by tid -m 0`.  Prints each thread whose times differ by more
than 1 % and 1 ms; then how many threads were compared, how many differ, how many rows are unseen in
part, of how many threads the recorder itself has missed something, and the report's losses: one
"NAME N" per line."""
import collections
import json
import sys

PREEMPTED, DEAD = 0x100, 0x30  # TASK_REPORT_MAX; EXIT_DEAD and EXIT_ZOMBIE (include/linux/sched.h)
RUN, READY, BLOCKED = range(3)
WORDS = ["running", "waiting for a CPU", "blocked"]
READY_STATES = ["preempted", "waiting", "throttled"]
RUN_STATES = ["user", "system"]
PARTS = {"[blocked]": BLOCKED, "[waiting for CPU]": READY, "[preempted]": READY, "[throttled]": READY}


class Thread:
    """A thread's state, the time since which it is in it, and the sums within the window."""

    def __init__(self, window):
        self.window = window
        self.state = self.since = None
        self.ns = [0, 0, 0]
        self.is_woken_early = False  # since it was switched in
        self.has_missed = False  # it was asleep and ran, and nobody woke it

    def enter(self, time, state, before=None):
        """From `time` it is in `state`; before the first event it was in `before`."""
        begin, end = self.window
        was, since = (before, begin) if self.since is None else (self.state, self.since)
        if was is not None:
            self.ns[was] += max(0, min(time, end) - max(since, begin))
        self.state, self.since = state, time

    def leaves(self, time, state):
        if state == PREEMPTED or state == 0:
            self.enter(time, READY, RUN)
        elif state & DEAD:
            self.enter(time, None, RUN)
        else:
            self.enter(time, BLOCKED, RUN)

    def is_woken(self, time):
        self.is_woken_early |= self.state == RUN
        if self.state == BLOCKED or self.since is None:
            self.enter(time, READY, BLOCKED)

    def comes(self, time):
        # Woken while it went to sleep, or (before 6.16) not asleep because of a signal.
        if self.state == BLOCKED:
            self.has_missed |= not self.is_woken_early
            self.state = READY
        self.is_woken_early = False
        self.enter(time, RUN, READY)


def read_events(path):
    events = []
    with open(path, encoding="ascii") as f:
        for line in f:
            word, *numbers = line.split()
            if word == "lost" and numbers[0] != "0":
                sys.exit("the recorder lost %s events" % numbers[0])
            if word in ("switch", "waking", "new", "exec"):
                events.append((int(numbers[0]), word, *map(int, numbers[1:])))
    return sorted(events)


def replay(events, window):
    """The threads' times in the window, without threads that took over an id in exec, and without those
    that were first seen when they ran after the window: their birth may be hidden.

    Some hosts hide switches of their own tasks from all tracers: on a CPU, the thread that leaves is not
    the one that came last.  The times of both, and of threads that ran without a wake-up, are then not
    known: these threads are the second result."""
    threads = collections.defaultdict(lambda: Thread(window))
    left_out = {0}
    running = {}
    missed = set()
    for time, word, cpu, *args in events:
        if word == "switch":
            if running.get(cpu, args[0]) != args[0]:
                missed |= {args[0], running[cpu]}
            running[cpu] = args[2]
            threads[args[0]].leaves(time, args[1])
            if threads[args[2]].since is None and time > window[1]:
                left_out.add(args[2])
            threads[args[2]].comes(time)
        elif word == "waking":
            threads[args[0]].is_woken(time)
        elif word == "new":
            threads[args[0]].state, threads[args[0]].since = READY, time
        elif args[0] != args[1]:
            left_out.update(args)
    for t in threads.values():
        if t.since is not None:
            t.enter(max(window[1], t.since), t.state)
    if missed:
        missed |= {tid for tid, t in threads.items() if t.has_missed}
    return {tid: t.ns for tid, t in threads.items() if tid not in left_out}, missed


def read_report(path, what):
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    interval = next(r for r in rows if r["type"] == "interval")
    start = int(rows[0]["clock"]["monotonic_ns"])
    window = tuple(start + round(interval[k] * 1e9) for k in ("start", "end"))
    sums = collections.defaultdict(lambda: [0, 0, 0])
    unseen = set()
    for r in rows:
        if r["type"] == "state":
            for name, us in r["states"].items():
                kind = RUN if name in RUN_STATES else READY if name in READY_STATES else BLOCKED
                if name == "unseen":
                    unseen |= {r["tid"]} if us else set()
                else:
                    sums[r["tid"]][kind] += us * 1000
        elif r["type"] == "stack":
            leaf = (r.get("kernel") or r.get("user") or [{"func": ""}])[0].get("func")
            kind = BLOCKED if what == "blocked" else PARTS.get(leaf)
            if kind is None:
                sys.exit("a row without its part: %s" % r)
            sums[r["tid"]][kind] += r["value"] * 1000
    return window, sums, unseen, {k: v for k, v in rows[-1]["lost"].items() if v}


def differs(a, b):
    return abs(a - b) > max(a, b) / 100 + 1e6


def main():
    what, events, report = sys.argv[1:]
    window, sums, unseen, lost = read_report(report, what)
    kinds = {"states": (RUN, READY, BLOCKED), "split": (READY, BLOCKED), "blocked": (BLOCKED,)}[what]
    truth, missed = replay(read_events(events), window)
    missed &= set(truth)
    n_wrong = 0
    for tid in sorted(set(truth) - missed):
        wrong = [k for k in kinds if differs(truth[tid][k], sums[tid][k])]
        n_wrong += bool(wrong) and tid not in unseen
        for k in wrong:
            print("thread %d: %.3f ms %s, recorded %.3f%s" %
                  (tid, sums[tid][k] / 1e6, WORDS[k], truth[tid][k] / 1e6,
                   " (unseen)" if tid in unseen else ""))
    print("compared %d\ndiffer %d\nunseen %d\nnot_recorded %d" %
          (len(truth) - len(missed), n_wrong, len(unseen), len(missed)))
    for name, n in sorted(lost.items()):
        print(name, n)


if __name__ == "__main__":
    main()
