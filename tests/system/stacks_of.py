"""What the tests of `wperf stack` share: programs that stand still in a known way, and reading their threads."""
import os
import re
import subprocess
from typing import Any

import harness
from harness import Context, check

WAITING = "SDTt"


def threads_of(pid: int) -> dict[int, tuple[str, str]]:
    """State and switch counts of each thread that has not ended, by its number."""
    found = {}
    try:
        tids = os.listdir(f"/proc/{pid}/task")
    except FileNotFoundError:
        return {}
    for tid in tids:
        try:
            with open(f"/proc/{pid}/task/{tid}/status", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except (FileNotFoundError, ProcessLookupError):
            continue
        state = re.search(r"^State:\s*(\w)", text, re.M)[1]
        if state not in "ZX":
            found[int(tid)] = (state, " ".join(re.findall(r"ctxt_switches:\s*(\d+)", text)))
    return found


def settle(pid: int, n: int) -> None:
    """Until a process has n threads, all of them wait, and none has run between two looks."""
    last: dict = {}

    def stands() -> bool:
        nonlocal last
        before, last = last, threads_of(pid)
        return before == last and len(last) == n and all(state in WAITING for state, _ in last.values())

    harness.wait_until(stands, f"the {n} threads of {pid} wait")


def hanging(t: Context, *argv: str, n: int = 1, program: str = "hangs", **options) -> subprocess.Popen:
    """Starts a way of hangs.c, and waits until its threads stand."""
    process = t.started_ready(t.program(program), *argv, **options)
    settle(process.pid, n)
    return process


def python(t: Context, text: str, n: int = 0, program: str = "/usr/bin/python3", *argv: str) -> subprocess.Popen:
    """Runs a script that prints `ready`, and waits until its n threads stand; 0: they never do."""
    path = t.path("hang.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    process = t.started_ready(program, "-u", path, *argv)
    if n:
        settle(process.pid, n)
    return process


def document(t: Context, *argv: str) -> dict[str, Any]:
    return harness.document_of(t.good("stack", "--json", *argv))


def read(t: Context, pid: int, *options: str) -> list[dict[str, Any]]:
    """The threads of a process."""
    shown = document(t, *options, str(pid))["processes"]
    check(len(shown) == 1 and shown[0]["pid"] == pid, f"one process: {shown}")
    return shown[0]["threads"]


def only(threads: list[dict], **wanted: Any) -> dict[str, Any]:
    """The one thread that has these fields."""
    found = [thread for thread in threads if all(thread[key] == value for key, value in wanted.items())]
    check(len(found) == 1, f"{len(found)} threads are {wanted}: {[(x['tid'], x['name'], x['state'], x['what']) for x in threads]}")
    return found[0]


def functions(thread: dict) -> list[str]:
    return [frame["function"] for frame in thread["frames"]]


def text(t: Context, *argv: str) -> list[str]:
    return t.good("stack", *argv).out.splitlines()
