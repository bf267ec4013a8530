#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf annotate with perf annotate: one hot function of a recorded program, instructions and lines.

    tests/bench/annotate.py [--wperf W] [--rounds N] [--symbol NAME] [--event E] [-- COMMAND]

Without COMMAND: x_mul of python3.11-dbg -c '10**10**100'.  perf records the session, which both read.  The rounds are
paired; prints the median ratio of perf's elapsed and CPU time to wperf's, the smallest and the largest.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """Elapsed seconds, CPU seconds including children, maximum KiB."""
    before = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - before
    if status:
        sys.exit(f"{' '.join(command)} ended with {status}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", default="build/rel/src/program/cli/wperf")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--symbol", default="x_mul")
    parser.add_argument("--event", default="cpu-clock:u", help="with the kernel both read its 200,000 names: cpu-clock")
    parser.add_argument("command", nargs="*", default=["timeout", "3", "/usr/bin/python3.11-dbg", "-c", "10**10**100"])
    args = parser.parse_args()
    if not shutil.which("perf"):
        sys.exit("perf is missing (package linux-perf)")
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "perf.data")
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
        subprocess.run(["perf", "record", "-q", "-e", args.event, "-F", "999", "-o", data, "--", *args.command], stderr=subprocess.DEVNULL)
        commands = {
            "perf": ["perf", "annotate", "--stdio", "-i", data, "-s", args.symbol],
            "wperf": [args.wperf, "annotate", "--no-index", "-i", data, args.symbol],
            "wperf --by line": [args.wperf, "annotate", "--no-index", "--by", "line", "-i", data, args.symbol],
            "wperf --asm -v": [args.wperf, "annotate", "--no-index", "--asm", "-v", "-i", data, args.symbol],
            "wperf, index": [args.wperf, "annotate", "-i", data, args.symbol],
        }
        took = {name: [] for name in commands}
        for i in range(args.rounds):
            for name in commands if i % 2 else reversed(commands):
                took[name].append(run(commands[name]))
    for name, rounds in took.items():
        elapsed, cpu, memory = (statistics.median(r[i] for r in rounds) for i in range(3))
        print(f"{name:16} elapsed {elapsed * 1000:7.1f} ms, CPU {cpu * 1000:7.1f} ms, {memory / 1024:5.0f} MB")
        for i, kind in enumerate(("elapsed", "CPU")):
            ratios = sorted(perf[i] / max(own[i], 0.001) for perf, own in zip(took["perf"], rounds))
            if name != "perf":
                print(f"    perf {kind} {statistics.median(ratios):.1f} times that ({ratios[0]:.1f} to {ratios[-1]:.1f})")


main()
