#!/usr/bin/python3
"""record --wall of a program that makes waits of all kinds in random order, and logs each: every reading has the label and the
function of the wait in which it was taken, and the lengths of waits and the times of threads are those of the log.

    TRIALS=20 tests/system/test_planted_waits.py WPERF BUILD      more runs, each with another seed
"""
import collections
import json
import os
from typing import NamedTuple

import harness
from harness import Context, check

TRIALS = int(os.environ.get("TRIALS", "2"))
THREADS, WAITS_EACH = 8, 125
MOST_UNKNOWN = 0.02
CALLS = {
    "clock_nanosleep": ("nanosleep",), "poll": ("poll_of_none", "own_pipe"), "ppoll": ("poll_of_none", "own_pipe"),
    "select": ("select_of_none",), "pselect6": ("select_of_none",), "read": ("timer", "pipe", "socket_read", "terminal", "event"),
    "write": ("full_pipe",), "recvfrom": ("socket",), "futex": ("mutex", "condition", "semaphore", "rwlock", "barrier", "thread"),
    "semtimedop": ("system_v",), "semop": ("system_v",), "flock": ("file_lock",), "wait4": ("child",), "rt_sigtimedwait": ("signal",),
    "msgrcv": ("message",), "epoll_wait": ("epoll",), "epoll_pwait": ("epoll",), "accept": ("connection",), "page fault": ("fault",),
}
NOT_WAITS = ("[runnable]", "[on-cpu]", "[wperf]", "[no stack]")


class Planted(NamedTuple):
    kind: str
    function: str
    begin_ms: float  # since 1970
    end_ms: float


class Reading(NamedTuple):
    time_ms: float
    frames: list[str]  # innermost first; the label is the first one


def log_of(text: str) -> dict[int, list[Planted]]:
    found: dict[int, list[Planted]] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 5 and words[2].startswith("wait_"):
            found.setdefault(int(words[0]), []).append(Planted(words[1], words[2], int(words[3]) / 1e6, int(words[4]) / 1e6))
    return found


def names_of(shared: dict, stack: int | None) -> list[str]:
    names = []
    while stack is not None:
        frame = shared["stackTable"]["frame"][stack]
        names.append(shared["stringArray"][shared["funcTable"]["name"][shared["frameTable"]["func"][frame]]])
        stack = shared["stackTable"]["prefix"][stack]
    return names


def readings_of(profile: dict) -> dict[int, list[Reading]]:
    """Firefox' profile has each reading as a sample, with its time, its stack and its label as the innermost frame."""
    found: dict[int, list[Reading]] = {}
    for thread in profile["threads"]:
        samples = thread["samples"]
        for at, stack in zip(samples["time"], samples["stack"]):
            frames = names_of(profile["shared"], stack)
            if frames and frames[0].startswith("[") and frames[0] not in NOT_WAITS:
                found.setdefault(int(thread["tid"]), []).append(Reading(profile["meta"]["startTime"] + at, frames))
    return found


def judge(planted: dict[int, list[Planted]], readings: dict[int, list[Reading]]) -> collections.Counter:
    """A reading outside of all planted waits is of another one, as of a lock of the C library."""
    counts: collections.Counter = collections.Counter()
    for tid, waits in planted.items():
        for reading in readings.get(tid, []):
            wait = next((wait for wait in waits if wait.begin_ms <= reading.time_ms <= wait.end_ms), None)
            label = reading.frames[0].strip("[]")
            counts["outside" if wait is None else "read"] += 1
            if wait is None:
                continue
            counts["unknown"] += label == "unknown"
            check(label in (wait.kind, "unknown"), f"thread {tid}: {reading}, but the wait is {wait}")
            others = [name for name in reading.frames if name.startswith("wait_") and name != wait.function]
            check(not others, f"thread {tid}: {reading}, but the wait is {wait}")
    return counts


def check_times(t: Context, path: str, planted: dict[int, list[Planted]]) -> None:
    """A wait that nobody reads has its time, too. Only what the thread waits for outside of planted waits is more."""
    for tid, waits in planted.items():
        wall = harness.document_of(t.good("report", "--json", "--idle", "-i", path, "--tid", str(tid)))["wall"]["seconds"]
        shown = sum(seconds for state, seconds in wall.items() if state not in ("on-cpu", "runnable", "wperf"))
        logged = sum(wait.end_ms - wait.begin_ms for wait in waits) / 1e3
        ready = wall.get("runnable", 0)
        check(logged - ready - 0.05 - 0.02 * logged < shown < logged + 0.1 * logged + 0.3, f"thread {tid} waited {logged} s, and {wall} is shown")


def check_lengths(t: Context, path: str, planted: dict[int, list[Planted]]) -> collections.Counter:
    """The longest wait that was read in each call of a thread is one of those that the log has of such calls, and most often as long
    as the log says: less if the thread lost its CPU between the clock and the call."""
    rows = harness.document_of(t.good("report", "--json", "--idle", "--sort", "syscall", "-i", path))["syscalls"]["rows"]
    ours = [row for row in rows if row["tid"] in planted and row["longest_seconds"] > 0.01]
    as_long = 0
    for row in ours:
        functions = [f"wait_{name}" for name in CALLS.get(row["call"], ())]
        lengths = [wait.end_ms - wait.begin_ms for wait in planted[row["tid"]] if wait.function in functions]
        longest = row["longest_seconds"] * 1e3
        check(bool(lengths) and longest < max(lengths) + 1, f"{row}: the log has {lengths}")
        as_long += any(-0.1 < length - longest < 2 for length in lengths)
    check(as_long >= 0.9 * len(ours), f"only {as_long} of {len(ours)} waits are as long as the log says")
    return collections.Counter({"lengths": len(ours), "as logged": as_long})


def one_run(t: Context, seed: int) -> collections.Counter:
    path, out = t.path(f"{seed}.data"), t.path(f"{seed}.firefox.json")
    done = t.ours("record", "--wall", "--session", path, "--", t.program("planted_waits"), str(seed), str(THREADS), str(WAITS_EACH))
    check(done.status == 0, "record", done)
    planted = log_of(done.out + done.err)
    check(sum(map(len, planted.values())) >= THREADS * WAITS_EACH * 0.9, "the program's log", done)
    t.ours("export", "-i", path, "--idle", "-o", out)
    with open(out, encoding="utf-8") as file:
        counts = judge(planted, readings_of(json.load(file)))
    check_times(t, path, planted)
    return counts + check_lengths(t, path, planted)


def test_labels(t: Context) -> None:
    """How many of the waits are read depends on the load, and on how fast wperf is."""
    counts: collections.Counter = collections.Counter()
    for seed in range(1, TRIALS + 1):
        counts += one_run(t, seed)
    print(f"# of {TRIALS * THREADS * WAITS_EACH} planted waits: {dict(counts)}")
    check(counts["read"] >= 20 * TRIALS, f"readings: {counts}")
    check(counts["unknown"] <= MOST_UNKNOWN * counts["read"] + 1, f"unknown kinds: {counts}")


if __name__ == "__main__":
    harness.main(__name__)
