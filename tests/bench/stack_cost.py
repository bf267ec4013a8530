#!/usr/bin/python3
"""The cost of `wperf stack` for a program of many threads that wait, in C and in Python.

Each program has --threads threads, which wait in ten ways; all of them are read again and again, with the cache of symbols
filled by a first reading that is not counted.  Prints the median and the largest wall and CPU time of wperf, and by how
much the program's CPU time grew in a reading.  With --vs a second wperf reads in turn, and the ratios of its times to those
of the first are printed (median over pairs, with its distribution-free 95 % interval): these hold on a busy machine, too.
Not a test: figures depend on the machine.

    tests/bench/stack_cost.py --wperf build/release/src/program/cli/wperf --build build/release [--runs 20] [--threads 500]
                              [--python /usr/bin/python3.11] [--vs OTHER_WPERF]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from stop_cost import interval

PYTHON = """
import queue, select, socket, sys, threading, time
lock, condition, event, work = threading.Lock(), threading.Condition(), threading.Event(), queue.Queue()
semaphore, owned, (pair, other) = threading.Semaphore(0), threading.RLock(), socket.socketpair()
lock.acquire()
owned.acquire()
def wait_condition():
    with condition:
        condition.wait()
def wait_poll():
    poll = select.poll()
    poll.register(pair, select.POLLIN)
    poll.poll()
def wait_epoll():
    epoll = select.epoll()
    epoll.register(pair, select.EPOLLIN)
    epoll.poll()
ways = [lock.acquire, wait_condition, event.wait, work.get, semaphore.acquire, owned.acquire, lambda: time.sleep(100000),
        lambda: pair.recv(1), wait_poll, wait_epoll]
def descend(depth, way):
    if depth:
        descend(depth - 1, way)
    else:
        ways[way]()
for n in range(1, int(sys.argv[1])):
    threading.Thread(target=descend, args=(12 - n % 4, n % len(ways)), name=f"worker-{n}", daemon=True).start()
time.sleep(1)
print("ready", flush=True)
sys.stdin.read()
"""


class Reading(NamedTuple):
    wall_ms: float
    cpu_ms: float
    target_ms: float


def cpu_ns(pid: int) -> int:
    """Of all threads of a process: its clock is made from its number (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns(~pid << 3 | 2)


def read_once(wperf: str, pid: int, threads: int) -> Reading:
    with tempfile.TemporaryFile() as out:
        target, start = cpu_ns(pid), time.monotonic_ns()
        reader = subprocess.Popen([wperf, "stack", "--json", str(pid)], stdout=out)
        _, status, used = os.wait4(reader.pid, 0)
        end, target_end = time.monotonic_ns(), cpu_ns(pid)
        reader.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        document = json.load(out)
    shown = sum(len(process["threads"]) for process in document["processes"])
    if reader.returncode or shown != threads:
        sys.exit(f"{wperf}: status {reader.returncode}, {shown} of {threads} threads")
    return Reading((end - start) / 1e6, (used.ru_utime + used.ru_stime) * 1e3, (target_end - target) / 1e6)


def describe(readings: list[Reading]) -> str:
    parts = []
    for name, values in (("wall", [r.wall_ms for r in readings]), ("CPU", [r.cpu_ms for r in readings]),
                         ("program's CPU", [r.target_ms for r in readings])):
        parts.append(f"{name} {statistics.median(values):.3g} ms (most {max(values):.3g})")
    return ", ".join(parts)


def ratio(ours: list[Reading], others: list[Reading], value) -> str:
    ratios = [value(other) / value(own) for own, other in zip(ours, others)]
    low, high = interval(ratios)
    return f"{statistics.median(ratios):.2f} [{low:.2f}, {high:.2f}]"


def measure(name: str, command: list[str], args: argparse.Namespace) -> None:
    program = subprocess.Popen(command + [str(args.threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if program.stdout.readline() != "ready\n":
            sys.exit(f"{name}: the program has ended")
        readings: dict[str, list[Reading]] = {}
        for run in range(args.runs + 1):
            for wperf in filter(None, (args.wperf, args.vs)):
                reading = read_once(wperf, program.pid, args.threads)
                if run:
                    readings.setdefault(wperf, []).append(reading)
    finally:
        program.kill()
        program.wait()
    print(f"{name}, {args.threads} threads, {args.runs} readings: {describe(readings[args.wperf])}")
    if args.vs:
        print(f"  {args.vs}: {describe(readings[args.vs])};"
              f" ratio of wall times {ratio(readings[args.wperf], readings[args.vs], lambda r: r.wall_ms)},"
              f" of CPU times {ratio(readings[args.wperf], readings[args.vs], lambda r: r.cpu_ms)}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--build", required=True, help="folder of the build with tests/bench/waiting_threads")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--threads", type=int, default=500)
    parser.add_argument("--python", default="/usr/bin/python3.11")
    parser.add_argument("--vs")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stack-cost-") as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        measure("C", [os.path.join(args.build, "tests/bench/waiting_threads")], args)
        measure("Python", [args.python, "-c", PYTHON], args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
