#!/usr/bin/python3
"""Attaches to all interpreters of the machine.  A process can be traced by one program only, so nothing that traces runs beside."""
import os
import re

import guardian
import harness
from harness import Context, check
from test_attach import FOREVER, PYTHON, SPAWNS, check_spawned, need_engine, python_of, sampled_for, script


def test_the_whole_machine(t: Context) -> None:
    need_engine(t)
    harness.need_root()
    t.started_ready(PYTHON, script(t, "spawns.py", SPAWNS))
    check_spawned(t, t.ours("record", "-g", "--engine", "stop", "-F", "999", "-a", "-d", "2"))


def test_only_the_cpus_that_are_named(t: Context) -> None:
    need_engine(t)
    harness.need_root()
    first, last = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))
    if first == last:
        raise harness.Skip("a second CPU")
    path = script(t, "forever.py", FOREVER)
    target = t.started_ready("taskset", "-c", str(first), PYTHON, path, "0")
    other = t.started_ready("taskset", "-c", str(last), PYTHON, path, "0")
    done = sampled_for(t, 0.5, target.pid, "-c", str(first))
    check(python_of(done)[0] > 100, "samples of the CPU have Python frames", done)
    text = t.good("dump").out
    pids = set(re.findall(r"SAMPLE .*?\bpid (\d+)", text))
    check(str(target.pid) in pids and str(other.pid) not in pids, f"samples of {sorted(pids)}")


def test_processes_begin_before_threads(t: Context) -> None:
    need_engine(t)
    harness.need_root()
    engines = "stop", "bpf", "ring"
    guardian.check_processes_before_threads(t, engines, "-a", "-d", "50ms")
    guardian.check_processes_before_threads(t, engines, "-a", "--", PYTHON, "-S", "-c", "pass")


if __name__ == "__main__":
    harness.main(__name__)
