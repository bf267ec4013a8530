#!/usr/bin/python3
"""The names that Python programs give their threads, in what is recorded of them."""
import json
import os
import subprocess
from typing import Callable

import harness
from harness import Context, check
from python_named import NAMES
from pythons import HERE, find_python, installed

PROGRAM = os.path.join(HERE, "python_named.py")
# As they are shown: cut at 100 bytes, without control characters.
SHOWN = [name[:100].replace("\x1b", "?").replace("\n", "?") for name in NAMES]


def names_said(line: str) -> dict[int, str]:
    """By number of the thread."""
    said = {int(tid): name for tid, name in json.loads(line).items()}
    check(sorted(said.values()) == sorted(NAMES), f"the program said {said}")
    return {tid: SHOWN[NAMES.index(name)] for tid, name in said.items()}


def recorded(t: Context, kind: str, *options: str) -> tuple[str, dict[int, str]]:
    """A session, and the names of its threads."""
    session = t.path("named.data")
    done = t.run(t.wperf, "record", "-q", "-F", "199", "--session", session, *options, "--", find_python(kind), PROGRAM)
    check(done.status == 0, "records", done)
    return session, names_said(done.out.splitlines()[0])


def check_rows(t: Context, session: str, names: dict[int, str]) -> None:
    """Most samples of each thread are shown under its name."""
    document = json.loads(t.good("report", "-i", session, "--sort", "thread", "--json").out)
    rows = {row["thread"]: row["count"] for row in document["sampling"]["events"][0]["samples"]}
    for tid, name in names.items():
        named = rows.get(f"{name} ({tid})", 0)
        both = sum(count for row, count in rows.items() if row.endswith(f" ({tid})"))
        check(named > both / 2, f"{name}: {named} of {both} samples: {rows}")


def names_of(kind: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        check_rows(t, *recorded(t, kind))
    return test


def engine_of(engine: str) -> Callable[[Context], None]:
    def test(t: Context) -> None:
        if engine == "bpf":
            harness.need_root()
        check_rows(t, *recorded(t, "python3", "--engine", engine))
    return test


def test_attached(t: Context) -> None:
    process = t.start(find_python("python3"), PROGRAM, "later", stdin=subprocess.PIPE)
    recorder = t.start(t.wperf, "record", "-q", "-F", "199", "--session", t.path("named.data"), str(process.pid))
    harness.wait_until(lambda: os.path.exists(t.path("named.data")), "the recorder")
    out, _ = process.communicate(b"go\n")
    recorder.communicate()
    check_rows(t, t.path("named.data"), names_said(out.decode()))


def rows_by(t: Context, session: str, *options: str) -> list[dict[str, object]]:
    document = json.loads(t.good("report", "-i", session, "--json", *options).out)
    return [row for event in document["sampling"]["events"] for row in event["samples"]]


def check_beside_comm(t: Context, session: str, names: dict[int, str]) -> None:
    """Beside the kernel's name the column `thread` has the other name, or the number of a thread without one."""
    rows = rows_by(t, session, "--sort", "comm,thread")
    shown = {(str(row["comm"]), str(row["thread"])) for row in rows}
    for tid, name in names.items():
        check(any(thread == f"{name} ({tid})" and comm != name for comm, thread in shown), f"{name}: {shown}")
    check(not any(thread.startswith(f"{comm} (") for comm, thread in shown), f"a name twice: {shown}")
    check(any(thread.isdecimal() for _, thread in shown), f"the main thread's number: {shown}")


def check_main_thread(t: Context, session: str, names: dict[int, str]) -> None:
    """Python's name of the main thread, which has that of the process in the session."""
    rows = rows_by(t, session, "--thread", "MainThread", "--sort", "pid,tid")
    check(bool(rows) and all(row["pid"] == row["tid"] and row["tid"] not in names for row in rows), f"the main thread: {rows}")


def test_where_names_are_shown(t: Context) -> None:
    session, names = recorded(t, "python3", "--wall")
    t.good("export", "-q", "-i", session, "-o", t.path("x.speedscope.json"))
    t.good("export", "-q", "-i", session, "-o", t.path("x.firefox.json"))
    with open(t.path("x.speedscope.json"), encoding="utf-8") as file:
        speedscope = {profile["name"] for profile in json.load(file)["profiles"]}
    with open(t.path("x.firefox.json"), encoding="utf-8") as file:
        firefox = {int(thread["tid"]): thread["name"] for thread in json.load(file)["threads"]}
    for tid, name in names.items():
        check(firefox.get(tid) == name, f"{name}: {firefox}")
        check(any(profile.startswith(f"{name} ") and f"/{tid}:" in profile for profile in speedscope), f"{name}: {speedscope}")
        shown = t.good("report", "-i", session, "--stdio", "--threads").out
        check(any(name in line and f"/{tid}" in line for line in shown.splitlines()), f"{name}: {shown}")
    chosen = json.loads(t.good("report", "-i", session, "--thread", SHOWN[0], "--sort", "tid", "--json").out)
    tids = {row["tid"] for event in chosen["sampling"]["events"] for row in event["samples"]}
    check(tids == {tid for tid, name in names.items() if name == SHOWN[0]}, f"only {SHOWN[0]}: {tids}")
    check_beside_comm(t, session, names)
    check_main_thread(t, session, names)
    # The name in the kernel stays that of the group, and of the filter by it.
    check("100.00" in t.good("report", "-i", session, "--stdio", "--sort", "comm").out, "one name in the kernel")


NAMED = [(f"names of threads of {kind}", names_of(kind)) for kind in installed()]
NAMED += [(f"names of threads with the engine {engine}", engine_of(engine)) for engine in ("bpf", "stop", "peek", "pace")]

if __name__ == "__main__":
    harness.main(__name__, NAMED)
