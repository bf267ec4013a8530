#!/usr/bin/python3
"""The cost of a sample for the Python program that is recorded, with each engine.

The program does the same small piece of work again and again and records when each piece began and how long it took.
Meanwhile the events are turned off and on through --control, every 50 ms, so that pieces with and without sampling
alternate in one process.  Prints the median over all neighbouring pairs of windows of (mean piece with sampling / mean
piece without), its distribution-free 95 % interval, and the time that one sample costs.  Not a test: figures depend on
the machine.

    tests/bench/stop_cost.py --wperf build/release/src/program/cli/wperf [--seconds 20] [--hz 999,4999] [--engines ring,stop]
                             [--threads 1] [--python /usr/bin/python3.11] [--cpu]
"""
import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

TARGET = """
import sys, threading, time
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def burn(end):
    while time.monotonic() < end:
        fib(12)
def main(out, seconds, threads):
    end = time.monotonic() + seconds
    others = [threading.Thread(target=burn, args=(end,)) for _ in range(threads - 1)]
    for other in others:
        other.start()
    pieces = []
    while True:
        start, cpu = time.monotonic_ns(), time.thread_time_ns()
        if start > end * 1e9:
            break
        fib(14)
        pieces.append((start, time.monotonic_ns() - start, time.thread_time_ns() - cpu))
    for other in others:
        other.join()
    with open(out, "w") as f:
        for piece in pieces:
            print(*piece, file=f)
main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
"""
WINDOW_S = 0.05
EDGE_NS = 2_000_000  # edges of a window that are left out, because the change may not have reached all threads


def interval(values: list[float]) -> tuple[float, float]:
    """The order statistics that enclose the median with at least 95 %, for any distribution."""
    n = len(values)
    ordered, k = sorted(values), max(0, int(n / 2 - 0.98 * math.sqrt(n) - 1))
    return ordered[k], ordered[-1 - k]


def switch(child: subprocess.Popen, control: str, ack: str) -> list[tuple[int, int, bool]]:
    """Turns the events off and on until the command ends.  Returns (start, end, whether they were on), in ns."""
    windows, is_on = [], True
    with open(control, "wb", buffering=0) as to, open(ack) as answers:
        start = time.monotonic_ns()
        while child.poll() is None:
            time.sleep(WINDOW_S)
            end = time.monotonic_ns()
            try:
                to.write(b"disable\n" if is_on else b"enable\n")
            except BrokenPipeError:
                break
            if not answers.readline():
                break
            windows.append((start, end, is_on))
            start, is_on = time.monotonic_ns(), not is_on
    return windows


def means(windows: list, pieces: list[list[int]], field: int) -> list[tuple[bool, float]]:
    """The mean piece of each window; pieces that took ten times the median have other causes and are left out."""
    limit = 10 * statistics.median(piece[field] for piece in pieces)
    found, i = [], 0
    for start, end, is_on in windows:
        inside = []
        while i < len(pieces) and pieces[i][0] < end - EDGE_NS:
            if pieces[i][0] >= start + EDGE_NS and pieces[i][0] + pieces[i][1] < end and pieces[i][field] < limit:
                inside.append(pieces[i][field])
            i += 1
        if len(inside) >= 10:
            found.append((is_on, statistics.fmean(inside)))
    return found


def measure(args: argparse.Namespace, engine: str, hz: int, folder: str) -> None:
    control, ack, out = (os.path.join(folder, name) for name in ("control", "ack", "out"))
    for path in (control, ack):
        if not os.path.exists(path):
            os.mkfifo(path)
    child = subprocess.Popen([args.wperf, "record", "-q", "-g", *args.options.split(), "--engine", engine, "-F", str(hz),
                              "--control", f"fifo:{control},{ack}", "--session", os.path.join(folder, "wperf.data"), "--",
                              args.python, "-c", TARGET, out, str(args.seconds), str(args.threads)],
                             stdout=subprocess.DEVNULL)
    windows = switch(child, control, ack)
    child.wait()
    with open(out) as f:
        pieces = [[int(word) for word in line.split()] for line in f]
    for name, field in (("wall", 1), ("cpu", 2)):
        by_window = means(windows, pieces, field)
        ratios = [(a if on else b) / (b if on else a)
                  for (on, a), (also_on, b) in zip(by_window, by_window[1:]) if on != also_on]
        low, high = interval(ratios)
        middle = statistics.median(ratios)
        print(f"{engine:5} {hz:5} Hz {args.threads:2} threads {name:4} {middle:.4f} [{low:.4f}, {high:.4f}]"
              f"  {(middle - 1) / hz * 1e6:6.1f} us a sample, {len(ratios)} pairs", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--hz", default="999,4999")
    parser.add_argument("--engines", default="ring,stop")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--options", default="")
    parser.add_argument("--python", default="/usr/bin/python3.11")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stop-cost-") as folder:
        for hz in args.hz.split(","):
            for engine in args.engines.split(","):
                measure(args, engine, int(hz), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
