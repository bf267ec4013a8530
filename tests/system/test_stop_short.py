#!/usr/bin/python3
"""--engine stop: threads that live shorter than a period have their share of the samples."""
import json
import math
import os
import re

import harness
from harness import Context, check
from test_stop_engine import nobody, record, script, traced

SIGMAS = 5

# A thread for each request, in turns with the main thread.
REQUESTS = """
import json, sys, threading, time
spent = {"in_main": 0, "in_thread": 0}
def in_main(n):
    begin, total = time.thread_time_ns(), 0
    for i in range(n): total += i
    spent["in_main"] += time.thread_time_ns() - begin
def in_thread(n):
    begin, total = time.thread_time_ns(), 0
    for i in range(n): total += i
    spent["in_thread"] += time.thread_time_ns() - begin
for _ in range(int(sys.argv[1])):
    thread = threading.Thread(target=in_thread, args=(8000,))
    thread.start()
    thread.join()
    in_main(8000)
print(json.dumps(spent))
"""


def counts_of(t: Context, session: str, names: list[str]) -> dict[str, int]:
    counts = dict.fromkeys(names, 0)
    for line in t.good("export", "--format", "folded", "-i", session, "-o", "-").out.splitlines():
        for name in names:
            if f";{name} [" in line:
                counts[name] += int(line.rsplit(" ", 1)[1])
    return counts


def check_shares(t: Context, out: str, session: str) -> None:
    """`out` has the CPU time of each function, in ns."""
    spent = json.loads(next(line for line in out.splitlines() if line.startswith("{")))
    counts = counts_of(t, session, list(spent))
    n, total = sum(counts.values()), sum(spent.values())
    check(n > 300, f"samples: {counts}, {spent}")
    check("block SIGTRAP" not in out, f"no thread blocks SIGTRAP: {out[:2000]}")
    for name, ns in spent.items():
        share = ns / total
        off = (counts[name] / n - share) / math.sqrt(share * (1 - share) / n)
        harness.note(f"{name}: {share:.3f} of the CPU time, {counts[name] / n:.3f} of {n} samples, {off:+.2f} standard errors off")
        check(abs(off) < SIGMAS, f"{name}: {counts} samples, {spent}")


def test_a_thread_for_each_request(t: Context) -> None:
    done = traced(t, "/usr/bin/python3.11", script(t, "requests.py", REQUESTS), "3000")
    check_shares(t, done.out, "wperf.data")


def test_a_thread_for_each_request_as_nobody(t: Context) -> None:
    """No ring has samples of such threads: its event begins a new period in each."""
    harness.need_root()
    path = script(t, "requests.py", REQUESTS)
    record(t, "/bin/true") # skips if the kernel does not allow it
    os.chmod(t.folder, 0o777)
    done = t.run(*nobody(), t.wperf, "record", "-g", "--engine", "stop", "-F", "999", "--session", "nobody.data", "--",
                 "/usr/bin/python3.11", path, "3000")
    if done.status or "the kernel refuses" in done.out:
        raise harness.Skip("events or ptrace for nobody")
    os.chown(t.path("nobody.data"), os.geteuid(), os.getegid())
    check_shares(t, done.out, "nobody.data")


# Threads of 1.5, 6 and 60 ms at the same time.
TURNS = """
import json, random, sys, threading
from time import thread_time_ns
MS = {"brief": 1.5, "middle": 6, "long": 60}
def brief(end):
    while thread_time_ns() < end: sum(range(300))
def middle(end):
    while thread_time_ns() < end: sum(range(300))
def long(end):
    while thread_time_ns() < end: sum(range(300))
spent, lock, numbers, live = dict.fromkeys(MS, 0), threading.Lock(), random.Random(1), []
def work(name, ms):
    begin = thread_time_ns()
    globals()[name](begin + ms * 1000000)
    with lock:
        spent[name] += thread_time_ns() - begin
n = int(sys.argv[1])
names = ["brief"] * 40 * n + ["middle"] * 10 * n + ["long"] * n
numbers.shuffle(names)
for name in names:
    thread = threading.Thread(target=work, args=(name, numbers.uniform(.5, 1.5) * MS[name]))
    thread.start()
    live.append(thread)
    if len(live) == 6:
        live.pop(numbers.randrange(6)).join()
for thread in live:
    thread.join()
print(json.dumps(spent))
"""


def test_threads_of_different_lengths(t: Context) -> None:
    """A late event would lose most of what a thread of a period does."""
    done = traced(t, "/usr/bin/python3.11", script(t, "turns.py", TURNS), "16")
    check_shares(t, done.out, "wperf.data")


# Each child takes 20 ms of CPU time.
CHILDREN = """
import os, time
for _ in range(40):
    pid = os.fork()
    if not pid:
        end = time.process_time() + 0.02
        while time.process_time() < end: pass
        os._exit(0)
    os.waitpid(pid, 0)
"""


def test_forked_children_are_traced_soon(t: Context) -> None:
    """After 2 ms of CPU time; the samples before are counted."""
    done = traced(t, "/usr/bin/python3.11", script(t, "children.py", CHILDREN))
    counts = re.search(r"(\d+) samples.*python: ([\d,]+) of ([\d,]+) merged, (\d+) native \((\d+) of processes that were not traced", done.out)
    check(counts is not None, "the quality line counts them", done)
    n, merged, n_python, native, untraced = (int(word.replace(",", "")) for word in counts.groups())
    harness.note(f"{merged} of {n_python} merged, {untraced} before the tracing")
    check(merged + native == n_python and n_python > 0.9 * n > 90, "each sample is counted", done)
    check(untraced < 0.3 * n_python, "most are traced", done)


if __name__ == "__main__":
    harness.main(__name__)
