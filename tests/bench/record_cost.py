#!/usr/bin/python3
"""Cost of recording CPython at 999 Hz, compared with perf record, in paired rounds on one machine.

Each round runs the same fixed work alone, under `perf record` and under `wperf record -q`, in an order that changes
with the round.  Prints the target's slow-down (its own CPU time compared with its run alone), the recorder's CPU time
without the target's, and the whole command's wall time, as medians with the distribution-free 95 % interval of the
median difference.  Not a test: figures depend on the machine.  With --stacks, call stacks are recorded, by perf as
copies, by wperf unwound; then it also prints bytes for each sample and lost samples.

    tests/bench/record_cost.py --wperf build/release/src/program/cli/wperf [--rounds 10] [--python python3.11-dbg] [--stacks]
"""
import argparse
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

WORK = ("import time\n"
        "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "fib({n})\n"
        "print(time.process_time())\n")


class Failed(Exception):
    """A command of the round failed; the round does not count."""


def run(argv: list[str]) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds of all processes, CPU seconds that the target prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode:
        raise Failed(f"{argv[0]}: status {done.returncode}")
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return wall, cpu, float(done.stdout.split()[0])


def interval(values: list[float]) -> tuple[float, float]:
    """The order statistics that enclose the median with at least 95 %, for any distribution."""
    ordered, n, k, tail = sorted(values), len(values), 0, 0.5 ** len(values)
    while tail + math.comb(n, k + 1) * 0.5 ** n <= 0.025:
        k += 1
        tail += math.comb(n, k) * 0.5 ** n
    return ordered[k], ordered[-1 - k]


def show(name: str, perf: list[float], wperf: list[float], unit: str) -> None:
    low, high = interval([w - p for p, w in zip(perf, wperf)])
    print(f"{name:28} perf {statistics.median(perf):9.4f}  wperf {statistics.median(wperf):9.4f} {unit}"
          f"  difference {statistics.median(w - p for p, w in zip(perf, wperf)):+.4f} [{low:+.4f}, {high:+.4f}]")


def show_size(session: str) -> None:
    """Of the last round, as perf reads it."""
    done = subprocess.run(["perf", "report", "--stats", "-i", session], capture_output=True, text=True, check=True)
    counts = {name: int(n) for name, n in re.findall(r"^ +(\w+) events: +(\d+)", done.stdout, re.M)}
    samples, lost = counts.get("SAMPLE", 0), counts.get("LOST", 0) + counts.get("LOST_SAMPLES", 0)
    print(f"{session:28} {os.path.getsize(session) / max(samples, 1):9.1f} bytes a sample, {samples} samples, "
          f"{lost} records of lost ones")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--python", default="python3.11-dbg")
    parser.add_argument("--stacks", action="store_true", help="perf's --call-graph dwarf against -g, and -g -z")
    parser.add_argument("--n", type=int, default=25, help="size of the work")
    args = parser.parse_args()
    wperf = os.path.abspath(args.wperf)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        target = [args.python, "-c", WORK.format(n=args.n)]
        commands = {
            "alone": target,
            "perf": ["perf", "record", "-q", "-F", "999", "-e", "cpu-clock:u", "-o", "perf.data",
                     *(["--call-graph", "dwarf"] if args.stacks else []), "--", *target],
            "wperf": [wperf, "record", "-q", "-F", "999", "-e", "cpu-clock:u", "--session", "wperf.data",
                      *(["-g"] if args.stacks else []), "--", *target],
        }
        results: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
        for i in range(args.rounds):
            names = list(commands)
            try:
                once = {name: run(commands[name]) for name in names[i % 3:] + names[:i % 3]}
            except Failed as failure:
                print(f"round {i + 1} does not count: {failure}")
                continue
            for name, result in once.items():
                results[name].append(result)
        if args.stacks:
            run([wperf, "record", "-q", "-g", "-z", "-F", "999", "-e", "cpu-clock:u", "--session", "packed.data", "--",
                 *target])
            for name in ("perf.data", "wperf.data", "packed.data"):
                show_size(name)
    alone = [r[2] for r in results["alone"]]
    slow = {name: [100 * (r[2] / a - 1) for r, a in zip(results[name], alone)] for name in ("perf", "wperf")}
    show("target slow-down", slow["perf"], slow["wperf"], "%")
    cost = {name: [r[1] - r[2] for r in results[name]] for name in ("perf", "wperf")}
    base = statistics.median(r[1] - r[2] for r in results["alone"])
    show("recorder CPU", [c - base for c in cost["perf"]], [c - base for c in cost["wperf"]], "s")
    show("whole command, wall", [r[0] for r in results["perf"]], [r[0] for r in results["wperf"]], "s")
    show("whole command, minus target", [r[0] - r[2] for r in results["perf"]],
         [r[0] - r[2] for r in results["wperf"]], "s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
