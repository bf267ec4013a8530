#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf report -g of the reference session with perf report --stdio -g and the simple loop of plain_tree.

    tests/bench/call_tree.py [--build B] [--rounds N] [--perf-rounds N] [--samples N] [--file F]

The rounds are paired; prints the median with the smallest and the largest, and ratios of the same round.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """Elapsed seconds, CPU seconds, maximum MB.  A small shell starts the program, because its peak begins with its
    parent's memory."""
    before = time.monotonic()
    child = subprocess.Popen(["sh", "-c", 'exec "$@"', "sh", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} ended with {status}")
    return time.monotonic() - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/rel")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--perf-rounds", type=int, default=1)
    parser.add_argument("--samples", default="2200000")
    parser.add_argument("--file", help="a session that make_profile wrote; made anew unless given")
    args = parser.parse_args()
    bench = os.path.join(args.build, "tests/bench")
    with tempfile.TemporaryDirectory() as folder:
        data = args.file or os.path.join(folder, "reference.data")
        if not args.file:
            subprocess.run([os.path.join(bench, "make_profile"), data, args.samples], check=True)
        commands = {
            "plain loop": [os.path.join(bench, "plain_tree"), data],
            "wperf report -g": [os.path.join(args.build, "src/program/cli/wperf"), "report", "-g", "-i", data],
            "perf report -g": ["perf", "report", "--stdio", "-g", "-i", data],
        }
        took = {name: [] for name in commands}
        for i in range(args.rounds):
            for name in commands:
                if not name.startswith("perf") or i < args.perf_rounds:
                    took[name].append(run(commands[name]))
        size = os.path.getsize(data) / 1e6
    print(f"{args.samples} samples, {size:.0f} MB")
    for name, rounds in took.items():
        if rounds:
            print(f"{name:16} elapsed {spread([r[0] for r in rounds], 2)} s, CPU {spread([r[1] for r in rounds], 2)} s, "
                  f"{max(r[2] for r in rounds):.0f} MB")
    for name in ("plain loop", "perf report -g"):
        for i, kind in enumerate(("elapsed", "CPU")):
            ratios = [other[i] / own[i] for own, other in zip(took["wperf report -g"], took[name])]
            if ratios:
                print(f"{name} {kind}: {spread(ratios, 2)} of wperf's")


main()
