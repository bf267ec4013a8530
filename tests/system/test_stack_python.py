#!/usr/bin/python3
"""wperf stack on Python programs: names of threads, tasks of asyncio, and threads that run."""
import json
import os
import re
import sys
from typing import Callable

import harness
from harness import Context, check
from pythons import HERE, find_python, installed


def start_python(t: Context, kind: str, script: str, *args: str) -> tuple[int, dict]:
    """The process, when all its threads sleep, and the document that it printed."""
    process = t.start(find_python(kind), os.path.join(HERE, script), *args)
    line = process.stdout.readline()
    check(bool(line), f"{script} printed nothing: {process.stderr.read()!r}" if not line else "")
    said = json.loads(line)

    def sleep() -> bool:
        tasks = f"/proc/{process.pid}/task"
        return all(open(f"{tasks}/{tid}/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()[0] == "S" for tid in os.listdir(tasks))

    harness.wait_until(sleep, "all threads sleep")
    return process.pid, said


def stack_document(t: Context, *args: str) -> dict:
    return json.loads(t.good("stack", "--json", *args).out)


def names_of(kind: str) -> Callable[[Context], None]:
    """Each thread has the name that threading knows, by its native id; before 3.8 there is none."""

    def test(t: Context) -> None:
        for option in ("plain", "rename"):
            pid, said = start_python(t, kind, "python_threads.py", option)
            threads = stack_document(t, str(pid))["processes"][0]["threads"]
            got = {str(thread["tid"]): thread["python_name"] for thread in threads if thread["python_name"]}
            check(got == said, f"{said}\nis not\n{got}")
            check(len(threads) == len(said) + 1, f"{len(threads)} threads, {len(said)} of them with names")
        text = t.good("stack", str(pid)).out
        check(re.search(rf"^{pid} the first ", text, re.M) is not None, f"the renamed main thread: {text}")

    return test


def test_thread_by_its_python_name(t: Context) -> None:
    pid, said = start_python(t, "python3", "python_threads.py")
    wanted = {name: int(tid) for tid, name in said.items()}
    for name in ("worker-7", "renamed", "größer, 線, 🐍"):
        threads = stack_document(t, "--thread", name, str(pid))["processes"][0]["threads"]
        check([thread["tid"] for thread in threads] == [wanted[name]], f"{name}: {threads}")
    done = t.ours("stack", "--thread", "worker-1", str(pid))  # it was renamed
    check(done.status != 0 and "worker-1" in done.err, "no such thread", done)


def test_threads_that_wait_alike(t: Context) -> None:
    """One block with what their names have in common."""
    pid, _ = start_python(t, "python3", "python_threads.py", "workers")
    text = t.good("stack", str(pid)).out
    check(re.search(r"^40 threads worker-\* +sleeps", text, re.M) is not None, f"the names begin alike: {text}")
    pid, _ = start_python(t, "python3", "python_threads.py")
    text = t.good("stack", str(pid)).out
    check(re.search(r"^\d+ threads  +sleeps", text, re.M) is not None, f"names without a common beginning: {text}")


NAMED = [(f"names of threads of {kind}", names_of(kind)) for kind in installed()]

if __name__ == "__main__":
    harness.main(__name__, NAMED)
