#!/usr/bin/python3
"""Cost of `subprocess.run(['/bin/true'])` without a recorder, recorded by the ring and recorded by stops, in paired
rounds on one machine.

Prints the elapsed time and the CPU time of the loop, as medians of the ratios to the run without a recorder of the same
round, with the smallest and the largest.  The goal is at most 1.3.  Not a test: figures depend on the machine.  If
other processes use the machine, run it in a scheduling class of its own: chrt -f 1 tests/bench/children_cost.py ...

    tests/bench/children_cost.py --wperf build/release/src/program/cli/wperf [--rounds 10] [--runs 1000] [--freq 999]
"""
import argparse
import os
import statistics
import subprocess
import tempfile

PYTHON = "/usr/bin/python3.11"
ENGINES = ("ring", "stop")
LOOP = """
import resource, subprocess, sys, time
begin = time.monotonic()
for _ in range({runs}):
    subprocess.run(["/bin/true"])
seconds = time.monotonic() - begin
usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(seconds, sum(usage.ru_utime + usage.ru_stime for usage in usages))
"""


def run(argv: list[str], folder: str) -> tuple[float, float]:
    """Seconds and CPU seconds, as the loop prints them."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True, cwd=folder)
    seconds, cpu_seconds = map(float, done.stdout.split())
    return seconds, cpu_seconds


def show(name: str, values: list[float], bare: list[float]) -> None:
    ratios = [value / base for value, base in zip(values, bare)]
    print(f"{name:16} {statistics.median(values):7.3f} s, {statistics.median(ratios):.2f} of bare "
          f"({min(ratios):.2f} to {max(ratios):.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--wperf", required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--freq", type=int, default=999)
    options = parser.parse_args()
    loop = [PYTHON, "-c", LOOP.format(runs=options.runs)]
    ways = {"bare": loop} | {engine: [os.path.abspath(options.wperf), "record", "-q", "-g", "--engine", engine, "-F", str(options.freq),
                                      "--", *loop] for engine in ENGINES}
    figures = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name, argv in ways.items():
                figures[name].append(run(argv, folder))
    for index, what in enumerate(("time", "CPU time")):
        for name in ways:
            show(f"{name}, {what}", *([figure[index] for figure in figures[of]] for of in (name, "bare")))


if __name__ == "__main__":
    main()
