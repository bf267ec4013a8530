#!/usr/bin/python3
"""Interrupted system calls: a program's waits end as without a recorder, and last as long.

With TRIALS=N, N runs with and without a recorder are compared, by each engine, also how long each wait lasts.
"""
import collections
import os
import re
import statistics
import subprocess
import time
from typing import Any, Callable

import guardian
import harness
from guardian import WAITING
from harness import Context, check
from test_stop_harmless import BURN, PYTHON, need_engine, outcome, recorded, script

GROUPS = 8  # the waits sleep, so several programs run side by side
LINE = re.compile(r"(.*): (.*); ([\d.]+) ms")


def run_waits(t: Context, prefix: list[str], beside: Callable[[list[subprocess.Popen]], None] = lambda _: None,
              **options: Any) -> dict[str, tuple[str, float]]:
    """How each wait ended, and how many ms it lasted; `beside` runs with the programs."""
    folder = t.path("waits")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o777)
    started = []
    for group in range(GROUPS):
        before = [*prefix[:-1], "--session", t.path(f"{group}.data"), "--"] if prefix else []
        with open(t.path(f"{group}.txt"), "w", encoding="utf-8") as output:
            started.append(t.start(*before, t.program("waits"), folder, str(group), str(GROUPS), stdout=output, **options))
    beside(started)
    rows = {}
    for group, process in enumerate(started):
        status = process.wait(harness.WAIT_SECONDS)
        with open(t.path(f"{group}.txt"), encoding="utf-8") as lines:
            text = lines.read()
        check(status == 0, f"group {group} ends with {status}: {text[-300:]}")
        rows.update({row: (end, float(ms)) for row, end, ms in LINE.findall(text)})
    return rows


def differing(bare: list[dict], ours: list[dict]) -> list[str]:
    """Waits that never ended as one of the bare ones did."""
    bad = []
    for row in bare[0]:
        wanted = {run[row][0] for run in bare}
        if not any(run[row][0] in wanted for run in ours):
            bad.append(f"{row}: {sorted(wanted)}, with a recorder {sorted({run[row][0] for run in ours})}")
    return bad


@harness.limit(240)
def test_waits_end_as_without_a_recorder(t: Context) -> None:
    need_engine(t)
    bare, ours = [run_waits(t, [])], [run_waits(t, recorded(t))]
    check(len(bare[0]) > 160 and bare[0].keys() == ours[0].keys(), f"{len(bare[0])} and {len(ours[0])} waits")
    ends = collections.Counter(end.split(",")[0] for end, _ in bare[0].values())
    check(ends["-1 EINTR"] > 60 and ends["0 0"] > 20, f"the waits end in many ways: {ends}")
    while differing(bare, ours) and len(bare) < 3:  # a busy machine may mix up what happens when
        bare.append(run_waits(t, []))
        ours.append(run_waits(t, recorded(t)))
    bad = differing(bare, ours)
    check(not bad, "\n".join(bad))


def read_stacks(t: Context, **options: Any) -> Callable[[list[subprocess.Popen]], None]:
    """Reads the programs as long as one of them runs."""
    def read(programs: list[subprocess.Popen]) -> None:
        n = 0
        while any(program.poll() is None for program in programs):
            pids = [str(program.pid) for program in programs if program.poll() is None]
            n += bool(pids) and t.ours("stack", "--repeat", "20", "--interval", "10ms", *pids, **options).status == 0
        check(n > 0, "read while the programs ran")
        harness.note(f"{n} times 20 readings")

    return read


@harness.limit(240)
def test_waits_end_as_without_stacks_read(t: Context) -> None:
    """stack stops no thread that waits, and begins anew what a running thread has begun."""
    users = [{}, {"user": 65534}] if os.geteuid() == 0 else [{}]
    for user in users:
        bare, ours = [run_waits(t, [], **user)], [run_waits(t, [], read_stacks(t, **user), **user)]
        check(len(bare[0]) > 160 and bare[0].keys() == ours[0].keys(), f"{len(bare[0])} and {len(ours[0])} waits")
        while differing(bare, ours) and len(bare) < 3:
            bare.append(run_waits(t, [], **user))
            ours.append(run_waits(t, [], read_stacks(t, **user), **user))
        bad = differing(bare, ours)
        check(not bad, f"{user}: " + "\n".join(bad))


def durations_differ(bare: list[dict], ours: list[dict]) -> list[str]:
    """Waits whose median is longer than the longest of the bare ones. What a deadline ends may be shorter: the kernel's timers of
    sockets are coarse."""
    bad = []
    for row in bare[0]:
        times, median = [run[row][1] for run in bare], statistics.median(run[row][1] for run in ours)
        if median > max(times):
            bad.append(f"{row}: {median:.2f} ms, without a recorder {min(times):.2f} to {max(times):.2f}")
    return bad


def the_record_of_waits(t: Context) -> None:
    """By each engine; what lasts longer is noted: a busy machine delays it."""
    trials = int(os.environ["TRIALS"])
    for engine in "stop", "ring":
        prefix = [t.wperf, "record", "-q", "-g", "--engine", engine, "--"]
        runs = [(run_waits(t, []), run_waits(t, prefix)) for _ in range(trials)]
        bare, ours = [pair[0] for pair in runs], [pair[1] for pair in runs]
        late = durations_differ(bare, ours)
        harness.note(f"{engine}: {len(bare[0])} waits, {trials} runs; longer than all bare runs: {len(late)}")
        for line in late:
            harness.note(line)
        bad = differing(bare, ours)
        check(not bad, f"{engine}\n" + "\n".join(bad))


if "TRIALS" in os.environ:
    test_the_record_of_waits = harness.limit(3600)(the_record_of_waits)


# Children end while it waits.
PATIENT = BURN + """
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
event = ctypes.create_string_buffer(64)
fd = libc.epoll_create1(0)
step, n = float(sys.argv[1]), int(sys.argv[2])
burn(0.05)
for i in range(n):
    if not os.fork():
        time.sleep(step * (i + 1))
        os.kill(os.getppid(), signal.SIGWINCH)
        os._exit(0)
begin = time.monotonic()
result = libc.epoll_wait(fd, event, 1, 600), ctypes.get_errno()
print(*result, time.monotonic() - begin)
"""


def test_a_wait_that_is_often_woken_keeps_its_time(t: Context) -> None:
    need_engine(t)
    path = script(t, "patient.py", PATIENT)
    for step, n in ((0.1, 12), (0.003, 200)):
        for _ in range(3):  # a busy machine takes its time; one that begins anew takes 1.2 s each time
            words = outcome(t, *recorded(t, PYTHON, path, str(step), str(n))).split()
            check(words[:2] == ["0", "0"], f"no event comes: {words}")
            if float(words[2]) < 1.1:
                break
        check(0.6 <= float(words[2]) < 1.1, f"it lasts 0.6 s: {words[2]}, woken every {step} s")


# Waits are woken before and after the recorder is killed.
KILLED = BURN + WAITING + """
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
event = ctypes.create_string_buffer(64)
fd = libc.epoll_create1(0)
folder = sys.argv[1]
burn(0.05)
for i in range(8):
    if not os.fork():
        time.sleep(0.1 * (i + 1))
        os._exit(0)
tell(folder + "/pid", str(os.getpid()))
begin = time.monotonic()
result = libc.epoll_wait(fd, event, 1, 600), ctypes.get_errno()
tell(folder + "/end", f"{result[0]} {result[1]} {time.monotonic() - begin}")
"""


def test_a_wait_keeps_its_time_when_the_recorder_is_killed(t: Context) -> None:
    need_engine(t)
    path, folder = script(t, "killed.py", KILLED), t.path("killed")
    os.mkdir(folder)
    with guardian.adopting():
        recorder = t.start(*guardian.tracing(t, PYTHON, path, folder))
        guardian.wait_for_file(folder + "/pid", "the program works")
        time.sleep(0.35)
        guardian.kill_recorder(recorder)
        ends = guardian.reap_all()
    words = guardian.read(folder + "/end").split()
    check("exit 0" in ends and words[:2] == ["0", "0"], f"it ends as it would: {ends} {words}")
    check(0.6 <= float(words[2]) < 0.8, f"it lasts 0.6 s: {words[2]}")


if __name__ == "__main__":
    harness.main(__name__)
