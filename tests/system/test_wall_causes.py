#!/usr/bin/python3
"""Programs that are slow for one reason: the first lines of the report name the function, its line, and the state.  They and
their screens are docs/waiting-screens.md; UPDATE_SCREENS=1 writes the screen of each test that runs there."""
import os
import re

import harness
from harness import Context, check
from pythons import find_python, newest_with_tasks

PYTHON = "/usr/bin/python3.11"
FIRST_LINES = 12
SCREENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/waiting-screens.md")

# the state of the function, its name, what one of its lines has that may be named, and the program
CAUSES = {
    "cpu": ("on-cpu", "checksum", "total = (|for i", """
def checksum(n):
    total = 0
    for i in range(n):
        total = (total * 31 + i) & 0xFFFFFFFF
    return total

for _ in range(8):
    checksum(500_000)
"""),
    "lock": ("lock", "lookup", "with cache", """
import threading, time
cache = threading.Lock()

def refresh():
    for _ in range(10):
        with cache:
            time.sleep(0.15)

def lookup():
    for _ in range(5):
        with cache:
            pass
        time.sleep(0.001)

threads = [threading.Thread(target=refresh), threading.Thread(target=lookup), threading.Thread(target=lookup)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""),
    "gil": ("gil", "render", "text =|for i", """
import threading

def render(n):
    text = ""
    for i in range(n):
        text = str(i) + text[:50]

threads = [threading.Thread(target=render, args=(3_000_000,)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""),
    "disk": ("disk", "save", "fsync|pwrite", """
import os, time

def save(path):
    end = time.monotonic() + 2
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    while time.monotonic() < end:
        os.pwrite(fd, bytes(4096), 0)
        os.fsync(fd)
    os.close(fd)

save(FILE)
"""),
    "network": ("network", "query", "recv", """
import socket, threading, time

listener = socket.create_server(("127.0.0.1", 0))

def server():
    client, _ = listener.accept()
    while client.recv(1):
        time.sleep(0.05)
        client.sendall(b"y")

def query(connection):
    connection.sendall(b"x")
    connection.recv(1)

threading.Thread(target=server, daemon=True).start()
connection = socket.create_connection(listener.getsockname())
for _ in range(30):
    query(connection)
"""),
    "sleep": ("sleep", "retry", "sleep", """
import time

def retry():
    for _ in range(5):
        time.sleep(0.3)

retry()
"""),
    "child": ("child", "convert", "run(", """
import subprocess

def convert():
    subprocess.run(["sleep", "1.5"])

convert()
"""),
    "faults": ("fault", "scan", "m[at]|for at", """
import mmap, os, resource

def scan(fd):
    total = 0
    for _ in range(6):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        with mmap.mmap(fd, 0, prot=mmap.PROT_READ) as m:
            m.madvise(mmap.MADV_RANDOM)
            for at in range(0, len(m), 65536):
                total += m[at]
    return total

scan(os.open(FILE, os.O_RDONLY))
print("faults", resource.getrusage(resource.RUSAGE_SELF).ru_majflt)
"""),
    "run queue": ("runnable", "crunch", "total +=|for i", """
import os

def crunch(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

os.sched_setaffinity(0, {0})
children = []
for _ in range(4):
    pid = os.fork()
    if not pid:
        crunch(5_000_000)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
"""),
}


# Nine tasks wait for what a tenth one does not release.
TASKS = """import asyncio

async def reserve(stock):
    async with stock:
        await asyncio.sleep(0.001)

async def recount(stock):
    async with stock:
        await asyncio.sleep(1.8)

async def main():
    stock = asyncio.Lock()
    slow = asyncio.create_task(recount(stock), name="recount")
    await asyncio.sleep(0)
    orders = [asyncio.create_task(reserve(stock), name=f"order-{i}") for i in range(9)]
    await asyncio.gather(slow, *orders)

asyncio.run(main())
"""


def fill(path: str) -> None:
    with open(path, "wb") as file:
        for _ in range(256):
            file.write(os.urandom(1 << 20))
        file.flush()
        os.fsync(file.fileno())


def screen_of(name: str) -> re.Match[str] | None:
    with open(SCREENS, encoding="utf-8") as file:
        return re.search(rf"^## {name}\n\n```text\n(?P<program>.*?)```\n\n```text\n(?P<screen>.*?)```\n", file.read(), re.M | re.S)


def check_screen(name: str, program: str, first: str, row: str) -> None:
    """The page has the program, and a screen with the row, whose figures may differ."""
    if os.environ.get("UPDATE_SCREENS"):
        with open(SCREENS, encoding="utf-8") as file:
            page = file.read()
        screen = f"## {name}\n\n```text\n{program.strip()}\n```\n\n```text\n{first}\n```\n"
        old = screen_of(name)
        page = page.replace(old[0], screen) if old else f"{page}\n{screen}"
        with open(SCREENS, "w", encoding="utf-8") as file:
            file.write(page)
    with open(SCREENS, encoding="utf-8") as file:
        check("\n\n\n" not in file.read(), "docs/waiting-screens.md has no two blank lines in a row")
    said = screen_of(name)
    check(said is not None and said["program"].strip() == program.strip(), f"docs/waiting-screens.md has the program '{name}'")
    check(re.search(row, said["screen"], re.M) is not None, f"docs/waiting-screens.md has a screen of '{name}' with {row}")


def check_cause(t: Context, name: str) -> None:
    if not os.path.exists(PYTHON):
        raise harness.Skip(PYTHON)
    state, function, line, text = CAUSES[name]
    text = text.lstrip("\n")
    script, session, file = t.path("app.py"), t.path("s.data"), os.path.join("/var/tmp", f"wperf-cause-{os.getpid()}")
    try:
        if name == "faults":
            fill(file)
        with open(script, "w") as out:
            out.write(text.replace("FILE", repr(file)))
        said = t.good("record", "--wall", "--session", session, "--", PYTHON, script)
    finally:
        if os.path.exists(file):
            os.unlink(file)
    done = t.good("report", "-i", session, "--stdio")
    first = "\n".join(done.out.splitlines()[:FIRST_LINES])
    at = re.search(rf" {function} +app\.py:(\d+)$", first, re.M)
    check(at is not None, f"{function} stands in the first {FIRST_LINES} lines", done)
    source = text.splitlines()[int(at[1]) - 1]
    check_screen(name, text, first, rf" {function} +app\.py:\d+$")
    check(any(part in source for part in line.split("|")), f"the line is '{source}'", done)
    wall = harness.document_of(t.good("report", "-i", session, "--json"))["wall"]
    seconds = next(row["seconds"] for row in wall["functions"] if row["function"] == function)
    waited = {key: n for key, n in seconds.items() if key != "wperf"}
    if name in ("cpu", "run queue"):
        # another program may have the CPU for a while, and a thread that runs is seldom alone
        check(waited.get("on-cpu", 0) + waited.get("runnable", 0) > 0.8 * sum(waited.values()), f"{waited}")
        # a thread that was stopped for a sample waits for the CPU as well
        queued = wall["seconds"]["runnable"]
        check(name == "cpu" or queued > 1.5 * wall["seconds"]["on-cpu"], f"four programs share a CPU: {wall['seconds']}")
    elif name == "disk":
        # with sanitizers a wait of a millisecond often ends while it is read; then it has no callers
        check(wall["seconds"][state] > 0.5 * sum(wall["seconds"].values()), f"{wall['seconds']}")
    elif name == "faults":
        faults = re.search(r"^faults (\d+)$", said.out + said.err, re.M)
        # a fault that ends while it is read counts without callers
        check(faults is not None and (int(faults[1]) < 1000 or wall["seconds"].get(state, 0) > 0.02), f"{faults}", done)
    else:
        # for a CPU it waits as long as other programs let it
        check(max(waited.keys() - {"runnable"}, key=lambda key: waited[key]) == state, f"{waited}")


def check_task_stacks(t: Context, session: str) -> None:
    """In trees and pictures the time of the loop is divided among the chains of its ten tasks; the sum is that of the states."""
    folded = [line.rsplit(" ", 1) for line in t.good("export", "-i", session, "--format", "folded", "--weights", "--python", "only").out.splitlines()]
    ns = {end: sum(int(n) for stack, n in folded if re.search(end, stack))
          for end in (r";main \[app\.py:11\];reserve \[app\.py:3\];.*Lock\.acquire \[locks\.py:\d+\];\[lock\]$",
                      r";main \[app\.py:11\];recount \[app\.py:7\];sleep \[tasks\.py:\d+\];\[sleep\]$")}
    locks, sleep = ns.values()
    check(sleep > 0 and abs(locks - 9 * sleep) < 0.02 * locks, f"nine wait for the tenth: {ns}: {folded}")
    states = harness.document_of(t.good("report", "-i", session, "--json"))["wall"]["seconds"]
    shown = sum(seconds for state, seconds in states.items() if state not in ("idle", "wperf"))
    check(abs(sum(int(n) for _, n in folded) / 1e9 - shown) < 0.002, f"all stacks, and the states {states}")
    tree = t.good("report", "-i", session, "-g", "--python", "only").out
    check(re.search(r"^ +\d+\.\d+ .* reserve \[app\.py:3\]", tree, re.M), f"report -g: {tree[:2000]}")


def test_tasks(t: Context) -> None:
    """Of ten tasks the one that keeps the others waiting, and what they wait for."""
    script, session = t.path("app.py"), t.path("s.data")
    with open(script, "w") as out:
        out.write(TASKS)
    t.good("record", "--wall", "--session", session, "--", find_python(newest_with_tasks()), script)
    done = t.good("report", "-i", session, "--stdio")
    first = "\n".join(done.out.splitlines()[:FIRST_LINES])
    lines = TASKS.splitlines()
    rows = re.findall(r"^ +([\d.]+)  (\w+) +(\S.*?) +(\w+) +app\.py:(\d+)  awaits (\S+)$", first, re.M)
    shown = {row[2]: (row[1], row[3], lines[int(row[4]) - 1].strip(), row[5]) for row in rows}
    check(shown.get("recount") == ("sleep", "recount", "await asyncio.sleep(1.8)", "sleep"), f"{shown}", done)
    check(shown.get("9 tasks order-*") == ("lock", "reserve", "async with stock:", "Lock.acquire"), f"{shown}", done)
    check_screen("tasks", TASKS, first, r"^ +[\d.]+  lock +9 tasks order-\* +reserve +app\.py:4  awaits Lock\.acquire$")
    tasks = harness.document_of(t.good("report", "-i", session, "--json"))["wall"]["tasks"]
    seconds = {task["task"]: task["seconds"] for task in tasks if task["state"] in ("lock", "sleep") and task["seconds"] > 1}
    check(len(seconds) == 10, f"all tasks: {tasks}")
    # what their loop ran, and the time before the first reading, is not theirs
    check(all(1.2 < n < 2.6 for n in seconds.values()), f"{seconds}")
    stack = next(task["stack"] for task in tasks if task["task"] == "order-3")
    check([frame["function"] for frame in stack][-2:] == ["reserve", "main"], f"{stack}")
    check_task_stacks(t, session)
    loop = harness.document_of(t.good("report", "-i", session, "--json"))["wall"]["functions"]
    check(any(row["function"] == "<module>" and row["seconds"].get("lock", 0) > 1.2 for row in loop), f"the loop waits as its tasks do: {loop}")


def test_a_function_that_computes(t: Context) -> None:
    check_cause(t, "cpu")


def test_a_lock(t: Context) -> None:
    check_cause(t, "lock")


def test_the_gil(t: Context) -> None:
    check_cause(t, "gil")


def test_a_disk(t: Context) -> None:
    check_cause(t, "disk")


def test_a_network(t: Context) -> None:
    check_cause(t, "network")


def test_a_sleep(t: Context) -> None:
    check_cause(t, "sleep")


def test_a_child(t: Context) -> None:
    check_cause(t, "child")


def test_page_faults(t: Context) -> None:
    check_cause(t, "faults")


def test_a_run_queue(t: Context) -> None:
    check_cause(t, "run queue")


if __name__ == "__main__":
    harness.main(__name__)
