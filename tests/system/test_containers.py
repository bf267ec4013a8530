#!/usr/bin/python3
"""Containers: in each of these a table with native and Python functions within ten seconds, or one sentence with the command that
helps.  The table of docs/containers.md is made here; UPDATE=1 writes it.
"""
import os
import re
import sys
import time

import harness
from harness import Context, Done, Skip, check
from test_attach import FOREVER
from test_pace import WORK
from test_stop_engine import PYTHON, need_python, script

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONTAINER = os.path.join(PROJECT, "tools", "container.py")
PAGE = os.path.join(PROJECT, "docs", "containers.md")
SECONDS = 10

CONTAINERS = {
    "Docker": ["--engine", "docker"],
    "Docker, `--cap-add PERFMON`": ["--engine", "docker", "--cap", "perfmon"],
    "Docker, rootless": ["--engine", "docker", "--rootless"],
    "Docker, `--read-only`": ["--engine", "docker", "--read-only"],
    "Podman": ["--engine", "podman"],
    "Podman, `--cap-add SYS_PTRACE`": ["--engine", "podman", "--cap", "sys_ptrace"],
    "Podman, rootless, `--cap-add SYS_PTRACE`": ["--engine", "podman", "--rootless", "--cap", "sys_ptrace"],
    "Docker, without /proc": ["--engine", "docker", "--hide", "/proc"],
}

# Attaches to a process of the same container.
ATTACH = """
"$1" "$2" 0 > forever.out &
while [ ! -s forever.out ]; do sleep 0.05; done
"$3" record -g -p $! -d 1.5
status=$?
kill $!
exit $status
"""


def contained(t: Context, options: list[str], *argv: str) -> Done:
    """The folder of the test is the same inside."""
    os.chmod(t.folder, 0o777)
    binds = [word for path in (t.folder, PROJECT, os.path.dirname(t.wperf)) for word in ("--bind", path)]
    began = time.monotonic()
    done = t.run(sys.executable, CONTAINER, *options, *binds, "/", *argv, limit=60)
    check(time.monotonic() - began < (60 if harness.is_sanitized(t.wperf) else SECONDS), "it takes less than ten seconds", done)
    if "container.py:" in done.err:
        raise Skip(done.err.strip().splitlines()[-1])
    return done


def cell(done: Done, native: str, python: str) -> str:
    """What a row of the page says about a run."""
    if "quality:" not in done.out:
        said = [line for line in done.err.splitlines() if line.startswith("wperf: ")]
        check(len(said) == 1, "one sentence", done)
        return said[0].removeprefix("wperf: ")
    functions = []
    if any(re.search(native, row.symbol) for row in harness.rows_of(done.out)):
        functions.append("native")
    if python and re.search(python, done.out, re.M):
        functions.append("Python")
    return " and ".join(functions) + (" functions, by `pace`" if "engine pace" in done.out else " functions, by events")


def row_of(t: Context, name: str) -> str:
    options = CONTAINERS[name]
    for file in os.listdir(t.folder):
        if ".data" in file or file == "forever.out":
            os.remove(t.path(file))
    native = contained(t, options, t.wperf, "record", "--", t.program("spin"), "700")
    command = contained(t, options, t.wperf, "record", "-g", "-o", "python.data", "--", PYTHON, t.path("work.py"), "0.7", "0.3")
    attached = contained(t, options, "sh", t.path("attach.sh"), PYTHON, t.path("forever.py"), t.wperf)
    cells = [cell(native, "spin_here", ""), cell(command, "_PyEval_EvalFrameDefault", r"  first \["),
             cell(attached, "_PyEval_EvalFrameDefault", r"  inner \[")]
    if len(set(cells)) == 1 and "functions" not in cells[0]:
        cells = [cells[0], "the same", "the same"]
    return f"| {name} | " + " | ".join(cells) + " |"


def table(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ") and "Docker" in line or line.startswith("| Podman")]


@harness.limit(300)
def test_the_table_of_the_page(t: Context) -> None:
    harness.need_root()
    harness.need_mounts()
    need_python()
    for name, text in (("work.py", WORK), ("forever.py", FOREVER), ("attach.sh", ATTACH)):
        script(t, name, text)
    rows = [row_of(t, name) for name in CONTAINERS]
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    if "UPDATE" in os.environ:
        for old, new in zip(table(page), rows, strict=True):
            page = page.replace(old, new)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
    check(table(page) == rows, "docs/containers.md says:\n" + "\n".join(table(page)) + "\nand here it is:\n" + "\n".join(rows))


def test_a_session_that_can_not_be_written(t: Context) -> None:
    harness.need_root()
    harness.need_mounts()
    done = t.run(sys.executable, CONTAINER, "--read-only", "--bind", os.path.dirname(t.wperf), "/", t.wperf, "record", "--", "true", cwd="/")
    harness.check_sentence(done, "Read-only file system", "-o", "--session -")


if __name__ == "__main__":
    harness.main(__name__)
