#!/usr/bin/python3
"""--engine pace: samples of CPU time where the kernel refuses all events, as in containers.

The program `deny` refuses perf_event_open as container engines do.
"""
import os
import re
import signal

import harness
import own_samples
from harness import Context, Done, check
from test_attach import FOREVER, python_of, wait_until_traced
from test_stop_engine import BURN, PYTHON, need_python, script

HEADING = re.compile(r"engine pace: threads that run are stopped at random moments, (\d+) a second, at ([\d.]+) % of the time of a CPU")
REFUSED = "perf_event_open is blocked by a seccomp filter"

WORK = """
import sys, time
def first(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(i * i for i in range(500))
def second(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        [str(i) for i in range(300)]
first(float(sys.argv[1]))
second(float(sys.argv[2]))
"""


def denied(t: Context, *argv: str) -> list[str]:
    return [t.program("deny"), "EPERM", t.wperf, *argv]


def check_paced(done: Done, reason: str = REFUSED) -> None:
    found = HEADING.search(done.out)
    check(done.status == 0 and done.err == "" and reason in done.out, "recorded, and the heading says why so", done)
    check(found is not None, "the heading says how", done)
    harness.note(found[0])


def python_shares(done: Done) -> dict[str, float]:
    return {name: float(total) for total, name in re.findall(r"^ +[\d.]+ +([\d.]+) +\d+  (\w+) \[\S+:\d+\]", done.out, re.M)}


def test_a_command(t: Context) -> None:
    """Native and Python functions, without -g: a stopped thread's stack costs little."""
    need_python()
    done = t.run(*denied(t, "record", "--", PYTHON, script(t, "work.py", WORK), "1", "0.5"))
    check_paced(done)
    merged, n = python_of(done)
    check(merged >= 0.97 * n - 3 and n > 30, f"{merged} of {n} stacks have Python frames", done)
    shares = python_shares(done)
    check(50 < shares["first"] < 80 and 20 < shares["second"] < 50, f"{shares}", done)
    names = harness.rows_of(done.out)  # without the module where there is only one
    check(sum(row.share for row in names if row.symbol.endswith(":python3.11") or ":" not in row.symbol) > 70, "native functions", done)
    check("of the CPU time was sampled" not in done.out, "all of it", done)


def test_system_calls_have_no_more_than_their_time(t: Context) -> None:
    """Here each 25 us a call of 1 us. A thread that is interrupted on another CPU stands in its next call when the interrupt comes."""
    need_python()
    done = t.run(*denied(t, "record", "--", PYTHON, script(t, "work.py", WORK), "1.5", "0"))
    check_paced(done)
    inside = sum(row.share for row in harness.rows_of(done.out) if "clock_gettime" in row.symbol)
    check(inside < 20, f"{inside} % in the call", done)


def test_a_process_that_runs(t: Context) -> None:
    need_python()
    target = t.started_ready(PYTHON, script(t, "forever.py", FOREVER), "1")
    recorder = t.start(*denied(t, "record", "-F", "200", "-p", str(target.pid)))
    wait_until_traced(target.pid)
    harness.wait_for_cpu(target.pid, 1)
    recorder.send_signal(signal.SIGINT)
    done = harness.finish(recorder)
    check_paced(done)
    merged, n = python_of(done)
    check(merged == n > 20, f"{merged} of {n} stacks have Python frames", done)
    check(python_shares(done)["inner"] > 80, "the function that does the work", done)
    check(target.poll() is None, "it still runs")
    with open(f"/proc/{target.pid}/status", encoding="utf-8") as status:
        check("TracerPid:\t0\n" in status.read(), "and is not traced any more")


def test_a_native_program(t: Context) -> None:
    done = t.run(*denied(t, "record", "-g", "--", t.program("spin"), "500"))
    check_paced(done)
    own_samples.check_whole_stacks(done)
    check(harness.row_named(done, "spin_here").share > 80, "its function", done)  # of some 50 to 100 samples


def test_children(t: Context) -> None:
    """They are found in /proc; what they use before is not sampled."""
    need_python()
    path = script(t, "work.py", WORK)
    done = t.run(*denied(t, "record", "--", "sh", "-c", f"{t.program('spin')} 400; {t.program('spin')} 400 & {PYTHON} {path} 0.3 0; wait"))
    check(HEADING.search(done.out) is not None and done.status == 0, "recorded", done)
    check(harness.row_named(done, "spin_here:spin").share > 40, "the first", done)
    check(python_shares(done)["first"] > 5, "a later one, beside another", done)


def test_a_thread_that_sleeps_is_not_sampled(t: Context) -> None:
    need_python()
    path = script(t, "sleeps.py", BURN + """
import threading
thread = threading.Thread(target=time.sleep, args=(0.8,))
thread.start()
burn(0.7)
thread.join()
""")
    done = t.run(*denied(t, "record", "--", PYTHON, path))
    check_paced(done)
    check(python_shares(done)["burn"] > 80, "what runs", done)
    check(not any("nanosleep" in row.symbol for row in harness.rows_of(done.out)), "not what sleeps", done)


def test_statuses(t: Context) -> None:
    for command, status in (("exit 7", 7), ("kill -9 $$", 137), ("kill -TRAP $$", 133)):
        done = t.run(*denied(t, "record", "-q", "--", "sh", "-c", command))
        check(done.status == status and done.err == "", f"{command}: {status}", done)


def test_ctrl_c_ends_the_run(t: Context) -> None:
    recorder = t.start(*denied(t, "record", "--", t.program("spin"), "60000"))
    harness.wait_until(lambda: os.path.exists(t.path("wperf.data")) and os.path.getsize(t.path("wperf.data")) > 3000, "samples")
    recorder.send_signal(signal.SIGINT)
    done = harness.finish(recorder)
    check(done.status == 0 and "spin_here" in done.out, "a table", done)


def test_by_choice(t: Context) -> None:
    done = t.ours("record", "--engine", "pace", "--", t.program("spin"), "400")
    check(done.status == 0 and HEADING.search(done.out) is not None and REFUSED not in done.out, "where events are allowed", done)
    check(harness.row_named(done, "spin_here").share > 80, "its function", done)  # of some 50 to 100 samples
    for argv in (("-a", "-d", "1"), ("-e", "context-switches", "--", "true"), ("--no-inherit", "--", "true")):
        done = t.ours("record", "--engine", "pace", *argv)
        check(done.status in (1, 2, 125), "refused", done)
        harness.check_sentence(done, "--engine pace can't be used here")


def test_what_needs_events(t: Context) -> None:
    """The reason is told instead."""
    for argv, status in ((("-a", "-d", "1"), 1), (("-e", "context-switches", "--", "true"), 125), (("--engine", "ring", "--", "true"), 125)):
        done = t.run(*denied(t, "record", *argv))
        check(done.status == status and "quality:" not in done.out, f"status {status}", done)
        harness.check_sentence(done, "seccomp", "docker run --cap-add PERFMON")


if __name__ == "__main__":
    harness.main(__name__)
